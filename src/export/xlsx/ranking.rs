//! The costliest nests, found by their places in the order of times, so that they follow the inputs.

use rust_xlsxwriter::utility::row_col_to_cell;
use rust_xlsxwriter::{ColNum, RowNum, XlsxError};

use super::highlights;
use super::layout::Sheet;
use super::nests::{Named, NestSheets};
use super::page::{Book, Page, UNKNOWN};
use super::style::{self, Look, Role};
use crate::columns;
use crate::expr::FigureId;
use crate::listings::{chosen, loops, scope};
use crate::model::advice::words;
use crate::model::{MARK, Model};

/// Columns of a ranking: the rank, the time, and the row in the table of Loops.
#[derive(Clone, Copy)]
pub(super) struct Ranking {
    pub rank: ColNum,
    pub time: ColNum,
    pub position: ColNum,
}

impl Ranking {
    /// Rank, time and position of each of these nests, a row each.
    pub fn write(
        self,
        page: &mut Page,
        nests: &NestSheets,
        ranked: &[usize],
        first: RowNum,
    ) -> Result<(), XlsxError> {
        let model = page.book.model;
        let number = style::cell(Look::Number, Role::Plain);
        let (times, places) = (nests.range(loops::ranked_by(model)), nests.places());
        for (rank, (row, index)) in (1u32..).zip((first..).zip(ranked)) {
            page.number(row, self.rank, f64::from(rank), &number)?;
            let [own, position] =
                [self.rank, self.position].map(|column| row_col_to_cell(row, column));
            let seconds = model.ranking.seconds(*index);
            let seconds = seconds.map_or(0.0, |id| model.value(id));
            page.presentation(
                row,
                self.time,
                &format!("INDEX({times},{position})"),
                &seconds.to_string(),
                &style::cell(Look::Seconds, Role::Plain),
            )?;
            let formula = format!("MATCH({own},{places},0)");
            let shown = (index + 1).to_string();
            page.presentation(row, self.position, &formula, &shown, &number)?;
        }
        Ok(())
    }
}

/// What is shown of a nest whose position is in a cell.
pub(super) struct Found<'t, 'a> {
    pub nests: &'t NestSheets<'t, 'a>,
    pub nest: usize,
    pub position: String,
}

impl Found<'_, '_> {
    fn formula(&self, what: Named) -> String {
        format!("INDEX({},{})", self.nests.range(what), self.position)
    }

    pub fn id(&self, page: &mut Page, cell: (RowNum, ColNum)) -> Result<(), XlsxError> {
        let id = page.book.model.nests[self.nest].nest.head().id.clone();
        self.text(page, cell, loops::ID, &id)
    }

    /// The name with its mark.
    pub fn marked_id(&self, page: &mut Page, cell: (RowNum, ColNum)) -> Result<(), XlsxError> {
        if self.nests.column(loops::REASONS).is_none() {
            return self.id(page, cell);
        }
        let id = page.book.model.nests[self.nest].nest.head().id.clone();
        self.with_mark(page, cell, (self.formula(loops::ID), &id))
    }

    /// The name in at most so many characters, which has its line in any case.
    pub fn short_id(
        &self,
        page: &mut Page,
        (row, column): (RowNum, ColNum),
        most: usize,
    ) -> Result<(), XlsxError> {
        let (formula, shown) = self.shortened(page, most);
        let format = style::cell(Look::Text, Role::Plain);
        page.presented_text(row, column, &formula, &shown, &format)
    }

    /// The same with its mark.
    pub fn short_marked_id(
        &self,
        page: &mut Page,
        cell: (RowNum, ColNum),
        most: usize,
    ) -> Result<(), XlsxError> {
        if self.nests.column(loops::REASONS).is_none() {
            return self.short_id(page, cell, most);
        }
        let (formula, shown) = self.shortened(page, most);
        self.with_mark(page, cell, (formula, &shown))
    }

    fn shortened(&self, page: &Page, most: usize) -> (String, String) {
        let (id, (head, tail)) = (self.formula(loops::ID), columns::ends(most));
        let formula =
            format!("IF(LEN({id})>{most},LEFT({id},{head})&\"…\"&RIGHT({id},{tail}),{id})");
        let shown = columns::cut(&page.book.model.nests[self.nest].nest.head().id, most);
        (formula, shown)
    }

