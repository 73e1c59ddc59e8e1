//! The sheet Regions: functions, lines or loops, counts and the same formulas on each row.

use rust_xlsxwriter::{ColNum, RowNum, XlsxError};

use super::super::layout::Sheet;
use super::super::style::{self, Look, Role};
use super::{Page, TraceBook, look};
use crate::formula::Catalogue;
use crate::metrics::formulas::{EdagFigure, Figures};
use crate::metrics::report::Region;

/// Counts and formulas that a region has a column for; a formula names only columns and inputs.
const COLUMNS: [EdagFigure; 12] = [
    EdagFigure::Work,
    EdagFigure::Depth,
    EdagFigure::Parallelism,
    EdagFigure::MemoryWork,
    EdagFigure::MemoryDepth,
    EdagFigure::NonMemoryCost,
    EdagFigure::Lambda,
    EdagFigure::LambdaLower,
    EdagFigure::RelativeLambda,
    EdagFigure::TimeLower,
    EdagFigure::TimeUpper,
    EdagFigure::NonMemorySpan,
];
const FIRST: ColNum = 3;
/// Behind the figures, where a long path has room.
const PLACE: ColNum = FIRST + COLUMNS.len() as ColNum;

/// One row a region, costliest first. The formulas name the input cells of the sheet eDAG.
pub(super) fn write<'a>(book: TraceBook<'a>, kind: &str) -> Result<Page<'a>, XlsxError> {
    const WIDTHS: [f64; 3] = [44.0, 11.0, 15.0];
    let mut page = Page::new(Sheet::Regions, book)?;
    let report = page.book.report;
    page.title(&format!("By {kind}: the eDAG of its own instructions"))?;
    page.text(
        1,
        0,
        "Edges between regions are left out, so depths do not add up to that of the whole.",
        &style::remark(),
    )?;
    for input in EdagFigure::inputs() {
        let (name, value) = (input.entry().name, page.book.figures.get(input));
        page.book.scope.set(name, name.to_string(), value);
    }
    const HEADER: RowNum = 3;
    for (column, header) in (0..).zip(["Name", "Kind", "Instructions"]) {
        page.text(HEADER, column, header, &style::header())?;
        page.worksheet
            .set_column_width(column, WIDTHS[usize::from(column)])?;
    }
    for (column, figure) in (FIRST..).zip(COLUMNS) {
        let entry = figure.entry();
        let (symbol, unit) = (entry.symbol, entry.unit.symbol());
        let unit = if unit.is_empty() {
            String::new()
        } else {
            format!(" [{unit}]")
        };
        page.text(HEADER, column, &format!("{symbol}{unit}"), &style::header())?;
        page.worksheet.set_column_width(column, 14.0)?;
    }
    page.text(HEADER, PLACE, "Place", &style::header())?;
    page.worksheet.set_column_width(PLACE, 40.0)?;
    page.worksheet.set_row_height(HEADER, 32)?;
    for (row, region) in (HEADER + 1..).zip(&report.regions) {
        write_region(&mut page, row, region)?;
    }
    page.worksheet.set_freeze_panes(HEADER + 1, 1)?;
    page.worksheet
        .autofilter(HEADER, 0, HEADER + report.regions.len() as RowNum, PLACE)?;
    page.worksheet.set_repeat_rows(HEADER, HEADER)?;
    style::print_setup(&mut page.worksheet);
    Ok(page)
}

fn write_region(page: &mut Page, row: RowNum, region: &Region) -> Result<(), XlsxError> {
    let plain = style::cell(Look::Text, Role::Plain);
    page.text(row, 0, &region.name, &plain)?;
    page.text(row, 1, region.kind.name(), &plain)?;
    page.number(
        row,
        2,
        region.instructions as f64,
        &style::cell(Look::Count, Role::Plain),
    )?;
    let place = match (&region.file, region.line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        (Some(file), None) => file.clone(),
        (None, _) => super::super::page::UNKNOWN.to_string(),
    };
    page.text(row, PLACE, &place, &plain)?;
    let figures = Figures::of(&region.edag, &page.book.report.inputs);
    let mut scope = page.book.scope.clone();
    for (column, figure) in (FIRST..).zip(COLUMNS) {
        scope.cell(figure.entry().name, (row, column), figures.get(figure));
    }
    for (column, figure) in (FIRST..).zip(COLUMNS) {
        let value = figures.get(figure);
        match figure.expr() {
            Some(expr) => {
                let look = look(figure.entry().unit, value);
                page.live((row, column), &expr, &scope, look)?;
            }
            None => page.fact((row, column), value, Look::Count)?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_of_a_row_name_columns_and_inputs_only() {
        for figure in COLUMNS {
            assert!(!figure.entry().symbol.is_empty());
            for name in figure.expr().iter().flat_map(loopsheet_expr::Expr::symbols) {
                let leaf = EdagFigure::named(name.name()).expect("leaves are in the catalogue");
                let is_input = EdagFigure::inputs().any(|input| input == leaf);
                assert!(is_input || COLUMNS.contains(&leaf), "{figure:?}: {name}");
            }
        }
    }
}
