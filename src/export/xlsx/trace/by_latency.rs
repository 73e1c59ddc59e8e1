//! The sheet Latency: the depth for every latency of RAM, its pieces, a chart, and how much latency it bears.

use rust_xlsxwriter::{ColNum, RowNum, XlsxError};

use super::super::layout::{Sheet, column_range, fixed_column_range};
use super::super::style::{self, Look, Role};
use super::{Page, TraceBook, VERMILION, inputs, over_latency, stroked};
use crate::expr::{Expr, FigureId};
use crate::formula::Catalogue;
use crate::metrics::by_latency::{self, DepthByLatency, GROWTHS, Piece};
use crate::metrics::formulas::EdagFigure;
use crate::metrics::report::Region;
use crate::metrics::{sweep, tables};

/// Columns of a piece.
const FROM: ColNum = 1;
const SLOPE: ColNum = 2;
const INTERCEPT: ColNum = 3;
const HEIGHT: ColNum = 4;
const REACHES: ColNum = 5;
/// Rows of the chart.
const CHART: u32 = 24;

pub(super) fn write<'a>(
    book: TraceBook<'a>,
    depth: &DepthByLatency,
) -> Result<Page<'a>, XlsxError> {
    const WIDTHS: [f64; 9] = [50.0, 16.0, 16.0, 16.0, 16.0, 16.0, 16.0, 16.0, 16.0];
    let mut page = Page::new(Sheet::Latency, book)?;
    page.title("Depth for every latency of RAM")?;
    page.text(
        1,
        0,
        "T∞(α) is the highest of its pieces 𝒟·α + c: 𝒟 accesses to RAM that wait for each other, plus c cycles of everything \
         else on the same path. α is the input of sheet eDAG.",
        &style::remark(),
    )?;
    for (column, width) in (0..).zip(WIDTHS) {
        page.worksheet.set_column_width(column, width)?;
    }
    for input in EdagFigure::inputs() {
        let (name, value) = (input.entry().name, page.book.figures.get(input));
        page.book.scope.set(name, name.to_string(), value);
    }
    // What is asked of the pieces stands above them.
    const SUMMARY: RowNum = 3;
    let summary_rows = 3 + GROWTHS.len() as RowNum;
    let pieces = SUMMARY + summary_rows + 3;
    let first = page.headers(
        pieces + 1,
        [
            "Piece",
            "From α [cycles]",
            "Slope 𝒟 [accesses]",
            "Intercept c [cycles]",
            "At the α of eDAG",
            "Reaches growth 1",
            "Reaches growth 2",
            "Reaches growth 3",
            "Reaches growth 4",
        ],
    )?;
    page.text(pieces, 0, "Pieces", &style::section())?;
    let rows = (first, first + depth.pieces.len() as RowNum - 1);
    summary(&mut page, SUMMARY, depth, rows)?;
    for (number, piece) in depth.pieces.iter().enumerate() {
        write_piece(&mut page, first, number, (depth, piece), SUMMARY)?;
    }
    let row = curve(&mut page, rows.1 + 2, depth, rows)?;
    regions(&mut page, row)?;
    page.worksheet.set_freeze_panes(1, 0)?;
    page.worksheet.set_repeat_rows(0, 0)?;
    style::print_setup(&mut page.worksheet);
    Ok(page)
}

/// The row of the summary that has T∞(α), and those of the growths.
fn depth_row(summary: RowNum) -> RowNum {
    summary + 2
}

fn growth_row(summary: RowNum, growth: usize) -> RowNum {
    summary + 3 + growth as RowNum
}

