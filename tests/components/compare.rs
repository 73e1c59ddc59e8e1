//! Static against traced on programs that the compiler made something else of, at several levels of optimisation.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::Command;

use crate::support::command;
use serde_json::{Value, json};

const LOOPS: &str = "loops.c";

fn loopsheet(directory: &Path, arguments: &[&str]) {
    let mut command = command::recorder(directory);
    // Before them: what follows `--` is the program's.
    command.arg("--quiet").args(arguments);
    let output = command.output().expect("it runs");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.code().is_some_and(|code| code < 2),
        "{arguments:?}: {complaint}"
    );
}

/// The comparison of a fixture, compiled with these flags, with these settings of the static report.
fn compared(fixture: &str, flags: &[&str], settings: &[&str]) -> Value {
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| {
        directory
            .path()
            .join(name)
            .to_str()
            .expect("UTF-8")
            .to_string()
    };
    let source = command::fixture("compare").join(fixture);
    let source = source.to_str().expect("UTF-8");
    let (program, trace, traced, predicted, out) = (
        path("loops"),
        path("trace.zst"),
        path("trace.json"),
        path("static.json"),
        path("compared.json"),
    );
    let compiler = if fixture.ends_with(".c") {
        "riscv64-linux-gnu-gcc"
    } else {
        "riscv64-linux-gnu-gfortran"
    };
    let mut compile = Command::new(compiler);
    compile
        .args(flags)
        .args([
            "-g",
            "-static",
            "-ffp-contract=off",
            source,
            "-o",
            &program,
            "-lm",
            "-J",
        ])
        .arg(directory.path());
    assert!(
        compile
            .status()
            .unwrap_or_else(|e| panic!("{compiler} can be run: {e}"))
            .success(),
        "{flags:?}"
    );
    loopsheet(
        directory.path(),
        &[
            "record",
            "--function",
            if fixture.ends_with(".c") {
                "main"
            } else {
                "MAIN__"
            },
            "-o",
            &trace,
            "--",
            &program,
        ],
    );
    loopsheet(
        directory.path(),
        &["trace", &trace, "--elf", &program, "--json", &traced],
    );
    let sets: Vec<&str> = settings
        .iter()
        .flat_map(|setting| ["--set", setting])
        .collect();
    loopsheet(
        directory.path(),
        &[&["analyze", source, "--json", &predicted], &sets[..]].concat(),
    );
    loopsheet(
        directory.path(),
        &[
            "compare", "--static", &predicted, "--trace", &traced, "--json", &out,
        ],
    );
    command::json(Path::new(&out))
}

/// Static and traced.
fn sides(comparison: &Value, function: &str, quantity: &str) -> (f64, f64) {
    let nests = comparison["nests"].as_array().expect("nests");
    let nest = nests
        .iter()
        .find(|nest| nest["function"] == function)
        .unwrap_or_else(|| panic!("no nest of {function}"));
    let rows = nest["rows"].as_array().expect("rows");
    let row = rows
        .iter()
        .find(|row| row["quantity"] == quantity)
        .unwrap_or_else(|| panic!("no {quantity}"));
    let number = |side: &str| {
        row[side]
            .as_f64()
            .unwrap_or_else(|| panic!("{function}: {quantity}: {row}"))
    };
    (number("static"), number("traced"))
}

