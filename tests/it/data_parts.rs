//! Traffic under conditions of which a part asks for loops and another one for data, held against the simulation.

use crate::locality::marked_in;
use crate::support::command;

const FILE: &str = "data_parts.c";

/// The first and the last value of a loop by steps are ranges of it, and of a row and a column outside of a box either has
/// lines of its own.
#[test]
fn parts_on_loops_say_where_data_decide() {
    let path = command::fixture("traffic").join(FILE);
    for function in ["first_and_last", "all_but_first", "corner", "column"] {
        let of = ["--function", function, "--sizes", "n=64,150,237"];
        let caches = ["--cache", "8KiB,full", "--cache", "900KiB,full"];
        for case in command::validated(&path, &[of, caches].concat()) {
            let ratio = case["ratio"].as_f64().expect("a ratio");
            assert!((ratio - 1.0).abs() < 0.05, "{case}");
        }
    }
}

/// What is counted otherwise than by a run with as many of the branches taken is marked.
#[test]
fn remainders_beside_data_are_marked() {
    let marked = marked_in("traffic", FILE);
    assert_eq!(marked.into_iter().collect::<Vec<_>>(), ["odd"]);
}
