//! Measured times beside the estimates.

use std::fs;
use std::path::Path;

use calamine::{Data, Reader, Xlsx, open_workbook};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::command::{loopsheet, printed};
use crate::support::page::data;

const SOURCE: &str = "void one(int n, double *a) {
  for (int i = 0; i < n; i++)
    a[i] = a[i] + 1.0;
}
void two(int n, double *a, double *b) {
  for (int i = 0; i < n; i++)
    a[i] = 2.0 * b[i];
  for (int i = 0; i < n; i++)
    b[i] = a[i] / 3.0;
}
void around(int n, double *a, double *b) {
  for (int k = 0; k < 10; k++) {
    // Nothing but two nests.
    for (int i = 0; i < n; i++)
      a[i] = 2.0 * b[i];
    for (int i = 0; i < n; i++)
      b[i] = a[i] / 3.0;
  }
}
void none(double *a) {
  a[0] = 1.0;
}
";

fn directory(table: &str) -> TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    fs::write(directory.path().join("kernel.c"), SOURCE).expect("the source");
    fs::write(directory.path().join("times.csv"), table).expect("the table");
    directory
}

fn run(directory: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = loopsheet()
        .current_dir(directory)
        .args(["analyze", "kernel.c", "--set", "n=1000000", "--no-check"])
        .args(arguments)
        .output()
        .expect("it runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

fn report(table: &str) -> (Value, String) {
    let directory = directory(table);
    let (status, out, complaints) = run(
        directory.path(),
        &["--measured", "times.csv", "--json", "-"],
    );
    assert_eq!(status, Some(0), "{complaints}");
    (serde_json::from_str(&out).expect("JSON"), complaints)
}

fn nest<'v>(report: &'v Value, id: &str) -> &'v Value {
    let functions = report["functions"].as_array().expect("functions");
    let mut nests = functions
        .iter()
        .flat_map(|function| function["nests"].as_array().expect("nests"));
    nests.find(|nest| nest["loop"] == id).expect("the nest")
}

#[test]
fn lines_of_a_nest_add_up() {
    let (report, complaints) = report(
        "file,line,seconds,bytes,flops\r\n/other/place/kernel.c,2,0.25,1e6,5\r\n\"kernel.c\",3,0.75,2e6,\r\n",
    );
    assert!(!complaints.contains("--measured"), "{complaints}");
    let one = nest(&report, "one@2");
    assert_eq!(
        one["measured"],
        json!({"seconds": 1.0, "bytes": 3e6, "flops": null})
    );
    let estimate = one["all_calls_seconds"].as_f64().expect("an estimate");
    assert_eq!(one["measured_ratio"].as_f64(), Some(estimate));
    assert!(nest(&report, "two@6").get("measured").is_none());
    assert_eq!(
        report["measured"],
        json!({"seconds": 1.0, "joined_seconds": 1.0, "joined_share": 1, "unjoined": []})
    );
}

#[test]
fn nests_of_a_measured_function_have_one_time_together() {
    let (report, _) = report("function,seconds\none,2\ntwo,3\ntwo,1\n");
    let (first, second) = (nest(&report, "two@6"), nest(&report, "two@8"));
    let measured = json!({
        "seconds": 4.0, "bytes": null, "flops": null, "together": ["two@6", "two@8"]
    });
    assert_eq!(
        (&first["measured"], &second["measured"]),
        (&measured, &measured)
    );
    let seconds = |nest: &Value| nest["all_calls_seconds"].as_f64().expect("an estimate");
    let ratio = first["measured_ratio"].as_f64().expect("a ratio");
    let expected = (seconds(first) + seconds(second)) / 4.0;
    assert!((ratio / expected - 1.0).abs() < 1e-12, "{ratio} {expected}");
    assert_eq!(first["measured_ratio"], second["measured_ratio"]);
    assert_eq!(nest(&report, "one@2")["measured"]["seconds"], 2.0);
    assert_eq!(report["measured"]["seconds"], 6.0);
}

