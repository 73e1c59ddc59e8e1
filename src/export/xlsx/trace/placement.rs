//! The sheet Placement: which objects may go to slower memory, with latencies and budget as inputs.

use rust_xlsxwriter::utility::row_col_to_cell;
use rust_xlsxwriter::{ColNum, RowNum, XlsxError};

use super::super::layout::{Sheet, fixed_column_range};
use super::super::page::UNKNOWN;
use super::super::style::{self, Look, Role};
use super::scope::Scope;
use super::{Page, TraceBook, inputs};
use crate::expr::Expr;
use crate::metrics::estimated::{self, KNOTS, loss_name};
use crate::metrics::interleaving;
use crate::metrics::objects::{self, Object, Objects};
use crate::metrics::tables;

/// Name of the cell with the cycles of the run with all in RAM that losses are estimated from.
const ESTIMATED_NEAR: &str = "estimated_near_cycles";

const BYTES: ColNum = 1;
const MISSES: ColNum = 3;
const DEPTH: ColNum = 4;
const EPOCHS: ColNum = 5;
const SHARE: ColNum = 6;
/// Loss, sum so far, and whether it goes, of each latency.
const FIRST: ColNum = 7;

/// Of each latency: the share of its pages with interleaving, and what is lost so far then.
const PAGES: ColNum = 4;
const WITH_PAGES: ColNum = 5;
/// Of each latency, the cycles that the loss is estimated from.
const ESTIMATED: ColNum = 6;
/// Of each latency where the core was asked.
const IN_CORE: ColNum = 7;

/// Columns of each latency; one more where the core was asked.
fn each(all: &Objects) -> ColNum {
    match all
        .placements
        .iter()
        .any(|placement| placement.confirmed.is_some())
    {
        true => 8,
        false => 7,
    }
}

pub(super) fn write<'a>(book: TraceBook<'a>, all: &Objects) -> Result<Page<'a>, XlsxError> {
    let mut page = Page::new(Sheet::Placement, book)?;
    page.title("Objects that may go to slower memory")?;
    page.text(
        1,
        0,
        "Losses come from machines nearly like the core, with each object alone in far memory: straight between the latencies that \
         these ran with. Of objects without addresses of their own they come from epochs: one in which retirement waits for the object \
         takes as many more cycles as its memory is farther away; with misses that overlap with others' it can lose several times as much. Objects are taken in order of epochs per byte as long as the budget allows; best: the set with most bytes at the \
         inputs of the run. With interleaving, the first object that does not fit goes with as many of its pages as do; below: what \
         pages of all objects in both memories cost. `--confirm` runs the core itself.",
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
            "Share of its pages, interleaved".to_string(),
            "Loss so far with these".to_string(),
            format!("Cycles at {latency}, estimated"),
            "Loss in the core".to_string(),
        ];
        for (column, text) in (first..first + each(all)).zip(&headings) {
            page.text(header, column, text, &style::header())?;
        }
    }
    page.worksheet.set_row_height(header, 48)?;
    let rows = (header + 1, header + all.objects.len() as RowNum);
    for (index, object) in all.objects.iter().enumerate() {
        write_object(&mut page, rows, (index, object), all)?;
    }
    write_interleaving(&mut page, rows, all)?;
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
            all.times().near as f64,
        ),
        (
            "run_cycles".to_string(),
            "Cycles of the run with all there".to_string(),
            "cycles",
            all.times().cycles as f64,
        ),
        (
            "loss_budget".to_string(),
            "Slowdown allowed".to_string(),
            "",
            all.budget,
        ),
        (
            "near_interval".to_string(),
            "A line from RAM every".to_string(),
            "cycles",
            all.times().near_interval as f64,
        ),
        (
            "far_interval".to_string(),
            "A line from far memory every".to_string(),
            "cycles",
            all.times().far_interval as f64,
        ),
        (
            "unlimited_cycles".to_string(),
            "Cycles of the run without a limit of bandwidth".to_string(),
            "cycles",
            all.times().unlimited_cycles as f64,
        ),
    ];
    let estimated = all
        .placements
        .first()
        .and_then(|own| own.estimated.as_ref());
    if let Some(estimated) = estimated {
        rows.push((
            ESTIMATED_NEAR.to_string(),
            "Cycles with all in RAM, as estimated".to_string(),
            "cycles",
            estimated.near as f64,
        ));
    }
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
    let estimated_in = |number: usize| FIRST + each(all) * number as ColNum + ESTIMATED;
    let knots = all.knots(index);
    let knots = knots.map(|own| name_knots(&mut scope, (row, &estimated_in), &own, all));
    for (number, placement) in all.placements.iter().enumerate() {
        let column = FIRST + each(all) * number as ColNum;
        let far = far_name(number);
        let loss = match &knots {
            Some(latencies) => estimated::loss(&far, "near_latency", latencies),
            None => objects::loss("epochs", &far, "near_latency", "run_cycles"),
        };
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
        // What the core loses, with the latencies that it was asked with. A gain pays for no other object.
        let own = match all.loss_in_core(index, placement) {
            Some(_) => format!(
                "MAX(0,IF(AND({far}={},near_latency={}),{},{own}))",
                placement.latency,
                all.times().near,
                row_col_to_cell(row, column + IN_CORE)
            ),
            None => format!("MAX(0,{own})"),
        };
        write_pages(page, (index, row, column), &own, all)?;
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
        let estimated = placement.estimated.as_ref();
        let cycles = estimated.and_then(|own| own.alone[index]);
        page.fact(
            (row, column + ESTIMATED),
            cycles.map(|own| own as f64),
            Look::Count,
        )?;
        if placement.confirmed.is_some() {
            let found = all.loss_in_core(index, placement);
            page.fact((row, column + IN_CORE), found, Look::Share)?;
        }
    }
    Ok(())
}

