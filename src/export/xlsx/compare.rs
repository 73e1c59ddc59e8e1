//! The sheets Compare and Compare chart: what the source predicts beside what a run did.

use rust_xlsxwriter::utility::row_col_to_cell;
use rust_xlsxwriter::{
    Chart, ChartFormat, ChartLegendPosition, ChartLine, ChartLineDashType, ChartMarker,
    ChartMarkerType, ChartSolidFill, ChartType, ColNum, Color, ConditionalFormat3ColorScale,
    ConditionalFormatType, RowNum, Workbook, Worksheet, XlsxError,
};

use super::layout::{Layout, Sheet};
use super::package;
use super::page::Paper;
use super::style::{self, Look, Role};
use crate::compare::{Comparison, Live, NestComparison, Row};
use crate::expr::Excel;
use crate::formula::Unit;
use crate::listings::compared::Series;
use crate::model::Model;

const HEADER: RowNum = 3;
const FIRST: RowNum = HEADER + 1;
const COLUMNS: [(&str, f64); 11] = [
    ("Nest", 26.0),
    ("Function", 20.0),
    ("Line", 8.0),
    ("Quantity", 34.0),
    ("Unit", 7.0),
    ("Static", 16.0),
    ("Traced", 16.0),
    ("Traced / static", 12.0),
    ("Traced - static", 16.0),
    ("Reason, at the inputs as recorded", 90.0),
    ("File", 50.0),
];
const STATIC: ColNum = 5;
const TRACED: ColNum = 6;
const RATIO: ColNum = 7;
const DIFFERENCE: ColNum = 8;

/// The workbook of a comparison by itself: the static side is numbers.
///
/// # Errors
/// More rows than a sheet has.
pub fn compare_workbook(comparison: &Comparison) -> Result<Vec<u8>, XlsxError> {
    let mut workbook = Workbook::new();
    workbook.set_properties(&super::properties(
        "Prediction from the source against the run",
    )?);
    for worksheet in sheets(comparison, &|_, _| None)? {
        workbook.push_worksheet(worksheet);
    }
    package::finish(workbook)
}

/// The sheets of a comparison in the workbook of its model: the static side follows the inputs there.
pub(super) fn live_sheets(
    comparison: &Comparison,
    model: &Model,
    layout: &Layout,
) -> Result<Vec<Worksheet>, XlsxError> {
    let live = Live::of(model);
    let names = layout.names(Sheet::Compare);
    sheets(comparison, &|nest, row| {
        let expr = live.expression(nest, row)?;
        Some(
            Excel {
                expr: &expr,
                names: &names,
            }
            .to_string(),
        )
    })
}

type Formula<'p> = &'p dyn Fn(&NestComparison, &Row) -> Option<String>;

fn sheets(comparison: &Comparison, predicted: Formula) -> Result<Vec<Worksheet>, XlsxError> {
    let (table, points) = write_table(comparison, predicted)?;
    Ok(vec![table, write_points(&points)?, write_rest(comparison)?])
}

/// Rows that the chart shows, by the kind of quantity.
struct Points {
    /// In the order of [`Series::ALL`].
    series: [Vec<Point>; Series::ALL.len()],
}

struct Point {
    nest: String,
    row: RowNum,
    values: (f64, f64),
}

/// The colour of a series.
fn colour(series: Series) -> u32 {
    match series {
        Series::Iterations => 0x0072B2,
        Series::Flops => 0xD55E00,
        Series::References => 0x009E73,
        Series::Traffic => 0xCC79A7,
    }
}

fn write_table(
    comparison: &Comparison,
    predicted: Formula,
) -> Result<(Worksheet, Points), XlsxError> {
    let mut page = Paper::new(Sheet::Compare, ())?;
    page.title("Static against traced")?;
    let joined = format!(
        "{}: {} instructions, {:.2} % of them in loops of the report. Static: machine {}.",
        comparison.trace,
        comparison.instructions,
        100.0 * comparison.joined_share,
        comparison.machine
    );
    page.text(1, 0, &joined, &style::remark())?;
    for (column, (header, width)) in (0..).zip(COLUMNS) {
        page.text(HEADER, column, header, &style::header())?;
        page.worksheet.set_column_width(column, width)?;
    }
    page.worksheet.set_row_height(HEADER, 32)?;
    let mut points = Points {
        series: Series::ALL.map(|_| Vec::new()),
    };
    let mut row = FIRST;
    for nest in &comparison.nests {
        for entry in &nest.rows {
            write_row(&mut page, row, nest, entry, predicted(nest, entry))?;
            if let (Some(series), Some(values)) = (
                Series::of(&entry.quantity),
                entry.predicted.zip(entry.traced),
            ) && values.0 > 0.0
                && values.1 > 0.0
            {
                points.series[series as usize].push(Point {
                    nest: nest.id.clone(),
                    row,
                    values,
                });
            }
            row += 1;
        }
    }
    let last = row.max(FIRST + 1) - 1;
    // Red below, white where both agree, blue above.
    let scale = ConditionalFormat3ColorScale::new()
        .set_minimum(ConditionalFormatType::Number, 0.5)
        .set_midpoint(ConditionalFormatType::Number, 1.0)
        .set_maximum(ConditionalFormatType::Number, 2.0)
        .set_minimum_color(0xF4A582)
        .set_midpoint_color(0xFFFFFF)
        .set_maximum_color(0x92C5DE);
    page.worksheet
        .add_conditional_format(FIRST, RATIO, last, RATIO, &scale)?;
    page.worksheet.set_freeze_panes(FIRST, 1)?;
    page.worksheet
        .autofilter(HEADER, 0, last, COLUMNS.len() as ColNum - 1)?;
    page.worksheet.set_repeat_rows(HEADER, HEADER)?;
    style::print_setup(&mut page.worksheet);
    Ok((page.worksheet, points))
}

