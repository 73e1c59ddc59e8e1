//! The sheet Goal: questions the other way round, for the nests that are the costliest now: which memory bandwidth makes one
//! so many times as fast, from which size of a cache on its next layer condition holds, and up to which problem size.

use rust_xlsxwriter::utility::row_col_to_cell_absolute;
use rust_xlsxwriter::{
    ColNum, ConditionalFormatFormula, DataValidation, DataValidationRule, RowNum, Workbook,
    XlsxError,
};

use super::alternatives::{AlternativesSheet, NOT_COMPARED, OfGoal, write_found, write_note};
use super::inputs::{define_name, write_value};
use super::layout::{Sheet, in_force};
use super::nests::NestSheets;
use super::page::{Book, Page};
use super::ranking::Found;
use super::style::{self, Look, Role};
use crate::machine::parameters::{LATENCY_LIMIT, level_name};
use crate::model::Model;
use crate::model::scenarios::GOAL;

const SPEEDUP_CELL: (RowNum, ColNum) = (3, 2);
const LIMIT_CELL: (RowNum, ColNum) = (3, 4);
const GROUP_ROW: RowNum = 5;
const HEADER_ROW: RowNum = 6;
const FIRST_ROW: RowNum = 7;
const TIME: ColNum = 1;
const BOUND: ColNum = 2;
const TARGET: ColNum = 3;
const BANDWIDTH: ColNum = 4;
/// The first column of levels, and how many each has.
const LEVELS: ColNum = 5;
const WIDE: ColNum = 3;
/// What is said where no memory bandwidth is enough, or more does not arrive.
const NOT_BY_MEMORY: &str = "not by memory alone";
const LATENCY: &str = "limited by latency";
const ALL_HELD: &str = "all held";
const NO_LEVEL: &str = "no such level";
const NONE: &str = "none";
/// Sizes from which on any will do.
const ANY: f64 = 1e14;

pub(super) fn define_names(workbook: &mut Workbook, book: Book) -> Result<(), XlsxError> {
    match book.model.alternatives {
        Some(_) => define_name(workbook, GOAL, Sheet::Goal, SPEEDUP_CELL),
        None => Ok(()),
    }
}

pub(super) fn write<'a>(
    book: Book<'a>,
    nests: &NestSheets,
    alternatives: &AlternativesSheet,
) -> Result<Page<'a>, XlsxError> {
    let mut page = Page::new(Sheet::Goal, book)?;
    page.title("Goal")?;
    let text = "Answers for the nests that are the costliest now, each with all other inputs as in force. Enter one as an \
                input (on Control or in a scenario) and the nest reaches the goal.";
    page.text(1, 0, text, &style::remark())?;
    write_speedup(&mut page)?;
    let limit = write_limit(&mut page)?;
    let levels = alternatives.goal_levels();
    write_headings(&mut page, &levels)?;
    for rank in 0..alternatives.ranked.len() {
        write_nest(&mut page, (nests, alternatives), rank, limit)?;
        for (at, level) in levels.iter().enumerate() {
            write_level(&mut page, alternatives, (rank, at), level)?;
        }
    }
    let last_column = LEVELS + WIDE * levels.len() as ColNum - 1;
    let last = FIRST_ROW + alternatives.ranked.len() as RowNum;
    page.worksheet.set_freeze_panes(FIRST_ROW, 1)?;
    page.worksheet.set_print_area(0, 0, last, last_column)?;
    style::print_setup(&mut page.worksheet);
    page.worksheet.set_print_fit_to_pages(1, 1);
    Ok(page)
}

fn write_speedup(page: &mut Page) -> Result<(), XlsxError> {
    let (row, column) = SPEEDUP_CELL;
    let text = "Speedup";
    page.text(row, column - 1, text, &style::section())?;
    let value = page.book.model.figures.input(GOAL);
    write_value(page, (row, column), value, Look::Number, Role::Input)?;
    let validation = DataValidation::new()
        .allow_decimal_number(DataValidationRule::Between(1.0, 1000.0))
        .set_input_title(text)?
        .set_input_message("The speedup wanted for each nest")?
        .set_error_title("Out of range")?
        .set_error_message("A number from 1 to 1000")?;
    page.worksheet
        .add_data_validation(row, column, row, column, &validation)?;
    Ok(())
}

