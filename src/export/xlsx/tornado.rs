//! The sheet Tornado: what a little less and a little more of each figure of the machine makes of the time, the most
//! influential on top, with a chart. Sizes are no figures of the machine: what they do was worked out when the workbook was
//! written.

use rust_xlsxwriter::utility::row_col_to_cell;
use rust_xlsxwriter::{
    Chart, ChartFont, ChartFormat, ChartLegendPosition, ChartSolidFill, ChartType, ColNum,
    DataValidation, DataValidationRule, RowNum, Workbook, XlsxError,
};

use super::alternatives::{AlternativesSheet, With, write_note};
use super::inputs::{define_name, write_value};
use super::layout::{Sheet, fixed_column_range, in_force};
use super::order;
use super::page::{Book, Page, UNKNOWN};
use super::style::{self, Look, Role};
use crate::machine::parameters::absent;
use crate::model::alternatives::size_swings;
use crate::model::scenarios::SWING;
use crate::model::{Model, Swings};

const SHARE_CELL: (RowNum, ColNum) = (3, 2);
const HEADER_ROW: RowNum = 5;
const FIRST_ROW: RowNum = 6;
const WIDTHS: [f64; 10] = [8.0, 34.0, 20.0, 12.0, 16.0, 16.0, 12.0, 12.0, 12.0, 12.0];
const CHART_ROWS: RowNum = 20;
/// Columns of the sorted table.
const RANK: ColNum = 0;
const LABEL: ColNum = 1;
const POSITION: ColNum = 8;
/// Columns of the table that it is sorted from.
const EFFECT: ColNum = 8;
const PLACE: ColNum = 9;

pub(super) fn define_names(workbook: &mut Workbook, book: Book) -> Result<(), XlsxError> {
    match book.model.alternatives {
        Some(_) => define_name(workbook, SWING, Sheet::Tornado, SHARE_CELL),
        None => Ok(()),
    }
}

/// An input with the times that it swings between.
struct Row {
    label: String,
    name: &'static str,
    unit: &'static str,
    value: Option<f64>,
    /// The cells of the times with less and more, and their values.
    times: [(String, f64); 2],
    /// Of these over the time in force, less one.
    changes: [f64; 2],
    effect: f64,
}

fn rows(model: &Model, alternatives: &AlternativesSheet) -> Vec<Row> {
    let own = model.value(alternatives.alternatives.own.total);
    let mut found = Vec::new();
    for (position, swing) in alternatives.alternatives.swings.iter().enumerate() {
        let Some(parameter) = model.machine.parameter(swing.input) else {
            continue;
        };
        let times = [Swings::Less, Swings::More].map(|side| {
            let total = alternatives.total(With::Swing(position, side));
            total.map_or((String::new(), f64::NAN), |(cell, id)| {
                (cell, model.value(id))
            })
        });
        let changes = [&times[0], &times[1]].map(|(_, time)| match time / own - 1.0 {
            // As the cells are rounded, so that what is no change is none.
            change if change.is_finite() => (change * 1e9).round() / 1e9,
            _ => 0.0,
        });
        let effect = changes[0].abs().max(changes[1].abs());
        found.push(Row {
            label: parameter.label.clone(),
            name: swing.input,
            unit: parameter.unit,
            value: parameter.value.or(absent(swing.input)),
            times,
            changes,
            effect,
        });
    }
    found
}

pub(super) fn write<'a>(
    book: Book<'a>,
    alternatives: &AlternativesSheet,
) -> Result<Page<'a>, XlsxError> {
    let mut page = Page::new(Sheet::Tornado, book)?;
    for (column, width) in (0..).zip(WIDTHS) {
        page.worksheet.set_column_width(column, width)?;
    }
    page.title("Tornado")?;
    let text = format!(
        "How the time of {} changes if one figure of the machine is decreased or increased, all others as in force; the \
         most influential first.",
        alternatives.scope()
    );
    page.text(1, 0, &text, &style::remark())?;
    write_share(&mut page)?;
    let rows = rows(book.model, alternatives);
    let chart_row = FIRST_ROW + rows.len() as RowNum + 1;
    let data_row = chart_row + CHART_ROWS;
    write_data(&mut page, &rows, data_row, alternatives)?;
    write_sorted(&mut page, &rows, data_row + 2)?;
    draw(&mut page, rows.len() as RowNum, chart_row)?;
    let last = write_sizes(&mut page, data_row + 2 + rows.len() as RowNum + 1)?;
    page.worksheet.set_freeze_panes(FIRST_ROW, 2)?;
    page.worksheet
        .set_print_area(0, 0, last, WIDTHS.len() as ColNum - 1)?;
    style::print_setup(&mut page.worksheet);
    page.worksheet.set_portrait();
    page.worksheet.set_print_fit_to_pages(1, 1);
    Ok(page)
}