    fn with_mark(
        &self,
        page: &mut Page,
        cell: (RowNum, ColNum),
        (id, shown): (String, &str),
    ) -> Result<(), XlsxError> {
        let shown = format!("{shown}{}", page.book.model.nests[self.nest].mark());
        let reasons = self.formula(loops::REASONS);
        let formula = format!("{id}&IF({reasons}=\"\",\"\",\"{MARK}\")");
        page.presented_text(
            cell.0,
            cell.1,
            &formula,
            &shown,
            &style::cell(Look::Text, Role::Plain),
        )
    }

    pub fn file(&self, page: &mut Page, cell: (RowNum, ColNum)) -> Result<(), XlsxError> {
        let file = page.book.model.nests[self.nest].nest.head().file.clone();
        self.text(page, cell, loops::FILE, &file)
    }

    pub fn line(&self, page: &mut Page, cell: (RowNum, ColNum)) -> Result<(), XlsxError> {
        let line = f64::from(page.book.model.nests[self.nest].nest.head().line);
        self.number(page, cell, loops::LINE, (line, Look::Number))
    }

    pub fn bound(&self, page: &mut Page, cell: (RowNum, ColNum)) -> Result<(), XlsxError> {
        let time = &page.book.model.nests[self.nest].time;
        let bound = chosen(page.book.model.value(time.bound), &time.bound_names())
            .unwrap_or_default()
            .to_string();
        self.text(page, cell, loops::BOUND, &bound)
    }

    /// What saves the most of it, and how much of the program's time.
    pub fn advice(
        &self,
        page: &mut Page,
        gain: (RowNum, ColNum),
        change: (RowNum, ColNum),
    ) -> Result<(), XlsxError> {
        if self.nests.column(loops::ADVICE).is_none() {
            return Ok(());
        }
        let model = page.book.model;
        let advice = loops::advice_for(model, self.nest);
        let shown = advice.map_or_else(|| " ".to_string(), words::change);
        let [row_gain, row_change] = [loops::GAIN, loops::ADVICE].map(|what| self.formula(what));
        // A program that opens the workbook shows an empty value as zero, but a space as nothing.
        let formula = format!("IF({row_change}=\"\",\" \",{row_change})");
        let text = style::wrapped();
        page.presented_text(change.0, change.1, &formula, &shown, &text)?;
        let format = style::cell(Look::Share, Role::Plain);
        let formula = format!("IF({row_change}=\"\",\" \",{row_gain})");
        match advice.map(|advice| model.value(advice.figures.share)) {
            Some(share) if share.is_finite() => {
                page.presentation(gain.0, gain.1, &formula, &share.to_string(), &format)
            }
            Some(_) => page.presented_text(gain.0, gain.1, &formula, UNKNOWN, &format),
            None => page.presented_text(gain.0, gain.1, &formula, " ", &format),
        }
    }

    pub fn figure(
        &self,
        page: &mut Page,
        cell: (RowNum, ColNum),
        what: Named,
        (id, look): (FigureId, Look),
    ) -> Result<(), XlsxError> {
        let value = page.book.model.value(id);
        self.number(page, cell, what, (value, look))
    }

    fn text(
        &self,
        page: &mut Page,
        (row, column): (RowNum, ColNum),
        what: Named,
        shown: &str,
    ) -> Result<(), XlsxError> {
        page.presented_text(
            row,
            column,
            &self.formula(what),
            shown,
            &style::cell(Look::Text, Role::Plain),
        )
    }

    fn number(
        &self,
        page: &mut Page,
        (row, column): (RowNum, ColNum),
        what: Named,
        (value, look): (f64, Look),
    ) -> Result<(), XlsxError> {
        let formula = self.formula(what);
        if value.is_finite() {
            return page.presentation(
                row,
                column,
                &formula,
                &value.to_string(),
                &style::cell(look, Role::Plain),
            );
        }
        page.presented_text(
            row,
            column,
            &formula,
            UNKNOWN,
            &style::cell(look, Role::Unknown),
        )
    }
}

