//! What the leaves of a formula stand for on a sheet: how a cell is referred to, and its value.

use rust_xlsxwriter::utility::row_col_to_cell;
use rust_xlsxwriter::{ColNum, RowNum, XlsxError};

use super::super::layout::column_range;
use super::super::page::{Paper, UNKNOWN};
use super::super::style::{self, Look, Role};
use crate::expr::{CellNames, Excel, Expr, FigureId, Lookup, Symbol};

/// Names with their references and values, later ones before earlier ones, and one column whose cells
/// are figures.
#[derive(Clone, Debug, Default)]
pub(in crate::export::xlsx) struct Scope {
    names: Vec<(String, String, Option<f64>)>,
    column: Option<Column>,
}

/// Cells one below the other; figure 0 is the first.
#[derive(Clone, Debug)]
struct Column {
    first: RowNum,
    column: ColNum,
    values: Vec<f64>,
}

impl Scope {
    /// What a name stands for from now on: a defined name or a cell, and its value if it is known.
    pub fn set(&mut self, name: &str, reference: String, value: Option<f64>) {
        self.names.push((name.to_string(), reference, value));
    }

    /// The same with a cell of the sheet that the formula is on.
    pub fn cell(&mut self, name: &str, (row, column): (RowNum, ColNum), value: Option<f64>) {
        self.set(name, row_col_to_cell(row, column), value);
    }

    /// Makes a column's cells the figures from 0 on.
    pub fn figures(&mut self, (first, column): (RowNum, ColNum), values: Vec<f64>) {
        self.column = Some(Column {
            first,
            column,
            values,
        });
    }

    /// The value of an expression, if all of its leaves have one and it is finite.
    pub fn value(&self, expr: &Expr) -> Option<f64> {
        expr.evaluate(self).ok().filter(|value| value.is_finite())
    }
}

impl Lookup for Scope {
    fn symbol(&self, symbol: &Symbol) -> Option<f64> {
        self.names
            .iter()
            .rev()
            .find(|(known, ..)| known == symbol.name())
            .and_then(|(.., value)| *value)
    }

    fn figure(&self, id: FigureId) -> Option<f64> {
        self.column
            .as_ref()
            .and_then(|column| column.values.get(id.0 as usize))
            .copied()
    }
}

impl CellNames for Scope {
    fn figure(&self, id: FigureId) -> String {
        let column = self
            .column
            .as_ref()
            .expect("figures are set before formulas name them");
        row_col_to_cell(column.first + id.0, column.column)
    }

    fn symbol(&self, name: &str) -> String {
        let known = self.names.iter().rev().find(|(known, ..)| known == name);
        known
            .map_or(name, |(_, reference, _)| reference)
            .to_string()
    }

    fn range(&self, figures: &[FigureId]) -> Option<String> {
        let column = self.column.as_ref()?;
        let first = figures.first()?.0;
        let is_run = figures
            .iter()
            .zip(first..)
            .all(|(id, expected)| id.0 == expected);
        let last = first + figures.len() as u32 - 1;
        is_run.then(|| column_range(column.column, column.first + first, column.first + last))
    }
}

impl<B> Paper<B> {
    /// An expression as formula with its value, or the word for what is not known; returns the value.
    pub(super) fn live(
        &mut self,
        (row, column): (RowNum, ColNum),
        expr: &Expr,
        scope: &Scope,
        look: Look,
    ) -> Result<Option<f64>, XlsxError> {
        let value = scope.value(expr);
        match value {
            None => self.text(row, column, UNKNOWN, &style::cell(look, Role::Unknown))?,
            Some(value) if expr.as_number().is_some() => {
                self.number(row, column, value, &style::cell(look, Role::Plain))?;
            }
            Some(value) => {
                let formula = Excel { expr, names: scope }.to_string();
                self.presentation(
                    row,
                    column,
                    &formula,
                    &value.to_string(),
                    &style::cell(look, Role::Plain),
                )?;
            }
        }
        Ok(value)
    }

    /// A fact, or the word for what is not known.
    pub(super) fn fact(
        &mut self,
        (row, column): (RowNum, ColNum),
        value: Option<f64>,
        look: Look,
    ) -> Result<(), XlsxError> {
        match value {
            Some(value) => self.number(row, column, value, &style::cell(look, Role::Plain)),
            None => self.text(row, column, UNKNOWN, &style::cell(look, Role::Unknown)),
        }
    }
}
