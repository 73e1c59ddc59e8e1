//! The sheet Control, on one page: the inputs that matter most, and beside them what they come to, next to what the figures
//! were when the workbook was written.

mod inputs;

use rust_xlsxwriter::utility::row_col_to_cell;
use rust_xlsxwriter::{
    ColNum, DataValidation, DataValidationErrorStyle, Formula, RowNum, Workbook, XlsxError,
};

use super::alternatives::{AlternativesSheet, write_found, write_note, write_until_changed};
use super::highlights;
use super::inputs::{define_name, write_value};
use super::layout::{Sheet, in_force};
use super::nests::NestSheets;
use super::page::{Book, Page, UNKNOWN};
use super::presets::{AS_WRITTEN, Choices};
use super::style::{self, Look, Role};
use super::{machine, parameters, scenarios, summary};
use crate::expr::CellNames;
use crate::listings::totals;
use crate::machine::parameters::{ParameterKind, absent};
use crate::wording::counted;

pub(super) use inputs::{
    Control, Controls, Of, PICK_A, PICK_B, PICK_SCENARIO, VALUE, control_cell,
};

const NAME: ColNum = 1;
const IN_FORCE: ColNum = 3;
const UNIT: ColNum = 4;
/// Results, beside the inputs.
const RESULT: ColNum = 6;
const WRITTEN: ColNum = 7;
const NOW: ColNum = 8;
const CHANGE: ColNum = 9;
const WIDTHS: [f64; 10] = [32.0, 28.0, 18.0, 16.0, 12.0, 3.0, 40.0, 16.0, 16.0, 12.0];
const FIRST_RESULT: RowNum = 3;

/// Gives the inputs that are here their names.
pub(super) fn define_names(workbook: &mut Workbook, book: Book) -> Result<(), XlsxError> {
    for control in book.layout.controls.all() {
        define_name(
            workbook,
            &control.name,
            Sheet::Control,
            (control.row, VALUE),
        )?;
    }
    Ok(())
}

pub(super) fn write<'a>(
    book: Book<'a>,
    nests: &NestSheets,
    alternatives: Option<&AlternativesSheet>,
) -> Result<Page<'a>, XlsxError> {
    let mut page = Page::new(Sheet::Control, book)?;
    for (column, width) in (0..).zip(WIDTHS) {
        page.worksheet.set_column_width(column, width)?;
    }
    page.title("Control")?;
    page.text(1, 0, "Input", &style::cell(Look::Text, Role::Input))?;
    let legend = "Change any of these; the results on the right update. Each input has one cell; all others are on Machine \
                  and Parameters.";
    page.text(1, 1, legend, &style::remark())?;
    write_picks(&mut page)?;
    for section in &book.layout.controls.sections {
        for (column, header, meaning) in [
            (0, section.title, "Description of the input"),
            (
                NAME,
                "Name",
                "Name for --set; also the defined name of the input",
            ),
            (
                VALUE,
                "Value",
                "The input. A machine input left as written is replaced by that of the machine picked.",
            ),
            (
                IN_FORCE,
                "In force",
                "The value used in formulas: that of the picked scenario, else this value, else that of the picked machine",
            ),
            (
                UNIT,
                "Unit",
                "Unit of the value; empty for a dimensionless number",
            ),
        ] {
            page.text(section.row, column, header, &style::header())?;
            write_note(&mut page, (section.row, column), meaning)?;
        }
        for control in &section.controls {
            write_control(&mut page, control)?;
        }
    }
    let row = write_totals(&mut page, nests)?;
    let row = match alternatives {
        Some(alternatives) => {
            let row = write_costliest(&mut page, alternatives, row)?;
            write_scenarios(&mut page, alternatives, row)?
        }
        None => row,
    };
    let last = book.layout.controls.end().max(row);
    page.worksheet
        .set_print_area(0, 0, last, WIDTHS.len() as ColNum - 1)?;
    style::print_setup(&mut page.worksheet);
    page.worksheet.set_print_fit_to_pages(1, 1);
    Ok(page)
}

