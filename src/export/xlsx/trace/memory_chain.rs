//! What the memory depth comes from, on the sheet eDAG.

use rust_xlsxwriter::{RowNum, XlsxError};

use super::super::style::{self, Look, Role};
use super::Page;
use crate::metrics::memory_chain::{ChainInstruction, ChainLine, MemoryChain};
use crate::metrics::tables;
use crate::regions::SourceLine;

/// One row of the chain: what it is, where it stands, and its accesses: all, loads, stores, on the stack.
struct Part {
    what: String,
    place: Option<SourceLine>,
    counts: [u64; 4],
}

/// By source line where lines are known, else by instruction; returns the row for what follows.
pub(super) fn write(page: &mut Page, row: RowNum) -> Result<RowNum, XlsxError> {
    let Some(chain) = &page.book.report.memory_chain else {
        return Ok(row);
    };
    let title = format!("The deepest chain of RAM accesses: {} of them", chain.depth);
    let headers = [
        "Executed at",
        "Share",
        "Accesses",
        "Loads",
        "Stores",
        "On the stack",
        "Line",
        "File",
    ];
    let first = page.section(row, &title, headers)?;
    let parts = parts(chain);
    let plain = style::cell(Look::Text, Role::Plain);
    let mut scope = page.book.scope.clone();
    for (
        row,
        Part {
            what,
            place,
            counts,
        },
    ) in (first..).zip(&parts)
    {
        page.text(row, 0, what, &plain)?;
        for (column, count) in (2..).zip(counts) {
            page.number(
                row,
                column,
                *count as f64,
                &style::cell(Look::Count, Role::Plain),
            )?;
        }
        if let Some(SourceLine { file, line }) = place {
            page.number(
                row,
                6,
                f64::from(*line),
                &style::cell(Look::Number, Role::Plain),
            )?;
            page.text(row, 7, file, &plain)?;
        }
        scope.cell("accesses", (row, 2), Some(counts[0] as f64));
        page.live(
            (row, 1),
            &tables::share("accesses", "memory_depth"),
            &scope,
            Look::Share,
        )?;
    }
    Ok(first + parts.len() as RowNum + 1)
}

fn parts(chain: &MemoryChain) -> Vec<Part> {
    let of_line = |line: &ChainLine| {
        let ChainLine {
            function,
            place,
            accesses,
            loads,
            stores,
            stack,
        } = line;
        Part {
            what: function.clone(),
            place: place.clone(),
            counts: [*accesses, *loads, *stores, *stack],
        }
    };
    let of_instruction = |instruction: &ChainInstruction| {
        let ChainInstruction {
            pc,
            text,
            kind,
            is_on_stack,
            accesses,
            place,
            ..
        } = instruction;
        let pc = pc.map(|pc| format!("{pc:#x} ")).unwrap_or_default();
        let count = |counts: bool| if counts { *accesses } else { 0 };
        let counts = [
            *accesses,
            count(kind.reads()),
            count(kind.writes()),
            count(*is_on_stack),
        ];
        Part {
            what: format!("{pc}{text}"),
            place: place.clone(),
            counts,
        }
    };
    match chain.lines.is_empty() {
        false => chain.lines.iter().map(of_line).collect(),
        true => chain.instructions.iter().map(of_instruction).collect(),
    }
}