#[test]
fn what_belongs_to_no_nest_is_named_with_its_place() {
    let (report, complaints) = report(
        "file,line,function,seconds\nkernel.c,3,,6\nkernel.c,13,,1\nkernel.c,21,,0.5\nother.c,3,,0.25\n,,one,0.125\n\
         ,,none,0.0625\n,,nobody,0.03125\n",
    );
    let unjoined: Vec<(&str, &str, f64, &str)> = report["measured"]["unjoined"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| {
            let text = |key: &str| one[key].as_str().expect("text");
            let seconds = one["seconds"].as_f64().expect("a number");
            (text("what"), text("place"), seconds, text("reason"))
        })
        .collect();
    assert_eq!(
        unjoined,
        [
            (
                "kernel.c:13",
                "times.csv:3",
                1.0,
                "the line is in a loop around several nests"
            ),
            ("kernel.c:21", "times.csv:4", 0.5, "the line is in no loop"),
            (
                "other.c:3",
                "times.csv:5",
                0.25,
                "the file is not among the sources"
            ),
            (
                "one",
                "times.csv:6",
                0.125,
                "the function's nests are also measured by line"
            ),
            ("none", "times.csv:7", 0.0625, "the function has no loops"),
            (
                "nobody",
                "times.csv:8",
                0.03125,
                "no function of the sources has this name"
            ),
        ]
    );
    let share = report["measured"]["joined_share"].as_f64();
    assert_eq!(share, Some(6.0 / 7.96875));
    assert!(
        complaints.contains("6 of 7 rows, with 1.97 s of 7.97 s"),
        "{complaints}"
    );
    assert!(
        complaints.contains("times.csv:3: kernel.c:13: the line is in a loop"),
        "{complaints}"
    );
    assert!(complaints.contains("and 1 more"), "{complaints}");
}

#[test]
fn the_table_lists_the_worst_ratio_first() {
    let directory = directory("function,seconds\none,1e-12\ntwo,100\nnobody,1\n");
    let (_, out, _) = run(directory.path(), &["--measured", "times.csv"]);
    let list = out
        .split_once("largest discrepancy first:\n")
        .unwrap_or_else(|| panic!("{out}"))
        .1;
    let lines: Vec<&str> = list.lines().take(3).collect();
    // By the logarithm: a million times too long is worse than a hundred thousand times too short.
    assert!(lines[0].contains("one@2 (measured "), "{out}");
    assert!(lines[1].contains("two@6, two@8 (measured 100 s)"), "{out}");
    assert!(lines[2].contains("not joined: nobody"), "{out}");
    assert!(out.contains("estimate/measured"), "{out}");
    let (_, plain, _) = run(directory.path(), &[]);
    assert!(!plain.contains("measured"), "{plain}");
}

#[test]
fn the_workbook_divides_the_estimate_by_an_input() {
    let directory = directory("function,seconds\none,2\ntwo,4\n");
    let arguments = ["--measured", "times.csv", "-o", "report.xlsx"];
    let (status, _, complaints) = run(directory.path(), &arguments);
    assert_eq!(status, Some(0), "{complaints}");
    let html = ["--measured", "times.csv", "--html", "-"];
    let (_, page, _) = run(directory.path(), &html);
    let data = data(&page).to_string();
    assert!(
        data.contains("Measured: 6.00 s in all, 100.0 % of it in nests."),
        "{data}"
    );
    let mut book: Xlsx<_> =
        open_workbook(directory.path().join("report.xlsx")).expect("a workbook");
    // The input is on Loops; Time has what follows from it.
    let mut column_of = |sheet: &str, wanted: &str| {
        let values = book.worksheet_range(sheet).expect("values");
        let formulas = book.worksheet_formula(sheet).expect("formulas");
        let heading = |(row, column, value): (usize, usize, &Data)| {
            (*value == wanted).then_some((row, column))
        };
        let (row, column) = values.used_cells().find_map(heading).expect("the column");
        let (shift, from) = (values.start(), formulas.start());
        let (shift, from) = (shift.expect("cells"), from.expect("cells"));
        let cell = |row: usize| {
            let place = (row as u32 + shift.0, column as u32 + shift.1);
            assert!(place >= from);
            let formula = formulas.get_value(place).cloned().unwrap_or_default();
            (values[(row, column)].clone(), formula)
        };
        (row + 2..row + 5)
            .map(cell)
            .collect::<Vec<(Data, String)>>()
    };
    let measured = column_of("Loops", "Measured");
    let ratios = column_of("Time", "Estimate / measured");
    let together = column_of("Time", "Measured together");
    assert_eq!(measured[0].1, "");
    // The second time is that of two nests, which the last column names.
    let times: Vec<Data> = measured.into_iter().map(|(value, _)| value).collect();
    assert_eq!(times, [2.0, 4.0, 4.0].map(Data::Float));
    assert!(ratios[..2].iter().all(|(_, formula)| formula.contains('/')));
    assert_eq!(together[1].0, "two@6, two@8");
}

#[test]
fn a_time_of_zero_has_no_ratio() {
    let (report, _) = report("function,seconds\none,0\n");
    assert_eq!(nest(&report, "one@2")["measured_ratio"], Value::Null);
    assert_eq!(report["measured"]["joined_share"], Value::Null);
}