/// The lists that machines and the scenario are picked from.
fn write_picks(page: &mut Page) -> Result<(), XlsxError> {
    let model = page.book.model;
    let choices = Choices::of(model);
    let other = model.other.as_ref().map(|other| other.name.clone());
    let list =
        |names: String| DataValidation::new().allow_list_formula(Formula::new(format!("={names}")));
    let mut pick = |(row, column): (RowNum, ColNum),
                    (label, picked): (&str, &str),
                    validation: DataValidation,
                    message: &str| {
        page.text(row, 0, label, &style::section())?;
        page.text(row, column, picked, &style::cell(Look::Text, Role::Input))?;
        let validation = validation
            .set_input_title(label)?
            .set_input_message(message)?
            .set_error_style(DataValidationErrorStyle::Stop)
            .set_error_title("Not in the list")?
            .set_error_message("Pick a name from the list")?;
        page.worksheet
            .add_data_validation(row, column, row, column, &validation)?;
        Ok::<(), XlsxError>(())
    };
    if choices.is_any() {
        let message = "All sheets follow; sheet Presets lists every figure";
        let label = ("Machine in force (A)", AS_WRITTEN);
        pick(PICK_A, label, list(choices.names()), message)?;
    }
    if let Some(other) = &other {
        let message = "Summary and sheet A and B show the times on both";
        let label = ("Compared with it (B)", other.as_str());
        pick(PICK_B, label, list(choices.names()), message)?;
    }
    if model.alternatives.is_some() {
        let message =
            "Its inputs are in force on all sheets; sheet Scenarios shows them all side by side";
        let label = ("Scenario in force", scenarios::FIRST_NAME);
        pick(PICK_SCENARIO, label, list(scenarios::names()), message)?;
    }
    if !choices.is_any() {
        let (row, column) = PICK_A;
        page.text(row, 0, "Machine in force (A)", &style::section())?;
        page.text(
            row,
            column,
            AS_WRITTEN,
            &style::cell(Look::Text, Role::Plain),
        )?;
    }
    Ok(())
}

fn write_control(page: &mut Page, control: &Control) -> Result<(), XlsxError> {
    let model = page.book.model;
    let row = control.row;
    let plain = style::cell(Look::Text, Role::Plain);
    page.text(row, NAME, &control.name, &plain)?;
    match control.of {
        Of::Machine(index) => {
            let parameter = &model.machine.parameters[index];
            let look = match parameter.kind {
                ParameterKind::Size => Look::Count,
                _ => Look::Number,
            };
            page.text(row, 0, &parameter.label, &plain)?;
            write_note(page, (row, 0), parameter.description)?;
            write_value(page, (row, VALUE), parameter.value, look, Role::Input)?;
            let validation = machine::validation(parameter)?;
            page.worksheet
                .add_data_validation(row, VALUE, row, VALUE, &validation)?;
            let format = machine::in_force_format(parameter);
            let name = in_force(&control.name);
            match parameter.value.or(absent(&control.name)) {
                Some(value) => {
                    page.presentation(row, IN_FORCE, &name, &value.to_string(), &format)?;
                }
                None => page.presented_text(row, IN_FORCE, &name, UNKNOWN, &format)?,
            }
            page.text(row, UNIT, parameter.unit, &plain)
        }
        Of::Parameter(index) => {
            let parameter = &model.parameters.rows()[index];
            page.text(row, 0, &parameter.label, &plain)?;
            page.text(row, UNIT, parameters::unit(parameter.kind), &plain)?;
            let role = parameters::role(parameter);
            write_value(
                page,
                (row, VALUE),
                Some(parameter.value),
                Look::Number,
                role,
            )?;
            let validation = parameters::validation(parameter.kind)?;
            page.worksheet
                .add_data_validation(row, VALUE, row, VALUE, &validation)?;
            let name = page.book.layout.names(Sheet::Control).symbol(&control.name);
            let format = style::cell(Look::Number, Role::Plain);
            page.presentation(row, IN_FORCE, &name, &parameter.value.to_string(), &format)
        }
    }
}

fn write_headings(page: &mut Page, row: RowNum, title: &str) -> Result<(), XlsxError> {
    for (column, header, meaning) in [
        (RESULT, title, "What is computed"),
        (
            WRITTEN,
            "As written",
            "Its value when the workbook was written, if that differs from now: empty while nothing has changed",
        ),
        (NOW, "Now", "Its value with the inputs in force"),
        (CHANGE, "Now / written", "Empty while nothing has changed"),
    ] {
        page.text(row, column, header, &style::header())?;
        write_note(page, (row, column), meaning)?;
    }
    Ok(())
}

/// The value as written, and what has become of it since: both are empty until the value is another one.
fn write_before(page: &mut Page, row: RowNum, (value, look): (f64, Look)) -> Result<(), XlsxError> {
    let now = row_col_to_cell(row, NOW);
    write_until_changed(page, (row, WRITTEN), &now, (value, look))?;
    write_change(page, row)
}

