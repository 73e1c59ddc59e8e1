//! A sheet of one nest, on request: what its time comes from, as a page. Tables on the left, stencils and charts on the
//! right, and what these are made from beyond what is printed. All but the source and the advice is live.

mod conditions;
mod data;
mod levels;
mod pictures;
mod sentences;
mod source;
mod staircase;
mod streams;

use std::collections::HashSet;

use rust_xlsxwriter::utility::row_col_to_cell;
use rust_xlsxwriter::{ColNum, Format, FormatAlign, RowNum, Url, XlsxError};

use super::layout::Sheet;
use super::page::{Book, Page};
use super::style::{self, Look, Role};
use super::table::FIRST_ROW;
use crate::analysis::coverage;
use crate::expr::{Expr, FigureId};
use crate::model::advice::words;
use crate::model::influence::guessed;
use crate::model::{Model, NestModel};
use data::Data;

/// The text of a source file by its path, if it can be read.
pub type Sources<'s> = &'s dyn Fn(&str) -> Option<String>;

/// Columns of the tables, but for those of caches.
const WIDTHS: [f64; 5] = [30.0, 22.0, 22.0, 24.0, 14.0];
const CACHE_WIDTH: f64 = 20.0;
/// Narrow columns on the right, in which stencils are drawn.
const CELLS: ColNum = 28;
const CELL_WIDTH: f64 = 2.3;
/// Rows of a chart.
const CHART_ROWS: RowNum = 18;
const CHART_PIXELS: (u32, u32) = (560, 350);

/// Where the parts of the sheet stand.
#[derive(Clone, Copy)]
struct Columns {
    caches: usize,
}

impl Columns {
    /// The last one of the tables.
    fn last(self) -> ColNum {
        (WIDTHS.len() + self.caches) as ColNum
    }

    /// The first narrow one.
    fn pictures(self) -> ColNum {
        self.last() + 2
    }

    /// The first one that is not printed.
    fn data(self) -> ColNum {
        self.pictures() + CELLS + 1
    }
}

/// A nest that gets a sheet, and what the sheet is called.
struct NestSheet {
    nest: usize,
    name: String,
}

/// The sheets of these nests, in their order.
pub(super) fn all<'a>(
    book: Book<'a>,
    (nests, sources): (&[usize], Sources),
) -> Result<Vec<Page<'a>>, XlsxError> {
    let sheets = named(book.model, nests);
    sheets
        .iter()
        .map(|sheet| write(book, sheet, sources))
        .collect()
}

/// The names of the sheets of these nests: ids, as far as sheets may be called so.
fn named(model: &Model, nests: &[usize]) -> Vec<NestSheet> {
    const LONGEST: usize = 31;
    let mut taken = HashSet::new();
    let mut sheets = Vec::new();
    for nest in nests.iter().copied() {
        let id = &model.nests[nest].nest.head().id;
        let clean = |c: char| match c {
            '[' | ']' | ':' | '*' | '?' | '/' | '\\' | '\'' => '_',
            c if c.is_control() => '_',
            c => c,
        };
        let clean: String = id.chars().map(clean).collect();
        let numbered = (1..).map(|number| {
            let end = match number {
                1 => String::new(),
                number => format!(" {number}"),
            };
            // Sheets count in UTF-16.
            let mut name = clean.clone();
            while name.encode_utf16().count() + end.len() > LONGEST {
                name.pop();
            }
            name + &end
        });
        let is_free = |name: &String| taken.insert(name.to_lowercase());
        let name = { numbered }.find(is_free).unwrap_or_default();
        sheets.push(NestSheet { nest, name });
    }
    sheets
}

/// One of these sheets.
fn write<'a>(
    book: Book<'a>,
    NestSheet { nest: index, name }: &NestSheet,
    sources: Sources,
) -> Result<Page<'a>, XlsxError> {
    let mut page = Page::new(Sheet::Nest, book)?;
    page.worksheet.set_name(name)?;
    let nest = &book.model.nests[*index];
    let columns = Columns {
        caches: nest.levels.caches.len(),
    };
    set_up(&mut page, columns)?;
    write_head(&mut page, *index, columns)?;
    let data = Data::new(book.model, nest, columns.data());
    data.write(&mut page, nest)?;
    sentences::write(&mut page, nest, &data)?;
    let mut row = write_short(&mut page, *index, (columns, &data))?;
    let drawn = pictures::write(&mut page, nest, (row, columns))?;
    row = source::write(&mut page, nest, (row, columns), sources)?;
    row = streams::write(&mut page, nest, row)?;
    row = conditions::write(&mut page, nest, (row, columns), &data)?;
    row = levels::write(&mut page, nest, (row, &data))?;
    row = streams::write_working_sets(&mut page, nest, row)?;
    row = write_advice(&mut page, *index, (row, columns))?;
    let charted = draw(&mut page, nest, name, (drawn, columns), &data)?;
    page.worksheet
        .set_print_area(0, 0, row.max(charted), columns.data() - 2)?;
    style::print_setup(&mut page.worksheet);
    Ok(page)
}

