//! The sheet Sensitivity: times over a range of one input at a time, as live grids: of the nests that are the costliest
//! now where sheet Alternatives has them, else of those with the most work when the workbook was written.

use rust_xlsxwriter::utility::{column_number_to_name, row_col_to_cell};
use rust_xlsxwriter::{
    Chart, ChartType, ColNum, ConditionalFormat2ColorScale, ConditionalFormatFormula, Format,
    RowNum, XlsxError,
};

use super::alternatives::{AlternativesSheet, NOT_COMPARED, TOP, With, is_compared, write_found};
use super::layout::{Layout, Place, Sheet};
use super::page::{Book, Page};
use super::style::{self, Look, Role};
use crate::expr::{Expr, FigureId};
use crate::model::{Model, Sweep};

const FIRST_ROW: RowNum = 4;
const FIRST_VALUE: ColNum = 1;
/// The best value of an input that changes nothing.
const ANY: &str = "any";
/// Rows of a grid beside its nests: heading, factors, values, total, and a gap.
const FRAME: RowNum = 6;
const CHART_ROWS: RowNum = 17;
const CHART_PIXELS: u32 = 330;

/// The row of a grid's heading.
fn tops(model: &Model) -> Vec<RowNum> {
    let mut row = FIRST_ROW;
    let height = |sweep: &Sweep| (FRAME + shown(model, sweep) as RowNum).max(CHART_ROWS + 1);
    let next = |sweep: &Sweep| {
        let top = row;
        row += height(sweep);
        top
    };
    model.sensitivity.iter().map(next).collect()
}

/// How many nests a grid shows: the costliest of those that are compared, or all that it has.
fn shown(model: &Model, sweep: &Sweep) -> usize {
    match is_compared(model, sweep) {
        true => model.costliest(TOP).len(),
        false => sweep.nests.len(),
    }
}

/// Gives the figures of the grids their homes.
pub(super) fn place(model: &Model, layout: &mut Layout) {
    for (top, sweep) in tops(model).into_iter().zip(&model.sensitivity) {
        let mut put = |row: RowNum, figures: &[FigureId]| {
            for (column, figure) in (FIRST_VALUE..).zip(figures) {
                layout.put(
                    *figure,
                    Place {
                        sheet: Sheet::Sensitivity,
                        row,
                        column,
                    },
                );
            }
        };
        put(top + 1, &sweep.factors);
        put(top + 2, &sweep.values);
        if !is_compared(model, sweep) {
            for (row, (_, seconds)) in (top + 3..).zip(&sweep.nests) {
                put(row, seconds);
            }
        }
        put(top + 3 + shown(model, sweep) as RowNum, &sweep.totals);
    }
}

pub(super) fn write<'a>(
    book: Book<'a>,
    alternatives: Option<&AlternativesSheet>,
) -> Result<Page<'a>, XlsxError> {
    let mut page = Page::new(Sheet::Sensitivity, book)?;
    page.title("Sensitivity")?;
    let seconds = match book.model.ranking.follows_calls {
        true => "Seconds, over all calls,",
        false => "Seconds",
    };
    let text = match alternatives {
        Some(alternatives) => format!(
            "{seconds} for one input at a time, all others as in force: of the nests that are the costliest now, and of {} \
             together. Blocks: of the nests with the most work when the workbook was written.",
            alternatives.scope()
        ),
        None => format!(
            "{seconds} of the nests with the most work (operations and references, when the workbook was written) over one \
             input at a time, all others as in force."
        ),
    };
    page.text(1, 0, &text, &style::remark())?;
    let text = "Cells of the inputs' colour (factors, block sizes) may be changed. The lowest time in a row is framed.";
    page.text(2, 0, text, &style::remark())?;
    page.worksheet.set_column_width(0, 38)?;
    let most = book
        .model
        .sensitivity
        .iter()
        .map(|sweep| sweep.values.len())
        .max()
        .unwrap_or(0) as ColNum;
    page.worksheet
        .set_column_range_width(FIRST_VALUE, FIRST_VALUE + most + 1, 13)?;
    let sweeps = book.model.sensitivity.iter().enumerate();
    for (top, (position, sweep)) in tops(book.model).into_iter().zip(sweeps) {
        let alternatives = alternatives.filter(|_| is_compared(book.model, sweep));
        let compared = alternatives.map(|alternatives| (alternatives, position));
        write_grid(&mut page, top, sweep, compared)?;
        draw(&mut page, top, sweep, FIRST_VALUE + most + 2)?;
    }
    page.worksheet.set_freeze_panes(FIRST_ROW, 1)?;
    page.worksheet.set_repeat_rows(0, FIRST_ROW - 2)?;
    style::print_setup(&mut page.worksheet);
    Ok(page)
}

