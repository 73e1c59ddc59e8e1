//! Who causes pure miss cycles and epochs: the parts add up, and small cases by hand.

use std::fs;
use std::path::Path;

use crate::support::command::{self, loopsheet};
use serde_json::Value;

fn analysed(trace: &Path, arguments: &[&str]) -> Value {
    let mut command = loopsheet();
    command.arg("trace").arg(trace).args(["--json", "-"]);
    command::printed(command.args(arguments))
}

fn sum(list: &Value, key: &str) -> u64 {
    let parts = list.as_array().expect("a list").iter();
    parts.map(|part| part[key].as_u64().expect("a count")).sum()
}

/// The parts of every sample add up to m of the nearest level and to E_m of the caches, which others count.
#[test]
fn the_parts_of_all_samples_add_up() {
    let directory = command::root().join("samples/traces");
    let mut seen = 0;
    for entry in fs::read_dir(directory).expect("the samples") {
        let path = entry.expect("a file").path();
        if path.extension().is_none_or(|end| end != "zst") {
            continue;
        }
        seen += 1;
        for caches in [
            &["--cache", "1KiB,2way,4cycles"][..],
            &[
                "--cache",
                "512B,full,3cycles",
                "--cache",
                "4KiB,4way,12cycles",
                "--shared-level",
                "1",
            ],
        ] {
            let asked = [
                "--camat",
                "--blame",
                "--epochs",
                "--windows",
                "32",
                "--window",
                "32",
                "--slots",
                "3",
                "--epoch-slots",
                "3",
                "--capacities",
                "1KiB",
            ];
            let report = analysed(&path, &[&asked[..], caches].concat());
            let blame = &report["blame"];
            let what = path.display();
            let pure = report["camat"]["levels"][0]["m"].as_u64().expect("cycles");
            let epochs = report["epochs"]["caches"]["slots"]["3"][0]
                .as_u64()
                .expect("epochs");
            assert_eq!(blame["total"]["pure_miss_cycles"], pure, "{what}");
            assert_eq!(blame["total"]["epochs"], epochs, "{what}");
            assert_eq!(sum(&blame["pure_miss_cycles"], "count"), pure, "{what}");
            assert_eq!(sum(&blame["epochs"], "count"), epochs, "{what}");
            for list in ["lines", "objects"] {
                assert_eq!(sum(&blame[list], "pure_miss_cycles"), pure, "{what}");
                assert_eq!(sum(&blame[list], "epochs"), epochs, "{what}");
            }
        }
    }
    assert!(seen >= 8, "{seen} samples");
}

fn written(lines: &[&str]) -> (tempfile::TempDir, std::path::PathBuf) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("by hand.edan");
    fs::write(&path, lines.join("\n") + "\n").expect("a trace");
    (directory, path)
}

/// Two chained loads and an independent one, each of a line of its own: the first epoch ends for the first load, which is
/// older than the independent one; the second one ends for the load behind it.
#[test]
fn epochs_go_to_what_retirement_waits_for() {
    let (_directory, path) = written(&[
        "0;0x10;ld a0,0(a1);0x1000",
        "0;0x14;ld a2,0(a3);0x2000",
        "0;0x18;ld a0,0(a0);0x3000",
        "0;0x1c;addi a0,a0,1",
    ]);
    let report = analysed(&path, &["--blame", "--cache", "1KiB"]);
    let blame = &report["blame"];
    let found: Vec<(&str, u64)> = (blame["epochs"].as_array().expect("a list").iter())
        .map(|own| {
            (
                own["pc"].as_str().expect("a pc"),
                own["count"].as_u64().expect("epochs"),
            )
        })
        .collect();
    assert_eq!(found, [("0x10", 1), ("0x18", 1)]);
    assert_eq!(blame["total"]["epochs"], 2);
    // No core is asked for, so nothing is known of cycles.
    assert!(blame["total"]["pure_miss_cycles"].is_null());
    assert_eq!(blame["pure_miss_cycles"], serde_json::json!([]));
}

/// Nothing waits for stores: their epochs, one for every four lines, are counted when a load that misses waits behind them,
/// and are theirs.
#[test]
fn epochs_of_stores_are_not_those_of_the_next_load() {
    let mut lines: Vec<String> = (0..40)
        .map(|at| format!("0;0x10;sd a0,0(a1);{:#x}", 0x1000 + 64 * at))
        .collect();
    lines.push("0;0x14;ld a2,0(a3);0x9000".into());
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let (_directory, path) = written(&lines);
    let arguments = ["--blame", "--slots", "4", "--cache", "1KiB"];
    let report = analysed(&path, &arguments);
    let blame = &report["blame"];
    assert_eq!(blame["epochs"][0]["pc"], "0x10");
    assert_eq!(blame["epochs"][0]["count"], 10);
    assert_eq!(blame["epochs"][1]["pc"], "0x14");
    assert_eq!(blame["epochs"][1]["count"], 1);
    assert_eq!(blame["total"]["epochs"], 11);
}

/// One load that misses: look-up in cycles 1 to 4 of the core, then the latency, all of which is pure and its own.
#[test]
fn a_single_miss_has_all_pure_miss_cycles() {
    let (_directory, path) = written(&["0;0x10;ld a0,0(a1);0x1000"]);
    let caches = [
        "--blame",
        "--camat",
        "--cache",
        "1KiB,4cycles",
        "--latency",
        "50",
    ];
    let report = analysed(&path, &caches);
    assert_eq!(report["blame"]["pure_miss_cycles"][0]["count"], 50);
    assert_eq!(report["blame"]["pure_miss_cycles"][0]["pc"], "0x10");
    let mut command = loopsheet();
    let table = command.arg("trace").arg(&path).args(caches).output();
    let table = String::from_utf8(table.expect("it runs").stdout).expect("text");
    assert!(table.contains("0x10 ld a0,0(a1)"), "{table}");
}

#[test]
fn what_cannot_be_shared_is_refused() {
    let path = command::root().join("samples/traces/factorial.edan");
    for (arguments, said) in [
        (&["--blame"][..], "it needs --cache"),
        (
            &["--blame", "--cache", "1KiB", "--slots", "2.5"],
            "a whole number of misses",
        ),
        (
            &["--blame", "--cache", "1KiB", "--dependences", "all"],
            "epochs follow true dependences",
        ),
    ] {
        let mut command = loopsheet();
        let output = command.arg("trace").arg(&path).args(arguments).output();
        let output = output.expect("it runs");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(error.contains(said), "{error}");
    }
}
