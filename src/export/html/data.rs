//! Everything that the page's scripts show, as one JSON value.

use serde_json::{Value, json};

use super::figures::Figures;
use super::tables::{Choices, Shown, table};
use super::{Sources, inputs, nests, remarks};
use crate::export::xlsx::table::Table;
use crate::export::xlsx::{arrays, caches, calls, communication, loops, notes, registers};
use crate::model::{Model, roofline};

const NESTS: &Shown = &[
    loops::ID,
    ("Loop", "Function"),
    loops::FILE,
    loops::LINE,
    loops::REASONS,
    ("Operations over the whole execution", "Iterations"),
    ("Operations over the whole execution", "Flops"),
    loops::DRAM_BYTES,
    loops::SECONDS,
    loops::BOUND,
    loops::SHARE,
    loops::INTENSITY,
];
const ARRAYS: &Shown = &[
    ("Array", ""),
    ("Shape", ""),
    ("Element", "Size"),
    ("To keep for reuse", ""),
    ("Working set", ""),
    ("Footprint", ""),
];
const CONDITIONS: &Shown = &[("Nest", ""), ("Reuse", ""), ("Condition", ""), ("Moved again if it does not fit", "")];
/// All columns.
const ALL: &Shown = &[];

const ABOUT_NESTS: &str = "One row a loop nest. Choose one to see its source; choose a heading to sort by it.";
const ABOUT_REGISTERS: &str = "An estimate of the values that one iteration of the innermost loop keeps in registers, \
                               without vectorisation and unrolling.";

/// Columns of the table of nests that stand beside the source: a group, and a heading if it is one column only.
const CARD: &Shown = &[
    ("Iteration space", ""),
    ("Operations over the whole execution", "Iterations"),
    ("Operations over the whole execution", "Flops"),
    ("Working set, actual", ""),
    ("Footprint", ""),
    loops::DRAM_BYTES,
    ("Time", ""),
];
/// Groups whose headings say enough without the group.
const PLAIN: &[&str] = &["Operations over the whole execution", "Footprint", "Time"];

pub(super) fn of(model: &Model, sources: Sources, figures: &mut Figures) -> Value {
    let mut choices = Choices::default();
    let tables = tables(model, figures, &mut choices);
    let machine = &model.machine;
    json!({
        "machine": { "name": machine.name, "title": machine.title, "about": machine.about },
        "totals": totals(model, figures),
        "coverage": remarks::coverage(model),
        "inputs": inputs::all(model),
        "tables": tables,
        "choices": choices.value(),
        "roofline": roofline(model, figures),
        "nests": nests::places(model),
        "notes": { "How the figures are made": notes::METHOD, "What the model leaves out": notes::LIMITS },
        "lines": nests::lines(model, sources),
        "card": CARD,
        "plain": PLAIN,
    })
}

fn tables(model: &Model, figures: &mut Figures, choices: &mut Choices) -> Vec<Value> {
    let mut tables = vec![inputs::machine_table(model), inputs::parameter_table(model)];
    tables.push(table(("nests", ABOUT_NESTS, NESTS), &loops::table(model), figures, choices));
    let mut add = Adder { tables: &mut tables, figures, choices };
    add.table(("arrays", ARRAYS), &arrays::table(model));
    add.table(("caches", ALL), &caches::table(model));
    add.table(("conditions", CONDITIONS), &caches::conditions(model));
    if let Some(found) = &model.calls {
        add.table(("calls", ALL), &calls::sites(model, found));
        add.table(("functions", ALL), &calls::functions(model, found));
        add.table(("paths", ALL), &calls::paths(model, found));
    }
    if let Some(found) = &model.communication {
        add.table(("communication", ALL), &communication::table(model, found));
    }
    let registers = registers::table(model);
    if !registers.rows.is_empty() {
        tables.push(table(("registers", ABOUT_REGISTERS, ALL), &registers, figures, choices));
    }
    tables.extend([remarks::gaps(model), remarks::diagnostics(model), remarks::files(model)]);
    tables
}

/// Tables that say the same about themselves as the sheets do.
struct Adder<'a, 'm> {
    tables: &'a mut Vec<Value>,
    figures: &'a mut Figures<'m>,
    choices: &'a mut Choices,
}

impl Adder<'_, '_> {
    fn table<R>(&mut self, (id, shown): (&str, &Shown), rows: &Table<R>) {
        self.tables.push(table((id, &rows.remark, shown), rows, self.figures, self.choices));
    }
}

/// Name, figure, unit, look.
fn totals(model: &Model, figures: &mut Figures) -> Value {
    let totals = &model.totals;
    let mut total = |name, id, unit, look| json!([name, figures.position(id), unit, look]);
    json!([
        total("Time", totals.seconds, "s", "seconds"),
        total("Memory traffic", totals.traffic, "B", "count"),
        total("Flops", totals.flops, "flop", "count"),
        total("Weighted flops", totals.weighted_flops, "flop", "count"),
        total("Arithmetic intensity", totals.intensity, "flop/B", "ratio"),
    ])
}

/// Peak, bandwidths, and a point a nest: intensity, rate, time.
fn roofline(model: &Model, figures: &mut Figures) -> Value {
    let roofs: Vec<Value> = (roofline::roofs(&model.machine).into_iter())
        .map(|roof| json!([roof.name, figures.formula(roof.bandwidth)]))
        .collect();
    let points: Vec<Value> = (model.nests.iter())
        .map(|nest| {
            let rate = figures.formula(roofline::rate(nest));
            json!([figures.position(nest.time.intensity), rate, figures.position(nest.time.seconds)])
        })
        .collect();
    json!({ "peak": figures.formula(roofline::peak()), "roofs": roofs, "points": points })
}
