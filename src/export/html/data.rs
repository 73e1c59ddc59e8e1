//! Everything that the page's scripts show, as one JSON value.

use serde_json::{Value, json};

use super::figures::Figures;
use super::tables::{Choices, table};
use super::{Sources, inputs, nests, remarks};
use crate::export::xlsx::{arrays, caches, calls, communication, loops, registers};
use crate::model::{Model, roofline};

/// Groups of columns that are seen at first; all others can be switched on.
const NESTS: &[&str] = &["Loop", "Operations over the whole execution", "Time"];
const ARRAYS: &[&str] = &["Array", "Shape", "Element", "Working set", "Footprint"];
const CONDITIONS: &[&str] = &["Nest", "Reuse", "Condition"];
/// Columns of the table of nests that stand beside the source: a group, and a heading if it is one column only.
const CARD: &[(&str, &str)] = &[
    ("Iteration space", ""),
    ("Operations over the whole execution", "Iterations"),
    ("Operations over the whole execution", "Flops"),
    ("Working set, actual", ""),
    ("Footprint", ""),
    (loops::DRAM_BYTES.0, loops::DRAM_BYTES.1),
    ("Time", ""),
];
/// Groups whose headings say enough without the group.
const PLAIN: &[&str] = &["Operations over the whole execution", "Footprint", "Time"];
/// All of them.
const ALL: &[&str] = &[];

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
        "lines": nests::lines(model, sources),
        "card": CARD,
        "plain": PLAIN,
    })
}

fn tables(model: &Model, figures: &mut Figures, choices: &mut Choices) -> Vec<Value> {
    let mut tables = vec![inputs::machine_table(model), inputs::parameter_table(model)];
    tables.push(table(("nests", NESTS), &loops::table(model), figures, choices));
    tables.push(table(("arrays", ARRAYS), &arrays::table(model), figures, choices));
    tables.push(table(("caches", ALL), &caches::table(model), figures, choices));
    tables.push(table(("conditions", CONDITIONS), &caches::conditions(model), figures, choices));
    if let Some(found) = &model.calls {
        tables.push(table(("calls", ALL), &calls::sites(model, found), figures, choices));
        tables.push(table(("functions", ALL), &calls::functions(model, found), figures, choices));
        tables.push(table(("paths", ALL), &calls::paths(model, found), figures, choices));
    }
    if let Some(found) = &model.communication {
        tables.push(table(("communication", ALL), &communication::table(model, found), figures, choices));
    }
    let registers = registers::table(model);
    if !registers.rows.is_empty() {
        tables.push(table(("registers", ALL), &registers, figures, choices));
    }
    tables.extend([remarks::gaps(model), remarks::diagnostics(model), remarks::files(model)]);
    tables
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
