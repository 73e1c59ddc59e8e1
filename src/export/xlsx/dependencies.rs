//! The sheet Dependencies: loops that follow each other, in time; why they must; and which of them can be made one.

use rust_xlsxwriter::{ColNum, RowNum, XlsxError};

use super::layout::{Layout, Place, Sheet};
use super::page::{Book, Page};
use super::printing::PrintedRows;
use super::style::{self, Look, Role};
use crate::analysis::dependence::Dependence;
use crate::analysis::dependence::fusion::Verdict;
use crate::loops_dot::distance_text;
use crate::model::Model;
use crate::model::dependencies::{FusionModel, SequenceModel};
use petgraph::visit::EdgeRef;

const WIDTHS: [f64; 8] = [34.0, 34.0, 16.0, 16.0, 16.0, 44.0, 44.0, 20.0];
const FIRST_SECTION: RowNum = 3;
/// Title and headings of a section.
const HEADING: RowNum = 2;
/// First column of figures.
const FIGURES: ColNum = 2;

/// First rows of the sections' content.
struct Rows {
    sequences: RowNum,
    loops: RowNum,
    fusions: RowNum,
    edges: RowNum,
}

impl Rows {
    fn new(model: &Model) -> Rows {
        let count = |of: fn(&SequenceModel) -> usize| {
            model.sequences.iter().map(of).sum::<usize>() as RowNum
        };
        let sequences = FIRST_SECTION + HEADING;
        let loops = sequences + model.sequences.len() as RowNum + 1 + HEADING;
        let fusions = loops + count(|s| s.loops.len()) + 1 + HEADING;
        let edges = fusions + count(|s| s.fusions.len()).max(1) + 1 + HEADING;
        Rows {
            sequences,
            loops,
            fusions,
            edges,
        }
    }
}

/// Gives the figures of sequences their homes.
pub(super) fn place(model: &Model, layout: &mut Layout) {
    let rows = Rows::new(model);
    let mut put = |figure, row, column| {
        layout.put(
            figure,
            Place {
                sheet: Sheet::Dependencies,
                row,
                column,
            },
        );
    };
    let (mut loop_row, mut fusion_row) = (rows.loops, rows.fusions);
    for (row, sequence) in (rows.sequences..).zip(&model.sequences) {
        put(sequence.total, row, FIGURES);
        put(sequence.critical, row, FIGURES + 1);
        for times in &sequence.loops {
            for (column, figure) in (FIGURES..).zip([times.seconds, times.start, times.finish]) {
                put(figure, loop_row, column);
            }
            loop_row += 1;
        }
        for fusion in &sequence.fusions {
            if let Some(saved) = fusion.saved {
                put(saved, fusion_row, FIGURES + 1);
            }
            fusion_row += 1;
        }
    }
}

