//! Loops that end on a condition: how often they run as far as it tells, marked where it may be less or is a guess.

use crate::support::command;
use serde_json::Value;

fn analysis(path: &str) -> Value {
    command::analysed(path, &[])
}

/// Iterations of the only nest of a function, and whether they are marked as approximate.
fn iterations(json: &Value, function: &str) -> (f64, bool) {
    let functions = json["functions"].as_array().expect("functions");
    let found = functions
        .iter()
        .find(|f| f["name"] == function)
        .unwrap_or_else(|| panic!("no {function}"));
    let nest = &found["nests"][0];
    let reasons = nest["reasons"].as_array().expect("reasons");
    (
        nest["iterations"].as_f64().expect("a number"),
        reasons.iter().any(|r| r == "approximate_trip_count"),
    )
}

#[test]
fn conditions_tell_how_often_loops_run() {
    let json = analysis("tests/fixtures/conditions/loops.c");
    // i < 100 holds for 0 … 99; c may end it before.
    assert_eq!(iterations(&json, "while_both"), (100.0, true));
    // 100 … 1 pass the test.
    assert_eq!(iterations(&json, "counting_down"), (100.0, false));
    // i and j approach each other by two from n - 1 = 127: 63.5 rounds, the last with i = 63, j = 64.
    assert_eq!(iterations(&json, "both_ends"), (64.0, false));
    assert_eq!(iterations(&json, "at_least_once"), (50.0, false));
    // 100, 97 … 1.
    assert_eq!(iterations(&json, "by_three"), (34.0, false));
    assert_eq!(iterations(&json, "until_found"), (64.0, true));
    // 1, 2, 4 … 512.
    assert_eq!(iterations(&json, "doubling"), (10.0, false));
}