/// Nests of the sheet Top 100.
const TOP: usize = 100;
/// A shorter list of nests is no longer than what Summary has.
const LONG: usize = 20;
const HEADER_ROW: RowNum = 3;
const TOP_ROW: RowNum = 4;
const COLUMNS: [(&str, f64); 13] = [
    ("Rank", 8.0),
    ("Loop", 38.0),
    ("Time [s]", 14.0),
    ("Share", 10.0),
    ("Share up to here", 12.0),
    ("Bound by", 12.0),
    ("Memory traffic, one call [B]", 20.0),
    ("Intensity [flop/B]", 14.0),
    ("File", 48.0),
    ("Line", 10.0),
    ("Row of table", 10.0),
    ("One call [s]", 14.0),
    ("Calls", 12.0),
];
/// So many characters of a name are shown.
const LONGEST_NAME: usize = 36;
const TIME: ColNum = 2;
/// Those after this one are there where calls are followed.
const ROW_OF_TABLE: ColNum = 10;

/// Whether there are so many nests that the costliest have a sheet of their own.
pub(super) fn is_long(model: &Model) -> bool {
    model.nests.len() > LONG
}

/// The sheet Top 100.
pub(super) fn write_top<'a>(book: Book<'a>, nests: &NestSheets) -> Result<Page<'a>, XlsxError> {
    let mut page = Page::new(Sheet::Top, book)?;
    let model = book.model;
    let ranked = model.costliest(TOP);
    page.title(&format!("The {} costliest loop nests", ranked.len()))?;
    let scope = scope(model).map_or_else(String::new, |scope| format!(" {scope}"));
    let remark = format!("Looked up on sheet Loops whenever an input changes.{scope}");
    page.text(1, 0, &remark, &style::remark())?;
    let last_column = match model.ranking.follows_calls {
        true => COLUMNS.len() as ColNum - 1,
        false => ROW_OF_TABLE,
    };
    for (column, (header, width)) in (0..=last_column).zip(COLUMNS) {
        let header = match column {
            TIME if model.ranking.follows_calls => "All calls [s]",
            _ => header,
        };
        page.text(HEADER_ROW, column, header, &style::header())?;
        page.worksheet.set_column_width(column, width)?;
    }
    Ranking {
        rank: 0,
        time: TIME,
        position: ROW_OF_TABLE,
    }
    .write(&mut page, nests, &ranked, TOP_ROW)?;
    let mut share = 0.0;
    for (row, index) in (TOP_ROW..).zip(&ranked) {
        let nest = &model.nests[*index];
        let Some(ranked) = model.ranking.of(*index) else {
            continue;
        };
        let found = Found {
            nests,
            nest: *index,
            position: row_col_to_cell(row, ROW_OF_TABLE),
        };
        found.short_id(&mut page, (row, 1), LONGEST_NAME)?;
        found.figure(
            &mut page,
            (row, 3),
            loops::SHARE,
            (ranked.share, Look::Share),
        )?;
        if let Some(calls) = ranked.calls {
            let one_call = (nest.time.seconds, Look::Seconds);
            found.figure(&mut page, (row, ROW_OF_TABLE + 1), loops::SECONDS, one_call)?;
            let calls = (calls, Look::Times);
            found.figure(&mut page, (row, ROW_OF_TABLE + 2), loops::CALLS, calls)?;
        }
        let own = model.value(ranked.share);
        if own.is_finite() {
            share += own;
            let formula = format!("SUM(D${}:D{})", TOP_ROW + 1, row + 1);
            page.presentation(
                row,
                4,
                &formula,
                &share.to_string(),
                &style::cell(Look::Share, Role::Plain),
            )?;
        }
        found.bound(&mut page, (row, 5))?;
        found.figure(
            &mut page,
            (row, 6),
            loops::DRAM_BYTES,
            (nest.traffic.actual, Look::Bytes),
        )?;
        found.figure(
            &mut page,
            (row, 7),
            loops::INTENSITY,
            (nest.time.intensity, Look::Ratio),
        )?;
        found.file(&mut page, (row, 8))?;
        found.line(&mut page, (row, 9))?;
    }
    let rows = (TOP_ROW, TOP_ROW + ranked.len() as RowNum);
    highlights::small_bytes(&mut page, 6, rows)?;
    highlights::large_ratios(&mut page, 7, rows)?;
    let last_row = TOP_ROW + (ranked.len() as RowNum).max(1) - 1;
    page.worksheet.set_row_height(HEADER_ROW, 32)?;
    page.worksheet.set_freeze_panes(TOP_ROW, 2)?;
    page.worksheet
        .autofilter(HEADER_ROW, 0, last_row, last_column)?;
    page.worksheet.set_repeat_rows(HEADER_ROW, HEADER_ROW)?;
    style::print_setup(&mut page.worksheet);
    Ok(page)
}
