//! A sheet that is one table: its figures are placed, and it is written.

use rust_xlsxwriter::{ColNum, FormatAlign, Note, RowNum, XlsxError};

use super::layout::{Layout, Place, Sheet};
use super::page::Page;
use super::printing::PrintedRows;
use super::style::{self, Role};
use crate::listings::{Column, Content, Look, SEPARATOR, Table};
use crate::model::Model;

/// Rows above the first row of a table: title, remark, groups, headers, units.
pub(super) const FIRST_ROW: RowNum = 5;
const GROUP_ROW: RowNum = 2;
const HEADER_ROW: RowNum = 3;
const UNIT_ROW: RowNum = 4;

/// A column on a sheet: under which headings it stands there.
pub(super) struct ShownColumn<'t, 'a, R> {
    pub group: &'t str,
    pub header: &'t str,
    pub column: &'t Column<'a, R>,
}

impl<'t, 'a, R> ShownColumn<'t, 'a, R> {
    pub fn of(column: &'t Column<'a, R>) -> ShownColumn<'t, 'a, R> {
        ShownColumn {
            group: &column.group,
            header: &column.header,
            column,
        }
    }
}

/// How a table is printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Printed {
    /// As wide as it is: groups of columns go on on further pages. Of a long table the first rows.
    OnPages,
    /// All of it on the width of one page, with long text on several lines.
    OnePageWide,
}

/// Columns of a table as one sheet shows them.
pub(super) struct Shown<'t, 'a, R> {
    pub title: &'t str,
    pub remark: &'t str,
    pub rows: &'t [R],
    pub columns: Vec<ShownColumn<'t, 'a, R>>,
    pub printed: Printed,
}

impl<'a, R> Table<'a, R> {
    /// The whole table on one sheet.
    fn shown(&self) -> Shown<'_, 'a, R> {
        Shown {
            title: self.title,
            remark: &self.remark,
            rows: &self.rows,
            columns: self.columns.iter().map(ShownColumn::of).collect(),
            printed: Printed::OnPages,
        }
    }

    /// Gives every figure that the table shows first its home.
    pub(super) fn place(&self, sheet: Sheet, layout: &mut Layout) {
        self.shown().place(sheet, layout);
    }

    /// The position of the column with that group and header.
    pub(super) fn column(&self, group: &str, header: &str) -> Option<ColNum> {
        let position = self
            .columns
            .iter()
            .position(|c| c.group == group && c.header == header)?;
        Some(position as ColNum)
    }

    /// The last row with an entry.
    pub(super) fn last_row(&self) -> RowNum {
        self.shown().last_row()
    }

    pub(super) fn write(&self, page: &mut Page) -> Result<(), XlsxError> {
        self.shown().write(page)
    }
}

impl<R> Shown<'_, '_, R> {
    /// Gives every figure that the sheet shows first its home.
    pub(super) fn place(&self, sheet: Sheet, layout: &mut Layout) {
        for (row, entry) in (FIRST_ROW..).zip(self.rows) {
            for (column, shown) in (0..).zip(&self.columns) {
                if let Content::Figure(id) = (shown.column.cell)(entry) {
                    layout.put(id, Place { sheet, row, column });
                }
            }
        }
    }

    /// The last row with an entry.
    fn last_row(&self) -> RowNum {
        FIRST_ROW + (self.rows.len() as RowNum).saturating_sub(1)
    }

