//! One kernel, written in many ways, is one nest: the same operations, streams, offsets, working sets
//! and traffic. The files in `fixtures/ways` are a seven-point star over the inner 126³ cells of 128³.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::{Value, json};

fn ways() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/ways");
    let entries = std::fs::read_dir(&directory)
        .unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("a readable directory").path())
        .collect();
    files.sort();
    files
}

/// What is the same however the nest is written: names and order apart.
fn nest(path: &Path) -> Value {
    let mut command = Command::cargo_bin("loopsheet").expect("the program is built");
    // A size that only a run knows.
    let text = std::fs::read_to_string(path).expect("a readable file");
    let sizes: &[&str] = if text.contains("int dim") {
        &["--set", "dim=128"]
    } else {
        &[]
    };
    command
        .arg("analyze")
        .arg(path)
        .args(["--json", "-", "--machine", "exasat"])
        .args(sizes);
    let output = command.output().expect("it runs");
    let json: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!(
            "{}: {error}\n{}",
            path.display(),
            String::from_utf8_lossy(&output.stderr)
        )
    });
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
        &ways()
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
    assert!(ways().len() >= 10);
    for way in ways() {
        assert_eq!(nest(&way), nested, "{}", way.display());
    }
}
