//! The sheet Reuse: how far apart the touches of a line are, and what a cache of any size misses.

use rust_xlsxwriter::{Chart, ChartLegendPosition, ChartType, RowNum, XlsxError};

use super::super::layout::{Sheet, fixed_column_range};
use super::super::style::{self, Look, Role};
use super::{PALE_BLUE, Page, TraceBook, VERMILION, filled, inputs, stroked, titled};
use crate::expr::FigureId;
use crate::metrics::report::Reuse;
use crate::metrics::tables;
use crate::quantity::binary_size;

/// Most distances that are listed one by one; of more, the bins are what the input cell looks up.
const MOST_EXACT: usize = 100_000;
/// Where the list of exact distances stands.
const EXACT: u16 = 18;
const CHART: u32 = 24;
const COLUMNS: [(&str, f64); 11] = [
    ("From [lines]", 40.0),
    ("To below [lines]", 14.0),
    ("Touches", 18.0),
    ("Share", 14.0),
    ("Cumulative share", 24.0),
    ("From [bytes]", 18.0),
    ("To below: capacity [bytes]", 18.0),
    ("Capacity", 14.0),
    ("Farther touches", 16.0),
    ("Misses at this capacity", 16.0),
    ("Miss ratio at this capacity", 16.0),
];

pub(super) fn write<'a>(book: TraceBook<'a>, reuse: &Reuse) -> Result<Page<'a>, XlsxError> {
    let mut page = Page::new(Sheet::Reuse, book)?;
    page.title("Reuse distances")?;
    let remark = "Number of other lines touched between two accesses to a line. A fully associative LRU cache of n lines \
         hits accesses with a distance below n (Mattson et al. 1970).";
    page.text(1, 0, remark, &style::remark())?;
    for (column, (_, width)) in (0..).zip(COLUMNS) {
        page.worksheet.set_column_width(column, width)?;
    }
    let row = totals(&mut page, reuse)?;
    let cache_row = row + 1;
    let bins_row = cache_row + 8;
    let bins = (bins_row + 2, bins_row + 1 + reuse.histogram.len() as RowNum);
    write_bins(&mut page, bins_row, reuse)?;
    let is_exact = reuse.exact.len() <= MOST_EXACT;
    if is_exact {
        write_exact(&mut page, bins_row, reuse)?;
    }
    write_cache(
        &mut page,
        cache_row,
        reuse,
        bins,
        is_exact.then_some(bins_row + 2),
    )?;
    if !reuse.histogram.is_empty() {
        insert_chart(&mut page, bins)?;
    }
    style::print_setup(&mut page.worksheet);
    page.worksheet
        .set_print_area(0, 0, bins.1 + CHART + 3, COLUMNS.len() as u16 - 1)?;
    Ok(page)
}

/// Line, first touches, and all touches; returns the row after them.
fn totals(page: &mut Page, reuse: &Reuse) -> Result<RowNum, XlsxError> {
    let first = page.section(
        3,
        "Touches of lines",
        ["Count", "", "Value", "Unit", "Name"],
    )?;
    let rows = [
        ("Bytes of a line", reuse.line, "B", "reuse_line"),
        ("First touches", reuse.cold, "touches", "reuse_cold"),
        ("All touches", reuse.touches(), "touches", "reuse_touches"),
    ];
    let plain = style::cell(Look::Text, Role::Plain);
    for (row, (label, value, unit, name)) in (first..).zip(rows) {
        for (column, text) in [(0, label), (3, unit), (4, name)] {
            page.text(row, column, text, &plain)?;
        }
        page.number(row, 2, value as f64, &style::cell(Look::Count, Role::Plain))?;
        page.name(name, (row, 2), Some(value as f64));
    }
    Ok(first + rows.len() as RowNum)
}

/// The input cell for a cache's size and what it misses. Misses of exact distances where those are
/// listed, else of the bins, which are right at their bounds.
fn write_cache(
    page: &mut Page,
    row: RowNum,
    reuse: &Reuse,
    (first_bin, last_bin): (RowNum, RowNum),
    exact: Option<RowNum>,
) -> Result<(), XlsxError> {
    let headers = ["Figure", "", "Value", "Unit", "Name", "Allowed"];
    let first = page.section(row, "A fully associative LRU cache of any size", headers)?;
    let last_level = page.book.report.cache.last().map(|level| level.spec.bytes);
    let bytes = last_level.unwrap_or(reuse.line * 512) as f64;
    inputs::write_input(
        page,
        first,
        ("reuse_cache_bytes", "Bytes of the cache"),
        Some(bytes),
        (0.0, 1e15),
    )?;
    let lines = tables::capacity_lines("reuse_cache_bytes", "reuse_line");
    let scope = page.book.scope.clone();
    let capacity = page.live((first + 1, 2), &lines, &scope, Look::Count)?;
    page.name("reuse_cache_lines", (first + 1, 2), capacity);

    let farther = |distance: u64| capacity.is_some_and(|capacity| distance as f64 >= capacity);
    let (range, beyond) = match exact {
        Some(start) => {
            let last = start + (reuse.exact.len() as RowNum).max(1) - 1;
            let ranges = [EXACT, EXACT + 1].map(|column| fixed_column_range(column, start, last));
            (
                ranges,
                reuse
                    .exact
                    .iter()
                    .filter(|(distance, _)| farther(*distance))
                    .map(|(_, count)| count)
                    .sum(),
            )
        }
        None => {
            let ranges = [0, 2].map(|column| fixed_column_range(column, first_bin, last_bin));
            (
                ranges,
                reuse
                    .histogram
                    .iter()
                    .filter(|bin| farther(bin.lo))
                    .map(|bin| bin.count)
                    .sum::<u64>(),
            )
        }
    };
    let formula = format!("SUMIF({},\">=\"&reuse_cache_lines,{})", range[0], range[1]);
    page.presentation(
        first + 2,
        2,
        &formula,
        &beyond.to_string(),
        &style::cell(Look::Count, Role::Plain),
    )?;
    page.name("reuse_beyond", (first + 2, 2), Some(beyond as f64));
    let scope = page.book.scope.clone();
    let misses = page.live(
        (first + 3, 2),
        &tables::misses("reuse_cold", "reuse_beyond"),
        &scope,
        Look::Count,
    )?;
    page.name("reuse_misses", (first + 3, 2), misses);
    let scope = page.book.scope.clone();
    let ratio = page.live(
        (first + 4, 2),
        &tables::share("reuse_misses", "reuse_touches"),
        &scope,
        Look::Share,
    )?;
    page.name("reuse_miss_ratio", (first + 4, 2), ratio);
    let farthest = match exact {
        Some(_) => "Reuses from that far or farther",
        None => "Reuses from that far or farther, by bins that start there",
    };
    let labels = [
        ("Bytes of the cache", "B", "reuse_cache_bytes"),
        ("Lines of the cache", "lines", "reuse_cache_lines"),
        (farthest, "touches", "reuse_beyond"),
        ("Misses, first touches too", "touches", "reuse_misses"),
        ("Miss ratio", "", "reuse_miss_ratio"),
    ];
    for (row, (label, unit, name)) in (first..).zip(labels) {
        for (column, text) in [(0, label), (3, unit), (4, name)] {
            page.text(row, column, text, &style::cell(Look::Text, Role::Plain))?;
        }
    }
    Ok(())
}

