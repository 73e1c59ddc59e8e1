//! One kernel, written in many ways, is one nest: the same operations, streams, offsets, working sets
//! and traffic. The files in `fixtures/ways` are a seven-point star over the inner 126³ cells of 128³.

use std::path::Path;

use crate::support::command;
use serde_json::{Value, json};

/// What is the same however the nest is written: names and order apart.
fn nest(path: &Path) -> Value {
    // A size that only a run knows.
    let text = std::fs::read_to_string(path).expect("a readable file");
    let sizes: &[&str] = if text.contains("int dim") {
        &["--set", "dim=128"]
    } else {
        &[]
    };
    let json = command::analysed(path, &[&["--machine", "exasat"], sizes].concat());
    let functions = json["functions"].as_array().expect("functions");
    assert_eq!(functions.len(), 1, "{}", path.display());
    let loops = functions[0]["loops"].as_array().expect("loops");
    assert_eq!(loops.len(), 3, "{}", path.display());
    assert!(
        loops.iter().all(|l| l["reasons"] == json!([])),
        "{}: {loops:?}",
        path.display()
    );
    assert!(
        loops[..2].iter().all(|l| l["arrays"] == json!([])),
        "{}: {loops:?}",
        path.display()
    );
    let nests = functions[0]["nests"].as_array().expect("nests");
    assert_eq!(nests.len(), 1, "{}", path.display());
    let keys = [
        "iterations",
        "flops",
        "working_set",
        "traffic",
        "intensity",
        "seconds",
        "bound",
    ];
    let figures: Vec<&Value> = keys.iter().map(|key| &nests[0][*key]).collect();
    let mut streams: Vec<String> = loops[2]["arrays"]
        .as_array()
        .expect("arrays")
        .iter()
        .map(stream)
        .collect();
    streams.sort();
    json!({ "flops": loops[2]["flops"], "streams": streams, "figures": figures })
}

fn stream(array: &Value) -> String {
    let mut accesses: Vec<String> = array["accesses"]
        .as_array()
        .expect("accesses")
        .iter()
        .map(Value::to_string)
        .collect();
    accesses.sort();
    let keys = [
        "class",
        "shape",
        "element_bytes",
        "ghost",
        "planes",
        "pencils",
        "cells",
        "live_planes",
        "live_pencils",
    ];
    let figures: Vec<String> = keys
        .iter()
        .map(|key| format!("{key} {}", array[*key]))
        .collect();
    format!("{} {}", figures.join(" "), accesses.join(" "))
}

#[test]
fn a_kernel_is_the_same_nest_however_it_is_written() {
    let nested = nest(
        &command::files("tests/fixtures/ways")
            .into_iter()
            .find(|path| path.ends_with("nested.c"))
            .expect("nested.c"),
    );
    assert_eq!(
        (&nested["flops"]["adds"], &nested["flops"]["multiplies"]),
        (&json!(6), &json!(2))
    );
    let streams = nested["streams"].as_array().expect("streams");
    assert_eq!(streams.len(), 2);
    for offset in [
        "[0,0,0]", "[-1,0,0]", "[1,0,0]", "[0,-1,0]", "[0,1,0]", "[0,0,-1]", "[0,0,1]",
    ] {
        assert!(
            streams[0].as_str().expect("text").contains(offset),
            "{offset}: {}",
            streams[0]
        );
    }
    assert_eq!(nested["figures"][0], json!(126 * 126 * 126));
    assert!(command::files("tests/fixtures/ways").len() >= 10);
    for way in command::files("tests/fixtures/ways") {
        assert_eq!(nest(&way), nested, "{}", way.display());
    }
}
