//! The sheet Parameters: block sizes, problem sizes, trip counts and probabilities as named cells.

use std::collections::HashMap;

use rust_xlsxwriter::{ColNum, DataValidation, DataValidationRule, RowNum, Workbook, XlsxError};

use super::control::control_cell;
use super::inputs;
use super::layout::{Sheet, fixed_column_range};
use super::page::{Book, Page};
use super::printing::PrintedRows;
use super::style::{self, Look, Role};
use crate::listings::inputs::{idle_guesses, kind_of_given, of_listed, ordered, origin_of};
use crate::model::Model;
use crate::model::influence::{Influences, Standing, influence};
use crate::model::parameters::{Kind, Row};

const HEADER_ROW: RowNum = 4;
const FIRST_ROW: RowNum = 5;
const VALUE: ColNum = 2;
const SHARE: ColNum = 3;

/// Of the names' columns.
const WIDEST: f64 = 70.0;
const COLUMNS: [(&str, f64); 8] = [
    ("Name", 26.0),
    ("In the source", 30.0),
    ("Value", 18.0),
    ("Share of time, as written", 16.0),
    ("Kind", 14.0),
    ("Value comes from", 40.0),
    ("Defined as", 34.0),
    ("Functions", 50.0),
];

/// Gives the value cells their names.
pub(super) fn define_names(workbook: &mut Workbook, book: Book) -> Result<(), XlsxError> {
    let influences = influence(book.model);
    for (row, (_, parameter, _)) in (FIRST_ROW..).zip(ordered(book.model, &influences)) {
        if book.layout.controls.row(&parameter.name).is_none() {
            inputs::define_name(workbook, &parameter.name, Sheet::Parameters, (row, VALUE))?;
        }
    }
    Ok(())
}

/// All values, and the sum of them each times its row as Excel counts it.
pub(super) fn weighted(model: &Model) -> (String, f64) {
    let rows = ordered(model, &influence(model));
    let last = FIRST_ROW + (rows.len() as RowNum).max(1) - 1;
    let range = fixed_column_range(VALUE, FIRST_ROW, last);
    let terms = (FIRST_ROW + 1..).zip(&rows);
    let sum = terms
        .map(|(row, (_, parameter, _))| parameter.value * f64::from(row))
        .sum();
    (format!("{}!{range}", Sheet::Parameters.name()), sum)
}

