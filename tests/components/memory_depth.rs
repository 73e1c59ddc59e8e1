//! `tests/studies/memory_depth`: orders of growth told by sequences whose order is known, and by kernels that are compiled and
//! run here.
#![cfg(target_os = "linux")]

use std::process::Command;

use serde_json::{Value, json};

use crate::studies::{printed, study};
use crate::support::command;

/// The order that the script finds for values at 32, 40, 48, 56 and 64, a formula over N.
fn order(values: &str) -> Value {
    let script = "import importlib.machinery as m, json, sys\n\
                  depth = m.SourceFileLoader('memory_depth', sys.argv[1]).load_module()\n\
                  print(json.dumps(depth.order([eval(sys.argv[2]) for N in range(32, 65, 8)])))";
    let studies = command::root().join("tests/studies");
    let found = printed(
        Command::new("python3")
            .args(["-W", "ignore", "-B", "-c", script])
            .arg(studies.join("memory_depth"))
            .arg(values)
            .env("PYTHONPATH", studies),
    );
    serde_json::from_str(&found).expect("JSON")
}

#[test]
fn orders_of_sequences() {
    for (values, expected) in [
        ("8", json!(0)),
        ("0", json!(0)),
        ("2 * N + 2", json!(1)),
        ("N // 8", json!(1)),
        // Rounds that do not divide evenly.
        ("2 * N + (N * 7) % 2", json!(1)),
        ("100 * N + N * N", json!(2)),
        ("N * (N - 1) // 2 + 30 * N", json!(2)),
        ("N ** 3 // 6", json!(3)),
        // Five values lie on no polynomial of a lower order than 4, so nothing is said.
        ("N ** 4", json!(null)),
        ("2 ** (N // 8)", json!(null)),
        ("int(100 * N ** 0.5)", json!(null)),
        ("2 if N < 40 else 2 * N", json!(null)),
    ] {
        assert_eq!(order(values), expected, "{values}");
    }
}

/// The kernel of EDAN's slides adds to an element of memory round after round, which is a chain of stores and loads;
/// where every element stands by itself there is none.
#[test]
fn the_published_kernel_is_linear_and_its_line_is_named() {
    let directory = tempfile::tempdir().expect("a directory");
    let found = directory.path().join("found.json");
    let fixtures = command::fixture("memory_depth");
    let mut script = study("memory_depth");
    for kernel in ["trmm_slide.c", "squares.c"] {
        script.arg("--source").arg(fixtures.join(kernel));
    }
    script
        .args(["--sizes", "8,16,24", "--flags=-O2", "--json"])
        .arg(&found);
    printed(script.env("XDG_CACHE_HOME", directory.path()));
    let found = command::json(&found);
    let [trmm, squares] = [&found[0], &found[1]];
    // A row's last element waits for all rounds of two rows: a load and a store each.
    assert_eq!(
        (&trmm["order"], &trmm["chain"]),
        (&json!(1), &json!("stored, loaded")),
        "{trmm:#}"
    );
    let depths: Vec<u64> = serde_json::from_value(trmm["depths"].clone()).expect("depths");
    assert!(
        depths
            .iter()
            .zip([8, 16, 24])
            .all(|(depth, n)| *depth == 4 * n - 4),
        "{depths:?}"
    );
    assert_eq!(
        trmm["line"]["text"], "B[i][j] += alpha * A[i][k] * B[j][k];",
        "{trmm:#}"
    );
    assert_eq!(
        trmm["line"]["stack"], 0,
        "registers are not what is missing"
    );
    assert_eq!(
        (&squares["order"], &squares["depths"]),
        (&json!(0), &json!([2, 2, 2])),
        "{squares:#}"
    );
}
