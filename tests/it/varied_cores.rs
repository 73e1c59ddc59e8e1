//! The core with one parameter varied: as a run of its own with that parameter.

use std::fs;

use crate::support::command::{self, loopsheet};
use serde_json::Value;

fn analysed(arguments: &[&str]) -> Value {
    let mut command = loopsheet();
    let trace = command::root().join("samples/traces/spmv.execlog.zst");
    command.arg("trace").arg(trace);
    command.args(["--camat", "--json", "-", "--quiet"]);
    command::printed(command.args(arguments))
}

#[test]
fn a_varied_core_is_the_core_with_that_parameter() {
    let own = analysed(&[
        "--vary",
        "window=8,64",
        "--vary",
        "mshrs=1,8",
        "--vary",
        "issue-width=1",
        "--vary",
        "ports=1",
    ]);
    let varied = own["varied_cores"].as_array().expect("cores");
    let alone = [
        ("window", 8, &["--window", "8"]),
        ("window", 64, &["--window", "64"]),
        ("mshrs", 1, &["--mshrs", "1"]),
        ("mshrs", 8, &["--mshrs", "8"]),
        ("issue-width", 1, &["--issue-width", "1"]),
        ("ports", 1, &["--ports", "1"]),
    ];
    assert_eq!(varied.len(), alone.len());
    for (core, (parameter, value, arguments)) in varied.iter().zip(alone) {
        assert_eq!(core["parameter"], parameter);
        assert_eq!(core["value"], value);
        let report = analysed(arguments);
        let level = &report["camat"]["levels"][0];
        for key in ["AMAT", "CAMAT", "C_H", "C_M"] {
            assert_eq!(core[key], level[key], "{parameter} {value} {key}");
        }
        assert_eq!(
            core["cycles"], report["camat"]["program"]["hart_cycles"],
            "{parameter} {value}"
        );
    }
    // That of the run is among them, and is not changed by the others.
    assert_eq!(own["camat"], analysed(&[])["camat"]);
}

#[test]
fn they_are_drawn_and_in_the_table() {
    let directory = tempfile::tempdir().expect("a directory");
    let chart = directory.path().join("cores.svg");
    let trace = command::root().join("samples/traces/spmv.execlog.zst");
    let run = |more: &[&str]| {
        let mut command = loopsheet();
        command
            .arg("trace")
            .arg(&trace)
            .args(["--camat", "--vary", "window=8,64"]);
        let output = command.args(more).output().expect("it runs");
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        String::from_utf8(output.stdout).expect("text")
    };
    let table = run(&[]);
    assert!(table.contains("cores with one parameter varied"), "{table}");
    run(&["--vary-chart", chart.to_str().expect("a name")]);
    let drawn = fs::read_to_string(chart).expect("a picture");
    assert!(drawn.contains("instructions of the window"), "{drawn}");
}

#[test]
fn bad_usage_is_refused() {
    for (arguments, said) in [
        (&["--vary", "window"][..], "must be PARAMETER=LIST"),
        (&["--vary", "depth=3"], "no parameter depth"),
        (&["--vary", "window=0"], "from 1 to 1024"),
        (&["--vary", "issue-width=65"], "from 1 to 64"),
        (&["--vary", "mshrs=4,4"], "4 twice"),
        (
            &["--vary", "window=8", "--vary-chart", "a.png"],
            "the extension says what to write",
        ),
    ] {
        let mut command = loopsheet();
        let trace = command::root().join("samples/traces/sum.execlog.zst");
        let output = command
            .arg("trace")
            .arg(trace)
            .arg("--camat")
            .args(arguments)
            .output();
        let output = output.expect("it runs");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(error.contains(said), "{error}");
    }
}
