//! The sheet Design space: for every number of cores and capacity of the last-level cache the best window
//! that fits, as text over the colour of the instructions per cycle that all cores retire together.

use rust_xlsxwriter::utility::{row_col_to_cell, row_col_to_cell_absolute};
use rust_xlsxwriter::{
    ColNum, ConditionalFormatFormula, Format, FormatAlign, FormatBorder, RowNum, XlsxError,
};

use super::super::inputs::write_value;
use super::super::layout::Sheet;
use super::super::page::Paper;
use super::super::style::{self, Look, Role};
use super::book::Named;
use super::epochs::Tables;
use super::inputs;
use super::scope::Scope;
use crate::metrics::design_space::{self as model, CORES, NO_BOUND, SLIPS};
use crate::metrics::out_of_order::CPI_OVER_CHAMPSIM;
use crate::metrics::report::Epochs;
use crate::quantity::binary_size;

/// First column of the tables' values.
const FIRST: ColNum = 2;
/// Blues from light to dark, with the colour of text that is read on each.
const STEPS: [(u32, u32); 8] = [
    (0xF7FBFF, 0x1F2A37),
    (0xDEEBF7, 0x1F2A37),
    (0xC6DBEF, 0x1F2A37),
    (0x9ECAE1, 0x1F2A37),
    (0x6BAED6, 0x000000),
    (0x2F7EBC, 0xFFFFFF),
    (0x08519C, 0xFFFFFF),
    (0x08306B, 0xFFFFFF),
];
/// In place of a window where not even the smallest fits.
const NOTHING_FITS: &str = "–";

/// The counts that the space is made of.
pub(super) struct Space<'a> {
    /// What every core runs, in words.
    pub like: &'static str,
    pub windows: &'a [u32],
    pub capacities: &'a [u64],
    /// Bytes of a line.
    pub line: u64,
    /// Instructions that the epochs and lines are of.
    pub instructions: f64,
    /// By capacity, then window.
    pub epochs: Vec<Vec<Option<f64>>>,
    /// Lines fetched, by capacity.
    pub off_chip: Vec<Option<f64>>,
}

impl Space<'_> {
    /// Of one trace.
    pub fn of(profile: &Epochs) -> Space<'_> {
        let known = |counts: &Vec<u64>| counts.iter().map(|count| Some(*count as f64)).collect();
        Space {
            like: "the trace",
            windows: &profile.windows,
            capacities: &profile.capacities,
            line: profile.line,
            instructions: profile.instructions as f64,
            epochs: profile.epochs.iter().map(known).collect(),
            off_chip: known(&profile.off_chip),
        }
    }
}

/// First rows of the values of each table.
struct Rows {
    map: RowNum,
    ipc: RowNum,
    window: RowNum,
    /// Area and base CPI, a column a window.
    cores: RowNum,
    cpi: RowNum,
    capacities: RowNum,
}

/// Columns of the table of CPIs before the windows.
const LLC_AREA: ColNum = 2;
const BOUND: ColNum = 3;
const CPI: ColNum = 4;

impl Rows {
    fn new(map: RowNum, capacities: RowNum) -> Rows {
        // Title, headings, and a line between tables.
        let height = capacities + 3;
        let ipc = map + height + 1;
        let window = ipc + height;
        let cores = window + height;
        Rows {
            map,
            ipc,
            window,
            cores,
            cpi: cores + 5,
            capacities,
        }
    }

    /// The row of a capacity in a table that begins there: the largest is on top.
    fn of(&self, first: RowNum, capacity: usize) -> RowNum {
        first + self.capacities - 1 - capacity as RowNum
    }
}