#[test]
fn iterations_and_operations_agree_whatever_the_compiler_does() {
    for level in ["-O1", "-O2", "-O3"] {
        let comparison = compared(LOOPS, &[level], &["n=100", "prob_unswitched_40=1"]);
        for (function, iterations) in [
            ("scale", 100.0),
            ("inlined", 100.0),
            ("two_statements", 100.0),
            ("unswitched", 100.0),
            ("roots", 100.0),
        ] {
            let found = sides(&comparison, function, "iterations");
            assert_eq!(found, (iterations, iterations), "{level}: {function}");
            for kind in ["adds", "multiplies", "divides", "specials"] {
                let (predicted, traced) =
                    sides(&comparison, function, &format!("{kind} per iteration"));
                assert_eq!(predicted, traced, "{level}: {function}: {kind}");
            }
        }
        // sqrt is an instruction, exp a call.
        assert_eq!(
            sides(&comparison, "roots", "specials per iteration"),
            (2.0, 2.0),
            "{level}"
        );
        // Six halvings of 100, four calls of 24 iterations; the report knows neither.
        assert_eq!(
            sides(&comparison, "halvings", "iterations").1,
            6.0,
            "{level}"
        );
        // At -O3 two calls become one, whose loop adds twice in each of its rounds.
        let [iterations, executions] = if level == "-O3" {
            [72.0, 3.0]
        } else {
            [96.0, 4.0]
        };
        let (_, found) = sides(&comparison, "recursive", "iterations");
        assert_eq!(
            (found, sides(&comparison, "recursive", "executions").1),
            (iterations, executions),
            "{level}"
        );
        assert_eq!(
            found * sides(&comparison, "recursive", "adds per iteration").1,
            96.0,
            "{level}"
        );
        assert!(
            comparison["unjoined"]
                .as_array()
                .is_some_and(|unjoined| unjoined.iter().any(|one| one["what"] == "main"))
        );
    }
}

#[test]
fn loops_on_one_line_have_their_own_trip_counts() {
    for level in ["-O1", "-O2"] {
        let comparison = compared(LOOPS, &[level], &["n=24"]);
        assert_eq!(
            sides(&comparison, "one_line", "iterations"),
            (576.0, 576.0),
            "{level}"
        );
    }
}

#[test]
fn a_wrong_size_is_found_and_the_right_one_named() {
    let comparison = compared(LOOPS, &["-O2"], &["main.n=64"]);
    let parameters = comparison["parameters"].as_array().expect("parameters");
    let found = parameters
        .iter()
        .find(|found| found["parameter"] == "main.n")
        .unwrap_or_else(|| panic!("{parameters:?}"));
    assert_eq!(
        (found["value"].as_f64(), found["fits"].as_f64()),
        (Some(64.0), Some(100.0))
    );
}

/// Of a loop that the compiler made several of, inside one another or side by side, all rounds count, and executions
/// without a round too.
#[test]
fn rounds_and_executions_do_not_depend_on_the_shape_of_the_machine_code() {
    for level in ["-O1", "-O2", "-O3"] {
        let comparison = compared("shapes.c", &[level], &[]);
        let expected = [
            ("collatz", 1.0, 111.0),
            ("transposed", 1.0, 48.0 * 64.0),
            ("cleared", 5.0, 3.0),
            ("added", 5.0, 3.0),
            ("chosen", 2.0, 122.0),
            // Trips of the odd rounds: 1 + 3 + … + 59.
            ("alternating", 1.0, 900.0),
            // Three steps, and two.
            ("divisor", 2.0, 5.0),
            ("root", 2.0, 11.0),
            ("place", 5.0, 31.0),
            // Partitions, of which 64 elements take 63.
            ("sorted", 63.0, 145.0),
            ("escaped", 1.0, 3314.0),
            ("bordered", 1.0, 3072.0),
            ("fourths", 1.0, 50.0),
        ];
        for (function, executions, iterations) in expected {
            let traced = |quantity: &str| sides(&comparison, function, quantity).1;
            assert_eq!(
                (traced("executions"), traced("iterations")),
                (executions, iterations),
                "{level}: {function}"
            );
        }
        let parameters = comparison["parameters"].as_array().expect("parameters");
        // Arms with loops say it only where the counts of these are certain.
        let mut frequencies = parameters
            .iter()
            .filter(|found| found["parameter"] == "prob_alternating_53");
        assert!(
            frequencies.all(|found| found["fits"].as_f64() == Some(30.0 / 61.0)),
            "{level}"
        );
        // Their sizes are multiples of the number of words of the command line.
        for function in ["bordered", "fourths"] {
            let (predicted, traced) = sides(&comparison, function, "iterations");
            assert_eq!(predicted, traced, "{level}: {function}");
        }
    }
}

