//! The workbook of a trace: the sheets eDAG, Reuse, Epochs and Design space, whose derived figures are
//! formulas over counts and named inputs.

mod blame;
mod book;
mod by_latency;
mod cache;
mod camat;
mod design_space;
mod edag;
mod epochs;
mod figures;
mod inputs;
mod latency_sweep;
mod mean_epochs;
mod memory_chain;
mod mix;
mod movement;
mod placement;
mod rank;
mod regions;
mod remote;
mod reuse;
mod scope;

use rust_xlsxwriter::{
    Chart, ChartFormat, ChartLine, ChartSolidFill, ChartType, ColNum, Color, Format, RowNum,
    Workbook, Worksheet, XlsxError,
};

use super::inputs::define_name;
use super::layout::Place;
use super::package;
use super::page::Paper;
use super::style::{self, Look};
use crate::formula::Unit;
use crate::metrics::out_of_order::cpi_band;
use crate::metrics::profiles::Profiles;
use crate::metrics::rank::Rank;
use crate::metrics::report::{TimelineReport, TraceReport};
use book::{Cells, Named, Page, TraceBook};
use design_space::Space;

/// A cell with a defined name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedCell {
    /// The key of a count, an input or a formula of [`crate::metrics::formulas`], and a few of the sheets' own.
    pub name: String,
    pub sheet: &'static str,
    /// Counted from zero.
    pub row: u32,
    /// Counted from zero.
    pub column: u16,
}

/// The workbook of a trace, as the bytes of an .xlsx file; the same report gives the same bytes.
///
/// # Errors
/// More rows than a sheet has.
pub fn trace_workbook(report: &TraceReport) -> Result<Vec<u8>, XlsxError> {
    bound("An instruction trace and what it costs", pages(report)?)
}

/// The workbook of a timeline without a trace.
///
/// # Errors
/// More rows or columns than a sheet has.
pub fn timeline_workbook(report: &TimelineReport) -> Result<Vec<u8>, XlsxError> {
    bound(
        "A timeline of memory accesses",
        vec![camat::write(&report.camat, &report.path, None)?.into()],
    )
}

/// The workbook of several traces side by side.
///
/// # Errors
/// More rows than a sheet has.
pub fn rank_workbook(rank: &Rank) -> Result<Vec<u8>, XlsxError> {
    bound(
        "Instruction traces by their sensitivity to latency",
        vec![rank::write(rank)?.into()],
    )
}

/// The workbook of the epochs of several traces: those of each, their mean, and its design space.
///
/// # Errors
/// More rows than a sheet has.
pub fn profiles_workbook(profiles: &Profiles) -> Result<Vec<u8>, XlsxError> {
    bound(
        "Epochs of several instruction traces",
        profiles_pages(profiles)?,
    )
}

fn profiles_pages(profiles: &Profiles) -> Result<Vec<Finished>, XlsxError> {
    let (page, mean, tables) = mean_epochs::write(profiles)?;
    let design_space = design_space::write(Cells::default(), &mean, &tables)?;
    Ok(vec![page.into(), design_space.into()])
}

fn bound(title: &str, sheets: Vec<Finished>) -> Result<Vec<u8>, XlsxError> {
    let mut workbook = Workbook::new();
    workbook.set_properties(&super::properties(title)?);
    push_sheets(&mut workbook, sheets, &|_| false)?;
    package::finish(workbook)
}

/// Adds the sheets of a trace to a workbook. Names that it has already are known on their own sheet only.
pub(super) fn push(
    workbook: &mut Workbook,
    report: &TraceReport,
    is_taken: &dyn Fn(&str) -> bool,
) -> Result<(), XlsxError> {
    push_sheets(workbook, pages(report)?, is_taken)
}

