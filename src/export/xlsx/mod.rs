//! Workbooks: a live spreadsheet of the static model, and one of a trace in `trace`.
//!
//! Inputs are named cells; every computed figure is a formula made from its expression, with the
//! model's value as cached result. The same model gives the same bytes.

mod alternatives;
mod checks;
mod compare;
mod control;
mod dependencies;
mod diff;
mod far_arrays;
mod goal;
mod highlights;
mod inputs;
mod layout;
mod machine;
mod nest_sheet;
mod nests;
mod notes;
mod order;
mod package;
mod page;
mod parameters;
mod presets;
mod printing;
mod ranking;
mod readable;
mod roofline;
mod scenarios;
mod sensitivity;
mod step_names;
mod step_units;
mod steps;
mod style;
mod summary;
mod sweep;
mod table;
mod tornado;
mod trace;
mod unsure;

use std::collections::HashSet;

use rust_xlsxwriter::{DocProperties, ExcelDateTime, Workbook, Worksheet};

use crate::compare::Comparison;
use crate::expr::FigureId;
use crate::listings::{Listings, Table};
use crate::metrics::report::TraceReport;
use crate::model::{Model, Room};
use alternatives::AlternativesSheet;
use checks::Checks;
use layout::{Layout, Place, Sheet};
use nests::NestSheets;
use package::Kept;
use page::{Book, Page};

pub use compare::compare_workbook;
pub use diff::diff_workbook;
pub use nest_sheet::Sources;
pub use rust_xlsxwriter::XlsxError;
pub use sweep::sweep_workbook;
pub use trace::{
    NamedCell, named_cells, profiles_workbook, rank_workbook, timeline_named_cells,
    timeline_workbook, trace_workbook,
};

/// What a workbook has room for: a sheet has 1,048,576 rows, and what is larger is slow to open.
pub const ROOM: Room = Room {
    nests: 1500,
    figures: 900_000,
};

/// Where the workbook holds the formula of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FigureCell {
    pub figure: FigureId,
    /// Name of the sheet.
    pub sheet: &'static str,
    /// Counted from zero.
    pub row: u32,
    /// Counted from zero.
    pub column: u16,
    /// Its column in the whole table, if the sheet shows a part of one.
    pub whole_column: Option<usize>,
}

/// The home cells of all figures, in the order of the figures.
pub fn figure_cells(model: &Model) -> Vec<FigureCell> {
    let Tables {
        listings, layout, ..
    } = Tables::new(model);
    let nests = NestSheets::new(model, (&listings.loops, &listings.topics));
    let cell = |figure: FigureId| {
        let Place { sheet, row, column } = layout.place(figure)?;
        Some(FigureCell {
            figure,
            sheet: sheet.name(),
            row,
            column,
            whole_column: nests.whole_column(sheet, column),
        })
    };
    model
        .figures
        .iter()
        .filter_map(|(figure, _)| cell(figure))
        .collect()
}

/// The workbook of a model, as the bytes of an .xlsx file.
///
/// # Errors
/// More rows or columns than a sheet has.
pub fn workbook(model: &Model) -> Result<Vec<u8>, XlsxError> {
    workbook_with_nests(model, (&[], &|_| None))
}

/// The same with a sheet for each of these nests, with their source.
///
/// # Errors
/// As for [`workbook`].
pub fn workbook_with_nests(
    model: &Model,
    asked: (&[usize], Sources),
) -> Result<Vec<u8>, XlsxError> {
    let tables = Tables::new(model);
    package::in_files_or_memory(|kept| {
        let mut workbook = Workbook::new();
        workbook.set_properties(&properties("Loop nests and what they cost")?);
        push_model(&mut workbook, (model, &tables), asked, kept)?;
        package::finish(workbook)
    })
}

/// The workbook of a study: the model, the run, and both side by side, where the static side follows the inputs.
///
/// # Errors
/// As for [`workbook`].
pub fn study_workbook(
    model: &Model,
    run: &TraceReport,
    comparison: &Comparison,
) -> Result<Vec<u8>, XlsxError> {
    let tables = Tables::new(model);
    let machine = model
        .machine
        .parameters
        .iter()
        .map(|parameter| parameter.name.as_str());
    let taken: HashSet<&str> = machine
        .chain(model.parameters.rows().iter().map(|row| row.name.as_str()))
        .collect();
    package::in_files_or_memory(|kept| {
        let mut workbook = Workbook::new();
        let title = "Loop nests, what they cost, and what a run did";
        workbook.set_properties(&properties(title)?);
        push_model(&mut workbook, (model, &tables), (&[], &|_| None), kept)?;
        for worksheet in compare::live_sheets(comparison, model, &tables.layout)? {
            workbook.push_worksheet(worksheet);
        }
        trace::push(&mut workbook, run, &|name| taken.contains(name))?;
        package::finish(workbook)
    })
}

