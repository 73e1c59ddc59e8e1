//! What counts as an operation or an access where languages leave room, against counts by hand.

use crate::support::command;
use serde_json::{Value, json};

fn analysed(file: &str, settings: &[&str]) -> Value {
    let machine = ["--machine", "exasat"];
    let arguments = [&machine, &command::settings(settings)[..]].concat();
    command::analysed(command::fixture("conventions").join(file), &arguments)
}

fn function<'j>(json: &'j Value, name: &str) -> &'j Value {
    let functions = json["functions"].as_array().expect("functions");
    functions
        .iter()
        .find(|function| function["name"] == name)
        .unwrap_or_else(|| panic!("no function {name}"))
}

fn loops<'j>(json: &'j Value, name: &str) -> &'j [Value] {
    function(json, name)["loops"].as_array().expect("loops")
}

/// Name, bytes of an element, reads and writes of every stream.
fn accesses(facts: &Value) -> Value {
    let count = |array: &Value, key: &str| -> u64 {
        array["accesses"]
            .as_array()
            .expect("accesses")
            .iter()
            .map(|a| a[key].as_u64().expect("a count"))
            .sum()
    };
    let arrays = facts["arrays"].as_array().expect("arrays").iter();
    arrays
        .map(|a| {
            json!([
                a["name"],
                a["element_bytes"],
                count(a, "reads"),
                count(a, "writes")
            ])
        })
        .collect()
}

fn codes(facts: &Value) -> Vec<&str> {
    facts["reasons"]
        .as_array()
        .expect("reasons")
        .iter()
        .map(|r| r["code"].as_str().expect("a code"))
        .collect()
}

#[test]
fn mixed_operands_are_converted() {
    let conversions = |file, name| -> Vec<u64> {
        loops(&analysed(file, &[]), name)
            .iter()
            .map(|l| l["flops"]["conversions"].as_u64().expect("a count"))
            .collect()
    };
    assert_eq!(conversions("conversions.c", "f"), [1, 2, 2, 1, 0, 2, 1, 2]);
    assert_eq!(conversions("conversions.f90", "mixed"), [1, 0, 2, 1]);
}

#[test]
fn pointers_in_arrays_are_elements_where_they_are_values() {
    let json = analysed("pointers.c", &[]);
    let found: Vec<Value> = loops(&json, "f").iter().map(accesses).collect();
    let expected = [
        json!([["label", 8, 1, 0]]),
        json!([["row", 8, 1, 0]]),
        json!([["row", 8, 1, 0], ["other", 8, 0, 1]]),
        json!([["a", 8, 1, 0]]),
        json!([["a", 8, 1, 0]]),
        json!([]),
    ];
    assert_eq!(found, expected);
    assert_eq!(
        loops(&json, "f")[3]["arrays"],
        loops(&json, "f")[4]["arrays"]
    );
}

#[test]
fn an_element_for_a_procedure_without_a_body_is_where_an_array_starts() {
    let json = analysed("arguments.f90", &[]);
    let facts = &loops(&json, "f")[0];
    assert_eq!(accesses(facts), json!([["k", 4, 1, 0]]));
    assert_eq!(codes(facts), ["call"]);
}

/// Additions and multiplications of every loop.
fn sums_and_products(loops: &[Value]) -> Value {
    loops
        .iter()
        .map(|l| json!([l["flops"]["adds"], l["flops"]["multiplies"]]))
        .collect()
}

#[test]
fn bodies_that_call_others_stand_in_place_of_their_calls() {
    let json = analysed("in_place.c", &["n=100"]);
    let loops = loops(&json, "f");
    assert_eq!(sums_and_products(loops), json!([[0, 1], [2, 1], [1, 0]]));
    assert_eq!(accesses(&loops[0]), json!([["a", 8, 1, 1]]));
    assert_eq!(accesses(&loops[2]), json!([["b", 8, 1, 1]]));
    assert_eq!(
        [&loops[0], &loops[1], &loops[2]].map(codes),
        [vec![], vec![], vec!["call"]]
    );
    let calls = loops[0]["calls"].as_array().expect("calls");
    let listed: Vec<_> = calls
        .iter()
        .map(|c| (c["name"].as_str(), c["body"].as_str()))
        .collect();
    assert_eq!(
        listed,
        [
            (Some("middle"), Some("expanded")),
            (Some("inner"), Some("known"))
        ]
    );
    // inner: 10 calls of 100 additions; f: 10 multiplications, 30 and 10 more operations.
    assert_eq!(function(&json, "inner")["times_called"], 10);
    assert_eq!(function(&json, "f")["nests"][0]["called_flops"], 1000);
    assert_eq!(json["totals"]["executed"]["flops"], 1000 + 10 + 30 + 10);
}

#[test]
fn the_imaginary_unit_makes_numbers_of_one_part() {
    let json = analysed("imaginary.c", &[]);
    let loops = loops(&json, "f");
    assert_eq!(
        sums_and_products(loops),
        json!([[0, 0], [1, 0], [0, 1], [0, 2], [0, 0], [2, 4]])
    );
    assert!(loops.iter().all(|l| codes(l).is_empty()));
}

#[test]
fn an_entry_is_another_name_of_its_procedure() {
    let json = analysed("entries.f90", &[]);
    let loops = loops(&json, "run");
    assert_eq!(accesses(&loops[0]), json!([["a", 8, 1, 1]]));
    assert_eq!(sums_and_products(&loops[..1]), json!([[0, 1]]));
    assert_eq!(
        [&loops[0], &loops[1], &loops[2]].map(codes),
        [vec![], vec!["callee"], vec!["callee"]]
    );
    assert_eq!(loops[1]["calls"][0]["body"], "known");
}

#[test]
fn constants_that_every_call_passes_are_values() {
    let parameter = |json: &Value, name: &str| {
        let parameter = &json["parameters"][name];
        (
            parameter["value"].as_f64(),
            parameter["detail"].as_str().map(str::to_string),
        )
    };
    let expected = |value: f64, origin: &str| (Some(value), Some(origin.to_string()));
    let json = analysed("constants.c", &[]);
    assert_eq!(parameter(&json, "n"), expected(12.0, "caller"));
    assert_eq!(parameter(&json, "m"), expected(4.0, "callers_differ"));
    assert_eq!(parameter(&json, "k"), expected(128.0, "callers_differ"));
    assert_ne!(parameter(&json, "l"), expected(7.0, "caller"));
    assert_eq!(
        parameter(&analysed("constants.c", &["n=20"]), "n"),
        expected(20.0, "set")
    );
}

#[test]
fn nests_of_a_recursive_function_are_not_exact() {
    let json = analysed("recursive.c", &[]);
    let reasons = |name| function(&json, name)["nests"][0]["reasons"].clone();
    assert_eq!(
        (reasons("down"), reasons("up")),
        (json!(["recursion"]), json!([]))
    );
}
