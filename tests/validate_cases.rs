//! Cases of `loopsheet validate` that simpler rules get wrong: arrays that an outer loop comes back to, random
//! places, blocks, and caches in which arrays meet in the same sets.

use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;

/// The cases of a source.
fn cases(text: &str, arguments: &[&str]) -> Vec<Value> {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("k.c");
    std::fs::write(&path, text).expect("written");
    of_file(&path, arguments)
}

fn of_file(path: &Path, arguments: &[&str]) -> Vec<Value> {
    let mut command = Command::cargo_bin("loopsheet").expect("the program");
    let output =
        command.arg("validate").arg(path).args(["--json", "-", "-q"]).args(arguments).output().expect("it runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let mut document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let Value::Array(cases) = document["cases"].take() else { panic!("no cases: {errors}") };
    assert!(!cases.is_empty(), "{errors}");
    cases
}

fn number(case: &Value, name: &str) -> f64 {
    case[name].as_f64().unwrap_or_else(|| panic!("no {name}: {case}"))
}

fn is_explained(case: &Value, by: &str) -> bool {
    case["explained"].as_str().is_some_and(|text| text.split(',').any(|one| one == by))
}

/// All cases are within 5 %, away from steps of the traffic; gives their simulated bytes.
fn within(cases: &[Value]) -> Vec<f64> {
    let of = |case: &Value| {
        let ratio = number(case, "ratio");
        assert!((ratio - 1.0).abs() < 0.05 || is_explained(case, "switch"), "{case}");
        number(case, "simulated_bytes")
    };
    cases.iter().map(of).collect()
}

/// The vector is 8 KB or 64 KB and comes again in every row.
#[test]
fn a_vector_stays_where_it_fits() {
    let text = "void f(int m, int n, double a[m][n], double x[n], double y[m]) {
      for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
          y[i] += a[i][j] * x[j];
    }";
    let caches = ["--cache", "32KiB,full", "--cache", "1MiB,full", "--set", "m=100", "--sizes", "n=1000,8000"];
    let bytes = within(&cases(text, &caches));
    // a once, and x once or in every row; y is read and written.
    let (a, x, y) = (|n: f64| 100.0 * 8.0 * n, |n: f64| 8.0 * n, 2.0 * 832.0);
    let expected = [a(1e3) + x(1e3) + y, a(1e3) + x(1e3) + y, a(8e3) + 100.0 * x(8e3) + y, a(8e3) + x(8e3) + y];
    for (bytes, expected) in bytes.iter().zip(expected) {
        assert!((bytes / expected - 1.0).abs() < 0.01, "{bytes} for {expected}");
    }
}

/// Eight coefficients go through all caches; the plane that they are summed up in comes again for each.
#[test]
fn coefficients_of_an_outer_loop() {
    let text = "void f(int m, int n, double c[8], double a[8][m][n], double b[m][n]) {
      for (int k = 0; k < 8; k++)
        for (int j = 0; j < m; j++)
          for (int i = 0; i < n; i++)
            b[j][i] += c[k] * a[k][j][i];
    }";
    let caches = ["--cache", "16KiB,full", "--cache", "2MiB,full", "--sizes", "m,n=24,100,200"];
    let bytes = within(&cases(text, &caches));
    let plane = |n: f64| 8.0 * n * n;
    let expected = [(24.0, 8.0 + 2.0), (24.0, 8.0 + 2.0), (100.0, 24.0), (100.0, 10.0), (200.0, 24.0), (200.0, 10.0)];
    for (bytes, (n, planes)) in bytes.iter().zip(expected) {
        assert!((bytes / (planes * plane(n)) - 1.0).abs() < 0.03, "{bytes} for {n}");
    }
}

/// A line an access where the gathered array is longer than the cache, the array once where it fits.
#[test]
fn places_from_data() {
    let text = "void f(int n, int m, int c[n][16], double x[m], double y[n]) {
      for (int i = 0; i < n; i++)
        for (int j = 0; j < 16; j++)
          y[i] += x[c[i][j]];
    }";
    let caches = ["--cache", "32KiB,full", "--cache", "1MiB,full", "--cache", "8MiB,full"];
    let bytes = within(&cases(text, &[&caches[..], &["--set", "n=4000", "--sizes", "m=1000,20000"]].concat()));
    let (c, y) = (4000.0 * 64.0, 2.0 * 4000.0 * 8.0);
    for (bytes, expected) in bytes.iter().zip([c + y + 8e3, c + y + 8e3, c + y + 8e3]) {
        assert!((bytes / expected - 1.0).abs() < 0.05, "{bytes} for {expected}");
    }
    assert!(bytes[3] > 0.7 * 64e3 * 64.0 && bytes[5] < c + y + 2e5, "{bytes:?}");
}

/// Blocks of eight rows keep what the planes beside them need.
#[test]
fn blocks_are_run_as_blocks() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/stencils/stencils.f90");
    let run = |block: &str| {
        let arguments = ["--function", "star3d2", "--cache", "128KiB,full", "--set", block, "--sizes", "nx,ny,nz=90"];
        within(&of_file(&path, &arguments))[0]
    };
    let (whole, blocked) = (run("block_y=0"), run("block_y=10"));
    assert!(blocked < 0.7 * whole, "{blocked} and {whole}");
}

#[test]
fn arrays_that_meet_in_the_same_sets() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/stencils/conflicts.c");
    let run = |sizes: &str| of_file(&path, &["--cache", "32KiB,4way", "--cache", "512KiB,4way", "--sizes", sizes]);
    for case in run("n=32,64") {
        let (full, sets) = (number(&case, "simulated_bytes"), number(&case, "simulated_set_associative_bytes"));
        assert!(is_explained(&case, "conflicts") && sets > 2.0 * full, "{case}");
    }
    within(&run("n=32,64"));
}
