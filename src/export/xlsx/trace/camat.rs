//! The sheet C-AMAT: counted sums, what follows from them as formulas, and the identities side by side.

use rust_xlsxwriter::utility::row_col_to_cell;
use rust_xlsxwriter::{RowNum, XlsxError};

use super::super::layout::{Place, Sheet};
use super::super::page::Paper;
use super::super::style::{self, Look, Role};
use super::scope::Scope;
use super::{Named, inputs};
use crate::expr::Expr;
use crate::formula::{Catalogue, Unit};
use crate::metrics::camat::formulas::{LevelFigure, ProgramFigure};
use crate::metrics::camat::identities::identity_formulas;
use crate::metrics::camat::{Camat, Figures, matching};

const VALUE: u16 = 2;
/// Each input with its smallest and largest value.
const INPUTS: [(ProgramFigure, (f64, f64)); 4] = [
    (ProgramFigure::Instructions, (1.0, 1e15)),
    (ProgramFigure::CpiExe, (1e-6, 1e6)),
    (ProgramFigure::HartCycles, (1.0, 1e15)),
    (ProgramFigure::StallTarget, (1e-8, 1e4)),
];

struct Book<'a> {
    camat: &'a Camat,
    figures: Figures,
    names: Vec<(String, Place)>,
    scope: Scope,
}

type Page<'a> = Paper<Book<'a>>;

impl Named for Book<'_> {
    fn names(&mut self) -> (&mut Vec<(String, Place)>, &mut Scope) {
        (&mut self.names, &mut self.scope)
    }
}

/// The sheet; `band` is what there is to say of how far a CPI may be off.
pub(super) fn write<'a>(
    camat: &'a Camat,
    path: &str,
    band: Option<&str>,
) -> Result<Paper<impl Named + use<'a>>, XlsxError> {
    let book = Book {
        camat,
        figures: Figures::of(camat),
        names: Vec::new(),
        scope: Scope::default(),
    };
    let mut page = Page::new(Sheet::Camat, book)?;
    page.title("C-AMAT: what concurrency hides of the time of accesses")?;
    let harts = if camat.harts == 1 {
        "1 hart".to_string()
    } else {
        format!("{} harts", camat.harts)
    };
    let summary = format!(
        "{path}: cycles {} to {} of {harts}",
        camat.run.0, camat.run.1
    );
    page.text(1, 0, &summary, &style::cell(Look::Text, Role::Plain))?;
    page.text(2, 0, "Input", &style::cell(Look::Text, Role::Input))?;
    page.text(
        2,
        1,
        "Cells of this colour are inputs; everything derived is a formula over them.",
        &style::remark(),
    )?;
    widths(&mut page)?;
    if let Some(band) = band {
        page.text(3, 0, &format!("CPI_exe: {band}."), &style::remark())?;
    }
    let mut row = write_inputs(&mut page, 4)? + 1;
    let (programs, levels) = (row, row + ProgramFigure::derived().count() as RowNum + 3);
    name_cells(&mut page, programs, levels);
    row = write_program(&mut page, programs)? + 1;
    debug_assert_eq!(row, levels);
    row = write_levels(&mut page, levels)? + 1;
    write_identities(&mut page, row)?;
    page.worksheet.set_freeze_panes(1, 0)?;
    page.worksheet.set_repeat_rows(0, 0)?;
    style::print_setup(&mut page.worksheet);
    Ok(page)
}

fn widths(page: &mut Page) -> Result<(), XlsxError> {
    let levels = page.book.camat.levels.len() as u16;
    page.worksheet.set_column_width(0, 50)?;
    page.worksheet.set_column_width(1, 13)?;
    for column in VALUE..VALUE + levels.max(4) + 3 {
        page.worksheet.set_column_width(column, 16)?;
    }
    Ok(())
}

