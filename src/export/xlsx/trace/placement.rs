//! The sheet Placement: which objects may go to slower memory, with latencies and budget as inputs.

use rust_xlsxwriter::utility::row_col_to_cell;
use rust_xlsxwriter::{ColNum, RowNum, XlsxError};

use super::super::layout::{Sheet, fixed_column_range};
use super::super::page::UNKNOWN;
use super::super::style::{self, Look, Role};
use super::{Page, TraceBook, inputs};
use crate::metrics::objects::{self, Object, Objects};
use crate::metrics::tables;

const BYTES: ColNum = 1;
const DEPTH: ColNum = 4;
const EPOCHS: ColNum = 5;
const SHARE: ColNum = 6;
/// Loss, sum so far, and whether it goes, of each latency.
const FIRST: ColNum = 7;

/// Columns of each latency; one more where the core was asked.
fn each(all: &Objects) -> ColNum {
    match all
        .placements
        .iter()
        .any(|placement| placement.confirmed.is_some())
    {
        true => 5,
        false => 4,
    }
}

pub(super) fn write<'a>(book: TraceBook<'a>, all: &Objects) -> Result<Page<'a>, XlsxError> {
    let mut page = Page::new(Sheet::Placement, book)?;
    page.title("Objects that may go to slower memory")?;
    page.text(
        1,
        0,
        "Estimated: an epoch in which retirement waits for an object takes as many more cycles as its memory is farther away. \
         Objects are taken in order of epochs per byte as long as the budget allows; best: the set with most bytes at the \
         inputs of the run. An object whose misses overlap with another's can lose more: `--confirm` runs the core with it.",
        &style::remark(),
    )?;
    page.worksheet.set_column_width(0, 44.0)?;
    let columns = FIRST + each(all) * all.placements.len() as ColNum;
    for column in 1..columns.max(FIRST) {
        page.worksheet.set_column_width(column, 14.0)?;
    }
    let row = write_inputs(&mut page, all)?;
    let header = row + 1;
    let headings = [
        "Object",
        "Bytes",
        "Accesses",
        "Misses",
        "𝒟 of its own",
        "Epochs",
        "Share of epochs",
    ];
    for (column, text) in (0..).zip(headings) {
        page.text(header, column, text, &style::header())?;
    }
    for (number, placement) in all.placements.iter().enumerate() {
        let first = FIRST + each(all) * number as ColNum;
        let latency = placement.latency;
        let headings = [
            format!("Loss at far {} ({latency})", number + 1),
            "Loss so far".to_string(),
            "Goes far".to_string(),
            "Best set".to_string(),
            "Loss in the core".to_string(),
        ];
        for (column, text) in (first..first + each(all)).zip(&headings) {
            page.text(header, column, text, &style::header())?;
        }
    }
    page.worksheet.set_row_height(header, 32)?;
    let rows = (header + 1, header + all.objects.len() as RowNum);
    for (index, object) in all.objects.iter().enumerate() {
        write_object(&mut page, rows, (index, object), all)?;
    }
    page.worksheet.set_freeze_panes(header + 1, 1)?;
    style::print_setup(&mut page.worksheet);
    Ok(page)
}

/// Names of the cells with the latencies of far memory.
fn far_name(number: usize) -> String {
    const NAMES: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];
    format!("far_latency_{}", NAMES[number.min(NAMES.len() - 1)])
}

