//! Functions, lines or loops, on the sheet eDAG: counts, and the same formulas on each row.

use rust_xlsxwriter::{ColNum, RowNum, XlsxError};

use super::super::style::{self, Look, Role};
use super::{Page, look};
use crate::metrics::formulas::{COUNTS, Figures, formulas};
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

/// One row a region, costliest first.
pub(super) fn write(page: &mut Page, row: RowNum) -> Result<(), XlsxError> {
    let regions = &page.book.report.regions;
    let Some(kind) = regions.first().map(|region| region.kind.name()) else { return Ok(()) };
    let title = format!("By {kind}: the eDAG of its own instructions");
    let first = page.section(row, &title, ["Name", "Kind", "Instructions"])?;
    for (column, key) in (FIRST..).zip(COLUMNS) {
        let (symbol, unit) = symbol_and_unit(key);
        let unit = if unit.is_empty() { String::new() } else { format!(" [{unit}]") };
        page.text(first - 1, column, &format!("{symbol}{unit}"), &style::header())?;
    }
    page.text(first - 1, PLACE, "Place", &style::header())?;
    page.worksheet.set_row_height(first - 1, 32)?;
    for (row, region) in (first..).zip(regions) {
        write_region(page, row, region)?;
    }
    Ok(())
}

fn write_region(page: &mut Page, row: RowNum, region: &Region) -> Result<(), XlsxError> {
    let plain = style::cell(Look::Text, Role::Plain);
    page.text(row, 0, &region.name, &plain)?;
    page.text(row, 1, region.kind.name(), &plain)?;
    page.number(row, 2, region.instructions as f64, &style::cell(Look::Count, Role::Plain))?;
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
                page.live((row, column), &formula.expr, &scope, look(formula.unit, value))?;
            }
            None => page.fact((row, column), value, Look::Count)?,
        }
    }
    Ok(())
}

fn symbol_and_unit(key: &str) -> (&'static str, &'static str) {
    let counts = COUNTS.iter().map(|count| (count.key, count.symbol, count.unit));
    let derived = formulas().into_iter().map(|formula| (formula.key, formula.symbol, formula.unit));
    let found = counts.chain(derived).find(|(known, ..)| *known == key);
    found.map(|(_, symbol, unit)| (symbol, unit)).expect("columns are counts and formulas")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::formulas::INPUTS;

    #[test]
    fn formulas_of_a_row_name_columns_and_inputs_only() {
        for formula in formulas().into_iter().filter(|formula| COLUMNS.contains(&formula.key)) {
            for name in formula.expr.symbols() {
                let is_input = INPUTS.iter().any(|input| input.key == &*name);
                assert!(is_input || COLUMNS.contains(&&*name), "{}: {name}", formula.key);
            }
        }
        COLUMNS.into_iter().for_each(|key| assert!(!symbol_and_unit(key).0.is_empty()));
    }
}