pub(super) fn write<B: Named>(
    book: B,
    profile: &Space<'_>,
    tables: &Tables,
) -> Result<Paper<B>, XlsxError> {
    let mut page = Paper::new(Sheet::DesignSpace, book)?;
    page.title("Design space: cores, windows and cache that fit on one processor")?;
    let remark = format!(
        "Every core runs a thread like {} (Carlson, Nilakantan, Hempstead, Heirman, \"Epoch Profiles\", Table 1). Change a \
         constant, or a number of cores in the map, and everything follows.",
        profile.like
    );
    page.text(1, 0, &remark, &style::remark())?;
    page.text(2, 0, &band(), &style::remark())?;
    page.worksheet.set_column_width(0, 42)?;
    page.worksheet.set_column_width(1, 14)?;
    let columns = (CPI + profile.windows.len() as ColNum).max(FIRST + CORES.len() as ColNum);
    for column in FIRST..columns {
        let width = if column == 4 {
            19.0
        } else if column < 6 {
            13.0
        } else {
            10.0
        };
        page.worksheet.set_column_width(column, width)?;
    }
    page.book.names().1.set(
        "instructions",
        "epoch_instructions".to_string(),
        Some(profile.instructions),
    );
    let row = write_constants(&mut page, profile)?;
    let row = write_notes(&mut page, row)?;
    let rows = Rows::new(row + 2, profile.capacities.len() as RowNum);
    let scope = write_cores(&mut page, &rows, profile)?;
    let bounds = write_cpis(&mut page, &rows, profile, tables, &scope)?;
    write_best(&mut page, &rows, profile, bounds)?;
    page.worksheet.set_page_breaks(&[rows.window - 2])?;
    style::print_setup(&mut page.worksheet);
    Ok(page)
}

/// What is known of how far a CPI is off.
fn band() -> String {
    let (least, most) = CPI_OVER_CHAMPSIM;
    format!(
        "Every CPI here, and IPC from it, is by the formulas of that paper, which nothing simulates: compare configurations, not \
         values. The core of C-AMAT, which runs each instruction, had {least} to {most} times the CPI of ChampSim over 57 traces, so \
         that a CPI x stands for x/{most} to x/{least} there, and here for no less."
    )
}

fn write_constants<B: Named>(
    page: &mut Paper<B>,
    profile: &Space<'_>,
) -> Result<RowNum, XlsxError> {
    let headers = ["Constant", "Symbol", "Value", "Unit", "Name", "Allowed"];
    let first = page.section(3, "Constants: change one and everything follows", headers)?;
    let constants = model::constants(profile.line);
    for (row, constant) in (first..).zip(constants) {
        let name = constant.name;
        for (column, text) in [
            (0, name.label),
            (1, name.symbol),
            (3, name.unit),
            (4, name.key),
        ] {
            page.text(row, column, text, &style::cell(Look::Text, Role::Plain))?;
        }
        inputs::write_input(
            page,
            row,
            (name.key, name.label),
            Some(constant.value),
            constant.range,
        )?;
    }
    Ok(first + constants.len() as RowNum + 1)
}

fn write_notes<B: Named>(page: &mut Paper<B>, row: RowNum) -> Result<RowNum, XlsxError> {
    page.text(
        row,
        0,
        "Where the paper cannot be meant as printed",
        &style::section(),
    )?;
    for (row, note) in (row + 1..).zip(SLIPS) {
        page.text(row, 0, note, &style::cell(Look::Text, Role::Plain))?;
    }
    Ok(row + SLIPS.len() as RowNum + 2)
}

/// Area and base CPI of a core with each window; their cells and values by name.
fn write_cores<B: Named>(
    page: &mut Paper<B>,
    rows: &Rows,
    profile: &Space<'_>,
) -> Result<Scope, XlsxError> {
    let first = page.section(rows.cores - 2, "Cores", ["Window W [instructions]"])?;
    for (row, label) in (first..).zip([
        "Area of a core [mm²]",
        "Base CPI: ½·√(160/W) [cycles per instruction]",
    ]) {
        page.text(row, 0, label, &style::cell(Look::Text, Role::Plain))?;
    }
    let mut all = page.book.names().1.clone();
    for (index, window) in profile.windows.iter().enumerate() {
        let column = CPI + index as ColNum;
        page.number(first - 1, column, f64::from(*window), &style::header())?;
        let mut scope = page.book.names().1.clone();
        scope.cell("window", (first - 1, column), Some(f64::from(*window)));
        let area = page.live((first, column), &model::core_area(), &scope, Look::Ratio)?;
        let base = page.live((first + 1, column), &model::base_cpi(), &scope, Look::Ratio)?;
        all.set(
            &model::of_window(index)[0],
            row_col_to_cell_absolute(first, column),
            area,
        );
        all.set(
            &base_name(index),
            row_col_to_cell_absolute(first + 1, column),
            base,
        );
    }
    Ok(all)
}

