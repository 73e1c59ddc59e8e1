//! Traffic of nests of few accesses, each of which is followed; and what the simulation knows of the places of members.

use crate::locality::all_right;
use crate::support::command;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const CACHES: [&str; 6] = [
    "--cache",
    "2KiB,full",
    "--cache",
    "32KiB,full",
    "--cache",
    "1MiB,full",
];

fn validated(file: &str, function: &str, arguments: &[&str]) -> Vec<Value> {
    let path = command::fixture("traffic").join(file);
    let all = [&["--function", function], &CACHES[..], arguments].concat();
    command::validated(&path, &all)
}

/// Reasons of the nests of a function, with sizes set.
fn reasons(file: &str, function: &str, sizes: &str) -> Vec<Value> {
    let path = command::fixture("traffic").join(file);
    let sizes: Vec<&str> = sizes.split(',').filter(|size| !size.is_empty()).collect();
    let arguments = [vec!["--no-check"], command::settings(&sizes)].concat();
    let report = command::analysed(path, &arguments);
    let mut functions = report["functions"].as_array().expect("functions").iter();
    let found = functions.find(|one| one["name"] == function);
    let nests = found.expect("the function")["nests"].as_array();
    let nests = nests.expect("nests").iter();
    nests.map(|nest| nest["reasons"].clone()).collect()
}

/// Every case has at least so many accesses.
fn has_accesses(cases: &[Value], least: u64) -> bool {
    let mut numbers = cases.iter().map(|case| case["accesses"].as_u64());
    numbers.all(|number| number.is_some_and(|number| number >= least))
}

#[test]
fn rows_of_which_all_lines_are_followed_have_no_star() {
    for function in ["plane", "across"] {
        all_right(&validated("followed.c", function, &[]));
        assert_eq!(
            reasons("followed.c", function, ""),
            [json!([])],
            "{function}"
        );
    }
}

/// With a probability of a half the bytes are half of those of a run, which is no error.
#[test]
fn a_branch_around_a_nest_does_not_mark_it() {
    for sizes in ["channels=3,height=64", "channels=300,height=64"] {
        assert_eq!(reasons("followed.c", "map", sizes)[0], json!([]), "{sizes}");
    }
}

/// Two hundred rows of 203 bytes are gone through as well as 17 of 17.
#[test]
fn both_ends_of_short_rows_are_marked_where_they_share_a_line() {
    for size in [17, 64, 203] {
        let sizes = format!("w={size},h={size},channels=1");
        assert_eq!(
            reasons("followed.c", "border", &sizes),
            [json!(["few_rows"])],
            "{size}"
        );
    }
    // Of 203 rows of 203 records not all is followed.
    let is_marked = |size: &str| reasons("followed.c", "border", size) == [json!(["few_rows"])];
    assert!(is_marked("w=203,h=203,channels=3"));
    assert!(!is_marked("w=64,h=64,channels=3"));
    let sizes = ["--sizes", "w,h=64", "--set", "channels=3"];
    all_right(&validated("followed.c", "border", &sizes));
}

#[test]
fn members_are_where_pointers_of_blocks_are() {
    for function in [
        "pointed",
        "in_structure",
        "moved",
        "stored",
        "twice",
        "nested",
    ] {
        let found = validated("block_pointers.c", function, &["--sizes", "n=17,64,203"]);
        all_right(&found);
        assert!(has_accesses(&found, 17), "{function}: {found:?}");
    }
}

/// Run without the loops beside them, the rows would be one.
#[test]
fn what_a_loop_left_out_moves_is_not_taken_to_stand_still() {
    let nests = |function: &str| {
        let found = validated("left_out.c", function, &["--sizes", "n,m=17,64"]);
        let nests = found.iter().filter_map(|case| case["nest"].as_str());
        nests.map(str::to_string).collect::<BTreeSet<String>>()
    };
    let names = |all: &[&str]| all.iter().map(|name| (*name).to_string()).collect();
    // What is missing cannot be run alone.
    assert_eq!(nests("heads"), names(&[]));
    assert_eq!(nests("stretch"), names(&["stretch@18"]));
    assert_eq!(nests("sums"), names(&["sums@32"]));
}