pub(super) fn write(book: Book<'_>) -> Result<Page<'_>, XlsxError> {
    let mut page = Page::new(Sheet::Dependencies, book)?;
    page.title("Dependencies: which loops must follow which")?;
    let remark = "Loops are compared within a function, or within one loop. Start and end assume a machine that runs everything \
                  as soon as its dependences allow.";
    page.text(1, 0, remark, &style::remark())?;
    for (column, width) in (0..).zip(WIDTHS) {
        page.worksheet.set_column_width(column, width)?;
    }
    let rows = Rows::new(book.model);
    write_sequences(&mut page, rows.sequences)?;
    write_loops(&mut page, rows.loops)?;
    write_fusions(&mut page, rows.fusions)?;
    let last = write_edges(&mut page, rows.edges)?;
    page.worksheet.set_freeze_panes(1, 0)?;
    page.worksheet.set_repeat_rows(0, 0)?;
    style::print_setup(&mut page.worksheet);
    let printed = PrintedRows {
        first: rows.sequences,
        lines: &vec![1; last.saturating_sub(rows.sequences) as usize],
        last_column: WIDTHS.len() as ColNum - 1,
        breaks: &[],
    };
    page.text(0, 3, &printed.remark(), &style::remark())?;
    printed.set_print_area(&mut page)?;
    Ok(page)
}

/// Title and headings of a section whose content begins at `row`.
fn headings(page: &mut Page, row: RowNum, title: &str, headers: &[&str]) -> Result<(), XlsxError> {
    page.text(row - HEADING, 0, title, &style::section())?;
    for (column, header) in (0..).zip(headers) {
        page.text(row - 1, column, header, &style::header())?;
    }
    page.worksheet.set_row_height(row - 1, 32)?;
    Ok(())
}

fn texts(page: &mut Page, row: RowNum, texts: &[(ColNum, &str)]) -> Result<(), XlsxError> {
    let plain = style::cell(Look::Text, Role::Plain);
    texts
        .iter()
        .try_for_each(|(column, text)| page.text(row, *column, text, &plain))
}

fn write_sequences(page: &mut Page, first: RowNum) -> Result<(), XlsxError> {
    let headers = [
        "In",
        "Loops",
        "One after another [s]",
        "Critical path [s]",
        "Largest speed-up",
    ];
    headings(
        page,
        first,
        "Possible gain from running loops side by side",
        &headers,
    )?;
    let model = page.book.model;
    for (row, sequence) in (first..).zip(&model.sequences) {
        texts(page, row, &[(0, sequence.place(model.program))])?;
        page.number(
            row,
            1,
            sequence.loops.len() as f64,
            &style::cell(Look::Count, Role::Plain),
        )?;
        page.figure(row, FIGURES, sequence.total, Look::Seconds)?;
        page.figure(row, FIGURES + 1, sequence.critical, Look::Seconds)?;
        let ratio = model.value(sequence.total) / model.value(sequence.critical);
        if ratio.is_finite() {
            let cells = [FIGURES, FIGURES + 1]
                .map(|column| rust_xlsxwriter::utility::row_col_to_cell(row, column));
            let formula = format!("IF({1}>0,{0}/{1},\"\")", cells[0], cells[1]);
            page.presentation(
                row,
                FIGURES + 2,
                &formula,
                &ratio.to_string(),
                &style::cell(Look::Ratio, Role::Plain),
            )?;
        }
    }
    Ok(())
}

fn write_loops(page: &mut Page, first: RowNum) -> Result<(), XlsxError> {
    headings(
        page,
        first,
        "Timeline of loops",
        &[
            "In",
            "Loop",
            "Time [s]",
            "Start [s]",
            "End [s]",
            "File and line",
        ],
    )?;
    let model = page.book.model;
    let mut row = first;
    for sequence in &model.sequences {
        let name = sequence.place(model.program);
        for (node, times) in sequence.graph.node_indices().zip(&sequence.loops) {
            let facts = sequence.graph[node];
            texts(
                page,
                row,
                &[
                    (0, name),
                    (1, &facts.id),
                    (5, &format!("{}:{}", facts.file, facts.line)),
                ],
            )?;
            for (column, figure) in (FIGURES..).zip([times.seconds, times.start, times.finish]) {
                page.figure(row, column, figure, Look::Seconds)?;
            }
            row += 1;
        }
    }
    Ok(())
}

fn write_fusions(page: &mut Page, first: RowNum) -> Result<(), XlsxError> {
    let headers = [
        "Loop",
        "And the next",
        "Outer loops that fuse",
        "Traffic saved [B]",
        "Legal",
        "Prevented by",
        "Arrays of both",
    ];
    headings(
        page,
        first,
        "Neighbouring loops that may be fused",
        &headers,
    )?;
    let model = page.book.model;
    let mut row = first;
    for FusionModel {
        candidate,
        shared,
        saved,
    } in model
        .sequences
        .iter()
        .flat_map(|sequence| &sequence.fusions)
    {
        texts(
            page,
            row,
            &[
                (0, &candidate.first.id),
                (1, &candidate.second.id),
                (6, &shared.join(", ")),
            ],
        )?;
        match &candidate.verdict {
            Verdict::Fuses { loops } => {
                page.number(
                    row,
                    FIGURES,
                    *loops as f64,
                    &style::cell(Look::Count, Role::Plain),
                )?;
                texts(page, row, &[(4, "yes")])?;
            }
            Verdict::Prevented { why } => texts(page, row, &[(4, "no"), (5, why)])?,
        }
        if let Some(saved) = saved {
            page.figure(row, FIGURES + 1, *saved, Look::Count)?;
        }
        row += 1;
    }
    if row == first {
        page.text(
            row,
            0,
            "No two loops follow each other directly.",
            &style::remark(),
        )?;
    }
    Ok(())
}

fn write_edges(page: &mut Page, first: RowNum) -> Result<RowNum, XlsxError> {
    let headers = [
        "Earlier loop",
        "Later loop",
        "Kind",
        "Implied by others",
        "How many",
        "Arrays and scalars (distance, contiguous first)",
    ];
    headings(page, first, "Dependences", &headers)?;
    let mut row = first;
    for sequence in &page.book.model.sequences {
        for edge in sequence.graph.edge_references() {
            let Dependence {
                kind,
                arrays,
                is_implied,
            } = edge.weight();
            let through = |t: &crate::analysis::dependence::Through| {
                let scalar = if t.is_scalar { " (scalar)" } else { "" };
                format!(
                    "{}{scalar}{}",
                    t.array,
                    distance_text(t.distance.as_deref())
                )
            };
            let through = arrays
                .iter()
                .map(through)
                .collect::<Vec<String>>()
                .join("; ");
            let [from, to] = [edge.source(), edge.target()].map(|node| &sequence.graph[node].id);
            let implied = if *is_implied { "yes" } else { "" };
            texts(
                page,
                row,
                &[
                    (0, from),
                    (1, to),
                    (2, kind.as_str()),
                    (3, implied),
                    (5, &through),
                ],
            )?;
            page.number(
                row,
                4,
                arrays.len() as f64,
                &style::cell(Look::Count, Role::Plain),
            )?;
            row += 1;
        }
    }
    if row == first {
        page.text(
            row,
            0,
            "No loop depends on another one through an array.",
            &style::remark(),
        )?;
    }
    Ok(row)
}
