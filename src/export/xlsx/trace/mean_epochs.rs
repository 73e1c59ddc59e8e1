//! The sheet Epochs of several traces: epochs of each as counted and per 1,000 instructions, and the mean of the rates, of
//! which the design space is made.

use rust_xlsxwriter::{ColNum, RowNum, XlsxError};

use super::super::style::{self, Look, Role};
use super::design_space::Space;
use super::epochs::{Tables, WINDOWS, begin, colour, headings, rows, write_counts};
use super::{Cells, Paper};
use crate::expr::Expr;
use crate::metrics::profiles::Profiles;
use crate::metrics::report::Epochs;
use crate::metrics::tables;
use crate::quantity::binary_size;

type Page = Paper<Cells>;

/// Instructions that the rates are of.
const OF_RATES: f64 = 1000.0;
/// First row of the traces.
const TRACES: RowNum = 6;
/// By capacity: lines, then epochs by window.
type Rates = Vec<Vec<Option<f64>>>;

/// The sheet, the mean, and where it is.
///
/// # Panics
/// There are no traces.
pub(super) fn write(profiles: &Profiles) -> Result<(Page, Space<'_>, Tables), XlsxError> {
    let (_, profile) = profiles.traces.first().expect("a trace");
    let title = "Epochs of several traces: misses that have to wait for each other";
    let more = " Every trace counts the same, however long.";
    let mut page = begin(Cells::default(), title, more, profile)?;
    let mean = write_traces(&mut page, profiles)? + 1;
    let height = profile.capacities.len() as RowNum + 3;
    // Each trace has its rates, and its counts under them.
    let first_of = |number: usize| mean + height * (1 + 2 * number as RowNum);
    let mut all: Vec<Rates> = Vec::new();
    for (number, (path, epochs)) in profiles.traces.iter().enumerate() {
        let row = first_of(number);
        let counts = row + height;
        let title = format!("Epochs e(W, C): {path}");
        write_counts(&mut page, counts, &title, epochs, &epochs.epochs)?;
        let title = format!("Epochs per 1,000 instructions (EPKI): {path}");
        let places = (counts + 2, (TRACES + number as RowNum, 2));
        all.push(write_rates(&mut page, row, &title, epochs, places)?);
    }
    let title = "Epochs per 1,000 instructions (EPKI): arithmetic mean over the traces";
    let columns = ["Capacity [B]", "Lines per 1,000 instructions"];
    let first = headings(&mut page, mean, title, columns, profile)?;
    let rates = |number| first_of(number) + 2;
    let means = write_means(&mut page, profile, first, (&all, &rates))?;
    colour(&mut page, profile, first)?;
    page.worksheet.set_freeze_panes(0, 1)?;
    page.worksheet.set_repeat_rows(0, 0)?;
    style::print_setup(&mut page.worksheet);
    let tables = Tables {
        first,
        capacities: profile.capacities.len(),
    };
    let space = Space {
        like: "the mean of the traces on sheet Epochs",
        windows: &profile.windows,
        capacities: &profile.capacities,
        line: profile.line,
        instructions: OF_RATES,
        epochs: means.iter().map(|row| row[1..].to_vec()).collect(),
        off_chip: means.iter().map(|row| row[0]).collect(),
    };
    Ok((page, space, tables))
}

/// The traces with their instructions, under those that a rate is of; returns the row after them.
fn write_traces(page: &mut Page, profiles: &Profiles) -> Result<RowNum, XlsxError> {
    let plain = style::cell(Look::Text, Role::Plain);
    let count = style::cell(Look::Count, Role::Plain);
    let headers = ["Instructions", "", "Value", "Unit", "Name"];
    let first = page.section(3, "The traces", headers)?;
    let texts = [
        (0, "Of a rate"),
        (3, "instructions"),
        (4, "epoch_instructions"),
    ];
    for (column, text) in texts {
        page.text(first, column, text, &plain)?;
    }
    page.number(first, 2, OF_RATES, &count)?;
    page.name("epoch_instructions", (first, 2), Some(OF_RATES));
    for (row, (path, epochs)) in (TRACES..).zip(&profiles.traces) {
        page.text(row, 0, path, &plain)?;
        page.number(row, 2, epochs.instructions as f64, &count)?;
        page.text(row, 3, "instructions", &plain)?;
    }
    Ok(TRACES + profiles.traces.len() as RowNum)
}

/// Rates of one trace, whose counts begin in that row and whose instructions are in that cell.
fn write_rates(
    page: &mut Page,
    row: RowNum,
    title: &str,
    profile: &Epochs,
    (counts, instructions): (RowNum, (RowNum, ColNum)),
) -> Result<Rates, XlsxError> {
    let columns = ["Capacity [B]", "Lines per 1,000 instructions"];
    let first = headings(page, row, title, columns, profile)?;
    let rate = tables::per_thousand("epochs", "own_instructions");
    let mut rates = vec![Vec::new(); profile.capacities.len()];
    for (row, index, capacity) in rows(profile, first) {
        write_capacity(page, row, capacity)?;
        let lines = std::iter::once(&profile.off_chip[index]);
        for (column, count) in (WINDOWS - 1..).zip(lines.chain(&profile.epochs[index])) {
            let mut scope = page.book.scope.clone();
            scope.cell(
                "epochs",
                (row - first + counts, column),
                Some(*count as f64),
            );
            let own = Some(profile.instructions as f64);
            scope.cell("own_instructions", instructions, own);
            rates[index].push(page.live((row, column), &rate, &scope, Look::Ratio)?);
        }
    }
    colour(page, profile, first)?;
    Ok(rates)
}

/// The means of rates, the first row of each trace's being known.
fn write_means(
    page: &mut Page,
    profile: &Epochs,
    first: RowNum,
    (all, first_of): (&[Rates], &dyn Fn(usize) -> RowNum),
) -> Result<Rates, XlsxError> {
    let name = |number: usize| format!("rate_{number}");
    let sum = Expr::sum((0..all.len()).map(|number| Expr::symbol(&name(number))));
    let mean = sum.quotient(Expr::from(all.len() as f64));
    let mut means = vec![Vec::new(); profile.capacities.len()];
    for (row, index, capacity) in rows(profile, first) {
        write_capacity(page, row, capacity)?;
        for number in 0..=profile.windows.len() {
            let column = WINDOWS - 1 + number as ColNum;
            let mut scope = page.book.scope.clone();
            for (trace, rates) in all.iter().enumerate() {
                let place = (row - first + first_of(trace), column);
                scope.cell(&name(trace), place, rates[index][number]);
            }
            means[index].push(page.live((row, column), &mean, &scope, Look::Ratio)?);
        }
    }
    Ok(means)
}

fn write_capacity(page: &mut Page, row: RowNum, capacity: u64) -> Result<(), XlsxError> {
    let plain = style::cell(Look::Text, Role::Plain);
    page.text(row, 0, &binary_size(capacity), &plain)?;
    let count = style::cell(Look::Count, Role::Plain);
    page.number(row, 1, capacity as f64, &count)
}
