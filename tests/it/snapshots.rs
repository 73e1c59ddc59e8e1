//! What people and scripts rely on: help texts, the table of `analyze`, the keys of every JSON. `UPDATE_EXPECT=1` writes
//! the files in `tests/golden` again.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use assert_cmd::Command;
use expect_test::expect_file;
use loopsheet_export::json;
use loopsheet_trace::RunEnd;
use serde_json::Value;

use crate::support::command::{self, printed};
use crate::support::programs::{WORKED, mixed, model};
use crate::support::{studied, trace_reports};

/// As wide as the test says, wherever it runs.
fn loopsheet() -> Command {
    let mut command = command::loopsheet();
    command
        .current_dir(command::root())
        .env("COLUMNS", "100")
        .env("NO_COLOR", "1");
    command
}

fn text(command: &mut Command) -> String {
    let output = command.assert().success().get_output().stdout.clone();
    String::from_utf8(output).expect("UTF-8")
}

/// The names below `Commands:`.
fn commands(help: &str) -> Vec<&str> {
    let listed = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty());
    listed
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect()
}

#[test]
fn help_texts() {
    let main = text(loopsheet().arg("--help"));
    let names = commands(&main);
    assert!(names.contains(&"analyze") && names.contains(&"compare"));
    let mut all = format!("$ loopsheet --help\n{main}");
    for name in names {
        let help = text(loopsheet().args([name, "--help"]));
        let _ = write!(all, "\n$ loopsheet {name} --help\n{help}");
    }
    expect_file!["../golden/help.txt"].assert_eq(&all);
}

#[test]
fn the_table_of_analyze() {
    let table = text(loopsheet().args(["analyze", "samples/kernels", "--quiet"]));
    expect_file!["../golden/analyze.txt"].assert_eq(&table);
}

/// Objects whose keys are names of the user's code or codes, not the schema's.
const NAMED: [&str; 13] = [
    "calls.known",
    "calls.unknown",
    "cases[].sizes",
    "coverage.estimated",
    "coverage.outside",
    "coverage.reasons",
    "epochs.caches.slots",
    "epochs.slots",
    "functions[].dependencies[].distances",
    "functions[].loops[].flops.by_type",
    "functions[].nests[].layer_conditions[].caches[].largest",
    "parameters",
    "reason_codes",
];

/// The paths of all keys: `.` before what is in an object, `[]` for what is in a list, `*` for any name.
fn gather(value: &Value, path: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                let key = if NAMED.contains(&path) { "*" } else { key };
                let dot = if path.is_empty() { "" } else { "." };
                let path = format!("{path}{dot}{key}");
                gather(value, &path, found);
                found.insert(path);
            }
        }
        Value::Array(list) => {
            for value in list {
                gather(value, &format!("{path}[]"), found);
            }
        }
        _ => {}
    }
}

/// The keys of several reports of one schema.
pub fn keys(schema: &str, reports: &[Value]) -> String {
    let mut found = BTreeSet::new();
    for report in reports {
        assert_eq!(report["schema"], schema);
        gather(report, "", &mut found);
    }
    found.into_iter().map(|path| path + "\n").collect()
}

fn report(arguments: &[&str]) -> Value {
    printed(loopsheet().args(arguments).args(["--quiet", "--json", "-"]))
}

/// Sources with a nest of which a run says something else, and with one whose flags change the time.
fn doubtful() -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    let command = "gcc -O3 -ffast-math -c sum.c";
    let commands = serde_json::json!([{"directory": ".", "file": "sum.c", "command": command}]);
    for (name, text) in [
        (
            "left.f90",
            "subroutine left(field, buffer, x, y1, y2, depth)
                integer :: x, y1, y2, depth, j, k
                real(8) :: field(-1:, -1:), buffer(:)
                do k = y1 - depth, y2 + depth
                  do j = 1, depth
                    buffer(j + (k + depth - 1)*depth) = field(x + 2 - j, k)
                  end do
                end do
              end subroutine",
        ),
        (
            "sum.c",
            "double sum(int n, const double *a)
             { double s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }",
        ),
        ("compile_commands.json", &commands.to_string()),
    ] {
        std::fs::write(directory.path().join(name), text).expect("written");
    }
    directory
}