/// Names the cells of a row with the cycles that its losses are estimated from, of each latency of far memory in a column of its
/// own; returns the latencies.
fn name_knots(
    scope: &mut Scope,
    (row, column_of): (RowNum, &dyn Fn(usize) -> ColNum),
    knots: &[(u64, u64)],
    all: &Objects,
) -> Vec<f64> {
    let place = |latency: u64| {
        let mut placements = all.placements.iter();
        placements.position(|placement| placement.latency == latency)
    };
    for (name, (latency, cycles)) in KNOTS.into_iter().zip(knots) {
        match place(*latency).filter(|_| *latency != all.times().near) {
            Some(number) => {
                scope.cell(name, (row, column_of(number)), Some(*cycles as f64));
            }
            None => scope.set(name, ESTIMATED_NEAR.to_string(), Some(*cycles as f64)),
        }
    }
    knots.iter().map(|knot| knot.0 as f64).collect()
}

/// The share of an object's pages that goes there, where the first that does not fit is interleaved.
fn write_pages(
    page: &mut Page,
    (index, row, column): (usize, RowNum, ColNum),
    own: &str,
    all: &Objects,
) -> Result<(), XlsxError> {
    let number = usize::from((column - FIRST) / each(all));
    let placement = &all.placements[number];
    let before = match index {
        0 => "0".to_string(),
        _ => row_col_to_cell(row - 1, column + WITH_PAGES),
    };
    let shares = placement.shares[..=index].iter().enumerate();
    let so_far: f64 = shares
        .map(|(at, share)| share * all.counted_loss(at, placement))
        .sum();
    let look = style::cell(Look::Share, Role::Plain);
    let formula = format!("IF({own}>0,MAX(0,MIN(1,(loss_budget-{before})/{own})),1)");
    let shown = placement.shares[index].to_string();
    page.presentation(row, column + PAGES, &formula, &shown, &look)?;
    let share = row_col_to_cell(row, column + PAGES);
    let formula = format!("{before}+{share}*{own}");
    page.presentation(
        row,
        column + WITH_PAGES,
        &formula,
        &so_far.to_string(),
        &look,
    )
}

/// Shares of all pages that the table below the objects has.
const EIGHTHS: usize = 8;

