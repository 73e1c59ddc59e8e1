//! The sheet Machine: every machine parameter as a named input cell, but for those whose cells are on Control, and the
//! values that are in force.
//!
//! A defined name is that of the value as written, a plain number that scripts may edit; formulas take the value in
//! force, which is called the same with `.A`, and that of the machine compared with it, with `.B`.

use rust_xlsxwriter::utility::{row_col_to_cell, row_col_to_cell_absolute};
use rust_xlsxwriter::{
    ColNum, ConditionalFormatFormula, DataValidation, DataValidationErrorStyle, DataValidationRule,
    Format, RowNum, Workbook, XlsxError,
};

use super::alternatives::write_note;
use super::control::{PICK_A, PICK_B, control_cell};
use super::inputs;
use super::layout::{Layout, Place, Sheet, fixed_column_range, in_force};
use super::page::{Book, Page, UNKNOWN};
use super::presets::{AS_WRITTEN, Choices, Says};
use super::scenarios;
use super::style::{self, Look, Role};
use crate::listings::inputs::allowed;
use crate::machine::MachineParameter;
use crate::machine::parameters::{ParameterKind, absent};
use crate::model::Model;

const HEADER_ROW: RowNum = 5;
const FIRST_ROW: RowNum = 6;
const NAME: ColNum = 1;
const VALUE: ColNum = 2;
const IN_FORCE: ColNum = 3;
const DESCRIPTION: ColNum = 6;
const SOURCE: ColNum = 7;
const NOTE: ColNum = 8;
const OTHER: ColNum = 9;
/// Where a value comes from that a scenario sets.
const IN_SCENARIO: &str = "the scenario in force";
/// Where there is nothing to say.
const NOTHING: &str = "–";

