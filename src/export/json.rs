//! JSON, schema `loopsheet/static/1` (the keys are a promise).

use petgraph::visit::EdgeRef;
use rayon::prelude::*;
use serde_json::{Map, Value, json};

use super::{calls_json, communication_json, sensitivity_json};
use crate::analysis::coverage;
use crate::analysis::dependence::fusion::Verdict;
use crate::analysis::dependence::{Dependence, Through};
use crate::analysis::facts::{
    Block, File, Flops, Function, Item, Loop, OperationCounts, RegisterUse, Stream, Subscript,
};
use crate::expr::FigureId;
use crate::model::dependencies::{FusionModel, SequenceModel};
use crate::model::nest::ChainLoop;
use crate::model::references::{self, ArrayReferences};
use crate::model::{
    CacheFigures, FileFigures, LevelFigures, Model, NestModel, RegisterFigures, ReuseFigures, StreamShape, WorkingSet,
    dimension_name,
};
use crate::source::{Form, Language, Preprocessing};

/// The whole analysis, with times over a range of single inputs. Bytes and seconds are plain numbers in base units;
/// unknown figures are null.
pub fn report(model: &Model) -> String {
    let swept = model.sensitivity.is_empty().then(|| model.for_sensitivity());
    with_sweeps(model, Some(swept.as_ref().unwrap_or(model)))
}

/// The same without these times.
pub fn analysis(model: &Model) -> String {
    with_sweeps(model, None)
}

fn with_sweeps(model: &Model, swept: Option<&Model>) -> String {
    let program = model.program;
    let coverage = coverage::coverage(program);
    let totals = &model.totals;
    let mut value = json!({
        "schema": "loopsheet/static/1",
        "machine": machine(model),
        "parameters": parameters(model),
        "files": program.files.iter().map(file).collect::<Vec<_>>(),
        "unread_files": program.unread,
        "functions": FUNCTIONS,
        "totals": {
            "nests": model.nests.len(),
            "flops": figure(model, totals.flops),
            "weighted_flops": figure(model, totals.weighted_flops),
            "bytes": figure(model, totals.traffic),
            "seconds": figure(model, totals.seconds),
        },
        "coverage": {
            "loops": coverage.loops,
            "understood": coverage.understood,
            "partial": coverage.partial,
            "reasons": coverage.reasons,
            "outside": coverage.outside,
        },
    });
    if let Some(calls) = &model.calls {
        value["totals"]["executed"] = calls_json::costs(model, &calls.executed);
    }
    value["calls"] = calls_json::calls(model);
    if let Some(swept) = swept {
        value["sensitivity"] = sensitivity_json::sweeps(swept);
    }
    if let Some(communication) = &model.communication {
        value["communication"] = communication_json::totals(model, communication);
    }
    let text = serde_json::to_string_pretty(&value).unwrap_or_default();
    let placeholder = serde_json::to_string(FUNCTIONS).unwrap_or_default();
    let (before, after) = text.split_once(&placeholder).unwrap_or((&text, ""));
    format!("{before}[\n{}\n  ]{after}\n", functions(model).join(",\n"))
}

/// Stands for the functions until they are rendered; no source text contains it.
const FUNCTIONS: &str = "\u{1}functions";

/// One line a function. Each is rendered for itself: a big tree has more of them than fit in memory
/// comfortably as values.
fn functions(model: &Model) -> Vec<String> {
    let mut nests = vec![Vec::new(); model.program.functions.len()];
    for (index, nest) in model.nests.iter().enumerate() {
        nests[nest.nest.function].push((index, nest));
    }
    let mut sequences = vec![Vec::new(); model.program.functions.len()];
    for sequence in &model.sequences {
        sequences[sequence.function].push(sequence);
    }
    (model.program.functions.par_iter().enumerate().zip(nests).zip(sequences))
        .map(|((facts, nests), sequences)| format!("    {}", function(model, facts, &nests, &sequences)))
        .collect()
}

/// A whole number without a fraction, any other number as it is, unknown as null.
pub(super) fn number(value: f64) -> Value {
    if !value.is_finite() {
        Value::Null
    } else if value.fract() == 0.0 && value.abs() < 9e15 {
        json!(value as i64)
    } else {
        json!(value)
    }
}

pub(super) fn figure(model: &Model, id: FigureId) -> Value {
    number(model.value(id))
}

fn machine(model: &Model) -> Value {
    let machine = &model.machine;
    let mut object = Map::new();
    object.insert("name".into(), json!(machine.name));
    object.insert("title".into(), json!(machine.title));
    for parameter in &machine.parameters {
        object.insert(parameter.name.clone(), parameter.value.map_or(Value::Null, number));
    }
    object.into()
}