/// The bandwidth that latency leaves, GB/s; returns it.
fn write_limit(page: &mut Page) -> Result<Option<f64>, XlsxError> {
    let model = page.book.model;
    let (row, column) = LIMIT_CELL;
    let text = "Maximum memory bandwidth with the outstanding lines [GB/s]";
    page.text(row - 1, column, text, &style::remark())?;
    let [latency, lines] = LATENCY_LIMIT.map(in_force);
    let [cores, line] = ["cores", "line_bytes"].map(in_force);
    let formula =
        format!("IF(MIN({latency},{lines})>0,{lines}*{cores}*{line}/{latency},\"{NONE}\")");
    let input = |name: &str| model.figures.input(name).unwrap_or(f64::NAN);
    let [latency, lines] = LATENCY_LIMIT.map(input);
    let limit = (latency.min(lines) > 0.0)
        .then(|| lines * input("cores") * input("line_bytes") / latency)
        .filter(|limit| limit.is_finite());
    let found = (formula.as_str(), limit);
    write_found(page, (row, column), found, (NONE, Look::Ratio))?;
    Ok(limit)
}

fn write_headings(page: &mut Page, levels: &[String]) -> Result<(), XlsxError> {
    let fixed = [
        (0, "Loop", "The nest", 36.0),
        (
            TIME,
            "Time [s]",
            "Its time with the inputs in force, for all calls where these are followed",
            14.0,
        ),
        (BOUND, "Bound by", "What takes longest", 11.0),
        (
            TARGET,
            "Goal [s]",
            "Its time divided by the wanted speedup",
            14.0,
        ),
        (
            BANDWIDTH,
            "Memory bandwidth [GB/s]",
            "dram_gbs at which the nest takes that time, all else unchanged. Not by memory alone: the core or a cache takes \
             longer than that. Limited by latency: the outstanding lines deliver less, whatever dram_gbs is. A nest with irregular lines needs no more than that",
            20.0,
        ),
    ];
    for (column, header, meaning, width) in fixed {
        page.text(HEADER_ROW, column, header, &style::header())?;
        write_note(page, (HEADER_ROW, column), meaning)?;
        page.worksheet.set_column_width(column, width)?;
    }
    page.worksheet.merge_range(
        GROUP_ROW,
        0,
        GROUP_ROW,
        BANDWIDTH,
        "Faster",
        &style::group(0),
    )?;
    for (at, level) in levels.iter().enumerate() {
        let first = LEVELS + at as ColNum * WIDE;
        let text = format!("{level}: the next layer condition");
        page.worksheet.merge_range(
            GROUP_ROW,
            first,
            GROUP_ROW,
            first + WIDE - 1,
            &text,
            &style::group(at + 1),
        )?;
        let name = level_name(at + 1, "bytes");
        let size = format!("{name} [B]");
        let meaning = format!(
            "Smallest {name} at which the next reuse not held now is held, all else unchanged. All held: none is left"
        );
        let largest = "Largest value of that size at which the cache as it is holds this reuse, or still holds all of them. \
                       Approximate where ghost cells add to the working set; any: it does not depend on it"
            .to_string();
        for (column, header, meaning, width) in [
            (first, size.as_str(), meaning, 16.0),
            (
                first + 1,
                "or size",
                "A parameter that sets the length of inner loops".to_string(),
                16.0,
            ),
            (first + 2, "≈ up to", largest, 14.0),
        ] {
            page.text(HEADER_ROW, column, header, &style::header())?;
            write_note(page, (HEADER_ROW, column), &meaning)?;
            page.worksheet.set_column_width(column, width)?;
        }
    }
    page.worksheet.set_row_height(HEADER_ROW, 32)?;
    Ok(())
}

