//! The sheet Regions: functions, lines or loops, counts and the same formulas on each row.

use rust_xlsxwriter::{ColNum, RowNum, XlsxError};

use super::super::layout::Sheet;
use super::super::style::{self, Look, Role};
use super::{Page, TraceBook, look};
use crate::metrics::formulas::{COUNTS, Figures, INPUTS, formulas};
use crate::metrics::report::Region;

/// Counts and formulas that a region has a column for; a formula names only columns and inputs.
const COLUMNS: [&str; 12] = [
    "work",
    "depth",
    "parallelism",
    "memory_work",
    "memory_depth",
    "non_memory_cost",
    "lambda",
    "lambda_lower",
    "relative_lambda",
    "time_lower",
    "time_upper",
    "non_memory_span",
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
    for input in INPUTS {
        let value = page.book.figures.get(input.key);
        page.book.scope.set(input.key, input.key.to_string(), value);
    }
    const HEADER: RowNum = 3;
    for (column, header) in (0..).zip(["Name", "Kind", "Instructions"]) {
        page.text(HEADER, column, header, &style::header())?;
        page.worksheet
            .set_column_width(column, WIDTHS[usize::from(column)])?;
    }
    for (column, key) in (FIRST..).zip(COLUMNS) {
        let (symbol, unit) = symbol_and_unit(key);
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
    for (column, key) in (FIRST..).zip(COLUMNS) {
        scope.cell(key, (row, column), figures.get(key));
    }
    for (column, key) in (FIRST..).zip(COLUMNS) {
        let value = figures.get(key);
        match formulas().into_iter().find(|formula| formula.key == key) {
            Some(formula) => {
                page.live(
                    (row, column),
                    &formula.expr,
                    &scope,
                    look(formula.unit, value),
                )?;
            }
            None => page.fact((row, column), value, Look::Count)?,
        }
    }
    Ok(())
}

fn symbol_and_unit(key: &str) -> (&'static str, &'static str) {
    let counts = COUNTS
        .iter()
        .map(|count| (count.key, count.symbol, count.unit));
    let derived = formulas()
        .into_iter()
        .map(|formula| (formula.key, formula.symbol, formula.unit));
    let found = counts.chain(derived).find(|(known, ..)| *known == key);
    found
        .map(|(_, symbol, unit)| (symbol, unit))
        .expect("columns are counts and formulas")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::formulas::INPUTS;

    #[test]
    fn formulas_of_a_row_name_columns_and_inputs_only() {
        for formula in formulas()
            .into_iter()
            .filter(|formula| COLUMNS.contains(&formula.key))
        {
            for name in formula.expr.symbols() {
                let is_input = INPUTS.iter().any(|input| input.key == name.name());
                assert!(
                    is_input || COLUMNS.contains(&name.name()),
                    "{}: {name}",
                    formula.key
                );
            }
        }
        COLUMNS
            .into_iter()
            .for_each(|key| assert!(!symbol_and_unit(key).0.is_empty()));
    }
}
