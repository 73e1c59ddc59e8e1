//! The sheet Machine: every machine parameter as a named input cell, a list to pick a preset from, and the values
//! that are in force.
//!
//! A defined name is that of the value as written, a plain number that scripts may edit; formulas take the value in
//! force, which is called the same with `.A`, and that of the machine compared with it, with `.B`.

use rust_xlsxwriter::utility::row_col_to_cell;
use rust_xlsxwriter::{
    ColNum, DataValidation, DataValidationErrorStyle, DataValidationRule, Format, Formula, RowNum,
    Workbook, XlsxError,
};

use super::inputs;
use super::layout::{Layout, Place, Sheet, fixed_column_range, in_force};
use super::page::{Book, Page, UNKNOWN};
use super::presets::{AS_WRITTEN, Choices, Says};
use super::style::{self, Look, Role};
use crate::listings::inputs::allowed;
use crate::machine::MachineParameter;
use crate::machine::parameters::{ParameterKind, absent};
use crate::model::Model;

const HEADER_ROW: RowNum = 5;
const FIRST_ROW: RowNum = 6;
const VALUE: ColNum = 2;
const OVERRIDE: ColNum = 3;
const IN_FORCE: ColNum = 4;
const SOURCE: ColNum = 8;
const NOTE: ColNum = 9;
const OTHER: ColNum = 10;
/// Where there is nothing to say.
const NOTHING: &str = "–";
/// The cells in which machines are picked.
pub(super) const PICK_A: (RowNum, ColNum) = (3, VALUE);
pub(super) const PICK_B: (RowNum, ColNum) = (3, OTHER);

const COLUMNS: [(&str, f64); 11] = [
    ("Parameter", 26.0),
    ("Name", 20.0),
    ("Value", 18.0),
    ("Override", 14.0),
    ("In force", 18.0),
    ("Unit", 10.0),
    ("Allowed", 20.0),
    ("Description", 62.0),
    ("Source", 46.0),
    ("Note", 46.0),
    ("Machine B", 20.0),
];

/// Gives what follows from the parameters alone its home, below them.
pub(super) fn place(model: &Model, layout: &mut Layout) {
    let row = memory_bandwidth_row(model);
    layout.put(
        model.memory_bandwidth,
        Place {
            sheet: Sheet::Machine,
            row,
            column: IN_FORCE,
        },
    );
}

fn memory_bandwidth_row(model: &Model) -> RowNum {
    FIRST_ROW + model.machine.parameters.len() as RowNum + 1
}

/// Gives the input cells their names, and the cells that formulas take.
pub(super) fn define_names(workbook: &mut Workbook, book: Book) -> Result<(), XlsxError> {
    let has_other = book.model.other.is_some();
    for (row, parameter) in (FIRST_ROW..).zip(&book.model.machine.parameters) {
        inputs::define_name(workbook, &parameter.name, Sheet::Machine, (row, VALUE))?;
        inputs::define_name(
            workbook,
            &in_force(&parameter.name),
            Sheet::Machine,
            (row, IN_FORCE),
        )?;
        if has_other {
            inputs::define_name(
                workbook,
                &Model::on_other(&parameter.name),
                Sheet::Machine,
                (row, OTHER),
            )?;
        }
    }
    Ok(())
}

/// The cell of a value as written.
pub(super) fn value_cell(parameter: usize) -> String {
    row_col_to_cell(FIRST_ROW + parameter as RowNum, VALUE)
}

/// The values that are in force, and the sum of them each times its row as Excel counts it; unknown ones are text, which
/// is no part of it.
pub(super) fn weighted(model: &Model) -> (String, f64) {
    let parameters = &model.machine.parameters;
    let last = FIRST_ROW + parameters.len() as RowNum - 1;
    let range = fixed_column_range(IN_FORCE, FIRST_ROW, last);
    let in_force = |parameter: &MachineParameter| parameter.value.or(absent(&parameter.name));
    let terms = (FIRST_ROW + 1..)
        .zip(parameters)
        .filter_map(|(row, parameter)| in_force(parameter).map(|value| value * f64::from(row)));
    let sum = terms.sum();
    (format!("{}!{range}", Sheet::Machine.name()), sum)
}

