//! Calls in the JSON of an analysis: how often what is called, and the costliest paths.

use serde_json::{Value, json};

use super::json::figure;
use crate::analysis::coverage::unknown_calls;
use crate::model::{CallPath, Calls, Costs, Model};

/// All of the program: names whose bodies are not known, and call paths, the costliest first.
pub(super) fn calls(model: &Model) -> Value {
    let paths = model
        .calls
        .iter()
        .flat_map(|calls| calls.ranked_paths(&model.figures));
    json!({
        "known": model.call_graph.sites.len(),
        "unknown": unknown_calls(model.program),
        "paths": paths.map(|path| call_path(model, path)).collect::<Vec<_>>(),
    })
}

fn call_path(model: &Model, path: &CallPath) -> Value {
    let names = path
        .functions
        .iter()
        .map(|function| model.program.functions[*function].name.as_str());
    let mut value = costs(model, &path.costs);
    value["functions"] = names.collect::<Vec<_>>().into();
    value["nest"] = model.nests[path.nest].nest.head().id.as_str().into();
    value["calls"] = figure(model, path.times);
    value
}

/// Flops, bytes of memory traffic, seconds.
pub(super) fn costs(model: &Model, costs: &Costs) -> Value {
    json!({
        "flops": figure(model, costs.flops),
        "bytes": figure(model, costs.traffic),
        "seconds": figure(model, costs.seconds),
    })
}

/// How often a function is called, what one call and all calls cost, and whom it calls how often.
pub(super) fn add_to_function(model: &Model, calls: &Calls, function: usize, value: &mut Value) {
    let figures = &calls.functions[function];
    value["times_called"] = figure(model, figures.times);
    value["one_call"] = costs(model, &figures.own);
    value["one_call_with_callees"] = costs(model, &figures.inclusive);
    value["executed"] = costs(model, &figures.executed);
    let sites = calls.by_caller(function).map(|index| {
        let site = &model.call_graph.sites[index];
        let callee = &model.program.functions[site.callee];
        json!({
            "name": callee.name, "file": &*callee.file, "line": site.line,
            "calls": figure(model, calls.sites[index].runs), "calls_in_all": figure(model, calls.sites[index].times),
        })
    });
    value["callees"] = sites.collect::<Vec<_>>().into();
}
