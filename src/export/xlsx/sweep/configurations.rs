//! Sheet *Configurations*, and what all sheets of a sweep have in common.

use rust_xlsxwriter::utility::{row_col_to_cell, row_col_to_cell_absolute};
use rust_xlsxwriter::{ColNum, RowNum, Worksheet, XlsxError};

use crate::sweep::columns::{Column, setting_name};
use crate::sweep::groups::full_first;
use crate::sweep::latency::{Latency, LatencyOf};
use crate::sweep::report::SweepReport;
use crate::sweep::row::Row;
use crate::xlsx::layout::Sheet;
use crate::xlsx::page::Paper;
use crate::xlsx::style::{self, Look, Role};

/// Headings stand here, what is below begins with the next row.
pub(super) const HEADER: RowNum = 3;

/// The heading above why figures are not exact.
pub(super) const NOT_EXACT: &str = "* not exact";

/// What stands there.
pub(super) fn doubts(row: &Row) -> String {
    match row.doubts() {
        doubts if doubts.is_empty() => String::new(),
        doubts => format!("* {}", doubts.join("; ")),
    }
}

/// Columns of a sheet of configurations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    Text(Column),
    /// What of `trace.latencies` a row is compared at.
    LatencyFrom,
    Setting(usize),
    /// A number that may be changed.
    Input(Column),
    Number(Column),
    Lambda,
    TimeCycles,
    TimeSeconds,
    /// Why its figures are not exact.
    Doubts,
}

pub(super) fn columns(report: &SweepReport) -> Vec<Shown> {
    let head = [Column::Input, Column::Kind, Column::Machine, Column::Caches];
    let figures = [
        Column::MemoryWork,
        Column::MemoryDepth,
        Column::NonMemoryCycles,
        Column::TrafficBytes,
        Column::Flops,
        Column::UnknownNests,
        Column::IdleNests,
    ];
    let inputs = [
        Column::AreaMm2,
        Column::LatencyCycles,
        Column::Slots,
        Column::Ghz,
    ];
    // Elsewhere all of them are numbers.
    let has_own = report.inputs.iter().flat_map(|input| &input.groups);
    let has_own = has_own.filter(|group| group.latency == Some(Latency::OfMachine));
    let latency_from = has_own.take(1).map(|_| Shown::LatencyFrom);
    (head.into_iter().map(Shown::Text))
        .chain(latency_from)
        .chain((0..report.settings.len()).map(Shown::Setting))
        .chain(inputs.into_iter().map(Shown::Input))
        .chain(figures.into_iter().map(Shown::Number))
        .chain([
            Shown::Lambda,
            Shown::TimeCycles,
            Shown::TimeSeconds,
            Shown::Doubts,
        ])
        .collect()
}

impl Shown {
    pub(super) fn header(self, report: &SweepReport) -> String {
        match self {
            Shown::Text(column) | Shown::Input(column) | Shown::Number(column) => {
                column.entry().name.to_string()
            }
            Shown::LatencyFrom => Column::LatencyFrom.entry().name.to_string(),
            Shown::Setting(position) => setting_name(&report.settings[position].name),
            Shown::Lambda => Column::Lambda.entry().name.to_string(),
            Shown::TimeCycles => Column::TimeUpperCycles.entry().name.to_string(),
            Shown::TimeSeconds => Column::TimeSeconds.entry().name.to_string(),
            Shown::Doubts => NOT_EXACT.to_string(),
        }
    }

    pub(super) fn look(self) -> Look {
        match self {
            Shown::Text(_) | Shown::LatencyFrom | Shown::Doubts => Look::Text,
            Shown::TimeSeconds => Look::Seconds,
            Shown::Lambda => Look::Ratio,
            Shown::Number(_) | Shown::TimeCycles => Look::Count,
            Shown::Setting(_) | Shown::Input(_) => Look::Number,
        }
    }
}

/// The configurations on their sheet: of each input those of each latency together, full estimates before lower bounds, and of
/// both the smallest first, so that the first of the fastest is the smallest.
pub(super) struct Configurations {
    pub(super) columns: Vec<Shown>,
    /// Positions in the report, row by row, with the latency at which each is compared: one that is compared at two has two rows.
    pub(super) order: Vec<(usize, Option<Latency>)>,
}

impl Configurations {
    pub(super) fn of(report: &SweepReport) -> Configurations {
        let order = report.inputs.iter().flat_map(|input| &input.groups);
        let order = order.flat_map(|group| {
            let mut own = group.configurations.clone();
            own.sort_by(|one, other| {
                let rows = [one, other].map(|number| &report.configurations[*number]);
                full_first(rows[0], rows[1], (&report.settings, group.areas))
            });
            own.into_iter().map(|number| (number, group.latency))
        });
        Configurations {
            columns: columns(report),
            order: order.collect(),
        }
    }

    pub(super) fn column(&self, shown: Shown) -> ColNum {
        let position = self.columns.iter().position(|column| *column == shown);
        position.unwrap_or(0) as ColNum
    }

    pub(super) fn cell(&self, row: RowNum, shown: Shown) -> String {
        row_col_to_cell(row, self.column(shown))
    }

    /// A column of so many rows from `first` on, seen from another sheet.
    pub(super) fn range(&self, (first, count): (usize, usize), column: ColNum) -> String {
        let row = |number: usize| HEADER + 1 + number as RowNum;
        let (first, last) = (row(first), row(first + count - 1));
        format!(
            "{}!{}:{}",
            Sheet::Configurations.name(),
            row_col_to_cell_absolute(first, column),
            row_col_to_cell_absolute(last, column)
        )
    }
}

