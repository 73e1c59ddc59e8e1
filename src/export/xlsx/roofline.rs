//! The sheet Roofline: the ceilings of the machine and the busiest nests below them, live.

use rust_xlsxwriter::{
    Chart, ChartDataLabel, ChartFormat, ChartLine, ChartLineDashType, ChartMarker, ChartMarkerType,
    ChartSolidFill, ChartType, ColNum, RowNum, XlsxError,
};

use super::layout::{Layout, Place, Sheet};
use super::page::{Book, Page};
use super::style::{self, Look, Role};
use crate::expr::FigureId;
use crate::model::Model;
use crate::model::roofline::{Chart as Roofline, Line};

const CHART_ROW: RowNum = 3;
const CHART_ROWS: RowNum = 32;
const HEADER_ROW: RowNum = CHART_ROW + CHART_ROWS + 1;
const COLUMNS: [(&str, f64); 5] = [
    ("Ceiling", 42.0),
    ("Intensity [flop/B]", 18.0),
    ("Rate [flop/s]", 18.0),
    ("", 18.0),
    ("", 42.0),
];
/// Column of the nests' numbers and names as the legend has them.
const CHART_NAME: ColNum = 4;
/// Colours of ceilings and of nests.
const COLOURS: [u32; 8] = [
    0x24476B, 0xC0504D, 0x4F8A4C, 0x8064A2, 0xC9A227, 0x2C8FA3, 0x7F7F7F, 0xD9772B,
];

/// Both ends of all ceilings, a row each.
fn ends(roofline: &Roofline) -> impl Iterator<Item = (&Line, (FigureId, FigureId))> {
    roofline
        .lines
        .iter()
        .flat_map(|line| line.ends.iter().map(move |end| (line, *end)))
}

/// The row of the first nest.
fn points(roofline: &Roofline) -> RowNum {
    HEADER_ROW + 2 * roofline.lines.len() as RowNum + 4
}

/// Gives the figures of the chart their homes.
pub(super) fn place(model: &Model, layout: &mut Layout) {
    let Some(roofline) = &model.roofline else {
        return;
    };
    let mut put = |figure, row, column| {
        layout.put(
            figure,
            Place {
                sheet: Sheet::Roofline,
                row,
                column,
            },
        );
    };
    for (row, (_, (x, y))) in (HEADER_ROW + 1..).zip(ends(roofline)) {
        put(x, row, 1);
        put(y, row, 2);
    }
    for (row, (_, intensity, rate)) in (points(roofline)..).zip(&roofline.points) {
        put(*intensity, row, 1);
        put(*rate, row, 2);
    }
}

pub(super) fn write<'a>(book: Book<'a>, roofline: &Roofline) -> Result<Page<'a>, XlsxError> {
    let mut page = Page::new(Sheet::Roofline, book)?;
    page.title("Roofline")?;
    let text = "What the machine in force can do at best, and the nests with the most work (operations and references, when the workbook was written): \
                at an intensity of I flops a byte no more than min(peak, I x bandwidth) flops a second. Intensities are those of memory traffic. Numbers in the chart are those of the nests below it.";
    let (last, width) = (
        COLUMNS.len() as ColNum - 1,
        COLUMNS.iter().map(|(_, width)| width).sum(),
    );
    page.worksheet
        .merge_range(1, 0, 1, last, text, &style::remark().set_text_wrap())?;
    page.worksheet
        .set_row_height(1, style::row_height(style::lines(text, width)))?;
    for (column, (header, width)) in (0..).zip(COLUMNS) {
        if !header.is_empty() {
            page.text(HEADER_ROW, column, header, &style::header())?;
        }
        page.worksheet.set_column_width(column, width)?;
    }
    let plain = style::cell(Look::Text, Role::Plain);
    for (row, (line, (x, y))) in (HEADER_ROW + 1..).zip(ends(roofline)) {
        write_name(&mut page, row, line)?;
        page.figure(row, 1, x, Look::Ratio)?;
        page.figure(row, 2, y, Look::Seconds)?;
    }
    let first = points(roofline);
    for (column, header) in (0..).zip([
        "Loop",
        "Intensity [flop/B]",
        "Rate [flop/s]",
        "Bound by",
        "In the chart",
    ]) {
        page.text(first - 1, column, header, &style::header())?;
    }
    for (row, (nest, intensity, rate)) in (first..).zip(&roofline.points) {
        let nest = &page.book.model.nests[*nest];
        page.text(row, 0, &nest.nest.head().id, &plain)?;
        page.figure(row, 1, *intensity, Look::Ratio)?;
        page.figure(row, 2, *rate, Look::Seconds)?;
        page.choice(row, 3, nest.time.bound, &nest.time.bound_names())?;
        let number = row - first + 1;
        page.text(
            row,
            CHART_NAME,
            &format!("{number}: {}", nest.nest.head().id),
            &plain,
        )?;
    }
    draw(&mut page, roofline, first)?;
    style::print_setup(&mut page.worksheet);
    page.worksheet.set_print_fit_to_pages(1, 1);
    Ok(page)
}

