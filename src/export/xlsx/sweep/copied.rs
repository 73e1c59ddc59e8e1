//! Sheets with figures as they were computed: what more area buys, and what feels latency most.

use rust_xlsxwriter::{ColNum, RowNum, Worksheet, XlsxError};

use super::configurations::{HEADER, NOT_EXACT, begin, doubts, finish, head};
use crate::sweep::columns::Column;
use crate::sweep::report::SweepReport;
use crate::sweep::row::Row;
use crate::xlsx::layout::Sheet;
use crate::xlsx::page::Paper;
use crate::xlsx::style::{self, Look, Role};

/// Columns of a sheet that are copied from rows of the data set.
type Copied = (Column, Look);

const FRONT: [Copied; 11] = [
    (Column::Input, Look::Text),
    (Column::Machine, Look::Text),
    (Column::Caches, Look::Text),
    (Column::AreaMm2, Look::Ratio),
    (Column::LatencyCycles, Look::Number),
    (Column::LatencyFrom, Look::Text),
    (Column::Slots, Look::Number),
    (Column::TimeSeconds, Look::Seconds),
    (Column::TimeUpperCycles, Look::Count),
    (Column::Lambda, Look::Ratio),
    (Column::RelativeLambda, Look::Ratio),
];

/// What is copied of a trace's epochs, and behind it of its first configuration.
const RANKED: ([Copied; 4], [Copied; 8]) = (
    [
        (Column::EpochsPerThousand, Look::Ratio),
        (Column::Window, Look::Number),
        (Column::LastCacheBytes, Look::Number),
        (Column::EpochSlots, Look::Number),
    ],
    [
        (Column::RelativeLambda, Look::Ratio),
        (Column::Lambda, Look::Ratio),
        (Column::Machine, Look::Text),
        (Column::Caches, Look::Text),
        (Column::LatencyCycles, Look::Number),
        (Column::Slots, Look::Number),
        (Column::TimeSeconds, Look::Seconds),
        (Column::TimeUpperCycles, Look::Count),
    ],
);

fn heads(page: &mut Paper<()>, first: ColNum, columns: &[Copied]) -> Result<(), XlsxError> {
    for (column, (of, look)) in (first..).zip(columns) {
        head(page, column, of.entry().name, *look)?;
    }
    Ok(())
}

fn copy(
    page: &mut Paper<()>,
    (at, first): (RowNum, ColNum),
    columns: &[Copied],
    row: &Row,
) -> Result<(), XlsxError> {
    for (column, (of, look)) in (first..).zip(columns) {
        let looked = style::cell(*look, Role::Plain);
        if let Some(text) = row.text(*of) {
            page.text(at, column, text, &looked)?;
        } else if let Some(value) = row.number(*of) {
            page.number(at, column, value, &looked)?;
        }
    }
    Ok(())
}

/// Why a row is not exact.
fn mark(page: &mut Paper<()>, (at, column): (RowNum, ColNum), row: &Row) -> Result<(), XlsxError> {
    match doubts(row) {
        text if text.is_empty() => Ok(()),
        text => page.text(at, column, &text, &style::cell(Look::Text, Role::Plain)),
    }
}

/// What no other configuration beats, as it was computed.
pub(super) fn front(report: &SweepReport) -> Result<Worksheet, XlsxError> {
    let mut page = begin(Sheet::Front, "What more area buys", &report.front_remark())?;
    heads(&mut page, 0, &FRONT)?;
    let last = FRONT.len() as ColNum;
    head(&mut page, last, NOT_EXACT, Look::Text)?;
    let mut at = HEADER;
    for front in &report.fronts {
        at += 1;
        let row = &report.configurations[front.configuration];
        copy(&mut page, (at, 0), &FRONT, row)?;
        mark(&mut page, (at, last), row)?;
    }
    finish(page, at, FRONT.len() + 1)
}

/// What feels latency most, as it was computed.
pub(super) fn ranking(report: &SweepReport) -> Result<Worksheet, XlsxError> {
    let title = "Programs most sensitive to memory latency";
    let mut page = begin(Sheet::Ranking, title, &report.ranking.meaning())?;
    let input = [(Column::Input, Look::Text)];
    let (epochs, run) = RANKED;
    // Where nothing counts epochs there is nothing of them to show.
    let has_epochs = report.ranking.has_epochs();
    let epochs = if has_epochs { &epochs[..] } else { &[] };
    heads(&mut page, 0, &input)?;
    heads(&mut page, 1, epochs)?;
    heads(&mut page, 1 + epochs.len() as ColNum, &run)?;
    let last = (1 + epochs.len() + run.len()) as ColNum;
    head(&mut page, last, NOT_EXACT, Look::Text)?;
    let mut at = HEADER;
    for trace in &report.ranking.traces {
        at += 1;
        let row = &report.configurations[trace.configuration];
        copy(&mut page, (at, 0), &input, row)?;
        if let Some(counted) = &trace.epochs {
            copy(&mut page, (at, 1), epochs, counted)?;
        }
        copy(&mut page, (at, 1 + epochs.len() as ColNum), &run, row)?;
        mark(&mut page, (at, last), row)?;
    }
    finish(page, at, 2 + epochs.len() + run.len())
}