pub(super) fn begin(sheet: Sheet, title: &str, remark: &str) -> Result<Paper<()>, XlsxError> {
    let mut page = Paper::new(sheet, ())?;
    page.title(title)?;
    page.text(1, 0, remark, &style::remark())?;
    Ok(page)
}

pub(super) fn finish(
    mut page: Paper<()>,
    last: RowNum,
    columns: usize,
) -> Result<Worksheet, XlsxError> {
    page.worksheet.set_freeze_panes(HEADER + 1, 1)?;
    if last > HEADER && columns > 0 {
        (page.worksheet).autofilter(HEADER, 0, last, columns as ColNum - 1)?;
    }
    page.worksheet.set_repeat_rows(HEADER, HEADER)?;
    style::print_setup(&mut page.worksheet);
    Ok(page.worksheet)
}

/// A heading, with room for what stands below.
pub(super) fn head(
    page: &mut Paper<()>,
    column: ColNum,
    text: &str,
    look: Look,
) -> Result<(), XlsxError> {
    head_at(page, (HEADER, column), text, look)
}

pub(super) fn head_at(
    page: &mut Paper<()>,
    (row, column): (RowNum, ColNum),
    text: &str,
    look: Look,
) -> Result<(), XlsxError> {
    page.text(row, column, text, &style::header())?;
    let width = match look {
        Look::Text => 34.0,
        _ => (text.chars().count() as f64 + 4.0).max(14.0),
    };
    page.worksheet.set_column_width(column, width)?;
    Ok(())
}

/// Every configuration.
pub(super) fn all(
    report: &SweepReport,
    configurations: &Configurations,
) -> Result<Worksheet, XlsxError> {
    let mut page = begin(
        Sheet::Configurations,
        "All configurations",
        "Latency, slots and clock may be changed: λ, times and sheet Best follow. A run compared both at a given latency and at its \
         machine's latency has a row for each.",
    )?;
    for (column, shown) in (0..).zip(&configurations.columns) {
        head(&mut page, column, &shown.header(report), shown.look())?;
    }
    let mut last = HEADER;
    for (number, latency) in &configurations.order {
        last += 1;
        let row = (&report.configurations[*number], *latency);
        for (column, shown) in (0..).zip(&configurations.columns) {
            write(&mut page, (last, column), *shown, (row, configurations))?;
        }
    }
    finish(page, last, configurations.columns.len())
}

/// What of `trace.latencies` it is.
pub(super) fn from(latency: Latency) -> &'static str {
    match latency {
        Latency::Cycles(_) => LatencyOf::Number.name(),
        Latency::OfMachine => LatencyOf::Machine.name(),
    }
}

pub(super) fn write(
    page: &mut Paper<()>,
    (at, column): (RowNum, ColNum),
    shown: Shown,
    ((row, latency), configurations): ((&Row, Option<Latency>), &Configurations),
) -> Result<(), XlsxError> {
    let plain = style::cell(shown.look(), Role::Plain);
    let cell = |shown: Shown| configurations.cell(at, shown);
    let number = |column: Column| cell(Shown::Number(column));
    let input = |column: Column| cell(Shown::Input(column));
    // Where a column has a number that the formulas need.
    let is_run = row.number(Column::Lambda).is_some();
    let (value, formula) = match shown {
        Shown::Text(column_of) => {
            return match row.text(column_of) {
                Some(text) => page.text(at, column, text, &plain),
                None => Ok(()),
            };
        }
        Shown::LatencyFrom => {
            return match latency {
                Some(latency) => page.text(at, column, from(latency), &plain),
                None => Ok(()),
            };
        }
        Shown::Doubts => {
            return match doubts(row) {
                text if text.is_empty() => Ok(()),
                text => page.text(at, column, &text, &plain),
            };
        }
        Shown::Setting(position) => (row.setting(position), None),
        Shown::Number(column_of) => (row.number(column_of), None),
        Shown::Input(column_of) => {
            return match row.number(column_of) {
                Some(value) => {
                    page.number(at, column, value, &style::cell(shown.look(), Role::Input))
                }
                None => Ok(()),
            };
        }
        Shown::Lambda => {
            let (work, depth) = (number(Column::MemoryWork), number(Column::MemoryDepth));
            let formula = format!("({work}-{depth})/{}+{depth}", input(Column::Slots));
            (row.number(Column::Lambda), Some(formula))
        }
        Shown::TimeCycles => {
            let (latency, rest) = (
                input(Column::LatencyCycles),
                number(Column::NonMemoryCycles),
            );
            let formula = format!("{}*{latency}+{rest}", cell(Shown::Lambda));
            (row.number(Column::TimeUpperCycles), Some(formula))
        }
        Shown::TimeSeconds => {
            let (cycles, ghz) = (cell(Shown::TimeCycles), input(Column::Ghz));
            let formula = format!("{cycles}/({ghz}*1E+9)");
            if is_run && row.number(Column::Ghz).is_none() {
                let formula = format!("IF({ghz}=\"\",\"unknown\",{formula})");
                return page.presented_text(at, column, &formula, "unknown", &plain);
            }
            (row.number(Column::TimeSeconds), Some(formula))
        }
    };
    match (value, formula.filter(|_| is_run)) {
        (None, _) => Ok(()),
        (Some(value), Some(formula)) => {
            page.presentation(at, column, &formula, &value.to_string(), &plain)
        }
        (Some(value), None) => page.number(at, column, value, &plain),
    }
}
