//! The table of the costliest nests on Summary, with links to their rows of Loops.

use rust_xlsxwriter::utility::row_col_to_cell;
use rust_xlsxwriter::{ColNum, FormatAlign, RowNum, XlsxError};

use super::super::highlights;
use super::super::layout::{Sheet, fixed_column_range};
use super::super::nests::NestSheets;
use super::super::page::Page;
use super::super::ranking::Found;
use super::super::readable;
use super::super::style::{self, Look, Role};
use super::super::table::FIRST_ROW;
use super::{COSTLIEST, OtherTable, chart};
use crate::expr::FigureId;
use crate::listings::{loops, side_by_side};
use crate::model::{OtherMachine, OtherNest};

/// Headings, in the order of the columns.
const HEADERS: [&str; 9] = [
    "Loop",
    "Time",
    "Share",
    "Bound by",
    "DRAM, one call",
    "Intensity [flop/B]",
    "Time saved (% of program)",
    "What to change",
    "Go to",
];
/// So many characters of a name are shown, its mark not among them.
const LONGEST_NAME: usize = 32;
/// Where the times on machine B stand beside the nests.
const ON_B: ColNum = HEADERS.len() as ColNum;
/// What is said of a nest that sheet A and B leaves out.
const NOT_COMPARED: &str = "not compared";

/// The nests; their rows of Loops are found beside the chart's data.
pub(super) fn write(
    page: &mut Page,
    nests: &NestSheets,
    ranked: &[usize],
    (row, data_row): (RowNum, RowNum),
) -> Result<(), XlsxError> {
    let model = page.book.model;
    let shown = &ranked[..ranked.len().min(COSTLIEST)];
    let title = match shown.len() {
        1 => "The costliest loop nest".to_string(),
        count => format!("The {count} costliest loop nests"),
    };
    // Any of them may be among the costliest with other inputs.
    let title = match model.nests.iter().any(|nest| !nest.mark().is_empty()) {
        true => format!(
            "{title} (* part of this nest is not understood or only estimated: see sheet Loops)"
        ),
        false => title,
    };
    page.text(row, 0, &title, &style::section())?;
    for (column, header) in (0..).zip(HEADERS) {
        page.text(row + 1, column, header, &style::header())?;
    }
    page.worksheet.set_row_height(row + 1, 46)?;
    let rows = (row + 2, row + 1 + shown.len() as RowNum);
    highlights::small_bytes(page, 4, rows)?;
    highlights::large_ratios(page, 5, rows)?;
    let data = chart::first(data_row)..;
    for ((row, data), index) in (row + 2..).zip(data).zip(shown) {
        let nest = &model.nests[*index];
        let Some(ranked) = model.ranking.of(*index) else {
            continue;
        };
        let found = Found {
            nests,
            nest: *index,
            position: row_col_to_cell(data, chart::POSITION),
        };
        found.short_marked_id(page, (row, 0), LONGEST_NAME)?;
        let time = row_col_to_cell(data, 1);
        page.readable_seconds((row, 1), &time, model.value(ranked.seconds))?;
        for (column, (what, id, look)) in [
            (2, (loops::SHARE, ranked.share, Look::Share)),
            (4, (loops::DRAM_BYTES, nest.traffic.actual, Look::Bytes)),
            (5, (loops::INTENSITY, nest.time.intensity, Look::Ratio)),
        ] {
            found.figure(page, (row, column), what, (id, look))?;
        }
        found.bound(page, (row, 3))?;
        found.advice(page, (row, 6), (row, 7))?;
        let text = format!("Loops, row {}", *index as RowNum + FIRST_ROW + 1);
        let target = format!("{}+{FIRST_ROW}", found.position);
        let formula = format!(
            "HYPERLINK(\"#{}!A\"&({target}),\"Loops, row \"&({target}))",
            Sheet::Loops.in_formulas()
        );
        page.presented_text(row, 8, &formula, &text, &style::link())?;
    }
    Ok(())
}

/// Beside the costliest nests: their times on machine B, and the ratios.
pub(super) fn write_on_other(
    page: &mut Page,
    (table, other): (&OtherTable, &OtherMachine),
    ranked: &[usize],
    (row, data_row): (RowNum, RowNum),
) -> Result<(), XlsxError> {
    let whole = |(group, header): (&str, &str)| {
        let column = table
            .column(group, header)
            .expect("the sheet A and B has the columns that it names");
        format!(
            "{}!{}",
            Sheet::SideBySide.in_formulas(),
            fixed_column_range(column, FIRST_ROW, table.last_row())
        )
    };
    type Pick = fn(&OtherNest) -> FigureId;
    let seconds: (_, _, Pick) = (side_by_side::ON_B, Look::Seconds, |nest| nest.seconds);
    let ratio: (_, _, Pick) = (side_by_side::RATIO, Look::Ratio, |nest| nest.ratio);
    let below = chart::after_series(page.book.model);
    for (row, column, header) in [
        (row + 1, ON_B, "Time on B"),
        (row + 1, ON_B + 1, "B over A"),
        (data_row + 1, below, "Time on B [s]"),
    ] {
        page.text(row, column, header, &style::header())?;
    }
    for ((row, data), index) in (row + 2..)
        .zip(chart::first(data_row)..)
        .zip(ranked.iter().take(COSTLIEST))
    {
        let position = format!(
            "MATCH({},{},0)",
            row_col_to_cell(data, chart::POSITION),
            whole(side_by_side::POSITION)
        );
        let nest = other.nests.iter().find(|nest| nest.nest == *index);
        for (place, (what, look, pick)) in [((data, below), seconds), ((row, ON_B + 1), ratio)] {
            let formula = format!(
                "IFERROR(INDEX({},{position}),\"{NOT_COMPARED}\")",
                whole(what)
            );
            let value = nest.map(|nest| page.book.model.value(pick(nest)));
            write_if_compared(page, place, &formula, (value, look))?;
        }
        let in_seconds = row_col_to_cell(data, below);
        let value = nest.map(|nest| page.book.model.value(nest.seconds));
        let (readable, shown) = readable::seconds(&in_seconds, value.unwrap_or(f64::NAN));
        let formula = format!("IF(ISNUMBER({in_seconds}),{readable},\"{NOT_COMPARED}\")");
        let shown = match value.is_some_and(f64::is_finite) {
            true => shown.as_str(),
            false => NOT_COMPARED,
        };
        let format = style::cell(Look::Text, Role::Plain).set_align(FormatAlign::Right);
        page.presented_text(row, ON_B, &formula, shown, &format)?;
    }
    Ok(())
}

/// A figure on machine B, or that there is none.
fn write_if_compared(
    page: &mut Page,
    (row, column): (RowNum, ColNum),
    formula: &str,
    (value, look): (Option<f64>, Look),
) -> Result<(), XlsxError> {
    match value.filter(|value| value.is_finite()) {
        Some(value) => {
            let format = style::cell(look, Role::Plain);
            page.presentation(row, column, formula, &value.to_string(), &format)
        }
        None => page.presented_text(
            row,
            column,
            formula,
            NOT_COMPARED,
            &style::cell(look, Role::Unknown),
        ),
    }
}
