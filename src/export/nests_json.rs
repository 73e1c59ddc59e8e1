//! JSON of a nest: what its model says.

use serde_json::{Map, Value, json};

use super::json::{figure, number};
use crate::analysis::facts::RegisterUse;
use crate::expr::FigureId;
use crate::model::references::{self, ArrayReferences};
use crate::model::{
    CacheFigures, FileFigures, LevelFigures, Model, NestModel, RegisterFigures, ReuseFigures,
    WorkingSet, dimension_name,
};

pub(super) fn nest(model: &Model, nest: &NestModel) -> Value {
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
            "name": stream.array.as_str(),
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
        .map(
            |ArrayReferences {
                 array,
                 loads,
                 stores,
                 element_bytes,
             }| {
                json!({
                    "array": array, "loads": number(loads), "stores": number(stores),
                    "element_bytes": number(element_bytes),
                })
            },
        )
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
        let largest = reuse
            .sizes
            .iter()
            .map(|(name, largest)| (name.clone(), fig(largest[position])));
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

/// Values that an iteration of the innermost loop keeps in registers.
pub(super) fn registers(model: &Model, registers: &RegisterFigures) -> Value {
    let file = |file: &FileFigures| {
        let parts = RegisterUse::NAMES.iter().zip(file.parts);
        let mut object: Map<String, Value> = parts
            .map(|(name, part)| (name.to_string(), figure(model, part)))
            .collect();
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
