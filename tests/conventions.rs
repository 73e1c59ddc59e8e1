//! What counts as an operation or an access where languages leave room, against counts by hand.

use std::path::Path;

use assert_cmd::Command;
use serde_json::{Value, json};

fn analysed(file: &str, settings: &[&str]) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/conventions").join(file);
    let mut command = Command::cargo_bin("loopsheet").expect("the program is built");
    command.arg("analyze").arg(path).args(["--json", "-", "--machine", "exasat", "--quiet"]);
    settings.iter().for_each(|setting| {
        command.args(["--set", setting]);
    });
    serde_json::from_slice(&command.output().expect("it runs").stdout).expect("JSON")
}

fn function<'j>(json: &'j Value, name: &str) -> &'j Value {
    let functions = json["functions"].as_array().expect("functions");
    functions.iter().find(|function| function["name"] == name).unwrap_or_else(|| panic!("no function {name}"))
}

fn loops<'j>(json: &'j Value, name: &str) -> &'j [Value] {
    function(json, name)["loops"].as_array().expect("loops")
}

/// Name, bytes of an element, reads and writes of every stream.
fn accesses(facts: &Value) -> Value {
    let count = |array: &Value, key: &str| -> u64 {
        array["accesses"].as_array().expect("accesses").iter().map(|a| a[key].as_u64().expect("a count")).sum()
    };
    let arrays = facts["arrays"].as_array().expect("arrays").iter();
    arrays.map(|a| json!([a["name"], a["element_bytes"], count(a, "reads"), count(a, "writes")])).collect()
}

fn codes(facts: &Value) -> Vec<&str> {
    facts["reasons"].as_array().expect("reasons").iter().map(|r| r["code"].as_str().expect("a code")).collect()
}

#[test]
fn mixed_operands_are_converted() {
    let conversions = |file, name| -> Vec<u64> {
        loops(&analysed(file, &[]), name).iter().map(|l| l["flops"]["conversions"].as_u64().expect("a count")).collect()
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
    assert_eq!(loops(&json, "f")[3]["arrays"], loops(&json, "f")[4]["arrays"]);
}

#[test]
fn an_element_for_a_procedure_without_a_body_is_where_an_array_starts() {
    let json = analysed("arguments.f90", &[]);
    let facts = &loops(&json, "f")[0];
    assert_eq!(accesses(facts), json!([["k", 4, 1, 0]]));
    assert_eq!(codes(facts), ["call"]);
}
