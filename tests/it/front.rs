//! What other programs call gives what the command line gives.

use std::path::Path;

use serde_json::Value;

use loopsheet::{Options, TraceOptions};

use crate::support::command::{loopsheet, root};

/// The JSON that a command prints.
fn printed(arguments: &[&str]) -> Value {
    let mut command = loopsheet();
    let output = command.current_dir(root()).args(arguments).output();
    let output = output.expect("it runs");
    assert!(output.status.success(), "{arguments:?}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// A path below the repository, as the command line gets it there.
fn sample(path: &str) -> std::path::PathBuf {
    root().join(path)
}

/// The same with files as they are named from the repository.
fn relative(report: &impl serde::Serialize) -> Value {
    let text = serde_json::to_string(report).expect("JSON");
    let prefix = format!("{}/", root().display());
    serde_json::from_str(&text.replace(&prefix, "")).expect("JSON")
}

#[test]
fn analyses_are_those_of_the_command_line() {
    let mut options = Options::default();
    options.machine = Some("xeon-8380".to_string());
    options.settings = vec![("n".to_string(), "512".to_string())];
    let report = loopsheet::analyze(&[sample("samples/kernels/matmul.c")], &options);
    let found = relative(&report.expect("a report"));
    let expected = printed(&[
        "analyze",
        "samples/kernels/matmul.c",
        "--no-config",
        "-q",
        "--machine",
        "xeon-8380",
        "--set",
        "n=512",
        "--json",
        "-",
    ]);
    assert_eq!(found, expected);
}

#[test]
fn traces_are_those_of_the_command_line() {
    let path = "samples/traces/factorial.execlog";
    let mut options = TraceOptions::default();
    options.caches = vec!["1KiB,2way".to_string()];
    options.epochs = true;
    let file = std::fs::File::open(sample(path)).expect("a trace");
    let found = relative(&loopsheet::trace(file, path, &options).expect("a report"));
    let expected = printed(&[
        "trace",
        path,
        "-q",
        "--cache",
        "1KiB,2way",
        "--epochs",
        "--json",
        "-",
    ]);
    for key in ["trace", "mix", "cache", "edag", "epochs", "movement"] {
        assert_eq!(found[key], expected[key], "{key}");
    }
}

#[test]
fn validations_are_those_of_the_command_line() {
    let mut options = Options::default();
    options.settings = vec![("n".to_string(), "48".to_string())];
    let report = loopsheet::validate(&[sample("samples/kernels/matmul.c")], &options);
    let found = relative(&report.expect("a report"));
    let expected = printed(&[
        "validate",
        "samples/kernels/matmul.c",
        "--no-config",
        "-q",
        "--set",
        "n=48",
        "--json",
        "-",
    ]);
    assert_eq!(found, expected);
}

#[test]
fn differences_are_those_of_the_command_line() {
    let side = |name: &str| {
        let path = sample(&format!("samples/changes/{name}"));
        loopsheet::analyze(&[path], &Options::default()).expect("a report")
    };
    let found = loopsheet::diff(
        side("old"),
        side("new"),
        &loopsheet::diff::Limits::default(),
    );
    let found = serde_json::to_value(found.expect("a difference")).expect("JSON");
    let expected = printed(&[
        "diff",
        "samples/changes/old",
        "samples/changes/new",
        "--no-config",
        "-q",
        "--json",
        "-",
    ]);
    assert_eq!(found["totals"], expected["totals"]);
    let rows = |difference: &Value| -> Vec<Value> {
        let nests = difference["nests"].as_array().expect("a list");
        nests.iter().map(|nest| nest["rows"].clone()).collect()
    };
    assert_eq!(rows(&found), rows(&expected));
}

#[test]
fn errors_say_what_is_wrong() {
    let missing = loopsheet::analyze(&["nowhere.c"], &Options::default());
    let message = missing.expect_err("no such file").to_string();
    assert!(message.contains("cannot read nowhere.c"), "{message}");
    let mut options = Options::default();
    options.machine = Some("abacus".to_string());
    let unknown = loopsheet::analyze(&[Path::new("x.c")], &options);
    let message = unknown.expect_err("no such machine").to_string();
    assert!(message.contains("abacus"), "{message}");
    let mut options = Options::default();
    options.settings = vec![("nonsense".to_string(), "1".to_string())];
    let unknown = loopsheet::analyze(&[sample("samples/kernels/matmul.c")], &options);
    let message = unknown.expect_err("no such parameter").to_string();
    assert!(message.contains("nonsense"), "{message}");
    let mut options = TraceOptions::default();
    options.slots = 0.0;
    let refused = loopsheet::trace(std::io::empty(), "nothing", &options);
    let message = refused.expect_err("no slots").to_string();
    assert!(message.contains("slots is 0"), "{message}");
}
