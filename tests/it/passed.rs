//! What procedures of Fortran do to what they are passed, where their bodies do not stand in place of the calls.

use crate::support::command;
use serde_json::{Value, json};

fn only_loop(function: &str) -> Value {
    let path = command::fixture("calls/passed.f90");
    let json = command::analysed(path, &["--machine", "exasat"]);
    let functions = json["functions"].as_array().expect("functions");
    let found = functions
        .iter()
        .find(|f| f["name"] == function)
        .expect("the function");
    found["loops"][0].clone()
}

/// Name, offset, reads and writes of every access.
fn accesses(facts: &Value) -> Value {
    let arrays = facts["arrays"].as_array().expect("arrays").iter();
    let of = |a: &Value| {
        json!([
            a["name"],
            a["accesses"][0]["offset"],
            a["accesses"][0]["reads"],
            a["accesses"][0]["writes"]
        ])
    };
    arrays.map(of).collect()
}

#[test]
fn a_structure_that_is_passed_is_not_read_as_a_whole() {
    let facts = only_loop("structure");
    assert_eq!(
        (accesses(&facts), &facts["reasons"]),
        (json!([]), &json!([]))
    );
}

#[test]
fn scalars_of_a_body_with_loops_are_accessed_as_the_body_does() {
    let facts = only_loop("scalars");
    // Outside of the loop of the body a is read and t is given a value, which the loop reads; b is neither.
    assert_eq!(
        accesses(&facts),
        json!([["a", [0], 1, 0], ["t", [0], 1, 1]])
    );
    assert_eq!(facts["reasons"], json!([]));
}

#[test]
fn a_body_of_integers_stores_too() {
    let facts = only_loop("integers");
    assert_eq!(
        (accesses(&facts), &facts["reasons"]),
        (json!([["k", [0], 1, 1]]), &json!([]))
    );
}

#[test]
fn recursion_is_told_where_it_is_called_from() {
    let reason = |function: &str| {
        let facts = only_loop(function);
        let reasons = facts["reasons"].as_array().expect("reasons").clone();
        assert_eq!(reasons.len(), 1, "{function}");
        (
            reasons[0]["code"].clone(),
            reasons[0]["line"].clone(),
            reasons[0]["detail"].as_str().expect("text").to_string(),
        )
    };
    let (code, line, detail) = reason("recursion");
    assert_eq!((code, line), (json!("recursion"), json!(80)));
    assert!(
        detail.starts_with("down: down calls down in ") && detail.ends_with("passed.f90:36"),
        "{detail}"
    );
    let (code, line, detail) = reason("mutual");
    assert_eq!((code, line), (json!("recursion"), json!(88)));
    assert!(
        detail.starts_with("ping: ") && detail.contains(" calls p"),
        "{detail}"
    );
}