#[test]
fn keys_of_static_reports() {
    let sources = report(&["analyze", "samples/kernels", "tests/fixtures"]);
    let sizes =
        "planes.n=1000,columns.n=6000,columns.m=400000,triad.n=1000000000,move.n=1000000000";
    let advised = report(&["analyze", "tests/fixtures/advice", "--set", sizes]);
    let table = tempfile::NamedTempFile::new().expect("a file");
    let times = "function,seconds,bytes,flops\ntriad,1,2,3\nheat5,1,,\nnobody,1,,\n";
    std::fs::write(table.path(), times).expect("the table");
    let path = table.path().to_str().expect("UTF-8");
    let measured = report(&["analyze", "samples/kernels", "--measured", path]);
    let ways = "l1_bytes=48 KiB,l1_ways=12";
    let colliding = report(&["analyze", "tests/fixtures/collisions", "--set", ways]);
    let [pages, core] = ["pages", "core"].map(|name| format!("tests/fixtures/clock/{name}.toml"));
    let irregular = ["analyze", "tests/fixtures/irregular", "--machine", &pages];
    let irregular = report(&[&irregular[..], &["--set", "n=1048576"]].concat());
    let doubtful = doubtful();
    let sized = ["--machine", &core, "--set", "depth=2,n=1000"];
    let path = doubtful.path().to_str().expect("UTF-8");
    let doubtful = report(&[&["analyze", path][..], &sized].concat());
    let serial = report(&["analyze", "tests/fixtures/serial"]);
    let listed = report(&["analyze", "samples/kernels", "--function", "triad"]);
    let placed = report(&["analyze", "tests/fixtures/far_arrays", "--objects"]);
    let reports = [
        sources, advised, measured, colliding, irregular, doubtful, serial, listed, placed,
    ];
    let keys = keys("loopsheet/static/1", &reports);
    expect_file!["../golden/keys/static.txt"].assert_eq(&keys);
}

#[test]
fn keys_of_trace_reports() {
    let made = [trace_reports::full(), trace_reports::large()];
    let mut reports: Vec<Value> = made
        .iter()
        .map(|report| serde_json::from_str(&loopsheet_export::json::trace(report)))
        .collect::<Result<_, _>>()
        .expect("JSON");
    let run = [
        "trace",
        "samples/traces/heat.execlog.zst",
        "--camat",
        "--vary",
        "window=8",
    ];
    let caches = [
        "--cache",
        "1KiB,2way,4cycles",
        "--cache",
        "8KiB,4way,9cycles",
    ];
    let metrics = ["--reuse", "--epochs", "--epoch-slots", "4,16"];
    reports.push(report(&[&run[..], &caches, &metrics].concat()));
    let keys = keys("loopsheet/trace/1", &reports);
    expect_file!["../golden/keys/trace.txt"].assert_eq(&keys);
}

#[test]
fn keys_of_epochs_of_several_traces() {
    let traces = [
        "samples/traces/heat.execlog.zst",
        "samples/traces/sum.execlog.zst",
    ];
    let report = report(&[&["trace"], &traces[..], &["--epochs"]].concat());
    let keys = keys("loopsheet/epochs/1", &[report]);
    expect_file!["../golden/keys/epochs.txt"].assert_eq(&keys);
}

#[test]
fn keys_of_ranks() {
    let traces = [
        "samples/traces/heat.execlog.zst",
        "samples/traces/sum.execlog.zst",
    ];
    let report = report(&[&["rank"], &traces[..]].concat());
    let keys = keys("loopsheet/rank/1", &[report]);
    expect_file!["../golden/keys/rank.txt"].assert_eq(&keys);
}

#[test]
fn keys_of_validations() {
    let whole = report(&[
        "validate",
        "samples/kernels/matmul.c",
        "--sizes",
        "n=8,16",
        "--whole",
    ]);
    let skipped = report(&["validate", "tests/fixtures/conventions"]);
    let keys = keys("loopsheet/validate/1", &[whole, skipped]);
    expect_file!["../golden/keys/validate.txt"].assert_eq(&keys);
}

#[test]
fn keys_of_comparisons() {
    let program = mixed();
    let model = model(&program, "xeon-8380", WORKED);
    let mut comparison = studied::comparison(&model, "a remark");
    comparison.nests[0].rows[0].repeated = Some(1.0);
    comparison.nests[0].rows[0].unsure = Some("nothing confirms it".to_string());
    let ends = [
        RunEnd::ExitStatus(1),
        RunEnd::Signal(11),
        RunEnd::Limit(1000),
    ];
    let reports = ends.map(|end| {
        comparison.run_end = Some(end);
        serde_json::from_str(&json::comparison(&comparison)).expect("JSON")
    });
    let keys = keys("loopsheet/compare/1", &reports);
    expect_file!["../golden/keys/compare.txt"].assert_eq(&keys);
}