fn push_sheets(
    workbook: &mut Workbook,
    sheets: Vec<Finished>,
    is_taken: &dyn Fn(&str) -> bool,
) -> Result<(), XlsxError> {
    for Finished { worksheet, names } in sheets {
        for (name, Place { sheet, row, column }) in &names {
            match is_taken(name) {
                true => define_name(
                    workbook,
                    &format!("{}!{name}", sheet.in_formulas()),
                    *sheet,
                    (*row, *column),
                )?,
                false => define_name(workbook, name, *sheet, (*row, *column))?,
            }
        }
        workbook.push_worksheet(worksheet);
    }
    Ok(())
}

/// Every cell of the workbook of a trace that has a defined name.
///
/// # Errors
/// As [`trace_workbook`].
pub fn named_cells(report: &TraceReport) -> Result<Vec<NamedCell>, XlsxError> {
    Ok(named(pages(report)?))
}

/// The same of the workbook of a timeline.
///
/// # Errors
/// As [`timeline_workbook`].
pub fn timeline_named_cells(report: &TimelineReport) -> Result<Vec<NamedCell>, XlsxError> {
    Ok(named(vec![
        camat::write(&report.camat, &report.path, None)?.into(),
    ]))
}

fn named(sheets: Vec<Finished>) -> Vec<NamedCell> {
    let cell = |(name, Place { sheet, row, column }): (String, Place)| NamedCell {
        name,
        sheet: sheet.name(),
        row,
        column,
    };
    sheets
        .into_iter()
        .flat_map(|sheet| sheet.names)
        .map(cell)
        .collect()
}

/// A sheet with nothing left to write.
struct Finished {
    worksheet: Worksheet,
    names: Vec<(String, Place)>,
}

impl<B: Named> From<Paper<B>> for Finished {
    fn from(mut page: Paper<B>) -> Finished {
        let names = std::mem::take(page.book.names().0);
        Finished {
            worksheet: page.worksheet,
            names,
        }
    }
}

fn pages(report: &TraceReport) -> Result<Vec<Finished>, XlsxError> {
    let mut pages: Vec<Finished> = vec![edag::write(TraceBook::new(report))?.into()];
    if let Some(depth) = &report.depth_by_latency {
        pages.push(by_latency::write(TraceBook::new(report), depth)?.into());
    }
    if let Some(depth) = &report.depth_by_bandwidth {
        pages.push(by_latency::write_byte_time(TraceBook::new(report), depth)?.into());
    }
    if let Some(reuse) = &report.reuse {
        pages.push(reuse::write(TraceBook::new(report), reuse)?.into());
    }
    if let Some(camat) = &report.camat {
        let band = cpi_band("this core");
        pages.push(camat::write(camat, &report.trace.path, Some(&band))?.into());
    }
    if let Some(blame) = &report.blame {
        pages.push(blame::write(TraceBook::new(report), blame)?.into());
    }
    if let Some(objects) = &report.objects {
        pages.push(placement::write(TraceBook::new(report), objects)?.into());
    }
    if let Some(region) = report.regions.first() {
        pages.push(regions::write(TraceBook::new(report), region.kind.name())?.into());
    }
    if let Some(profile) = &report.epochs {
        let (page, tables) = epochs::write(TraceBook::new(report), profile)?;
        pages.push(page.into());
        let book = TraceBook::new(report);
        pages.push(design_space::write(book, &Space::of(profile), &tables)?.into());
    }
    Ok(pages)
}

impl<B: Named> Paper<B> {
    /// Gives a cell a defined name, under which formulas find its value.
    fn name(&mut self, name: &str, (row, column): (RowNum, u16), value: Option<f64>) {
        let place = Place {
            sheet: self.sheet,
            row,
            column,
        };
        let (names, scope) = self.book.names();
        names.push((name.to_string(), place));
        scope.set(name, name.to_string(), value);
    }
}

impl<B> Paper<B> {
    /// A text over the first columns, which have that width together, on as many lines as it takes: a printed page is as
    /// wide as the longest line of text.
    fn spread(
        &mut self,
        row: RowNum,
        (last, width): (ColNum, f64),
        text: &str,
        format: &Format,
    ) -> Result<(), XlsxError> {
        let format = format.clone().set_text_wrap();
        self.worksheet
            .merge_range(row, 0, row, last, text, &format)?;
        let lines = style::lines(text, width);
        self.worksheet
            .set_row_height(row, style::row_height(lines))?;
        Ok(())
    }

