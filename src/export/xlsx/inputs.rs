//! Input cells: a plain number under a defined name, in the one style that says "change me".

use rust_xlsxwriter::utility::row_col_to_cell_absolute;
use rust_xlsxwriter::{
    ColNum, DataValidation, DataValidationRule, Formula, RowNum, Workbook, XlsxError,
};

use super::layout::Sheet;
use super::page::Paper;
use super::style::{self, Look, Role};

/// Makes a cell known to all formulas under a name.
pub(super) fn define_name(
    workbook: &mut Workbook,
    name: &str,
    sheet: Sheet,
    (row, column): (RowNum, ColNum),
) -> Result<(), XlsxError> {
    let cell = format!(
        "={}!{}",
        sheet.in_formulas(),
        row_col_to_cell_absolute(row, column)
    );
    workbook.define_name(name, &cell)?;
    Ok(())
}

/// A number in a cell that may be changed; an unknown one leaves it empty.
pub(super) fn write_value<B>(
    page: &mut Paper<B>,
    (row, column): (RowNum, ColNum),
    value: Option<f64>,
    look: Look,
    role: Role,
) -> Result<(), XlsxError> {
    let format = style::cell(look, role);
    match value {
        Some(value) => page.number(row, column, value, &format),
        None => {
            page.worksheet.write_blank(row, column, &format)?;
            Ok(())
        }
    }
}

/// Whole numbers of any size.
pub(super) fn whole(least: f64, most: f64) -> DataValidation {
    let [least, most] = [least, most].map(|bound| Formula::new(bound.to_string()));
    DataValidation::new().allow_whole_number_formula(DataValidationRule::Between(least, most))
}

/// Off or on.
pub(super) fn switch() -> DataValidation {
    DataValidation::new()
        .allow_list_strings(&["0", "1"])
        .expect("a list of two short words")
}
