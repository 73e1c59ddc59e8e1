//! What the page shows of one nest when it is opened: streams with their stencils, layer conditions, time by bound,
//! advice.

use serde_json::{Value, json};

use super::figures::Figures;
use crate::explain::conditions::reuse_name;
use crate::expr::FigureId;
use crate::model::advice::words;
use crate::model::staircase::{Staircase, Step};
use crate::model::{Growth, Model, NestModel, ReuseFigures, StreamFigures};

/// Streams and layer conditions of a nest; the tables have all of them.
const MOST: usize = 12;
/// Offsets that are drawn.
const POINTS: usize = 200;

pub(super) fn build(model: &Model, index: usize, figures: &mut Figures) -> Value {
    let nest = &model.nests[index];
    let about = model.advice.iter().filter(|one| one.nests.contains(&index));
    let advice: Vec<String> = about.map(|one| words::sentence(model, one)).collect();
    let caches: Vec<Value> = (nest.levels.caches.iter())
        .map(|cache| {
            let [capacity, bytes] = [cache.capacity, cache.bytes].map(|id| figures.position(id));
            json!({ "name": cache.name, "capacity": capacity, "bytes": bytes })
        })
        .collect();
    // Behind the last cache there is memory.
    let behind = nest.levels.caches.iter().skip(1);
    let behind: Vec<&str> = behind
        .map(|cache| cache.name.as_str())
        .chain(["DRAM"])
        .collect();
    json!({
        "streams": streams(model, nest, figures),
        "conditions": conditions(model, nest, figures),
        "caches": caches,
        "behind": behind,
        "staircase": Staircase::of(nest).map(|stairs| staircase(nest, &stairs, figures)),
        "times": times(nest, figures),
        "advice": advice,
    })
}

/// The largest ones first.
fn streams(model: &Model, nest: &NestModel, figures: &mut Figures) -> Vec<Value> {
    let size = |stream: &&StreamFigures| model.value(stream.footprint);
    let mut streams: Vec<&StreamFigures> = nest.streams.iter().collect();
    streams.sort_by(|a, b| size(b).total_cmp(&size(a)));
    let one = |of: &StreamFigures| {
        let used = &nest.nest.streams[of.index].stream;
        let name = match used.component.is_empty() {
            true => used.array.to_string(),
            false => format!("{}[{}]", used.array, used.component),
        };
        let shape = &of.shape;
        let offsets = shape.offsets.iter().take(POINTS);
        let offsets: Vec<&[i64]> = offsets.map(|offset| &offset[..shape.rank]).collect();
        json!({
            "name": name, "access": used.class.as_str(), "type": used.ty.to_string(), "shape": shape.name(),
            "points": shape.offsets.len(), "offsets": offsets, "footprint": figures.position(of.footprint),
        })
    };
    streams.into_iter().take(MOST).map(one).collect()
}

/// Those that cost something where they do not hold.
fn conditions(model: &Model, nest: &NestModel, figures: &mut Figures) -> Vec<Value> {
    let cost = |reuse: &ReuseFigures| model.value(reuse.fetched) + model.value(reuse.written_back);
    let costly = nest.levels.reuses.iter().filter(|reuse| cost(reuse) > 0.0);
    let mut one = |reuse: &ReuseFigures| {
        let growth = Growth::of(model, nest, reuse);
        let mut positions =
            |ids: &[FigureId]| -> Vec<u32> { ids.iter().map(|id| figures.position(*id)).collect() };
        let sizes = reuse.sizes.iter();
        let sizes: Vec<Value> = sizes
            .map(|(name, largest)| json!([name, positions(largest)]))
            .collect();
        json!({
            "carrier": reuse.carrier, "arrays": reuse.arrays.join(", "),
            "symbols": growth.as_ref().map(Growth::text),
            // What the symbols stand for, so that they are shown only where they are the working set.
            "sum": growth.as_ref().map(|growth| figures.formula(growth.expr())),
            "distance": figures.position(reuse.distance),
            "again": figures.position(reuse.fetched), "sizes": sizes,
        })
    };
    costly.take(MOST).map(&mut one).collect()
}

/// Bytes that move anyway; of each reuse what must fit, and what moves again if it does not, fetched and written back.
fn staircase(nest: &NestModel, stairs: &Staircase, figures: &mut Figures) -> Value {
    let least = [stairs.least_fetched, stairs.least_written_back].map(|id| figures.position(id));
    let step = |step: &Step| {
        [step.capacity, step.fetched, step.written_back].map(|id| figures.position(id))
    };
    let steps: Vec<[u32; 3]> = stairs.steps.iter().map(step).collect();
    let name = |step: &Step| reuse_name(&nest.levels.reuses[step.reuse]);
    let names: Vec<String> = stairs.steps.iter().map(name).collect();
    json!({ "least": least, "steps": steps, "names": names })
}

/// Parts of the machine with their times.
fn times(nest: &NestModel, figures: &mut Figures) -> Vec<Value> {
    let time = &nest.time;
    let mut part = |name: &str, bytes: Option<FigureId>, seconds: FigureId| {
        let bytes = bytes.map(|bytes| figures.position(bytes));
        json!({ "name": name, "bytes": bytes, "seconds": figures.position(seconds) })
    };
    let mut parts = match time.in_core {
        Some(core) => vec![
            part("ports", None, core.ports),
            part("chain", None, core.chains),
        ],
        None => vec![part("CPU", None, time.cpu)],
    };
    let levels = time.levels.iter();
    parts.extend(levels.map(|level| part(&level.name, Some(level.bytes), level.seconds)));
    parts.extend(time.waiting.map(|waiting| part("waiting", None, waiting)));
    let irregular = time.irregular.iter();
    parts.extend(irregular.map(|found| part("latency", None, found.seconds)));
    parts.extend(time.text.map(|text| part("text", None, text)));
    let branches = time.branches();
    parts.extend(branches.map(|found| part("branches", None, found.seconds)));
    parts
}