fn base_name(window: usize) -> String {
    format!("base_cpi_{window}")
}

/// What each capacity costs and allows, and the CPI of a core with each window; one scope a capacity.
fn write_cpis<B: Named>(
    page: &mut Paper<B>,
    rows: &Rows,
    profile: &Space<'_>,
    tables: &Tables,
    cores: &Scope,
) -> Result<Vec<Scope>, XlsxError> {
    let headers = [
        "Capacity of the last-level cache",
        "[B]",
        "Its area [mm²]",
        "Bandwidth bound [IPC]",
    ];
    let (least, most) = CPI_OVER_CHAMPSIM;
    let title = format!(
        "CPI of a core [cycles per instruction]: base CPI + e/I·t_mem·freq; x stands for x/{most} to x/{least} or more"
    );
    page.section(rows.cpi - 2, &title, headers)?;
    for (column, window) in (CPI..).zip(profile.windows) {
        page.number(rows.cpi - 1, column, f64::from(*window), &style::header())?;
    }
    let mut scopes = Vec::new();
    for (capacity, bytes) in profile.capacities.iter().enumerate() {
        let row = rows.of(rows.cpi, capacity);
        page.text(
            row,
            0,
            &binary_size(*bytes),
            &style::cell(Look::Text, Role::Plain),
        )?;
        page.number(
            row,
            1,
            *bytes as f64,
            &style::cell(Look::Count, Role::Plain),
        )?;
        let mut scope = cores.clone();
        scope.cell("capacity", (row, 1), Some(*bytes as f64));
        scope.set(
            "off_chip",
            tables.off_chip(capacity),
            profile.off_chip[capacity],
        );
        let area = page.live((row, LLC_AREA), &model::llc_area(), &scope, Look::Ratio)?;
        let bound = page.live((row, BOUND), &model::bandwidth_ipc(), &scope, Look::Ratio)?;
        scope.set("llc_area", fixed_column(row, LLC_AREA), area);
        scope.set("bandwidth_ipc", fixed_column(row, BOUND), bound);
        for (index, epochs) in profile.epochs[capacity].iter().enumerate() {
            let column = CPI + index as ColNum;
            let mut own = scope.clone();
            let base = own.value(&crate::expr::Expr::symbol(&base_name(index)));
            own.set(
                "base_cpi",
                row_col_to_cell_absolute(rows.cores + 1, column),
                base,
            );
            own.set("epochs", tables.epochs(capacity, index), *epochs);
            let cpi = page.live((row, column), &model::core_cpi(), &own, Look::Ratio)?;
            scope.set(&model::of_window(index)[1], fixed_column(row, column), cpi);
        }
        scopes.push(scope);
    }
    Ok(scopes)
}

/// `$C7`.
fn fixed_column(row: RowNum, column: ColNum) -> String {
    format!("${}", row_col_to_cell(row, column))
}

