//! The instruction mix of the sheet eDAG.

use rust_xlsxwriter::{Chart, ChartAxisLabelPosition, ChartType, RowNum, XlsxError};

use super::super::style::{self, Look, Role};
use super::{BLUE, Page, filled, titled};
use crate::expr::FigureId;
use crate::metrics::tables;

/// One row a class, most frequent first, and a bar chart; returns the row for what follows.
pub(super) fn write(page: &mut Page, row: RowNum) -> Result<RowNum, XlsxError> {
    let mut classes: Vec<(&str, u64)> = page
        .book
        .report
        .mix
        .iter()
        .map(|(class, count)| (class.name(), *count))
        .collect();
    classes.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let first = page.section(row, "Instruction mix", ["Class", "Share", "Executed"])?;
    let Some(last) = first
        .checked_add(classes.len() as RowNum)
        .filter(|end| *end > first)
        .map(|end| end - 1)
    else {
        page.text(first, 0, "No instruction was executed.", &style::remark())?;
        return Ok(first + 1);
    };
    let mut scope = page.book.scope.clone();
    scope.figures(
        (first, 2),
        classes.iter().map(|(_, count)| *count as f64).collect(),
    );
    let total = tables::total((0..classes.len() as u32).map(FigureId));
    let plain = style::cell(Look::Text, Role::Plain);
    page.text(last + 1, 0, "All", &plain)?;
    let sum = page.live((last + 1, 2), &total, &scope, Look::Count)?;
    scope.set("all", format!("$C${}", last + 2), sum);
    for (row, (name, count)) in (first..).zip(&classes) {
        page.text(row, 0, name, &plain)?;
        page.number(
            row,
            2,
            *count as f64,
            &style::cell(Look::Count, Role::Plain),
        )?;
        scope.cell("count", (row, 2), Some(*count as f64));
        page.live(
            (row, 1),
            &tables::share("count", "all"),
            &scope,
            Look::Share,
        )?;
    }
    let rows = (classes.len() as u32 + 6).max(12);
    let sheet = page.sheet.name();
    let mut chart = Chart::new(ChartType::Bar);
    (chart.add_series())
        .set_name("Share of executed instructions")
        .set_categories((sheet, first, 0, last, 0))
        .set_values((sheet, first, 1, last, 1))
        .set_format(&mut filled(BLUE))
        .set_gap(40);
    // A bar chart has its categories on the y axis, upwards; the most frequent class is to be on top.
    titled(
        &mut chart,
        ["Instruction mix", "share of executed instructions", "class"],
        rows,
    );
    chart.y_axis().set_reverse();
    chart
        .x_axis()
        .set_num_format("0%")
        .set_label_position(ChartAxisLabelPosition::High);
    chart.legend().set_hidden();
    page.worksheet.insert_chart(row, 4, &chart)?;
    Ok((last + 2).max(row + rows))
}