fn set_up(page: &mut Page, columns: Columns) -> Result<(), XlsxError> {
    let worksheet = &mut page.worksheet;
    for (column, width) in (0..).zip(WIDTHS) {
        worksheet.set_column_width(column, width)?;
    }
    let caches = WIDTHS.len() as ColNum..columns.last();
    for column in caches {
        worksheet.set_column_width(column, CACHE_WIDTH)?;
    }
    worksheet.set_column_width(columns.last(), 16)?;
    worksheet.set_column_width(columns.last() + 1, 2)?;
    let cells = columns.pictures();
    worksheet.set_column_range_width(cells, cells + CELLS - 1, CELL_WIDTH)?;
    worksheet.set_column_range_width(columns.data(), columns.data() + data::COLUMNS, 14)?;
    worksheet.set_freeze_panes(1, 0)?;
    Ok(())
}

/// Name, place, marks.
fn write_head(page: &mut Page, index: usize, columns: Columns) -> Result<(), XlsxError> {
    let model = page.book.model;
    let nest = &model.nests[index];
    let head = nest.nest.head();
    let codes = nest.reason_codes();
    page.title(&format!("{}{}", head.id, nest.mark()))?;
    let place = format!("{}:{}", head.file, head.line);
    page.text(1, 0, &place, &style::remark())?;
    let target = format!(
        "internal:{}!A{}",
        Sheet::Loops.in_formulas(),
        index as RowNum + FIRST_ROW + 1
    );
    let link = Url::new(target).set_text("its row on sheet Loops");
    page.worksheet
        .write_url_with_format(1, columns.last(), link, &style::link())?;
    let mut remarks = Vec::new();
    if !codes.is_empty() {
        remarks.push(format!("* {}", marks(nest)));
    }
    let sizes = guessed(&nest.nest, &model.parameters);
    if !sizes.is_empty() {
        let names = words::list(&sizes);
        remarks.push(format!(
            "Sizes guessed when this was written: {names}; set them on Parameters"
        ));
    }
    let remark = remarks.join(". ");
    wrapped(page, (2, 0, columns.last()), &remark, &style::remark())
}

/// What is not understood or not exact.
fn marks(nest: &NestModel) -> String {
    let loops = nest.nest.loops.iter();
    let reasons: Vec<_> = loops
        .flat_map(|chain| coverage::reasons(chain.facts))
        .collect();
    let mut shown: Vec<String> = (reasons.iter())
        .map(|reason| format!("{} (line {}: {})", reason.code, reason.line, reason.detail))
        .collect();
    let is_named = |code: &crate::reason::ReasonCode| reasons.iter().any(|r| r.code == *code);
    let others = nest.reason_codes();
    shown.extend(
        others
            .iter()
            .filter(|code| !is_named(code))
            .map(ToString::to_string),
    );
    shown.dedup();
    format!("Not understood or only estimated: {}", words::list(&shown))
}

/// A text over several columns, in a row that is as high as it needs.
fn wrapped(
    page: &mut Page,
    (row, first, last): (RowNum, ColNum, ColNum),
    text: &str,
    format: &Format,
) -> Result<(), XlsxError> {
    if text.is_empty() {
        return Ok(());
    }
    let caches = last.saturating_sub(WIDTHS.len() as ColNum);
    let width = WIDTHS[usize::from(first).min(WIDTHS.len())..]
        .iter()
        .sum::<f64>()
        + f64::from(caches) * CACHE_WIDTH;
    let format = format
        .clone()
        .set_text_wrap()
        .set_align(FormatAlign::Top)
        .set_align(FormatAlign::Left);
    page.worksheet
        .merge_range(row, first, row, last, "", &format)?;
    page.text(row, first, text, &format)?;
    let height = style::row_height(style::lines(text, width));
    page.worksheet.set_row_height(row, height)?;
    Ok(())
}

/// A reference to a figure's cell, as formulas of the sheet write it.
fn cell(page: &Page, figure: FigureId) -> String {
    page.formula(&Expr::from(figure))
}

/// A heading, with a remark behind it.
fn heading(page: &mut Page, row: RowNum, title: &str, remark: &str) -> Result<(), XlsxError> {
    page.text(row, 0, title, &style::section())?;
    page.text(row, 1, remark, &style::remark())
}

/// Headers of a table.
fn headers(page: &mut Page, row: RowNum, names: &[&str]) -> Result<(), XlsxError> {
    page.worksheet.set_row_height(row, 32)?;
    for (column, name) in (0..).zip(names) {
        page.text(row, column, name, &style::header())?;
    }
    Ok(())
}