fn write_inputs(page: &mut Page, row: RowNum) -> Result<RowNum, XlsxError> {
    let headers = ["Input", "Symbol", "Value", "Unit", "Name", "Allowed"];
    let first = page.section(row, "Inputs: change one and everything follows", headers)?;
    for (row, (figure, range)) in (first..).zip(INPUTS) {
        let entry = figure.entry();
        for (column, text) in [
            (0, entry.meaning),
            (1, entry.symbol),
            (3, entry.unit.symbol()),
            (4, entry.name),
        ] {
            page.text(row, column, text, &style::cell(Look::Text, Role::Plain))?;
        }
        let value = page.book.figures.get(figure);
        inputs::write_input(page, row, (entry.name, entry.meaning), value, range)?;
    }
    Ok(first + INPUTS.len() as RowNum)
}

/// Says where every figure will be, as figures of the program and of levels name each other.
fn name_cells(page: &mut Page, programs: RowNum, levels: RowNum) {
    let Book {
        camat,
        figures,
        scope,
        ..
    } = &mut page.book;
    for (row, figure) in (programs + 2..).zip(ProgramFigure::derived()) {
        scope.cell(figure.entry().name, (row, VALUE), figures.get(figure));
    }
    for (row, figure) in (levels + 2..).zip(LevelFigure::ALL) {
        for (level, column) in (1..=camat.levels.len()).zip(VALUE..) {
            let name = figure.name_at(level);
            scope.cell(&name, (row, column), figures.at(*figure, level));
        }
    }
}

fn write_program(page: &mut Page, row: RowNum) -> Result<RowNum, XlsxError> {
    let first = page.section(
        row,
        "The program",
        ["Figure", "Symbol", "Value", "Unit", "Source", "Formula"],
    )?;
    let plain = style::cell(Look::Text, Role::Plain);
    for (row, figure) in (first..).zip(ProgramFigure::derived()) {
        let Some(expr) = figure.expr() else { continue };
        let (entry, printed) = (figure.entry(), page.book.figures.text(&expr));
        let source = entry.source.to_string();
        let texts = [
            (0, entry.meaning),
            (1, entry.symbol),
            (3, entry.unit.symbol()),
            (4, &source),
            (5, &printed),
        ];
        for (column, text) in texts {
            page.text(row, column, text, &plain)?;
        }
        derived(page, (row, VALUE), &expr)?;
    }
    Ok(first + ProgramFigure::derived().count() as RowNum)
}

fn derived(page: &mut Page, cell: (RowNum, u16), expr: &Expr) -> Result<(), XlsxError> {
    let scope = page.book.scope.clone();
    let look = look(scope.value(expr));
    page.live(cell, expr, &scope, look)?;
    Ok(())
}

/// Rates may be small.
fn look(value: Option<f64>) -> Look {
    match value {
        Some(value) if value != 0.0 && value.abs() < 1e-3 => Look::Seconds,
        value => super::look(Unit::Ratio, value),
    }
}

fn write_levels(page: &mut Page, row: RowNum) -> Result<RowNum, XlsxError> {
    let names: Vec<String> = page
        .book
        .camat
        .levels
        .iter()
        .map(|level| level.name.clone())
        .collect();
    let unit = VALUE + names.len() as u16;
    page.text(
        row,
        0,
        "Levels: counted cycle by cycle, and what follows",
        &style::section(),
    )?;
    let headers = ["Figure", "Symbol"]
        .into_iter()
        .chain(names.iter().map(String::as_str));
    for (column, header) in (0..).zip(headers.chain(["Unit", "Source", "Formula"])) {
        page.text(row + 1, column, header, &style::header())?;
    }
    page.worksheet.set_row_height(row + 1, 20)?;
    let plain = style::cell(Look::Text, Role::Plain);
    let mut row = row + 2;
    for figure in LevelFigure::ALL {
        let entry = figure.entry();
        // The target is over all levels before, and another formula at each.
        let deepest = figure.expr(names.len());
        let printed = match (figure, &deepest) {
            (_, None) => String::new(),
            (LevelFigure::LpmrTarget, Some(expr)) => page.book.figures.text(expr),
            (_, Some(expr)) => page.book.figures.text_of_any_level(expr),
        };
        let source = entry.source.to_string();
        let texts = [
            (0, entry.meaning),
            (1, entry.symbol),
            (unit, entry.unit.symbol()),
            (unit + 1, &source),
        ];
        for (column, text) in texts {
            page.text(row, column, text, &plain)?;
        }
        if deepest.is_some() {
            page.text(row, unit + 2, &printed, &plain)?;
        }
        for (level, column) in (1..=names.len()).zip(VALUE..) {
            match figure.expr(level) {
                Some(expr) => derived(page, (row, column), &expr)?,
                None => write_count(page, (row, column), *figure, level)?,
            }
        }
        row += 1;
    }
    write_verdicts(page, row)
}