/// The map, and the tables behind it.
fn write_best<B: Named>(
    page: &mut Paper<B>,
    rows: &Rows,
    profile: &Space<'_>,
    scopes: Vec<Scope>,
) -> Result<(), XlsxError> {
    let titles = [
        (
            rows.map,
            "Best window, over the colour of the instructions per cycle of all cores (darker is more)",
        ),
        (rows.ipc, "Instructions per cycle of all cores together"),
        (
            rows.window,
            "Smallest window that reaches it, 0 where nothing fits",
        ),
    ];
    let last = FIRST + CORES.len() as ColNum - 1;
    for (first, title) in titles {
        page.section(
            first - 2,
            title,
            ["Capacity of the last-level cache \\ cores N", "[B]"],
        )?;
        for (column, cores) in (FIRST..).zip(CORES) {
            if first == rows.map {
                write_value(
                    page,
                    (first - 1, column),
                    Some(f64::from(cores)),
                    Look::Number,
                    Role::Input,
                )?;
            } else {
                let reference = row_col_to_cell_absolute(rows.map - 1, column);
                page.presentation(
                    first - 1,
                    column,
                    &reference,
                    &cores.to_string(),
                    &style::header(),
                )?;
            }
        }
        for (capacity, bytes) in profile.capacities.iter().enumerate() {
            let row = rows.of(first, capacity);
            page.text(
                row,
                0,
                &binary_size(*bytes),
                &style::cell(Look::Text, Role::Plain),
            )?;
            page.number(
                row,
                1,
                *bytes as f64,
                &style::cell(Look::Count, Role::Plain),
            )?;
        }
    }
    let legend = format!(
        "b: bound by bandwidth; c: by what the cores compute; {NOTHING_FITS}: nothing fits. A larger window than the one shown takes \
         area and gives nothing. A bandwidth bound of {NO_BOUND:e} stands for no access outside the cache."
    );
    page.text(rows.map + rows.capacities, 0, &legend, &style::remark())?;
    for (capacity, scope) in scopes.iter().enumerate() {
        for (column, cores) in (FIRST..).zip(CORES) {
            let mut scope = scope.clone();
            let heading = row_col_to_cell_absolute(rows.map - 1, column);
            scope.set("cores", heading, Some(f64::from(cores)));
            write_pair(page, rows, profile, (capacity, column), scope)?;
        }
    }
    colour(page, rows, last)
}

/// One number of cores with one capacity.
fn write_pair<B: Named>(
    page: &mut Paper<B>,
    rows: &Rows,
    profile: &Space<'_>,
    (capacity, column): (usize, ColNum),
    mut scope: Scope,
) -> Result<(), XlsxError> {
    let cell = |first| (rows.of(first, capacity), column);
    let best = page.live(
        cell(rows.ipc),
        &model::best_ipc(profile.windows.len()),
        &scope,
        Look::Ratio,
    )?;
    scope.cell("best_ipc", cell(rows.ipc), best);
    let window = page.live(
        cell(rows.window),
        &model::best_window(profile.windows),
        &scope,
        Look::Number,
    )?;
    let bound = scope.value(&crate::expr::Expr::symbol("bandwidth_ipc"));
    let is_bound = best.zip(bound).is_some_and(|(best, bound)| best >= bound);
    let shown = match window {
        Some(window) if window > 0.0 => format!("{window} {}", if is_bound { "b" } else { "c" }),
        _ => NOTHING_FITS.to_string(),
    };
    let name = |(row, column)| row_col_to_cell(row, column);
    let (window, ipc) = (name(cell(rows.window)), name(cell(rows.ipc)));
    let bound = fixed_column(rows.of(rows.cpi, capacity), BOUND);
    let formula =
        format!("IF({window}=0,\"{NOTHING_FITS}\",{window}&IF({ipc}>={bound},\" b\",\" c\"))");
    let format = style::cell(Look::Text, Role::Plain)
        .set_indent(0)
        .set_align(FormatAlign::Center)
        .set_border(FormatBorder::Thin)
        .set_border_color(0xFFFFFF);
    let (row, column) = cell(rows.map);
    page.presented_text(row, column, &formula, &shown, &format)
}

/// Cells of the map are coloured by the IPC behind them.
fn colour<B: Named>(page: &mut Paper<B>, rows: &Rows, last: ColNum) -> Result<(), XlsxError> {
    let bottom = rows.capacities - 1;
    let all = format!(
        "{}:{}",
        row_col_to_cell_absolute(rows.ipc, FIRST),
        row_col_to_cell_absolute(rows.ipc + bottom, last)
    );
    for first in [rows.map, rows.ipc] {
        for (index, (fill, ink)) in STEPS.iter().enumerate().rev() {
            let cell = row_col_to_cell(rows.ipc, FIRST);
            let share = index as f64 / STEPS.len() as f64;
            let rule = format!("=AND({cell}>0,{cell}>={share}*MAX({all}))");
            let format = Format::new()
                .set_background_color(*fill)
                .set_font_color(*ink);
            let step = ConditionalFormatFormula::new()
                .set_rule(rule.as_str())
                .set_format(format)
                .set_stop_if_true(true);
            page.worksheet
                .add_conditional_format(first, FIRST, first + bottom, last, &step)?;
        }
    }
    Ok(())
}
