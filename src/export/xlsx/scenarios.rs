//! The sheet Scenarios: named columns of inputs, of which a list on Control picks the one that is in force, and the times
//! with the inputs of each side by side.
//!
//! Figures of the machine leave the working sets of the nests as they are, so that times follow from these in every
//! column at once. Sizes, blocks and switches change what the nests do: a column that sets one of them shows its times
//! when it is picked, and says so until then.

use rust_xlsxwriter::utility::{column_number_to_name, row_col_to_cell, row_col_to_cell_absolute};
use rust_xlsxwriter::{Chart, ChartLegendPosition, ChartType, ColNum, RowNum, Workbook, XlsxError};

use super::alternatives::{
    AlternativesSheet, NOT_COMPARED, With, row_range, write_found, write_note,
};
use super::control::{Control, Controls, Of, PICK_SCENARIO, control_cell};
use super::inputs::{define_name, write_value};
use super::layout::{Sheet, fixed_column_range};
use super::page::{Book, Page, UNKNOWN};
use super::presets::Choices;
use super::style::{self, Look, Role};
use super::{machine, parameters};
use crate::machine::parameters::{ParameterKind, absent};
use crate::model::scenarios::{Blocks, IN_FORCE, SCENARIOS, in_scenario};
use crate::model::{Change, Model};

const POSITION_ROW: RowNum = 3;
const HEADER_ROW: RowNum = 5;
const FIRST_ROW: RowNum = 6;
const NAME: ColNum = 1;
const UNIT: ColNum = 2;
const BASE: ColNum = 3;
const LIVE: ColNum = 4;
const FIRST: ColNum = 5;
const COUNT: ColNum = SCENARIOS.len() as ColNum;
const LAST: ColNum = FIRST + COUNT - 1;
/// The values of every scenario, behind a gap.
const VALUES: ColNum = LAST + 2;
/// What a scenario is called whose inputs are those of the other sheets.
pub(super) const FIRST_NAME: &str = SCENARIOS[0].name;
/// What is said in place of a time that is not side by side.
pub(super) const PICK_IT: &str = "pick it";
const CHART_ROWS: RowNum = 16;
/// Rows for other figures of the machine.
const FREE: RowNum = 3;

/// The names of the scenarios, for the list to pick from.
pub(super) fn names() -> String {
    let cells = row_range(HEADER_ROW, FIRST, LAST);
    format!("{}!{cells}", Sheet::ScenarioInputs.name())
}