fn write_inputs(page: &mut Page, all: &Objects) -> Result<RowNum, XlsxError> {
    let headers = ["Input", "", "Value", "Unit", "Name", "Allowed"];
    let mut row = page.section(3, "Inputs", headers)?;
    let plain = style::cell(Look::Text, Role::Plain);
    let mut rows = vec![
        (
            "near_latency".to_string(),
            "Latency of RAM".to_string(),
            "cycles",
            all.near as f64,
        ),
        (
            "run_cycles".to_string(),
            "Cycles of the run with all there".to_string(),
            "cycles",
            all.cycles as f64,
        ),
        (
            "loss_budget".to_string(),
            "Slowdown allowed".to_string(),
            "",
            all.budget,
        ),
    ];
    for (number, placement) in all.placements.iter().enumerate() {
        let label = format!("Latency of far memory {}", number + 1);
        rows.push((far_name(number), label, "cycles", placement.latency as f64));
    }
    for (name, label, unit, value) in &rows {
        for (column, text) in [(0, label.as_str()), (3, *unit), (4, name.as_str())] {
            page.text(row, column, text, &plain)?;
        }
        inputs::write_input(page, row, (name, label), Some(*value), (0.0, 1e15))?;
        row += 1;
    }
    Ok(row)
}

fn write_object(
    page: &mut Page,
    (first, last): (RowNum, RowNum),
    (index, object): (usize, &Object),
    all: &Objects,
) -> Result<(), XlsxError> {
    let row = first + index as RowNum;
    let name = object.name.as_deref().unwrap_or(UNKNOWN);
    page.text(row, 0, name, &style::cell(Look::Text, Role::Plain))?;
    let counts = [
        (BYTES, Some(object.bytes)),
        (BYTES + 1, Some(object.accesses)),
        (BYTES + 2, Some(object.misses)),
        (DEPTH, object.memory_depth),
        (EPOCHS, Some(object.epochs)),
    ];
    for (column, count) in counts {
        page.fact((row, column), count.map(|count| count as f64), Look::Count)?;
    }
    let mut scope = page.book.scope.clone();
    let total: u64 = all.objects.iter().map(|own| own.epochs).sum();
    let sum = format!("SUM({})", fixed_column_range(EPOCHS, first, last));
    scope.cell("epochs", (row, EPOCHS), Some(object.epochs as f64));
    scope.set("all", sum, Some(total as f64));
    page.live(
        (row, SHARE),
        &tables::share("epochs", "all"),
        &scope,
        Look::Share,
    )?;
    for (number, placement) in all.placements.iter().enumerate() {
        let column = FIRST + each(all) * number as ColNum;
        let far = far_name(number);
        let loss = objects::loss("epochs", &far, "near_latency", "run_cycles");
        page.live((row, column), &loss, &scope, Look::Share)?;
        let so_far = |end: usize| -> f64 {
            let taken = all.objects[..end].iter().zip(&placement.greedy);
            taken
                .enumerate()
                .filter(|(_, (_, goes))| **goes)
                .map(|(at, _)| all.counted_loss(at, placement))
                .sum()
        };
        let before = match index {
            0 => "0".to_string(),
            _ => row_col_to_cell(row - 1, column + 1),
        };
        let own = row_col_to_cell(row, column);
        // What the core loses, with the latencies that it was asked with.
        let own = match all.loss_in_core(index, placement) {
            Some(_) => format!(
                "IF(AND({far}={},near_latency={}),{},{own})",
                placement.latency,
                all.near,
                row_col_to_cell(row, column + 4)
            ),
            None => own,
        };
        let share = style::cell(Look::Share, Role::Plain);
        let formula = format!("IF({before}+{own}<=loss_budget,{before}+{own},{before})");
        page.presentation(
            row,
            column + 1,
            &formula,
            &so_far(index + 1).to_string(),
            &share,
        )?;
        let text = style::cell(Look::Text, Role::Plain);
        let shown = if placement.greedy[index] { "yes" } else { "no" };
        let formula = format!("IF({before}+{own}<=loss_budget,\"yes\",\"no\")");
        page.presented_text(row, column + 2, &formula, shown, &text)?;
        let best = placement.best.as_ref().map(|best| best[index]);
        let best = best.map_or(UNKNOWN, |best| if best { "yes" } else { "no" });
        page.text(row, column + 3, best, &text)?;
        if placement.confirmed.is_some() {
            let found = all.loss_in_core(index, placement);
            page.fact((row, column + 4), found, Look::Share)?;
        }
    }
    Ok(())
}
