//! The sheets Latency and Byte time: the depth for every latency of RAM, or for every time that a byte takes, its pieces, a
//! chart, and how much of it the program bears.

use rust_xlsxwriter::{ColNum, RowNum, XlsxError};

use super::super::layout::{Sheet, column_range, fixed_column_range};
use super::super::style::{self, Look, Role};
use super::{OF_LATENCY, Page, TraceBook, VERMILION, inputs, over_first_column, stroked};
use crate::expr::{Expr, FigureId};
use crate::formula::Catalogue;
use crate::metrics::by_latency::{self, DepthByLatency, GROWTHS, Piece};
use crate::metrics::formulas::EdagFigure;
use crate::metrics::report::{Region, TraceReport};
use crate::metrics::{sweep, tables};

/// Columns of a piece.
const FROM: ColNum = 1;
const SLOPE: ColNum = 2;
const INTERCEPT: ColNum = 3;
const HEIGHT: ColNum = 4;
const REACHES: ColNum = 5;
/// Rows of the chart.
const CHART: u32 = 24;

/// What the depth is a function of, and how the sheet words it.
struct Axis {
    sheet: Sheet,
    title: &'static str,
    remark: &'static str,
    unit: &'static str,
    /// The cell that has the value at which the depth is asked for, and what it holds.
    place: &'static str,
    argument: &'static str,
    value: f64,
    bears: &'static str,
    depth_at: &'static str,
    headers: [&'static str; 4],
    growth: &'static str,
    grown: &'static str,
    curve: Curve,
    of_region: fn(&Region) -> Option<&DepthByLatency>,
}

/// The chart and what it is drawn from.
struct Curve {
    start: (&'static str, &'static str),
    step: (&'static str, &'static str),
    width: f64,
    headers: [&'static str; 2],
    titles: [&'static str; 3],
    line: &'static str,
}

/// T∞(α), at the latency of sheet eDAG.
fn latency(report: &TraceReport) -> Axis {
    Axis {
        sheet: Sheet::Latency,
        title: "Depth for every latency of RAM",
        remark: "T∞(α) is the highest of its pieces 𝒟·α + c: 𝒟 accesses to RAM that wait for each other, plus c cycles of \
                 everything else on the same path. α is the input of sheet eDAG.",
        unit: "cycles",
        place: "At the α of eDAG",
        argument: EdagFigure::Latency.entry().name,
        value: report.inputs.latency,
        bears: "How much latency it tolerates",
        depth_at: "depth_at_latency",
        headers: [
            "From α [cycles]",
            "Slope 𝒟 [accesses]",
            "Intercept c [cycles]",
            "T∞ at the α of eDAG",
        ],
        growth: "Growth of T∞ relative to that at the α of eDAG",
        grown: "T∞ has grown by this at α =",
        curve: Curve {
            start: ("curve_start", "First latency"),
            step: ("curve_step", "From one latency to the next"),
            width: 2.0 * sweep::STEP,
            headers: ["Latency α of a RAM access [cycles]", "T∞(α) [cycles]"],
            titles: [
                "Depth against the latency of RAM",
                OF_LATENCY,
                "T∞ [cycles]",
            ],
            line: "T∞(α)",
        },
        of_region: |region| region.detail.depth_by_latency.as_ref(),
    }
}

/// T∞(β), at a time of the sheet's own.
fn byte_time() -> Axis {
    Axis {
        sheet: Sheet::ByteTime,
        title: "Depth for every time that a byte takes",
        remark: "T∞(β) is the highest of its pieces B·β + c: B bytes to and from RAM by accesses that wait for each other, plus c \
                 cycles of everything else on the same path. c has the latency with which the trace was read; another one needs \
                 another run.",
        unit: "cycles/B",
        place: "At this β",
        argument: "byte_time",
        value: 0.0,
        bears: "How much time a byte may take",
        depth_at: "depth_at_byte_time",
        headers: [
            "From β [cycles/B]",
            "Slope B [bytes]",
            "Intercept c [cycles]",
            "T∞ at this β",
        ],
        growth: "Growth of T∞ relative to that at this β",
        grown: "T∞ has grown by this at β =",
        curve: Curve {
            start: ("byte_curve_start", "First time of a byte"),
            step: ("byte_curve_step", "From one time to the next"),
            width: BYTE_STEP,
            headers: ["Time β of a byte [cycles/B]", "T∞(β) [cycles]"],
            titles: [
                "Depth against the time of a byte",
                "time β of a byte to or from RAM [cycles/B]",
                "T∞ [cycles]",
            ],
            line: "T∞(β)",
        },
        of_region: |region| region.detail.depth_by_bandwidth.as_ref(),
    }
}

/// Of the chart: up to 25 cycles a byte, 160 MB/s at 4 GHz.
const BYTE_STEP: f64 = 0.5;
/// The first row behind the remark.
const TOP: RowNum = 3;

pub(super) fn write<'a>(
    book: TraceBook<'a>,
    depth: &DepthByLatency,
) -> Result<Page<'a>, XlsxError> {
    let axis = latency(book.report);
    let mut page = begin(book, &axis)?;
    for input in EdagFigure::inputs() {
        let (name, value) = (input.entry().name, page.book.figures.get(input));
        page.book.scope.set(name, name.to_string(), value);
    }
    finish(page, TOP, depth, &axis)
}

/// The same for the time that a byte takes, which is an input of the sheet.
pub(super) fn write_byte_time<'a>(
    book: TraceBook<'a>,
    depth: &DepthByLatency,
) -> Result<Page<'a>, XlsxError> {
    let axis = byte_time();
    let mut page = begin(book, &axis)?;
    let headers = ["Input", "", "Value", "Unit", "Name", "Allowed"];
    let row = page.section(TOP, "Input: change it and everything follows", headers)?;
    let label = "Time β of a byte to or from RAM";
    write_setting(
        &mut page,
        row,
        (axis.argument, label),
        axis.value,
        axis.unit,
    )?;
    (page.book.scope).set(axis.argument, axis.argument.to_string(), Some(axis.value));
    finish(page, row + 2, depth, &axis)
}