/// Where rows are that all scenarios have side by side, and those that count when they are picked.
struct Rows<'c> {
    side_by_side: Vec<(RowNum, &'c Control)>,
    picked: Vec<(RowNum, &'c Control)>,
}

impl<'c> Rows<'c> {
    fn of(controls: &'c Controls) -> Rows<'c> {
        let (side_by_side, picked): (Vec<_>, Vec<_>) =
            (controls.all()).partition(|control| control.is_side_by_side());
        let next = FIRST_ROW + side_by_side.len() as RowNum + 1;
        Rows {
            side_by_side: (FIRST_ROW..).zip(side_by_side).collect(),
            picked: (next..).zip(picked).collect(),
        }
    }

    fn all(&self) -> impl Iterator<Item = (RowNum, &'c Control)> {
        self.side_by_side.iter().chain(&self.picked).copied()
    }

    /// The first row for any other figure of the machine, which the reader names.
    fn free_row(&self) -> RowNum {
        self.all().last().map_or(FIRST_ROW, |(row, _)| row) + 1
    }

    /// The first and the last row of what counts when it is picked.
    fn of_picked(&self) -> (RowNum, RowNum) {
        let first = self.picked.first().map_or(self.free_row(), |(row, _)| *row);
        (first, self.free_row() + FREE - 1)
    }

    /// The row that counts what a scenario sets of the inputs that are not side by side.
    fn count_row(&self) -> RowNum {
        self.free_row() + FREE
    }

    fn total_row(&self) -> RowNum {
        self.count_row() + 3
    }
}

/// What the scenario in force makes of a figure of the machine.
pub(super) struct SetByScenario {
    /// Whether it sets it.
    pub condition: String,
    /// To what.
    pub value: String,
    /// Whether that is also the value where it does not set it.
    pub is_always: bool,
}

/// How a formula of another sheet asks for it; `name` is a cell with the name of the figure.
pub(super) fn set_by_scenario(book: Book, parameter: &str, name: &str) -> Option<SetByScenario> {
    book.model.alternatives.as_ref()?;
    let rows = Rows::of(&book.layout.controls);
    let sheet = Sheet::ScenarioInputs.name();
    let own = rows.all().find(|(_, control)| control.name == parameter);
    if let Some((row, _)) = own {
        let [base, live] =
            [BASE, LIVE].map(|column| format!("{sheet}!{}", row_col_to_cell_absolute(row, column)));
        return Some(SetByScenario {
            condition: format!("{live}<>{base}"),
            value: live,
            is_always: true,
        });
    }
    let (first, last) = (rows.free_row(), rows.free_row() + FREE - 1);
    let [names, values] =
        [NAME, LIVE].map(|column| format!("{sheet}!{}", fixed_column_range(column, first, last)));
    Some(SetByScenario {
        condition: format!("SUMPRODUCT(({names}={name})*ISNUMBER({values}))>0"),
        value: format!("SUMIF({names},{name},{values})"),
        is_always: false,
    })
}

/// Names of the position of the scenario in force, of values in it, and of values in every scenario.
pub(super) fn define_names(workbook: &mut Workbook, book: Book) -> Result<(), XlsxError> {
    if book.model.alternatives.is_none() {
        return Ok(());
    }
    let sheet = Sheet::ScenarioInputs;
    define_name(workbook, "scenario.A", sheet, (POSITION_ROW, BASE))?;
    debug_assert_eq!(IN_FORCE, "scenario.a");
    let rows = Rows::of(&book.layout.controls);
    for (row, control) in rows.side_by_side {
        for (number, column) in (VALUES..).take(SCENARIOS.len()).enumerate() {
            let name = in_scenario(&control.name, number);
            define_name(workbook, &name, sheet, (row, column))?;
        }
    }
    for (row, control) in rows.picked {
        if let Some(name) = book.layout.controls.in_force(&control.name) {
            define_name(workbook, name, sheet, (row, LIVE))?;
        }
    }
    Ok(())
}

/// A scenario's name, time and time over that of the base, with the cells that say so.
pub(super) struct ScenarioResult {
    pub name: &'static str,
    pub name_cell: String,
    pub total: (String, Option<f64>),
    pub over_base: (String, Option<f64>),
}

/// What each scenario comes to.
pub(super) fn results(book: Book, alternatives: &AlternativesSheet) -> Vec<ScenarioResult> {
    let rows = Rows::of(&book.layout.controls);
    let total = rows.total_row();
    let cell = |row: RowNum, column: ColNum| {
        let cell = row_col_to_cell(row, column);
        format!("{}!{cell}", Sheet::ScenarioInputs.name())
    };
    let written = |number: usize| written_total(book.model, alternatives, number);
    let of = |(number, scenario): (usize, &crate::model::scenarios::Scenario)| {
        let column = FIRST + number as ColNum;
        let over = written(number)
            .zip(written(0))
            .map(|(own, base)| own / base);
        ScenarioResult {
            name: scenario.name,
            name_cell: cell(HEADER_ROW, column),
            total: (cell(total, column), written(number)),
            over_base: (cell(total + 1, column), over),
        }
    };
    SCENARIOS.iter().enumerate().map(of).collect()
}

/// The time of all compared nests in a scenario when the workbook is written; unknown where it has to be picked.
fn written_total(model: &Model, alternatives: &AlternativesSheet, number: usize) -> Option<f64> {
    if !blocks_of(model, number).is_empty() {
        return None;
    }
    let (_, total) = alternatives.total(With::Scenario(number))?;
    Some(model.value(total)).filter(|value| value.is_finite())
}

/// The sizes of blocks that the best advice has, for the scenario with blocks.
fn blocks_of(model: &Model, number: usize) -> Vec<(String, f64)> {
    if SCENARIOS[number].blocks != Blocks::Advised {
        return Vec::new();
    }
    let blocks = model.advice.iter().find_map(|advice| match &advice.change {
        Change::Block(loops) => Some(loops),
        _ => None,
    });
    let size =
        |blocked: &crate::model::advice::BlockedLoop| (blocked.parameter.clone(), blocked.size);
    blocks.map_or_else(Vec::new, |loops| loops.iter().map(size).collect())
}

pub(super) fn write<'a>(
    book: Book<'a>,
    alternatives: &AlternativesSheet,
) -> Result<Page<'a>, XlsxError> {
    let mut page = Page::new(Sheet::ScenarioInputs, book)?;
    let rows = Rows::of(&book.layout.controls);
    let choices = Choices::of(book.model);
    page.title("Scenarios")?;
    let text = "Cells left empty are as on Control, Machine and Parameters (column Base). Control picks the scenario in force \
                on all sheets; the times of all scenarios are below.";
    page.text(1, 0, text, &style::remark())?;
    let plain = style::cell(Look::Text, Role::Plain);
    page.text(POSITION_ROW, 0, "Position of the scenario in force", &plain)?;
    let names = row_range(HEADER_ROW, FIRST, LAST);
    let formula = format!("MATCH({},{names},0)", control_cell(PICK_SCENARIO));
    let number = style::cell(Look::Number, Role::Plain);
    page.presentation(POSITION_ROW, BASE, &formula, "1", &number)?;
    write_headings(&mut page)?;
    for (row, control) in rows.all() {
        write_input(&mut page, (row, control), &choices)?;
    }
    let text = "A scenario that sets one of these shows its times when it is picked on Control:";
    let (first_picked, _) = rows.of_picked();
    page.text(first_picked - 1, 0, text, &style::remark())?;
    write_free(&mut page, rows.free_row())?;
    write_count(&mut page, &rows)?;
    let last = write_results(&mut page, &rows, alternatives)?;
    draw(&mut page, rows.total_row(), last + 2)?;
    page.worksheet.set_freeze_panes(FIRST_ROW, 1)?;
    page.worksheet
        .group_columns_collapsed(VALUES, VALUES + COUNT - 1)?;
    page.worksheet
        .set_print_area(0, 0, last + 2 + CHART_ROWS, LAST)?;
    style::print_setup(&mut page.worksheet);
    page.worksheet.set_print_fit_to_pages(1, 1);
    Ok(page)
}

