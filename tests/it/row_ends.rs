//! Traffic of rows that share lines with the next ones, held against the simulation: what lies between the use of one end of
//! such a line and that of the other one.

use crate::locality::all_right;
use crate::support::command;

fn is_right(function: &str, capacity: &str, sizes: &[&str]) {
    let path = command::fixture("traffic").join("row_ends.c");
    let of = ["--function", function, "--cache", capacity];
    all_right(&command::validated(&path, &[&of[..], sizes].concat()));
}

/// All rows are walked at once, and arrays are a little larger than the cache.
#[test]
fn as_many_iterations_fewer_as_come_to_a_line() {
    for function in ["turned", "flat"] {
        is_right(function, "4KiB,full", &["--set", "n=17", "--set", "m=16"]);
        is_right(function, "8KiB,full", &["--set", "n=12", "--set", "m=45"]);
        is_right(function, "16KiB,full", &["--set", "n=17", "--set", "m=64"]);
        is_right(function, "16KiB,full", &["--set", "n=12", "--set", "m=100"]);
    }
    is_right("by_fours", "8KiB,full", &["--set", "n=17", "--set", "m=45"]);
}

/// The ends of rows of ten elements of twelve are six iterations nearer to each other, not eight.
#[test]
fn elements_between_rows_are_part_of_the_line() {
    is_right("inside", "16KiB,full", &["--set", "n=12"]);
}

/// The end of a row and the beginning of the next one are one iteration of the loop along rows apart.
#[test]
fn rows_of_all_planes_one_after_another() {
    for capacity in ["3KiB,full", "4KiB,full", "8KiB,full"] {
        is_right("planes", capacity, &["--set", "n=17"]);
    }
}