fn push_model(
    workbook: &mut Workbook,
    (model, tables): (&Model, &Tables),
    with_sheets: (&[usize], Sources),
    kept: Kept,
) -> Result<(), XlsxError> {
    let Tables {
        listings,
        steps,
        layout,
    } = tables;
    let Listings {
        loops,
        topics,
        arrays,
        caches,
        conditions,
        calls,
        communication,
        registers,
        advice,
        side_by_side,
    } = listings;
    let book = Book { model, layout };
    define_names(workbook, book)?;
    // Where there is no place for a temporary file, it is kept in memory.
    let for_steps = match kept {
        Kept::Memory => Worksheet::new(),
        Kept::File => workbook
            .new_worksheet_with_low_memory()
            .unwrap_or_else(|_| Worksheet::new()),
    };
    let mut push = |page: Page| workbook.push_worksheet(page.worksheet);
    let nests = NestSheets::new(model, (loops, topics));
    let checks = Checks::of(book, &nests);
    push(summary::write(
        book,
        (&nests, &checks),
        side_by_side.as_ref(),
    )?);
    let alternatives = AlternativesSheet::of(model);
    push(control::write(book, &nests, alternatives.as_ref())?);
    if let Some(alternatives) = &alternatives {
        push(scenarios::write(book, alternatives)?);
        push(tornado::write(book, alternatives)?);
        push(goal::write(book, &nests, alternatives)?);
    }
    push(machine::write(book)?);
    push(parameters::write(book)?);
    let mut loops_and_topics = nests.write(book)?.into_iter();
    if let Some(mut page) = loops_and_topics.next() {
        highlights::loops(&mut page, &nests)?;
        push(page);
    }
    if ranking::is_long(model) {
        push(ranking::write_top(book, &nests)?);
    }
    push(listed(Sheet::Advice, book, advice)?);
    (nest_sheet::all(book, with_sheets)?.into_iter()).for_each(&mut push);
    loops_and_topics.for_each(&mut push);
    push(listed(Sheet::Arrays, book, arrays)?);
    push(listed(Sheet::Caches, book, caches)?);
    far_arrays::write(book)?.into_iter().for_each(&mut push);
    push(listed(Sheet::Conditions, book, conditions)?);
    if let Some(roofline) = &model.roofline {
        push(roofline::write(book, roofline)?);
    }
    if !model.sensitivity.is_empty() {
        push(sensitivity::write(book, alternatives.as_ref())?);
    }
    if let Some(alternatives) = &alternatives {
        push(alternatives.write(book, &nests)?);
    }
    if let Some(side_by_side) = side_by_side {
        push(listed(Sheet::SideBySide, book, side_by_side)?);
    }
    if !model.sequences.is_empty() {
        push(dependencies::write(book)?);
    }
    if let Some(calls) = calls {
        push(listed(Sheet::Calls, book, &calls.sites)?);
        push(listed(Sheet::Functions, book, &calls.functions)?);
        push(listed(Sheet::CallPaths, book, &calls.paths)?);
    }
    if let Some(communication) = communication {
        push(listed(Sheet::Communication, book, communication)?);
    }
    if !registers.rows.is_empty() {
        let mut page = Page::new(Sheet::Registers, book)?;
        registers.write(&mut page)?;
        highlights::registers(&mut page, registers)?;
        push(page);
    }
    push(checks.write(book)?);
    if !steps.is_empty() {
        push(steps::write(book, for_steps, steps)?);
    }
    push(presets::write(book)?);
    push(notes::write(book, &nests, arrays, (caches, conditions))?);
    Ok(())
}

/// Makes inputs known to all formulas under their names.
fn define_names(workbook: &mut Workbook, book: Book) -> Result<(), XlsxError> {
    control::define_names(workbook, book)?;
    scenarios::define_names(workbook, book)?;
    tornado::define_names(workbook, book)?;
    goal::define_names(workbook, book)?;
    far_arrays::define_names(workbook, book)?;
    machine::define_names(workbook, book)?;
    presets::define_names(workbook, book)?;
    parameters::define_names(workbook, book)
}

/// A sheet that is one table.
fn listed<'b, R>(sheet: Sheet, book: Book<'b>, table: &Table<R>) -> Result<Page<'b>, XlsxError> {
    let mut page = Page::new(sheet, book)?;
    table.write(&mut page)?;
    Ok(page)
}

/// What the sheets show, with every figure in its place.
struct Tables<'a> {
    listings: Listings<'a>,
    steps: Vec<FigureId>,
    layout: Layout,
}

impl<'a> Tables<'a> {
    fn new(model: &'a Model<'a>) -> Tables<'a> {
        let listings = Listings::new(model);
        let mut layout = Layout::of(model);
        machine::place(model, &mut layout);
        listings.arrays.place(Sheet::Arrays, &mut layout);
        listings.caches.place(Sheet::Caches, &mut layout);
        listings.conditions.place(Sheet::Conditions, &mut layout);
        // Advice has its own figures, of which Loops shows some.
        listings.advice.place(Sheet::Advice, &mut layout);
        NestSheets::new(model, (&listings.loops, &listings.topics)).place(&mut layout);
        summary::place(model, &mut layout);
        dependencies::place(model, &mut layout);
        if let Some(calls) = &listings.calls {
            calls.sites.place(Sheet::Calls, &mut layout);
            calls.functions.place(Sheet::Functions, &mut layout);
            calls.paths.place(Sheet::CallPaths, &mut layout);
        }
        if let Some(communication) = &listings.communication {
            communication.place(Sheet::Communication, &mut layout);
        }
        listings.registers.place(Sheet::Registers, &mut layout);
        roofline::place(model, &mut layout);
        if let Some(alternatives) = AlternativesSheet::of(model) {
            alternatives.place(&mut layout);
        }
        sensitivity::place(model, &mut layout);
        if let Some(side_by_side) = &listings.side_by_side {
            side_by_side.place(Sheet::SideBySide, &mut layout);
        }
        let steps = steps::place(&mut layout);
        Tables {
            listings,
            steps,
            layout,
        }
    }
}

/// The date is fixed, so that the same input gives the same bytes.
fn properties(title: &str) -> Result<DocProperties, XlsxError> {
    let date = ExcelDateTime::from_ymd(2000, 1, 1)?;
    Ok(DocProperties::new()
        .set_title(title)
        .set_author("loopsheet")
        .set_creation_datetime(&date))
}
