//! The workbook of a sweep: every configuration with its formulas, the best of each input, a map over two axes, what more
//! area buys, and which programs feel memory's latency most. With another latency or other slots times follow, and with
//! them what is best.

mod copied;
mod maps;

use rust_xlsxwriter::utility::{row_col_to_cell, row_col_to_cell_absolute};
use rust_xlsxwriter::{ColNum, RowNum, Workbook, Worksheet, XlsxError};

use self::copied::{front, ranking};
use self::maps::{sheet_of, sheet_of_maps};
use super::layout::Sheet;
use super::package;
use super::page::Paper;
use super::style::{self, Look, Role};
use crate::sweep::columns::{Column, setting_name};
use crate::sweep::groups::{Group, by_size};
use crate::sweep::report::SweepReport;
use crate::sweep::row::Row;

/// Headings stand here, what is below begins with the next row.
const HEADER: RowNum = 3;

/// The heading above why figures are not exact.
const NOT_EXACT: &str = "* not exact";

/// What stands there.
fn doubts(row: &Row) -> String {
    match row.doubts() {
        doubts if doubts.is_empty() => String::new(),
        doubts => format!("* {}", doubts.join("; ")),
    }
}

/// Columns of a sheet of configurations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    Text(Column),
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

fn columns(report: &SweepReport) -> Vec<Shown> {
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
    (head.into_iter().map(Shown::Text))
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
    fn header(self, report: &SweepReport) -> String {
        match self {
            Shown::Text(column) | Shown::Input(column) | Shown::Number(column) => {
                column.entry().name.to_string()
            }
            Shown::Setting(position) => setting_name(&report.settings[position].name),
            Shown::Lambda => Column::Lambda.entry().name.to_string(),
            Shown::TimeCycles => Column::TimeUpperCycles.entry().name.to_string(),
            Shown::TimeSeconds => Column::TimeSeconds.entry().name.to_string(),
            Shown::Doubts => NOT_EXACT.to_string(),
        }
    }

    fn look(self) -> Look {
        match self {
            Shown::Text(_) | Shown::Doubts => Look::Text,
            Shown::TimeSeconds => Look::Seconds,
            Shown::Lambda => Look::Ratio,
            Shown::Number(_) | Shown::TimeCycles => Look::Count,
            Shown::Setting(_) | Shown::Input(_) => Look::Number,
        }
    }
}

/// The configurations on their sheet: of each input those of each latency together, the smallest first, so that the first of
/// the fastest is the smallest.
struct Configurations {
    columns: Vec<Shown>,
    /// Positions in the report, row by row.
    order: Vec<usize>,
}

impl Configurations {
    fn of(report: &SweepReport) -> Configurations {
        let order = report.inputs.iter().flat_map(|input| &input.groups);
        let order = order.flat_map(|group| {
            let mut own = group.configurations.clone();
            own.sort_by(|one, other| {
                let rows = [one, other].map(|number| &report.configurations[*number]);
                by_size(rows[0], rows[1], &report.settings)
            });
            own
        });
        Configurations {
            columns: columns(report),
            order: order.collect(),
        }
    }

    fn column(&self, shown: Shown) -> ColNum {
        let position = self.columns.iter().position(|column| *column == shown);
        position.unwrap_or(0) as ColNum
    }

    fn cell(&self, row: RowNum, shown: Shown) -> String {
        row_col_to_cell(row, self.column(shown))
    }