/// By how much inputs change.
fn write_share(page: &mut Page) -> Result<(), XlsxError> {
    let (row, column) = SHARE_CELL;
    let text = "Decrease and increase by";
    page.text(row, LABEL, text, &style::section())?;
    let value = page.book.model.figures.input(SWING);
    write_value(page, (row, column), value, Look::Share, Role::Input)?;
    let validation = DataValidation::new()
        .allow_decimal_number(DataValidationRule::Between(0.001, 0.9))
        .set_input_title(text)?
        .set_input_message("A share of each input, from 0.1 % to 90 %")?
        .set_error_title("Out of range")?
        .set_error_message("A share from 0.1 % to 90 %")?;
    page.worksheet
        .add_data_validation(row, column, row, column, &validation)?;
    Ok(())
}

/// The inputs in the order of sheet Machine, from which the table above is sorted.
fn write_data(
    page: &mut Page,
    rows: &[Row],
    head: RowNum,
    alternatives: &AlternativesSheet,
) -> Result<(), XlsxError> {
    let plain = style::cell(Look::Text, Role::Plain);
    page.text(
        head,
        0,
        "The unsorted values of the table above",
        &style::section(),
    )?;
    for (column, header, meaning) in [
        (0, "Row", "Position in this table"),
        (1, "Input", "The figure of the machine"),
        (2, "Name", "Name for --set"),
        (3, "Unit", "Unit of the value"),
        (4, "Less [s]", "Time with a decrease"),
        (5, "More [s]", "Time with an increase"),
        (6, "Less", "Change of the time with a decrease"),
        (7, "More", "Change of the time with an increase"),
        (
            EFFECT,
            "Effect",
            "The larger of the two changes, as a share of the time",
        ),
        (
            PLACE,
            "Place",
            "Its place in the table above: by effect, equal ones as they are listed here",
        ),
    ] {
        page.text(head + 1, column, header, &style::header())?;
        write_note(page, (head + 1, column), meaning)?;
    }
    let own = alternatives.total(With::Own);
    let own = own.map_or_else(String::new, |(cell, _)| cell);
    let number = style::cell(Look::Number, Role::Plain);
    let last = head + 1 + rows.len() as RowNum;
    let effects: Vec<f64> = rows.iter().map(|row| row.effect).collect();
    let places = order::places(&effects);
    for (index, (row, one)) in (head + 2..).zip(rows).enumerate() {
        page.number(row, 0, index as f64 + 1.0, &number)?;
        page.text(row, 1, &one.label, &plain)?;
        page.text(row, 2, one.name, &plain)?;
        page.text(row, 3, one.unit, &plain)?;
        for (column, (cell, value)) in (4..).zip(&one.times) {
            let format = style::cell(Look::Seconds, Role::Plain);
            match value.is_finite() {
                true => page.presentation(row, column, cell, &value.to_string(), &format)?,
                false => {
                    let formula = format!("IFERROR({cell},\"{UNKNOWN}\")");
                    page.presented_text(row, column, &formula, UNKNOWN, &format)?;
                }
            }
        }
        for (column, change) in (6..).zip(one.changes) {
            let time = row_col_to_cell(row, column - 2);
            let formula = format!("IFERROR(ROUND({time}/{own}-1,9),0)");
            let format = style::cell(Look::Share, Role::Plain);
            page.presentation(row, column, &formula, &change.to_string(), &format)?;
        }
        let [less, more] = [6, 7].map(|column| row_col_to_cell(row, column));
        let formula = format!("MAX(ABS({less}),ABS({more}))");
        let format = style::cell(Look::Share, Role::Plain);
        page.presentation(row, EFFECT, &formula, &one.effect.to_string(), &format)?;
        let place = order::place_formula(EFFECT, (head + 2, last), row);
        let shown = places[index].to_string();
        page.presentation(row, PLACE, &place, &shown, &number)?;
    }
    Ok(())
}

