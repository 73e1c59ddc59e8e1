//! Places in an order that no two rows share: rows of equal values have theirs as they are listed. A rank is then looked up
//! among the places, in every program that computes a workbook.

use rust_xlsxwriter::utility::{row_col_to_cell, row_col_to_cell_absolute};
use rust_xlsxwriter::{ColNum, RowNum, XlsxError};

use super::layout::fixed_column_range;
use super::nests::{NestColumn, NestSheets};
use super::page::Page;
use super::style::{self, Look, Role};
use super::table::FIRST_ROW;
use crate::listings::{Content, loops};
use crate::model::Model;
use crate::model::ranking::rank_key;

/// What stands for a time that is not known, so that it is behind all others.
const NOT_KNOWN: f64 = -1.0;

/// The place of each value, from one: the largest first, equal ones as they are listed.
pub(super) fn places(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*b].total_cmp(&values[*a]));
    let mut places = vec![0; values.len()];
    for (place, index) in order.into_iter().enumerate() {
        places[index] = place + 1;
    }
    places
}

/// The formula of a row's place by the numbers of a column: how many are larger, and how many are equal down to its row.
pub(super) fn place_formula(
    column: ColNum,
    (first, last): (RowNum, RowNum),
    row: RowNum,
) -> String {
    let own = row_col_to_cell(row, column);
    let all = fixed_column_range(column, first, last);
    let until = format!("{}:{own}", row_col_to_cell_absolute(first, column));
    format!("SUMPRODUCT(({all}>{own})*1)+SUMPRODUCT(({until}={own})*1)")
}

/// The times that nests are ranked by.
fn times(model: &Model) -> Vec<f64> {
    let time = |nest: usize| {
        let seconds = model.ranking.seconds(nest).map(|id| model.value(id));
        let known = seconds.filter(|value| value.is_finite());
        known.map_or(NOT_KNOWN, rank_key)
    };
    (0..model.nests.len()).map(time).collect()
}

/// The formula of such a time: [`rank_key`] of the cell, if it has a number.
fn key_formula(cell: &str) -> String {
    let exponent = format!("INT(LOG10({cell}))");
    format!(
        "IF(ISNUMBER({cell}),IF({cell}>0,ROUND({cell}/10^{exponent},11)*10^{exponent},0),{NOT_KNOWN})"
    )
}

/// The columns of sheet Time that ranks are looked up in; their cells become formulas.
pub(super) fn columns<'a>(model: &Model) -> [NestColumn<'a>; 2] {
    let times = times(model);
    let places = places(&times);
    let column = |header, unit, look, meaning, values: Vec<f64>| {
        let heading = (loops::STEPS, header, unit);
        NestColumn::new(heading, look, meaning, move |(index, _)| {
            Content::Fact(values[*index])
        })
    };
    [
        column(
            "Time to rank by",
            "s",
            Look::Seconds,
            "The time that nests are ranked by, to twelve digits, so that times that differ by rounding only are equal; -1 where it is not known",
            times,
        ),
        column(
            "Rank",
            "",
            Look::Number,
            "1 is the costliest nest; nests of equal time are ranked in the order of the rows",
            places.iter().map(|place| *place as f64).collect(),
        ),
    ]
}

/// Their formulas.
pub(super) fn write(page: &mut Page, nests: &NestSheets, column: ColNum) -> Result<(), XlsxError> {
    let model = page.book.model;
    let (times, last) = (times(model), nests.table.last_row());
    let formats = [Look::Seconds, Look::Number].map(|look| style::cell(look, Role::Plain));
    for (row, (time, place)) in (FIRST_ROW..).zip(times.iter().zip(places(&times))) {
        let own = nests.cell(loops::ranked_by(model), row);
        let formula = key_formula(&own);
        page.presentation(row, column, &formula, &time.to_string(), &formats[0])?;
        let formula = place_formula(column, (FIRST_ROW, last), row);
        page.presentation(row, column + 1, &formula, &place.to_string(), &formats[1])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_have_places_as_they_are_listed() {
        assert_eq!(places(&[2.0, 7.0, NOT_KNOWN, 7.0, 0.0]), [3, 1, 5, 2, 4]);
        assert_eq!(places(&[]), [0; 0]);
        assert_eq!(
            place_formula(2, (4, 8), 6),
            "SUMPRODUCT(($C$5:$C$9>C7)*1)+SUMPRODUCT(($C$5:C7=C7)*1)"
        );
    }
}
