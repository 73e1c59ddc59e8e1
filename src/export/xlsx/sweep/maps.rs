//! Maps over two axes, in colour.

use rust_xlsxwriter::{ColNum, ConditionalFormat3ColorScale, RowNum, Worksheet, XlsxError};

use super::configurations::{HEADER, head_at};
use crate::sweep::axis::{Axis, AxisValue};
use crate::sweep::map::{Map, MapOf};
use crate::sweep::report::SweepReport;
use crate::sweep::row::RowKind;
use crate::xlsx::layout::Sheet;
use crate::xlsx::page::Paper;
use crate::xlsx::style::{self, Look, Role};

/// Where a map is.
pub(super) fn sheet_of(map: &Map, report: &SweepReport) -> Sheet {
    match map.of {
        MapOf::Time {
            of: RowKind::Program,
            ..
        } if report.counts.runs > 0 => Sheet::MapOfSources,
        MapOf::Time { .. } => Sheet::Map,
        MapOf::Epochs(_) => Sheet::MapOfEpochs,
    }
}

/// Maps of one kind, one below the other.
pub(super) fn sheet_of_maps(report: &SweepReport, maps: &[Map]) -> Result<Worksheet, XlsxError> {
    let mut page = Paper::new(sheet_of(&maps[0], report), ())?;
    page.title(&format!("{} over two axes", maps[0].title()))?;
    let mut above = 0;
    for shown in maps {
        above = map(&mut page, report, shown, above)? + 3;
    }
    page.worksheet.set_freeze_panes(HEADER + 1, 1)?;
    style::print_setup(&mut page.worksheet);
    Ok(page.worksheet)
}

/// A figure over two axes, in colour, below row `above`; returns its last row.
fn map(
    page: &mut Paper<()>,
    report: &SweepReport,
    map: &Map,
    above: RowNum,
) -> Result<RowNum, XlsxError> {
    let settings = &report.settings;
    let header = above + HEADER;
    let name = |axis: Axis| axis.name(settings);
    page.text(above + 1, 0, &report.map_remark(map), &style::remark())?;
    page.text(header - 1, 1, &name(map.across), &style::remark())?;
    head_at(page, (header, 0), &name(map.down), Look::Text)?;
    for (column, label) in (1..).zip(map.across.labels(&map.columns, settings)) {
        head_at(page, (header, column), &label, Look::Ratio)?;
    }
    let mut at = header;
    let labels = map.down.labels(&map.rows, settings);
    let cells = map.values.iter().zip(&map.inexact);
    for ((value, label), (figures, inexact)) in map.rows.iter().zip(&labels).zip(cells) {
        at += 1;
        let (number, text) = (Look::Number, style::cell(Look::Text, Role::Plain));
        match value {
            AxisValue::Number(value) if value.to_string() == *label => {
                page.number(at, 0, *value, &style::cell(number, Role::Plain))?;
            }
            _ => page.text(at, 0, label, &text)?,
        }
        for (column, (figure, is_inexact)) in (1..).zip(figures.iter().zip(inexact)) {
            if let Some(figure) = figure {
                let looked = match is_inexact {
                    true => style::starred(Look::Ratio),
                    false => style::cell(Look::Ratio, Role::Plain),
                };
                page.number(at, column, *figure, &looked)?;
            }
        }
    }
    if at > header {
        let scale = ConditionalFormat3ColorScale::new()
            .set_minimum_color(style::GOOD)
            .set_midpoint_color(style::FAIR)
            .set_maximum_color(style::BAD);
        let last = map.columns.len() as ColNum;
        (page.worksheet).add_conditional_format(header + 1, 1, at, last, &scale)?;
    }
    Ok(at)
}