    /// A column of so many rows from `first` on, seen from another sheet.
    fn range(&self, (first, count): (usize, usize), column: ColNum) -> String {
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

/// The workbook of a sweep.
///
/// # Errors
/// More configurations than a sheet has rows.
pub fn sweep_workbook(report: &SweepReport) -> Result<Vec<u8>, XlsxError> {
    let mut workbook = Workbook::new();
    workbook.set_properties(&super::properties("A sweep over configurations")?);
    let configurations = Configurations::of(report);
    workbook.push_worksheet(best(report, &configurations)?);
    for maps in report
        .maps
        .chunk_by(|one, other| sheet_of(one, report) == sheet_of(other, report))
    {
        workbook.push_worksheet(sheet_of_maps(report, maps)?);
    }
    if !report.fronts.is_empty() {
        workbook.push_worksheet(front(report)?);
    }
    if !report.ranking.traces.is_empty() {
        workbook.push_worksheet(ranking(report)?);
    }
    workbook.push_worksheet(all(report, &configurations)?);
    package::finish(workbook)
}

fn begin(sheet: Sheet, title: &str, remark: &str) -> Result<Paper<()>, XlsxError> {
    let mut page = Paper::new(sheet, ())?;
    page.title(title)?;
    page.text(1, 0, remark, &style::remark())?;
    Ok(page)
}

fn finish(mut page: Paper<()>, last: RowNum, columns: usize) -> Result<Worksheet, XlsxError> {
    page.worksheet.set_freeze_panes(HEADER + 1, 1)?;
    if last > HEADER && columns > 0 {
        (page.worksheet).autofilter(HEADER, 0, last, columns as ColNum - 1)?;
    }
    page.worksheet.set_repeat_rows(HEADER, HEADER)?;
    style::print_setup(&mut page.worksheet);
    Ok(page.worksheet)
}

/// A heading, with room for what stands below.
fn head(page: &mut Paper<()>, column: ColNum, text: &str, look: Look) -> Result<(), XlsxError> {
    head_at(page, (HEADER, column), text, look)
}

fn head_at(
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
fn all(report: &SweepReport, configurations: &Configurations) -> Result<Worksheet, XlsxError> {
    let mut page = begin(
        Sheet::Configurations,
        "All configurations",
        "Latency, slots and clock may be changed: λ and times follow, and what is best on sheet Best.",
    )?;
    for (column, shown) in (0..).zip(&configurations.columns) {
        head(&mut page, column, &shown.header(report), shown.look())?;
    }
    let mut last = HEADER;
    for number in &configurations.order {
        last += 1;
        let row = &report.configurations[*number];
        for (column, shown) in (0..).zip(&configurations.columns) {
            write(&mut page, (last, column), *shown, (row, configurations))?;
        }
    }
    finish(page, last, configurations.columns.len())
}

fn write(
    page: &mut Paper<()>,
    (at, column): (RowNum, ColNum),
    shown: Shown,
    (row, configurations): (&Row, &Configurations),
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
            let formula = format!("{}/({}*1E+9)", cell(Shown::TimeCycles), input(Column::Ghz));
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

/// The fastest configuration of each input.
fn best(report: &SweepReport, configurations: &Configurations) -> Result<Worksheet, XlsxError> {
    let mut page = begin(
        Sheet::Best,
        "The best configuration of each input",
        &format!(
            "The least time on sheet Configurations, of equal ones that with the smallest area, and how much longer the worst takes. \
             Compared are machines, caches, slots, parameters of machines and blocks of loops, for the same problem (a trace, or a \
             source with its sizes) and latency of memory, which nobody chooses. A star says why a time is not exact: a lower bound \
             is no win over a full estimate.{}",
            match report.clocks.is_empty() {
                true => "",
                false =>
                    " Latencies are cycles of each machine's own clock, and clocks differ: the same cycles are another time.",
            }
        ),
    )?;
    let is_found = |shown: &&Shown| {
        let is_own = matches!(shown, Shown::Setting(_) | Shown::Input(_) | Shown::Doubts);
        (is_own || matches!(shown, Shown::Text(_))) && **shown != Shown::Text(Column::Input)
    };
    let found: Vec<Shown> = configurations
        .columns
        .iter()
        .filter(is_found)
        .copied()
        .collect();
    for (column, (text, look)) in (0..).zip([
        ("input", Look::Text),
        ("configurations", Look::Count),
        ("least time_seconds", Look::Seconds),
        ("worst / best", Look::Ratio),
    ]) {
        head(&mut page, column, text, look)?;
    }
    for (column, shown) in (4..).zip(&found) {
        head(&mut page, column, &shown.header(report), shown.look())?;
    }
    let mut at = HEADER;
    let mut first = 0;
    for input in &report.inputs {
        for group in &input.groups {
            at += 1;
            let rows = (first, group.configurations.len());
            first += rows.1;
            let count = rows.1 as f64;
            page.text(at, 0, &input.name, &style::cell(Look::Text, Role::Plain))?;
            page.number(at, 1, count, &style::cell(Look::Count, Role::Plain))?;
            if let Some(best) = group.best {
                let sheet = (report, configurations);
                best_of(&mut page, at, (group, best), rows, (sheet, &found))?;
            }
        }
    }
    for (input, error) in &report.failed {
        at += 1;
        let text = style::cell(Look::Text, Role::Plain);
        page.text(at, 0, input, &text)?;
        page.text(at, 4, &format!("not computed: {error}"), &text)?;
    }
    finish(page, at, 4 + found.len())
}

/// One row of the sheet: the best of the configurations in these rows.
fn best_of(
    page: &mut Paper<()>,
    at: RowNum,
    (group, best): (&Group, usize),
    rows: (usize, usize),
    ((report, configurations), found): ((&SweepReport, &Configurations), &[Shown]),
) -> Result<(), XlsxError> {
    let row = &report.configurations[best];
    let times = configurations.range(rows, configurations.column(Shown::TimeSeconds));
    let least = row.number(Column::TimeSeconds).unwrap_or(0.0);
    let own = group
        .configurations
        .iter()
        .map(|number| &report.configurations[*number]);
    let most = own.filter_map(|row| row.number(Column::TimeSeconds));
    let most = most.fold(0.0, f64::max);
    let looked = style::cell(Look::Seconds, Role::Plain);
    page.presentation(at, 2, &format!("MIN({times})"), &least.to_string(), &looked)?;
    let this = row_col_to_cell(at, 2);
    // Nothing takes no time, or everything does.
    let ratio = if least > 0.0 { most / least } else { 1.0 };
    let formula = format!("IF({this}=0,1,MAX({times})/{this})");
    let looked = style::cell(Look::Ratio, Role::Plain);
    page.presentation(at, 3, &formula, &ratio.to_string(), &looked)?;
    for (column, shown) in (4..).zip(found) {
        let cells = configurations.range(rows, configurations.column(*shown));
        let formula = format!("INDEX({cells},MATCH({this},{times},0))");
        let looked = style::cell(shown.look(), Role::Plain);
        let value = match shown {
            Shown::Text(of) => {
                if let Some(text) = row.text(*of) {
                    page.presented_text(at, column, &formula, text, &looked)?;
                }
                continue;
            }
            Shown::Doubts => {
                // An empty cell would be 0.
                let formula = format!("{formula}&\"\"");
                page.presented_text(at, column, &formula, &doubts(row), &looked)?;
                continue;
            }
            Shown::Setting(position) => row.setting(*position),
            Shown::Input(of) => row.number(*of),
            _ => None,
        };
        if let Some(value) = value {
            page.presentation(at, column, &formula, &value.to_string(), &looked)?;
        }
    }
    Ok(())
}
