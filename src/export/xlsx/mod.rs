//! The workbook: a live spreadsheet of the static model (static.md section 7).
//!
//! Inputs are named cells; every computed figure is a formula made from its expression, with the
//! model's value as cached result. The same model gives the same bytes.

mod arrays;
mod inputs;
mod layout;
mod loops;
mod machine;
mod notes;
mod page;
mod parameters;
mod steps;
mod style;
mod summary;
mod table;

use rust_xlsxwriter::{DocProperties, ExcelDateTime, Workbook};

use crate::model::Model;
use layout::{Layout, Sheet};
use page::{Book, Page};

pub use rust_xlsxwriter::XlsxError;

/// The workbook of a model, as the bytes of an .xlsx file.
///
/// # Errors
/// More rows or columns than a sheet has.
pub fn workbook(model: &Model) -> Result<Vec<u8>, XlsxError> {
    let (loops, arrays) = (loops::table(model), arrays::table(model));
    let mut layout = Layout::new(model.figures.len());
    arrays.place(&mut layout);
    loops.place(&mut layout);
    summary::place(model, &mut layout);
    let steps = steps::place(&mut layout);
    let book = Book { model, layout: &layout };

    let mut workbook = Workbook::new();
    workbook.set_properties(&properties()?);
    machine::define_names(&mut workbook, book)?;
    parameters::define_names(&mut workbook, book)?;
    let mut push = |page: Page| workbook.push_worksheet(page.worksheet);
    push(summary::write(book, &loops)?);
    push(machine::write(book)?);
    push(parameters::write(book)?);
    let mut page = Page::new(Sheet::Loops, book)?;
    loops.write(&mut page)?;
    push(page);
    let mut page = Page::new(Sheet::Arrays, book)?;
    arrays.write(&mut page)?;
    push(page);
    if !steps.is_empty() {
        push(steps::write(book, &steps)?);
    }
    push(notes::write(book, &loops, &arrays)?);
    workbook.save_to_buffer()
}

/// The date is fixed, so that the same input gives the same bytes.
fn properties() -> Result<DocProperties, XlsxError> {
    let date = ExcelDateTime::from_ymd(2000, 1, 1)?;
    Ok(DocProperties::new()
        .set_title("Loop nests and what they cost")
        .set_author("loopsheet")
        .set_creation_datetime(&date))
}
