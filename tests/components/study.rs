//! `study` from source to workbook, on a program that is compiled and run here; figures counted by hand.
#![cfg(target_os = "linux")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::command;
use serde_json::Value;
use tempfile::TempDir;

/// Cells per side in the runs; inside are two fewer.
const N: f64 = 40.0;

fn source() -> PathBuf {
    command::fixture("study/smooth.c")
}

fn compiled(dir: &Path) -> PathBuf {
    let program = dir.join("smooth");
    let mut compile = Command::new("riscv64-linux-gnu-gcc");
    compile
        .args([
            "-O1",
            "-g",
            "-ffp-contract=off",
            "-static",
            "-fno-inline",
            "-o",
        ])
        .arg(&program)
        .arg(source());
    assert!(compile.status().expect("the compiler runs").success());
    program
}

fn loopsheet(dir: &Path, arguments: &[&str]) -> Output {
    let mut command = command::recorder(dir);
    command.args(arguments).current_dir(dir);
    command.output().expect("it runs")
}

fn done(dir: &Path, arguments: &[&str]) -> Output {
    let output = loopsheet(dir, arguments);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

/// A study with its parts kept in `kept`.
fn studied(options: &[&str]) -> TempDir {
    let dir = tempfile::tempdir().expect("a directory");
    compiled(dir.path());
    let source = source();
    let source = source.to_str().expect("a path");
    let mut arguments = vec![
        "study",
        source,
        "--keep",
        "kept",
        "--cache",
        "4KiB,full",
        "-o",
        "study.xlsx",
    ];
    arguments.extend(options);
    arguments.extend(["--", "./smooth", "40"]);
    done(dir.path(), &arguments);
    dir
}

fn nest<'v>(comparison: &'v Value, function: &str) -> &'v Value {
    let nests = comparison["nests"].as_array().expect("nests");
    nests
        .iter()
        .find(|nest| nest["function"] == function)
        .unwrap_or_else(|| panic!("{function}: {comparison:#}"))
}

fn sides(nest: &Value, quantity: &str) -> (f64, f64) {
    let rows = nest["rows"].as_array().expect("rows");
    let row = rows
        .iter()
        .find(|row| row["quantity"] == quantity)
        .unwrap_or_else(|| panic!("{quantity}: {nest:#}"));
    (
        row["static"].as_f64().expect("static"),
        row["traced"].as_f64().expect("traced"),
    )
}

/// The README's command for a recorded run, as it stands there.
#[test]
fn the_command_of_the_readme_runs() {
    const LINE: &str = "loopsheet study kernel.c -- ./kernel";
    let readme = std::fs::read_to_string(command::root().join("README.md")).expect("README.md");
    assert!(readme.contains(LINE));
    let dir = tempfile::tempdir().expect("a directory");
    std::fs::copy(source(), dir.path().join("kernel.c")).expect("a source");
    let mut compile = Command::new("riscv64-linux-gnu-gcc");
    compile.args([
        "-O1",
        "-g",
        "-static",
        "-fno-inline",
        "-o",
        "kernel",
        "kernel.c",
    ]);
    let status = compile.current_dir(dir.path()).status();
    assert!(status.expect("the compiler runs").success());
    let words: Vec<&str> = LINE.split(' ').skip(1).collect();
    let output = loopsheet(dir.path(), &words);
    let (text, errors) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(
        output.status.success() && text.contains("smooth@"),
        "{text}{errors}"
    );
}

#[test]
fn a_study_joins_both_sides() {
    let dir = studied(&["--parameters-from-trace"]);
    let comparison = command::json(&dir.path().join("kept/compare.json"));
    assert_eq!(comparison["schema"], "loopsheet/compare/1");
    let smooth = nest(&comparison, "smooth");
    let inside = (N - 2.0) * (N - 2.0);
    assert_eq!(sides(smooth, "executions"), (3.0, 3.0));
    assert_eq!(sides(smooth, "iterations"), (3.0 * inside, 3.0 * inside));
    assert_eq!(sides(smooth, "adds per iteration"), (3.0, 3.0));
    assert_eq!(sides(smooth, "multiplies per iteration"), (1.0, 1.0));
    assert_eq!(sides(smooth, "stores per iteration"), (1.0, 1.0));
    assert_eq!(sides(smooth, "loads of a"), (12.0 * inside, 12.0 * inside));
    let collect = nest(&comparison, "collect");
    assert_eq!(sides(collect, "iterations"), (N, N));
    for row in [smooth, collect]
        .iter()
        .flat_map(|nest| nest["rows"].as_array().expect("rows"))
    {
        let reasons = row["reasons"].as_array().expect("reasons").iter();
        let sum: f64 = reasons
            .map(|reason| reason["amount"].as_f64().expect("an amount"))
            .sum();
        if let (Some(predicted), Some(traced)) = (row["static"].as_f64(), row["traced"].as_f64()) {
            let larger = predicted.abs().max(traced.abs());
            assert!((traced - predicted - sum).abs() <= 1e-9 * larger, "{row:#}");
        }
    }
    let run = command::json(&dir.path().join("kept/trace.json"));
    let program = serde_json::json!({"status": "exited", "code": 0, "signal": null});
    assert_eq!(run["program"], program);
    // Three of four divide.
    assert_eq!(sides(collect, "divides per iteration"), (0.75, 0.75));
}