    pub(super) fn write(&self, page: &mut Page) -> Result<(), XlsxError> {
        page.title(self.title)?;
        let longest = match self.printed {
            Printed::OnPages => LONGEST,
            Printed::OnePageWide => LONGEST_FITTED,
        };
        let mut widths: Vec<usize> = self.columns.iter().map(narrowest).collect();
        let mut lines_of_rows = Vec::with_capacity(self.rows.len());
        for (row, entry) in (FIRST_ROW..).zip(self.rows) {
            let mut lines = 1;
            for (index, shown) in self.columns.iter().enumerate() {
                let (content, look) = ((shown.column.cell)(entry), shown.column.look);
                let length = shown_length(&content, look, page.book.model);
                widths[index] = widths[index].max(length.min(longest));
                lines = lines.max(content_lines(&content, longest));
                write_cell(page, (row, index as ColNum), &content, look, longest)?;
            }
            if lines > 1 {
                let height = style::row_height(lines);
                page.worksheet.set_row_height(row, height)?;
            }
            lines_of_rows.push(lines);
        }
        // The title stands in the first column, which is on all printed pages.
        widths[0] = widths[0].max(self.title.chars().count() * 3 / 2);
        let breaks = match self.printed {
            Printed::OnPages => self.page_breaks(&widths),
            Printed::OnePageWide => Vec::new(),
        };
        let rows = PrintedRows {
            first: FIRST_ROW,
            lines: &lines_of_rows,
            last_column: self.columns.len() as ColNum - 1,
            breaks: &breaks,
        };
        let printed = match self.printed {
            Printed::OnPages => rows.remark(),
            Printed::OnePageWide => String::new(),
        };
        let remark = format!("{printed}{}", self.remark);
        let lines = write_remark(page, &remark, (&widths, &breaks))?;
        self.write_headings(page, &breaks)?;
        self.set_up(page, &widths, &breaks)?;
        page.worksheet
            .set_row_height(1, style::row_height(lines) + 1.0)?;
        match self.printed {
            Printed::OnPages => rows.set_print_area(page),
            Printed::OnePageWide => Ok(()),
        }
    }

    /// The columns that printed pages begin with, but for the first page: of a group if it has room on one.
    fn page_breaks(&self, widths: &[usize]) -> Vec<ColNum> {
        let width = |columns: std::ops::Range<usize>| {
            widths[columns].iter().map(|width| width + 2).sum::<usize>()
        };
        if width(0..widths.len()) <= FITTED_CHARACTERS {
            return Vec::new();
        }
        let room = PAGE_CHARACTERS - (widths[0] + 2);
        let (mut breaks, mut used, mut start) = (Vec::new(), 0, 1);
        let mut first_of_group = 0;
        for group in self.columns.chunk_by(|a, b| a.group == b.group) {
            let columns = first_of_group.max(1)..first_of_group + group.len();
            first_of_group += group.len();
            let whole = width(columns.clone());
            if used > 0 && used + whole > room && whole <= room {
                start = columns.start;
                breaks.push(start as ColNum);
                used = 0;
            }
            for column in columns {
                let own = width(column..column + 1);
                if column > start && used + own > room {
                    start = column;
                    breaks.push(start as ColNum);
                    used = 0;
                }
                used += own;
            }
        }
        breaks
    }

    fn write_headings(&self, page: &mut Page, breaks: &[ColNum]) -> Result<(), XlsxError> {
        for (column, definition) in (0..).zip(&self.columns) {
            page.text(HEADER_ROW, column, definition.header, &style::header())?;
            page.text(UNIT_ROW, column, definition.column.unit, &style::unit())?;
            let note = Note::new(definition.column.meaning.clone())
                .add_author_prefix(false)
                .set_width(320);
            page.worksheet.insert_note(HEADER_ROW, column, &note)?;
        }
        let mut start = 0;
        for (index, group) in self.columns.chunk_by(|a, b| a.group == b.group).enumerate() {
            let (first, end) = (start as ColNum, (start + group.len()) as ColNum);
            let format = style::group(index);
            // A group that goes on on another page is named there again.
            let starts = std::iter::once(first)
                .chain(breaks.iter().copied().filter(|at| first < *at && *at < end));
            let starts: Vec<ColNum> = starts.collect();
            for (part, first) in starts.iter().copied().enumerate() {
                let last = starts.get(part + 1).copied().unwrap_or(end) - 1;
                let name = if part == 0 {
                    group[0].group.to_string()
                } else {
                    format!("{} (continued)", group[0].group)
                };
                if first == last {
                    page.text(GROUP_ROW, first, &name, &format)?;
                } else {
                    page.worksheet
                        .merge_range(GROUP_ROW, first, GROUP_ROW, last, &name, &format)?;
                }
            }
            start += group.len();
        }
        Ok(())
    }

