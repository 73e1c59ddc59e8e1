//! `validate --whole`: what nests that follow each other find in the caches, counted by hand and simulated.

use std::path::Path;

use crate::support::command;
use serde_json::Value;

fn cases(path: &Path, arguments: &[&str]) -> Vec<Value> {
    command::validated(path, &[&["--whole"], arguments].concat())
}

fn of_text(text: &str, arguments: &[&str]) -> Vec<Value> {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("k.c");
    std::fs::write(&path, text).expect("written");
    cases(&path, arguments)
}

fn bytes(cases: &[Value], name: &str) -> Vec<f64> {
    cases
        .iter()
        .map(|case| {
            case[name]
                .as_f64()
                .unwrap_or_else(|| panic!("no {name}: {case}"))
        })
        .collect()
}

const CHAIN: &str = "void f(int n, double x[n], double y[n]) {
  for (int i = 0; i < n; i++) x[i] = 1;
  for (int i = 0; i < n; i++) y[i] = x[i];
}";

/// `x` is 4 KiB. Its first line waits for the rest of `x`, its last line for all of `x` and `y`, 8 KiB.
#[test]
fn a_chain_of_two() {
    let caches = [
        "--set",
        "n=512",
        "--cache",
        "3KiB,full",
        "--cache",
        "6KiB,full",
        "--cache",
        "9KiB,full",
    ];
    let cases = of_text(CHAIN, &caches);
    // Written: fetched and written back. Read: 4 KiB, half of it, nothing; then `y`.
    let expected = [8192.0, 8192.0, 8192.0, 12288.0, 10240.0, 8192.0];
    assert_eq!(bytes(&cases, "predicted_bytes"), expected);
    let apart = bytes(&cases, "simulated_bytes")
        .into_iter()
        .zip(expected)
        .map(|(a, b)| (a - b).abs());
    assert!(apart.into_iter().all(|apart| apart <= 256.0), "{cases:?}");
}

/// The switch of the model is what differs.
#[test]
fn a_setting_makes_caches_cold_again() {
    let caches = [
        "--set",
        "n=512",
        "--cache",
        "9KiB,full",
        "--set",
        "reuse_between_nests=0",
    ];
    assert_eq!(
        bytes(&of_text(CHAIN, &caches), "predicted_bytes"),
        [8192.0, 12288.0]
    );
}

/// Going back, the last line that was written is the first one that is read: half of `x` is there where a
/// quarter of what both touch fits.
#[test]
fn sweeps_against_each_other() {
    let text = "void f(int n, double x[n], double y[n]) {
      for (int i = 0; i < n; i++) x[i] = 1;
      for (int i = n - 1; i >= 0; i--) y[i] = x[i];
    }";
    let cases = of_text(
        text,
        &[
            "--set",
            "n=4096",
            "--cache",
            "16KiB,full",
            "--cache",
            "32KiB,full",
        ],
    );
    // 32 KiB each; of 64 KiB a quarter and a half fit.
    let expected = [
        65536.0,
        65536.0,
        65536.0 + 0.75 * 32768.0,
        65536.0 + 0.5 * 32768.0,
    ];
    assert_eq!(bytes(&cases, "predicted_bytes"), expected);
    for (simulated, expected) in bytes(&cases, "simulated_bytes").iter().zip(expected) {
        assert!(
            (simulated / expected - 1.0).abs() < 0.01,
            "{simulated} for {expected}"
        );
    }
}

/// What is written again while it is dirty is written back once.
#[test]
fn dirty_lines_stay_dirty() {
    let text = "void f(int n, double x[n]) {
      for (int i = 0; i < n; i++) x[i] = 1;
      for (int i = 0; i < n; i++) x[i] = x[i] + 1;
    }";
    let cases = of_text(
        text,
        &[
            "--set",
            "n=512",
            "--cache",
            "2KiB,full",
            "--cache",
            "64KiB,full",
        ],
    );
    let expected = [8192.0, 8192.0, 8192.0, 0.0];
    assert_eq!(bytes(&cases, "predicted_bytes"), expected);
    assert_eq!(bytes(&cases, "simulated_bytes"), expected);
}

/// A loop over time comes back to both arrays: 4 KiB each, four times.
#[test]
fn a_loop_around_both() {
    let text = "void f(int n, double x[n], double y[n]) {
      for (int t = 0; t < 4; t++) {
        for (int i = 0; i < n; i++) y[i] = x[i] + 1;
        for (int i = 0; i < n; i++) x[i] = y[i] + 2;
      }
    }";
    let cases = of_text(
        text,
        &[
            "--set",
            "n=512",
            "--cache",
            "2KiB,full",
            "--cache",
            "64KiB,full",
        ],
    );
    // Nothing stays: three arrays' worth each time. All stays: both are fetched by the first nest, and each is written
    // back for the nest that writes it.
    let expected = [4.0 * 12288.0, 12288.0, 4.0 * 12288.0, 4096.0];
    assert_eq!(bytes(&cases, "predicted_bytes"), expected);
    assert_eq!(bytes(&cases, "simulated_bytes"), expected);
}

/// The halo is copied after the sweep that the next one follows: most of the array was left by the sweep.
#[test]
fn a_small_nest_in_between() {
    let text = "void f(int n, double a[n][n], double b[n][n]) {
      for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i][j] = 1;
      for (int j = 0; j < n; j++) a[0][j] = a[1][j];
      for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) b[i][j] = a[i][j];
    }";
    let cases = of_text(
        text,
        &[
            "--set",
            "n=64",
            "--cache",
            "8KiB,full",
            "--cache",
            "256KiB,full",
        ],
    );
    for case in &cases {
        let (predicted, simulated) = (
            case["predicted_bytes"].as_f64(),
            case["simulated_bytes"].as_f64(),
        );
        assert!(
            (predicted.unwrap_or(0.0) - simulated.unwrap_or(1e9)).abs() <= 0.05 * 32768.0,
            "{case}"
        );
    }
}

/// Over functions with several nests of the samples, nine caches each.
#[test]
fn samples_as_wholes() {
    let kernels = command::root().join("samples/kernels");
    let mut arguments: Vec<String> = Vec::new();
    for size in [
        "2KiB", "16KiB", "32KiB", "48KiB", "128KiB", "512KiB", "1280KiB", "4MiB", "32MiB",
    ] {
        arguments.extend(["--cache".to_string(), format!("{size},full")]);
    }
    let (mut all, mut within) = (0, 0);
    let kernels_and_sizes: [(&str, &[&str]); 2] = [
        ("euler.f90", &["--sizes", "nx,ny=16,50,101,200"]),
        (
            "heat5.f",
            &["--sizes", "nx,ny=30,64,101,200", "--set", "nsteps=3"],
        ),
    ];
    for (file, sizes) in kernels_and_sizes {
        let arguments: Vec<&str> = arguments
            .iter()
            .map(String::as_str)
            .chain(sizes.iter().copied())
            .collect();
        for case in cases(&kernels.join(file), &arguments) {
            if !case["explained"].as_str().unwrap_or("").contains("switch") {
                all += 1;
                let off = case["predicted_bytes"].as_f64().unwrap_or(-1.0)
                    - case["simulated_bytes"].as_f64().unwrap_or(0.0);
                within +=
                    u32::from(off.abs() <= 0.05 * case["simulated_bytes"].as_f64().unwrap_or(0.0));
            }
        }
    }
    assert!(
        all > 250 && f64::from(within) >= 0.95 * f64::from(all),
        "{within} of {all}"
    );
}