#[test]
fn a_run_tells_sizes_and_frequencies() {
    let dir = studied(&["--parameters-from-trace"]);
    let report = command::json(&dir.path().join("kept/static.json"));
    let traced: Vec<(&String, f64)> = report["parameters"]
        .as_object()
        .expect("parameters")
        .iter()
        .filter(|(_, parameter)| parameter["origin"] == "traced")
        .map(|(name, parameter)| (name, parameter["value"].as_f64().expect("a value")))
        .collect();
    assert!(
        traced
            .iter()
            .any(|(name, value)| name.starts_with('n') && *value == N),
        "{traced:?}"
    );
    assert!(
        traced
            .iter()
            .any(|(name, value)| name.starts_with("prob_collect") && *value == 0.25),
        "{traced:?}"
    );

    // The same by hand, into XML with the counters of the run.
    let source = source();
    let source = source.to_str().expect("a path");
    done(
        dir.path(),
        &[
            "analyze",
            source,
            "--parameters-from-trace",
            "kept/trace.json",
            "--xml",
            "model.xml",
        ],
    );
    let model = std::fs::read_to_string(dir.path().join("model.xml")).expect("it was written");
    let inside = 3 * 38 * 38;
    let counted = model
        .lines()
        .find(|line| line.contains("<pininfo") && line.contains(&format!("iters=\"{inside}\"")));
    let counted = counted.unwrap_or_else(|| panic!("{model}"));
    assert!(
        counted.contains(&format!("adds=\"{}\" muls=\"{inside}\"", 3 * inside)),
        "{counted}"
    );
    done(
        dir.path(),
        &["analyze", "model.xml", "--json", "again.json"],
    );
}

#[test]
fn a_wrong_size_is_named_with_the_right_one() {
    let dir = studied(&["--set", "n=64"]);
    let comparison = command::json(&dir.path().join("kept/compare.json"));
    let parameters = comparison["parameters"].as_array().expect("parameters");
    let wrong = parameters
        .iter()
        .find(|found| found["parameter"] == "n")
        .unwrap_or_else(|| panic!("{parameters:?}"));
    assert_eq!(
        (wrong["value"].as_f64(), wrong["fits"].as_f64()),
        (Some(64.0), Some(N))
    );
    let rows = nest(&comparison, "smooth")["rows"]
        .as_array()
        .expect("rows");
    let iterations = rows
        .iter()
        .find(|row| row["quantity"] == "iterations")
        .expect("iterations");
    let reason = iterations["reason"].as_str().expect("a reason");
    assert!(
        reason.contains("n is 64") && reason.contains("40 would fit"),
        "{reason}"
    );
}

#[test]
fn what_cannot_be_joined_is_an_error_or_listed() {
    let dir = studied(&[]);
    let comparison = command::json(&dir.path().join("kept/compare.json"));
    assert!(
        !comparison["unjoined"]
            .as_array()
            .expect("a list")
            .is_empty()
    );
    let listed: u64 = comparison["unjoined"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|left| left["instructions"].as_u64().expect("a count"))
        .sum();
    let all = comparison["instructions"].as_u64().expect("a count");
    let joined = comparison["joined_share"].as_f64().expect("a share");
    assert_eq!(
        (joined * all as f64).round() as u64 + listed,
        all,
        "nothing is lost"
    );

    // A report of other source.
    std::fs::write(
        dir.path().join("other.c"),
        "void f(int n, double *x) { for (int i = 0; i < n; i++) x[i] = 0; }\n",
    )
    .expect("it can be written");
    done(dir.path(), &["analyze", "other.c", "--json", "other.json"]);
    let output = loopsheet(
        dir.path(),
        &[
            "compare",
            "--static",
            "other.json",
            "--trace",
            "kept/trace.json",
        ],
    );
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("nothing to compare"));
    // A trace without a program.
    done(
        dir.path(),
        &["trace", "kept/trace.execlog.zst", "--json", "bare.json"],
    );
    let output = loopsheet(
        dir.path(),
        &[
            "compare",
            "--static",
            "other.json",
            "--trace",
            "bare.json",
            "-o",
            "x.xlsx",
        ],
    );
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--elf"));
    assert!(!dir.path().join("x.xlsx").exists());
}

