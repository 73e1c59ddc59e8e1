//! The input cells of the sheet eDAG.

use rust_xlsxwriter::{
    DataValidation, DataValidationErrorStyle, DataValidationRule, RowNum, XlsxError,
};

use super::super::inputs::write_value;
use super::super::page::Paper;
use super::super::style::{self, Look, Role};
use super::book::{Named, Page};
use crate::formula::Catalogue;
use crate::metrics::formulas::EdagFigure;

/// Each input with its smallest and largest value.
const INPUTS: [(EdagFigure, f64, f64); 5] = [
    (EdagFigure::Slots, 1.0, 1e9),
    (EdagFigure::Latency, 0.0, 1e9),
    (EdagFigure::BaseLatency, 0.0, 1e9),
    (EdagFigure::Ghz, 0.001, 1000.0),
    (EdagFigure::Processors, 1.0, 1e9),
];

/// One row an input; returns the row after the last.
pub(super) fn write(page: &mut Page, row: RowNum) -> Result<RowNum, XlsxError> {
    let headers = ["Input", "Symbol", "Value", "Unit", "Name", "Allowed"];
    let first = page.section(row, "Inputs: change one and everything follows", headers)?;
    for (row, (figure, least, most)) in (first..).zip(INPUTS) {
        let (entry, value) = (figure.entry(), page.book.figures.get(figure));
        let texts = [
            (0, entry.meaning),
            (1, entry.symbol),
            (3, entry.unit.symbol()),
            (4, entry.name),
        ];
        for (column, text) in texts {
            page.text(row, column, text, &style::cell(Look::Text, Role::Plain))?;
        }
        let named = (entry.name, entry.meaning);
        write_input(page, row, named, value, (least, most))?;
    }
    Ok(first + INPUTS.len() as RowNum)
}

/// A named cell in the column of values, with what it may hold.
pub(super) fn write_input<B: Named>(
    page: &mut Paper<B>,
    row: RowNum,
    (key, label): (&str, &str),
    value: Option<f64>,
    (least, most): (f64, f64),
) -> Result<(), XlsxError> {
    const VALUE: u16 = 2;
    let allowed = format!("{} to {}", short(least), short(most));
    page.text(row, 5, &allowed, &style::cell(Look::Text, Role::Plain))?;
    let is_long = value.is_some_and(|value| value.to_string().len() > 12);
    let look = if is_long && value.is_some_and(|value| value >= 1e-3) {
        Look::Ratio
    } else {
        Look::Number
    };
    write_value(page, (row, VALUE), value, look, Role::Input)?;
    // Titles are at most 32 characters long.
    let title: String = label.chars().take_while(|c| *c != ':').take(32).collect();
    let rule = (DataValidation::new()
        .allow_decimal_number(DataValidationRule::Between(least, most)))
    .set_input_title(title)?
    .set_input_message(&allowed)?
    .set_error_style(DataValidationErrorStyle::Stop)
    .set_error_title("Out of range")?
    .set_error_message(format!("{key}: {allowed}"))?;
    page.worksheet
        .add_data_validation(row, VALUE, row, VALUE, &rule)?;
    page.name(key, (row, VALUE), value);
    Ok(())
}

fn short(value: f64) -> String {
    if value >= 1e6 {
        format!("{value:e}")
    } else {
        value.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_those_of_the_inputs() {
        let inputs: Vec<EdagFigure> = EdagFigure::inputs().collect();
        assert_eq!(INPUTS.map(|(figure, ..)| figure)[..], inputs);
    }
}
