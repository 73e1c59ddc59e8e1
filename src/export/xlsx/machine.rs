//! The sheet Machine: every machine parameter as a named input cell, and the presets beside them.

use rust_xlsxwriter::utility::column_number_to_name;
use rust_xlsxwriter::{
    ColNum, DataValidation, DataValidationErrorStyle, DataValidationRule, Formula, RowNum, Workbook, XlsxError,
};

use super::inputs;
use super::layout::Sheet;
use super::page::{Book, Page, UNKNOWN};
use super::style::{self, Look, Role};
use crate::machine::parameters::ParameterKind;
use crate::machine::{MachineModel, MachineParameter, preset_names};

const HEADER_ROW: RowNum = 4;
const FIRST_ROW: RowNum = 5;
const VALUE: ColNum = 2;
const PRESET: ColNum = 8;
const FIRST_PRESET: ColNum = 10;

const COLUMNS: [(&str, f64); 9] = [
    ("Parameter", 26.0),
    ("Name", 20.0),
    ("Value", 18.0),
    ("Unit", 10.0),
    ("Allowed", 20.0),
    ("Description", 62.0),
    ("Source", 46.0),
    ("Note", 46.0),
    ("Preset to compare", 20.0),
];

/// Gives the input cells their names.
pub(super) fn define_names(workbook: &mut Workbook, book: Book) -> Result<(), XlsxError> {
    for (row, parameter) in (FIRST_ROW..).zip(&book.model.machine.parameters) {
        inputs::define_name(workbook, &parameter.name, Sheet::Machine, (row, VALUE))?;
    }
    Ok(())
}

pub(super) fn write<'a>(book: Book<'a>) -> Result<Page<'a>, XlsxError> {
    let mut page = Page::new(Sheet::Machine, book)?;
    let machine = &book.model.machine;
    page.title(&machine.title)?;
    page.text(1, 0, &machine.about.split_whitespace().collect::<Vec<&str>>().join(" "), &style::remark())?;
    page.text(2, 0, "Input", &style::cell(Look::Text, Role::Input))?;
    let legend =
        "Cells of this colour are inputs: change one and every sheet follows. An empty one is unknown, not zero.";
    page.text(2, 1, legend, &style::remark())?;
    for (column, (header, width)) in (0..).zip(COLUMNS) {
        page.text(HEADER_ROW, column, header, &style::header())?;
        page.worksheet.set_column_width(column, width)?;
    }
    for (row, parameter) in (FIRST_ROW..).zip(&machine.parameters) {
        write_parameter(&mut page, row, parameter)?;
    }
    let last_row = FIRST_ROW + machine.parameters.len() as RowNum - 1;
    write_presets(&mut page, last_row)?;
    page.worksheet.set_row_height(HEADER_ROW, 32)?;
    page.worksheet.set_freeze_panes(FIRST_ROW, 1)?;
    page.worksheet.autofilter(HEADER_ROW, 0, last_row, 7)?;
    page.worksheet.set_repeat_rows(HEADER_ROW, HEADER_ROW)?;
    page.worksheet.set_print_area(0, 0, last_row, 7)?;
    style::print_setup(&mut page.worksheet, 1);
    Ok(page)
}

fn write_parameter(page: &mut Page, row: RowNum, parameter: &MachineParameter) -> Result<(), XlsxError> {
    let plain = style::cell(Look::Text, Role::Plain);
    let look = if parameter.kind == ParameterKind::Size { Look::Count } else { Look::Number };
    page.text(row, 0, &parameter.label, &plain)?;
    page.text(row, 1, &parameter.name, &plain)?;
    inputs::write_value(page, (row, VALUE), parameter.value, look, Role::Input)?;
    page.text(row, 3, parameter.unit, &plain)?;
    page.text(row, 4, &allowed(parameter), &plain)?;
    page.text(row, 5, parameter.description, &style::wrapped())?;
    let source = if parameter.value.is_none() { UNKNOWN } else { &parameter.source };
    page.text(row, 6, source, &style::wrapped())?;
    page.text(row, 7, &parameter.note, &style::wrapped())?;
    let texts = [(5, parameter.description), (6, source), (7, &parameter.note)];
    let lines = texts.iter().map(|(column, text)| style::lines(text, COLUMNS[*column].1)).max().unwrap_or(1);
    page.worksheet.set_row_height(row, style::row_height(lines))?;
    let validation = validation(parameter)
        .set_input_title(&parameter.name)?
        .set_error_style(DataValidationErrorStyle::Stop)
        .set_error_title("Out of range")?
        .set_error_message(format!("{}: {}", parameter.name, allowed(parameter)))?;
    page.worksheet.add_data_validation(row, VALUE, row, VALUE, &validation)?;
    Ok(())
}