fn write_headings(page: &mut Page) -> Result<(), XlsxError> {
    for (column, header, width, meaning) in [
        (0, "Input", 34.0, "Description of the input"),
        (
            NAME,
            "Name",
            28.0,
            "Name for --set; also the defined name of the input",
        ),
        (
            UNIT,
            "Unit",
            10.0,
            "Unit of the values; empty for a dimensionless number",
        ),
        (
            BASE,
            "Base",
            16.0,
            "The value without a scenario: of Control, Machine or Parameters",
        ),
        (
            LIVE,
            "In force",
            16.0,
            "The value in the scenario picked on Control, used by all sheets",
        ),
    ] {
        page.text(HEADER_ROW, column, header, &style::header())?;
        write_note(page, (HEADER_ROW, column), meaning)?;
        page.worksheet.set_column_width(column, width)?;
    }
    for (column, scenario) in (FIRST..).zip(&SCENARIOS) {
        let format = match column {
            FIRST => style::header(),
            _ => style::cell(Look::Text, Role::Input)
                .set_bold()
                .set_text_wrap(),
        };
        page.text(HEADER_ROW, column, scenario.name, &format)?;
        let meaning = match scenario.blocks {
            Blocks::InForce => {
                "Name of the scenario; the cells below are its inputs, empty ones as in column Base"
            }
            Blocks::Advised => {
                "Block sizes from the best advice; where there is none, choose your own"
            }
        };
        write_note(page, (HEADER_ROW, column), meaning)?;
        let values = column - FIRST + VALUES;
        let name = row_col_to_cell(HEADER_ROW, column);
        let formula = format!("\"Values: \"&{name}");
        let shown = format!("Values: {}", scenario.name);
        page.presented_text(HEADER_ROW, values, &formula, &shown, &style::header())?;
    }
    page.worksheet.set_column_range_width(FIRST, LAST, 16)?;
    page.worksheet
        .set_column_range_width(VALUES, VALUES + COUNT - 1, 16)?;
    page.worksheet.set_row_height(HEADER_ROW, 32)?;
    Ok(())
}

