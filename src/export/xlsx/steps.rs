//! The sheet Steps: figures that no other sheet shows, such as parts of formulas too long for one
//! cell. So every figure has a cell, whatever the model defines.

use rust_xlsxwriter::{RowNum, Worksheet, XlsxError};

use super::layout::{Layout, Place, Sheet};
use super::page::{Book, Page};
use super::step_names::step_name;
use super::step_units::StepUnits;
use super::style::{self, Look, Role};
use crate::expr::FigureId;
use crate::formula::Unit;
use crate::model::Model;

const HEADER_ROW: RowNum = 2;
const FIRST_ROW: RowNum = 3;
const COLUMNS: [(&str, f64); 4] = [
    ("What", 90.0),
    ("Value", 24.0),
    ("Unit", 12.0),
    ("Nest", 30.0),
];

/// Gives every figure that is left a home, and says which they are.
pub(super) fn place(layout: &mut Layout) -> Vec<FigureId> {
    let homeless = layout.homeless();
    for (row, id) in (FIRST_ROW..).zip(&homeless) {
        layout.put(
            *id,
            Place {
                sheet: Sheet::Steps,
                row,
                column: 1,
            },
        );
    }
    homeless
}

/// Row by row, as of big programs this is by far the largest sheet: the worksheet may be one that keeps no more than
/// its last row in memory.
pub(super) fn write<'a>(
    book: Book<'a>,
    worksheet: Worksheet,
    steps: &[FigureId],
) -> Result<Page<'a>, XlsxError> {
    let mut page = Page::on(worksheet, Sheet::Steps, book)?;
    page.worksheet.set_row_height(HEADER_ROW, 24)?;
    page.title("Steps")?;
    page.text(
        1,
        0,
        "Parts of formulas on the other sheets; one that several share is named after the first. They are not printed.",
        &style::remark(),
    )?;
    for (column, (header, width)) in (0..).zip(COLUMNS) {
        page.text(HEADER_ROW, column, header, &style::header())?;
        page.worksheet.set_column_width(column, width)?;
    }
    let plain = style::cell(Look::Text, Role::Plain);
    let figures = &book.model.figures;
    let mut units = StepUnits::new(figures);
    for (row, id) in (FIRST_ROW..).zip(steps) {
        let figure = book.model.figures.get(*id);
        page.text(row, 0, &step_name(figures, *id), &plain)?;
        page.figure(row, 1, *id, look(figure.label.unit()))?;
        page.text(row, 2, &units.unit(*id), &plain)?;
        if let Some(nest) = nest_of(page.book.model, *id) {
            page.text(row, 3, nest, &plain)?;
        }
    }
    page.worksheet.set_freeze_panes(FIRST_ROW, 1)?;
    page.worksheet.set_repeat_rows(HEADER_ROW, HEADER_ROW)?;
    style::print_setup(&mut page.worksheet);
    page.worksheet.set_print_area(0, 0, 1, 3)?;
    Ok(page)
}

/// The nest whose figures it was defined with.
fn nest_of<'m>(model: &'m Model, id: FigureId) -> Option<&'m str> {
    // Nests are in the order of their figures.
    let after = model.nests.partition_point(|nest| nest.figures.start <= id);
    let nest = model.nests.get(after.checked_sub(1)?)?;
    nest.figures
        .contains(&id)
        .then_some(nest.nest.head().id.as_str())
}

fn look(unit: Unit) -> Look {
    match unit {
        Unit::Seconds | Unit::FlopsPerSecond | Unit::BytesPerSecond => Look::Seconds,
        Unit::FlopsPerByte | Unit::BytesPerFlop | Unit::Ratio => Look::Ratio,
        Unit::Share => Look::Share,
        _ => Look::Count,
    }
}
