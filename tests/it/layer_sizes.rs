//! The largest sizes of layer conditions: set to these, working sets are as large as the cache.

use std::path::Path;

use crate::support::command;
use serde_json::Value;

fn conditions(path: &Path, settings: &[String]) -> Vec<Value> {
    let settings = settings.iter().map(String::as_str);
    let arguments: Vec<&str> = ["--machine", "xeon-8380"]
        .into_iter()
        .chain(settings)
        .collect();
    let mut found = Vec::new();
    gather(&command::analysed(path, &arguments), &mut found);
    found
}

/// All of them, wherever they are.
fn gather(value: &Value, found: &mut Vec<Value>) {
    match value {
        Value::Object(fields) => {
            found.extend(
                fields
                    .get("layer_conditions")
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten()
                    .cloned(),
            );
            fields.values().for_each(|field| gather(field, found));
        }
        Value::Array(items) => items.iter().for_each(|item| gather(item, found)),
        _ => {}
    }
}

#[test]
fn a_size_solved_for_fills_the_cache() {
    let root = command::root();
    let capacities = [49152.0, 1_310_720.0];
    let mut seen = 0;
    for file in [
        "tests/fixtures/stencils/stencils.c",
        "samples/kernels/matmul.c",
        "samples/kernels/euler.f90",
    ] {
        let path = root.join(file);
        for condition in conditions(&path, &[]) {
            for (cache, capacity) in condition["caches"]
                .as_array()
                .expect("caches")
                .iter()
                .zip(capacities)
            {
                for (name, largest) in cache["largest"].as_object().expect("sizes") {
                    let largest = largest.as_f64().expect("a number");
                    if !(64.0..100_000.0).contains(&largest) {
                        continue;
                    }
                    let same = |other: &Value| {
                        ["carried_by", "in_between", "arrays"]
                            .iter()
                            .all(|key| other[key] == condition[key])
                    };
                    let settings = ["--set".to_string(), format!("{name}={largest}")];
                    let with = conditions(&path, &settings);
                    let sets = with
                        .iter()
                        .filter(|other| same(other))
                        .filter_map(|other| other["working_set"].as_f64());
                    let nearest = sets
                        .map(|set| (set / capacity - 1.0).abs())
                        .fold(f64::INFINITY, f64::min);
                    assert!(
                        nearest < 0.1,
                        "{file}: {name}={largest} in {capacity}: {nearest} off, {condition}"
                    );
                    seen += 1;
                }
            }
        }
    }
    assert!(seen > 10, "{seen}");
}

/// Three rows of `a` and one of `b`, of doubles: what a row may be.
#[test]
fn rows_of_a_stencil() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("k.c");
    let text = "void f(int n, int m, double a[n][m], double b[n][m]) {
      for (int i = 1; i < n - 1; i++) for (int j = 0; j < m; j++) b[i][j] = a[i - 1][j] + a[i][j] + a[i + 1][j]; }";
    std::fs::write(&path, text).expect("written");
    let all = conditions(&path, &["--set".to_string(), "m=1024".to_string()]);
    let rows = all
        .iter()
        .find(|c| c["carried_by"] == "i" && c["in_between"] == "1 iteration of i")
        .expect("rows");
    // Rows of 8 KiB begin at lines: 32 KiB together.
    assert_eq!(rows["working_set"], 32768);
    assert_eq!(
        (
            &rows["caches"][0]["fits"],
            &rows["caches"][0]["largest"]["m"]
        ),
        (&Value::Bool(true), &1536.into())
    );
}