/// An input: its value without a scenario and in force, and what every scenario sets it to.
fn write_input(
    page: &mut Page,
    (row, control): (RowNum, &Control),
    choices: &Choices,
) -> Result<(), XlsxError> {
    let model = page.book.model;
    let plain = style::cell(Look::Text, Role::Plain);
    page.text(row, NAME, &control.name, &plain)?;
    let (base, value, look, label) = match control.of {
        Of::Machine(index) => {
            let parameter = &model.machine.parameters[index];
            let look = match parameter.kind {
                ParameterKind::Size => Look::Count,
                _ => Look::Number,
            };
            page.text(row, UNIT, parameter.unit, &plain)?;
            let validation = machine::validation(parameter)?;
            page.worksheet
                .add_data_validation(row, FIRST + 1, row, LAST, &validation)?;
            let value = parameter.value.or(absent(&control.name));
            (
                machine::base((page.book, choices), index),
                value,
                look,
                parameter.label.clone(),
            )
        }
        Of::Parameter(index) => {
            let parameter = &model.parameters.rows()[index];
            page.text(row, UNIT, parameters::unit(parameter.kind), &plain)?;
            let validation = parameters::validation(parameter.kind)?;
            page.worksheet
                .add_data_validation(row, FIRST + 1, row, LAST, &validation)?;
            let (value, label) = (Some(parameter.value), parameter.label.clone());
            (control.name.clone(), value, Look::Number, label)
        }
    };
    page.text(row, 0, &label, &plain)?;
    let format = match control.of {
        Of::Machine(index) => machine::in_force_format(&model.machine.parameters[index]),
        Of::Parameter(_) => style::cell(look, Role::Plain),
    };
    let mut show = |column: ColNum, formula: &str, value: Option<f64>| match value {
        Some(value) => page.presentation(row, column, formula, &value.to_string(), &format),
        None => page.presented_text(row, column, formula, UNKNOWN, &format),
    };
    show(BASE, &base, value)?;
    let base = row_col_to_cell(row, BASE);
    let live = format!("INDEX({},1,scenario.A)", row_range(row, FIRST, LAST));
    show(LIVE, &format!("IF({live}=\"\",{base},{live})"), value)?;
    let fixed = format!("${}{}", column_number_to_name(BASE), row + 1);
    for (number, scenario) in SCENARIOS.iter().enumerate() {
        let column = FIRST + number as ColNum;
        let factors = scenario.factors.iter();
        let factor = factors.into_iter().find(|(name, _)| *name == control.name);
        let factor = factor.map(|(_, factor)| *factor);
        write_cell(page, (row, column), control, (factor, value, look))?;
        if control.is_side_by_side() {
            let own = row_col_to_cell(row, column);
            let formula = format!("IF({own}=\"\",{fixed},{own})");
            let value = value.map(|value| value * factor.unwrap_or(1.0));
            let format = style::cell(look, Role::Plain);
            let values = (row, VALUES + number as ColNum);
            write_number_or_unknown(page, values, (&formula, value), &format)?;
        }
    }
    Ok(())
}

fn write_number_or_unknown(
    page: &mut Page,
    (row, column): (RowNum, ColNum),
    (formula, value): (&str, Option<f64>),
    format: &rust_xlsxwriter::Format,
) -> Result<(), XlsxError> {
    match value {
        Some(value) => page.presentation(row, column, formula, &value.to_string(), format),
        None => page.presented_text(row, column, formula, UNKNOWN, format),
    }
}