fn parameters(model: &Model) -> Value {
    let mut object = Map::new();
    for row in model.parameters.rows() {
        let mut entry = json!({
            "value": number(row.value),
            "origin": row.origin.as_str(),
            "source_name": row.label,
            "functions": row.functions,
        });
        if let Some(definition) = &row.definition {
            entry["definition"] = json!(definition.to_string());
        }
        object.insert(row.name.clone(), entry);
    }
    object.into()
}

fn file(file: &File) -> Value {
    let diagnostics = file.diagnostics.iter().map(|d| {
        json!({
            "severity": d.severity.as_str(),
            "code": &*d.code,
            "file": &*d.place.file,
            "line": d.place.line,
            "column": d.place.column,
            "message": d.message,
            "help": d.help,
        })
    });
    json!({
        "path": &*file.path,
        "language": match file.language { Language::C => "c", Language::Fortran => "fortran" },
        "form": match file.form { Form::Free => "free", Form::Fixed => "fixed" },
        "lines": file.lines,
        "preprocessed": match file.preprocessing {
            Preprocessing::None => "no",
            Preprocessing::Builtin => "builtin",
            Preprocessing::External => "external",
        },
        "diagnostics": diagnostics.collect::<Vec<_>>(),
    })
}

fn function(
    model: &Model,
    (index, function): (usize, &Function),
    nests: &[(usize, &NestModel)],
    sequences: &[&SequenceModel],
) -> Value {
    let mut loops = Vec::new();
    let name = |symbol: &str| match model.parameters.row(index, symbol) {
        Some(row) => row.name.clone(),
        None => symbol.to_string(),
    };
    let place = Surroundings { function, name: &name };
    collect_loops(&function.body, &place, &mut Vec::new(), &mut Vec::new(), &mut loops);
    let nests = nests.iter().map(|(index, facts)| {
        let mut value = nest(model, facts);
        if let Some(found) = &model.registers[*index] {
            value["registers"] = registers(model, found);
        }
        if let Some(flops) = model.calls.as_ref().and_then(|calls| calls.called_flops.get(index)) {
            value["called_flops"] = figure(model, *flops);
        }
        value
    });
    let mut value = json!({
        "name": function.name,
        "file": &*function.file,
        "line": function.line,
        "loops": loops,
        "nests": nests.collect::<Vec<_>>(),
        "dependencies": dependencies(sequences),
        "sequences": sequences.iter().map(|found| sequence(model, found)).collect::<Vec<_>>(),
    });
    if let Some(calls) = &model.calls {
        calls_json::add_to_function(model, calls, index, &mut value);
    }
    if let Some(communication) = communication_json::of_function(model, index) {
        value["communication"] = communication;
    }
    value
}

/// Values that an iteration of the innermost loop keeps in registers.
fn registers(model: &Model, registers: &RegisterFigures) -> Value {
    let file = |file: &FileFigures| {
        let parts = RegisterUse::NAMES.iter().zip(file.parts);
        let mut object: Map<String, Value> =
            parts.map(|(name, part)| (name.to_string(), figure(model, part))).collect();
        object.insert("live".into(), figure(model, file.live));
        object.insert("spilled".into(), figure(model, file.spilled));
        object
    };
    json!({
        "integer": file(&registers.integer),
        "floating": file(&registers.floating),
        "spills": model.value(registers.spills) == 1.0,
    })
}

/// Edges of all sequences of a function.
fn dependencies(sequences: &[&SequenceModel]) -> Vec<Value> {
    let mut found = Vec::new();
    for SequenceModel { within, graph, .. } in sequences {
        for edge in graph.edge_references() {
            let Dependence { kind, arrays, is_implied } = edge.weight();
            let (scalars, others): (Vec<&Through>, Vec<&Through>) = arrays.iter().partition(|t| t.is_scalar);
            let distances: Map<String, Value> =
                others.iter().map(|through| (through.array.clone(), json!(through.distance))).collect();
            found.push(json!({
                "from": graph[edge.source()].id,
                "to": graph[edge.target()].id,
                "kind": kind.as_str(),
                "arrays": arrays.iter().map(|through| &through.array).collect::<Vec<_>>(),
                "scalars": scalars.iter().map(|through| &through.array).collect::<Vec<_>>(),
                "distances": distances,
                "implied": is_implied,
                "within": within.map(|facts| &facts.id),
            }));
        }
    }
    found
}

