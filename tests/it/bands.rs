//! Low, likely and high times: both ends are estimates under the switches that they stand for.

use std::fs;

use serde_json::Value;

use crate::support::command::{analysed, fixture};

const ALL_ON: &str = "vectorise=1,vector_functions=1,reorder_sums=1,random_branches=0";
const ALL_OFF: &str = "vectorise=0,vector_functions=0,reorder_sums=0,random_branches=1";

fn kernels(settings: &str) -> Value {
    let core = fixture("clock/core.toml");
    let fortran = fixture("clock/kernels.f90");
    let [core, fortran] = [core, fortran].map(|path| path.to_str().expect("a path").to_string());
    let options = [
        fortran.as_str(),
        "--machine",
        core.as_str(),
        "--set",
        settings,
        "--no-config",
    ];
    analysed(fixture("clock/kernels.c"), &options)
}

fn nests(json: &Value) -> impl Iterator<Item = &Value> {
    let functions = json["functions"].as_array().expect("functions");
    functions
        .iter()
        .flat_map(|function| function["nests"].as_array().expect("nests"))
}

fn seconds(nest: &Value, key: &str) -> f64 {
    nest[key].as_f64().unwrap_or(f64::NAN)
}

/// Of sizes that fit into a cache and that do not, over all kernels of the study with a clock.
#[test]
fn ends_are_the_estimates_with_the_switches_that_they_stand_for() {
    for n in [100, 1000, 100_000] {
        let with = |switches: &str| kernels(&format!("n={n},{switches}"));
        let json = with("warm=0");
        let warm = ["", ALL_ON, ALL_OFF].map(|switches| match switches {
            "" => with("warm=1"),
            switches => with(&format!("warm=1,{switches}")),
        });
        let cold = [ALL_ON, ALL_OFF].map(with);
        let mut wide = 0;
        for (position, nest) in nests(&json).enumerate() {
            let likely = seconds(nest, "seconds");
            if likely.is_nan() {
                continue;
            }
            let other = |json: &Value| {
                let nest = nests(json).nth(position).expect("the same nest");
                seconds(nest, "seconds")
            };
            let low = warm.iter().map(other).fold(likely, f64::min);
            let high = cold.iter().map(other).fold(likely, f64::max);
            let ends = [seconds(nest, "low_seconds"), seconds(nest, "high_seconds")];
            for (found, expected) in ends.into_iter().zip([low, high]) {
                assert!(
                    (found - expected).abs() <= 1e-9 * expected,
                    "{} n={n}: {found} is not {expected}",
                    nest["loop"]
                );
            }
            let is_open = nest["open"].as_array().is_some_and(|open| !open.is_empty());
            assert!(is_open || low == high, "{} n={n}", nest["loop"]);
            wide += usize::from(high > 1.5 * low);
        }
        assert!(wide > 5, "n={n}: {wide} wide bands");
    }
}

/// What is called once finds nothing of an execution before.
#[test]
fn caches_are_open_where_a_nest_is_executed_again() {
    let directory = tempfile::tempdir().expect("a directory");
    let open = |body: &str| {
        let source = format!(
            "void prefix(int n, double *a) {{\n    for (int i = 1; i < n; i++) a[i] = a[i] + a[i - 1];\n}}\n{body}"
        );
        let path = directory.path().join("again.c");
        fs::write(&path, source).expect("written");
        let json = analysed(path, &["--no-config", "--set", "n=1000"]);
        let nest = nests(&json).next().expect("a nest");
        let open = nest["open"].as_array().cloned().unwrap_or_default();
        let is_wide = seconds(nest, "low_seconds") < seconds(nest, "seconds");
        (open.contains(&Value::from("caches")), is_wide)
    };
    let main =
        |body: &str| format!("double x[1000];\nint main(void) {{\n    {body}\n    return 0;\n}}\n");
    assert_eq!(open(&main("prefix(1000, x);")), (false, false));
    // It is shown that all but the first find everything.
    let again = main("for (int t = 0; t < 10; t++) prefix(1000, x);");
    assert_eq!(open(&again), (false, false));
    let between = main("for (int t = 0; t < 10; t++) { prefix(1000, x); more(x); }");
    assert!(open(&between).0);
    // Nothing says how often it is called.
    assert!(open("").0);
}
