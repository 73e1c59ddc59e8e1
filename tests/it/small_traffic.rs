//! Traffic of nests that move few lines, held against the simulation: elements that no loop moves, columns of short rows; and
//! what decides operations, but no bytes.

use crate::locality::{all_right, marked_in};
use crate::support::command;

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

/// Sizes that let rows overlap make a difference that no rule knows.
#[test]
fn rows_that_are_declared_too_short_are_marked() {
    let reasons = |size: &str| {
        let path = command::fixture(DIRECTORY).join("beyond.f90");
        let report = command::analysed(path, &["--set", size]);
        report["functions"][0]["nests"][0]["reasons"].clone()
    };
    assert_eq!(reasons("n=50"), serde_json::json!([]));
    assert_eq!(reasons("n=60"), serde_json::json!(["implausible_size"]));
}
