//! `loopsheet.toml`: where it is found, what it says, and that the command line counts more.

use std::path::Path;

use serde_json::Value;

use crate::support::command::loopsheet;

const KERNEL: &str = "\
subroutine scale(nx, ny, a)
  integer :: nx, ny, i, j
  real :: a(nx, ny)
  do j = 1, ny
    do i = 1, nx
      if (a(i, j) > 0) a(i, j) = a(i, j) * 2.0
    end do
  end do
end subroutine scale
";

const EVERYTHING: &str = "\
machine = \"machines/ours.toml\"
entry = \"scale\"
include = [\"inc\"]
define = [\"SIZE=7\"]
flags = \"-r8\"
ignore = [\"old/\"]

[sizes]
nx = 1000

[probabilities]
prob_scale_6 = 0.25
";

/// A project with sources below `src`.
fn project(config: &str) -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    for (name, text) in [
        ("loopsheet.toml", config),
        (
            "machines/ours.toml",
            "base = \"xeon-8380\"\ndram_gbs = 123\n",
        ),
        ("src/scale.f90", KERNEL),
        ("src/old/broken.f90", "subroutine broken(\n"),
    ] {
        let path = directory.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        std::fs::write(path, text).expect("a file");
    }
    directory
}

struct Outcome {
    status: i32,
    report: Value,
    errors: String,
}

fn analyse(directory: &Path, arguments: &[&str]) -> Outcome {
    let mut command = loopsheet();
    let output = command
        .current_dir(directory)
        .args(["analyze", "--json", "-"])
        .args(arguments)
        .output()
        .expect("it runs");
    Outcome {
        status: output.status.code().expect("a status"),
        report: serde_json::from_slice(&output.stdout).unwrap_or(Value::Null),
        errors: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

fn parameter(outcome: &Outcome, name: &str) -> (Value, Value) {
    let found = &outcome.report["parameters"][name];
    (found["value"].clone(), found["origin"].clone())
}

fn number(value: impl Into<f64>, origin: &str) -> (Value, Value) {
    let value: f64 = value.into();
    let value = match value.fract() == 0.0 {
        true => Value::from(value as i64),
        false => Value::from(value),
    };
    (value, origin.into())
}

fn element_bytes(outcome: &Outcome) -> Value {
    let innermost = &outcome.report["functions"][0]["loops"][1];
    innermost["arrays"][0]["element_bytes"].clone()
}

#[test]
fn everything_that_it_says_is_heeded() {
    let directory = project(EVERYTHING);
    let outcome = analyse(directory.path(), &["src"]);
    assert_eq!(outcome.status, 0, "{}", outcome.errors);
    assert!(
        outcome.errors.contains("settings of loopsheet.toml"),
        "{}",
        outcome.errors
    );
    assert_eq!(outcome.report["machine"]["dram_gbs"], 123);
    assert_eq!(outcome.report["machine"]["name"], "ours");
    assert_eq!(outcome.report["files"].as_array().map(Vec::len), Some(1));
    assert_eq!(parameter(&outcome, "nx"), number(1000, "config"));
    assert_eq!(parameter(&outcome, "prob_scale_6"), number(0.25, "config"));
    assert_eq!(element_bytes(&outcome), 8);
    // What is not in it is as without it.
    assert_ne!(parameter(&outcome, "ny").1, "config");
}

#[test]
fn the_command_line_counts_more() {
    let directory = project(EVERYTHING);
    let arguments = [
        "src",
        "--machine",
        "grace",
        "--flags=-real-size 32",
        "--set",
        "nx=20,ny=30",
    ];
    let outcome = analyse(directory.path(), &arguments);
    assert_eq!(outcome.report["machine"]["name"], "grace");
    assert_eq!(element_bytes(&outcome), 4);
    assert_eq!(parameter(&outcome, "nx"), number(20, "set"));
    assert_eq!(parameter(&outcome, "ny"), number(30, "set"));
    let without = analyse(
        directory.path(),
        &["src", "--no-config", "--ignore", "old/"],
    );
    assert_eq!(without.report["machine"]["name"], "epyc-7763");
    assert!(!without.errors.contains("settings of"));
    assert_eq!(without.report["files"].as_array().map(Vec::len), Some(1));
    let all = analyse(directory.path(), &["src", "--no-config"]);
    assert_eq!(all.report["files"].as_array().map(Vec::len), Some(2));
}

/// Above the sources, from wherever it is called; or above the current directory; or where it is said to be.
#[test]
fn it_is_found_upwards() {
    let directory = project("[sizes]\nnx = 11\n");
    let elsewhere = tempfile::tempdir().expect("a directory");
    let sources = directory.path().join("src");
    let sources = sources.to_str().expect("UTF-8");
    let nx = |outcome: &Outcome| parameter(outcome, "nx");
    assert_eq!(
        nx(&analyse(elsewhere.path(), &[sources])),
        number(11, "config")
    );
    let inside = analyse(&directory.path().join("src"), &["scale.f90"]);
    assert_eq!(nx(&inside), number(11, "config"));
    assert!(
        inside.errors.contains("settings of ../loopsheet.toml"),
        "{}",
        inside.errors
    );

    std::fs::write(
        elsewhere.path().join("loopsheet.toml"),
        "[sizes]\nnx = 22\n",
    )
    .expect("a file");
    std::fs::write(elsewhere.path().join("other.toml"), "[sizes]\nnx = 33\n").expect("a file");
    assert_eq!(
        nx(&analyse(elsewhere.path(), &[sources])),
        number(11, "config")
    );
    let said = analyse(elsewhere.path(), &[sources, "--config", "other.toml"]);
    assert_eq!(nx(&said), number(33, "config"));
    std::fs::remove_file(directory.path().join("loopsheet.toml")).expect("it is removed");
    assert_eq!(
        nx(&analyse(elsewhere.path(), &[sources])),
        number(22, "config")
    );

    std::fs::write(directory.path().join("loopsheet.toml"), "").expect("a file");
    std::fs::write(elsewhere.path().join("k.f90"), KERNEL).expect("a file");
    let both = analyse(elsewhere.path(), &[sources, "k.f90"]);
    assert_eq!(both.status, 2);
    assert!(
        both.errors.contains("choose one with --config"),
        "{}",
        both.errors
    );
}

#[test]
fn what_is_wrong_with_it_is_said_with_its_line() {
    let complaint = |config: &str| {
        let directory = project(config);
        let outcome = analyse(directory.path(), &["src"]);
        assert_eq!(
            (outcome.status, &outcome.report),
            (2, &Value::Null),
            "{config}"
        );
        outcome.errors
    };
    for (config, expected) in [
        (
            "\nmachne = \"grace\"\n",
            "loopsheet.toml:2:1: unknown key `machne` (did you mean machine?)",
        ),
        (
            "[sizes]\nnx = \"x\"\n",
            "loopsheet.toml:2:6: `nx` in [sizes] must be a number",
        ),
        (
            "[sizes]\n\nnx = 1.5\n",
            "loopsheet.toml:3:1: --set nx=1.5: a problem size is a whole number",
        ),
        (
            "machine = \"gracious\"\n",
            "no machine is called `gracious`",
        ),
        ("ignore = [\"a/**b{\"]\n", "the pattern `a/**b{`"),
    ] {
        let message = complaint(config);
        assert!(message.contains(expected), "{message}");
    }
    let directory = project("");
    let lost = analyse(directory.path(), &["src", "--config", "nowhere.toml"]);
    assert!(
        lost.status == 2 && lost.errors.contains("cannot read nowhere.toml"),
        "{}",
        lost.errors
    );
}

/// A project's file is for all of its sources; what is typed is for those that are named beside it.
#[test]
fn names_that_a_part_of_the_sources_lacks_are_left_out() {
    let directory = project("entry = \"main\"\n[sizes]\nnz = 4\nnx = 9\n");
    let outcome = analyse(directory.path(), &["src/scale.f90"]);
    assert_eq!(outcome.status, 0);
    assert_eq!(parameter(&outcome, "nx"), number(9, "config"));
    assert!(
        outcome
            .errors
            .contains("no parameter of these sources is called nz (loopsheet.toml:3:1)"),
        "{}",
        outcome.errors
    );
    assert!(
        outcome
            .errors
            .contains("`entry` of the settings: no procedure here is called main"),
        "{}",
        outcome.errors
    );
    let typed = analyse(directory.path(), &["src/scale.f90", "--set", "nz=4"]);
    assert!(
        typed.status == 2
            && typed
                .errors
                .contains("--set nz: there is no parameter of that name")
    );
    let entry = analyse(directory.path(), &["src/scale.f90", "--entry", "scal"]);
    assert!(
        entry.status == 2
            && entry
                .errors
                .contains("--entry scal: no procedure has this name (did you mean scale?)"),
        "{}",
        entry.errors
    );
    assert_eq!(
        analyse(directory.path(), &["src/scale.f90", "--entry", "SCALE"]).status,
        0
    );
}

#[test]
fn validate_reads_it_too() {
    let directory = project("flags = \"-r8\"\n[sizes]\nnx = 40\nny = 30\nnz = 1\n");
    let output = loopsheet()
        .current_dir(directory.path())
        .args([
            "validate",
            "src/scale.f90",
            "--cache",
            "4KiB",
            "--json",
            "-",
        ])
        .output()
        .expect("it runs");
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let sizes = &report["cases"][0]["sizes"];
    assert_eq!((&sizes["nx"], &sizes["ny"]), (&40.into(), &30.into()));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(errors.matches("is called nz").count(), 1, "{errors}");
}