fn begin<'a>(book: TraceBook<'a>, axis: &Axis) -> Result<Page<'a>, XlsxError> {
    const WIDTHS: [f64; 9] = [50.0, 16.0, 16.0, 16.0, 16.0, 16.0, 16.0, 16.0, 16.0];
    let mut page = Page::new(axis.sheet, book)?;
    page.title(axis.title)?;
    page.text(1, 0, axis.remark, &style::remark())?;
    for (column, width) in (0..).zip(WIDTHS) {
        page.worksheet.set_column_width(column, width)?;
    }
    Ok(page)
}

/// An input with its label, unit and name.
fn write_setting(
    page: &mut Page,
    row: RowNum,
    (key, label): (&str, &str),
    value: f64,
    unit: &str,
) -> Result<(), XlsxError> {
    let plain = style::cell(Look::Text, Role::Plain);
    for (column, text) in [(0, label), (3, unit), (4, key)] {
        page.text(row, column, text, &plain)?;
    }
    inputs::write_input(page, row, (key, label), Some(value), (0.0, 1e9))
}

/// Everything behind the inputs, from that row on.
fn finish<'a>(
    mut page: Page<'a>,
    top: RowNum,
    depth: &DepthByLatency,
    axis: &Axis,
) -> Result<Page<'a>, XlsxError> {
    // What is asked of the pieces stands above them.
    let summary_rows = 3 + GROWTHS.len() as RowNum;
    let pieces = top + summary_rows + 3;
    let [from, slope, intercept, _] = axis.headers;
    let first = page.headers(
        pieces + 1,
        [
            "Piece",
            from,
            slope,
            intercept,
            axis.place,
            "Reaches growth 1",
            "Reaches growth 2",
            "Reaches growth 3",
            "Reaches growth 4",
        ],
    )?;
    page.text(pieces, 0, "Pieces", &style::section())?;
    let rows = (first, first + depth.pieces.len() as RowNum - 1);
    summary(&mut page, top, (depth, axis), rows)?;
    for (number, piece) in depth.pieces.iter().enumerate() {
        write_piece(&mut page, first, number, (depth, piece, axis), top)?;
    }
    let row = curve(&mut page, rows.1 + 2, (depth, axis), rows)?;
    regions(&mut page, row, axis)?;
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
    (depth, axis): (&DepthByLatency, &Axis),
    (first, last): (RowNum, RowNum),
) -> Result<(), XlsxError> {
    page.section(
        row,
        axis.bears,
        [axis.growth, "Growth [%]", "Value", "Unit", "Name"],
    )?;
    let plain = style::cell(Look::Text, Role::Plain);
    let at = depth_row(row);
    let value = depth.at(axis.value);
    for (column, text) in [(0, axis.headers[3]), (3, "cycles"), (4, axis.depth_at)] {
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
    page.name(axis.depth_at, (at, 2), Some(value));
    for (number, percent) in GROWTHS.into_iter().enumerate() {
        let at = growth_row(row, number);
        let (column, percent) = (REACHES + number as ColNum, f64::from(percent));
        page.text(at, 0, axis.grown, &plain)?;
        page.text(at, 3, axis.unit, &plain)?;
        page.number(at, 1, percent, &style::cell(Look::Number, Role::Input))?;
        match depth.grown_by(percent, axis.value) {
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
    (depth, piece, axis): (&DepthByLatency, &Piece, &Axis),
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
    let height = by_latency::height("slope", "intercept", axis.argument);
    page.live((row, HEIGHT), &height, &scope, Look::Count)?;
    let at = Some(depth.at(axis.value));
    scope.set("depth", axis.depth_at.to_string(), at);
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

/// T∞ over a grid, with a chart; returns the row for what follows.
fn curve(
    page: &mut Page,
    row: RowNum,
    (depth, axis): (&DepthByLatency, &Axis),
    (first, last): (RowNum, RowNum),
) -> Result<RowNum, XlsxError> {
    let own = &axis.curve;
    let start = page.section(
        row,
        "The curve",
        ["Input", "", "Value", "Unit", "Name", "Allowed"],
    )?;
    let settings = [(start, own.start, 0.0), (start + 1, own.step, own.width)];
    for (row, named, value) in settings {
        write_setting(page, row, named, value, axis.unit)?;
    }
    let header = start + 2;
    for (column, text) in (0..).zip(own.headers) {
        page.text(header, column, text, &style::header())?;
    }
    let slopes = fixed_column_range(SLOPE, first, last);
    let intercepts = fixed_column_range(INTERCEPT, first, last);
    let count = style::cell(Look::Count, Role::Plain);
    let points = header + 1;
    for index in 0..sweep::POINTS {
        let row = points + index as RowNum;
        let point = tables::grid_point(own.start.0, own.step.0, index);
        let scope = page.book.scope.clone();
        let at = page.live((row, 0), &point, &scope, Look::Number)?;
        let formula = format!("SUMPRODUCT(MAX({slopes}*A{}+{intercepts}))", row + 1);
        let value = at.map_or(f64::NAN, |at| depth.at(at));
        page.presentation(row, 1, &formula, &value.to_string(), &count)?;
    }
    let end = points + sweep::POINTS as RowNum - 1;
    insert_chart(page, header, (points, end), own)?;
    Ok(end.max(header + CHART) + 2)
}

fn insert_chart(
    page: &mut Page,
    row: RowNum,
    rows: (RowNum, RowNum),
    curve: &Curve,
) -> Result<(), XlsxError> {
    let lines = [(curve.line, 1, stroked(VERMILION))];
    let mut chart = over_first_column(page, rows, curve.titles, lines, CHART);
    chart.legend().set_hidden();
    page.worksheet.insert_chart(row, 3, &chart)?;
    Ok(())
}

/// The pieces of every region, and the highest of them.
fn regions(page: &mut Page, row: RowNum, axis: &Axis) -> Result<(), XlsxError> {
    let report = page.book.report;
    let mut row = row;
    let mut own = (report.regions.iter())
        .filter_map(|region| Some((region, (axis.of_region)(region)?)))
        .peekable();
    if own.peek().is_none() {
        return Ok(());
    }
    let [_, slope, intercept, depth_at] = axis.headers;
    row = page.section(
        row,
        "By region: paths of its own instructions",
        ["Region", depth_at, slope, intercept, axis.place],
    )?;
    let plain = style::cell(Look::Text, Role::Plain);
    let count = style::cell(Look::Count, Role::Plain);
    for (region, depth) in own {
        page.text(row, 0, &region.name, &plain)?;
        let mut scope = page.book.scope.clone();
        let heights: Vec<f64> = (depth.pieces.iter())
            .map(|piece| piece.at(axis.value))
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
            let height = by_latency::height("slope", "intercept", axis.argument);
            page.live((row, HEIGHT), &height, &scope, Look::Count)?;
            row += 1;
        }
    }
    Ok(())
}