/// Loops that follow each other, in time, and which of them can be made one.
fn sequence(model: &Model, sequence: &SequenceModel) -> Value {
    let SequenceModel { within, graph, loops, total, critical, fusions, .. } = sequence;
    let value = |id: FigureId| number(model.value(id));
    let timed = graph.node_indices().zip(loops).map(|(node, times)| {
        json!({
            "loop": graph[node].id,
            "seconds": value(times.seconds),
            "start": value(times.start),
            "finish": value(times.finish),
        })
    });
    let fusions = fusions.iter().map(|FusionModel { candidate, shared, saved }| {
        let (loops, why) = match &candidate.verdict {
            Verdict::Fuses { loops } => (Some(*loops), None),
            Verdict::Prevented { why } => (None, Some(why)),
        };
        json!({
            "first": candidate.first.id,
            "second": candidate.second.id,
            "legal": loops.is_some(),
            "loops": loops,
            "prevented_by": why,
            "arrays": shared,
            "bytes_saved": saved.map(value),
        })
    });
    json!({
        "within": within.map(|facts| &facts.id),
        "loops": timed.collect::<Vec<_>>(),
        "seconds": value(*total),
        "critical_seconds": value(*critical),
        "critical_path":
            sequence.critical_path(&model.figures).into_iter().map(|node| &graph[node].id).collect::<Vec<_>>(),
        "fusions": fusions.collect::<Vec<_>>(),
    })
}

/// The function around loops, and how its symbols are called as parameters.
struct Surroundings<'s> {
    function: &'s Function,
    name: &'s dyn Fn(&str) -> String,
}

fn collect_loops<'a>(
    block: &'a Block,
    place: &Surroundings,
    chain: &mut Vec<ChainLoop<'a>>,
    weights: &mut Vec<String>,
    found: &mut Vec<Value>,
) {
    for item in &block.items {
        match item {
            Item::Loop(inner) => {
                chain.push(ChainLoop { facts: inner, weight: Vec::new() });
                found.push(one_loop(inner, place, chain, weights));
                collect_loops(&inner.body, place, chain, weights, found);
                chain.pop();
            }
            Item::Branch(branch) => {
                weights.push(branch.probability.clone());
                collect_loops(&branch.then, place, chain, weights, found);
                weights.pop();
                if let Some(otherwise) = &branch.otherwise {
                    weights.push(format!("1 - {}", branch.probability));
                    collect_loops(otherwise, place, chain, weights, found);
                    weights.pop();
                }
            }
        }
    }
}

fn one_loop(facts: &Loop, place: &Surroundings, chain: &[ChainLoop], weights: &[String]) -> Value {
    let mut flops = Flops::default();
    let (mut scalars, mut calls) = (Vec::new(), Vec::new());
    let mut streams = Vec::new();
    facts.body.with_branches(&mut |block| {
        flops.add(&block.flops);
        scalars.extend(&block.scalars);
        calls.extend(&block.calls);
        block.streams.iter().for_each(|s| crate::analysis::merge_stream(&mut streams, s.clone()));
    });
    let by_type: Map<String, Value> =
        flops.by_type.iter().map(|(ty, counts)| (ty.clone(), operations(*counts))).collect();
    let mut all = operations(flops.total());
    all["by_type"] = by_type.into();
    let mut value = json!({
        "id": facts.id,
        "line": facts.line,
        "end_line": facts.end_line,
        "depth": chain.len(),
        "var": facts.variable,
        "lower": facts.lower.to_string(),
        "upper": facts.upper.to_string(),
        "step": facts.step.to_string(),
        "parallel": facts.parallel,
        "exits_early": facts.exits_early,
        "parent": chain.len().checked_sub(2).map(|i| chain[i].facts.id.clone()),
        "children": facts.body.loops().iter().map(|l| l.id.clone()).collect::<Vec<_>>(),
        "flops": all,
        "repeated": {
            "adds": facts.repeated.adds,
            "multiplies": facts.repeated.multiplies,
            "divides": facts.repeated.divides,
            "specials": facts.repeated.specials,
        },
        "arrays": streams.iter().map(|s| array(s, chain)).collect::<Vec<_>>(),
        "scalars": scalars.iter().map(|s| json!({
            "name": s.name, "type": s.ty, "constant": s.is_constant, "class": s.class.as_str(),
            "reads": s.reads, "writes": s.writes,
        })).collect::<Vec<_>>(),
        "calls": calls.iter().map(|c| json!({
            "line": c.line, "name": c.name, "arguments": c.arguments, "body": c.body.as_str(),
        })).collect::<Vec<_>>(),
        "probability": if weights.is_empty() { "1".to_string() } else { weights.join(" * ") },
        "branches": branches(&facts.body, place),
        "reasons": coverage::reasons(facts).iter().map(|r| json!({
            "code": r.code, "line": r.line, "detail": r.detail,
        })).collect::<Vec<_>>(),
    });
    if facts.file != place.function.file {
        value["file"] = json!(&*facts.file);
    }
    value
}