/// Allowed values in words.
pub(in crate::export) fn allowed(parameter: &MachineParameter) -> String {
    let (least, most) = parameter.range;
    match parameter.kind {
        ParameterKind::Switch => "0 or 1".to_string(),
        ParameterKind::Real => format!("{} to {}", short(least), short(most)),
        ParameterKind::Integer | ParameterKind::Size => format!("{} to {}, whole", short(least), short(most)),
    }
}

/// Powers of ten for what has many digits.
fn short(value: f64) -> String {
    if value != 0.0 && !(1e-3..1e6).contains(&value) { format!("{value:e}") } else { value.to_string() }
}

fn validation(parameter: &MachineParameter) -> DataValidation {
    let (least, most) = parameter.range;
    let validation = DataValidation::new();
    match parameter.kind {
        ParameterKind::Switch => inputs::switch(),
        ParameterKind::Integer if most <= f64::from(i32::MAX) => {
            validation.allow_whole_number(DataValidationRule::Between(least as i32, most as i32))
        }
        _ => validation.allow_decimal_number(DataValidationRule::Between(least, most)),
    }
}

/// All presets to the right, and a column that shows the one that is picked from a list.
fn write_presets(page: &mut Page, last_row: RowNum) -> Result<(), XlsxError> {
    let presets: Vec<MachineModel> = preset_names().filter_map(|name| MachineModel::preset(name).ok()).collect();
    let Some(picked) = presets.iter().find(|p| p.name != page.book.model.machine.name) else { return Ok(()) };
    let last = FIRST_PRESET + presets.len() as ColNum - 1;
    let pick = (HEADER_ROW - 1, PRESET);
    page.text(pick.0, PRESET, &picked.name, &style::cell(Look::Text, Role::Input))?;
    let (first_name, last_name) = (column_number_to_name(FIRST_PRESET), column_number_to_name(last));
    let list = Formula::new(format!("=${first_name}${0}:${last_name}${0}", HEADER_ROW + 1));
    let validation = (DataValidation::new().allow_list_formula(list))
        .set_input_title("Preset to compare")?
        .set_input_message("Shown below for comparison; copy the values into column C to use them.")?;
    page.worksheet.add_data_validation(pick.0, PRESET, pick.0, PRESET, &validation)?;
    for (column, preset) in (FIRST_PRESET..).zip(&presets) {
        page.text(HEADER_ROW, column, &preset.name, &style::header())?;
        page.worksheet.set_column_width(column, 16)?;
        for (row, parameter) in (FIRST_ROW..).zip(&preset.parameters) {
            if let Some(value) = parameter.value {
                page.number(row, column, value, &style::cell(Look::Number, Role::Plain))?;
            }
        }
    }
    for (row, parameter) in (FIRST_ROW..=last_row).zip(&picked.parameters) {
        let values = format!("${first_name}{0}:${last_name}{0}", row + 1);
        let names = format!("${first_name}${0}:${last_name}${0}", HEADER_ROW + 1);
        let found = format!("INDEX({values},MATCH(${}${},{names},0))", column_number_to_name(PRESET), pick.0 + 1);
        let formula = format!("IF({found}=\"\",\"{UNKNOWN}\",{found})");
        let shown = parameter.value.map_or_else(|| UNKNOWN.to_string(), |value| value.to_string());
        page.presentation(row, PRESET, &formula, &shown, &style::cell(Look::Number, Role::Plain))?;
    }
    Ok(())
}