/// What a ceiling is called; one that the machine in force does not tell is no line.
fn write_name(page: &mut Page, row: RowNum, line: &Line) -> Result<(), XlsxError> {
    let plain = style::cell(Look::Text, Role::Plain);
    let Some(known) = &line.known else {
        return page.text(row, 0, &line.name, &plain);
    };
    let unknown = format!("{} (not known)", line.name);
    let formula = format!(
        "IF(N({})>0,\"{}\",\"{unknown}\")",
        page.formula(known),
        line.name
    );
    let is_known = known
        .evaluate(&page.book.model.figures)
        .is_ok_and(|value| value > 0.0);
    page.presented_text(
        row,
        0,
        &formula,
        if is_known { &line.name } else { &unknown },
        &plain,
    )
}

fn draw(page: &mut Page, roofline: &Roofline, first: RowNum) -> Result<(), XlsxError> {
    let name = Sheet::Roofline.name();
    let mut chart = Chart::new(ChartType::ScatterStraight);
    for (index, ceiling) in roofline.lines.iter().enumerate() {
        let row = HEADER_ROW + 1 + 2 * index as RowNum;
        let mut line = ChartLine::new();
        line.set_color(COLOURS[index % COLOURS.len()])
            .set_width(1.75);
        if ceiling.ends[0].1 == ceiling.ends[1].1 {
            line.set_dash_type(ChartLineDashType::Dash);
        }
        (chart.add_series())
            .set_name((name, row, 0))
            .set_categories((name, row, 1, row + 1, 1))
            .set_values((name, row, 2, row + 1, 2))
            .set_format(ChartFormat::new().set_line(&line))
            .set_marker(ChartMarker::new().set_none());
    }
    for (index, row) in (first..).take(roofline.points.len()).enumerate() {
        let mut marker = ChartMarker::new();
        let fill = ChartSolidFill::new()
            .set_color(COLOURS[index % COLOURS.len()])
            .clone();
        marker
            .set_type(ChartMarkerType::Circle)
            .set_size(8)
            .set_format(ChartFormat::new().set_solid_fill(&fill));
        // LibreOffice would show the value beside the name of a series, and instead of a cell's text.
        let number = (index + 1).to_string();
        let mut label = ChartDataLabel::new();
        label
            .show_value()
            .set_position(rust_xlsxwriter::ChartDataLabelPosition::Right);
        let named = ChartDataLabel::new().set_value(number.as_str()).to_custom();
        (chart.add_series())
            .set_name((name, row, CHART_NAME))
            .set_categories((name, row, 1, row, 1))
            .set_values((name, row, 2, row, 2))
            .set_marker(&marker)
            .set_data_label(&label)
            .set_custom_data_labels(&[named]);
    }
    chart.title().set_name("Roofline");
    chart
        .x_axis()
        .set_name("flops a byte of memory traffic")
        .set_log_base(10);
    chart
        .y_axis()
        .set_name("flops a second")
        .set_log_base(10)
        .set_num_format("0E+00")
        .set_crossing(rust_xlsxwriter::ChartAxisCrossing::Min);
    chart
        .x_axis()
        .set_crossing(rust_xlsxwriter::ChartAxisCrossing::Min);
    chart
        .legend()
        .set_position(rust_xlsxwriter::ChartLegendPosition::Right);
    chart.set_width(1180).set_height(CHART_ROWS * 20 - 10);
    page.worksheet.insert_chart(CHART_ROW, 0, &chart)?;
    Ok(())
}
