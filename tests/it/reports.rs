//! What a report says does not depend on what else is asked for.

use crate::small::c;
use crate::support::command::{loopsheet, root};
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
