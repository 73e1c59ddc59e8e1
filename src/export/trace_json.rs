//! JSON, schema `loopsheet/trace/1` (the keys are a promise).

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::camat_json;
use super::json::number;
use crate::metrics::epoch::Stores;
use crate::metrics::formulas::{EdagFigure, Figures};
use crate::metrics::memory_chain::{ChainInstruction, ChainLine, MemoryChain};
use crate::metrics::profiles::Profiles;
use crate::metrics::region_details::{RegionDetail, RegionReuse};
use crate::metrics::report::{
    CacheEpochs, CacheLevel, Edag, EdagMemory, Epochs, Inputs, Movement, Region, RemoteDelay,
    Reuse, TraceReport, TraceSummary,
};
use crate::trace::isa::Class;

/// Shares of trials at which the distribution of remote delays is given.
pub(super) const QUANTILES: [(&str, f64); 7] = [
    ("min", 0.0),
    ("p05", 0.05),
    ("p25", 0.25),
    ("p50", 0.5),
    ("p75", 0.75),
    ("p95", 0.95),
    ("max", 1.0),
];

/// The whole report. Bytes, cycles and seconds are plain numbers in base units; what is not known is
/// null; what was not asked for is absent.
pub fn trace(report: &TraceReport) -> String {
    let TraceReport {
        trace,
        mix,
        cache,
        inputs,
        edag,
        movement,
        reuse,
        remote,
        epochs,
        memory_chain,
        schedule,
        regions,
        camat,
        source,
        notes,
    } = report;
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_string(), value);
    put("schema", json!("loopsheet/trace/1"));
    put("trace", summary(trace));
    put("mix", classes(mix));
    put("cache", cache.iter().map(level).collect());
    put("edag", metrics(edag, inputs).into());
    if let Some(movement) = movement {
        put("movement", moved(movement));
    }
    if let Some(reuse) = reuse {
        put("reuse", distances(reuse));
    }
    if let Some(remote) = remote {
        put("remote", delays(remote));
    }
    if let Some(epochs) = epochs {
        put("epochs", profile(epochs));
    }
    if let Some(memory_chain) = memory_chain {
        put("memory_chain", chain(memory_chain));
    }
    if let Some(schedule) = schedule {
        put("schedule", json!({ "time": schedule.time }));
    }
    if let Some(camat) = camat {
        put("camat", camat_json::levels(camat));
    }
    put(
        "regions",
        regions.iter().map(|part| region(part, inputs)).collect(),
    );
    if let Some(source) = source {
        put("source", json!(source));
    }
    put("notes", json!(notes));
    let mut text = serde_json::to_string_pretty(&Value::Object(object)).unwrap_or_default();
    text.push('\n');
    text
}

/// Epochs of several traces, schema `loopsheet/epochs/1`, with their mean.
pub fn profiles(profiles: &Profiles) -> String {
    let of = |(path, epochs): &(String, Epochs)| json!({ "path": path, "epochs": profile(epochs) });
    let mean = profiles
        .mean_epki()
        .into_iter()
        .map(|row| row.into_iter().map(number).collect::<Value>());
    let first = profiles.traces.first().map(|(_, epochs)| epochs);
    let value = json!({
        "schema": "loopsheet/epochs/1",
        "windows": first.map(|epochs| &epochs.windows),
        "capacities": first.map(|epochs| &epochs.capacities),
        "mean_epki": mean.collect::<Value>(),
        "traces": profiles.traces.iter().map(of).collect::<Value>(),
    });
    serde_json::to_string_pretty(&value).unwrap_or_default() + "\n"
}

fn summary(trace: &TraceSummary) -> Value {
    let TraceSummary {
        path,
        format,
        instructions,
        bytes,
        harts,
        unknown,
        distinct_instructions,
    } = trace;
    json!({
        "path": path,
        "format": format,
        "instructions": instructions,
        "bytes": bytes,
        "harts": harts,
        "unknown": unknown,
        "distinct_instructions": distinct_instructions,
    })
}