#[test]
fn loopsheet_toml_names_the_tables() {
    let directory = directory("function,seconds\none,2\n");
    fs::write(
        directory.path().join("loopsheet.toml"),
        "measured = [\"times.csv\"]\n",
    )
    .expect("the settings");
    let (_, out, complaints) = run(directory.path(), &["--json", "-"]);
    let report: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(
        nest(&report, "one@2")["measured"]["seconds"],
        2.0,
        "{complaints}"
    );
}

#[test]
fn bad_tables_are_refused_with_their_place() {
    for (table, complaint) in [
        ("", "--measured times.csv: line 1: the file is empty"),
        (
            "function,seconds\none,-1\n",
            "--measured times.csv: line 2, column seconds: `-1`",
        ),
        (
            "function\none\n",
            "--measured times.csv: line 1: the header has no column `seconds`",
        ),
    ] {
        let directory = directory(table);
        let arguments = ["--measured", "times.csv", "--json", "out.json"];
        let (status, _, complaints) = run(directory.path(), &arguments);
        assert_eq!(status, Some(2), "{complaints}");
        assert!(complaints.contains(complaint), "{complaints}");
        assert!(!directory.path().join("out.json").exists());
    }
    let directory = directory("function,seconds\none,1\n");
    let (status, _, complaints) = run(directory.path(), &["--measured", "nothing.csv"]);
    assert_eq!(status, Some(2), "{complaints}");
    let (status, _, complaints) = run(directory.path(), &["--measured", "times.csv", "times.csv"]);
    assert_eq!(status, Some(2), "{complaints}");
    assert!(
        complaints.contains("times.csv: it is given twice"),
        "{complaints}"
    );
    let arguments = ["--measured", "times.csv", "-o", "times.csv"];
    assert_eq!(run(directory.path(), &arguments).0, Some(2));
}

const INLINED: &str = "static double three(double x) {
  return 3.0 * x + 1.0;
}
static void scale(int n, double *x) {
  for (int i = 0; i < n; i++)
    x[i] = three(x[i]);
}
static double half(double x) {
  return 0.5 * x;
}
static void both(int n, double *x) {
  for (int i = 0; i < n; i++)
    x[i] = half(x[i]);
  for (int i = 0; i < n; i++)
    x[i] += half(x[i]);
}
static double a[1000000], b[1000000];
int main(void) {
  for (int i = 0; i < 1000000; i++)
    b[i] += a[i];
  scale(1000000, a);
  both(1000000, b);
  return 0;
}
";

fn inlined(table: &str) -> Value {
    let directory = tempfile::tempdir().expect("a directory");
    fs::write(directory.path().join("p.c"), INLINED).expect("the source");
    fs::write(directory.path().join("times.csv"), table).expect("the table");
    let mut command = loopsheet();
    command.current_dir(directory.path());
    let arguments = ["--measured", "times.csv", "--json", "-", "-q", "--no-check"];
    printed(
        command
            .args(["analyze", "p.c", "--no-config"])
            .args(arguments),
    )
}

/// A body without loops is work of the nest around its calls; which one, where several call it, nobody knows.
#[test]
fn bodies_without_loops_belong_to_the_nest_that_calls_them() {
    let report = inlined("file,line,seconds\np.c,6,0.5\np.c,2,1.5\np.c,9,0.25\n");
    assert_eq!(nest(&report, "scale@5")["measured"]["seconds"], 2.0);
    assert_eq!(nest(&report, "both@12")["measured"], Value::Null);
    let unjoined = &report["measured"]["unjoined"];
    assert_eq!(unjoined.as_array().expect("rows").len(), 1);
    assert_eq!(unjoined[0]["what"], "p.c:9");
    let reason = unjoined[0]["reason"].as_str().expect("a reason");
    assert!(reason.contains("not all in one nest"), "{reason}");
    let report = inlined("function,seconds\nthree,1.5\n");
    assert_eq!(nest(&report, "scale@5")["measured"]["seconds"], 1.5);
}

/// Of functions that were inlined a profile by function has nothing: their nests count to that of their only caller.
#[test]
fn functions_without_a_time_count_to_their_only_caller() {
    let report = inlined("function,seconds\nmain,2.0\nboth,1.0\n");
    let together = json!(["scale@5", "main@19"]);
    for id in ["main@19", "scale@5"] {
        assert_eq!(nest(&report, id)["measured"]["seconds"], 2.0);
        assert_eq!(nest(&report, id)["measured"]["together"], together);
    }
    assert_eq!(nest(&report, "both@12")["measured"]["seconds"], 1.0);
    let inlined = json!([{ "function": "scale", "callers": ["main"], "joined": true }]);
    assert_eq!(report["measured"]["inlined"], inlined);
}