/// Conditions of a loop, those inside others too, with the parameter that holds the probability of the first arm.
fn branches(block: &Block, place: &Surroundings) -> Vec<Value> {
    let mut found = Vec::new();
    for item in &block.items {
        let Item::Branch(branch) = item else { continue };
        found.push(json!({
            "line": branch.line,
            "condition": branch.condition,
            "probability": (place.name)(&branch.probability),
            "then": branch.then_lines,
            "otherwise": branch.otherwise_lines,
        }));
        found.extend(branches(&branch.then, place));
        found.extend(branch.otherwise.iter().flat_map(|block| branches(block, place)));
    }
    found
}

fn operations(counts: OperationCounts) -> Value {
    let entries = OperationCounts::NAMES.iter().zip(counts.values());
    entries.map(|(name, count)| (name.to_string(), json!(count))).collect::<Map<String, Value>>().into()
}

fn array(stream: &Stream, chain: &[ChainLoop]) -> Value {
    let shape = StreamShape::new(stream, chain, &[]);
    let accesses = stream.accesses.iter().map(|a| json!({ "offset": a.offset, "reads": a.reads, "writes": a.writes }));
    let gap = |level| shape.largest_gap(level).unwrap_or(1);
    json!({
        "name": stream.array,
        "component": stream.component,
        "type": stream.ty,
        "element_bytes": stream.element_bytes,
        "class": stream.class.as_str(),
        "shape": shape.name(),
        "subscripts": stream.subscripts.iter().map(subscript).collect::<Vec<_>>(),
        "ghost": shape.ghosts().iter().map(|(lo, hi)| json!([lo, hi])).collect::<Vec<_>>(),
        "accesses": accesses.collect::<Vec<_>>(),
        "planes": shape.groups(2),
        "pencils": shape.groups(1),
        "cells": shape.groups(0),
        "live_planes": shape.live_groups(2, gap(2)),
        "live_pencils": shape.live_groups(1, gap(1)),
        "live_cells": shape.live_groups(0, gap(0)),
    })
}

fn subscript(subscript: &Subscript) -> String {
    match &subscript.gather {
        Some(text) => format!("gather({text})"),
        None => {
            let terms = subscript.terms.iter().map(|(name, c)| c * &crate::expr::Expr::symbol(name));
            crate::expr::Expr::sum(terms.chain([subscript.base.clone()])).to_string()
        }
    }
}