fn classes(mix: &BTreeMap<Class, u64>) -> Value {
    mix.iter()
        .map(|(class, count)| (class.name().to_string(), json!(count)))
        .collect::<Map<String, Value>>()
        .into()
}

fn level(level: &CacheLevel) -> Value {
    let CacheLevel { spec, counters } = level;
    json!({
        "size": spec.bytes,
        "line": spec.line,
        "ways": spec.set_lines(),
        "policy": spec.policy.to_string(),
        "write": spec.write.to_string(),
        "latency_cycles": spec.latency_cycles,
        "accesses": counters.accesses(),
        "hits": counters.hits,
        "misses": counters.misses,
        "bypasses": counters.bypasses,
        "evictions": counters.evictions,
        "write_backs": counters.write_backs,
        "bytes_in": counters.bytes_in,
        "bytes_out": counters.bytes_out,
    })
}

fn metrics(edag: &Edag, inputs: &Inputs) -> Map<String, Value> {
    let figures = Figures::of(edag, inputs);
    let figure = |key| figures.get(key).map_or(Value::Null, number);
    let Edag {
        vertices,
        edges,
        work,
        depth,
        memory,
    } = edag;
    let memory = |part: fn(&EdagMemory) -> u64| json!(memory.as_ref().map(part));
    let entries = [
        ("vertices", json!(vertices)),
        ("edges", json!(edges)),
        ("work", json!(work)),
        ("depth", json!(depth)),
        ("parallelism", figure(EdagFigure::Parallelism)),
        ("memory_work", memory(|m| m.work)),
        ("memory_depth", memory(|m| m.depth)),
        ("non_memory_cost", memory(|m| m.non_memory_cost)),
        ("non_memory_span", memory(|m| m.non_memory_span)),
        ("slots", figure(EdagFigure::Slots)),
        ("latency", figure(EdagFigure::Latency)),
        ("base_latency", figure(EdagFigure::BaseLatency)),
        ("ghz", figure(EdagFigure::Ghz)),
        ("lambda", figure(EdagFigure::Lambda)),
        ("lambda_lower", figure(EdagFigure::LambdaLower)),
        ("relative_lambda", figure(EdagFigure::RelativeLambda)),
        ("time_lower", figure(EdagFigure::TimeLower)),
        ("time_upper", figure(EdagFigure::TimeUpper)),
        ("bytes_moved", memory(|m| m.bytes_moved)),
        ("average_bandwidth", figure(EdagFigure::AverageBandwidth)),
        (
            "brent",
            json!({
                "processors": figure(EdagFigure::Processors),
                "lower": figure(EdagFigure::BrentLower),
                "upper": figure(EdagFigure::BrentUpper),
            }),
        ),
    ];
    entries
        .into_iter()
        .map(|(key, value)| (key.to_string(), value))
        .collect()
}

fn chain(chain: &MemoryChain) -> Value {
    let MemoryChain {
        depth,
        lines,
        instructions,
    } = chain;
    let line = |part: &ChainLine| {
        let ChainLine {
            function,
            place,
            accesses,
            loads,
            stores,
            stack,
        } = part;
        json!({
            "function": function,
            "file": place.as_ref().map(|place| &place.file),
            "line": place.as_ref().map(|place| place.line),
            "accesses": accesses,
            "loads": loads,
            "stores": stores,
            "stack": stack,
        })
    };
    let instruction = |part: &ChainInstruction| {
        let ChainInstruction {
            pc,
            text,
            kind,
            is_on_stack,
            accesses,
            function,
            place,
        } = part;
        json!({
            "pc": pc.map(|pc| format!("{pc:#x}")),
            "text": text,
            "kind": kind.name(),
            "stack": is_on_stack,
            "accesses": accesses,
            "function": function,
            "file": place.as_ref().map(|place| &place.file),
            "line": place.as_ref().map(|place| place.line),
        })
    };
    json!({
        "depth": depth,
        "lines": lines.iter().map(line).collect::<Value>(),
        "instructions": instructions.iter().map(instruction).collect::<Value>(),
    })
}