pub(super) fn write(book: Book<'_>) -> Result<Page<'_>, XlsxError> {
    let mut page = Page::new(Sheet::Parameters, book)?;
    page.title("Parameters")?;
    let influences = influence(book.model);
    let Influences {
        all, on_guesses, ..
    } = &influences;
    let shares: HashMap<&str, f64> = all
        .iter()
        .map(|found| (found.row.name.as_str(), found.share))
        .collect();
    let guessed = format!(
        "The same, but its value is unknown and only chosen so that loops run. When this was written, {:.1} % of the time{} \
         depended on guessed sizes and trip counts.{}",
        100.0 * on_guesses,
        of_listed(book.model),
        idle_guesses(&influences).map_or_else(String::new, |idle| format!(" {idle}."))
    );
    let legends = [
        (
            1,
            "Input",
            Role::Input,
            "Change one and every sheet follows; which assignments of the source it lets happen stays as it was written, and --set \
             decides that anew. Those without a colour are on Control, with block sizes.",
        ),
        (2, "Guessed", Role::Guessed, guessed.as_str()),
        (
            3,
            "Derived",
            Role::Derived,
            "Follows from others as the source defines it; a number may replace the formula.",
        ),
    ];
    for (row, name, role, legend) in legends {
        page.text(row, 0, name, &style::cell(Look::Text, role))?;
        page.text(row, 1, legend, &style::remark())?;
    }
    for (column, (header, width)) in (0..).zip(COLUMNS) {
        let header = match (column, book.model.left_out) {
            (SHARE, Some(_)) => "Share of time of listed nests, as written",
            _ => header,
        };
        page.text(HEADER_ROW, column, header, &style::header())?;
        page.worksheet.set_column_width(column, width)?;
    }
    let ordered = ordered(book.model, &influences);
    let rows: Vec<&Row> = ordered.iter().map(|(_, row, _)| *row).collect();
    let texts: [fn(&Row) -> &str; 2] = [|row| &row.name, |row| &row.label];
    for (column, text) in (0..).zip(texts) {
        let longest = rows
            .iter()
            .map(|row| text(row).chars().count())
            .max()
            .unwrap_or(0) as f64;
        page.worksheet.set_column_width(
            column,
            (longest + 3.0).clamp(COLUMNS[usize::from(column)].1, WIDEST),
        )?;
    }
    for (row, (_, parameter, standing)) in (FIRST_ROW..).zip(&ordered) {
        let share = shares.get(parameter.name.as_str());
        write_parameter(&mut page, row, (parameter, *standing), share.copied())?;
    }
    // A sheet holds fewer validations than a large program has parameters: one for each run of a kind.
    let mut first = FIRST_ROW;
    for run in rows.chunk_by(|a, b| a.kind == b.kind) {
        let last = first + run.len() as RowNum - 1;
        page.worksheet
            .add_data_validation(first, VALUE, last, VALUE, &validation(run[0].kind)?)?;
        first = last + 1;
    }
    let last_row = FIRST_ROW + (rows.len() as RowNum).max(1) - 1;
    page.worksheet.set_row_height(HEADER_ROW, 32)?;
    page.worksheet.set_freeze_panes(FIRST_ROW, 1)?;
    page.worksheet
        .autofilter(HEADER_ROW, 0, last_row, COLUMNS.len() as ColNum - 1)?;
    page.worksheet.set_repeat_rows(HEADER_ROW, HEADER_ROW)?;
    style::print_setup(&mut page.worksheet);
    let rows = PrintedRows {
        first: FIRST_ROW,
        lines: &vec![1; rows.len()],
        last_column: COLUMNS.len() as ColNum - 1,
        breaks: &[],
    };
    page.text(0, 3, &rows.remark(), &style::remark())?;
    rows.set_print_area(&mut page)?;
    Ok(page)
}

fn write_parameter(
    page: &mut Page,
    row: RowNum,
    (parameter, standing): (&Row, Option<Standing>),
    share: Option<f64>,
) -> Result<(), XlsxError> {
    let plain = style::cell(Look::Text, Role::Plain);
    page.text(row, 0, &parameter.name, &plain)?;
    page.text(row, 1, &parameter.label, &plain)?;
    match parameter
        .definition
        .as_ref()
        .filter(|definition| definition.as_number().is_none())
    {
        Some(definition) => {
            let format = style::cell(Look::Number, Role::Derived);
            page.expression(row, VALUE, definition, parameter.value, &format)?;
        }
        None => match page.book.layout.controls.row(&parameter.name) {
            Some(control) => {
                let cell = control_cell((control, VALUE));
                let shown = parameter.value.to_string();
                let format = style::cell(Look::Number, Role::Plain);
                page.presentation(row, VALUE, &cell, &shown, &format)?;
            }
            None => {
                let value = (row, VALUE);
                let role = role(parameter);
                inputs::write_value(page, value, Some(parameter.value), Look::Number, role)?;
            }
        },
    }
    if let Some(share) = share {
        // As text: it does not follow what is edited.
        let share = format!("{:.1} %", 100.0 * share);
        page.text(row, SHARE, &share, &plain)?;
    }
    page.text(row, 4, kind_of_given(parameter.kind, standing), &plain)?;
    page.text(row, 5, &origin_of(parameter), &plain)?;
    let definition = parameter
        .definition
        .as_ref()
        .map(std::string::ToString::to_string)
        .unwrap_or_default();
    page.text(row, 6, &definition, &plain)?;
    let functions = parameter.functions.join(", ");
    page.text(row, 7, &functions, &style::wrapped())?;
    let lines = style::lines(&functions, COLUMNS[7].1);
    page.worksheet
        .set_row_height(row, style::row_height(lines))?;
    Ok(())
}

/// What the cell of a parameter that no other defines is.
pub(super) fn role(parameter: &Row) -> Role {
    match parameter.kind {
        Kind::Block => Role::Input,
        _ if parameter.is_guessed() => Role::Guessed,
        _ => Role::Input,
    }
}

/// What its value counts; nothing where that is the program's own business.
pub(super) fn unit(kind: Kind) -> &'static str {
    match kind {
        Kind::Block | Kind::TripCount => "iterations",
        Kind::Processes => "processes",
        Kind::Neighbours => "neighbours",
        Kind::Problem | Kind::Real | Kind::Probability => "",
    }
}

pub(super) fn validation(kind: Kind) -> Result<DataValidation, XlsxError> {
    const LARGEST: f64 = 1e15;
    let rule = DataValidation::new();
    let (rule, message) = match kind {
        Kind::Block => {
            let rule = rule.allow_whole_number(DataValidationRule::Between(0, i32::MAX));
            (rule, "A whole number; 0 means not blocked")
        }
        Kind::Problem | Kind::Processes | Kind::Neighbours => (
            inputs::whole(-LARGEST, LARGEST),
            "A whole number up to 1e15",
        ),
        Kind::Real => {
            let rule = rule.allow_decimal_number(DataValidationRule::Between(-LARGEST, LARGEST));
            (rule, "A number up to 1e15")
        }
        Kind::TripCount => {
            let rule = rule.allow_decimal_number(DataValidationRule::Between(0.0, LARGEST));
            (rule, "A number from 0 to 1e15; a mean is allowed")
        }
        Kind::Probability => {
            let rule = rule.allow_decimal_number(DataValidationRule::Between(0.0, 1.0));
            (rule, "A probability is between 0 and 1")
        }
    };
    rule.set_error_title("Out of range")?
        .set_error_message(message)
}
