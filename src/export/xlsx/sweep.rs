//! The workbook of a sweep: every configuration with its formulas, the best of each input, a map over two axes, what more
//! area buys, and which programs feel memory's latency most. With another latency or other slots times follow, and with
//! them what is best.

use rust_xlsxwriter::utility::{row_col_to_cell, row_col_to_cell_absolute};
use rust_xlsxwriter::{
    ColNum, ConditionalFormat3ColorScale, RowNum, Workbook, Worksheet, XlsxError,
};

use super::layout::Sheet;
use super::package;
use super::page::Paper;
use super::style::{self, Look, Role};
use crate::sweep::axis::{Axis, AxisValue};
use crate::sweep::columns::{Column, setting_name};
use crate::sweep::groups::Group;
use crate::sweep::map::{Map, MapOf};
use crate::sweep::report::SweepReport;
use crate::sweep::row::{Row, RowKind};

/// Headings stand here, what is below begins with the next row.
const HEADER: RowNum = 3;

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
        .chain([Shown::Lambda, Shown::TimeCycles, Shown::TimeSeconds])
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
        }
    }

    fn look(self) -> Look {
        match self {
            Shown::Text(_) => Look::Text,
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
        let area = |number: &usize| {
            let area = report.configurations[*number].number(Column::AreaMm2);
            area.unwrap_or(f64::INFINITY)
        };
        let order = report.inputs.iter().flat_map(|input| &input.groups);
        let order = order.flat_map(|group| {
            let mut own = group.configurations.clone();
            own.sort_by(|one, other| area(one).total_cmp(&area(other)));
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
        "The least time on sheet Configurations, of equal ones that with the smallest area, and how much longer the worst takes. Compared \
         are machines, caches, slots, parameters of machines and blocks of loops, for the same problem (a trace, or a source with its \
         sizes) and latency of memory, which nobody chooses.",
    )?;
    let is_found = |shown: &&Shown| {
        matches!(shown, Shown::Text(_) | Shown::Setting(_) | Shown::Input(_))
            && **shown != Shown::Text(Column::Input)
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

/// Where a map is.
fn sheet_of(map: &Map, report: &SweepReport) -> Sheet {
    match map.of {
        MapOf::Time {
            of: RowKind::Program,
            ..
        } if report.counts.runs > 0 => Sheet::MapOfSources,
        MapOf::Time { .. } => Sheet::Map,
        MapOf::Epochs(_) => Sheet::MapOfEpochs,
    }
}

/// Maps of one kind, one below the other.
fn sheet_of_maps(report: &SweepReport, maps: &[Map]) -> Result<Worksheet, XlsxError> {
    let mut page = Paper::new(sheet_of(&maps[0], report), ())?;
    page.title(&format!("{} over two axes", maps[0].title()))?;
    let mut above = 0;
    for shown in maps {
        above = map(&mut page, report, shown, above)? + 3;
    }
    page.worksheet.set_freeze_panes(HEADER + 1, 1)?;
    style::print_setup(&mut page.worksheet);
    Ok(page.worksheet)
}

/// A figure over two axes, in colour, below row `above`; returns its last row.
fn map(
    page: &mut Paper<()>,
    report: &SweepReport,
    map: &Map,
    above: RowNum,
) -> Result<RowNum, XlsxError> {
    let settings = &report.settings;
    let header = above + HEADER;
    let name = |axis: Axis| axis.name(settings);
    page.text(above + 1, 0, &map.meaning(settings), &style::remark())?;
    page.text(header - 1, 1, &name(map.across), &style::remark())?;
    head_at(page, (header, 0), &name(map.down), Look::Text)?;
    for (column, label) in (1..).zip(map.across.labels(&map.columns, settings)) {
        head_at(page, (header, column), &label, Look::Ratio)?;
    }
    let mut at = header;
    let labels = map.down.labels(&map.rows, settings);
    for ((value, label), figures) in map.rows.iter().zip(&labels).zip(&map.values) {
        at += 1;
        let (number, text) = (Look::Number, style::cell(Look::Text, Role::Plain));
        match value {
            AxisValue::Number(value) if value.to_string() == *label => {
                page.number(at, 0, *value, &style::cell(number, Role::Plain))?;
            }
            _ => page.text(at, 0, label, &text)?,
        }
        for (column, figure) in (1..).zip(figures) {
            if let Some(figure) = figure {
                let looked = style::cell(Look::Ratio, Role::Plain);
                page.number(at, column, *figure, &looked)?;
            }
        }
    }
    if at > header {
        let scale = ConditionalFormat3ColorScale::new()
            .set_minimum_color(style::GOOD)
            .set_midpoint_color(style::FAIR)
            .set_maximum_color(style::BAD);
        let last = map.columns.len() as ColNum;
        (page.worksheet).add_conditional_format(header + 1, 1, at, last, &scale)?;
    }
    Ok(at)
}

/// Columns of a sheet that are copied from rows of the data set.
type Copied = (Column, Look);

const FRONT: [Copied; 10] = [
    (Column::Input, Look::Text),
    (Column::Machine, Look::Text),
    (Column::Caches, Look::Text),
    (Column::AreaMm2, Look::Ratio),
    (Column::LatencyCycles, Look::Number),
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

/// What no other configuration beats, as it was computed.
fn front(report: &SweepReport) -> Result<Worksheet, XlsxError> {
    let mut page = begin(
        Sheet::Front,
        "What more area buys",
        "Of each input the configurations that no other one at the same latency beats in both time and area.",
    )?;
    heads(&mut page, 0, &FRONT)?;
    let mut at = HEADER;
    for number in &report.fronts {
        at += 1;
        copy(&mut page, (at, 0), &FRONT, &report.configurations[*number])?;
    }
    finish(page, at, FRONT.len())
}

/// What feels latency most, as it was computed.
fn ranking(report: &SweepReport) -> Result<Worksheet, XlsxError> {
    let title = "Which programs feel memory's latency most";
    let mut page = begin(Sheet::Ranking, title, report.ranking.by.meaning())?;
    let input = [(Column::Input, Look::Text)];
    let (epochs, run) = RANKED;
    heads(&mut page, 0, &input)?;
    heads(&mut page, 1, &epochs)?;
    heads(&mut page, 1 + epochs.len() as ColNum, &run)?;
    let mut at = HEADER;
    for trace in &report.ranking.traces {
        at += 1;
        let row = &report.configurations[trace.configuration];
        copy(&mut page, (at, 0), &input, row)?;
        if let Some(counted) = &trace.epochs {
            copy(&mut page, (at, 1), &epochs, counted)?;
        }
        copy(&mut page, (at, 1 + epochs.len() as ColNum), &run, row)?;
    }
    finish(page, at, 1 + epochs.len() + run.len())
}
