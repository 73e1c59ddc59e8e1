//! The staircase as a chart: bytes through a cache over its size, with the caches of the machine as points.

use rust_xlsxwriter::{
    Chart, ChartAxisCrossing, ChartDataLabel, ChartDataLabelPosition, ChartFont, ChartFormat,
    ChartLegendPosition, ChartLine, ChartLineDashType, ChartMarker, ChartMarkerType,
    ChartSolidFill, ChartType, RowNum,
};

use super::super::style;
use super::CHART_PIXELS;
use super::data::{Data, FIRST_ROW, Points};
use crate::model::{Model, NestModel};

/// Bytes on an axis.
pub(super) const BYTES_ON_AXIS: &str =
    "[>=1000000000]#,##0.##,,,\" GB\";[>=1000000]0.##,,\" MB\";0.##,\" kB\"";
const CAPACITIES_ON_AXIS: &str =
    "[>=1000000000]#,##0,,,\" GB\";[>=1000000]0,,\" MB\";0.###,\" kB\"";
/// Where the names of caches stand: those of neighbours apart.
const LABELS: [ChartDataLabelPosition; 3] = [
    ChartDataLabelPosition::Above,
    ChartDataLabelPosition::Below,
    ChartDataLabelPosition::Above,
];
const STAIRS: u32 = 0x1F2A37;

pub(super) fn chart(
    model: &Model,
    nest: &NestModel,
    (name, data): (&str, &Data),
    points: &Points,
) -> Chart {
    let mut chart = Chart::new(ChartType::ScatterStraight);
    let (x, y) = (data.stairs(), data.stairs() + 1);
    let (first, last) = data.stair_rows();
    (chart.add_series())
        .set_name("through a cache of this size")
        .set_categories((name, first, x, last, x))
        .set_values((name, first, y, last, y))
        .set_format(ChartFormat::new().set_line(ChartLine::new().set_color(STAIRS).set_width(2.25)))
        .set_marker(ChartMarker::new().set_none());
    for (index, cache) in nest.levels.caches.iter().enumerate() {
        let row = FIRST_ROW + 2 * index as RowNum;
        let colour = style::LEVELS[index % style::LEVELS.len()];
        let column = data.points();
        let mut dashes = ChartLine::new();
        dashes
            .set_color(colour)
            .set_width(1.25)
            .set_dash_type(ChartLineDashType::Dash);
        (chart.add_series())
            .set_categories((name, row, column + 1, row + 1, column + 1))
            .set_values((name, row, column + 2, row + 1, column + 2))
            .set_format(ChartFormat::new().set_line(&dashes))
            .set_marker(ChartMarker::new().set_none());
        // A level that the machine does not have stands where the one before it does.
        let is_there = (model.levels().get(index)).is_some_and(|level| level.bytes > 0.0);
        let text = if is_there { cache.name.as_str() } else { " " };
        let mut label = ChartDataLabel::new();
        label
            .show_value()
            .set_position(LABELS[index % LABELS.len()]);
        let named = ChartDataLabel::new().set_value(text).to_custom();
        let fill = ChartSolidFill::new().set_color(colour).clone();
        let mut marker = ChartMarker::new();
        marker
            .set_type(ChartMarkerType::Circle)
            .set_size(8)
            .set_format(ChartFormat::new().set_solid_fill(&fill));
        (chart.add_series())
            .set_name((name, row, column))
            .set_categories((name, row, column + 1, row, column + 1))
            .set_values((name, row, column + 2, row, column + 2))
            .set_format(ChartFormat::new().set_line(&dashes))
            .set_marker(&marker)
            .set_data_label(&label)
            .set_custom_data_labels(&[named]);
    }
    // The lines down from the points.
    let lines = (0..nest.levels.caches.len()).map(|cache| 1 + 2 * cache);
    let lines: Vec<usize> = lines.collect();
    chart
        .title()
        .set_name("Bytes through a cache by its size")
        .set_font(ChartFont::new().set_size(11));
    (chart.x_axis())
        .set_name("capacity of the cache in bytes")
        .set_log_base(10)
        .set_num_format(CAPACITIES_ON_AXIS)
        .set_major_gridlines(true)
        .set_crossing(ChartAxisCrossing::Min);
    chart
        .y_axis()
        .set_num_format(BYTES_ON_AXIS)
        .set_crossing(ChartAxisCrossing::Min);
    match points.window.is_wide() {
        true => {
            chart.y_axis().set_log_base(10);
        }
        false => {
            chart.y_axis().set_min(0);
        }
    }
    chart
        .legend()
        .set_position(ChartLegendPosition::Bottom)
        .delete_entries(&lines);
    chart.set_width(CHART_PIXELS.0).set_height(CHART_PIXELS.1);
    chart
}
