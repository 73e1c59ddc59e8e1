//! Structures that are passed: the nest is the one that the body makes where it is written in place.

use crate::support::command;
use serde_json::{Value, json};

fn analysed(file: &str) -> Value {
    command::analysed(
        command::fixture("calls").join(file),
        &["--machine", "exasat"],
    )
}

fn functions(json: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let functions = json["functions"].as_array().expect("functions");
    functions
        .iter()
        .map(|function| (function["name"].as_str().expect("a name"), function))
}

/// A function's loops and nests without what tells where they stand, what they call and what their sizes are called.
fn figures(function: &Value) -> Value {
    fn clean(value: &Value) -> Value {
        const PLACES: [&str; 9] = [
            "line",
            "end_line",
            "start_line",
            "column",
            "id",
            "function",
            "calls",
            "branches",
            "guessed",
        ];
        match value {
            Value::Object(members) => {
                let kept = members
                    .iter()
                    .filter(|(name, _)| !PLACES.contains(&name.as_str()));
                kept.map(|(name, value)| (name.clone(), clean(value)))
                    .collect()
            }
            Value::Array(values) => values.iter().map(clean).collect(),
            // `call_scale@88`
            Value::String(text) if text.contains('@') => json!("a loop"),
            other => other.clone(),
        }
    }
    clean(&json!([function["loops"], function["nests"]]))
}

fn same_nests(file: &str) -> usize {
    let json = analysed(file);
    let mut compared = 0;
    for (name, called) in functions(&json) {
        let Some(name) = name.strip_prefix("call_") else {
            continue;
        };
        let here = functions(&json)
            .find(|(other, _)| *other == format!("here_{name}"))
            .expect("its other form")
            .1;
        assert_eq!(called["loops"][0]["reasons"], json!([]), "{name}");
        assert_eq!(figures(called), figures(here), "{name}");
        compared += 1;
    }
    compared
}

#[test]
fn a_body_through_a_call_makes_the_nest_of_the_body_in_place_in_fortran() {
    assert_eq!(same_nests("records.f90"), 12);
}

#[test]
fn a_body_through_a_call_makes_the_nest_of_the_body_in_place_in_c() {
    assert_eq!(same_nests("records.c"), 11);
}

/// Name, subscripts, bytes and accesses of every stream of a function's innermost loop.
fn streams(json: &Value, name: &str) -> Value {
    let function = functions(json)
        .find(|(other, _)| *other == name)
        .expect("the function")
        .1;
    let innermost = |l: &&Value| l["children"] == json!([]);
    let facts = function["loops"]
        .as_array()
        .expect("loops")
        .iter()
        .find(innermost)
        .expect("a loop");
    assert_eq!(facts["reasons"], json!([]), "{name}");
    let stream = |a: &Value| {
        let accesses = a["accesses"].as_array().expect("accesses").iter();
        let accesses: Value = accesses
            .map(|a| json!([a["offset"], a["reads"], a["writes"]]))
            .collect();
        json!([a["name"], a["subscripts"], a["element_bytes"], accesses])
    };
    facts["arrays"]
        .as_array()
        .expect("arrays")
        .iter()
        .map(stream)
        .collect()
}

#[test]
fn elements_of_an_extended_type_are_as_far_apart_as_it_is_large() {
    let json = analysed("records.f90");
    let of = |stride: &str| json!([["s", [stride], 8, [[[0], 1, 1], [[1], 1, 1]]]]);
    assert_eq!(streams(&json, "call_scale"), of("21*i"));
    assert_eq!(streams(&json, "call_extended"), of("30*i"));
    // v(1) is the third number of a record, so v(0) the second.
    assert_eq!(
        streams(&json, "call_set"),
        json!([["s", ["21*i + j"], 8, [[[1], 1, 1]]]])
    );
    // The integer is the 41st number of four bytes; a record has 42.
    assert_eq!(
        streams(&json, "call_count"),
        json!([["s", ["42*i"], 4, [[[40], 1, 1]]]])
    );
}

#[test]
fn members_behind_a_pointer_lie_in_the_callers_structures() {
    let json = analysed("records.c");
    // 2 + 10 + 2 + 6 numbers, the integer with what fills it up, and a pointer.
    assert_eq!(
        streams(&json, "call_scale"),
        json!([["s", ["22*i"], 8, [[[0], 1, 1], [[1], 1, 1]]]])
    );
    assert_eq!(
        streams(&json, "call_count"),
        json!([["s", ["44*i"], 4, [[[40], 1, 1]]]])
    );
}