fn write_count(
    page: &mut Page,
    (row, column): (RowNum, u16),
    figure: LevelFigure,
    level: usize,
) -> Result<(), XlsxError> {
    let count = figure.count(&page.book.camat.levels[level - 1]);
    match count {
        Some(count) => {
            let style = style::cell(Look::Count, Role::Plain);
            page.number(row, column, count as f64, &style)
        }
        None => {
            let style = style::cell(Look::Number, Role::Unknown);
            page.text(row, column, "unknown", &style)
        }
    }
}

/// Whether each level meets its target, as a formula over the two rows above.
fn write_verdicts(page: &mut Page, row: RowNum) -> Result<RowNum, XlsxError> {
    page.text(
        row,
        0,
        "Does the level meet its target?",
        &style::cell(Look::Text, Role::Plain),
    )?;
    let matches = matching::matches(page.book.camat, &page.book.figures);
    for (index, column) in (0..page.book.camat.levels.len()).zip(VALUE..) {
        let format = style::cell(Look::Number, Role::Plain);
        match matches.get(index) {
            None => page.text(
                row,
                column,
                "unknown",
                &style::cell(Look::Number, Role::Unknown),
            )?,
            Some(found) => {
                let (ratio, target) = (
                    row_col_to_cell(row - 2, column),
                    row_col_to_cell(row - 1, column),
                );
                let formula = format!("IF({ratio}<={target},\"meets\",\"misses\")");
                let shown = if found.meets() { "meets" } else { "misses" };
                page.presented_text(row, column, &formula, shown, &format)?;
            }
        }
    }
    Ok(row + 1)
}

fn write_identities(page: &mut Page, row: RowNum) -> Result<(), XlsxError> {
    let headers = [
        "Identity (Liu, Espina, Sun 2021)",
        "Level",
        "Left",
        "Right",
        "Difference",
        "To 1e-12",
        "Left = right",
    ];
    let first = page.section(row, "What must agree", headers)?;
    let plain = style::cell(Look::Text, Role::Plain);
    let formulas = identity_formulas(page.book.camat);
    for (row, identity) in (first..).zip(&formulas) {
        page.text(row, 0, identity.name, &plain)?;
        let level = page.book.camat.levels[identity.level - 1].name.clone();
        page.text(row, 1, &level, &plain)?;
        let scope = page.book.scope.clone();
        let mut values = [None; 2];
        for (index, side) in [&identity.left, &identity.right].into_iter().enumerate() {
            let look = look(scope.value(side));
            values[index] = page.live((row, VALUE + index as u16), side, &scope, look)?;
        }
        if let [Some(left), Some(right)] = values {
            let (a, b) = (row_col_to_cell(row, VALUE), row_col_to_cell(row, VALUE + 1));
            let difference = (left - right).to_string();
            page.presentation(
                row,
                VALUE + 2,
                &format!("{a}-{b}"),
                &difference,
                &style::cell(Look::Seconds, Role::Plain),
            )?;
            let agree = (left - right).abs() <= 1e-12 * left.abs().max(right.abs());
            let formula =
                format!("IF(ABS({a}-{b})<=1E-12*MAX(ABS({a}),ABS({b})),\"equal\",\"differs\")");
            let shown = if agree { "equal" } else { "differs" };
            page.presented_text(
                row,
                VALUE + 3,
                &formula,
                shown,
                &style::cell(Look::Number, Role::Plain),
            )?;
        } else {
            page.text(
                row,
                VALUE + 3,
                "not defined here",
                &style::cell(Look::Number, Role::Unknown),
            )?;
        }
        let printed = format!(
            "{} = {}",
            page.book.figures.text(&identity.left),
            page.book.figures.text(&identity.right)
        );
        page.text(row, VALUE + 4, &printed, &plain)?;
    }
    Ok(())
}