fn write_sorted(page: &mut Page, rows: &[Row], data: RowNum) -> Result<(), XlsxError> {
    for (column, header, meaning) in [
        (RANK, "Rank", "1 changes the time the most"),
        (LABEL, "Input", "The figure of the machine"),
        (2, "Value in force", "Its value, in its unit"),
        (3, "Unit", "Unit of the value"),
        (4, "Less [s]", "Time with a decrease"),
        (5, "More [s]", "Time with an increase"),
        (
            6,
            "Less",
            "Change of the time with a decrease; negative is faster",
        ),
        (
            7,
            "More",
            "Change of the time with an increase; negative is faster",
        ),
        (
            POSITION,
            "Row below",
            "Its position in the table below the chart",
        ),
    ] {
        page.text(HEADER_ROW, column, header, &style::header())?;
        write_note(page, (HEADER_ROW, column), meaning)?;
    }
    page.worksheet.set_row_height(HEADER_ROW, 32)?;
    let last = data + rows.len() as RowNum - 1;
    let column = |column: ColNum| fixed_column_range(column, data, last);
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by(|a, b| rows[*b].effect.total_cmp(&rows[*a].effect));
    let plain = style::cell(Look::Text, Role::Plain);
    let number = style::cell(Look::Number, Role::Plain);
    // A figure that the machine does not have, as a third cache, is 0.
    let figure = number.clone().set_num_format("General;-General;\"none\"");
    for (rank, (row, index)) in (FIRST_ROW..).zip(&order).enumerate() {
        let one = &rows[*index];
        page.number(row, RANK, rank as f64 + 1.0, &number)?;
        let own = row_col_to_cell(row, RANK);
        let formula = format!("MATCH({own},{},0)", column(PLACE));
        page.presentation(row, POSITION, &formula, &(index + 1).to_string(), &number)?;
        let at = row_col_to_cell(row, POSITION);
        let found = |of: ColNum| format!("INDEX({},{at})", column(of));
        page.presented_text(row, LABEL, &found(1), &one.label, &plain)?;
        let values: Vec<String> = rows.iter().map(|row| in_force(row.name)).collect();
        let formula = format!("CHOOSE({at},{})", values.join(","));
        match one.value {
            Some(value) => {
                page.presentation(row, 2, &formula, &value.to_string(), &figure)?;
            }
            None => page.presented_text(row, 2, &formula, UNKNOWN, &figure)?,
        }
        let unit = format!("{}&\"\"", found(3));
        let shown = if one.unit.is_empty() { " " } else { one.unit };
        let unit = format!("IF({unit}=\"\",\" \",{unit})");
        page.presented_text(row, 3, &unit, shown, &plain)?;
        for (of, (_, value)) in (4..).zip(&one.times) {
            let format = style::cell(Look::Seconds, Role::Plain);
            match value.is_finite() {
                true => page.presentation(row, of, &found(of), &value.to_string(), &format)?,
                false => page.presented_text(row, of, &found(of), UNKNOWN, &format)?,
            }
        }
        for (of, change) in (6..).zip(one.changes) {
            let format = style::cell(Look::Share, Role::Plain);
            page.presentation(row, of, &found(of), &change.to_string(), &format)?;
        }
    }
    Ok(())
}

fn draw(page: &mut Page, count: RowNum, row: RowNum) -> Result<(), XlsxError> {
    let sheet = Sheet::Tornado.name();
    let last = FIRST_ROW + count - 1;
    let mut chart = Chart::new(ChartType::Bar);
    for (column, name, colour) in [(6, "less", 0xD9772B), (7, "more", 0x3A6491)] {
        let fill = ChartSolidFill::new().set_color(colour).clone();
        (chart.add_series())
            .set_name(name)
            .set_categories((sheet, FIRST_ROW, LABEL, last, LABEL))
            .set_values((sheet, FIRST_ROW, column, last, column))
            .set_format(ChartFormat::new().set_solid_fill(&fill))
            .set_gap(40)
            .set_overlap(100);
    }
    chart
        .title()
        .set_name("Change of the time as each input is decreased and increased")
        .set_font(ChartFont::new().set_size(11));
    chart
        .y_axis()
        .set_reverse()
        .set_label_interval(1)
        .set_label_position(rust_xlsxwriter::ChartAxisLabelPosition::Low)
        .set_font(ChartFont::new().set_size(8));
    chart
        .x_axis()
        .set_num_format("0.0%")
        .set_label_position(rust_xlsxwriter::ChartAxisLabelPosition::High);
    chart.legend().set_position(ChartLegendPosition::Right);
    chart.set_width(1000).set_height(CHART_ROWS * 20 - 20);
    page.worksheet.insert_chart(row, 0, &chart)?;
    Ok(())
}

/// What sizes do, as text: it follows nothing. Returns the last row.
fn write_sizes(page: &mut Page, row: RowNum) -> Result<RowNum, XlsxError> {
    let model = page.book.model;
    let plain = style::cell(Look::Text, Role::Plain);
    page.text(
        row,
        0,
        "Sizes, when the workbook was written",
        &style::section(),
    )?;
    let text = "They change the working sets of every nest: pick a scenario to see its effect now.";
    page.text(row + 1, 0, text, &style::remark())?;
    let found = size_swings(model);
    for (row, one) in (row + 2..).zip(&found) {
        page.text(row, LABEL, &one.label, &plain)?;
        page.text(row, 2, &one.name, &plain)?;
        for (column, (value, change)) in [(4, one.less), (5, one.more)] {
            let text = format!("{value}: {:+.1} %", 100.0 * change);
            page.text(row, column, &text, &plain)?;
        }
    }
    Ok(row + 2 + found.len() as RowNum)
}
