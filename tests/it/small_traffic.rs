//! Traffic of nests that move few lines, held against the simulation: elements that no loop moves, columns of short rows; and
//! what decides operations, but no bytes.

use crate::locality::{all_right, marked_in};
use crate::support::command;
use serde_json::{Value, json};

const DIRECTORY: &str = "traffic";

fn is_right(file: &str, functions: &str, arguments: &[&str]) {
    let path = command::fixture(DIRECTORY).join(file);
    let caches = ["--cache", "2KiB,full", "--cache", "1MiB,full"];
    let all = [&["--function", functions], &caches[..], arguments].concat();
    all_right(&command::validated(&path, &all));
}

#[test]
fn elements_that_no_loop_moves_are_fetched_once() {
    for function in ["beside", "alone", "three"] {
        is_right("fixed.c", function, &["--sizes", "n=17,64,203"]);
    }
    let marked = marked_in(DIRECTORY, "fixed.c");
    let expected = ["one_array", "among_others"];
    assert!(
        expected.iter().all(|name| marked.contains(*name)),
        "{marked:?}"
    );
    assert_eq!(marked.len(), expected.len(), "{marked:?}");
}

#[test]
fn columns_of_rows_shorter_than_a_line() {
    let rows = ["--sizes", "n=1,2,3,5,8,16", "--sizes", "m=17,64"];
    is_right(
        "columns.f90",
        "column",
        &[&rows[..], &["--set", "is=1"]].concat(),
    );
    is_right("columns.f90", "columns", &rows);
    is_right("columns.f90", "named", &["--sizes", "m=120"]);
    // Shorter ones are marked: where in a line each begins is not followed.
    for size in ["m=17", "m=64"] {
        assert_eq!(reasons("columns.f90", "named", size), json!(["few_rows"]));
    }
}

#[test]
fn sizes_that_methods_return() {
    is_right(
        "returned.f90",
        "integrate",
        &["--sizes", "e_get_points_e=17,64"],
    );
}

#[test]
fn operations_that_an_undecided_branch_decides_are_marked() {
    let marked = marked_in(DIRECTORY, "undecided.c");
    assert_eq!(marked.into_iter().collect::<Vec<_>>(), ["more"]);
}

/// What is read for the bounds of a loop belongs to what is around it.
#[test]
fn bounds_that_are_read() {
    is_right("bounds.c", "first", &["--sizes", "last_k=17,64,203"]);
}

/// Reasons of the nests of a function, with a size set.
fn reasons(file: &str, function: &str, size: &str) -> Value {
    let report = command::analysed(command::fixture(DIRECTORY).join(file), &["--set", size]);
    let mut functions = report["functions"].as_array().expect("functions").iter();
    let found = functions.find(|one| one["name"] == function);
    found.expect("the function")["nests"][0]["reasons"].clone()
}

/// Columns that share lines are counted one by one, which is marked where that matters.
#[test]
fn short_columns_that_share_lines_are_marked() {
    is_right("columns.f90", "short", &["--sizes", "n=203"]);
    assert_eq!(reasons("columns.f90", "short", "n=1003"), json!([]));
    assert_eq!(reasons("columns.f90", "short", "n=5"), json!(["few_rows"]));
}

/// Sizes that let rows overlap make a difference that no rule knows.
#[test]
fn rows_that_are_declared_too_short_are_marked() {
    let is_marked = |size: &str| {
        let reasons = reasons("beyond.f90", "beyond", size);
        let mut reasons = reasons.as_array().expect("reasons").iter();
        reasons.any(|reason| reason == "implausible_size")
    };
    assert!(!is_marked("n=50"));
    assert!(is_marked("n=60"));
}
