//! The time bounds over a grid of latencies, on the sheet eDAG.

use rust_xlsxwriter::{ChartFormat, ChartLine, ChartLineDashType, Color, RowNum, XlsxError};

use super::super::style::{self, Look, Role};
use super::{BLUE, OF_LATENCY, Page, VERMILION, inputs, over_first_column, stroked};
use crate::expr::Expr;
use crate::metrics::formulas::EdagFigure;
use crate::metrics::{sweep, tables};

/// Rows of the chart.
const CHART: u32 = 24;

/// Start and step as inputs, one row a latency, and a chart; returns the row for what follows.
pub(super) fn write(page: &mut Page, row: RowNum) -> Result<RowNum, XlsxError> {
    let first = page.section(
        row,
        "Latency sweep",
        ["Input", "Symbol", "Value", "Unit", "Name", "Allowed"],
    )?;
    if page.book.report.edag.memory.is_none() {
        page.text(
            first,
            0,
            "The bounds are unknown: the trace has no addresses.",
            &style::remark(),
        )?;
        return Ok(first + 1);
    }
    let plain = style::cell(Look::Text, Role::Plain);
    let settings = [
        (
            first,
            "sweep_start",
            "First latency",
            sweep::START,
            (0.0, 1e9),
        ),
        (
            first + 1,
            "sweep_step",
            "From one latency to the next",
            sweep::STEP,
            (0.0, 1e9),
        ),
    ];
    for (row, key, label, value, range) in settings {
        for (column, text) in [(0, label), (3, "cycles"), (4, key)] {
            page.text(row, column, text, &plain)?;
        }
        inputs::write_input(page, row, (key, label), Some(value), range)?;
    }
    let header = first + 2;
    let columns = [
        "Latency α of a RAM access [cycles]",
        "Minimum time [cycles]",
        "Maximum time [cycles]",
    ];
    for (column, text) in (0..).zip(columns) {
        page.text(header, column, text, &style::header())?;
    }
    page.worksheet.set_row_height(header, 32)?;
    let bounds: Vec<Expr> = [EdagFigure::TimeLower, EdagFigure::TimeUpper]
        .into_iter()
        .filter_map(EdagFigure::expr)
        .collect();
    let start = header + 1;
    for index in 0..sweep::POINTS {
        let row = start + index as RowNum;
        let mut scope = page.book.scope.clone();
        let point = tables::grid_point("sweep_start", "sweep_step", index);
        let latency = page.live((row, 0), &point, &scope, Look::Number)?;
        scope.cell("latency", (row, 0), latency);
        for (column, bound) in (1..).zip(&bounds) {
            page.live((row, column), bound, &scope, Look::Count)?;
        }
    }
    let last = start + sweep::POINTS as RowNum - 1;
    insert_chart(page, header, (start, last))?;
    Ok(last + 1)
}

fn insert_chart(page: &mut Page, row: RowNum, rows: (RowNum, RowNum)) -> Result<(), XlsxError> {
    let mut dashed = ChartFormat::new();
    let line = ChartLine::new()
        .set_color(Color::RGB(BLUE))
        .set_width(2.25)
        .set_dash_type(ChartLineDashType::Dash)
        .clone();
    dashed.set_line(&line);
    let lines = [
        ("Maximum time: slope λ", 2, stroked(VERMILION)),
        ("Minimum time: slope λ_lower", 1, dashed),
    ];
    let titles = [
        "Time bounds against the latency of RAM",
        OF_LATENCY,
        "time [cycles]",
    ];
    let mut chart = over_first_column(page, rows, titles, lines, CHART);
    chart
        .legend()
        .set_position(rust_xlsxwriter::ChartLegendPosition::Bottom);
    page.worksheet.insert_chart(row, 4, &chart)?;
    Ok(())
}
