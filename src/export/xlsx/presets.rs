//! The sheet Presets: a column a machine, first the one that the workbook was written for; what sheet Control picks from.

use rust_xlsxwriter::utility::column_number_to_name;
use rust_xlsxwriter::{ColNum, RowNum, Workbook, XlsxError};

use super::control::{PICK_A, PICK_B, control_cell};
use super::inputs;
use super::layout::Sheet;
use super::machine;
use super::page::{Book, Page, UNKNOWN};
use super::style::{self, Look, Role};
use crate::machine::{MachineModel, MachineParameter, preset_names};
use crate::model::{Detail, Model};

/// What the machine that the workbook was written for is called among the presets.
pub(super) const AS_WRITTEN: &str = "as written";

const PICKED_ROW: RowNum = 2;
const GROUP_ROW: RowNum = 5;
const NAME_ROW: RowNum = 6;
const TITLE_ROW: RowNum = 7;
/// Width of a column of values.
const NARROW: f64 = 16.0;
const FIRST_ROW: RowNum = 8;
const FIRST: ColNum = 1;
/// Columns right of the first one that the heads need on paper.
const PRINTED_WIDE: ColNum = 8;
/// Names of the cells with the positions of machines A and B.
const PICKED: [(&str, &str); 2] = [
    ("preset.A", "Position of machine A"),
    ("preset.B", "Position of machine B"),
];

/// What a preset says of each parameter.
#[derive(Clone, Copy)]
pub(super) enum Says {
    Value,
    Source,
    Note,
}

/// The machines that a workbook offers.
pub(super) struct Choices {
    /// After the one as written.
    presets: Vec<MachineModel>,
}

impl Choices {
    /// Every preset, if the formulas hold for every machine.
    pub fn of(model: &Model) -> Choices {
        let all = preset_names().filter(|_| model.figures.detail() == Detail::AnyMachine);
        Choices {
            presets: all
                .filter_map(|name| MachineModel::preset(name).ok())
                .map(|preset| preset.used_as(&model.machine))
                .collect(),
        }
    }

    pub fn is_any(&self) -> bool {
        !self.presets.is_empty()
    }

    /// All that a preset says of one parameter, as formulas write it.
    pub fn row(&self, parameter: usize, says: Says) -> String {
        self.range(FIRST_ROW + parameter as RowNum, says)
    }

    /// The names in the sheet, for the list to pick from.
    pub fn names(&self) -> String {
        self.range(NAME_ROW, Says::Value)
    }

    pub fn titles(&self) -> String {
        self.range(TITLE_ROW, Says::Value)
    }

    fn range(&self, row: RowNum, says: Says) -> String {
        let first = self.first(says);
        let last = first + self.presets.len() as ColNum;
        let [first, last] = [first, last].map(column_number_to_name);
        format!(
            "{0}!${first}${1}:${last}${1}",
            Sheet::Presets.name(),
            row + 1
        )
    }

    /// The first column of a block, the machine as written.
    fn first(&self, says: Says) -> ColNum {
        let width = self.presets.len() as ColNum + 1;
        FIRST + says as ColNum * (width + 1)
    }
}

/// Gives the positions their names.
pub(super) fn define_names(workbook: &mut Workbook, _: Book) -> Result<(), XlsxError> {
    for (row, (name, _)) in (PICKED_ROW..).zip(PICKED) {
        inputs::define_name(workbook, name, Sheet::Presets, (row, FIRST))?;
    }
    Ok(())
}