    /// A section's heading and the headings of its columns; returns the row after them.
    fn section<const N: usize>(
        &mut self,
        row: RowNum,
        title: &str,
        headers: [&str; N],
    ) -> Result<RowNum, XlsxError> {
        self.text(row, 0, title, &style::section())?;
        self.headers(row + 1, headers)
    }

    /// The headings of columns, an empty one being part of the one before it; returns the row after them.
    fn headers<const N: usize>(
        &mut self,
        row: RowNum,
        headers: [&str; N],
    ) -> Result<RowNum, XlsxError> {
        let mut first = 0;
        while first < N {
            let more = headers[first + 1..]
                .iter()
                .take_while(|header| header.is_empty())
                .count();
            let (column, last) = (first as ColNum, (first + more) as ColNum);
            match more {
                0 => self.text(row, column, headers[first], &style::header())?,
                _ => {
                    self.worksheet.merge_range(
                        row,
                        column,
                        row,
                        last,
                        headers[first],
                        &style::header(),
                    )?;
                }
            }
            first += 1 + more;
        }
        let height = if headers.iter().any(|header| header.chars().count() > 14) {
            32.0
        } else {
            20.0
        };
        self.worksheet.set_row_height(row, height)?;
        Ok(row + 1)
    }
}

/// Counts show whole numbers, everything else four digits.
fn look(unit: Unit, value: Option<f64>) -> Look {
    match unit {
        _ if value.is_some_and(|value| value.abs() >= 1e3) => Look::Count,
        _ if value.is_some_and(|value| value.fract() == 0.0) => Look::Number,
        Unit::PerCycle => Look::Seconds,
        _ => Look::Ratio,
    }
}

const BLUE: u32 = 0x0072B2;
const VERMILION: u32 = 0xD55E00;
const PALE_BLUE: u32 = 0x6FA8D6;

fn filled(colour: u32) -> ChartFormat {
    let mut format = ChartFormat::new();
    format.set_solid_fill(ChartSolidFill::new().set_color(Color::RGB(colour)));
    format
}

fn stroked(colour: u32) -> ChartFormat {
    let mut format = ChartFormat::new();
    format.set_line(
        ChartLine::new()
            .set_color(Color::RGB(colour))
            .set_width(2.25),
    );
    format
}

/// A line of a chart: its name, the column of its values, and how it is drawn.
type Line<'l> = (&'l str, ColNum, ChartFormat);

/// What the first column has in charts over the latency.
const OF_LATENCY: &str = "latency α of a RAM access [cycles]";

/// A chart of lines over what the first column of rows has; with its title and those of its axes.
fn over_first_column(
    page: &Page,
    (first, last): (RowNum, RowNum),
    [title, x, y]: [&str; 3],
    lines: impl IntoIterator<Item = Line<'static>>,
    rows: u32,
) -> Chart {
    let sheet = page.sheet.name();
    let mut chart = Chart::new(ChartType::ScatterStraight);
    for (name, column, mut format) in lines {
        (chart.add_series())
            .set_name(name)
            .set_categories((sheet, first, 0, last, 0))
            .set_values((sheet, first, column, last, column))
            .set_format(&mut format);
    }
    titled(&mut chart, [title, x, y], rows);
    chart.y_axis().set_num_format("#,##0").set_min(0.0);
    chart
}

/// The title of a chart and of its axes, and its size in rows of the sheet.
fn titled(chart: &mut Chart, [title, x, y]: [&str; 3], rows: u32) {
    const ROW_PIXELS: u32 = 20;
    chart.title().set_name(title);
    chart.x_axis().set_name(x);
    chart.y_axis().set_name(y);
    chart.set_width(900).set_height(rows * ROW_PIXELS);
}
