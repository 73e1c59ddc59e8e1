//! Arrays that may go to slower memory, and what each nest moves of them: tables of plain values, as what goes there is
//! searched for with the inputs as written.

use super::plain::{PlainCell, PlainColumn, PlainTable, column, count, flag, other, text};
use crate::formula::ColumnType;
use crate::model::placement::PlacedObject;
use crate::model::{FarMemory, Model, Placement};
use crate::numbers::number;

/// Whether an object goes to far memory: taken one after the other, and in the best set where that was looked for.
pub(crate) fn goes(greedy: bool, best: Option<bool>) -> &'static str {
    match (greedy, best) {
        (true, None | Some(true)) => "yes",
        (true, Some(false)) => "greedy only",
        (false, Some(true)) => "best set",
        (false, _) => "no",
    }
}

/// The memory that arrays may go to, and what the run may lose.
pub(crate) fn memory(memory: FarMemory) -> String {
    format!(
        "({} ns, {} GB/s): the run may take at most {} % longer",
        number(memory.latency_ns),
        number(memory.gbs),
        number(100.0 * memory.budget)
    )
}

/// Both tables, if far memory was asked for.
pub(super) fn tables(model: &Model) -> Vec<PlainTable> {
    let placed = model.placement();
    placed.map_or_else(Vec::new, |placed| {
        vec![objects(placed), moved(model, placed)]
    })
}

/// A number in some unit.
fn measure(header: &str, unit: &'static str, meaning: &str) -> PlainColumn {
    PlainColumn {
        holds: ColumnType::Number,
        ..column(header, unit, meaning)
    }
}

/// One row an array, those that may go first.
pub(crate) fn objects(placed: &Placement) -> PlainTable {
    let columns = [
        column(
            "Array",
            "",
            "The array of the program, or those that it may be",
        ),
        measure(
            "Touched",
            "B",
            "Bytes of its lines that a nest touches, the most of all nests",
        ),
        measure(
            "From memory in the run",
            "B",
            "Bytes between the last cache and memory",
        ),
        measure(
            "Irregular lines",
            "B",
            "Of these, lines that no prefetcher predicts; empty where there are some, and the machine does not say what they take",
        ),
        measure(
            "Loss alone",
            "",
            "By what share the run takes longer with this one in far memory; empty where the machine does not say what its irregular \
             lines take",
        ),
        column(
            "Goes",
            "",
            "yes; greedy only: when arrays are taken one after the other; best set: only in the set with most bytes; no",
        ),
        measure(
            "Pages far",
            "",
            "The share of its pages that goes if those of arrays that do not fit are interleaved",
        ),
        count(
            "Exact",
            "1 if the bytes of all nests that touch it are exact as far as is known",
        ),
    ];
    let row = |own: &PlacedObject| {
        vec![
            text(own.name(&placed.objects)),
            PlainCell::Number(own.touched),
            PlainCell::Number(own.bytes),
            own.irregular.map_or(PlainCell::Empty, PlainCell::Number),
            own.loss.map_or(PlainCell::Empty, PlainCell::Number),
            text(goes(own.goes, own.best)),
            PlainCell::Number(own.share),
            flag(own.is_sure),
        ]
    };
    let rows = placed.objects.iter().map(row).collect();
    other("placement", columns, rows)
}

/// One row a nest and array.
fn moved(model: &Model, placed: &Placement) -> PlainTable {
    let columns = [
        column("Loop", "", "The nest"),
        column("Array", "", "As in the table placement"),
        measure(
            "Executions",
            "",
            "Of the nest, those that move these bytes from memory",
        ),
        measure(
            "In order",
            "B",
            "Bytes of one execution, of lines that arrive in order; empty where the machine does not say what irregular ones take",
        ),
        measure(
            "Irregular",
            "B",
            "Bytes of one execution, of lines that no prefetcher predicts; empty where the machine does not say what they take",
        ),
    ];
    let nests = placed.nests.iter();
    let shown = nests.filter(|own| model.nests[own.nest].nest.is_shown());
    let rows = shown.flat_map(|nest| {
        nest.moved.iter().map(|own| {
            let bytes = own.told_apart().map(<[f64; 2]>::from);
            let cell =
                |at: usize| bytes.map_or(PlainCell::Empty, |bytes| PlainCell::Number(bytes[at]));
            vec![
                text(&model.nests[nest.nest].nest.head().id),
                text(placed.objects[own.object].name(&placed.objects)),
                PlainCell::Number(nest.executions),
                cell(0),
                cell(1),
            ]
        })
    });
    other("placement_nests", columns, rows.collect())
}
