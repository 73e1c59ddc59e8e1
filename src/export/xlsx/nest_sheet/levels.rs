//! Traffic by level and why it moves, and the time that it takes.

use rust_xlsxwriter::{
    Chart, ChartFont, ChartFormat, ChartLegendPosition, ChartSolidFill, ChartType, ColNum,
    ConditionalFormatFormula, Format, RowNum, XlsxError,
};

use super::super::highlights;
use super::super::page::Page;
use super::super::style::{self, Look, Role};
use super::data::{self, Data};
use super::{CHART_PIXELS, at, bytes, cell, headers, heading};
use crate::expr::FigureId;
use crate::model::NestModel;

/// Of what moves once, of the reuses that do not fit, and of all others.
const COLOURS: [u32; 8] = [
    0x9DB9D9, 0xC9CED6, 0xD9772B, 0x3A6491, 0xC9A227, 0x4F8A4C, 0x8064A2, 0x7F8C8D,
];

/// Traffic and times; returns the row behind.
pub(super) fn write(
    page: &mut Page,
    nest: &NestModel,
    (mut row, data): (RowNum, &Data),
) -> Result<RowNum, XlsxError> {
    let remark = "what each level delivers to the one above it, and how long that takes; the slowest hides the others to the extent that they overlap";
    heading(page, row, "Traffic and time by level", remark)?;
    row += 1;
    let names = [
        "Level",
        "Moved",
        "On first use, and back once",
        "Again: what did not fit",
        "Time",
        "Of the slowest",
        "Left there, or past it",
    ];
    headers(page, row, &names)?;
    let time = &nest.time;
    let plain = style::cell(Look::Text, Role::Plain);
    let core: Vec<(&str, FigureId)> = match time.in_core {
        Some(core) => vec![
            ("core: ports", core.ports),
            ("core: chain", core.chains),
            ("core: peak", time.cpu),
        ],
        None => vec![("core: peak", time.cpu)],
    };
    let branches = time.branches();
    let branches = branches.map(|found| ("core: branches", found.seconds));
    let core = core.into_iter().chain(branches);
    let first = row + 1;
    for (name, seconds) in core {
        row += 1;
        page.text(row, 0, name, &plain)?;
        write_time(page, row, (seconds, time.slowest))?;
    }
    for (position, level) in time.levels.iter().enumerate() {
        row += 1;
        page.text(row, 0, &level.name, &plain)?;
        bytes(page, (row, 1), level.bytes)?;
        write_time(page, row, (level.seconds, time.slowest))?;
        let Some(cache) = position.checked_sub(1) else {
            continue;
        };
        write_parts(page, nest, (row, cache), data)?;
    }
    page.worksheet
        .add_conditional_format(first, 5, row, 5, &style::bars())?;
    let slowest = ConditionalFormatFormula::new()
        .set_rule(format!("=AND(N($F{})>=1,N($E{})>0)", first + 1, first + 1).as_str())
        .set_format(Format::new().set_bold());
    page.worksheet
        .add_conditional_format(first, 0, row, 5, &slowest)?;
    Ok(row + 2)
}

fn write_time(
    page: &mut Page,
    row: RowNum,
    (seconds, slowest): (FigureId, FigureId),
) -> Result<(), XlsxError> {
    let model = page.book.model;
    let reference = cell(page, seconds);
    page.readable_seconds((row, 4), &reference, model.value(seconds))?;
    let (own, all) = (model.value(seconds), model.value(slowest));
    let format = style::cell(Look::Share, Role::Plain);
    let all_cell = cell(page, slowest);
    let formula = format!("IF(N({all_cell})>0,N({reference})/{all_cell},0)");
    let share = match all > 0.0 && own.is_finite() {
        true => own / all,
        false => 0.0,
    };
    page.presentation(row, 5, &formula, &share.to_string(), &format)
}

/// What moves once, what moves again, and what neither is.
fn write_parts(
    page: &mut Page,
    nest: &NestModel,
    (row, cache): (RowNum, usize),
    data: &Data,
) -> Result<(), XlsxError> {
    let (Some((fetched, written)), Some(_)) = (nest.levels.least, nest.levels.caches.get(cache))
    else {
        return Ok(());
    };
    let model = page.book.model;
    let format = style::cell(Look::Bytes, Role::Plain);
    let once = model.value(fetched) + model.value(written);
    let formula = [fetched, written].map(|id| cell(page, id)).join("+");
    page.presentation(row, 2, &formula, &once.to_string(), &format)?;
    let again: f64 = (nest.levels.reuses.iter())
        .map(|reuse| {
            let (fetched, written, _) = reuse.caches[cache];
            model.value(fetched) + model.value(written)
        })
        .sum();
    page.presentation(row, 3, &data.all_again(cache), &again.to_string(), &format)?;
    let all = model.value(nest.time.levels[cache + 1].bytes);
    let rest = once + again - all;
    // Rounding is no bytes.
    let rest = if rest.abs() < 0.5 { 0.0 } else { rest };
    let difference = format!("{}+{}-{}", at(row, 2), at(row, 3), at(row, 1));
    let formula = format!("IF(ABS({difference})<0.5,0,{difference})");
    page.presentation(row, 6, &formula, &rest.to_string(), &format)?;
    for column in [2, 3, 6] {
        highlights::small_bytes(page, column, (row, row))?;
    }
    Ok(())
}

/// What moves through each cache, stacked by why it moves; none without caches.
pub(super) fn chart(name: &str, data: &Data) -> Option<Chart> {
    let caches = data.caches();
    if caches == 0 {
        return None;
    }
    let mut chart = Chart::new(ChartType::BarStacked);
    let (head, first) = (data::HEADER_ROW, data.moved());
    let columns = (first + 1, first + caches as ColNum);
    for (index, row) in (data::FIRST_ROW..data::FIRST_ROW + data.moved_rows()).enumerate() {
        let colour = COLOURS[index.min(COLOURS.len() - 1)];
        (chart.add_series())
            .set_name((name, row, first))
            .set_categories((name, head, columns.0, head, columns.1))
            .set_values((name, row, columns.0, row, columns.1))
            .set_format(ChartFormat::new().set_solid_fill(ChartSolidFill::new().set_color(colour)))
            .set_gap(60);
    }
    chart
        .title()
        .set_name("Traffic by level, and why it moves")
        .set_font(ChartFont::new().set_size(11));
    // Of bars the x axis is the one from left to right.
    chart
        .x_axis()
        .set_num_format(super::staircase::BYTES_ON_AXIS);
    chart.y_axis().set_reverse();
    chart.legend().set_position(ChartLegendPosition::Bottom);
    chart.set_width(CHART_PIXELS.0).set_height(CHART_PIXELS.1);
    Some(chart)
}