/// A nest, and the bandwidth that it needs.
fn write_nest(
    page: &mut Page,
    (nests, alternatives): (&NestSheets, &AlternativesSheet),
    rank: usize,
    limit: Option<f64>,
) -> Result<(), XlsxError> {
    let row = FIRST_ROW + rank as RowNum;
    let model = page.book.model;
    let nest = alternatives.ranked[rank];
    alternatives.write_name(page, (row, 0), rank)?;
    alternatives.write_own_time(page, (row, TIME), rank)?;
    let found = Found {
        nests,
        nest,
        position: alternatives.position_cell(rank),
    };
    found.bound(page, (row, BOUND))?;
    let seconds = model.ranking.seconds(nest).map(|id| model.value(id));
    let speedup = model.figures.input(GOAL);
    let target = seconds
        .zip(speedup)
        .map(|(seconds, speedup)| seconds / speedup);
    let time = rust_xlsxwriter::utility::row_col_to_cell(row, TIME);
    let formula = format!("{time}/{GOAL}");
    write_found(
        page,
        (row, TARGET),
        (&formula, target),
        (NONE, Look::Seconds),
    )?;
    let (needed, value) = alternatives.goal(rank, OfGoal::Bandwidth);
    let limit_cell = row_col_to_cell_absolute(LIMIT_CELL.0, LIMIT_CELL.1);
    let formula = format!(
        "IF(ISNUMBER({needed}),IF({needed}>0,IF(AND(ISNUMBER({limit_cell}),{needed}/1E+9>N({limit_cell})),\"{LATENCY}\",\
         {needed}/1E+9),\"{NOT_BY_MEMORY}\"),\"{NOT_COMPARED}\")"
    );
    let gigabytes = value.map(|value| value / 1e9);
    let (shown, otherwise) = match gigabytes {
        None => (None, NOT_COMPARED),
        Some(needed) if needed <= 0.0 => (None, NOT_BY_MEMORY),
        Some(needed) if limit.is_some_and(|limit| needed > limit) => (None, LATENCY),
        needed => (needed, NONE),
    };
    let cell = (row, BANDWIDTH);
    write_found(page, cell, (&formula, shown), (otherwise, Look::Ratio))
}

/// What one level needs, or what size.
fn write_level(
    page: &mut Page,
    alternatives: &AlternativesSheet,
    (rank, at): (usize, usize),
    level: &str,
) -> Result<(), XlsxError> {
    let row = FIRST_ROW + rank as RowNum;
    let first = LEVELS + at as ColNum * WIDE;
    let bytes = level_name(at + 1, "bytes");
    let model: &Model = page.book.model;
    let has_level = model.figures.input(&bytes).is_some_and(|bytes| bytes > 0.0);
    let is_there = format!("{}>0", in_force(&bytes));
    debug_assert_eq!(level, format!("L{}", at + 1));
    let (instance, value) = alternatives.goal(rank, OfGoal::Instance(at));
    let formula = format!(
        "IF({is_there},IF(ISNUMBER({instance}),IF({instance}>0,{instance},\"{ALL_HELD}\"),\"{NOT_COMPARED}\"),\"{NO_LEVEL}\")"
    );
    let (shown, otherwise) = match value {
        _ if !has_level => (None, NO_LEVEL),
        None => (None, NOT_COMPARED),
        Some(value) if value <= 0.0 => (None, ALL_HELD),
        value => (value, NONE),
    };
    write_found(
        page,
        (row, first),
        (&formula, shown),
        (otherwise, Look::Count),
    )?;
    let (name, shown) = alternatives.goal_size_name(rank, at);
    let text = style::cell(Look::Text, Role::Plain);
    page.presented_text(row, first + 1, &name, &shown, &text)?;
    let (size, value) = alternatives.goal(rank, OfGoal::Size(at));
    let formula = format!(
        "IF({is_there},IF(ISNUMBER({size}),IF({size}>=1E+14,\"any\",IF({size}>0,{size},\"{NONE}\")),\" \"),\" \")"
    );
    let (shown, otherwise) = match value {
        _ if !has_level => (None, " "),
        None => (None, " "),
        Some(value) if value >= ANY => (None, "any"),
        Some(value) if value <= 0.0 => (None, NONE),
        value => (value, NONE),
    };
    write_found(
        page,
        (row, first + 2),
        (&formula, shown),
        (otherwise, Look::Count),
    )?;
    let rule = format!(
        "=ISTEXT({})",
        rust_xlsxwriter::utility::row_col_to_cell(row, first)
    );
    let faint = ConditionalFormatFormula::new()
        .set_rule(rule.as_str())
        .set_format(rust_xlsxwriter::Format::new().set_font_color(style::FAINT));
    page.worksheet
        .add_conditional_format(row, first, row, first, &faint)?;
    Ok(())
}