/// What a scenario sets an input to, if it does.
fn write_cell(
    page: &mut Page,
    (row, column): (RowNum, ColNum),
    control: &Control,
    (factor, value, look): (Option<f64>, Option<f64>, Look),
) -> Result<(), XlsxError> {
    let format = style::cell(look, Role::Input);
    if column == FIRST {
        page.worksheet
            .write_blank(row, column, &style::cell(look, Role::Plain))?;
        return Ok(());
    }
    if let Some(factor) = factor {
        let base = format!("${}{}", column_number_to_name(BASE), row + 1);
        let formula = format!("IF(ISNUMBER({base}),{base}*{factor},{base})");
        let value = value.map(|value| value * factor);
        return write_number_or_unknown(page, (row, column), (&formula, value), &format);
    }
    let number = usize::from(column - FIRST);
    let blocks = blocks_of(page.book.model, number);
    let size = blocks.iter().find(|(name, _)| *name == control.name);
    write_value(
        page,
        (row, column),
        size.map(|(_, size)| *size),
        look,
        Role::Input,
    )
}

/// Rows for any other figure of the machine: also for one that is to be as it was written on a machine that is picked.
fn write_free(page: &mut Page, first: RowNum) -> Result<(), XlsxError> {
    let plain = style::cell(Look::Text, Role::Plain);
    let taken = |name: &str| page.book.layout.controls.row(name).is_some();
    let others = page.book.model.machine.parameters.iter();
    let others: Vec<&str> = (others.map(|parameter| parameter.name.as_str()))
        .filter(|name| !taken(name))
        .collect();
    let example = others.first().copied().unwrap_or_default();
    for row in first..first + FREE {
        page.text(row, 0, "Any other figure of the machine", &plain)?;
        let meaning = format!(
            "Write its name as on sheet Machine, such as {example}, and its values to the right"
        );
        write_note(page, (row, NAME), &meaning)?;
        page.worksheet
            .write_blank(row, NAME, &style::cell(Look::Text, Role::Input))?;
        let live = format!("INDEX({},1,scenario.A)", row_range(row, FIRST, LAST));
        let formula = format!("IF({live}=\"\",\" \",{live})");
        page.presented_text(
            row,
            LIVE,
            &formula,
            " ",
            &style::cell(Look::Number, Role::Plain),
        )?;
        for column in FIRST..=LAST {
            let role = match column {
                FIRST => Role::Plain,
                _ => Role::Input,
            };
            page.worksheet
                .write_blank(row, column, &style::cell(Look::Number, role))?;
        }
    }
    Ok(())
}

/// How many inputs each scenario sets that are not side by side.
fn write_count(page: &mut Page, rows: &Rows) -> Result<(), XlsxError> {
    let row = rows.count_row();
    let plain = style::cell(Look::Text, Role::Plain);
    let number = style::cell(Look::Number, Role::Plain);
    page.text(row, 0, "Number of these that it sets", &plain)?;
    for (index, _) in SCENARIOS.iter().enumerate() {
        let column = FIRST + index as ColNum;
        let count = blocks_of(page.book.model, index).len();
        let (first, last) = rows.of_picked();
        let [first, last] = [first, last].map(|row| row_col_to_cell(row, column));
        let formula = format!("COUNT({first}:{last})");
        page.presentation(row, column, &formula, &count.to_string(), &number)?;
    }
    let live = format!("INDEX({},1,scenario.A)", row_range(row, FIRST, LAST));
    page.presentation(row, LIVE, &live, "0", &number)
}

/// The formula of a result: that in force in the column that is picked, else that of the column, where it is side by side.
fn side_by_side(rows: &Rows, number: usize, in_force: &str, own: &str) -> String {
    let [live, column] = [LIVE, FIRST + number as ColNum].map(column_number_to_name);
    let row = rows.count_row() + 1;
    let position = number + 1;
    format!(
        "IF(scenario.A={position},{in_force},IF(${live}${row}+{column}${row}>0,\"{PICK_IT}\",{own}))"
    )
}

