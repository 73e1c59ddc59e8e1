//! The sheet Epochs: epochs of every window and capacity as counted, and per 1,000 instructions as
//! formulas with a colour scale.

use rust_xlsxwriter::utility::row_col_to_cell;
use rust_xlsxwriter::{ColNum, ConditionalFormat3ColorScale, RowNum, XlsxError};

use super::super::layout::Sheet;
use super::super::page::Paper;
use super::super::style::{self, Look, Role};
use super::book::{Page, TraceBook};
use crate::metrics::epoch::Stores;
use crate::metrics::report::{CacheEpochs, Epochs};
use crate::metrics::tables;
use crate::quantity::binary_size;

/// First column of the windows.
pub(super) const WINDOWS: ColNum = 3;
/// White over light blue to blue, on which dark text is read.
const SCALE: [u32; 3] = [0xF7FBFF, 0x9ECAE1, 0x5BA3D0];

/// Where other sheets find the counts.
pub(super) struct Tables {
    pub first: RowNum,
    pub capacities: usize,
}

impl Tables {
    /// The largest capacity is on top.
    fn row(&self, capacity: usize) -> RowNum {
        self.first + (self.capacities - 1 - capacity) as RowNum
    }

    /// Cell of the epochs of a capacity and window.
    pub fn epochs(&self, capacity: usize, window: usize) -> String {
        self.on_sheet(capacity, WINDOWS + window as ColNum)
    }

    /// Cell of the lines fetched at a capacity.
    pub fn off_chip(&self, capacity: usize) -> String {
        self.on_sheet(capacity, 2)
    }

    fn on_sheet(&self, capacity: usize, column: ColNum) -> String {
        format!(
            "{}!{}",
            Sheet::Epochs.in_formulas(),
            row_col_to_cell(self.row(capacity), column)
        )
    }
}

/// The head of a sheet of epochs, with what else there is to remark.
pub(super) fn begin<B>(
    book: B,
    title: &str,
    more: &str,
    profile: &Epochs,
) -> Result<Paper<B>, XlsxError> {
    let mut page = Paper::new(Sheet::Epochs, book)?;
    page.title(title)?;
    let remark = "Rows are capacities of a fully associative LRU cache, columns are reorder windows in instructions \
                  (Carlson, Nilakantan, Hempstead, Heirman, \"Epoch Profiles\").";
    page.text(1, 0, &format!("{remark}{more}"), &style::remark())?;
    page.worksheet.set_column_width(0, 34)?;
    for column in 1..WINDOWS + profile.windows.len() as ColNum {
        page.worksheet
            .set_column_width(column, if column < WINDOWS { 18.0 } else { 12.0 })?;
    }
    Ok(page)
}

/// The sheet, and where its counts are.
pub(super) fn write<'a>(
    book: TraceBook<'a>,
    profile: &Epochs,
) -> Result<(Page<'a>, Tables), XlsxError> {
    let title = "Epochs: misses that have to wait for each other";
    let mut page = begin(book, title, "", profile)?;
    let rates = totals(&mut page, profile)? + 1;
    let height = profile.capacities.len() as RowNum + 3;
    let counts = rates + height;
    let title = "Epochs per 1,000 instructions (EPKI)";
    let tables = Tables {
        first: counts + 2,
        capacities: profile.capacities.len(),
    };
    write_rates(
        &mut page,
        rates,
        title,
        profile,
        (&profile.epochs, tables.first),
    )?;
    write_counts(
        &mut page,
        counts,
        "Epochs e(W, C)",
        profile,
        &profile.epochs,
    )?;
    let mut row = counts + height;
    for (slots, table) in &profile.slots {
        let title = format!("EPKI when at most {slots} misses start in one epoch");
        write_rates(&mut page, row, &title, profile, (table, row + height + 2))?;
        let title = format!("Epochs when at most {slots} misses start in one, E_{slots}(W, C)");
        write_counts(&mut page, row + height, &title, profile, table)?;
        row += 2 * height;
    }
    if let Some(caches) = &profile.caches {
        write_caches(&mut page, row, profile, caches)?;
    }
    page.worksheet.set_freeze_panes(0, 1)?;
    page.worksheet.set_repeat_rows(0, 0)?;
    style::print_setup(&mut page.worksheet);
    Ok((page, tables))
}

/// Epochs of the run's own caches: a row for each number of misses that may start in one, as counted and as rates.
fn write_caches(
    page: &mut Page,
    row: RowNum,
    profile: &Epochs,
    caches: &CacheEpochs,
) -> Result<(), XlsxError> {
    let columns = ["", "Misses that start in one, at most"];
    let heading = |page: &mut Page, row, title| headings(page, row, title, columns, profile);
    let counts = heading(
        page,
        row,
        "Epochs of the misses that the run's own caches sent to RAM",
    )?;
    let rates = heading(
        page,
        counts + caches.rows().count() as RowNum + 1,
        "The same per 1,000 instructions",
    )?;
    let rate = tables::per_thousand("epochs", "epoch_instructions");
    let (plain, count) = (
        style::cell(Look::Text, Role::Plain),
        style::cell(Look::Count, Role::Plain),
    );
    for (at, (most, epochs)) in (0..).zip(caches.rows()) {
        for row in [counts + at, rates + at] {
            page.text(row, 0, "Caches of the run", &plain)?;
            match most {
                Some(slots) => page.number(row, 2, f64::from(slots), &count)?,
                None => page.text(row, 2, "any number", &plain)?,
            }
        }
        for (column, epochs) in (WINDOWS..).zip(epochs) {
            page.number(counts + at, column, *epochs as f64, &count)?;
            let mut scope = page.book.scope.clone();
            scope.cell("epochs", (counts + at, column), Some(*epochs as f64));
            page.live((rates + at, column), &rate, &scope, Look::Ratio)?;
        }
    }
    Ok(())
}

