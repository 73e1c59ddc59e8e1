//! Nests of which only windows are run: what the whole run moves is within the error that is stated.

use std::collections::HashMap;

use crate::support::command;
use serde_json::Value;

fn number(case: &Value, name: &str) -> f64 {
    case[name]
        .as_f64()
        .unwrap_or_else(|| panic!("no {name}: {case}"))
}

const KERNELS: &str = "void upper(int n, double a[n][n], double b[n][n]) {
  for (int i = 0; i < n; i++) for (int j = i; j < n; j++) b[i][j] = a[i][j];
}
void product(int n, double a[n][n], double x[n], double y[n]) {
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) y[i] += a[i][j] * x[j];
}
void transposed(int n, double a[n][n], double b[n][n]) {
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) b[i][j] = a[j][i];
}
void cube(int n, double a[n][n][n], double b[n][n][n]) {
  for (int i = 1; i < n - 1; i++) for (int j = 0; j < n; j++) for (int k = 0; k < n; k++)
    b[i][j][k] = a[i - 1][j][k] + a[i][j][k] + a[i + 1][j][k];
}
void far(int n, double x[n][n], int c[n][n], double y[n]) {
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) y[i] += x[0][c[i][j]];
}
";

#[test]
fn nine_of_ten_are_within_the_stated_error() {
    let directory = tempfile::tempdir().expect("a directory");
    let own = directory.path().join("k.c");
    std::fs::write(&own, KERNELS).expect("written");
    let stencils = command::fixture("stencils/stencils.f90");
    let (mut all, mut within, mut far, mut errors) = (0, 0, Vec::new(), Vec::new());
    for (path, sizes) in [(&own, "n=100,160,201"), (&stencils, "nx,ny,nz=64,90,101")] {
        let caches = [
            "--cache",
            "2KiB,full",
            "--cache",
            "16KiB,full",
            "--cache",
            "128KiB,full",
            "--cache",
            "1MiB,full",
        ];
        let run = |most: &str| {
            command::validated(
                path,
                &[&caches[..], &["--sizes", sizes, "--max-accesses", most]].concat(),
            )
        };
        let key = |case: &Value| format!("{} {} {}", case["nest"], case["sizes"], case["capacity"]);
        let whole: HashMap<String, f64> = run("100000000")
            .iter()
            .map(|case| (key(case), number(case, "simulated_bytes")))
            .collect();
        for case in run("40000").iter().chain(&run("200000")) {
            if number(case, "sampled_share") < 1.0 {
                let (estimated, error) = (number(case, "simulated_bytes"), number(case, "error"));
                let off = (estimated - whole[&key(case)]).abs();
                all += 1;
                // What cannot be filled by half a window is told to be unknown.
                if number(case, "capacity") <= 16384.0 {
                    errors.push(error);
                }
                if off <= error * estimated {
                    within += 1;
                } else {
                    far.push(format!(
                        "{}: {:.4} off, {error:.4} stated",
                        key(case),
                        off / estimated
                    ));
                }
            }
        }
    }
    let report = format!("{within} of {all}\n{}", far.join("\n"));
    assert!(all > 60, "{report}");
    assert!(f64::from(within) >= 0.9 * f64::from(all), "{report}");
    // Errors that say something where the caches were warm: half of them are below a tenth.
    errors.sort_by(f64::total_cmp);
    assert!(errors[errors.len() / 2] < 0.1, "{errors:?}\n{report}");
}

/// What a cache holds is moved once: the windows, each of which begins cold, see that all the same.
#[test]
fn data_that_fit_are_moved_once() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("k.c");
    let text = "void closure(int n, int d[n][n]) {
      for (int k = 0; k < n; k++) for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)
        if (d[i][k] + d[k][j] < d[i][j]) d[i][j] = d[i][k] + d[k][j];
    }
    void lu(int n, double a[n][n]) {
      for (int k = 0; k < n; k++) for (int i = k+1; i < n; i++) {
        a[i][k] /= a[k][k];
        for (int j = k+1; j < n; j++) a[i][j] -= a[i][k] * a[k][j];
      }
    }";
    std::fs::write(&path, text).expect("written");
    let arguments = [
        "--set",
        "n=128",
        "--cache",
        "8MiB,full",
        "--max-accesses",
        "400000",
    ];
    for (case, bytes) in command::validated(&path, &arguments).iter().zip([4.0, 8.0]) {
        assert!(number(case, "sampled_share") < 0.5, "{case}");
        // n² numbers, read and written; of the factorization, nearly all of them.
        let all = 2.0 * bytes * 128.0 * 128.0;
        let (simulated, error) = (number(case, "simulated_bytes"), number(case, "error"));
        assert!((simulated / all - 1.0).abs() < 0.1 && error < 0.1, "{case}");
        assert!(
            (simulated - all).abs() <= error * simulated + 128.0 * 64.0,
            "{case}"
        );
    }
}
