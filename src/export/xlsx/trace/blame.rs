//! The sheet Blame: who causes pure miss cycles and epochs, with shares and sums as formulas.

use rust_xlsxwriter::{RowNum, XlsxError};

use super::super::layout::{Sheet, column_range};
use super::super::page::UNKNOWN;
use super::super::style::{self, Look, Role};
use super::{Page, TraceBook};
use crate::metrics::blame::{Blame, Units};
use crate::metrics::tables;
use crate::regions::SourceLine;

/// One row.
struct Part {
    what: String,
    place: Option<SourceLine>,
    object: Option<String>,
    units: Units,
}

const CYCLES: u16 = 1;
const EPOCHS: u16 = 3;

pub(super) fn write<'a>(book: TraceBook<'a>, blame: &Blame) -> Result<Page<'a>, XlsxError> {
    const WIDTHS: [f64; 8] = [52.0, 16.0, 11.0, 14.0, 11.0, 26.0, 9.0, 40.0];
    let mut page = Page::new(Sheet::Blame, book)?;
    page.title("Blame: what causes the actual cost of misses")?;
    let remark = format!(
        "A pure miss cycle of the nearest level goes to the oldest outstanding miss; an epoch (window {}, at most {} misses) to what \
         retirement waits for. So parts add up.",
        blame.window, blame.slots
    );
    page.text(1, 0, &remark, &style::remark())?;
    for (column, width) in (0..).zip(WIDTHS) {
        page.worksheet.set_column_width(column, width)?;
    }
    let has_core = blame.pure_miss_cycles.is_some();
    let lines = blame.lines.iter().map(|line| Part {
        what: line
            .function
            .clone()
            .unwrap_or_else(|| "no line known".into()),
        place: line.place.clone(),
        object: None,
        units: line.units,
    });
    let mut row = table(&mut page, 3, "By source line", lines.collect(), has_core)?;
    let objects = blame.objects.iter().map(|object| Part {
        what: object.name.clone().unwrap_or_else(|| UNKNOWN.into()),
        place: None,
        object: None,
        units: object.units,
    });
    row = table(
        &mut page,
        row,
        "By what was accessed",
        objects.collect(),
        has_core,
    )?;
    let instructions = blame.instructions.iter().map(|own| {
        let pc = own.pc.map(|pc| format!("{pc:#x} ")).unwrap_or_default();
        Part {
            what: format!("{pc}{}", own.text),
            place: own.place.clone(),
            object: own.object.clone(),
            units: own.units,
        }
    });
    table(
        &mut page,
        row,
        "By instruction",
        instructions.collect(),
        has_core,
    )?;
    page.worksheet.set_freeze_panes(1, 0)?;
    page.worksheet.set_repeat_rows(0, 0)?;
    style::print_setup(&mut page.worksheet);
    Ok(page)
}

/// The parts and their sum; returns the row for what follows.
fn table(
    page: &mut Page,
    row: RowNum,
    title: &str,
    parts: Vec<Part>,
    has_core: bool,
) -> Result<RowNum, XlsxError> {
    let headers = [
        "What",
        "Pure miss cycles",
        "Share",
        "Epochs",
        "Share",
        "Accesses",
        "Line",
        "File",
    ];
    let first = page.section(row, title, headers)?;
    let end = first + parts.len() as RowNum;
    let plain = style::cell(Look::Text, Role::Plain);
    let count = style::cell(Look::Count, Role::Plain);
    let mut scope = page.book.scope.clone();
    let sum = |units: fn(&Units) -> u64| parts.iter().map(|part| units(&part.units)).sum::<u64>();
    let totals = [
        (CYCLES, sum(|units| units.pure_miss_cycles)),
        (EPOCHS, sum(|units| units.epochs)),
    ];
    for (row, part) in (first..).zip(&parts) {
        page.text(row, 0, &part.what, &plain)?;
        if let Some(object) = &part.object {
            page.text(row, 5, object, &plain)?;
        }
        if let Some(SourceLine { file, line }) = &part.place {
            page.number(
                row,
                6,
                f64::from(*line),
                &style::cell(Look::Number, Role::Plain),
            )?;
            page.text(row, 7, file, &plain)?;
        }
        let units = [part.units.pure_miss_cycles, part.units.epochs];
        for ((column, total), units) in totals.into_iter().zip(units) {
            if column == CYCLES && !has_core {
                page.text(
                    row,
                    column,
                    UNKNOWN,
                    &style::cell(Look::Text, Role::Unknown),
                )?;
                continue;
            }
            page.number(row, column, units as f64, &count)?;
            scope.cell("part", (row, column), Some(units as f64));
            scope.cell("total", (end, column), Some(total as f64));
            page.live(
                (row, column + 1),
                &tables::share("part", "total"),
                &scope,
                Look::Share,
            )?;
        }
    }
    page.text(end, 0, "total", &plain)?;
    for (column, total) in totals {
        if (column == EPOCHS || has_core) && end > first {
            let formula = format!("SUM({})", column_range(column, first, end - 1));
            page.presentation(end, column, &formula, &total.to_string(), &count)?;
        }
    }
    Ok(end + 2)
}