fn write_change(page: &mut Page, row: RowNum) -> Result<(), XlsxError> {
    let [written, now] = [WRITTEN, NOW].map(|column| row_col_to_cell(row, column));
    let formula = format!(
        "IF(AND(ISNUMBER({written}),ISNUMBER({now})),IF({written}=0,\" \",{now}/{written}),\" \")"
    );
    let ratio = style::cell(Look::Ratio, Role::Plain);
    page.presented_text(row, CHANGE, &formula, " ", &ratio)
}

/// Totals, and what bounds the time; returns the row after the last.
fn write_totals(page: &mut Page, nests: &NestSheets) -> Result<RowNum, XlsxError> {
    let model = page.book.model;
    let plain = style::cell(Look::Text, Role::Plain);
    write_headings(page, FIRST_RESULT, "Results")?;
    let mut row = FIRST_RESULT + 1;
    let all = totals::totals(model);
    for total in all[totals::headline(model)]
        .iter()
        .chain(&totals::whole(model))
    {
        let unit = match total.look {
            Look::Seconds => " [s]",
            _ => "",
        };
        page.text(row, RESULT, &format!("{}{unit}", total.name), &plain)?;
        page.figure(row, NOW, total.figure, total.look)?;
        match total.look {
            Look::Flops => {
                let format = style::cell(total.look, Role::Plain).set_num_format(style::FLOPS);
                page.worksheet.set_cell_format(row, NOW, &format)?;
            }
            Look::Bytes => {
                highlights::small_bytes(page, WRITTEN, (row, row))?;
                highlights::small_bytes(page, NOW, (row, row))?;
            }
            _ => {}
        }
        write_before(page, row, (model.value(total.figure), total.look))?;
        row += 1;
    }
    for (name, formula, share) in summary::bound_shares(model, nests) {
        let text = match model.left_out {
            None => format!("Share of the time bound by {name}"),
            Some(_) => format!("Time bound by {name}{}", totals::OF_LISTED),
        };
        page.text(row, RESULT, &text, &plain)?;
        let format = style::cell(Look::Share, Role::Plain);
        page.presentation(row, NOW, &formula, &share.to_string(), &format)?;
        write_before(page, row, (share, Look::Share))?;
        row += 1;
    }
    Ok(row + 1)
}

/// The nests that are the costliest now; returns the row after the last.
fn write_costliest(
    page: &mut Page,
    alternatives: &AlternativesSheet,
    row: RowNum,
) -> Result<RowNum, XlsxError> {
    write_headings(page, row, "The costliest nests now [s]")?;
    let first = row + 1;
    for (rank, row) in (0..alternatives.ranked.len()).zip(first..) {
        alternatives.write_name(page, (row, RESULT), rank)?;
        alternatives.write_own_time(page, (row, NOW), rank)?;
        let (formula, shown) = alternatives.time_as_written(rank);
        let seconds = style::cell(Look::Seconds, Role::Plain);
        page.presented_text(row, WRITTEN, &formula, shown, &seconds)?;
        write_change(page, row)?;
    }
    Ok(first + alternatives.ranked.len() as RowNum + 1)
}

/// All scenarios side by side; returns the row after the last.
fn write_scenarios(
    page: &mut Page,
    alternatives: &AlternativesSheet,
    row: RowNum,
) -> Result<RowNum, XlsxError> {
    let title = match alternatives.alternatives.nests.len() {
        own if own == page.book.model.nests.len() => {
            format!("Scenarios: {}", alternatives.scope())
        }
        own => format!("Scenarios: {}", counted(own, "nest")),
    };
    let meaning = format!(
        "The scenarios of sheet Scenarios: time of {}",
        alternatives.scope()
    );
    for (column, header, meaning) in [
        (RESULT, title.as_str(), meaning.as_str()),
        (
            NOW,
            "Time [s]",
            "With the inputs of the scenario, whichever is in force",
        ),
        (CHANGE, "Over base", "Below 1 where the scenario is faster"),
    ] {
        page.text(row, column, header, &style::header())?;
        write_note(page, (row, column), meaning)?;
    }
    page.text(row, WRITTEN, "", &style::header())?;
    let results = scenarios::results(page.book, alternatives);
    let first = row + 1;
    for (row, result) in (first..).zip(&results) {
        let text = style::cell(Look::Text, Role::Plain);
        page.presented_text(row, RESULT, &result.name_cell, result.name, &text)?;
        for (column, (cell, value), look) in [
            (NOW, &result.total, Look::Seconds),
            (CHANGE, &result.over_base, Look::Ratio),
        ] {
            write_found(
                page,
                (row, column),
                (cell, *value),
                (scenarios::PICK_IT, look),
            )?;
        }
    }
    Ok(first + results.len() as RowNum)
}