pub(super) fn write(book: Book<'_>) -> Result<Page<'_>, XlsxError> {
    let mut page = Page::new(Sheet::Machine, book)?;
    let machine = &book.model.machine;
    let choices = Choices::of(book.model);
    page.worksheet.set_row_height(0, 24)?;
    let title = format!("INDEX({},preset.A)", choices.titles());
    page.presented_text(
        0,
        0,
        &title,
        &format!("{} ({})", machine.title, machine.name),
        &style::title(),
    )?;
    page.text(
        1,
        0,
        &machine
            .about
            .split_whitespace()
            .collect::<Vec<&str>>()
            .join(" "),
        &style::remark(),
    )?;
    page.text(2, 0, "Input", &style::cell(Look::Text, Role::Input))?;
    let legend = "Cells of this colour are inputs: change one and every sheet follows. In force is column Override if \
                  it has a value, else a value that was changed, else that of the machine picked below.";
    page.text(2, 1, legend, &style::remark())?;
    write_picks(&mut page, &choices)?;
    for (column, (header, width)) in (0..).zip(COLUMNS) {
        if column < OTHER || book.model.other.is_some() {
            page.text(HEADER_ROW, column, header, &style::header())?;
            page.worksheet.set_column_width(column, width)?;
        }
    }
    for (index, parameter) in machine.parameters.iter().enumerate() {
        write_parameter(&mut page, index, parameter, &choices)?;
    }
    write_memory_bandwidth(&mut page)?;
    let last_row = FIRST_ROW + machine.parameters.len() as RowNum - 1;
    page.worksheet.set_row_height(HEADER_ROW, 32)?;
    page.worksheet.set_freeze_panes(FIRST_ROW, 1)?;
    page.worksheet.autofilter(HEADER_ROW, 0, last_row, NOTE)?;
    page.worksheet.set_repeat_rows(HEADER_ROW, HEADER_ROW)?;
    let last_column = if book.model.other.is_some() {
        OTHER
    } else {
        NOTE
    };
    page.worksheet
        .set_print_area(0, 0, memory_bandwidth_row(book.model), last_column)?;
    style::print_setup(&mut page.worksheet);
    Ok(page)
}

/// The memory bandwidth that times are made from.
fn write_memory_bandwidth(page: &mut Page) -> Result<(), XlsxError> {
    let model = page.book.model;
    let row = memory_bandwidth_row(model);
    let plain = style::cell(Look::Text, Role::Plain);
    page.text(row, 0, "Memory bandwidth of the estimate", &plain)?;
    page.figure(row, IN_FORCE, model.memory_bandwidth, Look::Seconds)?;
    page.text(row, 5, "B/s", &plain)?;
    let text = "dram_gbs, and no more than all cores' lines under way bring: \
                cores x dram_lines_in_flight x line_bytes / dram_latency_ns, where both are known";
    page.text(row, 7, text, &style::wrapped())?;
    page.worksheet
        .set_row_height(row, style::row_height(style::lines(text, COLUMNS[7].1)))?;
    Ok(())
}

/// The lists that machines are picked from.
fn write_picks(page: &mut Page, choices: &Choices) -> Result<(), XlsxError> {
    let other = page
        .book
        .model
        .other
        .as_ref()
        .map(|other| other.name.clone());
    let mut pick = |(row, column): (RowNum, ColNum), name: &str, title: &str, message: &str| {
        page.text(row, column, name, &style::cell(Look::Text, Role::Input))?;
        let list = Formula::new(format!("={}", choices.names()));
        let validation = (DataValidation::new().allow_list_formula(list))
            .set_input_title(title)?
            .set_input_message(message)?
            .set_error_style(DataValidationErrorStyle::Stop)
            .set_error_title("No such machine")?
            .set_error_message("Pick a name of sheet Presets")?;
        page.worksheet
            .add_data_validation(row, column, row, column, &validation)?;
        Ok::<(), XlsxError>(())
    };
    if let Some(other) = &other {
        pick(
            PICK_B,
            other,
            "Machine B",
            "Summary and sheet A and B have the times on both",
        )?;
    }
    if choices.is_any() {
        pick(
            PICK_A,
            AS_WRITTEN,
            "Machine in force",
            "All sheets follow; sheet Presets has every figure",
        )?;
    } else {
        page.text(
            PICK_A.0,
            PICK_A.1,
            AS_WRITTEN,
            &style::cell(Look::Text, Role::Plain),
        )?;
    }
    page.text(PICK_A.0, 0, "Machine in force (A)", &style::section())?;
    if other.is_some() {
        page.text(
            PICK_B.0 - 1,
            PICK_B.1,
            "Compared with it (B)",
            &style::section(),
        )?;
    }
    Ok(())
}

fn write_parameter(
    page: &mut Page,
    index: usize,
    parameter: &MachineParameter,
    choices: &Choices,
) -> Result<(), XlsxError> {
    let row = FIRST_ROW + index as RowNum;
    let plain = style::cell(Look::Text, Role::Plain);
    let look = if parameter.kind == ParameterKind::Size {
        Look::Count
    } else {
        Look::Number
    };
    page.text(row, 0, &parameter.label, &plain)?;
    page.text(row, 1, &parameter.name, &plain)?;
    inputs::write_value(page, (row, VALUE), parameter.value, look, Role::Input)?;
    inputs::write_value(page, (row, OVERRIDE), None, look, Role::Input)?;
    write_in_force(page, index, parameter, choices)?;
    page.text(row, 5, parameter.unit, &plain)?;
    page.text(row, 6, &allowed(parameter), &plain)?;
    page.text(row, 7, parameter.description, &style::wrapped())?;
    let source = if parameter.value.is_none() {
        UNKNOWN
    } else {
        &parameter.source
    };
    for (column, says, text) in [
        (SOURCE, Says::Source, source),
        (NOTE, Says::Note, &parameter.note),
    ] {
        let by_hand = if matches!(says, Says::Source) {
            "set by hand"
        } else {
            NOTHING
        };
        let said = format!("INDEX({},preset.A)", choices.row(index, says));
        let said = format!("IF({said}=\"\",\"{NOTHING}\",{said})");
        let formula = format!("IF({},\"{by_hand}\",{said})", is_by_hand(row, parameter));
        let shown = if text.is_empty() { NOTHING } else { text };
        page.presented_text(row, column, &formula, shown, &style::wrapped())?;
    }
    let texts = [
        (7, parameter.description),
        (SOURCE, source),
        (NOTE, &parameter.note),
    ];
    let lines = texts
        .iter()
        .map(|(column, text)| style::lines(text, COLUMNS[usize::from(*column)].1))
        .max();
    page.worksheet
        .set_row_height(row, style::row_height(lines.unwrap_or(1)))?;
    let validation = validation(parameter)
        .set_input_title(&parameter.name)?
        .set_error_style(DataValidationErrorStyle::Stop)
        .set_error_title("Out of range")?
        .set_error_message(format!("{}: {}", parameter.name, allowed(parameter)))?;
    page.worksheet
        .add_data_validation(row, VALUE, row, OVERRIDE, &validation)?;
    Ok(())
}

/// Whether a person set the value: in column Override, or the one as written was changed while another machine is
/// picked.
fn is_by_hand(row: RowNum, parameter: &MachineParameter) -> String {
    let [value, by_hand] = [VALUE, OVERRIDE].map(|column| row_col_to_cell(row, column));
    format!("OR({by_hand}<>\"\",{})", is_changed(&value, parameter))
}

fn is_changed(value: &str, parameter: &MachineParameter) -> String {
    let differs = parameter
        .value
        .map(|written| format!(",{value}<>{written}"))
        .unwrap_or_default();
    format!("AND({value}<>\"\"{differs})")
}

/// The value that formulas take, and that of machine B.
fn write_in_force(
    page: &mut Page,
    index: usize,
    parameter: &MachineParameter,
    choices: &Choices,
) -> Result<(), XlsxError> {
    let row = FIRST_ROW + index as RowNum;
    let [value, by_hand] = [VALUE, OVERRIDE].map(|column| row_col_to_cell(row, column));
    let absent = absent(&parameter.name);
    let otherwise = absent.map_or(format!("\"{UNKNOWN}\""), |number| number.to_string());
    let picked = |position: &str| {
        let found = format!("INDEX({},{position})", choices.row(index, Says::Value));
        format!("IF(ISNUMBER({found}),{found},{otherwise})")
    };
    let format = in_force_format(parameter);
    let other = page
        .book
        .model
        .other
        .as_ref()
        .map(|other| other.parameters[index].value);
    let mut write = |column: ColNum, formula: &str, shown: Option<f64>| match shown.or(absent) {
        Some(number) => page.presentation(row, column, formula, &number.to_string(), &format),
        None => page.presented_text(row, column, formula, UNKNOWN, &format),
    };
    let changed = is_changed(&value, parameter);
    let formula = format!(
        "IF({by_hand}<>\"\",{by_hand},IF({changed},{value},{}))",
        picked("preset.A")
    );
    write(IN_FORCE, &formula, parameter.value)?;
    other.map_or(Ok(()), |other| write(OTHER, &picked("preset.B"), other))
}

/// A level that is not there has no bytes, a bandwidth that nobody knows none.
fn in_force_format(parameter: &MachineParameter) -> Format {
    let look = if parameter.kind == ParameterKind::Size {
        Look::Count
    } else {
        Look::Number
    };
    let format = style::cell(look, Role::Plain);
    match absent(&parameter.name) {
        Some(0.0) if parameter.kind == ParameterKind::Size => {
            format.set_num_format("#,##0;-#,##0;\"none\"")
        }
        Some(0.0) => format.set_num_format("General;-General;\"unknown\""),
        _ => format,
    }
}

fn validation(parameter: &MachineParameter) -> DataValidation {
    let (least, most) = parameter.range;
    let validation = DataValidation::new();
    match parameter.kind {
        ParameterKind::Switch => inputs::switch(),
        ParameterKind::Integer | ParameterKind::Size => inputs::whole(least, most),
        ParameterKind::Real => {
            validation.allow_decimal_number(DataValidationRule::Between(least, most))
        }
    }
}
