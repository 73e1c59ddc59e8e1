//! Small programs through the whole of `analyze`, and figures of what it says.

use std::path::Path;

use crate::support::command;
use serde_json::Value;

/// Analyses files of the given names and texts; settings are `name=value`.
pub fn analyse(files: &[(&str, &str)], settings: &[&str]) -> Value {
    let directory = tempfile::tempdir().expect("a directory");
    for (name, text) in files {
        std::fs::write(directory.path().join(name), text).expect("a file");
    }
    run(directory.path(), settings)
}

pub fn run(directory: &Path, settings: &[&str]) -> Value {
    let machine = ["--machine", "exasat"];
    let arguments = [&machine, &command::settings(settings)[..]].concat();
    command::analysed(directory, &arguments)
}

pub fn c(text: &str) -> Value {
    analyse(&[("a.c", text)], &[])
}

pub fn fortran(text: &str) -> Value {
    analyse(&[("a.f90", text)], &[])
}

pub fn function<'j>(json: &'j Value, name: &str) -> &'j Value {
    let functions = json["functions"].as_array().expect("functions");
    functions
        .iter()
        .find(|f| f["name"] == name)
        .unwrap_or_else(|| panic!("no {name}"))
}

/// How often the first nest of a function is run.
pub fn calls(json: &Value, name: &str) -> f64 {
    let nests = function(json, name)["nests"].as_array().expect("nests");
    nests[0]["calls"].as_f64().expect("calls")
}

/// Iterations of every nest of a function, in order.
pub fn iterations(json: &Value, name: &str) -> Vec<f64> {
    let nests = function(json, name)["nests"].as_array().expect("nests");
    nests
        .iter()
        .map(|nest| nest["iterations"].as_f64().expect("a number"))
        .collect()
}

/// Bytes that every nest of a function moves to and from memory, by the rule of the cache levels.
pub fn bytes(json: &Value, name: &str) -> Vec<f64> {
    let nests = function(json, name)["nests"].as_array().expect("nests");
    let memory = |nest: &Value| {
        let level = nest["levels"]
            .as_array()
            .and_then(|levels| levels.last())
            .expect("levels");
        ["fetched", "written_back"]
            .map(|way| level[way].as_f64().expect("bytes"))
            .iter()
            .sum()
    };
    nests.iter().map(memory).collect()
}

/// Adds, multiplies and divides of every loop of a function.
pub fn operations(json: &Value, name: &str) -> Vec<[u64; 3]> {
    let loops = function(json, name)["loops"].as_array().expect("loops");
    let of = |l: &Value| {
        ["adds", "multiplies", "divides"].map(|kind| l["flops"][kind].as_u64().expect("a number"))
    };
    loops.iter().map(of).collect()
}

pub fn reasons(json: &Value, name: &str) -> Vec<String> {
    let loops = function(json, name)["loops"].as_array().expect("loops");
    let all = loops
        .iter()
        .flat_map(|l| l["reasons"].as_array().expect("reasons"));
    all.map(|reason| reason["code"].as_str().expect("a code").to_string())
        .collect()
}

/// An array of the first loop of a function that has it.
pub fn array<'j>(json: &'j Value, name: &str, array: &str) -> &'j Value {
    let loops = function(json, name)["loops"].as_array().expect("loops");
    let arrays = loops
        .iter()
        .flat_map(|l| l["arrays"].as_array().expect("arrays"));
    let mut named = arrays.filter(|a| a["name"] == array);
    named
        .next()
        .unwrap_or_else(|| panic!("no {array} in {name}"))
}

/// How often all references to an array of a function read and write it in one iteration of their loops.
pub fn accesses(json: &Value, name: &str, array: &str) -> [u64; 2] {
    let loops = function(json, name)["loops"].as_array().expect("loops");
    let arrays = loops
        .iter()
        .flat_map(|l| l["arrays"].as_array().expect("arrays"))
        .filter(|a| a["name"] == array);
    let all: Vec<&Value> = arrays
        .flat_map(|a| a["accesses"].as_array().expect("accesses"))
        .collect();
    ["reads", "writes"].map(|way| {
        all.iter()
            .map(|access| access[way].as_u64().expect("a number"))
            .sum()
    })
}