fn write_bins(page: &mut Page, row: RowNum, reuse: &Reuse) -> Result<(), XlsxError> {
    let first = page.section(row, "Histogram", COLUMNS.map(|(header, _)| header))?;
    let count = reuse.histogram.len() as u32;
    let mut scope = page.book.scope.clone();
    scope.figures(
        (first, 2),
        reuse.histogram.iter().map(|bin| bin.count as f64).collect(),
    );
    let (plain, number) = (
        style::cell(Look::Text, Role::Plain),
        style::cell(Look::Count, Role::Plain),
    );
    for (index, bin) in (0..count).zip(&reuse.histogram) {
        let row = first + index;
        let facts = [
            (0, bin.lo),
            (1, bin.hi),
            (2, bin.count),
            (5, bin.lo * reuse.line),
            (6, bin.hi * reuse.line),
        ];
        for (column, value) in facts {
            page.number(row, column, value as f64, &number)?;
        }
        page.text(row, 7, &binary_size(bin.hi * reuse.line), &plain)?;
        scope.cell("touches", (row, 2), Some(bin.count as f64));
        page.live(
            (row, 3),
            &tables::share("touches", "reuse_touches"),
            &scope,
            Look::Share,
        )?;
        let nearer = tables::cumulative_share((0..=index).map(FigureId), "reuse_touches");
        page.live((row, 4), &nearer, &scope, Look::Share)?;
        let farther = tables::total((index + 1..count).map(FigureId));
        let farther = page.live((row, 8), &farther, &scope, Look::Count)?;
        scope.cell("farther", (row, 8), farther);
        let misses = page.live(
            (row, 9),
            &tables::misses("reuse_cold", "farther"),
            &scope,
            Look::Count,
        )?;
        scope.cell("misses", (row, 9), misses);
        page.live(
            (row, 10),
            &tables::share("misses", "reuse_touches"),
            &scope,
            Look::Share,
        )?;
    }
    Ok(())
}

/// Every distance that occurred, to the right.
fn write_exact(page: &mut Page, row: RowNum, reuse: &Reuse) -> Result<(), XlsxError> {
    page.text(
        row,
        EXACT,
        "Every distance that occurred",
        &style::section(),
    )?;
    for (column, header) in (EXACT..).zip(["Distance [lines]", "Touches"]) {
        page.text(row + 1, column, header, &style::header())?;
        page.worksheet.set_column_width(column, 18)?;
    }
    let number = style::cell(Look::Count, Role::Plain);
    for (row, (distance, count)) in (row + 2..).zip(&reuse.exact) {
        page.number(row, EXACT, *distance as f64, &number)?;
        page.number(row, EXACT + 1, *count as f64, &number)?;
    }
    Ok(())
}

fn insert_chart(page: &mut Page, (first, last): (RowNum, RowNum)) -> Result<(), XlsxError> {
    let sheet = page.sheet.name();
    let mut chart = Chart::new(ChartType::Column);
    (chart.add_series())
        .set_name("Share of touches with a distance just below")
        .set_categories((sheet, first, 7, last, 7))
        .set_values((sheet, first, 3, last, 3))
        .set_format(&mut filled(PALE_BLUE))
        .set_gap(30);
    let mut line = Chart::new(ChartType::Line);
    (line.add_series())
        .set_name("Miss ratio of a fully associative LRU cache")
        .set_categories((sheet, first, 7, last, 7))
        .set_values((sheet, first, 10, last, 10))
        .set_format(&mut stroked(VERMILION));
    chart.combine(&line);
    titled(
        &mut chart,
        [
            "Reuse distances and miss ratio",
            "capacity",
            "share of touches",
        ],
        CHART,
    );
    chart
        .y_axis()
        .set_num_format("0%")
        .set_min(0.0)
        .set_max(1.0);
    chart.legend().set_position(ChartLegendPosition::Bottom);
    page.worksheet.insert_chart(last + 3, 0, &chart)?;
    Ok(())
}