fn write_grid(
    page: &mut Page,
    top: RowNum,
    sweep: &Sweep,
    compared: Option<(&AlternativesSheet, usize)>,
) -> Result<(), XlsxError> {
    let plain = style::cell(Look::Text, Role::Plain);
    page.text(top, 0, &sweep.label, &style::section())?;
    write_needs(page, top, sweep)?;
    if !sweep.factors.is_empty() {
        page.text(top + 1, 0, "Multiple of the value in force", &plain)?;
    }
    let is_given = sweep.factors.is_empty();
    for (column, factor) in (FIRST_VALUE..).zip(&sweep.factors) {
        page.number(
            top + 1,
            column,
            page.book.model.value(*factor),
            &style::cell(Look::Number, Role::Input),
        )?;
    }
    page.text(top + 2, 0, "Loop", &style::header())?;
    for (column, value) in (FIRST_VALUE..).zip(&sweep.values) {
        match is_given {
            true => page.number(
                top + 2,
                column,
                page.book.model.value(*value),
                &style::cell(Look::Number, Role::Input),
            )?,
            false => page.figure(top + 2, column, *value, Look::Number)?,
        }
    }
    let best = FIRST_VALUE + sweep.values.len() as ColNum;
    page.text(top + 2, best, "Best", &style::header())?;
    let mut row = top + 3;
    match compared {
        Some((alternatives, position)) => {
            for rank in 0..alternatives.ranked.len() {
                alternatives.write_name(page, (row, 0), rank)?;
                write_found_times(page, (top + 2, row), sweep, (alternatives, position, rank))?;
                row += 1;
            }
            // The remark below the title says which these are.
            let together = match (alternatives.has_all(), page.book.model.left_out) {
                (true, None) => "All nests together",
                (true, Some(_)) => "All listed nests together",
                (false, _) => "Compared nests together",
            };
            page.text(row, 0, together, &plain)?;
        }
        None => {
            for (nest, seconds) in &sweep.nests {
                page.text(row, 0, &page.book.model.nests[*nest].nest.head().id, &plain)?;
                write_times(page, (top + 2, row), (&sweep.values, seconds))?;
                row += 1;
            }
            page.text(row, 0, "These nests together", &plain)?;
        }
    }
    write_times(page, (top + 2, row), (&sweep.values, &sweep.totals))
}

/// The times of the nest of a rank, which sheet Alternatives has.
fn write_found_times(
    page: &mut Page,
    (heads, row): (RowNum, RowNum),
    sweep: &Sweep,
    (alternatives, position, rank): (&AlternativesSheet, usize, usize),
) -> Result<(), XlsxError> {
    let mut times = Vec::new();
    for at in 0..sweep.values.len() {
        let (formula, value) = alternatives.time(rank, With::Swept(position, at));
        let cell = (row, FIRST_VALUE + at as ColNum);
        write_found(page, cell, (&formula, value), (NOT_COMPARED, Look::Seconds))?;
        times.push(value.unwrap_or(f64::NAN));
    }
    mark_lowest(page, (heads, row), (&sweep.values, &times))
}

/// What must be known before the input changes anything.
fn write_needs(page: &mut Page, row: RowNum, sweep: &Sweep) -> Result<(), XlsxError> {
    if sweep.needs.is_empty() {
        return Ok(());
    }
    let needed = Expr::min(sweep.needs.iter().map(|name| Expr::machine(name)));
    let text = format!(
        "Changes nothing before sheet Control has a value of {}",
        sweep.needs.join(" and ")
    );
    let is_known = sweep.needs.iter().all(|name| {
        page.book
            .model
            .figures
            .input(name)
            .is_some_and(|value| value > 0.0)
    });
    let formula = format!("IF({}>0,\"\",\"{text}\")", page.formula(&needed));
    page.presented_text(
        row,
        FIRST_VALUE,
        &formula,
        if is_known { "" } else { &text },
        &style::remark(),
    )
}