    /// Widths, frozen headings, filters, print set-up.
    fn set_up(
        &self,
        page: &mut Page,
        widths: &[usize],
        breaks: &[ColNum],
    ) -> Result<(), XlsxError> {
        let worksheet = &mut page.worksheet;
        for (column, width) in (0..).zip(widths) {
            worksheet.set_column_width(column, *width as f64 + 2.0)?;
        }
        for (row, height) in [(GROUP_ROW, 32), (HEADER_ROW, 48), (UNIT_ROW, 18)] {
            worksheet.set_row_height(row, height)?;
        }
        worksheet.set_freeze_panes(FIRST_ROW, 1)?;
        let last = self.columns.len() as ColNum - 1;
        worksheet.autofilter(UNIT_ROW, 0, self.last_row().max(FIRST_ROW), last)?;
        worksheet.set_repeat_rows(GROUP_ROW, UNIT_ROW)?;
        worksheet.set_repeat_columns(0, 0)?;
        style::print_setup(worksheet);
        if !breaks.is_empty() {
            // Breaks count on sheets that are printed to scale.
            worksheet.set_print_scale(SCALE);
            worksheet.set_vertical_page_breaks(
                &breaks
                    .iter()
                    .map(|column| u32::from(*column))
                    .collect::<Vec<u32>>(),
            )?;
        }
        Ok(())
    }
}

/// Characters of a table that is made to fit on the width of one page.
const FITTED_CHARACTERS: usize = 240;
/// Percent at which wider tables are printed, and the characters that a landscape page of A4 then has room for.
const SCALE: u16 = 50;
const PAGE_CHARACTERS: usize = 215;

/// Characters of the widest column; longer text has several lines.
const LONGEST: usize = 60;
/// The same where all columns are to be on one page.
const LONGEST_FITTED: usize = 36;

/// Characters that a remark takes on one line, so that it is seen whole in a window.
const REMARK_CHARACTERS: usize = 170;

/// The remark below the title, over the columns of the first printed page; returns how many lines it takes.
fn write_remark(
    page: &mut Page,
    remark: &str,
    (widths, breaks): (&[usize], &[ColNum]),
) -> Result<usize, XlsxError> {
    let columns = breaks.first().map_or(widths.len(), |at| usize::from(*at));
    let (mut last, mut room) = (1, 0);
    for (column, width) in widths.iter().enumerate().take(columns).skip(1) {
        if room > 0 && room + width + 2 > REMARK_CHARACTERS {
            break;
        }
        (last, room) = (column as ColNum, room + width + 2);
    }
    let format = style::remark().set_text_wrap().set_align(FormatAlign::Top);
    match last {
        1 => page.text(1, 1, remark, &style::remark())?,
        _ => {
            page.worksheet.merge_range(1, 1, 1, last, remark, &format)?;
        }
    }
    Ok(match last {
        1 => 1,
        _ => style::lines(remark, room as f64),
    })
}

/// Lines that a text takes in a column of at most so many characters.
fn content_lines(content: &Content, longest: usize) -> usize {
    match content {
        Content::Text(text) if text.chars().count() > longest => style::lines(text, longest as f64),
        _ => 1,
    }
}

fn write_cell(
    page: &mut Page,
    (row, column): (RowNum, ColNum),
    content: &Content,
    look: Look,
    longest: usize,
) -> Result<(), XlsxError> {
    match content {
        Content::Empty => Ok(()),
        Content::Text(text) if text.chars().count() > longest => {
            page.text(row, column, text, &style::wrapped())
        }
        Content::Text(text) => page.text(row, column, text, &style::cell(Look::Text, Role::Plain)),
        Content::Fact(value) => page.number(row, column, *value, &style::cell(look, Role::Plain)),
        Content::Figure(id) => page.figure(row, column, *id, look),
        Content::Choice(id, names) => {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            page.choice(row, column, *id, &names)
        }
        Content::Several(id, names) => page.several(row, column, *id, names),
    }
}

/// Room for the longest word of the header, and for numbers that grow when inputs change.
fn narrowest<R>(shown: &ShownColumn<R>) -> usize {
    let ShownColumn { header, column, .. } = shown;
    let word = header
        .split_whitespace()
        .map(|word| word.chars().count())
        .max()
        .unwrap_or(0);
    let lines = header.chars().count().div_ceil(3);
    let unit = column.unit.chars().count() + 3;
    let value = if column.look == Look::Count { 11 } else { 8 };
    word.max(lines).max(unit).max(value)
}

fn shown_length(content: &Content, look: Look, model: &Model) -> usize {
    match content {
        Content::Empty => 0,
        Content::Text(text) => text.chars().count(),
        Content::Fact(value) => look.shown_length(*value),
        Content::Figure(id) if model.value(*id).is_finite() => look.shown_length(model.value(*id)),
        Content::Figure(_) => super::page::UNKNOWN.len(),
        Content::Choice(_, names) => names
            .iter()
            .map(|name| name.chars().count())
            .max()
            .unwrap_or(0),
        Content::Several(_, names) => names.join(SEPARATOR).chars().count(),
    }
}
