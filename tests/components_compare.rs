//! Static against traced on programs that the compiler made something else of, at several levels of optimisation.
#![cfg(all(feature = "components", target_os = "linux"))]

use std::path::Path;
use std::process::Command;

use serde_json::Value;

const FIXTURE: &str = "tests/fixtures/compare/loops.c";

fn loopsheet(directory: &Path, arguments: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_loopsheet"));
    // Before them: what follows `--` is the program's.
    command.arg("--quiet").args(arguments).env("XDG_CACHE_HOME", directory).env_remove("QEMU_LD_PREFIX");
    let output = command.output().expect("it runs");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code().is_some_and(|code| code < 2), "{arguments:?}: {complaint}");
}

/// The comparison of the fixture, compiled with these flags, with these settings of the static report.
fn compared(flags: &[&str], settings: &[&str]) -> Value {
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name).to_str().expect("UTF-8").to_string();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(FIXTURE);
    let source = source.to_str().expect("UTF-8");
    let (program, trace, traced, promised, out) =
        (path("loops"), path("trace.zst"), path("trace.json"), path("static.json"), path("compared.json"));
    let compiler = "riscv64-linux-gnu-gcc";
    let mut compile = Command::new(compiler);
    compile.args(flags).args(["-g", "-static", "-ffp-contract=off", source, "-o", &program, "-lm"]);
    assert!(compile.status().unwrap_or_else(|e| panic!("{compiler} can be run: {e}")).success(), "{flags:?}");
    loopsheet(directory.path(), &["record", "--function", "main", "-o", &trace, "--", &program]);
    loopsheet(directory.path(), &["trace", &trace, "--elf", &program, "--json", &traced]);
    let sets: Vec<&str> = settings.iter().flat_map(|setting| ["--set", setting]).collect();
    loopsheet(directory.path(), &[&["analyze", source, "--json", &promised], &sets[..]].concat());
    loopsheet(directory.path(), &["compare", "--static", &promised, "--trace", &traced, "--json", &out]);
    serde_json::from_str(&std::fs::read_to_string(&out).expect("a report")).expect("JSON")
}

/// Static and traced.
fn sides(comparison: &Value, function: &str, quantity: &str) -> (f64, f64) {
    let nests = comparison["nests"].as_array().expect("nests");
    let nest =
        nests.iter().find(|nest| nest["function"] == function).unwrap_or_else(|| panic!("no nest of {function}"));
    let rows = nest["rows"].as_array().expect("rows");
    let row = rows.iter().find(|row| row["quantity"] == quantity).unwrap_or_else(|| panic!("no {quantity}"));
    let number = |side: &str| row[side].as_f64().unwrap_or_else(|| panic!("{function}: {quantity}: {row}"));
    (number("static"), number("traced"))
}

#[test]
fn iterations_and_operations_agree_whatever_the_compiler_does() {
    for level in ["-O1", "-O2", "-O3"] {
        let comparison = compared(&[level], &["n=100", "prob_unswitched_40=1"]);
        for (function, iterations) in
            [("scale", 100.0), ("inlined", 100.0), ("two_statements", 100.0), ("unswitched", 100.0), ("roots", 100.0)]
        {
            let found = sides(&comparison, function, "iterations");
            assert_eq!(found, (iterations, iterations), "{level}: {function}");
            for kind in ["adds", "multiplies", "divides", "specials"] {
                let (promised, traced) = sides(&comparison, function, &format!("{kind} an iteration"));
                assert_eq!(promised, traced, "{level}: {function}: {kind}");
            }
        }
        // sqrt is an instruction, exp a call.
        assert_eq!(sides(&comparison, "roots", "specials an iteration"), (2.0, 2.0), "{level}");
        // Six halvings of 100, four calls of 24 iterations; the report knows neither.
        assert_eq!(sides(&comparison, "halvings", "iterations").1, 6.0, "{level}");
        // At -O3 two calls become one, whose loop adds twice in each of its rounds.
        let [iterations, executions] = if level == "-O3" { [72.0, 3.0] } else { [96.0, 4.0] };
        let (_, found) = sides(&comparison, "recursive", "iterations");
        assert_eq!((found, sides(&comparison, "recursive", "executions").1), (iterations, executions), "{level}");
        assert_eq!(found * sides(&comparison, "recursive", "adds an iteration").1, 96.0, "{level}");
        assert!(
            comparison["unjoined"].as_array().is_some_and(|unjoined| unjoined.iter().any(|one| one["what"] == "main"))
        );
    }
}

#[test]
fn loops_on_one_line_have_their_own_trip_counts() {
    for level in ["-O1", "-O2"] {
        let comparison = compared(&[level], &["n=24"]);
        assert_eq!(sides(&comparison, "one_line", "iterations"), (576.0, 576.0), "{level}");
    }
}

#[test]
fn a_wrong_size_is_found_and_the_right_one_named() {
    let comparison = compared(&["-O2"], &["n=64"]);
    let parameters = comparison["parameters"].as_array().expect("parameters");
    let found = parameters.iter().find(|found| found["parameter"] == "n_").expect("n");
    assert_eq!((found["value"].as_f64(), found["fits"].as_f64()), (Some(64.0), Some(100.0)));
}