/// T∞ at the input, and the latencies at which it has grown.
fn summary(
    page: &mut Page,
    row: RowNum,
    depth: &DepthByLatency,
    (first, last): (RowNum, RowNum),
) -> Result<(), XlsxError> {
    let latency = page.book.report.inputs.latency;
    page.section(
        row,
        "How much latency it tolerates",
        [
            "Growth of T∞ relative to that at the α of eDAG",
            "Growth [%]",
            "Value",
            "Unit",
            "Name",
        ],
    )?;
    let plain = style::cell(Look::Text, Role::Plain);
    let at = depth_row(row);
    let value = depth.at(latency);
    for (column, text) in [
        (0, "T∞ at the α of eDAG"),
        (3, "cycles"),
        (4, "depth_at_latency"),
    ] {
        page.text(at, column, text, &plain)?;
    }
    let heights = column_range(HEIGHT, first, last);
    let count = style::cell(Look::Count, Role::Plain);
    page.presentation(
        at,
        2,
        &format!("MAX({heights})"),
        &value.to_string(),
        &count,
    )?;
    page.name("depth_at_latency", (at, 2), Some(value));
    for (number, percent) in GROWTHS.into_iter().enumerate() {
        let at = growth_row(row, number);
        let (column, percent) = (REACHES + number as ColNum, f64::from(percent));
        page.text(at, 0, "T∞ has grown by this at α =", &plain)?;
        page.text(at, 3, "cycles", &plain)?;
        page.number(at, 1, percent, &style::cell(Look::Number, Role::Input))?;
        match depth.grown_by(percent, latency) {
            Some(value) => {
                let formula = format!("MIN({})", column_range(column, first, last));
                let ratio = style::cell(Look::Ratio, Role::Plain);
                page.presentation(at, 2, &formula, &value.to_string(), &ratio)?;
            }
            None => page.text(at, 2, "never", &style::cell(Look::Text, Role::Unknown))?,
        }
    }
    Ok(())
}

fn write_piece(
    page: &mut Page,
    first: RowNum,
    number: usize,
    (depth, piece): (&DepthByLatency, &Piece),
    summary: RowNum,
) -> Result<(), XlsxError> {
    let row = first + number as RowNum;
    let count = style::cell(Look::Count, Role::Plain);
    page.number(
        row,
        0,
        number as f64 + 1.0,
        &style::cell(Look::Number, Role::Plain),
    )?;
    page.number(row, SLOPE, piece.slope as f64, &count)?;
    page.number(row, INTERCEPT, piece.intercept as f64, &count)?;
    let mut scope = page.book.scope.clone();
    scope.cell("slope", (row, SLOPE), Some(piece.slope as f64));
    scope.cell("intercept", (row, INTERCEPT), Some(piece.intercept as f64));
    match number.checked_sub(1) {
        None => page.number(row, FROM, 0.0, &style::cell(Look::Number, Role::Plain))?,
        Some(before) => {
            let before = depth.pieces[before];
            scope.cell("slope_before", (row - 1, SLOPE), Some(before.slope as f64));
            let intercept = Some(before.intercept as f64);
            scope.cell("intercept_before", (row - 1, INTERCEPT), intercept);
            let from =
                by_latency::from(("slope_before", "intercept_before"), ("slope", "intercept"));
            page.live((row, FROM), &from, &scope, Look::Ratio)?;
        }
    }
    let height = by_latency::height("slope", "intercept", EdagFigure::Latency.entry().name);
    page.live((row, HEIGHT), &height, &scope, Look::Count)?;
    let latency = page.book.report.inputs.latency;
    scope.set(
        "depth",
        "depth_at_latency".to_string(),
        Some(depth.at(latency)),
    );
    for (growth, percent) in GROWTHS.into_iter().enumerate() {
        let column = REACHES + growth as ColNum;
        if piece.slope == 0 {
            page.text(
                row,
                column,
                "never",
                &style::cell(Look::Text, Role::Unknown),
            )?;
            continue;
        }
        let place = (growth_row(summary, growth), 1);
        scope.cell("percent", place, Some(f64::from(percent)));
        let reaches = by_latency::reaches("slope", "intercept", "depth", "percent");
        page.live((row, column), &reaches, &scope, Look::Ratio)?;
    }
    Ok(())
}