fn nest(model: &Model, nest: &NestModel) -> Value {
    let fig = |id| figure(model, id);
    let operations = &nest.operations;
    let working_set = |set: &WorkingSet| {
        json!({
            "plane": fig(set.levels[2]),
            "pencil": fig(set.levels[1]),
            "cell": fig(set.levels[0]),
            "by_level": set.levels.iter().map(|id| fig(*id)).collect::<Vec<_>>(),
        })
    };
    let extents = nest.loops.iter().enumerate().map(|(position, l)| {
        json!({
            "dimension": dimension_name(position),
            "var": nest.nest.spatial()[nest.loops.len() - 1 - position].facts.variable,
            "trip_count": fig(l.trip),
            "block": fig(l.block),
            "blocks": fig(l.blocks),
        })
    });
    let streams = nest.streams.iter().map(|s| {
        let stream = &nest.nest.streams[s.index].stream;
        json!({
            "name": stream.array,
            "component": stream.component,
            "class": stream.class.as_str(),
            "elements": s.elements.iter().map(|id| fig(*id)).collect::<Vec<_>>(),
            "working_set": s.working_set.iter().map(|id| fig(*id)).collect::<Vec<_>>(),
            "traffic": s.traffic.iter().map(|id| fig(*id)).collect::<Vec<_>>(),
            "footprint": fig(s.footprint),
        })
    });
    let references: Vec<Value> = references::of_nest(model, nest)
        .into_iter()
        .map(|ArrayReferences { array, loads, stores, element_bytes }| {
            json!({
                "array": array, "loads": number(loads), "stores": number(stores),
                "element_bytes": number(element_bytes),
            })
        })
        .collect();
    let traffic = &nest.traffic;
    let bound = nest.time.bound_name(model.value(nest.time.bound));
    json!({
        "loop": nest.nest.head().id,
        "loops": nest.nest.loops.iter().map(|l| l.facts.id.clone()).collect::<Vec<_>>(),
        "extents": extents.collect::<Vec<_>>(),
        "iterations": fig(nest.iterations),
        "reasons": nest.nest.reason_codes(),
        "sweeps": fig(nest.sweeps),
        "blocks": fig(nest.blocks),
        "flops": fig(operations.flops),
        "adds": fig(operations.adds),
        "multiplies": fig(operations.multiplies),
        "divides": fig(operations.divides),
        "specials": fig(operations.specials),
        "weighted_flops": fig(operations.weighted),
        "working_set": {
            "naive": working_set(&nest.working_sets.naive),
            "streaming": working_set(&nest.working_sets.streaming),
            "reuse": working_set(&nest.working_sets.reuse),
            "actual": working_set(&nest.working_sets.actual),
            "footprint": fig(nest.working_sets.footprint),
        },
        "traffic": {
            "between_blocks": fig(traffic.between_blocks),
            "between_planes": fig(traffic.scenarios[3]),
            "between_pencils": fig(traffic.scenarios[2]),
            "within_pencils": fig(traffic.scenarios[1]),
            "none": fig(traffic.scenarios[0]),
            "actual": fig(traffic.actual),
            "by_level": traffic.scenarios.iter().map(|id| fig(*id)).collect::<Vec<_>>(),
        },
        "streams": streams.collect::<Vec<_>>(),
        "references": references,
        "loop_iterations": nest.counts.iter().map(|counts| fig(counts.weighted)).collect::<Vec<_>>(),
        "levels": levels(model, nest),
        "caches": nest.levels.caches.iter().map(|c| json!({
            "name": c.name, "capacity": fig(c.capacity), "fetched": fig(c.fetched),
            "written_back": fig(c.written_back), "bytes": fig(c.bytes),
            "left_by_earlier_nests": c.left.map(|(lines, dirty)| json!({
                "fetched": fig(lines), "written_back": fig(dirty),
            })),
            "seconds": c.seconds.map(fig), "condition": c.condition_text,
        })).collect::<Vec<_>>(),
        "layer_conditions": nest.levels.reuses.iter().map(|r| layer_condition(model, nest, r)).collect::<Vec<_>>(),
        "intensity": fig(nest.time.intensity),
        "cpu_seconds": fig(nest.time.cpu),
        "seconds": fig(nest.time.seconds),
        "bound": bound,
    })
}

/// One reuse: what has to fit, what it costs otherwise, and up to which sizes it fits.
fn layer_condition(model: &Model, nest: &NestModel, reuse: &ReuseFigures) -> Value {
    let fig = |id: FigureId| number(model.value(id));
    let cache = |(position, cache): (usize, &CacheFigures)| {
        let largest = reuse.sizes.iter().map(|(name, largest)| (name.clone(), fig(largest[position])));
        let fits = model.value(reuse.distance) <= model.value(cache.capacity);
        json!({ "name": cache.name, "fits": fits, "largest": largest.collect::<Map<_, _>>() })
    };
    json!({
        "carried_by": reuse.carrier,
        "in_between": reuse.between,
        "arrays": reuse.arrays,
        "working_set": fig(reuse.distance),
        "fetched_again": fig(reuse.fetched),
        "written_back_again": fig(reuse.written_back),
        "caches": nest.levels.caches.iter().enumerate().map(cache).collect::<Vec<_>>(),
    })
}

/// Levels of the hierarchy that serve the nest; what a level serves goes through the cache before it.
fn levels(model: &Model, nest: &NestModel) -> Value {
    let fig = |id: FigureId| number(model.value(id));
    let caches = &nest.levels.caches;
    let level = |l: &LevelFigures| {
        let mut level = json!({ "name": l.name, "bytes": fig(l.bytes), "seconds": fig(l.seconds) });
        let before = match caches.iter().position(|cache| cache.name == l.name) {
            Some(position) => position.checked_sub(1),
            None => caches.len().checked_sub(1),
        };
        if let Some(cache) = before.map(|position| &caches[position]) {
            level["fetched"] = fig(cache.fetched);
            level["written_back"] = fig(cache.written_back);
            level["condition"] = json!(cache.condition_text);
            // Memory has two answers: the scenario's, which its time and `bytes` are of, and the cache's.
            if l.name == "DRAM" {
                level["scenario_bytes"] = level["bytes"].clone();
                level["refined_bytes"] = fig(cache.bytes);
            }
        }
        level
    };
    nest.time.levels.iter().map(level).collect()
}