/// Bytes of a figure, in the unit that suits them.
fn bytes(
    page: &mut Page,
    (row, column): (RowNum, ColNum),
    figure: FigureId,
) -> Result<(), XlsxError> {
    page.figure(row, column, figure, Look::Bytes)?;
    super::highlights::small_bytes(page, column, (row, row))
}

/// What the nest costs, in figures and in a sentence; returns the row behind.
fn write_short(
    page: &mut Page,
    index: usize,
    (columns, data): (Columns, &Data),
) -> Result<RowNum, XlsxError> {
    let model = page.book.model;
    let nest = &model.nests[index];
    let label = style::cell(Look::Text, Role::Plain).set_bold();
    let first = 4;
    let ranked = model.ranking.of(index);
    let figures = [
        [
            ("Iterations", Some((nest.iterations, Look::Count))),
            ("Flops", Some((nest.operations.flops, Look::Flops))),
        ],
        [
            ("Memory traffic", Some((nest.traffic.actual, Look::Bytes))),
            ("Flops per byte", Some((nest.time.intensity, Look::Ratio))),
        ],
        [
            (
                "Calls",
                ranked
                    .and_then(|ranked| ranked.calls)
                    .map(|calls| (calls, Look::Times)),
            ),
            (
                "Share of the time",
                ranked.map(|ranked| (ranked.share, Look::Share)),
            ),
        ],
    ];
    page.text(first, 0, "Time of one call", &label)?;
    let seconds = cell(page, nest.time.seconds);
    page.readable_seconds((first, 1), &seconds, model.value(nest.time.seconds))?;
    page.text(first + 1, 0, "Bound by", &label)?;
    page.choice(first + 1, 1, nest.time.bound, &nest.time.bound_names())?;
    for (column, pair) in (2..).step_by(2).zip(figures) {
        for (row, (name, figure)) in (first..).zip(pair) {
            page.text(row, column, name, &label)?;
            match figure {
                Some((figure, Look::Bytes)) => bytes(page, (row, column + 1), figure)?,
                Some((figure, look)) => page.figure(row, column + 1, figure, look)?,
                None => {
                    let format = style::cell(Look::Text, Role::Unknown);
                    page.text(row, column + 1, "not known", &format)?;
                }
            }
        }
    }
    page.text(first + 2, 0, "Why", &label)?;
    let format = style::wrapped();
    page.worksheet
        .merge_range(first + 2, 1, first + 2, columns.last(), "", &format)?;
    page.worksheet
        .set_row_height(first + 2, style::row_height(2))?;
    let (formula, shown) = sentences::why(page, nest, data);
    page.presented_text(first + 2, 1, &formula, &shown, &format)?;
    Ok(first + 4)
}

/// What would help, as it was when this was written.
fn write_advice(
    page: &mut Page,
    index: usize,
    (mut row, columns): (RowNum, Columns),
) -> Result<RowNum, XlsxError> {
    let model = page.book.model;
    let about = model.advice.iter().filter(|one| one.nests.contains(&index));
    let sentences: Vec<String> = about.map(|one| words::sentence(model, one)).collect();
    if sentences.is_empty() {
        return Ok(row);
    }
    heading(
        page,
        row,
        "Advice",
        "as written; sheet Advice follows the inputs",
    )?;
    for sentence in &sentences {
        row += 1;
        wrapped(page, (row, 0, columns.last()), sentence, &style::wrapped())?;
    }
    Ok(row + 2)
}

/// The charts below the stencils; returns the row behind.
fn draw(
    page: &mut Page,
    nest: &NestModel,
    name: &str,
    (mut row, columns): (RowNum, Columns),
    data: &Data,
) -> Result<RowNum, XlsxError> {
    let place = columns.pictures();
    if let Some(points) = &data.staircase {
        let chart = staircase::chart(page.book.model, nest, (name, data), points);
        page.worksheet.insert_chart(row, place, &chart)?;
        row += CHART_ROWS + 1;
    } else {
        let text = "No staircase: what moves through caches is not known.";
        page.text(row, place, text, &style::remark())?;
        row += 2;
    }
    if let Some(chart) = levels::chart(name, data) {
        page.worksheet.insert_chart(row, place, &chart)?;
        row += CHART_ROWS + 1;
    }
    Ok(row)
}

/// `$C$4:$C$9`, on the sheet itself.
fn fixed(column: ColNum, first: RowNum, last: RowNum) -> String {
    super::layout::fixed_column_range(column, first, last)
}

/// `C4`.
fn at(row: RowNum, column: ColNum) -> String {
    row_col_to_cell(row, column)
}
