//! Numbers of the points in the chart: in a row below all points, in the order of their intensities, each with a line to
//! its point, so that no number stands on another or on a point, whatever the inputs are.

use rust_xlsxwriter::utility::row_col_to_cell_absolute as cell;
use rust_xlsxwriter::{
    Chart, ChartDataLabel, ChartDataLabelPosition, ChartFormat, ChartLine, ChartMarker, ColNum,
    RowNum, XlsxError,
};

use super::super::layout::Sheet;
use super::super::page::{Page, UNKNOWN};
use super::super::style::{self, Look, Role};
use crate::model::roofline::Chart as Roofline;

/// Both ends of the lines, two rows each, right of what is printed.
const ACROSS: ColNum = 6;
const UP: ColNum = 7;
/// Decades that ten numbers take side by side, and how far the row goes beyond the points.
const DECADES: f64 = 1.6;
const BEYOND: f64 = 0.15;
/// How many times lower than the lowest point the row is.
const LOWER: f64 = 4.0;
/// Of the lines.
const GREY: u32 = 0x9AA3AF;

/// Writes where lines begin and end; `first` is the row of the first nest.
pub(super) fn write(page: &mut Page, roofline: &Roofline, first: RowNum) -> Result<(), XlsxError> {
    let values = |id| page.book.model.value(id);
    let points: Vec<(f64, f64)> = (roofline.points.iter())
        .map(|(_, intensity, rate)| (values(*intensity), values(*rate)))
        .collect();
    let ends = ends(&points);
    let count = points.len();
    let last = first + count as RowNum - 1;
    let range = |column| format!("{}:{}", cell(first, column), cell(last, column));
    let (across, up) = (range(1), range(2));
    for (column, header) in [(ACROSS, "Lines to the numbers"), (UP, "")] {
        page.text(first - 1, column, header, &style::remark())?;
    }
    let half = format!("MAX({BEYOND},({DECADES}-LOG10(MAX({across}))+LOG10(MIN({across})))/2)");
    for (index, (row, end)) in (first..).zip(&ends).enumerate() {
        let start = first + 2 * index as RowNum;
        let (x, y) = (cell(row, 1), cell(row, 2));
        let until = format!("{}:{x}", cell(first, 1));
        let rank = format!("SUMPRODUCT(({across}<{x})*1)+SUMPRODUCT(({until}={x})*1)-0.5");
        let exponent = format!(
            "LOG10(MIN({across}))-{half}+({rank})/{count}*(LOG10(MAX({across}))-LOG10(MIN({across}))+2*{half})"
        );
        let cells = [
            (start, ACROSS, x, points[index].0, Look::Ratio),
            (start, UP, y, points[index].1, Look::Flops),
            (
                start + 1,
                ACROSS,
                format!("10^({exponent})"),
                end.0,
                Look::Ratio,
            ),
            (
                start + 1,
                UP,
                format!("MIN({up})/{LOWER}"),
                end.1,
                Look::Flops,
            ),
        ];
        for (row, column, formula, value, look) in cells {
            let formula = format!("IFERROR({formula},\"{UNKNOWN}\")");
            let format = style::cell(look, Role::Unknown);
            match value.is_finite() {
                true => page.presentation(row, column, &formula, &value.to_string(), &format)?,
                false => page.presented_text(row, column, &formula, UNKNOWN, &format)?,
            }
        }
    }
    Ok(())
}

/// Where the numbers of points stand, by intensity and rate.
fn ends(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let known = |value: &f64| value.is_finite();
    let intensities = || points.iter().map(|(x, _)| *x).filter(known);
    let least = intensities().fold(f64::INFINITY, f64::min).log10();
    let most = intensities().fold(f64::NEG_INFINITY, f64::max).log10();
    let rates = points.iter().map(|(_, y)| *y).filter(known);
    let row = rates.fold(f64::INFINITY, f64::min) / LOWER;
    let half = BEYOND.max((DECADES - most + least) / 2.0);
    let width = most - least + 2.0 * half;
    let end = |(index, (x, _)): (usize, &(f64, f64))| {
        let before = points.iter().filter(|(other, _)| other < x).count();
        let same = points[..=index].iter().filter(|(other, _)| other == x);
        let rank = (before + same.count()) as f64 - 0.5;
        let exponent = least - half + rank / points.len() as f64 * width;
        (10f64.powf(exponent), row)
    };
    points.iter().enumerate().map(end).collect()
}

/// Adds the lines, with the numbers at their ends.
pub(super) fn draw(chart: &mut Chart, roofline: &Roofline, first: RowNum) {
    let name = Sheet::Roofline.name();
    for index in 0..roofline.points.len() {
        let start = first + 2 * index as RowNum;
        let line = ChartLine::new().set_color(GREY).set_width(0.5).clone();
        // LibreOffice would show the value beside the name of a series, and instead of a cell's text.
        let number = (index + 1).to_string();
        let label = ChartDataLabel::new()
            .show_value()
            .set_position(ChartDataLabelPosition::Below)
            .clone();
        let none = ChartDataLabel::new().set_hidden().to_custom();
        let own = ChartDataLabel::new().set_value(number.as_str()).to_custom();
        (chart.add_series())
            .set_name(number.as_str())
            .set_categories((name, start, ACROSS, start + 1, ACROSS))
            .set_values((name, start, UP, start + 1, UP))
            .set_format(ChartFormat::new().set_line(&line))
            .set_marker(ChartMarker::new().set_none())
            .set_data_label(&label)
            .set_custom_data_labels(&[none, own]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_side_by_side_below_all_points() {
        let points = [(0.5, 1e9), (0.1, 4e8), (0.5, 2e9), (0.5, 2e9)];
        let ends = ends(&points);
        let mut across: Vec<f64> = ends.iter().map(|(x, _)| x.log10()).collect();
        // In the order of the intensities, equal ones as they are listed.
        assert!(across[1] < across[0] && across[0] < across[2] && across[2] < across[3]);
        across.sort_by(f64::total_cmp);
        let apart: Vec<f64> = across.windows(2).map(|two| two[1] - two[0]).collect();
        assert!(
            apart.iter().all(|far| *far > DECADES / 4.0 - 1e-9),
            "{apart:?}"
        );
        assert!(ends.iter().all(|(_, y)| *y == 1e8));
    }
}
