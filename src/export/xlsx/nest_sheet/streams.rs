//! The arrays of the nest, and what they must keep for reuse.

use rust_xlsxwriter::{ColNum, RowNum, XlsxError};

use super::super::page::Page;
use super::super::style::{self, Look, Role};
use super::{bytes, headers, heading};
use crate::model::{NestModel, StreamFigures, WorkingSet, group_name};
use crate::stencil::{by_footprint, stream_name};

/// Streams that are listed; sheet Arrays has all.
const MOST: usize = 12;

/// The arrays, the largest first; returns the row behind.
pub(super) fn write(
    page: &mut Page,
    nest: &NestModel,
    mut row: RowNum,
) -> Result<RowNum, XlsxError> {
    let streams = by_footprint(page.book.model, nest);
    let remark = match streams.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!("the largest {MOST}; sheet Arrays has {more} more"),
    };
    heading(page, row, "Arrays", &remark)?;
    if streams.is_empty() {
        page.text(row, 1, "none", &style::remark())?;
        return Ok(row + 2);
    }
    row += 1;
    let names = [
        "Array",
        "Access",
        "Shape",
        "Offsets, contiguous dimension first",
        "Footprint",
    ];
    headers(page, row, &names)?;
    let plain = style::cell(Look::Text, Role::Plain);
    for figures in streams.iter().take(MOST) {
        row += 1;
        let used = &nest.nest.streams[figures.index].stream;
        let points = figures.shape.offsets.len();
        let shape = match points {
            0 | 1 => figures.shape.name().to_string(),
            _ => format!("{} of {points} points", figures.shape.name()),
        };
        page.text(row, 0, &stream_name(nest, figures), &plain)?;
        page.text(
            row,
            1,
            &format!("{}, {}", used.class.as_str(), used.ty),
            &plain,
        )?;
        page.text(row, 2, &shape, &plain)?;
        page.text(row, 3, &ghosts(figures), &plain)?;
        bytes(page, (row, 4), figures.footprint)?;
    }
    Ok(row + 2)
}

/// From which offset to which, in every dimension.
fn ghosts(figures: &StreamFigures) -> String {
    let one = |(low, high): (i64, i64)| match low == high {
        true => low.to_string(),
        false => format!("{low} … {high}"),
    };
    let all: Vec<String> = figures.shape.ghosts().into_iter().map(one).collect();
    all.join(", ").replace('-', "−")
}

/// Bytes to keep between cells, pencils, planes …, by which arrays bypass the cache; returns the row behind.
pub(super) fn write_working_sets(
    page: &mut Page,
    nest: &NestModel,
    mut row: RowNum,
) -> Result<RowNum, XlsxError> {
    let sets = &nest.working_sets;
    let variants: [(&str, &WorkingSet); 4] = [
        ("All arrays share the cache", &sets.naive),
        ("Written arrays bypass it", &sets.streaming),
        ("Arrays without reuse bypass it too", &sets.reuse),
        ("As the machine does it", &sets.actual),
    ];
    let remark = "bytes that must stay in a cache so that the next cell, pencil, plane … is reused, by the scenarios of ExaSAT";
    heading(page, row, "Working sets", remark)?;
    row += 1;
    let levels = sets.actual.levels.len().min(6);
    let between = |level| match level {
        0..=2 => format!("Between {}s", group_name(level)),
        _ => format!("Between {} groups", group_name(level)),
    };
    let names: Vec<String> = (0..levels).map(between).collect();
    let names: Vec<&str> = std::iter::once("Which arrays")
        .chain(names.iter().map(String::as_str))
        .collect();
    headers(page, row, &names)?;
    let plain = style::cell(Look::Text, Role::Plain);
    for (name, set) in variants {
        row += 1;
        page.text(row, 0, name, &plain)?;
        for (column, figure) in (1..).zip(set.levels.iter().take(levels)) {
            bytes(page, (row, column as ColNum), *figure)?;
        }
    }
    Ok(row + 2)
}
