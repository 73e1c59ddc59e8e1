//! Which procedure a type-bound or generic name, an operator or an assignment of Fortran stands for.

use crate::support::command;
use serde_json::{Value, json};

fn loops(function: &str) -> Vec<Value> {
    let path = command::fixture("calls/generics.f90");
    let json = command::analysed(path, &["--machine", "exasat"]);
    let functions = json["functions"].as_array().expect("functions");
    let found = functions
        .iter()
        .find(|f| f["name"] == function)
        .expect("the function");
    found["loops"].as_array().expect("loops").clone()
}

/// Adds, multiplies and divides.
fn flops(facts: &Value) -> Value {
    assert_eq!(facts["reasons"], json!([]));
    json!([
        facts["flops"]["adds"],
        facts["flops"]["multiplies"],
        facts["flops"]["divides"]
    ])
}

/// Name, offset, reads and writes of every access.
fn accesses(facts: &Value) -> Value {
    let arrays = facts["arrays"].as_array().expect("arrays").iter();
    let of = |a: &Value| {
        let accesses = a["accesses"].as_array().expect("accesses").clone();
        let name = a["name"].clone();
        accesses
            .into_iter()
            .map(move |x| json!([name, x["offset"], x["reads"], x["writes"]]))
            .collect::<Vec<_>>()
    };
    arrays.flat_map(of).collect()
}

fn reasons(facts: &Value) -> Value {
    let reasons = facts["reasons"].as_array().expect("reasons").iter();
    reasons
        .map(|reason| json!([reason["code"], reason["detail"]]))
        .collect()
}

#[test]
fn an_object_of_exactly_known_type_has_the_procedure_of_that_type() {
    // x·y, though an extension has its own.
    assert_eq!(flops(&loops("exact")[0]), json!([0, 1, 0]));
    // What a type extends is of exactly that type, too.
    assert_eq!(flops(&loops("inherited")[0]), json!([0, 1, 0]));
    assert_eq!(
        reasons(&loops("polymorphic")[0]),
        json!([["call", "s%area"]])
    );
}

#[test]
fn types_kinds_and_ranks_choose_behind_a_generic_name() {
    // x + w(i); x·i, its integer converted.
    assert_eq!(flops(&loops("bound_by_type")[0]), json!([1, 1, 0]));
    // a·2; b + b; an integer product counts nothing.
    let facts = &loops("by_type")[0];
    assert_eq!(flops(facts), json!([1, 1, 0]));
    assert_eq!(
        accesses(facts),
        json!([["a", [0], 1, 1], ["b", [0], 2, 1], ["k", [0], 1, 1]])
    );
    assert_eq!(flops(&loops("by_rank")[0]), json!([0, 0, 1]));
    // Nothing is known of what is passed.
    assert_eq!(reasons(&loops("not_known")[0]), json!([["call", "twice"]]));
}

#[test]
fn operators_of_structures_are_the_procedures_behind_them() {
    let facts = loops("operators");
    assert_eq!(flops(&facts[0]), json!([1, 2, 0]));
    let read = |name: &str, at: i64| json!([name, [at], 1, 0]);
    assert_eq!(
        accesses(&facts[0]),
        json!([
            read("s", 0),
            read("s", 1),
            read("t", 0),
            read("t", 1),
            ["w", [0], 0, 1]
        ])
    );
    // Both components; the one that `minus` computes.
    assert_eq!(flops(&facts[1]), json!([2, 0, 0]));
    assert_eq!(flops(&facts[2]), json!([1, 0, 0]));
    // No procedure takes these operands: nothing is known.
    assert_eq!(
        reasons(&loops("unresolved")[0]),
        json!([["call", "operator(*)"]])
    );
}

#[test]
fn a_defined_assignment_is_a_call() {
    let facts = loops("assignments");
    // r·3 goes to x; w(i) is read, nothing else.
    assert_eq!(flops(&facts[0]), json!([0, 1, 0]));
    assert_eq!(
        accesses(&facts[0]),
        json!([["w", [0], 1, 0], ["s", [0], 0, 1]])
    );
    // Of one type on both sides there is no such subroutine: a copy.
    assert_eq!(
        accesses(&facts[1]),
        json!([["t", [0], 1, 0], ["s", [0], 0, 1]])
    );
}
