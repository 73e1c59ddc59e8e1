//! The sheet Roofline: the ceilings of the machine and the busiest nests below them, live.

mod leaders;

use rust_xlsxwriter::{
    Chart, ChartFormat, ChartLine, ChartLineDashType, ChartMarker, ChartMarkerType, ChartSolidFill,
    ChartType, ColNum, RowNum, XlsxError,
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
    ("Rate", 18.0),
    ("", 18.0),
    ("", 42.0),
];
/// Column of the nests' numbers and names as the legend has them.
const CHART_NAME: ColNum = 4;
/// Rates in the unit that they are read in.
const RATE: &str = "[>=1000000000000]#,##0.00,,,,\" Tflop/s\";[>=1000000000]0.00,,,\" Gflop/s\";0.00,,\" Mflop/s\"";
/// The same on an axis.
const RATE_ON_AXIS: &str = "[>=1000000000000]#,##0,,,,\" T\";[>=1000000000]0,,,\" G\";0,,\" M\"";
/// Of the ceilings that no intensity changes, and of nests.
const INK: u32 = 0x1F2A37;

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
    let text = "The best the machine in force can do, and the nests with the most work when the workbook was written: \
                at an intensity of I flops per byte at most min(peak, I x bandwidth) flops per second. Intensities refer to memory traffic. Numbers in the chart are those of the nests below it, each with a line to its point.";
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
        write_rate(&mut page, row, y)?;
    }
    let first = points(roofline);
    for (column, header) in (0..).zip([
        "Loop",
        "Intensity [flop/B]",
        "Rate",
        "Bound by",
        "In the chart",
    ]) {
        page.text(first - 1, column, header, &style::header())?;
    }
    for (row, (nest, intensity, rate)) in (first..).zip(&roofline.points) {
        let nest = &page.book.model.nests[*nest];
        page.text(row, 0, &nest.nest.head().id, &plain)?;
        page.figure(row, 1, *intensity, Look::Ratio)?;
        write_rate(&mut page, row, *rate)?;
        page.choice(row, 3, nest.time.bound, &nest.time.bound_names())?;
        let number = row - first + 1;
        page.text(
            row,
            CHART_NAME,
            &format!("{number}: {}", nest.nest.head().id),
            &plain,
        )?;
    }
    leaders::write(&mut page, roofline, first)?;
    draw(&mut page, roofline, first)?;
    style::print_setup(&mut page.worksheet);
    page.worksheet.set_portrait();
    let end = first + roofline.points.len() as RowNum;
    page.worksheet.set_print_area(0, 0, end, last)?;
    page.worksheet.set_print_fit_to_pages(1, 1);
    Ok(page)
}

fn write_rate(page: &mut Page, row: RowNum, rate: FigureId) -> Result<(), XlsxError> {
    page.figure(row, 2, rate, Look::Flops)?;
    let format = style::cell(Look::Flops, Role::Plain).set_num_format(RATE);
    page.worksheet.set_cell_format(row, 2, &format)?;
    Ok(())
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

/// Of the ceilings that no intensity changes, the highest first.
const DASHES: [ChartLineDashType; 3] = [
    ChartLineDashType::Solid,
    ChartLineDashType::LongDash,
    ChartLineDashType::SquareDot,
];

fn draw(page: &mut Page, roofline: &Roofline, first: RowNum) -> Result<(), XlsxError> {
    let name = Sheet::Roofline.name();
    let mut chart = Chart::new(ChartType::ScatterStraight);
    let is_level = |line: &&Line| line.ends[0].1 == line.ends[1].1;
    let level = roofline.lines.iter().filter(is_level).count();
    let slopes = roofline.lines.len() - level;
    for index in 0..roofline.lines.len() {
        let row = HEADER_ROW + 1 + 2 * index as RowNum;
        let mut line = ChartLine::new();
        match index.checked_sub(level) {
            None => {
                (line.set_color(INK).set_width(1.25)).set_dash_type(DASHES[index % DASHES.len()])
            }
            // The same colours as on Summary; of lines on each other the nearer level is the wider.
            Some(slope) => (line.set_color(style::LEVELS[slope % style::LEVELS.len()]))
                .set_width(1.5 + 1.25 * (slopes - slope - 1) as f64),
        };
        (chart.add_series())
            .set_name((name, row, 0))
            .set_categories((name, row, 1, row + 1, 1))
            .set_values((name, row, 2, row + 1, 2))
            .set_format(ChartFormat::new().set_line(&line))
            .set_marker(ChartMarker::new().set_none());
    }
    for row in (first..).take(roofline.points.len()) {
        let mut marker = ChartMarker::new();
        let fill = ChartSolidFill::new().set_color(INK).clone();
        marker
            .set_type(ChartMarkerType::Circle)
            .set_size(7)
            .set_format(ChartFormat::new().set_solid_fill(&fill));
        (chart.add_series())
            .set_name((name, row, CHART_NAME))
            .set_categories((name, row, 1, row, 1))
            .set_values((name, row, 2, row, 2))
            .set_marker(&marker);
    }
    leaders::draw(&mut chart, roofline, first);
    chart.title().set_name("Roofline");
    chart
        .x_axis()
        .set_name("flops per byte of memory traffic")
        .set_log_base(10)
        .set_major_unit(10)
        .set_major_gridlines(true);
    chart
        .y_axis()
        .set_name("flops per second (M: 10⁶, G: 10⁹, T: 10¹²)")
        .set_log_base(10)
        .set_major_unit(10)
        .set_num_format(RATE_ON_AXIS)
        .set_crossing(rust_xlsxwriter::ChartAxisCrossing::Min);
    chart
        .x_axis()
        .set_crossing(rust_xlsxwriter::ChartAxisCrossing::Min);
    // Lines to numbers are not explained.
    let known = roofline.lines.len() + roofline.points.len();
    let leaders: Vec<usize> = (known..known + roofline.points.len()).collect();
    chart
        .legend()
        .delete_entries(&leaders)
        .set_position(rust_xlsxwriter::ChartLegendPosition::Right);
    chart.set_width(980).set_height(CHART_ROWS * 20 - 10);
    page.worksheet.insert_chart(CHART_ROW, 0, &chart)?;
    Ok(())
}