/// A whole row of a triangle that does nothing is not executed: its count is right or starred, and sets no size.
#[test]
fn rounds_that_do_nothing_set_no_size() {
    for level in ["-O1", "-O2", "-O3"] {
        let comparison = compared("idle.c", &[level], &[]);
        let mut nests = comparison["nests"].as_array().expect("nests").iter();
        let nest = nests
            .find(|nest| nest["function"] == "kernel")
            .expect("the nest");
        let rows = nest["rows"].as_array().expect("rows");
        let row = rows
            .iter()
            .find(|row| row["quantity"] == "mean trip count of j, line 8")
            .expect("a row");
        assert!(
            row["traced"] == 20.5 || row["unsure"].is_string(),
            "{level}: {row}"
        );
        assert_eq!(comparison["parameters"], json!([]), "{level}");
    }
}

/// Where marks and machine loops do not show all of a loop, its counts are right, starred or unknown.
#[test]
fn counts_that_only_marks_show_are_right_or_not_certain() {
    for level in ["-O1", "-O2", "-O3"] {
        let comparison = compared("marks.c", &[level], &["n=50"]);
        let expected = [
            ("together", "executions", 5.0),
            ("together", "iterations", 1000.0),
            ("together", "mean trip count of i, line 7", 50.0),
            ("together", "mean trip count of j, line 7", 2.0),
            ("together", "mean trip count of k, line 7", 2.0),
            ("length", "executions", 5.0),
            // 249 + 248 + … + 245.
            ("length", "iterations", 1235.0),
            ("copied", "executions", 5.0),
            ("copied", "iterations", 1245.0),
        ];
        for (function, quantity, right) in expected {
            let nests = comparison["nests"].as_array().expect("nests");
            let rows = nests
                .iter()
                .filter(|nest| nest["function"] == function)
                .flat_map(|nest| nest["rows"].as_array().expect("rows"));
            let row = rows
                .into_iter()
                .find(|row| row["quantity"] == quantity)
                .unwrap_or_else(|| panic!("no {quantity} of {function}"));
            assert!(
                row["traced"] == right
                    || row["unsure"].is_string()
                    || row["traced"].is_null() && row["reason"].is_string(),
                "{level}: {function}: {row}"
            );
        }
    }
}

#[test]
fn loops_of_one_fortran_line_are_told_apart() {
    for level in ["-O1", "-O2", "-O3"] {
        let comparison = compared("lines.f90", &[level], &[]);
        let expected = [
            ("concurrent", 576.0),
            ("masked", 576.0),
            ("selected", 576.0),
        ];
        for (function, iterations) in expected {
            let found = sides(&comparison, function, "iterations");
            assert_eq!(found, (iterations, iterations), "{level}: {function}");
            assert_eq!(
                sides(&comparison, function, "executions"),
                (1.0, 1.0),
                "{level}: {function}"
            );
        }
        let nests = comparison["nests"].as_array().expect("nests");
        let multiplied = nests.iter().filter(|nest| nest["function"] == "squared");
        let rows = multiplied.flat_map(|nest| nest["rows"].as_array().expect("rows"));
        let mut iterations = rows.filter(|row| row["quantity"] == "iterations");
        // Beside it may be the nest that clears the result.
        assert!(
            iterations.any(|row| row["traced"] == 13824.0 && row["static"] == 13824.0),
            "{level}: squared"
        );
        let reduced: Vec<&Value> = nests
            .iter()
            .filter(|nest| nest["function"] == "reduced")
            .collect();
        assert_eq!(reduced.len(), 3, "{level}: sum, dot_product, maxval");
        for nest in reduced {
            let rows = nest["rows"].as_array().expect("rows");
            let row = rows
                .iter()
                .find(|row| row["quantity"] == "iterations")
                .expect("iterations");
            assert_eq!(row["traced"].as_f64(), Some(24.0), "{level}: {row}");
        }
    }
}