fn moved(movement: &Movement) -> Value {
    let Movement { interval, bytes } = movement;
    json!({ "interval": interval, "bytes": bytes })
}

fn distances(reuse: &Reuse) -> Value {
    let Reuse {
        line,
        cold,
        histogram,
        exact,
    } = reuse;
    let bins = histogram
        .iter()
        .map(|bin| json!({ "lo": bin.lo, "hi": bin.hi, "count": bin.count }));
    json!({ "line": line, "cold": cold, "histogram": bins.collect::<Vec<_>>(), "exact": exact })
}

fn delays(remote: &RemoteDelay) -> Value {
    let quantiles = QUANTILES
        .iter()
        .map(|(name, share)| (name.to_string(), json!(remote.quantile(*share))));
    let RemoteDelay {
        share,
        delay,
        seed,
        depths,
        local,
        all_remote,
    } = remote;
    json!({
        "share": number(*share),
        "delay": delay,
        "seed": seed,
        "trials": depths.len(),
        "local": local,
        "all_remote": all_remote,
        "quantiles": quantiles.collect::<Map<String, Value>>(),
    })
}

/// Tables are indexed capacity first, then window.
fn profile(profile: &Epochs) -> Value {
    let Epochs {
        windows,
        capacities,
        epochs,
        slots,
        caches,
        instructions,
        off_chip,
        line,
        stores,
    } = profile;
    let rates = |table: &[Vec<u64>]| {
        let rows = profile.per_thousand(table).into_iter();
        rows.map(|row| row.into_iter().map(number).collect::<Value>())
            .collect::<Value>()
    };
    let by_slots = |value: &dyn Fn(&Vec<Vec<u64>>) -> Value| {
        slots
            .iter()
            .map(|(slots, table)| (slots.to_string(), value(table)))
            .collect::<Map<String, Value>>()
    };
    let of_caches = |caches: &CacheEpochs| {
        let slots = caches
            .slots
            .iter()
            .map(|(slots, row)| (slots.to_string(), json!(row)));
        json!({ "epochs": caches.epochs, "slots": slots.collect::<Map<String, Value>>() })
    };
    json!({
        "windows": windows,
        "capacities": capacities,
        "epochs": epochs,
        "epki": rates(epochs),
        "slots": by_slots(&|table| json!(table)),
        "slots_epki": by_slots(&|table| rates(table)),
        "caches": caches.as_ref().map(of_caches),
        "instructions": instructions,
        "off_chip": off_chip,
        "line": line,
        "blocking_stores": *stores == Stores::Blocking,
    })
}

/// The metrics stand beside the name, as the promise says.
fn region(region: &Region, inputs: &Inputs) -> Value {
    let Region {
        kind,
        name,
        file,
        line,
        instructions,
        mix,
        edag,
        detail,
    } = region;
    let own = [
        ("kind", json!(kind.name())),
        ("name", json!(name)),
        ("file", json!(file)),
        ("line", json!(line)),
        ("instructions", json!(instructions)),
        ("mix", classes(mix)),
    ];
    let own = own.into_iter().map(|(key, value)| (key.to_string(), value));
    let RegionDetail {
        reuse,
        epochs,
        camat,
    } = detail;
    let bins = |reuse: &RegionReuse| {
        let bins = reuse
            .bins
            .iter()
            .map(|bin| json!({ "lo": bin.lo, "hi": bin.hi, "count": bin.count }));
        json!({ "line": reuse.line, "cold": reuse.cold, "histogram": bins.collect::<Vec<_>>() })
    };
    let details = [
        ("reuse", reuse.as_ref().map(bins)),
        ("epochs", epochs.as_ref().map(profile)),
        ("camat", camat.as_ref().map(camat_json::levels)),
    ];
    let details = details
        .into_iter()
        .filter_map(|(key, value)| Some((key.to_string(), value?)));
    own.chain(metrics(edag, inputs))
        .chain(details)
        .collect::<Map<String, Value>>()
        .into()
}
