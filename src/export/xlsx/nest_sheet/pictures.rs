//! Stencils as coloured cells: the contiguous dimension goes to the right, the next one up, slices stand side by side.

use rust_xlsxwriter::{ColNum, Format, FormatBorder, RowNum, XlsxError};

use super::super::page::Page;
use super::super::style;
use super::{CELLS, Columns};
use crate::model::NestModel;
use crate::stencil::{Grid, Slice, Stencil, stencils};

const IN: u32 = 0x3A6491;
const OUT: u32 = 0xEDF1F6;
const EDGE: u32 = 0xFFFFFF;
const MIDDLE: u32 = 0xD9772B;

/// The stencils of the nest; returns the row behind.
pub(super) fn write(
    page: &mut Page,
    nest: &NestModel,
    (mut row, columns): (RowNum, Columns),
) -> Result<RowNum, XlsxError> {
    let first = columns.pictures();
    for stencil in stencils(page.book.model, nest) {
        let Stencil { name, points, grid } = stencil;
        let title = format!("{name}: {points} points");
        page.text(row, first, &title, &style::section())?;
        row += 1;
        row = match grid {
            Some(grid) => draw(page, &grid, (row, first))?,
            None => {
                page.text(row, first, "too wide to draw", &style::remark())?;
                row + 1
            }
        };
        row += 1;
    }
    Ok(row)
}

/// The slices, as many beside each other as there is room for.
fn draw(
    page: &mut Page,
    grid: &Grid,
    (mut top, first): (RowNum, ColNum),
) -> Result<RowNum, XlsxError> {
    let [width, height] = [grid.across, grid.up].map(|far| (2 * far + 1) as u32);
    let in_a_row = ((u32::from(CELLS) + 1) / (width + 1)).max(1);
    let has_labels = grid.slices.iter().any(|slice| !slice.label.is_empty());
    for slices in grid.slices.chunks(in_a_row as usize) {
        for (at, slice) in (0u32..).zip(slices) {
            let left = first + (at * (width + 1)) as ColNum;
            draw_slice(page, grid, (top, left), slice)?;
            if has_labels {
                page.text(top + height, left, &slice.label, &style::remark())?;
            }
        }
        top += height + 1;
    }
    Ok(top)
}

fn draw_slice(
    page: &mut Page,
    grid: &Grid,
    (top, left): (RowNum, ColNum),
    slice: &Slice,
) -> Result<(), XlsxError> {
    for y in -grid.up..=grid.up {
        for x in -grid.across..=grid.across {
            let is_in = slice.offsets.contains(&(x, y));
            let mut format = Format::new()
                .set_background_color(if is_in { IN } else { OUT })
                .set_border(FormatBorder::Thin)
                .set_border_color(EDGE);
            if (x, y) == (0, 0) {
                format = format
                    .set_border(FormatBorder::Medium)
                    .set_border_color(MIDDLE);
            }
            let (row, column) = (
                top + (grid.up - y) as RowNum,
                left + (x + grid.across) as ColNum,
            );
            page.worksheet.write_blank(row, column, &format)?;
        }
    }
    Ok(())
}