/// Pages of all objects in both memories, with the shares that the estimate has run with. Returns the last row.
fn write_shares(
    page: &mut Page,
    mut row: RowNum,
    shares: &[usize],
    all: &Objects,
) -> Result<RowNum, XlsxError> {
    page.text(row, 0, "Share of the pages", &style::header())?;
    for (number, placement) in all.placements.iter().enumerate() {
        let headings = [
            format!("Cycles at {}, estimated", placement.latency),
            format!("Loss at far {} ({})", number + 1, placement.latency),
        ];
        for (column, text) in (cycles_of(number)..).zip(&headings) {
            page.text(row, column, text, &style::header())?;
        }
    }
    page.worksheet.set_row_height(row, 48)?;
    let mut scopes = vec![page.book.scope.clone(); all.placements.len()];
    let percent = |share: usize| all.interleaving.shares[share] as f64 / 100.0;
    for (at, share) in shares.iter().enumerate() {
        row += 1;
        page.fact((row, 0), Some(percent(*share)), Look::Share)?;
        let knots = all.share_knots(*share).unwrap_or_default();
        let mut scope = page.book.scope.clone();
        let latencies = name_knots(&mut scope, (row, &cycles_of), &knots, all);
        for (number, placement) in all.placements.iter().enumerate() {
            let column = cycles_of(number);
            let estimated = placement.estimated.as_ref();
            let cycles = estimated.and_then(|own| own.interleaved[*share]);
            page.fact((row, column), cycles.map(|own| own as f64), Look::Count)?;
            let loss = estimated::loss(&far_name(number), "near_latency", &latencies);
            let found = page.live((row, column + 1), &loss, &scope, Look::Share)?;
            scopes[number].cell(&loss_name(at), (row, column + 1), found);
        }
    }
    let ran: Vec<f64> = shares.iter().map(|share| percent(*share)).collect();
    let formulas = [
        (
            "Largest share within the slowdown allowed",
            estimated::largest_share("loss_budget", &ran),
        ),
        ("Share with the least time", estimated::fastest_share(&ran)),
    ];
    for (text, formula) in &formulas {
        row += 1;
        page.text(row, 0, text, &style::cell(Look::Text, Role::Plain))?;
        for (number, scope) in scopes.iter().enumerate() {
            page.live((row, cycles_of(number) + 1), formula, scope, Look::Share)?;
        }
    }
    Ok(row)
}

/// The column with the estimated cycles of a latency, before that with the loss.
fn cycles_of(number: usize) -> ColNum {
    2 + 2 * number as ColNum
}

/// Pages of all objects in both memories, by share.
fn write_interleaving(
    page: &mut Page,
    (first, last): (RowNum, RowNum),
    all: &Objects,
) -> Result<(), XlsxError> {
    let own = &all.interleaving;
    let mut scope = page.book.scope.clone();
    let sum = |column: ColNum| format!("SUM({})", fixed_column_range(column, first, last));
    scope.set("all_epochs", sum(EPOCHS), Some(own.epochs as f64));
    scope.set("all_lines", sum(MISSES), Some(own.lines as f64));
    let mut row = last + 2;
    let shares = all.estimated_shares();
    let mut title = "Pages of all objects interleaved with far memory";
    if !shares.is_empty() {
        page.text(row, 0, title, &style::section())?;
        row = write_shares(page, row + 1, &shares, all)? + 2;
        title = "The same from means, with the intervals between lines as inputs: losses at least, gains at most";
    }
    page.text(row, 0, title, &style::section())?;
    row += 1;
    let headings = ["Share of the pages", "Cycles by bandwidth"];
    for (column, text) in (0..).zip(headings) {
        page.text(row, column, text, &style::header())?;
    }
    for (number, placement) in all.placements.iter().enumerate() {
        let column = 2 + 2 * number as ColNum;
        let latency = placement.latency;
        let headings = [
            format!("Cycles by latency at far {} ({latency})", number + 1),
            format!("Loss at far {}", number + 1),
        ];
        for (column, text) in (column..).zip(&headings) {
            page.text(row, column, text, &style::header())?;
        }
    }
    page.worksheet.set_row_height(row, 48)?;
    for eighth in 0..=EIGHTHS {
        row += 1;
        let share = eighth as f64 / EIGHTHS as f64;
        page.fact((row, 0), Some(share), Look::Share)?;
        scope.cell("share", (row, 0), Some(share));
        let by_bandwidth = interleaving::by_bandwidth("share");
        page.live((row, 1), &by_bandwidth, &scope, Look::Count)?;
        for number in 0..all.placements.len() {
            let (column, far) = (2 + 2 * number as ColNum, far_name(number));
            let by_latency = interleaving::by_latency("share", &far);
            page.live((row, column), &by_latency, &scope, Look::Count)?;
            let loss = interleaving::loss("share", &far);
            page.live((row, column + 1), &loss, &scope, Look::Share)?;
        }
    }
    let mut formulas = |text: &str, formula: &dyn Fn(&str) -> Expr| {
        row += 1;
        page.text(row, 0, text, &style::cell(Look::Text, Role::Plain))?;
        for number in 0..all.placements.len() {
            let column = 3 + 2 * number as ColNum;
            let formula = formula(&far_name(number));
            page.live((row, column), &formula, &scope, Look::Share)?;
        }
        Ok(())
    };
    formulas(
        "Largest share within the slowdown allowed",
        &interleaving::largest_share,
    )?;
    formulas("Share with the least time", &interleaving::fastest_share)
}