pub(super) fn write(book: Book<'_>) -> Result<Page<'_>, XlsxError> {
    let mut page = Page::new(Sheet::Presets, book)?;
    let choices = Choices::of(book.model);
    page.title("Presets")?;
    let text = "What sheet Control picks from: the machine as written with its values there, and every preset. Only the picked \
                ones are printed.";
    page.text(1, 0, text, &style::remark())?;
    write_picked(&mut page, &choices)?;
    let own = &book.model.machine;
    page.text(NAME_ROW, 0, "Name", &style::header())?;
    page.worksheet.set_column_width(0, 20)?;
    for (row, parameter) in (FIRST_ROW..).zip(&own.parameters) {
        page.text(
            row,
            0,
            &parameter.name,
            &style::cell(Look::Text, Role::Plain),
        )?;
    }
    for (index, (says, group)) in [
        (Says::Value, "Values"),
        (Says::Source, "Sources"),
        (Says::Note, "Notes"),
    ]
    .into_iter()
    .enumerate()
    {
        let first = choices.first(says);
        let last = first + choices.presets.len() as ColNum;
        if first == last {
            page.text(GROUP_ROW, first, group, &style::group(index))?;
        } else {
            page.worksheet.merge_range(
                GROUP_ROW,
                first,
                GROUP_ROW,
                last,
                group,
                &style::group(index),
            )?;
        }
        page.worksheet.set_column_range_width(
            first,
            last,
            if matches!(says, Says::Value) {
                NARROW
            } else {
                24.0
            },
        )?;
        write_own(&mut page, first, says)?;
        for (column, preset) in (first + 1..).zip(&choices.presets) {
            write_heads(
                &mut page,
                column,
                &preset.name,
                &format!("{} ({})", preset.title, preset.name),
            )?;
            for (row, parameter) in (FIRST_ROW..).zip(&preset.parameters) {
                write_said(&mut page, (row, column), parameter, says)?;
            }
        }
    }
    let titles = choices
        .presets
        .iter()
        .chain([own])
        .map(|machine| format!("{} ({})", machine.title, machine.name));
    let lines = titles
        .map(|title| style::lines(&title, NARROW - 4.0))
        .max()
        .unwrap_or(1);
    page.worksheet
        .set_row_height(TITLE_ROW, style::row_height(lines))?;
    page.worksheet.set_freeze_panes(FIRST_ROW, 1)?;
    page.worksheet
        .set_print_area(0, 0, GROUP_ROW - 1, FIRST + PRINTED_WIDE)?;
    style::print_setup(&mut page.worksheet);
    Ok(page)
}

/// Which machines are picked on sheet Control, as positions in the list.
fn write_picked(page: &mut Page, choices: &Choices) -> Result<(), XlsxError> {
    let names = fixed_row(choices);
    let other = page.book.model.other.as_ref().and_then(|other| {
        choices
            .presets
            .iter()
            .position(|preset| preset.name == other.name)
            .map(|position| position + 2)
    });
    let picks = [(PICK_A, Some(1)), (PICK_B, other)];
    for (row, ((_, label), (pick, position))) in (PICKED_ROW..).zip(PICKED.into_iter().zip(picks)) {
        let Some(position) = position else { continue };
        page.text(row, 0, label, &style::cell(Look::Text, Role::Plain))?;
        let cell = control_cell(pick);
        let formula = format!("MATCH({cell},{names},0)");
        page.presentation(
            row,
            FIRST,
            &formula,
            &position.to_string(),
            &style::cell(Look::Number, Role::Plain),
        )?;
    }
    Ok(())
}

/// The names, as formulas of this sheet write them.
fn fixed_row(choices: &Choices) -> String {
    let names = choices.names();
    names
        .rsplit_once('!')
        .map_or(names.clone(), |(_, cells)| cells.to_string())
}

fn write_heads(page: &mut Page, column: ColNum, name: &str, title: &str) -> Result<(), XlsxError> {
    page.text(NAME_ROW, column, name, &style::header())?;
    page.text(TITLE_ROW, column, title, &style::wrapped())
}

/// The machine as written, with the values that its cells have.
fn write_own(page: &mut Page, column: ColNum, says: Says) -> Result<(), XlsxError> {
    let own = page.book.model.machine.clone();
    write_heads(
        page,
        column,
        AS_WRITTEN,
        &format!("{} ({})", own.title, own.name),
    )?;
    for (index, parameter) in own.parameters.iter().enumerate() {
        let row = FIRST_ROW + index as RowNum;
        if !matches!(says, Says::Value) {
            write_said(page, (row, column), parameter, says)?;
            continue;
        }
        let cell = machine::value_cell(page.book, index);
        let cleared = parameter
            .value
            .map_or_else(|| format!("\"{UNKNOWN}\""), |value| value.to_string());
        let formula = format!("IF({cell}=\"\",{cleared},{cell})");
        let format = style::cell(Look::Number, Role::Plain);
        match parameter.value {
            Some(value) => page.presentation(row, column, &formula, &value.to_string(), &format)?,
            None => page.presented_text(row, column, &formula, UNKNOWN, &format)?,
        }
    }
    Ok(())
}

fn write_said(
    page: &mut Page,
    (row, column): (RowNum, ColNum),
    parameter: &MachineParameter,
    says: Says,
) -> Result<(), XlsxError> {
    let text = match says {
        Says::Value => {
            let format = style::cell(Look::Number, Role::Plain);
            return parameter
                .value
                .map_or(Ok(()), |value| page.number(row, column, value, &format));
        }
        Says::Source if parameter.value.is_none() => UNKNOWN,
        Says::Source => &parameter.source,
        Says::Note => &parameter.note,
    };
    if text.is_empty() {
        Ok(())
    } else {
        page.text(row, column, text, &style::cell(Look::Text, Role::Plain))
    }
}