#[test]
fn json_on_standard_output_is_alone_there() {
    let dir = tempfile::tempdir().expect("a directory");
    let text = "#include <stdio.h>\ndouble x[9];\nint main(void) {\n  for (int i = 0; i < 9; i++)\n    x[i] = x[i] + 1.0;\n  puts(\"done\");\n}\n";
    std::fs::write(dir.path().join("talk.c"), text).expect("written");
    let mut compile = Command::new("riscv64-linux-gnu-gcc");
    compile
        .args(["-O1", "-g", "-static", "-o", "talk", "talk.c"])
        .current_dir(dir.path());
    assert!(compile.status().expect("the compiler runs").success());
    let output = done(
        dir.path(),
        &["study", "talk.c", "--json", "-", "--", "./talk"],
    );
    let comparison: Value = serde_json::from_slice(&output.stdout).expect("JSON and nothing else");
    assert_eq!(comparison["schema"], "loopsheet/compare/1");
    assert!(String::from_utf8_lossy(&output.stderr).contains("done"));
}

/// Complex numbers are stored in two parts; a loop that is the last of its function may become a jump to `memset`.
#[test]
fn what_the_compiler_makes_of_a_loop_is_told_by_its_addresses_and_calls() {
    let dir = tempfile::tempdir().expect("a directory");
    let text = "#include <complex.h>
double complex z[100];
double v[100];
__attribute__((noinline)) void complexes(double complex k) {
  for (int i = 0; i < 100; i++)
    z[i] = z[i] + k;
}
__attribute__((noinline)) void zeros(void) {
  for (int i = 0; i < 100; i++)
    v[i] = 0.0;
}
int main(int argc, char **argv) {
  complexes(argc);
  zeros();
  return v[argc] + creal(z[argc]) > 1e9;
}
";
    std::fs::write(dir.path().join("made.c"), text).expect("written");
    for level in ["-O0", "-O2", "-O3"] {
        let mut compile = Command::new("riscv64-linux-gnu-gcc");
        compile
            .args([level, "-g", "-static", "-o", "made", "made.c"])
            .current_dir(dir.path());
        assert!(compile.status().expect("the compiler runs").success());
        done(
            dir.path(),
            &["study", "made.c", "--json", "made.json", "--", "./made"],
        );
        let comparison = command::json(&dir.path().join("made.json"));
        for function in ["complexes", "zeros"] {
            assert_eq!(
                sides(nest(&comparison, function), "iterations"),
                (100.0, 100.0),
                "{level}: {function}"
            );
        }
        assert_eq!(
            comparison["parameters"].as_array().map(Vec::len),
            Some(0),
            "{level}"
        );
        let rows = nest(&comparison, "zeros")["rows"].to_string();
        assert_eq!(
            rows.contains("became a call of memset, which stored 800 B"),
            level != "-O0",
            "{level}: {rows}"
        );
    }
}

#[test]
fn source_that_changed_after_compiling_is_told() {
    let dir = tempfile::tempdir().expect("a directory");
    compiled(dir.path());
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(100);
    let copy = dir.path().join("smooth.c");
    std::fs::copy(source(), &copy).expect("a copy");
    std::fs::File::options()
        .write(true)
        .open(&copy)
        .and_then(|file| file.set_modified(later))
        .expect("a later time");
    let output = done(
        dir.path(),
        &[
            "study",
            "smooth.c",
            "--json",
            "study.json",
            "--",
            "./smooth",
            "40",
        ],
    );
    assert!(
        String::from_utf8_lossy(&output.stderr)
            .contains("smooth.c changed after ./smooth was compiled")
    );
    let notes = command::json(&dir.path().join("study.json"))["notes"].to_string();
    assert!(notes.contains("changed after"), "{notes}");
}

#[test]
fn a_program_without_lines_is_refused_before_it_runs() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut compile = Command::new("riscv64-linux-gnu-gcc");
    compile
        .args(["-O1", "-static", "-o"])
        .arg(dir.path().join("smooth"))
        .arg(source());
    assert!(compile.status().expect("the compiler runs").success());
    let source = source();
    let output = loopsheet(
        dir.path(),
        &[
            "study",
            source.to_str().expect("a path"),
            "--",
            "./smooth",
            "40",
        ],
    );
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("compile it with -g"));
    assert!(output.stdout.is_empty(), "the program printed something");
}

#[test]
fn the_workbook_follows_its_inputs() {
    let dir = studied(&["--parameters-from-trace", "--machine", "xeon-8380"]);
    let mut book = calamine::open_workbook_auto(dir.path().join("study.xlsx")).expect("a workbook");
    use calamine::Reader;
    let names = book.sheet_names();
    for wanted in [
        "Summary",
        "Loops",
        "Compare",
        "Compare chart",
        "Not compared",
        "eDAG",
        "Regions",
    ] {
        assert!(
            names.iter().any(|name| name == wanted),
            "{wanted}: {names:?}"
        );
    }
    let formulas = book.worksheet_formula("Compare").expect("formulas");
    let (live, ratios) = formulas.rows().fold((0, 0), |(live, ratios), row| {
        let is =
            |column: usize, part: &str| row.iter().any(|cell| cell.contains(part)) && column > 0;
        (
            live + usize::from(is(5, "Loops!") || is(5, "Operations!")),
            ratios + usize::from(is(7, "IF(")),
        )
    });
    assert!(
        live > 10 && ratios > 10,
        "{live} rows refer to the nests, {ratios} have a ratio"
    );
}