/// What the profile is of; returns the row after it.
fn totals(page: &mut Page, profile: &Epochs) -> Result<RowNum, XlsxError> {
    let first = page.section(3, "The run", ["Count", "", "Value", "Unit", "Name"])?;
    let rows = [
        (
            "Executed instructions",
            profile.instructions,
            "instructions",
            "epoch_instructions",
        ),
        ("Bytes of a line", profile.line, "B", "epoch_line"),
    ];
    let plain = style::cell(Look::Text, Role::Plain);
    for (row, (label, value, unit, name)) in (first..).zip(rows) {
        for (column, text) in [(0, label), (3, unit), (4, name)] {
            page.text(row, column, text, &plain)?;
        }
        page.number(row, 2, value as f64, &style::cell(Look::Count, Role::Plain))?;
        page.name(name, (row, 2), Some(value as f64));
    }
    let row = first + rows.len() as RowNum;
    page.text(row, 0, "Stores that miss", &plain)?;
    let stores = match profile.stores {
        Stores::Buffered => "wait in a buffer and cause no stall",
        Stores::Blocking => "are waited for, as loads are",
    };
    page.text(row, 2, stores, &plain)?;
    Ok(row + 1)
}

/// Headings of a table; returns its first row.
pub(super) fn headings<B>(
    page: &mut Paper<B>,
    row: RowNum,
    title: &str,
    [second, third]: [&str; 2],
    profile: &Epochs,
) -> Result<RowNum, XlsxError> {
    let first = page.section(row, title, ["Capacity C \\ window W", second, third])?;
    page.worksheet.set_row_height(first - 1, 32)?;
    for (column, window) in (WINDOWS..).zip(&profile.windows) {
        page.number(first - 1, column, f64::from(*window), &style::header())?;
    }
    Ok(first)
}

/// Rows with the number and index of their capacity, the largest on top.
pub(super) fn rows(profile: &Epochs, first: RowNum) -> impl Iterator<Item = (RowNum, usize, u64)> {
    let count = profile.capacities.len();
    (0..count)
        .rev()
        .zip(first..)
        .map(|(capacity, row)| (row, capacity, profile.capacities[capacity]))
}

pub(super) fn write_counts<B>(
    page: &mut Paper<B>,
    row: RowNum,
    title: &str,
    profile: &Epochs,
    table: &[Vec<u64>],
) -> Result<(), XlsxError> {
    let first = headings(
        page,
        row,
        title,
        ["Capacity [B]", "Lines fetched (loads and stores)"],
        profile,
    )?;
    let count = style::cell(Look::Count, Role::Plain);
    for (row, index, capacity) in rows(profile, first) {
        page.text(
            row,
            0,
            &binary_size(capacity),
            &style::cell(Look::Text, Role::Plain),
        )?;
        page.number(row, 1, capacity as f64, &count)?;
        page.number(row, 2, profile.off_chip[index] as f64, &count)?;
        for (column, epochs) in (WINDOWS..).zip(&table[index]) {
            page.number(row, column, *epochs as f64, &count)?;
        }
    }
    Ok(())
}

/// Rates of the counts whose table has its first row there.
fn write_rates(
    page: &mut Page,
    row: RowNum,
    title: &str,
    profile: &Epochs,
    (table, counts): (&[Vec<u64>], RowNum),
) -> Result<(), XlsxError> {
    let first = headings(
        page,
        row,
        title,
        ["Capacity [B]", "Lines per 1,000 instructions"],
        profile,
    )?;
    let rate = tables::per_thousand("epochs", "epoch_instructions");
    for (row, index, capacity) in rows(profile, first) {
        page.text(
            row,
            0,
            &binary_size(capacity),
            &style::cell(Look::Text, Role::Plain),
        )?;
        page.number(
            row,
            1,
            capacity as f64,
            &style::cell(Look::Count, Role::Plain),
        )?;
        let counted = std::iter::once(profile.off_chip[index]).chain(table[index].iter().copied());
        for (column, count) in (WINDOWS - 1..).zip(counted) {
            let mut scope = page.book.scope.clone();
            scope.cell("epochs", (row - first + counts, column), Some(count as f64));
            page.live((row, column), &rate, &scope, Look::Ratio)?;
        }
    }
    colour(page, profile, first)
}

/// Colours the rates that begin in that row by how high they are.
pub(super) fn colour<B>(
    page: &mut Paper<B>,
    profile: &Epochs,
    first: RowNum,
) -> Result<(), XlsxError> {
    let last = (
        first + profile.capacities.len() as RowNum - 1,
        WINDOWS + profile.windows.len() as ColNum - 1,
    );
    let [low, middle, high] = SCALE;
    let scale = ConditionalFormat3ColorScale::new()
        .set_minimum_color(low)
        .set_midpoint_color(middle)
        .set_maximum_color(high);
    page.worksheet
        .add_conditional_format(first, WINDOWS, last.0, last.1, &scale)?;
    Ok(())
}
