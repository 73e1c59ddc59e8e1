//! `loopsheet rank`: several traces in one table.

use std::fs;
use std::path::PathBuf;

use crate::support::command::{self, loopsheet};
use serde_json::Value;

fn sample(name: &str) -> PathBuf {
    command::root().join(format!("samples/traces/{name}.execlog.zst"))
}

fn ranked(names: &[&str], arguments: &[&str]) -> Value {
    let mut command = loopsheet();
    command
        .arg("rank")
        .args(names.iter().map(|name| sample(name)));
    command::printed(command.args(arguments).args(["--json", "-"]))
}

fn names(report: &Value) -> Vec<String> {
    let traces = report["traces"].as_array().expect("traces").iter();
    let name = |trace: &Value| {
        let path = trace["path"].as_str().expect("a path");
        let name = path
            .rsplit('/')
            .next()
            .and_then(|name| name.split('.').next());
        name.expect("a name").to_string()
    };
    traces.map(name).collect()
}

/// A list whose every element is a miss that waits for the one before is felt most, whatever the order of the arguments; a
/// product of small matrices least. Each figure is the one that `trace` has of the trace alone.
#[test]
fn the_most_sensitive_is_first_and_its_figures_are_those_of_trace() {
    let report = ranked(&["matmul", "list", "jacobi"], &[]);
    assert_eq!(names(&report), ["list", "jacobi", "matmul"]);
    for trace in report["traces"].as_array().expect("traces") {
        let mut command = loopsheet();
        command
            .arg("trace")
            .arg(trace["path"].as_str().expect("a path"));
        command.args(["--camat", "--slots", "8", "--epochs", "--epoch-slots", "8"]);
        command.args(["--windows", "64", "--capacities", "1KiB", "--json", "-"]);
        let alone = command::printed(&mut command);
        let level = &alone["camat"]["levels"][0];
        let caches = &alone["epochs"]["caches"];
        for (key, expected) in [
            ("lambda", &alone["edag"]["lambda"]),
            ("relative_lambda", &alone["edag"]["relative_lambda"]),
            ("memory_work", &alone["edag"]["memory_work"]),
            ("CAMAT", &level["CAMAT"]),
            ("accesses", &level["alpha"]),
            ("slot_epochs", &caches["slots"]["8"][0]),
            ("epochs", &caches["epochs"][0]),
            ("instructions", &alone["trace"]["instructions"]),
        ] {
            assert_eq!(&trace[key], expected, "{key}");
        }
    }
    // 1,000 elements in 4,004 instructions, each a miss of its own.
    let first = &report["traces"][0];
    assert_eq!(
        (&first["slot_epochs"], &first["rank"]),
        (&1000.into(), &1.into())
    );
    assert_eq!(first["slot_epochs_per_thousand"], 1e6 / 4004.0);
    let backwards = ranked(&["jacobi", "list", "matmul"], &[]);
    assert_eq!(report, backwards);
}

/// Caches without latencies make no core: what needs one is unknown, and the report says why.
#[test]
fn without_cycles_of_a_hit_there_is_no_core() {
    let report = ranked(&["sum", "spmv"], &["--cache", "1KiB"]);
    for trace in report["traces"].as_array().expect("traces") {
        assert!(trace["CAMAT"].is_null() && trace["bandwidth"].is_null());
        assert!(trace["slot_epochs"].as_u64().expect("known") > 0);
    }
    let notes = report["notes"].to_string();
    assert!(notes.contains("C-AMAT and bandwidth need"), "{notes}");
}

#[test]
fn files_are_written_together_or_not_at_all() {
    let directory = tempfile::tempdir().expect("a directory");
    let of = |name: &str| directory.path().join(name);
    let odd = of("a \"list\" & ü.zst");
    fs::copy(sample("list"), &odd).expect("a copy");
    let mut command = loopsheet();
    command.arg("rank").arg(&odd).arg(sample("sum"));
    command
        .arg("-o")
        .arg(of("rank.xlsx"))
        .arg("--svg")
        .arg(of("rank.svg"));
    let output = command.output().expect("it runs");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let drawn = fs::read_to_string(of("rank.svg")).expect("a picture");
    assert!(drawn.contains("&quot;list&quot; &amp; ü.zst"), "{drawn}");
    assert!(fs::metadata(of("rank.xlsx")).expect("a workbook").len() > 1000);
    fs::write(of("cut.edan"), "0;0x10;ld a0,0(a1);0x1000\n0;0x14;ld a0,").expect("a file");
    let mut command = loopsheet();
    command.arg("rank").arg(sample("sum")).arg(of("cut.edan"));
    let output = command
        .arg("--svg")
        .arg(of("other.svg"))
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("cut.edan"),
        "{output:?}"
    );
    assert!(!of("other.svg").exists());
}

#[test]
fn bad_usage_is_refused() {
    let trace = sample("sum");
    for (arguments, said) in [
        (&["--cache", "none"][..], "ranked by the misses of caches"),
        (&["--slots", "0"], "--slots 0"),
        (&["--svg", "a.png"], "the extension says what to write"),
        (
            &["--cache", "1KiB", "--mshrs", "4"],
            "a core needs write-back caches",
        ),
        (&["--window", "5000"], "5000"),
        (&["--latency=-3"], "--latency"),
    ] {
        let output = loopsheet().arg("rank").arg(&trace).args(arguments).output();
        let output = output.expect("it runs");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(error.contains(said), "{error}");
    }
}
