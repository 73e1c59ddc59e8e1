//! The workbook of several traces: one sheet, the most sensitive to latency first.

use rust_xlsxwriter::{Chart, ChartAxisLabelPosition, ChartType, ColNum, RowNum, XlsxError};

use super::super::layout::Sheet;
use super::super::page::Paper;
use super::super::style::{self, Look, Role};
use super::{BLUE, Cells, Named, filled, inputs, look, titled};
use crate::formula::Catalogue;
use crate::metrics::rank::{Rank, RankFigure, RankedTrace};

type Page = Paper<Cells>;

/// What follows first, then what was counted.
const COLUMNS: [RankFigure; 17] = [
    RankFigure::SlotEpochRate,
    RankFigure::EpochRate,
    RankFigure::Lambda,
    RankFigure::RelativeLambda,
    RankFigure::Overlap,
    RankFigure::Camat,
    RankFigure::Bandwidth,
    RankFigure::Instructions,
    RankFigure::SlotEpochs,
    RankFigure::Epochs,
    RankFigure::MemoryWork,
    RankFigure::MemoryDepth,
    RankFigure::NonMemoryCost,
    RankFigure::BytesMoved,
    RankFigure::ActiveCycles,
    RankFigure::Accesses,
    RankFigure::Cycles,
];
const FIRST: ColNum = 1;
/// The last column of notes, and how wide all of theirs are.
const NOTES: (ColNum, f64) = (9, 170.0);
/// Inputs with the smallest and largest value.
const INPUTS: [(RankFigure, f64, f64); 3] = [
    (RankFigure::Slots, 1.0, 1e9),
    (RankFigure::BaseLatency, 0.0, 1e9),
    (RankFigure::Ghz, 0.001, 1000.0),
];

pub(super) fn write(rank: &Rank) -> Result<Paper<impl Named + use<>>, XlsxError> {
    let mut page = Page::new(Sheet::Rank, Cells::default())?;
    page.title("Programs by sensitivity to the latency of RAM")?;
    page.text(1, 0, &counted_with(rank), &style::remark())?;
    page.worksheet.set_column_width(0, 44.0)?;
    for column in 0..COLUMNS.len() as ColNum {
        page.worksheet.set_column_width(FIRST + column, 14.0)?;
    }
    let mut row = page.section(
        3,
        "Inputs: λ, Λ and bandwidth follow; E_m was counted with the m of the run",
        ["Input", "Symbol", "Value", "Unit", "Name", "Allowed"],
    )?;
    let plain = style::cell(Look::Text, Role::Plain);
    for (figure, least, most) in INPUTS {
        let entry = figure.entry();
        let texts = [
            (0, entry.meaning),
            (1, entry.symbol),
            (3, entry.unit.symbol()),
            (4, entry.name),
        ];
        for (column, text) in texts {
            page.text(row, column, text, &plain)?;
        }
        let value = input(rank, figure);
        inputs::write_input(
            &mut page,
            row,
            (entry.name, entry.meaning),
            Some(value),
            (least, most),
        )?;
        row += 1;
    }
    let header = row + 1;
    page.text(header, 0, "Trace", &style::header())?;
    for (column, figure) in (FIRST..).zip(COLUMNS) {
        page.text(header, column, &heading(figure), &style::header())?;
    }
    page.worksheet.set_row_height(header, 108)?;
    for (row, trace) in (header + 1..).zip(&rank.traces) {
        write_trace(&mut page, row, trace)?;
    }
    let last = header + rank.traces.len() as RowNum;
    row = notes(&mut page, last + 2, rank)?;
    insert_chart(&mut page, row, (header + 1, last))?;
    page.worksheet.set_freeze_panes(header + 1, 1)?;
    style::print_setup(&mut page.worksheet);
    Ok(page)
}

fn counted_with(rank: &Rank) -> String {
    format!(
        "Window of {} instructions; E_m with m = {}; caches {}; RAM {} cycles away.",
        rank.window,
        rank.slots,
        rank.caches.join(", "),
        rank.inputs.latency
    )
}

fn input(rank: &Rank, figure: RankFigure) -> f64 {
    match figure {
        RankFigure::BaseLatency => rank.inputs.base_latency,
        RankFigure::Ghz => rank.inputs.ghz,
        _ => rank.inputs.slots,
    }
}

/// What it is, with its symbol and unit.
fn heading(figure: RankFigure) -> String {
    let entry = figure.entry();
    let meaning = entry.meaning.split(':').next().unwrap_or_default();
    let unit = match entry.unit.symbol() {
        "" => String::new(),
        unit => format!(" [{unit}]"),
    };
    match entry.symbol {
        "" => format!("{meaning}{unit}"),
        symbol => format!("{symbol}{unit}: {meaning}"),
    }
}

fn write_trace(page: &mut Page, row: RowNum, trace: &RankedTrace) -> Result<(), XlsxError> {
    page.text(row, 0, &trace.path, &style::cell(Look::Text, Role::Plain))?;
    let mut scope = page.book.scope.clone();
    for (column, figure) in (FIRST..).zip(COLUMNS) {
        scope.cell(figure.entry().name, (row, column), trace.get(figure));
    }
    for (column, figure) in (FIRST..).zip(COLUMNS) {
        let value = trace.get(figure);
        match figure.expr() {
            Some(expr) => {
                page.live(
                    (row, column),
                    &expr,
                    &scope,
                    look(figure.entry().unit, value),
                )?;
            }
            None => page.fact((row, column), value, Look::Count)?,
        }
    }
    Ok(())
}

/// What a reader has to know, trace by trace; returns the row for what follows.
fn notes(page: &mut Page, row: RowNum, rank: &Rank) -> Result<RowNum, XlsxError> {
    let own = rank.traces.iter().flat_map(|trace| {
        let note = |note: &String| format!("{}: {note}", trace.path);
        trace.notes.iter().map(note).collect::<Vec<String>>()
    });
    let notes: Vec<String> = rank.notes.iter().cloned().chain(own).collect();
    if notes.is_empty() {
        return Ok(row);
    }
    page.text(row, 0, "Notes", &style::section())?;
    for (row, note) in (row + 1..).zip(&notes) {
        page.spread(row, NOTES, note, &style::cell(Look::Text, Role::Plain))?;
    }
    Ok(row + notes.len() as RowNum + 2)
}

fn insert_chart(
    page: &mut Page,
    row: RowNum,
    (first, last): (RowNum, RowNum),
) -> Result<(), XlsxError> {
    let sheet = page.sheet.name();
    let mut chart = Chart::new(ChartType::Bar);
    (chart.add_series())
        .set_name("E_m in 1,000 instructions")
        .set_categories((sheet, first, 0, last, 0))
        .set_values((sheet, first, FIRST, last, FIRST))
        .set_format(&mut filled(BLUE));
    let rows = 8 + last - first;
    let titles = [
        "Epochs per 1,000 instructions",
        "E_m in 1,000 instructions",
        "",
    ];
    titled(&mut chart, titles, rows.min(60));
    // A bar chart has its categories on the y axis, upwards; the most sensitive is to be on top.
    chart.y_axis().set_reverse();
    let position = ChartAxisLabelPosition::High;
    chart.x_axis().set_label_position(position);
    chart.legend().set_hidden();
    page.worksheet.insert_chart(row, 0, &chart)?;
    Ok(())
}