/// Times of all scenarios; returns the last row.
fn write_results(
    page: &mut Page,
    rows: &Rows,
    alternatives: &AlternativesSheet,
) -> Result<RowNum, XlsxError> {
    let model = page.book.model;
    let plain = style::cell(Look::Text, Role::Plain);
    let total = rows.total_row();
    page.text(total - 1, 0, "Time [s]", &style::header())?;
    write_note(
        page,
        (total - 1, 0),
        "Seconds, over all calls where these are followed",
    )?;
    for column in NAME..=LAST {
        match column {
            LIVE.. => {
                let cell = row_col_to_cell(HEADER_ROW, column);
                let shown = match column {
                    LIVE => "In force",
                    _ => SCENARIOS[usize::from(column - FIRST)].name,
                };
                page.presented_text(total - 1, column, &cell, shown, &style::header())?;
            }
            _ => page.text(total - 1, column, "", &style::header())?,
        }
    }
    page.worksheet.set_row_height(total - 1, 32)?;
    let text = format!("Together: {}", alternatives.scope());
    page.text(total, 0, &text, &plain)?;
    page.text(total + 1, 0, "Relative to the base", &plain)?;
    let own = alternatives.total(With::Own);
    if let Some((cell, id)) = &own {
        let value = Some(model.value(*id)).filter(|value| value.is_finite());
        let cells = (cell.as_str(), value);
        write_found(page, (total, LIVE), cells, (UNKNOWN, Look::Seconds))?;
    }
    let base = format!("${}${}", column_number_to_name(FIRST), total + 1);
    for number in 0..SCENARIOS.len() {
        let column = FIRST + number as ColNum;
        let Some(((in_force, _), (cell, _))) =
            own.as_ref().zip(alternatives.total(With::Scenario(number)))
        else {
            continue;
        };
        let value = written_total(model, alternatives, number);
        let formula = side_by_side(rows, number, in_force, &cell);
        let otherwise = (PICK_IT, Look::Seconds);
        write_found(page, (total, column), (&formula, value), otherwise)?;
        let cell = row_col_to_cell(total, column);
        let formula =
            format!("IF(AND(ISNUMBER({cell}),ISNUMBER({base})),{cell}/{base},\"{PICK_IT}\")");
        let over = value.zip(written_total(model, alternatives, 0));
        let over = over.map(|(own, base)| own / base);
        let otherwise = (PICK_IT, Look::Ratio);
        write_found(page, (total + 1, column), (&formula, over), otherwise)?;
    }
    for (rank, row) in (0..alternatives.ranked.len()).zip(total + 2..) {
        alternatives.write_name(page, (row, 0), rank)?;
        alternatives.write_own_time(page, (row, LIVE), rank)?;
        let live = format!("${}{}", column_number_to_name(LIVE), row + 1);
        for number in 0..SCENARIOS.len() {
            let (own, value) = alternatives.time(rank, With::Scenario(number));
            let formula = side_by_side(rows, number, &live, &own);
            let is_picked = !blocks_of(model, number).is_empty();
            let otherwise = if is_picked { PICK_IT } else { NOT_COMPARED };
            // The base is in force when the workbook is written, also of a nest that is not compared.
            let value = match number {
                0 => model
                    .ranking
                    .seconds(alternatives.ranked[rank])
                    .map(|id| model.value(id)),
                _ => value.filter(|_| !is_picked),
            };
            let cell = (row, FIRST + number as ColNum);
            write_found(page, cell, (&formula, value), (otherwise, Look::Seconds))?;
        }
    }
    Ok(total + 1 + alternatives.ranked.len() as RowNum)
}

/// The times of all compared nests, a column a scenario.
fn draw(page: &mut Page, total: RowNum, row: RowNum) -> Result<(), XlsxError> {
    let sheet = Sheet::ScenarioInputs.name();
    let mut chart = Chart::new(ChartType::Column);
    chart
        .add_series()
        .set_name("Time")
        .set_categories((sheet, HEADER_ROW, FIRST, HEADER_ROW, LAST))
        .set_values((sheet, total, FIRST, total, LAST))
        .set_gap(60);
    chart
        .title()
        .set_name("Time of the scenarios (no bar: pick it on Control)");
    chart.y_axis().set_name("seconds").set_min(0);
    chart
        .legend()
        .set_position(ChartLegendPosition::Bottom)
        .set_hidden();
    chart.set_width(1300).set_height(CHART_ROWS * 20 - 10);
    page.worksheet.insert_chart(row, 0, &chart)?;
    Ok(())
}
