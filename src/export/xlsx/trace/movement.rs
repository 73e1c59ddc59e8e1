//! Data moved to and from RAM over time, on the sheet eDAG.

use rust_xlsxwriter::{Chart, ChartType, RowNum, XlsxError};

use super::super::style::{self, Look, Role};
use super::{Page, VERMILION, filled, titled};
use crate::metrics::tables;

const CHART: u32 = 18;

/// One row an interval, and a chart; returns the row for what follows.
pub(super) fn write(page: &mut Page, row: RowNum) -> Result<RowNum, XlsxError> {
    let Some(movement) = page
        .book
        .report
        .movement
        .as_ref()
        .filter(|movement| !movement.bytes.is_empty())
    else {
        return Ok(row);
    };
    let title = "Data movement: every instruction starts when its operands are available";
    let headers = ["First cycle of the interval", "Bytes", "Bandwidth [B/s]"];
    page.text(row, 0, title, &style::section())?;
    page.text(
        row + 1,
        0,
        "Cycles of an interval",
        &style::cell(Look::Text, Role::Plain),
    )?;
    let interval = movement.interval as f64;
    page.number(row + 1, 2, interval, &style::cell(Look::Count, Role::Plain))?;
    page.name("movement_interval", (row + 1, 2), Some(interval));
    let first = page.headers(row + 2, headers)?;
    let mut scope = page.book.scope.clone();
    for (index, bytes) in movement.bytes.iter().enumerate() {
        let row = first + index as RowNum;
        page.number(
            row,
            0,
            index as f64 * interval,
            &style::cell(Look::Count, Role::Plain),
        )?;
        page.number(
            row,
            1,
            *bytes as f64,
            &style::cell(Look::Count, Role::Plain),
        )?;
        scope.cell("bytes", (row, 1), Some(*bytes as f64));
        page.live(
            (row, 2),
            &tables::bandwidth("bytes", "movement_interval", "ghz"),
            &scope,
            Look::Count,
        )?;
    }
    let last = first + movement.bytes.len() as RowNum - 1;
    let sheet = page.sheet.name();
    let mut chart = Chart::new(ChartType::Column);
    (chart.add_series())
        .set_name("Bytes to and from RAM")
        .set_categories((sheet, first, 0, last, 0))
        .set_values((sheet, first, 1, last, 1))
        .set_format(&mut filled(VERMILION))
        .set_gap(10);
    let titles = [
        "Bytes to and from RAM over time",
        "cycle",
        "bytes per interval",
    ];
    titled(&mut chart, titles, CHART);
    chart.y_axis().set_num_format("#,##0");
    chart.x_axis().set_num_format("#,##0");
    chart.legend().set_hidden();
    page.worksheet.insert_chart(row + 1, 4, &chart)?;
    Ok((last + 2).max(row + CHART + 2))
}
