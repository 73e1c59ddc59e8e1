//! What a report says does not depend on what else is asked for.

use crate::small::c;
use crate::support::command::{analysed, fixture, loopsheet, root};
use serde_json::json;

#[test]
fn json_is_the_same_beside_every_other_output() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name).display().to_string();
    let report = |name: &str, others: &[&str]| {
        let json = path(name);
        let mut command = loopsheet();
        command.arg("analyze").arg(root().join("samples/kernels"));
        command.args(["--quiet", "--json", &json]).args(others);
        command.assert().code(0);
        std::fs::read_to_string(json).expect("a report")
    };
    let alone = report("alone.json", &[]);
    assert!(alone.contains("\"carried_by\""));
    for (option, name) in [
        ("--html", "a.html"),
        ("-o", "a.xlsx"),
        ("--tables", "tables"),
    ] {
        let beside = report("beside.json", &[option, &path(name)]);
        assert!(alone == beside, "{option} changes the JSON");
    }
}

/// The reason that a nest has for its star is counted like every other one.
#[test]
fn loops_with_estimated_counts_are_counted() {
    let report = c("
        void f(int n, double *a) {
            for (int i = 0; i < n; i++) { if (a[i] > 9) break; a[i] += 1; }
            for (int i = 0; i < n; i++) a[i] += 1;
        }");
    let nests = &report["functions"][0]["nests"];
    assert_eq!(nests[0]["reasons"], json!(["approximate_trip_count"]));
    assert_eq!(nests[1]["reasons"], json!([]));
    assert_eq!(
        report["coverage"]["estimated"],
        json!({ "approximate_trip_count": 1 })
    );
}

/// The keys that scripts find a program's costs by: what it is given, where it begins, and of every nest how often it runs,
/// what a run with small sizes says of it, and what would make it faster.
#[test]
fn nests_say_what_was_checked_and_what_would_help() {
    let report = analysed(fixture("advice").join("triad.c"), &["--set", "n=10000000"]);
    let keys = |value: &serde_json::Value, keys: &[&str]| {
        for key in keys {
            assert!(value.get(key).is_some(), "{key} of {value}");
        }
    };
    keys(&report, &["roots", "entry"]);
    let root = &report["roots"][0];
    keys(root, &["name", "value", "origin", "influence", "place"]);
    let nest = &report["functions"][0]["nests"][0];
    keys(
        nest,
        &["calls", "one_call_seconds", "all_calls_seconds", "share"],
    );
    // It agrees with the run: three arrays are read or written once, and the written one is fetched first.
    let checked = &nest["checked"];
    assert_eq!(checked["ratio"], 1.0);
    let lines = checked["simulated_bytes"].as_f64().expect("bytes") / 64.0;
    assert_eq!(lines % 4.0, 0.0);
    assert!(nest.get("disagreement").is_none());
    let advice = &report["advice"][0];
    let own = &nest["advice"][0];
    for key in ["kind", "text", "gain_seconds", "formula", "legal"] {
        assert_eq!(own[key], advice[key], "{key}");
    }
    assert_eq!(own["kind"], "streaming_stores");
    assert_eq!(own["gain_seconds"], advice["seconds_saved"]);
    assert_eq!(own["legal"], "proven");
    let text = own["text"].as_str().expect("a text");
    assert!(text.contains("streaming stores to a"), "{text}");
    let formula = own["formula"].as_str().expect("a formula");
    for part in [
        "«memory traffic»/«memory bandwidth»",
        "«memory traffic, streaming stores»/«memory bandwidth»",
        "overlap*(MAX(",
    ] {
        assert!(formula.contains(part), "{part} in {formula}");
    }
}
