//! The lines of the nest, as they were when the workbook was written.

use rust_xlsxwriter::{Format, RowNum, XlsxError};

use super::super::page::Page;
use super::super::style;
use super::{Columns, Sources, heading};
use crate::model::NestModel;

/// Lines that are shown.
const LINES: usize = 30;
/// Characters of a line.
const WIDTH: usize = 120;
const LINE_HEIGHT: f64 = 14.0;
const BACKGROUND: u32 = 0xF4F6F9;

/// The source; returns the row behind.
pub(super) fn write(
    page: &mut Page,
    nest: &NestModel,
    (mut row, columns): (RowNum, Columns),
    sources: Sources,
) -> Result<RowNum, XlsxError> {
    let head = nest.nest.head();
    let Some(text) = sources(&head.file) else {
        heading(
            page,
            row,
            "Source",
            "it could not be read when this was written",
        )?;
        return Ok(row + 2);
    };
    heading(page, row, "Source", "as it was when this was written")?;
    row += 1;
    let numbered = (1u32..).zip(text.lines());
    let lines: Vec<(u32, &str)> = numbered
        .filter(|(line, _)| (head.line..=head.end_line.max(head.line)).contains(line))
        .collect();
    let code = Format::new()
        .set_font_name("DejaVu Sans Mono")
        .set_font_size(9)
        .set_background_color(BACKGROUND);
    for (line, content) in lines.iter().take(LINES) {
        let content = content.replace('\t', "        ");
        let content = content.replace(char::is_control, " ");
        let shown: String = content.trim_end().chars().take(WIDTH).collect();
        let cut = if content.trim_end().chars().count() > WIDTH {
            "…"
        } else {
            ""
        };
        page.text(row, 0, &format!("{line:>5} | {shown}{cut}"), &code)?;
        for column in 1..=columns.last() {
            page.worksheet.write_blank(row, column, &code)?;
        }
        page.worksheet.set_row_height(row, LINE_HEIGHT)?;
        row += 1;
    }
    if let Some(more @ 1..) = lines.len().checked_sub(LINES) {
        let text = format!("… {more} more lines, to line {}", head.end_line);
        page.text(row, 0, &text, &style::remark())?;
        row += 1;
    }
    Ok(row + 1)
}
