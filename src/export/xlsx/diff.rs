//! The sheets of a difference: nest by nest, in total, and remarks. What is added follows the two figures beside it.

use rust_xlsxwriter::utility::row_col_to_cell;
use rust_xlsxwriter::{ColNum, RowNum, Workbook, Worksheet, XlsxError};

use super::layout::Sheet;
use super::package;
use super::page::Paper;
use super::style::{self, Look, Role};
use crate::diff::{Cost, Difference, NestPlace, Quantity, Row};

const HEADER: RowNum = 3;
const COLUMNS: [(&str, f64); 8] = [
    ("Nest", 28.0),
    ("Became", 12.0),
    ("Quantity", 26.0),
    ("Old", 18.0),
    ("New", 18.0),
    ("New - old", 18.0),
    ("Change", 12.0),
    ("Place, and where it was", 90.0),
];
const OLD: ColNum = 3;
const NEW: ColNum = 4;
const ADDED: ColNum = 5;
const CHANGE: ColNum = 6;
const PLACE: ColNum = 7;

/// The workbook of a difference.
///
/// # Errors
/// More rows than a sheet has.
pub fn diff_workbook(difference: &Difference) -> Result<Vec<u8>, XlsxError> {
    let mut workbook = Workbook::new();
    workbook.set_properties(&super::properties("Effect of a change in the source")?);
    workbook.push_worksheet(nests(difference)?);
    workbook.push_worksheet(flips(difference)?);
    package::finish(workbook)
}

fn nests(difference: &Difference) -> Result<Worksheet, XlsxError> {
    let mut page = Paper::new(Sheet::Diff, ())?;
    page.title("What changed")?;
    let sides = format!(
        "{} -> {}; machine {}. Nests with the same figures are left out. *: \
         estimated, or depends on guesses that only one side has (next sheet).",
        difference.old, difference.new, difference.machine
    );
    page.text(1, 0, &sides, &style::remark())?;
    for (column, (header, width)) in (0..).zip(COLUMNS) {
        page.text(HEADER, column, header, &style::header())?;
        page.worksheet.set_column_width(column, width)?;
    }
    let plain = style::cell(Look::Text, Role::Plain);
    let mut row = HEADER + 1;
    for total in &difference.totals {
        page.text(row, 0, "in total", &plain)?;
        write_row(&mut page, row, total)?;
        row += 1;
    }
    for nest in difference.differing() {
        let place = |place: &Option<NestPlace>| place.as_ref().map(ToString::to_string);
        let was = place(&nest.old).filter(|_| nest.old != nest.new && nest.new.is_some());
        let place = nest.place().map_or_else(String::new, ToString::to_string);
        let place = was.map_or(place.clone(), |was| format!("{place}, was {was}"));
        let status = match nest.marks().next() {
            None => nest.status.as_str().to_string(),
            Some(_) => format!("{} *", nest.status.as_str()),
        };
        for entry in &nest.rows {
            let name = nest.place().map_or("", |place| &place.name);
            page.text(row, 0, name, &plain)?;
            page.text(row, 1, &status, &plain)?;
            page.text(row, PLACE, &place, &plain)?;
            write_row(&mut page, row, entry)?;
            row += 1;
        }
    }
    page.worksheet.set_freeze_panes(HEADER + 1, 1)?;
    let last = row - 1;
    (page.worksheet).autofilter(HEADER, 0, last, COLUMNS.len() as ColNum - 1)?;
    page.worksheet.set_repeat_rows(HEADER, HEADER)?;
    style::print_setup(&mut page.worksheet);
    Ok(page.worksheet)
}

fn write_row(page: &mut Paper<()>, row: RowNum, entry: &Row) -> Result<(), XlsxError> {
    let plain = style::cell(Look::Text, Role::Plain);
    page.text(row, 2, &entry.quantity.to_string(), &plain)?;
    let look = |value: f64| match &entry.quantity {
        Quantity::Seconds | Quantity::AllCalls(Cost::Seconds) => Look::Seconds,
        _ if value.fract() == 0.0 => Look::Count,
        _ => Look::Ratio,
    };
    for (column, figure) in [(OLD, entry.old), (NEW, entry.new)] {
        if let Some(value) = figure.known() {
            page.number(row, column, value, &style::cell(look(value), Role::Plain))?;
        }
    }
    let (Some(old), Some(new)) = (entry.old.known(), entry.new.known()) else {
        return Ok(());
    };
    let (left, right) = (row_col_to_cell(row, OLD), row_col_to_cell(row, NEW));
    let added = new - old;
    let format = style::cell(look(added), Role::Plain);
    page.presentation(
        row,
        ADDED,
        &format!("{right}-{left}"),
        &added.to_string(),
        &format,
    )?;
    // There is no share of nothing.
    let formula = format!("IF({left}=0,\" \",{right}/{left}-1)");
    let format = style::cell(Look::Share, Role::Plain);
    match old == 0.0 {
        true => page.presented_text(row, CHANGE, &formula, " ", &format),
        false => {
            let change = (new / old - 1.0).to_string();
            page.presentation(row, CHANGE, &formula, &change, &format)
        }
    }
}

/// What turned into its opposite, limits that were exceeded, and remarks.
fn flips(difference: &Difference) -> Result<Worksheet, XlsxError> {
    let mut page = Paper::new(Sheet::DiffNotes, ())?;
    page.title("What flipped, and which limits were exceeded")?;
    for (column, width) in (0..).zip([40.0, 110.0]) {
        page.worksheet.set_column_width(column, width)?;
    }
    let plain = style::cell(Look::Text, Role::Plain);
    let mut row = 2;
    for (column, header) in (0..).zip(["Nest", "What"]) {
        page.text(row, column, header, &style::header())?;
    }
    let of_nests = difference.differing().flat_map(|nest| {
        let place = nest.place().map_or_else(String::new, ToString::to_string);
        let flips = nest.flipped.iter().map(ToString::to_string);
        let marks = nest.marks().map(|mark| format!("* {mark}"));
        let all = flips.chain(marks);
        all.map(move |what| (place.clone(), what))
    });
    let exceeded = difference.exceeded.iter();
    let exceeded = exceeded.map(|found| ("exceeded".to_string(), found.to_string()));
    let notes = crate::differences::remarks(difference).into_iter();
    let notes = notes.map(|note| ("note".to_string(), note));
    for (nest, what) in of_nests.chain(exceeded).chain(notes) {
        row += 1;
        page.text(row, 0, &nest, &plain)?;
        page.text(row, 1, &what, &plain)?;
    }
    style::print_setup(&mut page.worksheet);
    Ok(page.worksheet)
}
