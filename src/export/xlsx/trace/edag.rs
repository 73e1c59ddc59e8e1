//! The sheet eDAG, from top to bottom: inputs, counts, what follows, notes, caches, deepest memory chain, instruction
//! mix, latency sweep, remote accesses, movement of data.

use rust_xlsxwriter::{RowNum, XlsxError};

use super::super::layout::Sheet;
use super::super::style::{self, Look, Role};
use super::{
    Page, TraceBook, cache, figures, inputs, latency_sweep, memory_chain, mix, movement, remote,
};

/// Widths of the columns; those behind are as wide as the last.
const WIDTHS: [f64; 5] = [58.0, 13.0, 18.0, 14.0, 19.0];
const COLUMNS: u16 = 18;
/// The last column of notes, and how wide all of theirs are.
const NOTES: (u16, f64) = (9, 192.0);

pub(super) fn write(book: TraceBook<'_>) -> Result<Page<'_>, XlsxError> {
    let mut page = Page::new(Sheet::Edag, book)?;
    page.title("What the trace shows about the program")?;
    let plain = style::cell(Look::Text, Role::Plain);
    let summary = summary(&page);
    page.text(1, 0, &summary, &plain)?;
    page.text(2, 0, "Input", &style::cell(Look::Text, Role::Input))?;
    page.text(
        2,
        1,
        "Cells of this colour are inputs; everything derived is a formula over them.",
        &style::remark(),
    )?;
    for column in 0..COLUMNS {
        page.worksheet
            .set_column_width(column, *WIDTHS.get(usize::from(column)).unwrap_or(&14.0))?;
    }
    let mut row = inputs::write(&mut page, 4)? + 1;
    row = figures::write_counts(&mut page, row)? + 1;
    row = figures::write_derived(&mut page, row)? + 1;
    row = notes(&mut page, row)?;
    row = cache::write(&mut page, row)?;
    row = memory_chain::write(&mut page, row)?;
    row = mix::write(&mut page, row)? + 1;
    // Charts are not cut where a page ends.
    let mut breaks = vec![row];
    row = latency_sweep::write(&mut page, row)? + 1;
    row = remote::write(&mut page, row)?;
    if movement::write(&mut page, row)? > row {
        breaks.push(row);
    }
    page.worksheet.set_page_breaks(&breaks)?;
    page.worksheet.set_freeze_panes(1, 0)?;
    page.worksheet.set_repeat_rows(0, 0)?;
    style::print_setup(&mut page.worksheet);
    Ok(page)
}

fn summary(page: &Page) -> String {
    let trace = &page.book.report.trace;
    let path = if trace.path == "-" {
        "standard input"
    } else {
        &trace.path
    };
    let harts = if trace.harts == 1 {
        "1 hart".to_string()
    } else {
        format!("{} harts", trace.harts)
    };
    format!(
        "{path} ({}): {} instructions on {harts}",
        trace.format, trace.instructions
    )
}

/// What a reader has to know, and instructions that are not in the table; returns the row for what follows.
fn notes(page: &mut Page, row: RowNum) -> Result<RowNum, XlsxError> {
    let report = page.book.report;
    let unknown = (report.trace.unknown.iter())
        .map(|(name, count)| format!("{name}: {count} executions; not in the instruction table"));
    let schedule = report.schedule.map(|schedule| {
        format!(
            "A greedy schedule of the RAM accesses alone takes {} cycles at the inputs of the run.",
            schedule.time
        )
    });
    let notes: Vec<String> = report
        .notes
        .iter()
        .cloned()
        .chain(unknown)
        .chain(schedule)
        .collect();
    if notes.is_empty() {
        return Ok(row);
    }
    page.text(row, 0, "Notes", &style::section())?;
    for (row, note) in (row + 1..).zip(&notes) {
        page.spread(row, NOTES, note, &style::cell(Look::Text, Role::Plain))?;
    }
    Ok(row + notes.len() as RowNum + 2)
}