const COLUMNS: [(&str, f64, &str); 10] = [
    ("Parameter", 26.0, "What it is"),
    (
        "Name",
        20.0,
        "Name for --set; also the defined name of the input",
    ),
    (
        "Value",
        18.0,
        "The input, of the machine as written. A changed value is in force whichever machine is picked; an unchanged one \
         is replaced by that of the picked machine. Inputs without a colour are on Control.",
    ),
    (
        "In force",
        18.0,
        "The value used in formulas: that of the picked scenario, else a changed value, else that of the picked machine",
    ),
    (
        "Unit",
        10.0,
        "Unit of the values; empty for a dimensionless number",
    ),
    ("Allowed", 20.0, "Values accepted by --set"),
    ("Description", 62.0, "Meaning in the model"),
    ("Source", 46.0, "Where the value in force comes from"),
    ("Note", 46.0, "Further remarks"),
    (
        "Machine B",
        20.0,
        "The value of the machine it is compared with",
    ),
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
        if book.layout.controls.row(&parameter.name).is_none() {
            inputs::define_name(workbook, &parameter.name, Sheet::Machine, (row, VALUE))?;
        }
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

/// The cell of an input, on Control or here, as other sheets write it.
pub(super) fn value_cell(book: Book, index: usize) -> String {
    let name = &book.model.machine.parameters[index].name;
    match book.layout.controls.row(name) {
        Some(row) => control_cell((row, VALUE)),
        None => {
            let cell = row_col_to_cell(FIRST_ROW + index as RowNum, VALUE);
            format!("{}!{cell}", Sheet::Machine.name())
        }
    }
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
    let title = format!("INDEX({},1,preset.A)", choices.titles());
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
    let legend = "Cells of this colour are inputs: change one and every sheet follows. The machine is picked on Control, \
                  which has the most important inputs. A changed value is in force whichever machine is picked.";
    page.text(2, 1, legend, &style::remark())?;
    write_picked(&mut page)?;
    for (column, (header, width, meaning)) in (0..).zip(COLUMNS) {
        if column < OTHER || book.model.other.is_some() {
            page.text(HEADER_ROW, column, header, &style::header())?;
            write_note(&mut page, (HEADER_ROW, column), meaning)?;
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
    page.text(row, 4, "B/s", &plain)?;
    let text = "dram_gbs, limited by all cores' outstanding cache lines: \
                cores x dram_lines_in_flight x line_bytes / dram_latency_ns, where both are known";
    page.text(row, DESCRIPTION, text, &style::wrapped())?;
    let lines = style::lines(text, COLUMNS[usize::from(DESCRIPTION)].1);
    page.worksheet
        .set_row_height(row, style::row_height(lines))?;
    Ok(())
}

/// The machines that are picked on Control.
fn write_picked(page: &mut Page) -> Result<(), XlsxError> {
    let plain = style::cell(Look::Text, Role::Plain);
    let other = page.book.model.other.as_ref();
    let other = other.map(|other| other.name.clone());
    page.text(3, 0, "Machine in force (A)", &style::section())?;
    page.presented_text(3, VALUE, &control_cell(PICK_A), AS_WRITTEN, &plain)?;
    if let Some(other) = other {
        page.text(2, OTHER, "Compared with it (B)", &style::section())?;
        page.presented_text(3, OTHER, &control_cell(PICK_B), &other, &plain)?;
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
    page.text(row, NAME, &parameter.name, &plain)?;
    write_value(page, (row, look), parameter)?;
    write_in_force(page, index, parameter, choices)?;
    page.text(row, 4, parameter.unit, &plain)?;
    page.text(row, 5, &allowed(parameter), &plain)?;
    page.text(row, DESCRIPTION, parameter.description, &style::wrapped())?;
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
        let said = format!("INDEX({},1,preset.A)", choices.row(index, says));
        let said = format!("IF({said}=\"\",\"{NOTHING}\",{said})");
        let changed = is_changed(&value_cell(page.book, index), parameter);
        let formula = format!("IF({changed},\"{by_hand}\",{said})");
        let name = row_col_to_cell(row, NAME);
        let formula = match scenarios::set_by_scenario(page.book, &parameter.name, &name) {
            Some(set) => format!("IF({},\"{IN_SCENARIO}\",{formula})", set.condition),
            None => formula,
        };
        let shown = if text.is_empty() { NOTHING } else { text };
        page.presented_text(row, column, &formula, shown, &style::wrapped())?;
    }
    let texts = [
        (DESCRIPTION, parameter.description),
        (SOURCE, source),
        (NOTE, &parameter.note),
    ];
    let lines = texts
        .iter()
        .map(|(column, text)| style::lines(text, COLUMNS[usize::from(*column)].1))
        .max();
    page.worksheet
        .set_row_height(row, style::row_height(lines.unwrap_or(1)))?;
    Ok(())
}

/// The input, or what the input on Control says.
fn write_value(
    page: &mut Page,
    (row, look): (RowNum, Look),
    parameter: &MachineParameter,
) -> Result<(), XlsxError> {
    let Some(control) = page.book.layout.controls.row(&parameter.name) else {
        inputs::write_value(page, (row, VALUE), parameter.value, look, Role::Input)?;
        let validation = validation(parameter)?;
        page.worksheet
            .add_data_validation(row, VALUE, row, VALUE, &validation)?;
        return fade(page, row, parameter);
    };
    let cell = control_cell((control, VALUE));
    let formula = format!("IF({cell}=\"\",\"{NOTHING}\",{cell})");
    let format = style::cell(look, Role::Plain);
    match parameter.value {
        Some(value) => page.presentation(row, VALUE, &formula, &value.to_string(), &format),
        None => page.presented_text(row, VALUE, &formula, NOTHING, &format),
    }
}

/// An input that is not in force is faint.
fn fade(page: &mut Page, row: RowNum, parameter: &MachineParameter) -> Result<(), XlsxError> {
    if parameter.value.is_none() {
        return Ok(());
    }
    let value = row_col_to_cell(row, VALUE);
    let in_force = row_col_to_cell_absolute(row, IN_FORCE);
    let rule = format!("={value}<>{in_force}");
    let faint = ConditionalFormatFormula::new()
        .set_rule(rule.as_str())
        .set_format(Format::new().set_font_color(style::FAINT));
    page.worksheet
        .add_conditional_format(row, VALUE, row, VALUE, &faint)?;
    Ok(())
}

fn is_changed(value: &str, parameter: &MachineParameter) -> String {
    let differs = parameter
        .value
        .map(|written| format!(",{value}<>{written}"))
        .unwrap_or_default();
    format!("AND({value}<>\"\"{differs})")
}

/// The value but for scenarios: one that was changed, else that of the machine that is picked; as a formula of another
/// sheet.
pub(super) fn base((book, choices): (Book, &Choices), index: usize) -> String {
    let value = value_cell(book, index);
    own(
        &value,
        &book.model.machine.parameters[index],
        choices,
        index,
    )
}

fn own(value: &str, parameter: &MachineParameter, choices: &Choices, index: usize) -> String {
    let changed = is_changed(value, parameter);
    let picked = picked(parameter, choices, index, "preset.A");
    format!("IF({changed},{value},{picked})")
}

/// The value of a preset.
fn picked(parameter: &MachineParameter, choices: &Choices, index: usize, position: &str) -> String {
    let absent = absent(&parameter.name);
    let otherwise = absent.map_or(format!("\"{UNKNOWN}\""), |number| number.to_string());
    let found = format!("INDEX({},1,{position})", choices.row(index, Says::Value));
    format!("IF(ISNUMBER({found}),{found},{otherwise})")
}

/// The value that formulas take, and that of machine B.
fn write_in_force(
    page: &mut Page,
    index: usize,
    parameter: &MachineParameter,
    choices: &Choices,
) -> Result<(), XlsxError> {
    let row = FIRST_ROW + index as RowNum;
    let format = in_force_format(parameter);
    let other = page.book.model.other.as_ref();
    let other = other.map(|other| other.parameters[index].value);
    let own = own(&value_cell(page.book, index), parameter, choices, index);
    let name = row_col_to_cell(row, NAME);
    let formula = match scenarios::set_by_scenario(page.book, &parameter.name, &name) {
        Some(set) if set.is_always => set.value,
        Some(set) => format!("IF({},{},{own})", set.condition, set.value),
        None => own,
    };
    let mut write = |column: ColNum, formula: &str, shown: Option<f64>| match shown
        .or(absent(&parameter.name))
    {
        Some(number) => page.presentation(row, column, formula, &number.to_string(), &format),
        None => page.presented_text(row, column, formula, UNKNOWN, &format),
    };
    write(IN_FORCE, &formula, parameter.value)?;
    let on_other = picked(parameter, choices, index, "preset.B");
    other.map_or(Ok(()), |other| write(OTHER, &on_other, other))
}

/// A level that is not there has no bytes, a bandwidth that nobody knows none.
pub(super) fn in_force_format(parameter: &MachineParameter) -> Format {
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

/// What the input takes.
pub(super) fn validation(parameter: &MachineParameter) -> Result<DataValidation, XlsxError> {
    let (least, most) = parameter.range;
    let validation = DataValidation::new();
    let validation = match parameter.kind {
        ParameterKind::Switch => inputs::switch(),
        ParameterKind::Integer | ParameterKind::Size => inputs::whole(least, most),
        ParameterKind::Real => {
            validation.allow_decimal_number(DataValidationRule::Between(least, most))
        }
    };
    validation
        .set_input_title(&parameter.name)?
        .set_error_style(DataValidationErrorStyle::Stop)
        .set_error_title("Out of range")?
        .set_error_message(format!("{}: {}", parameter.name, allowed(parameter)))
}
