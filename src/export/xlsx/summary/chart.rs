//! The chart of Summary: the shares of the costliest nests, with a colour for what bounds each. Its data stand below what
//! is printed, and find the nests anew whenever an input changes.

use rust_xlsxwriter::utility::row_col_to_cell_absolute;
use rust_xlsxwriter::{
    Chart, ChartFont, ChartFormat, ChartLegendPosition, ChartSolidFill, ChartType, ColNum, RowNum,
    XlsxError,
};

use super::super::layout::Sheet;
use super::super::nests::NestSheets;
use super::super::page::Page;
use super::super::ranking::{Found, Ranking};
use super::super::style::{self, Look, Role};
use super::COSTLIEST;
use crate::listings::loops;
use crate::model::{BoundBy, Model};

/// Rows that the chart covers.
pub(super) const ROWS: RowNum = 15;
const NAME: ColNum = 0;
const TIME: ColNum = 1;
const RANK: ColNum = 2;
/// Where the row of Loops stands that a nest is in.
pub(super) const POSITION: ColNum = 3;
const BOUND: ColNum = 4;
const SHARE: ColNum = 5;
/// The columns of the chart's series begin here.
const SERIES: ColNum = 6;

/// The first row of a nest.
pub(super) fn first(data_row: RowNum) -> RowNum {
    data_row + 2
}

/// The first column behind the series.
pub(super) fn after_series(model: &Model) -> ColNum {
    SERIES + model.bounds().len() as ColNum
}

/// The share of each nest in the column of what bounds it, so that the chart has a colour for each; returns what they are.
fn write_by_bound(
    page: &mut Page,
    shown: &[usize],
    first: RowNum,
) -> Result<Vec<BoundBy>, XlsxError> {
    let model = page.book.model;
    let bounds = model.bounds();
    for (column, (bound, name)) in (SERIES..).zip(&bounds) {
        page.text(first - 1, column, name, &style::header())?;
        let head = row_col_to_cell_absolute(first - 1, column);
        for (row, index) in (first..).zip(shown) {
            let time = &model.nests[*index].time;
            let is_bound = time.bound_by(model.value(time.bound)) == Some(*bound);
            let share = model.ranking.of(*index).map(|ranked| ranked.share);
            let value = share.map_or(0.0, |share| model.value(share));
            let value = if is_bound && value.is_finite() {
                value
            } else {
                0.0
            };
            let formula = format!("IF(E{0}={head},N(F{0}),0)", row + 1);
            let format = style::cell(Look::Share, Role::Plain).set_num_format("0.0%;;");
            page.presentation(row, column, &formula, &value.to_string(), &format)?;
        }
    }
    Ok(bounds.into_keys().collect())
}

/// Rank, time, share and row in Loops of the nests in the chart, and the chart.
pub(super) fn write(
    page: &mut Page,
    nests: &NestSheets,
    ranked: &[usize],
    (chart_row, data_row): (RowNum, RowNum),
) -> Result<(), XlsxError> {
    page.text(
        data_row,
        0,
        "Data for the tables above and the chart",
        &style::section(),
    )?;
    let headers = [
        "Loop",
        "Time [s]",
        "Rank",
        "Row of table",
        "Bound by",
        "Share",
    ];
    for (column, header) in (0..).zip(headers) {
        page.text(data_row + 1, column, header, &style::header())?;
    }
    let first = first(data_row);
    let shown = &ranked[..ranked.len().min(COSTLIEST)];
    Ranking {
        rank: RANK,
        time: TIME,
        position: POSITION,
    }
    .write(page, nests, shown, first)?;
    for (row, index) in (first..).zip(shown) {
        let found = Found {
            nests,
            nest: *index,
            position: format!("D{}", row + 1),
        };
        found.id(page, (row, NAME))?;
        found.bound(page, (row, BOUND))?;
        if let Some(ranked) = page.book.model.ranking.of(*index) {
            found.figure(
                page,
                (row, SHARE),
                loops::SHARE,
                (ranked.share, Look::Share),
            )?;
        }
    }
    let bounds = write_by_bound(page, shown, first)?;
    draw(page, (first, shown.len() as RowNum), &bounds, chart_row)
}

fn draw(
    page: &mut Page,
    (first, drawn): (RowNum, RowNum),
    bounds: &[BoundBy],
    chart_row: RowNum,
) -> Result<(), XlsxError> {
    let levels = page.book.model.nests.first();
    let memory = levels
        .map_or(0, |nest| nest.time.levels.len())
        .saturating_sub(1);
    let mut chart = Chart::new(ChartType::BarStacked);
    let last = first + drawn - 1;
    let name = Sheet::Summary.name();
    for (column, bound) in (SERIES..).zip(bounds) {
        let colour = style::of_bound(*bound, memory);
        let fill = ChartSolidFill::new().set_color(colour).clone();
        (chart.add_series())
            .set_name((name, first - 1, column))
            .set_categories((name, first, NAME, last, NAME))
            .set_values((name, first, column, last, column))
            .set_format(ChartFormat::new().set_solid_fill(&fill))
            .set_gap(40)
            .set_overlap(100);
    }
    chart
        .title()
        .set_name("Share of the time, by what bounds it")
        .set_font(ChartFont::new().set_size(11));
    // A bar chart has its categories on the y axis, upwards; the costliest is to be on top.
    chart
        .y_axis()
        .set_reverse()
        .set_label_interval(1)
        .set_font(ChartFont::new().set_size(8));
    chart
        .x_axis()
        .set_num_format("[=0]0%;[<0.01]0.00%;0.0%")
        .set_min(0)
        .set_label_position(rust_xlsxwriter::ChartAxisLabelPosition::High);
    chart.legend().set_position(ChartLegendPosition::Right);
    chart.set_width(1380).set_height(ROWS * 20 - 10);
    page.worksheet.insert_chart(chart_row, 0, &chart)?;
    Ok(())
}
