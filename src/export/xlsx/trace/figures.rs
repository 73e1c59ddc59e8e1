//! Counts as plain numbers, and everything that follows from them as formulas.

use rust_xlsxwriter::{RowNum, XlsxError};

use super::super::style::{self, Look, Role};
use super::{Page, look};
use crate::formula::Catalogue;
use crate::metrics::formulas::EdagFigure;

const VALUE: u16 = 2;

/// One row a count; returns the row after the last.
pub(super) fn write_counts(page: &mut Page, row: RowNum) -> Result<RowNum, XlsxError> {
    let first = page.section(
        row,
        "Counted on the eDAG",
        ["Count", "Symbol", "Value", "Unit", "Name"],
    )?;
    for (row, figure) in (first..).zip(EdagFigure::counts()) {
        let (entry, value) = (figure.entry(), page.book.figures.get(figure));
        for (column, text) in [
            (0, entry.meaning),
            (1, entry.symbol),
            (3, entry.unit.symbol()),
            (4, entry.name),
        ] {
            page.text(row, column, text, &style::cell(Look::Text, Role::Plain))?;
        }
        page.fact((row, VALUE), value, Look::Count)?;
        page.name(entry.name, (row, VALUE), value);
    }
    Ok(first + EdagFigure::counts().count() as RowNum)
}

/// One row a formula; returns the row after the last.
pub(super) fn write_derived(page: &mut Page, row: RowNum) -> Result<RowNum, XlsxError> {
    let headers = [
        "Figure", "Symbol", "Value", "Unit", "Name", "Formula", "", "", "Source", "",
    ];
    let first = page.section(row, "What follows", headers)?;
    for (row, figure) in (first..).zip(EdagFigure::derived()) {
        let (entry, value) = (figure.entry(), page.book.figures.get(figure));
        let (text, source) = (figure.text(), entry.source.to_string());
        let texts = [
            (0, entry.meaning),
            (1, entry.symbol),
            (3, entry.unit.symbol()),
            (4, entry.name),
            (5, &text),
            (8, &source),
        ];
        for (column, text) in texts {
            page.text(row, column, text, &style::cell(Look::Text, Role::Plain))?;
        }
        let scope = page.book.scope.clone();
        if let Some(expr) = figure.expr() {
            page.live((row, VALUE), &expr, &scope, look(entry.unit, value))?;
        }
        page.name(entry.name, (row, VALUE), value);
    }
    Ok(first + EdagFigure::derived().count() as RowNum)
}
