//! `study` on programs where the line of an instruction does not tell all: loops that share one, loops that the compiler
//! made several of, blocks of the heap that moved. Figures counted by hand.
#![cfg(target_os = "linux")]

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::command;
use serde_json::Value;

const LEVELS: [&str; 3] = ["-O1", "-O2", "-O3"];

fn run(mut command: Command) {
    let output = command.output().expect("it runs");
    assert!(
        output.status.code().is_some_and(|code| code < 2),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn compiled(directory: &Path, source: &Path, flags: &[&str]) -> PathBuf {
    let program = directory.join("program");
    let mut compile = Command::new("riscv64-linux-gnu-gcc");
    compile
        .args(flags)
        .args(["-g", "-static", "-o"])
        .arg(&program)
        .arg(source);
    run(compile);
    program
}

/// The study of a fixture, compiled with these flags.
fn studied(fixture: &str, flags: &[&str]) -> Value {
    let directory = tempfile::tempdir().expect("a directory");
    let source = command::fixture("study").join(fixture);
    let program = compiled(directory.path(), &source, flags);
    study(directory.path(), &source, &program)
}

fn study(directory: &Path, source: &Path, program: &Path) -> Value {
    let out = directory.join("study.json");
    let mut study = command::recorder(directory);
    study
        .arg("study")
        .arg(source)
        .arg("--quiet")
        .arg("--guessed-parameters")
        .arg("--json")
        .arg(&out)
        .arg("--")
        .arg(program);
    run(study);
    command::json(&out)
}

fn rows<'v>(study: &'v Value, nest: &str) -> &'v Vec<Value> {
    let nests = study["nests"].as_array().expect("nests");
    let found = nests
        .iter()
        .find(|found| found["id"] == nest)
        .unwrap_or_else(|| panic!("no {nest}: {nests:#?}"));
    found["rows"].as_array().expect("rows")
}

/// Of the run.
fn traced(study: &Value, nest: &str, quantity: &str) -> Option<f64> {
    let rows = rows(study, nest);
    let row = rows.iter().find(|row| row["quantity"] == quantity);
    row.unwrap_or_else(|| panic!("no {quantity} of {nest}: {rows:#?}"))["traced"].as_f64()
}

#[test]
fn loops_that_share_a_line_are_told_apart() {
    for level in LEVELS {
        for columns in ["-gcolumn-info", "-gno-column-info"] {
            let study = studied("lines.c", &[level, columns]);
            let of = |quantity| traced(&study, "one_line@8", quantity);
            assert_eq!(of("executions"), Some(1.0), "{level} {columns}");
            assert_eq!(of("iterations"), Some(1200.0), "{level} {columns}");
            assert_eq!(
                of("mean trip count of i, line 8"),
                Some(40.0),
                "{level} {columns}"
            );
            assert_eq!(
                of("mean trip count of j, line 8"),
                Some(30.0),
                "{level} {columns}"
            );
            assert_eq!(of("stores to x"), Some(40.0), "{level} {columns}");
        }
    }
}

/// The first pass doubles 15 elements and begins a sixteenth round, the second doubles 7 and the third 3: 28 rounds.
#[test]
fn a_loop_that_is_left_early_was_executed_once() {
    for level in LEVELS {
        let study = studied("lines.c", &[level]);
        let of = |quantity| traced(&study, "left@12", quantity);
        assert_eq!(of("executions"), Some(1.0), "{level}");
        assert_eq!(of("mean trip count of k, line 12"), Some(3.0), "{level}");
        assert_eq!(of("iterations"), Some(28.0), "{level}");
        assert_eq!(of("stores to z"), Some(25.0), "{level}");
    }
}

#[test]
fn a_mean_is_that_of_all_executions() {
    for level in ["-O1", "-O2"] {
        let study = studied("lines.c", &[level]);
        assert_eq!(
            traced(&study, "seldom@22", "iterations"),
            Some(8.0),
            "{level}"
        );
        assert_eq!(
            traced(&study, "seldom@22", "mean trip count of j, line 23"),
            Some(2.0),
            "{level}"
        );
        let told = study["parameters"].as_array().expect("parameters");
        let told = told
            .iter()
            .find(|told| told["parameter"] == "trip_seldom_23")
            .expect("a trip count");
        assert_eq!(
            (told["fits"].as_f64(), told["is_mean"].as_bool()),
            (Some(2.0), Some(true)),
            "{level}"
        );
    }
}

#[test]
fn members_of_one_structure_lie_in_it_and_rounds_on_the_stack_count() {
    for level in LEVELS {
        let study = studied("lines.c", &[level]);
        assert_eq!(
            traced(&study, "chain@33", "stores to nodes"),
            Some(18.0),
            "{level}"
        );
        assert_eq!(
            traced(&study, "main@47", "iterations"),
            Some(9.0),
            "{level}"
        );
        assert_eq!(
            traced(&study, "main@47", "stores per iteration"),
            Some(2.0),
            "{level}"
        );
    }
}

#[test]
fn a_block_that_moved_and_its_neighbour_are_different_arrays() {
    for level in LEVELS {
        let study = studied("heap.c", &[level]);
        // Two executions of 48 rounds; u moved in between.
        assert_eq!(
            traced(&study, "smooth@9", "loads of u (heap 1, heap 3)"),
            Some(192.0),
            "{level}"
        );
        assert_eq!(
            traced(&study, "smooth@9", "stores to v (heap 2)"),
            Some(96.0),
            "{level}"
        );
    }
}

#[test]
fn the_heap_is_no_stack_after_a_jump_back() {
    for level in LEVELS {
        let study = studied("heap.c", &[level]);
        assert_eq!(
            traced(&study, "until@24", "iterations"),
            Some(18.0),
            "{level}"
        );
        assert_eq!(
            traced(&study, "until@24", "stores to v (heap 2)"),
            Some(18.0),
            "{level}"
        );
        let stack = |study: &Value| {
            let nests = study["nests"].as_array().expect("nests").iter();
            nests
                .flat_map(|nest| nest["rows"].as_array().expect("rows"))
                .any(|row| row["quantity"] == "stores to stack")
        };
        assert!(!stack(&study), "{level}");
    }
}

/// The program was compiled from a link, or the link is what is analysed.
#[test]
fn a_source_is_found_under_its_other_name() {
    let directory = tempfile::tempdir().expect("a directory");
    let fixture = command::fixture("study/heap.c");
    let (source, link) = (
        directory.path().join("heap.c"),
        directory.path().join("other.c"),
    );
    std::fs::copy(fixture, &source).expect("a copy");
    std::os::unix::fs::symlink(&source, &link).expect("a link");
    for (compiled_from, analysed) in [(&source, &link), (&link, &source)] {
        let program = compiled(directory.path(), compiled_from, &["-O1"]);
        let study = study(directory.path(), analysed, &program);
        assert_eq!(traced(&study, "smooth@9", "iterations"), Some(96.0));
    }
}