/// A row of times, the value with the lowest of them, and a colour scale.
fn write_times(
    page: &mut Page,
    (heads, row): (RowNum, RowNum),
    (values, seconds): (&[FigureId], &[FigureId]),
) -> Result<(), XlsxError> {
    for (column, id) in (FIRST_VALUE..).zip(seconds) {
        page.figure(row, column, *id, Look::Seconds)?;
    }
    let model = page.book.model;
    let times: Vec<f64> = seconds.iter().map(|id| model.value(*id)).collect();
    mark_lowest(page, (heads, row), (values, &times))
}

/// The value with the lowest of a row of times, and colours.
fn mark_lowest(
    page: &mut Page,
    (heads, row): (RowNum, RowNum),
    (values, times): (&[FigureId], &[f64]),
) -> Result<(), XlsxError> {
    let last = FIRST_VALUE + times.len() as ColNum - 1;
    let [first_name, last_name] = [FIRST_VALUE, last].map(column_number_to_name);
    let range = |row: RowNum| format!("${first_name}${0}:${last_name}${0}", row + 1);
    let model = page.book.model;
    let lowest = times.iter().copied().fold(f64::INFINITY, f64::min);
    let formula = format!(
        "IF(MAX({1})>MIN({1}),INDEX({0},MATCH(MIN({1}),{1},0)),\"{ANY}\")",
        range(heads),
        range(row)
    );
    if times.iter().all(|time| *time == lowest || time.is_nan()) {
        page.presented_text(
            row,
            last + 1,
            &formula,
            ANY,
            &style::cell(Look::Number, Role::Unknown),
        )?;
    } else if let Some(position) = times.iter().position(|time| *time == lowest) {
        let shown = model.value(values[position]).to_string();
        page.presentation(
            row,
            last + 1,
            &formula,
            &shown,
            &style::cell(Look::Number, Role::Plain),
        )?;
    }
    let scale = ConditionalFormat2ColorScale::new()
        .set_minimum_color(0xD8ECD4)
        .set_maximum_color(0xF6C7B6);
    page.worksheet
        .add_conditional_format(row, FIRST_VALUE, row, last, &scale)?;
    let frame = Format::new()
        .set_bold()
        .set_border(rust_xlsxwriter::FormatBorder::Thin);
    let rule = format!(
        "=AND({0}=MIN({1}),MAX({1})>MIN({1}))",
        row_col_to_cell(row, FIRST_VALUE),
        range(row)
    );
    let lowest = ConditionalFormatFormula::new()
        .set_rule(rule.as_str())
        .set_format(frame);
    page.worksheet
        .add_conditional_format(row, FIRST_VALUE, row, last, &lowest)?;
    Ok(())
}

/// One line a nest beside its grid.
fn draw(page: &mut Page, top: RowNum, sweep: &Sweep, column: ColNum) -> Result<(), XlsxError> {
    let name = Sheet::Sensitivity.name();
    let last = FIRST_VALUE + sweep.values.len() as ColNum - 1;
    let nests = shown(page.book.model, sweep);
    if nests == 0 {
        return Ok(());
    }
    let mut chart = Chart::new(ChartType::Line);
    for row in (top + 3..).take(nests) {
        (chart.add_series())
            .set_name((name, row, 0))
            .set_categories((name, top + 2, FIRST_VALUE, top + 2, last))
            .set_values((name, row, FIRST_VALUE, row, last));
    }
    chart.title().set_name(&sweep.label);
    chart.x_axis().set_name(&sweep.label);
    chart
        .y_axis()
        .set_name("seconds")
        .set_num_format("0.0E+00")
        .set_log_base(10);
    chart
        .legend()
        .set_position(rust_xlsxwriter::ChartLegendPosition::Right);
    chart.set_width(820).set_height(CHART_PIXELS);
    page.worksheet.insert_chart(top, column, &chart)?;
    Ok(())
}