fn write_row(
    page: &mut Paper<()>,
    row: RowNum,
    nest: &NestComparison,
    entry: &Row,
    predicted: Option<String>,
) -> Result<(), XlsxError> {
    let plain = style::cell(Look::Text, Role::Plain);
    page.text(row, 0, &nest.id, &plain)?;
    page.text(row, 1, &nest.function, &plain)?;
    page.number(
        row,
        2,
        nest.line.into(),
        &style::cell(Look::Number, Role::Plain),
    )?;
    let unit = entry.quantity.unit();
    page.text(row, 3, &entry.quantity.to_string(), &plain)?;
    page.text(row, 4, entry.quantity.unit_text(), &plain)?;
    let look = |value: f64| match value {
        _ if unit == Unit::Seconds => Look::Seconds,
        _ if value.fract() == 0.0 => Look::Count,
        _ => Look::Ratio,
    };
    if let Some(value) = entry.predicted {
        let format = style::cell(look(value), Role::Plain);
        match predicted {
            Some(formula) => {
                page.presentation(row, STATIC, &formula, &value.to_string(), &format)?;
            }
            None => page.number(row, STATIC, value, &format)?,
        }
    }
    if let Some(value) = entry.traced {
        page.number(row, TRACED, value, &style::cell(look(value), Role::Plain))?;
    }
    if let (Some(predicted), Some(traced)) = (entry.predicted, entry.traced) {
        let (left, right) = (row_col_to_cell(row, STATIC), row_col_to_cell(row, TRACED));
        // Nothing over nothing is no ratio, and no number that a colour could be given for.
        let formula = format!("IF({left}=0,\" \",{right}/{left})");
        let format = style::cell(Look::Ratio, Role::Plain);
        match entry.ratio {
            Some(ratio) => page.presentation(row, RATIO, &formula, &ratio.to_string(), &format)?,
            None => page.presented_text(row, RATIO, &formula, " ", &format)?,
        }
        let difference = traced - predicted;
        let format = style::cell(look(difference), Role::Plain);
        page.presentation(
            row,
            DIFFERENCE,
            &format!("{right}-{left}"),
            &difference.to_string(),
            &format,
        )?;
    }
    if let Some(reason) = &entry.reason {
        page.text(row, 9, reason, &plain)?;
    }
    page.text(row, 10, &nest.file, &plain)
}

/// One block of columns a kind of quantity, referring to Compare, and the chart over them.
fn write_points(points: &Points) -> Result<Worksheet, XlsxError> {
    let mut page = Paper::new(Sheet::ComparePoints, ())?;
    page.title("Traced / static")?;
    page.text(
        1,
        0,
        "Each point is a quantity of a nest; on the dashed line both agree.",
        &style::remark(),
    )?;
    const TABLE: RowNum = 34;
    let mut chart = Chart::new(ChartType::Scatter);
    let sheet = page.sheet.name();
    let all = points
        .series
        .iter()
        .flat_map(|points| points.iter().map(|point| point.values));
    let bounds = all.fold((f64::MAX, 0.0f64), |(low, high), (x, y)| {
        (low.min(x).min(y), high.max(x).max(y))
    });
    for (series, points) in Series::ALL.into_iter().zip(&points.series) {
        let column = 4 * series as ColNum;
        page.text(TABLE, column, series.name(), &style::section())?;
        for (offset, header) in (0..).zip(["Nest", "Static", "Traced"]) {
            page.text(TABLE + 1, column + offset, header, &style::header())?;
            page.worksheet
                .set_column_width(column + offset, if offset == 0 { 24.0 } else { 14.0 })?;
        }
        for (row, point) in (TABLE + 2..).zip(points) {
            page.text(
                row,
                column,
                &point.nest,
                &style::cell(Look::Text, Role::Plain),
            )?;
            for (offset, source, value) in
                [(1, STATIC, point.values.0), (2, TRACED, point.values.1)]
            {
                let cell = format!(
                    "{}!{}",
                    Sheet::Compare.in_formulas(),
                    row_col_to_cell(point.row, source)
                );
                let look = if value.fract() == 0.0 {
                    Look::Count
                } else {
                    Look::Ratio
                };
                page.presentation(
                    row,
                    column + offset,
                    &cell,
                    &value.to_string(),
                    &style::cell(look, Role::Plain),
                )?;
            }
        }
        if points.is_empty() {
            continue;
        }
        let (first, last) = (TABLE + 2, TABLE + 1 + points.len() as RowNum);
        let mut marker = ChartMarker::new();
        let mut fill = ChartFormat::new();
        fill.set_solid_fill(ChartSolidFill::new().set_color(Color::RGB(colour(series))));
        marker
            .set_type(ChartMarkerType::Circle)
            .set_size(7)
            .set_format(&mut fill);
        (chart.add_series())
            .set_name(series.name())
            .set_categories((sheet, first, column + 1, last, column + 1))
            .set_values((sheet, first, column + 2, last, column + 2))
            .set_marker(&marker);
    }
    if bounds.1 > 0.0 {
        diagonal(&mut page, &mut chart, bounds)?;
        chart.title().set_name("The run divided by the prediction");
        chart
            .x_axis()
            .set_name("static")
            .set_log_base(10)
            .set_num_format("0E+0");
        chart
            .y_axis()
            .set_name("traced")
            .set_log_base(10)
            .set_num_format("0E+0");
        chart.legend().set_position(ChartLegendPosition::Bottom);
        chart.set_width(900).set_height(600);
        page.worksheet.insert_chart(2, 0, &chart)?;
    }
    style::print_setup(&mut page.worksheet);
    Ok(page.worksheet)
}

