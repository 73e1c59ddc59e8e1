//! What the static mode says has to fit into a cache, and what a run's epochs say: the steps of the profile over
//! capacities are where the pencils and the planes of a stencil begin to fit (guide: static-model, "Working
//! sets"; guide: dynamic-model, "Epochs").

use std::path::{Path, PathBuf};

use crate::support::command;
use serde_json::Value;

fn sample(name: &str) -> PathBuf {
    command::root().join("samples/traces").join(name)
}

fn json(arguments: &[&str], path: &Path) -> Value {
    let mut command = command::loopsheet();
    command.arg(arguments[0]).arg(path).args(&arguments[1..]);
    command::printed(command.args(["--json", "-"]))
}

/// Capacities with which epochs are fewer by a fifth or more than with the capacity before.
fn steps(epochs: &Value) -> Vec<f64> {
    let capacities: Vec<f64> = epochs["capacities"]
        .as_array()
        .expect("list")
        .iter()
        .filter_map(Value::as_f64)
        .collect();
    let counts = epochs["epochs"]
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| row[0].as_f64().expect("a count"));
    let counts: Vec<f64> = counts.collect();
    assert_eq!(counts.len(), capacities.len());
    (1..counts.len())
        .filter(|c| counts[c - 1] > 1.25 * counts[*c])
        .map(|c| capacities[c])
        .collect()
}

#[test]
fn a_profile_steps_where_pencils_and_planes_begin_to_fit() {
    let model = json(&["analyze"], &sample("src/heat.c"));
    let functions = model["functions"].as_array().expect("functions");
    let kernel = functions
        .iter()
        .find(|function| function["name"] == "kernel")
        .expect("kernel");
    let sets = &kernel["nests"][0]["working_set"]["naive"];
    let expected = [&sets["pencil"], &sets["plane"]].map(|set| set.as_f64().expect("bytes"));
    let capacities = "512B,1KiB,2KiB,4KiB,8KiB,16KiB,32KiB,64KiB";
    let profile = json(
        &[
            "trace",
            "--epochs",
            "--windows",
            "1",
            "--capacities",
            capacities,
        ],
        &sample("heat.execlog.zst"),
    );
    let steps = steps(&profile["epochs"]);
    assert_eq!(
        steps.len(),
        2,
        "steps at {steps:?}, working sets {expected:?}"
    );
    for (step, set) in steps.iter().zip(expected) {
        let powers = (step / set).log2();
        assert!(
            (-1.0..=1.0).contains(&powers),
            "a step at {step} B, a working set of {set} B"
        );
    }
}