/// T∞ over a grid of latencies, with a chart; returns the row for what follows.
fn curve(
    page: &mut Page,
    row: RowNum,
    depth: &DepthByLatency,
    (first, last): (RowNum, RowNum),
) -> Result<RowNum, XlsxError> {
    let start = page.section(
        row,
        "The curve",
        ["Input", "", "Value", "Unit", "Name", "Allowed"],
    )?;
    let plain = style::cell(Look::Text, Role::Plain);
    let settings = [
        (start, "curve_start", "First latency", 0.0),
        (
            start + 1,
            "curve_step",
            "From one latency to the next",
            2.0 * sweep::STEP,
        ),
    ];
    for (row, key, label, value) in settings {
        for (column, text) in [(0, label), (3, "cycles"), (4, key)] {
            page.text(row, column, text, &plain)?;
        }
        inputs::write_input(page, row, (key, label), Some(value), (0.0, 1e9))?;
    }
    let header = start + 2;
    for (column, text) in (0..).zip(["Latency α of a RAM access [cycles]", "T∞(α) [cycles]"]) {
        page.text(header, column, text, &style::header())?;
    }
    let slopes = fixed_column_range(SLOPE, first, last);
    let intercepts = fixed_column_range(INTERCEPT, first, last);
    let count = style::cell(Look::Count, Role::Plain);
    let points = header + 1;
    for index in 0..sweep::POINTS {
        let row = points + index as RowNum;
        let point = tables::grid_point("curve_start", "curve_step", index);
        let scope = page.book.scope.clone();
        let latency = page.live((row, 0), &point, &scope, Look::Number)?;
        let formula = format!("SUMPRODUCT(MAX({slopes}*A{}+{intercepts}))", row + 1);
        let value = latency.map_or(f64::NAN, |latency| depth.at(latency));
        page.presentation(row, 1, &formula, &value.to_string(), &count)?;
    }
    let end = points + sweep::POINTS as RowNum - 1;
    insert_chart(page, header, (points, end))?;
    Ok(end.max(header + CHART) + 2)
}

fn insert_chart(page: &mut Page, row: RowNum, rows: (RowNum, RowNum)) -> Result<(), XlsxError> {
    let titles = ["Depth against the latency of RAM", "T∞ [cycles]"];
    let mut chart = over_latency(
        page,
        rows,
        titles,
        [("T∞(α)", 1, stroked(VERMILION))],
        CHART,
    );
    chart.legend().set_hidden();
    page.worksheet.insert_chart(row, 3, &chart)?;
    Ok(())
}

/// The pieces of every region, and the highest of them.
fn regions(page: &mut Page, row: RowNum) -> Result<(), XlsxError> {
    let report = page.book.report;
    let mut row = row;
    let own = |region: &'_ Region| region.detail.depth_by_latency.clone();
    if !report.regions.iter().any(|region| own(region).is_some()) {
        return Ok(());
    }
    row = page.section(
        row,
        "By region: paths of its own instructions",
        [
            "Region",
            "T∞ at the α of eDAG",
            "Slope 𝒟 [accesses]",
            "Intercept c [cycles]",
            "At the α of eDAG",
        ],
    )?;
    let plain = style::cell(Look::Text, Role::Plain);
    let count = style::cell(Look::Count, Role::Plain);
    for region in &report.regions {
        let Some(depth) = own(region) else { continue };
        page.text(row, 0, &region.name, &plain)?;
        let mut scope = page.book.scope.clone();
        let heights: Vec<f64> = (depth.pieces.iter())
            .map(|piece| piece.at(report.inputs.latency))
            .collect();
        scope.figures((row, HEIGHT), heights);
        let figures = (0..depth.pieces.len() as u32).map(|index| Expr::from(FigureId(index)));
        let highest = Expr::max(figures);
        page.live((row, 1), &highest, &scope, Look::Count)?;
        for piece in &depth.pieces {
            page.number(row, SLOPE, piece.slope as f64, &count)?;
            page.number(row, INTERCEPT, piece.intercept as f64, &count)?;
            scope.cell("slope", (row, SLOPE), Some(piece.slope as f64));
            scope.cell("intercept", (row, INTERCEPT), Some(piece.intercept as f64));
            let height = by_latency::height("slope", "intercept", EdagFigure::Latency.entry().name);
            page.live((row, HEIGHT), &height, &scope, Look::Count)?;
            row += 1;
        }
    }
    Ok(())
}
