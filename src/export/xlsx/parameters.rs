//! The sheet Parameters: block sizes, problem sizes, trip counts and probabilities as named cells.

use rust_xlsxwriter::{ColNum, DataValidation, DataValidationRule, RowNum, Workbook, XlsxError};

use super::inputs;
use super::layout::Sheet;
use super::page::{Book, Page};
use super::style::{self, Look, Role};
use crate::listings::inputs::{kind, origin};
use crate::model::Model;
use crate::model::influence::{Influence, influence};
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
    ("Share of time", 14.0),
    ("Kind", 14.0),
    ("Value comes from", 40.0),
    ("Defined as", 34.0),
    ("Functions", 50.0),
];

/// Gives the value cells their names.
pub(super) fn define_names(workbook: &mut Workbook, book: Book) -> Result<(), XlsxError> {
    for (row, (parameter, _)) in (FIRST_ROW..).zip(ordered(book.model)) {
        inputs::define_name(workbook, &parameter.name, Sheet::Parameters, (row, VALUE))?;
    }
    Ok(())
}

/// The parameters, each with the share of the time that rests on it: sizes of blocks, what the program is given, how
/// often loops run and branches are taken, and what follows from others; in each of these those first that most time
/// rests on.
fn ordered<'m>(model: &'m Model) -> Vec<(&'m Row, Option<f64>)> {
    let blocks = model.parameters.rows().iter();
    let blocks = blocks.filter(|row| row.kind == Kind::Block);
    let mut rest: Vec<Influence> = influence(model).all;
    rest.sort_by_key(|parameter| match parameter.row.kind {
        _ if parameter.row.is_root() => 0,
        Kind::TripCount => 1,
        Kind::Probability => 2,
        Kind::Block | Kind::Problem | Kind::Processes | Kind::Neighbours => 3,
    });
    let rest = rest.iter().map(|found| (found.row, Some(found.share)));
    blocks.map(|row| (row, None)).chain(rest).collect()
}

pub(super) fn write(book: Book<'_>) -> Result<Page<'_>, XlsxError> {
    let mut page = Page::new(Sheet::Parameters, book)?;
    page.title("Parameters")?;
    let legends = [
        (
            1,
            "Input",
            Role::Input,
            "Change one and every sheet follows. Block sizes of 0 mean: not blocked.",
        ),
        (
            2,
            "Guessed",
            Role::Guessed,
            "The same, but nothing says what it is: the value only lets loops run.",
        ),
        (
            3,
            "Derived",
            Role::Derived,
            "Follows from others as the source says; a number may replace the formula.",
        ),
    ];
    for (row, name, role, legend) in legends {
        page.text(row, 0, name, &style::cell(Look::Text, role))?;
        page.text(row, 1, legend, &style::remark())?;
    }
    for (column, (header, width)) in (0..).zip(COLUMNS) {
        page.text(HEADER_ROW, column, header, &style::header())?;
        page.worksheet.set_column_width(column, width)?;
    }
    let ordered = ordered(book.model);
    let rows: Vec<&Row> = ordered.iter().map(|(row, _)| *row).collect();
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
    for (row, (parameter, share)) in (FIRST_ROW..).zip(&ordered) {
        write_parameter(&mut page, row, parameter, *share)?;
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
    page.worksheet.set_row_height(HEADER_ROW, 24)?;
    page.worksheet.set_freeze_panes(FIRST_ROW, 1)?;
    page.worksheet
        .autofilter(HEADER_ROW, 0, last_row, COLUMNS.len() as ColNum - 1)?;
    page.worksheet.set_repeat_rows(HEADER_ROW, HEADER_ROW)?;
    style::print_setup(&mut page.worksheet);
    Ok(page)
}

fn write_parameter(
    page: &mut Page,
    row: RowNum,
    parameter: &Row,
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
        None => inputs::write_value(
            page,
            (row, VALUE),
            Some(parameter.value),
            Look::Number,
            match parameter.kind {
                Kind::Block => Role::Input,
                _ if parameter.is_guessed() => Role::Guessed,
                _ => Role::Input,
            },
        )?,
    }
    if let Some(share) = share {
        let format = style::cell(Look::Share, Role::Plain);
        page.number(row, SHARE, share, &format)?;
    }
    page.text(row, 4, kind(parameter.kind), &plain)?;
    page.text(row, 5, origin(parameter.origin), &plain)?;
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

fn validation(kind: Kind) -> Result<DataValidation, XlsxError> {
    const LARGEST: f64 = 1e15;
    let rule = DataValidation::new();
    let (rule, message) = match kind {
        Kind::Block => {
            let rule = rule.allow_whole_number(DataValidationRule::Between(0, i32::MAX));
            (rule, "A whole number; 0 is not blocked")
        }
        Kind::Problem | Kind::Processes | Kind::Neighbours => (
            inputs::whole(-LARGEST, LARGEST),
            "A whole number up to 1e15",
        ),
        Kind::TripCount => {
            let rule = rule.allow_decimal_number(DataValidationRule::Between(0.0, LARGEST));
            (rule, "A number from 0 to 1e15, which may be a mean")
        }
        Kind::Probability => {
            let rule = rule.allow_decimal_number(DataValidationRule::Between(0.0, 1.0));
            (rule, "A probability is between 0 and 1")
        }
    };
    rule.set_error_title("Out of range")?
        .set_error_message(message)
}
