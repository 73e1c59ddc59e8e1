//! Counts as plain numbers, and everything that follows from them as formulas.

use rust_xlsxwriter::{RowNum, XlsxError};

use super::super::style::{self, Look, Role};
use super::{Page, look};
use crate::metrics::formulas::{COUNTS, formulas};

const VALUE: u16 = 2;

/// One row a count; returns the row after the last.
pub(super) fn write_counts(page: &mut Page, row: RowNum) -> Result<RowNum, XlsxError> {
    let first = page.section(
        row,
        "Counted on the eDAG",
        ["Count", "Symbol", "Value", "Unit", "Name"],
    )?;
    for (row, name) in (first..).zip(COUNTS) {
        let value = page.book.figures.get(name.key);
        for (column, text) in [
            (0, name.label),
            (1, name.symbol),
            (3, name.unit),
            (4, name.key),
        ] {
            page.text(row, column, text, &style::cell(Look::Text, Role::Plain))?;
        }
        page.fact((row, VALUE), value, Look::Count)?;
        page.name(name.key, (row, VALUE), value);
    }
    Ok(first + COUNTS.len() as RowNum)
}

/// One row a formula; returns the row after the last.
pub(super) fn write_derived(page: &mut Page, row: RowNum) -> Result<RowNum, XlsxError> {
    let headers = [
        "Figure", "Symbol", "Value", "Unit", "Name", "Formula", "", "", "Source", "",
    ];
    let first = page.section(row, "What follows", headers)?;
    let formulas = formulas();
    for (row, formula) in (first..).zip(&formulas) {
        let value = page.book.figures.get(formula.key);
        let text = formula.text();
        let texts = [
            (0, formula.label),
            (1, formula.symbol),
            (3, formula.unit),
            (4, formula.key),
            (5, &text),
            (8, formula.source),
        ];
        for (column, text) in texts {
            page.text(row, column, text, &style::cell(Look::Text, Role::Plain))?;
        }
        let scope = page.book.scope.clone();
        page.live(
            (row, VALUE),
            &formula.expr,
            &scope,
            look(formula.unit, value),
        )?;
        page.name(formula.key, (row, VALUE), value);
    }
    Ok(first + formulas.len() as RowNum)
}