/// The line on which both sides agree, from two cells beside the tables.
fn diagonal(
    page: &mut Paper<()>,
    chart: &mut Chart,
    (low, high): (f64, f64),
) -> Result<(), XlsxError> {
    const COLUMN: ColNum = 16;
    const ROW: RowNum = 34;
    page.worksheet.set_column_width(COLUMN, 16.0)?;
    page.text(ROW, COLUMN, "Both agree", &style::section())?;
    for (row, value) in (ROW + 2..).zip([
        10f64.powf(low.log10().floor()),
        10f64.powf(high.log10().ceil()),
    ]) {
        page.number(row, COLUMN, value, &style::cell(Look::Ratio, Role::Plain))?;
    }
    let mut format = ChartFormat::new();
    let line = ChartLine::new()
        .set_color(Color::RGB(0x6B7280))
        .set_dash_type(ChartLineDashType::Dash)
        .clone();
    format.set_line(&line);
    let mut marker = ChartMarker::new();
    marker.set_none();
    let sheet = page.sheet.name();
    (chart.add_series())
        .set_name("both agree")
        .set_categories((sheet, ROW + 2, COLUMN, ROW + 3, COLUMN))
        .set_values((sheet, ROW + 2, COLUMN, ROW + 3, COLUMN))
        .set_marker(&marker)
        .set_format(&mut format);
    Ok(())
}

/// What was not joined, parameters that do not fit, notes.
fn write_rest(comparison: &Comparison) -> Result<Worksheet, XlsxError> {
    let mut page = Paper::new(Sheet::Unjoined, ())?;
    page.title("Not compared")?;
    for (column, width) in (0..).zip([44.0, 16.0, 80.0]) {
        page.worksheet.set_column_width(column, width)?;
    }
    let (plain, count) = (
        style::cell(Look::Text, Role::Plain),
        style::cell(Look::Count, Role::Plain),
    );
    let mut row = 2;
    let section = |page: &mut Paper<()>, row: &mut RowNum, title: &str, headers: [&str; 3]| {
        page.text(*row, 0, title, &style::section())?;
        for (column, header) in (0..).zip(headers) {
            page.text(*row + 1, column, header, &style::header())?;
        }
        *row += 2;
        Ok::<(), XlsxError>(())
    };
    section(
        &mut page,
        &mut row,
        "Instructions in no loop of the report",
        ["What", "Instructions", "Why"],
    )?;
    for left in &comparison.unjoined {
        page.text(row, 0, &left.what, &plain)?;
        page.number(row, 1, left.instructions as f64, &count)?;
        page.text(row, 2, &left.reason.to_string(), &plain)?;
        row += 1;
    }
    row += 1;
    section(
        &mut page,
        &mut row,
        "Parameters that do not fit the run",
        ["Parameter", "Would fit", "Seen in"],
    )?;
    for found in &comparison.parameters {
        page.text(row, 0, &found.parameter, &plain)?;
        page.number(row, 1, found.fits, &style::cell(Look::Number, Role::Plain))?;
        page.text(row, 2, &found.seen_in.join(", "), &plain)?;
        row += 1;
    }
    row += 1;
    section(
        &mut page,
        &mut row,
        "Nests that were not executed",
        ["Nest", "", ""],
    )?;
    for nest in &comparison.not_executed {
        page.text(row, 0, nest, &plain)?;
        row += 1;
    }
    row += 1;
    page.text(row, 0, "Notes", &style::section())?;
    for note in &comparison.notes {
        row += 1;
        page.text(row, 0, note, &plain)?;
    }
    style::print_setup(&mut page.worksheet);
    Ok(page.worksheet)
}
