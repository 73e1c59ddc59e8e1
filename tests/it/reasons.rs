//! The register of reasons: every code has a program that raises it, and `--explain` says what it means.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use loopsheet::diagnostic::DiagnosticCode;
use loopsheet_base::reason::{Effect, ReasonCode};
use serde_json::Value;
use strum::VariantArray;

/// The program that raises a code.
fn fixture(code: ReasonCode) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/reasons");
    let paths = ["c", "f90", "xml"].map(|end| root.join(format!("{code}.{end}")));
    let mut there = paths.into_iter().filter(|path| path.exists());
    there
        .next()
        .unwrap_or_else(|| panic!("no fixture raises {code}"))
}

fn json(command: &str, path: &Path, arguments: &[&str]) -> Value {
    let mut program = Command::cargo_bin("loopsheet").expect("the program");
    program.arg(command).arg(path).args(["--json", "-"]);
    let output = program.args(arguments).output().expect("runs");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        let errors = String::from_utf8_lossy(&output.stderr);
        panic!("{}: {error}: {errors}", path.display())
    })
}

#[test]
fn every_reason_is_raised_by_its_fixture() {
    for code in ReasonCode::VARIANTS {
        let (path, name) = (fixture(*code), code.as_str());
        if code.effect() == Effect::PreventsRun {
            let arguments: &[&str] = match code {
                ReasonCode::Blocked => &["--set", "block_x=4"],
                ReasonCode::TooLong => &["--max-accesses", "100", "--set", "n=1000"],
                _ => &[],
            };
            let report = json("validate", &path, arguments);
            let skipped = report["skipped"].as_array().expect("a list");
            assert!(
                skipped.iter().any(|s| s["code"] == name),
                "{code}: {report}"
            );
            continue;
        }
        let counts = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/fixtures/counts/counts_differ.c.gcov.json.gz"
        );
        let arguments: &[&str] = match code {
            ReasonCode::CountsDiffer => &["--counts", counts],
            ReasonCode::UnknownLatency => &["--machine", "xeon-8380"],
            _ => &[],
        };
        let report = json("analyze", &path, arguments);
        let explained = &report["reason_codes"][name];
        assert_eq!(explained["meaning"], code.meaning(), "{code}: {report}");
        let coverage = &report["coverage"];
        let is_gap = ["reasons", "outside"]
            .iter()
            .any(|list| !coverage[list][name].is_null());
        assert_eq!(is_gap, !code.is_understood(), "{code}: {coverage}");
    }
}

#[test]
fn every_fixture_is_that_of_a_reason() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/reasons");
    for entry in std::fs::read_dir(root).expect("the fixtures") {
        let path = entry.expect("an entry").path();
        let stem = path
            .file_stem()
            .and_then(|stem| stem.to_str())
            .expect("a name");
        assert!(
            stem.parse::<ReasonCode>().is_ok(),
            "no reason has the code {stem}"
        );
    }
}

#[test]
fn why_iterations_are_estimated_is_kept_and_the_loop_counts_as_understood() {
    let report = json("analyze", &fixture(ReasonCode::WhileLoop), &[]);
    let coverage = &report["coverage"];
    assert_eq!(
        (&coverage["understood"], &coverage["partial"]),
        (&1.into(), &0.into())
    );
    assert_eq!(
        coverage["estimated"],
        serde_json::json!({ "while_loop": 1 })
    );
    // A doubling that begins and ends at known values has a known count.
    let exact =
        crate::small::c("void f(int n, double *a) { for (int i = 1; i < n; i *= 2) a[i] = 0; }");
    assert_eq!(exact["coverage"]["estimated"], serde_json::json!({}));
}

/// The exit status of `analyze`, and what it prints and complains about.
fn explain(arguments: &[&str]) -> (Option<i32>, [String; 2]) {
    let mut program = Command::cargo_bin("loopsheet").expect("the program");
    let output = program
        .arg("analyze")
        .args(arguments)
        .output()
        .expect("runs");
    let text = [output.stdout, output.stderr].map(|t| String::from_utf8(t).expect("UTF-8"));
    (output.status.code(), text)
}

#[test]
fn explain_takes_the_code_of_a_diagnostic() {
    for code in DiagnosticCode::VARIANTS {
        let (status, [text, _]) = explain(&["--explain", code.as_str()]);
        assert_eq!(status, Some(0));
        assert!(
            text.contains(code.meaning()) && text.contains(code.advice()),
            "{text}"
        );
    }
}

#[test]
fn what_a_reason_means_can_go_to_a_file() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name).display().to_string();
    let text = path("reason.txt");
    let (status, [printed, _]) = explain(&["--explain", "while_loop", "-o", &text]);
    assert_eq!((status, printed.as_str()), (Some(0), ""));
    let text = std::fs::read_to_string(text).expect("a file");
    assert!(text.contains(ReasonCode::WhileLoop.meaning()), "{text}");
    // What is no text is refused, and nothing is left behind.
    for arguments in [["-o", "a.xlsx"], ["--json", "a.json"]] {
        let file = path(arguments[1]);
        let (status, [_, errors]) = explain(&["--explain", "while_loop", arguments[0], &file]);
        assert_eq!(status, Some(2), "{errors}");
        assert!(!std::fs::exists(&file).expect("a directory"));
    }
}

#[test]
fn explain_takes_the_code_of_a_reason() {
    let (status, [text, _]) = explain(&["--explain", "while_loop"]);
    assert_eq!(status, Some(0));
    for part in [
        ReasonCode::WhileLoop.meaning(),
        "counts as understood",
        "--set",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let (status, [_, errors]) = explain(&["--explain", "whle_loop"]);
    assert_eq!(status, Some(2));
    assert!(errors.contains("while_loop"), "{errors}");
    // Neither case nor what stands between words hides a near name.
    for typed in ["WHILE_LOOP", "While-Loop", "whileloop"] {
        let (status, [_, errors]) = explain(&["--explain", typed]);
        assert_eq!(status, Some(2));
        assert!(errors.contains("did you mean while_loop"), "{errors}");
    }
    for empty in ["", " "] {
        let (status, [_, errors]) = explain(&["--explain", empty]);
        assert_eq!(status, Some(2));
        assert!(errors.contains("--explain: give a loop"), "{errors}");
    }
    let path = fixture(ReasonCode::WhileLoop);
    let path = path.to_str().expect("UTF-8");
    let (_, [_, errors]) = explain(&[path, "--explain", "whle_loop"]);
    assert!(
        errors.contains("while_loop") && errors.contains("f@3"),
        "{errors}"
    );
}
