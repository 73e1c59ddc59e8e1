//! `loopsheet sweep`: figures are those of `analyze` and `trace`, results do not depend on who computes them, when, how
//! often or how many at once, and what is missing or wrong is said.

use std::collections::BTreeMap;
use std::fs;
use std::io::Cursor;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use calamine::{DataType, Reader, Xlsx};
use loopsheet::guide::Topic;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::command::{loopsheet, printed, root};
use crate::support::sweeps::merged;

const SWEEP: &str = "\
sources = [\"kernels/*.c\"]
traces = [\"traces/*.zst\"]
machines = [\"epyc-7763\", \"sg2042\"]

[set]
n = \"64..128:64\"

[trace]
caches = [\"none\", \"1KiB..4KiB:x2,4way\", \"machine\", \"1KiB,full + 16KiB,8way,fifo\"]
latencies = [50, 100]
slots = [4, 8]
windows = [16, 64]
capacities = \"1KiB..4KiB:x2\"
epoch_slots = 8

[area]
mm2_per_mib = 2

[shards]
models = 3
caches = 3
";

const SUM: &str = "\
double sum(int n, const double *a) {
    double s = 0;
    for (int i = 0; i < n; i++) s += a[i];
    return s;
}
";

/// Two kernels, two traces and `sweep.toml`.
fn project(sweep: &str) -> TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    let at = |name: &str| directory.path().join(name);
    for kind in ["kernels", "traces"] {
        fs::create_dir(at(kind)).expect("a directory");
    }
    for name in [
        "kernels/matmul.c",
        "traces/axpy.execlog.zst",
        "traces/list.execlog.zst",
    ] {
        fs::copy(root().join("samples").join(name), at(name)).expect("a sample");
    }
    fs::write(at("kernels/sum.c"), SUM).expect("a file");
    fs::write(directory.path().join("sweep.toml"), sweep).expect("a file");
    directory
}

/// Runs a sub-command in a project; the exit status and what it says.
fn sweep(project: &Path, arguments: &[&str]) -> (i32, String) {
    let mut command = loopsheet();
    command.current_dir(project).arg("sweep").args(arguments);
    let output = command.output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code().expect("a status"), said)
}

fn done(project: &Path, arguments: &[&str]) -> String {
    let (status, said) = sweep(project, arguments);
    assert_eq!(status, 0, "{arguments:?}: {said}");
    said
}

type Row = BTreeMap<String, Field>;

/// All rows, as any reader of Parquet has them.
fn rows(project: &Path) -> Vec<Row> {
    let mut rows = Vec::new();
    for content in merged(project).into_values() {
        let reader = SerializedFileReader::new(bytes::Bytes::from(content)).expect("Parquet");
        for row in reader.get_row_iter(None).expect("rows") {
            let row = row.expect("a row");
            let cells = row.get_column_iter();
            rows.push(
                cells
                    .map(|(name, field)| (name.clone(), field.clone()))
                    .collect(),
            );
        }
    }
    rows
}

fn number(row: &Row, column: &str) -> Option<f64> {
    match &row[column] {
        Field::Null => None,
        Field::Long(value) => Some(*value as f64),
        Field::Double(value) => Some(*value),
        other => panic!("{column}: {other:?}"),
    }
}

fn text<'r>(row: &'r Row, column: &str) -> &'r str {
    match &row[column] {
        Field::Str(text) => text,
        Field::Null => "",
        other => panic!("{column}: {other:?}"),
    }
}

/// A sweep that ran undisturbed.
fn undisturbed() -> TempDir {
    let project = project(SWEEP);
    done(project.path(), &["plan", "sweep.toml"]);
    done(project.path(), &["run", "--all"]);
    done(project.path(), &["merge"]);
    project
}

#[test]
fn figures_are_those_of_analyze_and_trace() {
    let project = undisturbed();
    let rows = rows(project.path());
    let of_kind = |kind: &'static str| rows.iter().filter(move |row| text(row, "kind") == kind);
    // Two sources, two machines, two sizes; two traces with 6 + 6 hierarchies, latencies and slots; windows, capacities, m.
    assert_eq!(of_kind("program").count(), 2 * 2 * 2);
    assert_eq!(of_kind("trace").count(), 2 * 12 * 2 * 2);
    assert_eq!(of_kind("epochs").count(), 2 * 2 * 3 * 2);
    assert_eq!(of_kind("error").count(), 0);
    nests_are_those_of_analyze(&project, &rows);
    runs_are_those_of_trace(&project, &rows);
    epochs_are_those_of_trace(&project, &rows);
}

fn nests_are_those_of_analyze(project: &TempDir, rows: &[Row]) {
    for row in rows.iter().filter(|row| text(row, "kind") == "nest") {
        let size = format!("n={}", number(row, "set_n").expect("a size"));
        let mut command = loopsheet();
        command
            .current_dir(project.path())
            .args(["analyze", text(row, "input")]);
        command.args([
            "--json",
            "-",
            "-q",
            "--machine",
            text(row, "machine"),
            "--set",
            &size,
        ]);
        let report = printed(&mut command);
        let nests = report["functions"].as_array().expect("functions").iter();
        let mut nests = nests.flat_map(|function| function["nests"].as_array().expect("nests"));
        let nest = nests
            .find(|nest| nest["loop"] == text(row, "nest"))
            .expect("the nest");
        for (column, expected) in [
            ("flops", &nest["flops"]),
            ("traffic_bytes", &nest["traffic"]["actual"]),
            ("time_seconds", &nest["seconds"]),
            ("all_calls_seconds", &nest["all_calls_seconds"]),
        ] {
            assert_eq!(
                number(row, column),
                expected.as_f64(),
                "{column} of {row:?}"
            );
        }
        assert_eq!(
            text(row, "bound_by"),
            nest["bound"].as_str().expect("bound")
        );
    }
}

/// `trace` of the input that a row is about.
fn trace_of(project: &TempDir, row: &Row) -> assert_cmd::Command {
    let mut command = loopsheet();
    let arguments = ["trace", text(row, "input"), "--json", "-", "-q"];
    command.current_dir(project.path()).args(arguments);
    command
}

fn runs_are_those_of_trace(project: &TempDir, rows: &[Row]) {
    for row in rows.iter().filter(|row| text(row, "kind") == "trace") {
        let mut command = trace_of(project, row);
        for level in text(row, "caches").split(" + ") {
            command.args(["--cache", level]);
        }
        let option = |column: &str| number(row, column).expect(column).to_string();
        command.args([
            "--latency",
            &option("latency_cycles"),
            "--slots",
            &option("slots"),
        ]);
        let edag = &printed(&mut command)["edag"];
        for (column, key) in [
            ("work_cycles", "work"),
            ("depth_cycles", "depth"),
            ("memory_work", "memory_work"),
            ("memory_depth", "memory_depth"),
            ("non_memory_cycles", "non_memory_cost"),
            ("bytes_moved", "bytes_moved"),
            ("lambda_accesses", "lambda"),
            ("lambda_lower_accesses", "lambda_lower"),
            ("relative_lambda_per_cycle", "relative_lambda"),
            ("time_lower_cycles", "time_lower"),
            ("time_upper_cycles", "time_upper"),
        ] {
            assert_eq!(
                number(row, column),
                edag[key].as_f64(),
                "{column} of {row:?}"
            );
        }
    }
}

fn epochs_are_those_of_trace(project: &TempDir, rows: &[Row]) {
    for row in rows.iter().filter(|row| text(row, "kind") == "epochs") {
        let mut command = trace_of(project, row);
        let option = |column: &str| number(row, column).expect(column).to_string();
        command.args(["--epochs", "--windows", &option("window_instructions")]);
        command.args([
            "--capacities",
            &option("last_cache_bytes"),
            "--epoch-slots",
            "8",
        ]);
        let epochs = &printed(&mut command)["epochs"];
        let table: &Value = match number(row, "epoch_slots") {
            None => &epochs["epochs"],
            Some(_) => &epochs["slots"]["8"],
        };
        assert_eq!(number(row, "epochs"), table[0][0].as_f64(), "{row:?}");
    }
}

#[test]
fn area_is_that_of_the_file() {
    let project = undisturbed();
    for row in rows(project.path()) {
        if text(&row, "caches") == "2KiB,4way,64B,lru,write-back" && text(&row, "kind") == "trace" {
            assert_eq!(number(&row, "area_mm2"), Some(2.0 * 2.0 / 1024.0));
            assert_eq!(number(&row, "last_cache_bytes"), Some(2048.0));
        }
    }
}

#[test]
fn bytes_do_not_depend_on_order_or_parts() {
    let expected = merged(undisturbed().path());
    let project = project(SWEEP);
    // From elsewhere, in parts, one of them first, twice.
    let elsewhere = tempfile::tempdir().expect("a directory");
    let place = project.path().join("sweep");
    let place = ["--dir", place.to_str().expect("a path")];
    let file = project.path().join("sweep.toml");
    let with = |arguments: &[&str]| done(elsewhere.path(), &[arguments, &place].concat());
    with(&["plan", file.to_str().expect("a path")]);
    for part in ["3", "1", "2", "1"] {
        with(&["run", part, "--of", "3"]);
    }
    let said = with(&["run", "--all"]);
    assert!(said.contains(" 0 computed now"), "{said}");
    with(&["merge"]);
    assert_eq!(merged(project.path()), expected);
    with(&["merge"]);
    assert_eq!(merged(project.path()), expected, "merged twice");
}

/// Kills runs at some moments, and lets two run at once.
#[test]
fn bytes_do_not_depend_on_what_was_killed() {
    let expected = merged(undisturbed().path());
    let project = project(SWEEP);
    done(project.path(), &["plan", "sweep.toml"]);
    let start = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_loopsheet"));
        command
            .current_dir(project.path())
            .args(["sweep", "run", "--all", "--jobs", "1"]);
        command.stderr(Stdio::null()).spawn().expect("it runs")
    };
    // From before the first result to behind some.
    for milliseconds in [1, 20, 40, 80, 120, 30, 60] {
        let mut one = start();
        std::thread::sleep(Duration::from_millis(milliseconds));
        // SIGKILL: nothing can be tidied up.
        one.kill().expect("killed");
        one.wait().expect("ended");
    }
    let (mut one, mut other) = (start(), start());
    assert!(one.wait().expect("ended").success());
    assert!(other.wait().expect("ended").success());
    let (status, said) = sweep(project.path(), &["run", "--all"]);
    assert_eq!(status, 0);
    assert!(said.contains(" 0 computed now"), "{said}");
    done(project.path(), &["merge"]);
    assert_eq!(merged(project.path()), expected);
}

#[test]
fn what_is_missing_is_said() {
    let project = project(SWEEP);
    let refused = |arguments: &[&str], why: &str| {
        let (status, said) = sweep(project.path(), arguments);
        assert_eq!(status, 2, "{arguments:?}: {said}");
        assert!(said.contains(why), "{arguments:?}: {said}");
    };
    refused(&["run", "--all"], "sweep plan");
    done(project.path(), &["plan", "sweep.toml"]);
    done(project.path(), &["run", "2"]);
    refused(&["merge"], "have not been computed: 1, 3");
    assert!(!project.path().join("sweep/data").exists());
    refused(&["run", "0"], "counted from 1");
    refused(&["run", "1000"], "counted from 1");
    refused(&["run", "--from-slurm"], "SLURM_ARRAY_TASK_ID is not set");
    refused(&["run"], "required");
}

/// The pilot is the largest shard that can be computed; what fails is a row of the data that the script leaves.
#[test]
fn scripts_merge_what_failed_and_what_did_not() {
    let project = project("traces = [\"traces/*\"]\n");
    let bad = project.path().join("traces/bad.execlog");
    let line = "0, 0x1000, 0x4398, \"frobnicate a4,0(a5)\"\n";
    fs::write(&bad, line.repeat(100_000)).expect("a file");
    done(project.path(), &["plan", "sweep.toml"]);
    let (status, said) = sweep(project.path(), &["submit", "--engine", "local", "--now"]);
    assert_eq!(status, 1, "{said}");
    let kinds: Vec<String> = rows(project.path())
        .iter()
        .map(|row| text(row, "kind").to_string())
        .collect();
    assert_eq!(kinds.iter().filter(|kind| *kind == "error").count(), 1);
    assert_eq!(kinds.iter().filter(|kind| *kind == "trace").count(), 2);
}

/// There is nothing to learn a limit from.
#[test]
fn nothing_is_submitted_where_everything_fails() {
    let project = project("traces = [\"traces/bad.execlog\"]\n");
    let bad = project.path().join("traces/bad.execlog");
    fs::write(&bad, "0, 0x1000, 0x4398, \"frobnicate a4,0(a5)\"\n").expect("a file");
    done(project.path(), &["plan", "sweep.toml"]);
    let (status, said) = sweep(project.path(), &["submit"]);
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("all shards that were missing fail"), "{said}");
    assert!(!project.path().join("sweep/run.sbatch").exists());
}

#[test]
fn a_shard_that_fails_is_a_row_and_stops_no_other() {
    let project = project("traces = [\"traces/*\"]\n");
    let bad = project.path().join("traces/bad.execlog");
    fs::write(&bad, "0, 0x1000, 0x4398, \"frobnicate a4,0(a5)\"\n").expect("a file");
    done(project.path(), &["plan", "sweep.toml"]);
    let (status, said) = sweep(project.path(), &["run", "--all"]);
    assert_eq!(status, 1, "{said}");
    assert!(
        said.contains("traces/bad.execlog") && said.contains("--retry"),
        "{said}"
    );
    let (status, _) = sweep(project.path(), &["merge"]);
    assert_eq!(status, 1);
    let errors: Vec<Row> = rows(project.path())
        .into_iter()
        .filter(|row| text(row, "kind") == "error")
        .collect();
    let [error] = &errors[..] else {
        panic!("{errors:?}")
    };
    assert_eq!(text(error, "input"), "traces/bad.execlog");
    assert!(text(error, "error").contains("frobnicate"), "{error:?}");
    assert_eq!(rows(project.path()).len(), 3, "the others have theirs");

    // A failure is not tried again by itself. What it reads changed: the plan holds no more.
    let said = sweep(project.path(), &["run", "--all"]).1;
    assert!(said.contains(" 0 computed now"), "{said}");
    fs::copy(project.path().join("traces/axpy.execlog.zst"), &bad).expect("a trace");
    let (status, said) = sweep(project.path(), &["run", "--all", "--retry"]);
    assert_eq!(status, 1);
    assert!(
        said.contains(" 1 computed now") && said.contains("plan again"),
        "{said}"
    );
    done(project.path(), &["plan", "sweep.toml"]);
    let said = done(project.path(), &["run", "--all"]);
    assert!(
        said.contains(" 1 computed now"),
        "only what changed: {said}"
    );
    done(project.path(), &["merge"]);
    // What is in the sweep no more is not in its data.
    fs::remove_file(&bad).expect("removed");
    done(project.path(), &["plan", "sweep.toml"]);
    done(project.path(), &["run", "--all"]);
    done(project.path(), &["merge"]);
    assert_eq!(merged(project.path()).len(), 2);
}

#[test]
fn a_result_follows_all_that_was_read() {
    let project = project("sources = [\"own\"]\nmachines = [\"own.toml\"]\n");
    let write = |name: &str, text: &str| fs::write(project.path().join(name), text).expect(name);
    fs::create_dir(project.path().join("own")).expect("a directory");
    write("own/size.h", "#define N 100\n");
    write(
        "own/a.c",
        "#include \"size.h\"\nvoid f(double *a) { for (int i = 0; i < N; i++) a[i] = 0; }\n",
    );
    write("own.toml", "base = \"epyc-7763\"\n");
    let computed = |changed: &str| {
        done(project.path(), &["plan", "sweep.toml"]);
        let said = done(project.path(), &["run", "--all"]);
        assert!(said.contains(" 1 computed now"), "{changed}: {said}");
    };
    computed("nothing");
    write("own/size.h", "#define N 200\n");
    computed("an included file");
    write("own.toml", "base = \"sg2042\"\n");
    computed("the machine");
    write("loopsheet.toml", "[sizes]\nN = 300\n");
    computed("the project's settings");
    // A source that came after the plan.
    done(project.path(), &["plan", "sweep.toml"]);
    write(
        "own/b.c",
        "void g(double *a) { for (int i = 0; i < 9; i++) a[i] = 0; }\n",
    );
    fs::remove_dir_all(project.path().join("sweep/shards")).expect("removed");
    let (status, said) = sweep(project.path(), &["run", "--all"]);
    assert_eq!(status, 1);
    assert!(said.contains("b.c was not there"), "{said}");
}

#[test]
fn bad_plans_are_refused_and_write_nothing() {
    for (text, why) in [
        ("traces = [\"traces/*.gz\"]\n", "no file fits"),
        (
            "traces = [\"traces/none.zst\"]\n",
            "there is no traces/none.zst",
        ),
        ("traces = [\"traces\"]\n", "is not a file"),
        (
            "sources = [\"kernels/*.c\"]\nmachines = [\"epic\"]\n",
            "epyc-7763",
        ),
        (
            "sources = [\"kernels/*.c\"]\n[set]\nn = \"8..4\"\n",
            "larger than the last",
        ),
        (
            "traces = [\"traces/*\"]\n[trace]\ncaches = [\"1KiB,3legs\"]\n",
            "not an option",
        ),
        ("traces = [\"traces/*\"]\ncaches = []\n", "unknown field"),
    ] {
        let project = project(text);
        let (status, said) = sweep(project.path(), &["plan", "sweep.toml"]);
        assert_eq!(status, 2, "{text}: {said}");
        assert!(said.contains(why), "{text}: {said}");
        assert!(
            !project.path().join("sweep/manifest.jsonl").exists(),
            "{text}"
        );
    }
}

#[test]
fn a_report_has_the_best_of_every_input() {
    let project = undisturbed();
    done(
        project.path(),
        &["report", "-o", "sweep.xlsx", "--html", "sweep.html"],
    );
    let book = fs::read(project.path().join("sweep.xlsx")).expect("a workbook");
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(book)).expect("a workbook");
    let sheets = [
        "Best",
        "Map",
        "Sources map",
        "Epochs map",
        "Front",
        "Ranking",
        "Configurations",
    ];
    assert_eq!(book.sheet_names(), sheets);
    let glossary = Topic::Glossary.text();
    for sheet in sheets {
        assert!(glossary.contains(&format!("**{sheet}**")), "{sheet}");
    }
    // Of a trace one at each latency, which nobody chooses.
    let mut least: BTreeMap<(String, u64), f64> = BTreeMap::new();
    for row in rows(project.path()) {
        if ["program", "trace"].contains(&text(&row, "kind")) {
            let time = number(&row, "time_seconds").expect("a time");
            let latency = number(&row, "latency_cycles").unwrap_or(0.0) as u64;
            let known = least
                .entry((text(&row, "input").into(), latency))
                .or_insert(time);
            *known = known.min(time);
        }
    }
    assert_eq!(least.len(), 2 + 2 * 2);
    let best = book.worksheet_range("Best").expect("the sheet");
    let column = |name: &str| {
        let mut heads = best.rows().nth(3).expect("headings").iter();
        heads
            .position(|head| head.get_string() == Some(name))
            .expect(name)
    };
    let latency = column("latency_cycles");
    let found = best.rows().filter_map(|row| {
        let time = row[2].get_float()?;
        let latency = row[latency].get_float().unwrap_or(0.0) as u64;
        Some(((row[0].get_string()?.to_string(), latency), time))
    });
    assert_eq!(found.collect::<BTreeMap<(String, u64), f64>>(), least);
    let ranking = book.worksheet_range("Ranking").expect("the sheet");
    let ranked = ranking.rows().skip(4).filter_map(|row| row[1].get_float());
    let ranked: Vec<f64> = ranked.collect();
    assert!(
        ranked.len() > 1 && ranked.is_sorted_by(|one, other| one >= other),
        "{ranking:?}"
    );
    let page = fs::read_to_string(project.path().join("sweep.html")).expect("a page");
    assert!(page.contains("By epochs per 1,000 instructions"));
    for (input, _) in least.keys() {
        assert!(page.contains(input), "{input}");
    }
    // Traces have no sizes: the axes of the map are those that go together.
    assert!(page.contains("over 2 inputs"), "{page}");
    let (status, said) = sweep(
        project.path(),
        &["report", "-o", "x.xlsx", "--map", "n,caches"],
    );
    assert_eq!(status, 2, "{said}");
    assert!(
        said.contains("`n`; there are ") && said.contains(", set_n"),
        "{said}"
    );
    assert!(!project.path().join("x.xlsx").exists());
}

/// Windows across, capacities down, at the one m that bounds epochs, as in the ranking.
#[test]
fn a_map_of_epochs_has_their_means() {
    let project = undisturbed();
    let maps = |axes: &str| {
        done(project.path(), &["report", "-o", "m.xlsx", "--map", axes]);
        let book = fs::read(project.path().join("m.xlsx")).expect("a workbook");
        Xlsx::new(Cursor::new(book)).expect("a workbook")
    };
    let mut book: Xlsx<_> = maps("window_instructions,last_cache_bytes");
    let map = book.worksheet_range("Epochs map").expect("the sheet");
    let mut found = BTreeMap::new();
    for row in map.rows().skip(4) {
        let values: Vec<f64> = row.iter().filter_map(DataType::get_float).collect();
        let size = row[0].get_string().unwrap_or_default();
        if let (Some(kibibytes), [narrow, wide]) = (size.strip_suffix(" KiB"), &values[..]) {
            let capacity = kibibytes.parse::<u64>().expect("a size") << 10;
            found.insert((capacity, 16), *narrow);
            found.insert((capacity, 64), *wide);
        }
    }
    let mut expected: BTreeMap<(u64, u64), f64> = BTreeMap::new();
    for row in rows(project.path()) {
        if text(&row, "kind") == "epochs" && number(&row, "epoch_slots") == Some(8.0) {
            let whole = |column| number(&row, column).expect(column) as u64;
            let place = (whole("last_cache_bytes"), whole("window_instructions"));
            let frequency = number(&row, "epochs_per_1000_instructions").expect("epochs");
            *expected.entry(place).or_default() += frequency / 2.0;
        }
    }
    assert_eq!(expected.len(), 6);
    assert_eq!(
        found.keys().collect::<Vec<_>>(),
        expected.keys().collect::<Vec<_>>()
    );
    for (place, mean) in expected {
        assert!(
            (found[&place] - mean).abs() < 1e-9 * mean.max(1.0),
            "{place:?}"
        );
    }
    // Columns that follow from others, and pairs that no row has.
    let mut book = maps("area_mm2,latency_cycles");
    let map = book.worksheet_range("Map").expect("the sheet");
    assert!(
        map.rows()
            .any(|row| row[0].get_string() == Some("latency_cycles"))
    );
    for (axes, why) in [
        ("set_n,caches", "no row has both"),
        ("slots,slots", "two different axes"),
        ("window_instructions,slots", "no row has both"),
    ] {
        let (status, said) = sweep(project.path(), &["report", "-o", "x.xlsx", "--map", axes]);
        assert_eq!(status, 2, "{said}");
        assert!(said.contains(why), "{axes}: {said}");
    }
    assert!(!project.path().join("x.xlsx").exists());
}

#[test]
fn scripts_compute_and_merge() {
    let expected = merged(undisturbed().path());
    let project = project(SWEEP);
    done(project.path(), &["plan", "sweep.toml"]);
    let said = done(project.path(), &["submit", "--engine", "local", "--now"]);
    assert!(said.contains("sh sweep/submit.sh"), "{said}");
    assert_eq!(merged(project.path()), expected);
    let said = done(project.path(), &["submit"]);
    assert!(
        said.contains("have been computed, so that there is nothing to submit"),
        "{said}"
    );
    assert!(!project.path().join("sweep/run.sbatch").exists());
}

/// The result file of a shard that has most bytes.
fn largest_result(project: &Path) -> std::path::PathBuf {
    let shards = fs::read_dir(project.join("sweep/shards")).expect("results");
    let paths = shards.map(|entry| entry.expect("a result").path());
    let size = |path: &std::path::PathBuf| fs::metadata(path).map_or(0, |file| file.len());
    paths.max_by_key(size).expect("a shard")
}

#[test]
fn a_result_that_was_cut_is_computed_again() {
    let project = project(SWEEP);
    done(project.path(), &["plan", "sweep.toml"]);
    done(project.path(), &["run", "--all"]);
    done(project.path(), &["merge"]);
    let whole = merged(project.path());
    let path = largest_result(project.path());
    let text = fs::read_to_string(&path).expect("rows");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let cuts = [0, 1, lines.len() - 1];
    for cut in cuts {
        fs::write(&path, lines[..cut].concat()).expect("written");
        let (status, said) = sweep(project.path(), &["merge"]);
        assert_eq!(status, 2, "{said}");
        assert!(said.contains("1 of "), "{said}");
        let said = done(project.path(), &["run", "--all"]);
        assert!(said.contains(" 1 computed now"), "{said}");
    }
    // A line is missing in the middle: no file of the merged data changes.
    fs::write(&path, [&lines[..1], &lines[2..]].concat().concat()).expect("written");
    let (status, said) = sweep(project.path(), &["merge"]);
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("delete it and run again"), "{said}");
    assert_eq!(merged(project.path()), whole);
    let left = fs::read_dir(project.path().join("sweep/data")).expect("data");
    assert_eq!(left.count(), whole.len(), "nothing unfinished is left");
}

#[test]
fn what_is_no_cache_or_area_is_refused_at_once() {
    for (caches, area, reason) in [
        ("\"8KiB..64KiB:x2 + 16KiB\"", "2", "is smaller than level 1"),
        ("\"1MiB + 32KiB\"", "2", "is smaller than level 1"),
        ("\"32KiB\"", "-3", "0 or more"),
        ("\"32KiB\"", "nan", "0 or more"),
        (
            "{ levels = \"32KiB\", area_mm2 = -1 }",
            "2",
            "is not an area",
        ),
    ] {
        let project = project(&format!(
            "traces = [\"traces/*.zst\"]\n[trace]\ncaches = [{caches}]\n[area]\nmm2_per_mib = {area}\n"
        ));
        let (status, said) = sweep(project.path(), &["plan", "sweep.toml"]);
        assert_eq!(status, 2, "{caches} {area}: {said}");
        assert!(said.contains(reason), "{caches} {area}: {said}");
    }
}

/// What was computed is of what was planned: an input that changed since is named, whatever its time says.
#[test]
fn an_input_that_changed_after_its_shard_is_noticed() {
    let project = project("traces = [\"traces/*\"]\n");
    let at = |name: &str| project.path().join(name);
    done(project.path(), &["plan", "sweep.toml"]);
    done(project.path(), &["run", "--all"]);
    done(project.path(), &["merge"]);
    let whole = merged(project.path());
    let (axpy, list) = (at("traces/axpy.execlog.zst"), at("traces/list.execlog.zst"));
    // Touched, it holds the same.
    let touch = |path: &Path, when: std::time::SystemTime| {
        let file = fs::File::options()
            .append(true)
            .open(path)
            .expect("a trace");
        file.set_modified(when).expect("a time");
    };
    touch(&axpy, std::time::SystemTime::now());
    done(project.path(), &["run", "--all"]);
    done(project.path(), &["merge"]);
    let before = fs::metadata(&axpy)
        .and_then(|file| file.modified())
        .expect("a time");
    fs::copy(&list, &axpy).expect("copied");
    touch(&axpy, before);
    let changed = "traces/axpy.execlog.zst is not what it was when the sweep was planned";
    let (status, said) = sweep(project.path(), &["run", "--all"]);
    assert_eq!(status, 1, "{said}");
    assert!(
        said.contains(changed) && said.contains("plans again"),
        "{said}"
    );
    for arguments in [&["merge"][..], &["report", "--html", "r.html"]] {
        let (status, said) = sweep(project.path(), arguments);
        assert_eq!(status, 2, "{said}");
        assert!(
            said.contains(changed) && said.contains("plans again"),
            "{said}"
        );
    }
    assert_eq!(merged(project.path()), whole, "nothing was written");
    assert!(!at("r.html").exists());
    let said = done(project.path(), &["plan", "sweep.toml"]);
    let same = "traces/list.execlog.zst holds the same as traces/axpy.execlog.zst";
    assert!(said.contains(same), "{said}");
    let said = done(project.path(), &["run", "--all"]);
    assert!(said.contains(" 1 computed now, 1 there before"), "{said}");
    done(project.path(), &["merge"]);
    // What is gone cannot be computed again, but was computed.
    fs::remove_file(&axpy).expect("removed");
    let said = done(project.path(), &["merge"]);
    assert!(said.contains("is no longer there"), "{said}");
}

/// A link that leads elsewhere, and a source that came to a directory.
#[test]
fn inputs_may_change_without_a_file_that_changed() {
    let project = project("traces = [\"link\"]\nsources = [\"kernels\"]\n");
    let at = |name: &str| project.path().join(name);
    let link = |to: &str| {
        let _ = fs::remove_file(at("link"));
        std::os::unix::fs::symlink(at(to), at("link")).expect("a link");
    };
    link("traces/axpy.execlog.zst");
    done(project.path(), &["plan", "sweep.toml"]);
    done(project.path(), &["run", "--all"]);
    link("traces/list.execlog.zst");
    let (status, said) = sweep(project.path(), &["merge"]);
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("link is not what it was"), "{said}");
    link("traces/axpy.execlog.zst");
    done(project.path(), &["merge"]);
    fs::write(at("kernels/new.c"), SUM.replace("sum(", "another(")).expect("a file");
    let (status, said) = sweep(project.path(), &["merge"]);
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("kernels/new.c was not there"), "{said}");
}

/// Other tables beside the merged ones stay; those of inputs that are in the sweep no more go.
#[test]
fn merging_removes_its_own_files_only() {
    let project = project("traces = [\"traces/*\"]\n");
    let data = |name: &str| project.path().join("sweep/data").join(name);
    fs::create_dir_all(data("")).expect("a directory");
    fs::write(data("mine.parquet"), "mine").expect("a file");
    let again = |sweep: &str| {
        fs::write(project.path().join("sweep.toml"), sweep).expect("written");
        done(project.path(), &["plan", "sweep.toml"]);
        done(project.path(), &["run", "--all"]);
        done(project.path(), &["merge"]);
    };
    again("traces = [\"traces/*\"]\n");
    assert!(data("list.execlog.zst.parquet").exists());
    again("traces = [\"traces/axpy*\"]\n");
    assert!(data("axpy.execlog.zst.parquet").exists());
    assert!(!data("list.execlog.zst.parquet").exists());
    assert_eq!(
        fs::read_to_string(data("mine.parquet")).expect("a file"),
        "mine"
    );
}

/// A machine counts once under all its names; what of a source cannot be read is said.
#[test]
fn plans_say_what_they_leave_out() {
    let project =
        project("sources = [\"kernels\"]\nmachines = [\"epyc-7763\", \"grace\", \"epyc-7763\"]\n");
    let said = done(project.path(), &["plan", "sweep.toml"]);
    assert!(
        said.contains("machine epyc-7763 is named twice, and counts once"),
        "{said}"
    );
    assert!(said.contains("2 configurations"), "{said}");
    let link = project.path().join("kernels/lost");
    std::os::unix::fs::symlink("nowhere", link).expect("a link");
    let said = done(project.path(), &["plan", "sweep.toml"]);
    assert!(
        said.contains("cannot read a part of this directory"),
        "{said}"
    );
}

#[test]
fn a_file_counts_once_under_all_its_names() {
    let own = "traces = [\"./traces/*\", \"traces/list.execlog.zst\", \"./traces/axpy.execlog.zst\", \"link\"]\n";
    let project = project(own);
    let target = project.path().join("traces/list.execlog.zst");
    std::os::unix::fs::symlink(target, project.path().join("link")).expect("a link");
    let said = done(project.path(), &["plan", "sweep.toml"]);
    assert!(said.contains("2 configurations of 2 inputs"), "{said}");
    let again = "link is the same file as traces/list.execlog.zst, and counts once";
    assert!(said.contains(again), "{said}");
}

/// What no shard could compute is said before any is computed.
#[test]
fn bad_inputs_are_refused_by_the_plan() {
    for (text, why) in [
        (
            "sources = [\"empty.c\"]\n",
            "empty.c: nothing could be analysed",
        ),
        (
            "sources = [\"kernels/*.c\"]\n[set]\nnn = 4\n",
            "set.nn: there is no parameter of that name",
        ),
        (
            "sources = [\"kernels/sum.c\"]\n[set]\nl2_bytes = [4096, -5]\n",
            "set.l2_bytes=-5: ",
        ),
        (
            "sources = [\"traces/axpy.execlog.zst\"]\n",
            "is a trace; `traces` names those",
        ),
        ("traces = [\"nothing\"]\n", "the trace is empty"),
        (
            "traces = [\"kernels/matmul.c\"]\n",
            "is not a line of a trace",
        ),
        ("traces = [\"no/*.zst\"]\n", "there is no directory no"),
    ] {
        let project = project(text);
        fs::write(project.path().join("empty.c"), "int x;\n").expect("a file");
        fs::write(project.path().join("nothing"), "").expect("a file");
        let (status, said) = sweep(project.path(), &["plan", "sweep.toml"]);
        assert_eq!(status, 2, "{text}: {said}");
        assert!(said.contains(why), "{text}: {said}");
        assert!(
            !said.contains("--format") && !said.contains("IO error"),
            "{said}"
        );
        assert!(!project.path().join("sweep").exists(), "{text}");
    }
}

/// Messages say what is wrong once, where it stands, and in the words of the file.
#[test]
fn wrong_values_are_said_where_they_stand() {
    for (axes, said, unsaid) in [
        (
            "latencies = ['abc']",
            "`trace.latencies`: `abc` is not a number",
            "bytes",
        ),
        (
            "latencies = '16KiB'",
            "is a size, and a number without a unit",
            "whole number",
        ),
        (
            "caches = []",
            "`trace.caches`: there is no value",
            "expected",
        ),
        (
            "caches = ['-1KiB']",
            "`trace.caches`: `-1KiB` is not a number",
            "`-1KiB`:",
        ),
        ("caches = '1KiB..4KiB'", "by which step or factor", "sets"),
        (
            "slots = [1, true, 3]",
            " ^^^^\ninvalid type: boolean",
            "^^^^^",
        ),
    ] {
        let project = project(&format!("traces = 'traces/*.zst'\n[trace]\n{axes}\n"));
        let (status, text) = sweep(project.path(), &["plan", "sweep.toml"]);
        assert_eq!(status, 2, "{axes}: {text}");
        assert!(
            text.contains(said) && !text.contains(unsaid),
            "{axes}: {text}"
        );
    }
    let project = project("traces = 'traces/*.zst'\n");
    done(project.path(), &["plan", "sweep.toml"]);
    fs::write(project.path().join("sweep/data"), "").expect("a file");
    done(project.path(), &["run", "--all"]);
    let (status, said) = sweep(project.path(), &["merge"]);
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("sweep/data is a file"), "{said}");
}

#[test]
fn hints_are_about_what_there_is() {
    let project = project("traces = [\"traces/*\"]\n");
    let line = "0, 0x1000, 0x4398, \"frobnicate a4,0(a5)\"\n";
    fs::write(project.path().join("traces/bad.execlog"), line).expect("a file");
    done(project.path(), &["plan", "sweep.toml"]);
    let (status, said) = sweep(project.path(), &["run", "--all"]);
    assert_eq!(status, 1, "{said}");
    assert!(
        said.contains("frobnicate") && !said.contains("--unknown"),
        "{said}"
    );
}

#[test]
fn a_sweep_that_moved_says_so() {
    let project = project("traces = [\"traces/*\"]\n");
    done(project.path(), &["plan", "sweep.toml"]);
    fs::create_dir(project.path().join("deep")).expect("a directory");
    let at = |name: &str| project.path().join(name);
    fs::rename(at("sweep"), at("deep/sweep")).expect("moved");
    let (status, said) = sweep(project.path(), &["run", "--all", "--dir", "deep/sweep"]);
    assert_eq!(status, 1, "{said}");
    assert!(
        said.contains("no longer there") && said.contains("plan again"),
        "{said}"
    );
}

#[test]
fn a_report_of_failures_only_is_refused() {
    let project = project("traces = [\"bad.execlog\"]\n");
    let line = "0, 0x1000, 0x4398, \"frobnicate a4,0(a5)\"\n";
    fs::write(project.path().join("bad.execlog"), line).expect("a file");
    done(project.path(), &["plan", "sweep.toml"]);
    sweep(project.path(), &["run", "--all"]);
    let (status, said) = sweep(project.path(), &["report", "-o", "r.xlsx"]);
    assert_eq!(status, 2, "{said}");
    assert!(
        said.contains("the only shard failed") && said.contains("frobnicate"),
        "{said}"
    );
    assert!(!project.path().join("r.xlsx").exists());
}

/// Sizes are in order and in units, and traces and sources have maps of their own.
#[test]
fn maps_can_be_read() {
    let own = "sources = 'kernels/sum.c'\ntraces = 'traces/*.zst'\nmachines = ['epyc-7763', 'sg2042']\n\
        [set]\nn = [64, 128]\n[trace]\ncaches = ['4KiB', 'none', '1KiB..2KiB:x2']\nlatencies = [100, 50]\n";
    let project = project(own);
    let said = done(project.path(), &["plan", "sweep.toml"]);
    // Two machines: two sizes; two traces with four hierarchies and two latencies.
    let counts = "36 configurations of 3 inputs in 3 shards (4 of sources, 32 of traces)";
    assert!(said.contains(counts), "{said}");
    done(project.path(), &["run", "--all"]);
    let said = done(project.path(), &["merge"]);
    assert!(said.contains("36 configurations, 4 nests"), "{said}");
    done(
        project.path(),
        &["report", "-o", "r.xlsx", "--html", "r.html"],
    );
    let page = fs::read_to_string(project.path().join("r.html")).expect("a page");
    let heads = "<th>latency_cycles ↓ last_cache_bytes →</th><th>no cache</th><th>1 KiB</th><th>2 KiB</th><th>4 KiB</th>";
    assert!(page.contains(heads), "{page}");
    assert!(
        page.contains("36 configurations of 3 inputs (4 of sources, 32 of traces)"),
        "{page}"
    );
    let first = page.find("<td>50</td>").expect("a latency");
    assert!(page[first..].contains("<td>100</td>"), "{page}");
    let book = fs::read(project.path().join("r.xlsx")).expect("a workbook");
    let book: Xlsx<_> = Xlsx::new(Cursor::new(book)).expect("a workbook");
    let names = book.sheet_names();
    assert!(names.contains(&"Sources map".to_string()), "{names:?}");
}

/// On SIGINT a run says what is kept and how to go on; what it was about is not half there.
#[test]
#[cfg(target_os = "linux")]
fn a_run_that_is_interrupted_says_how_to_go_on() {
    use std::io::Write;
    use std::os::unix::process::ExitStatusExt;

    let project = project("traces = ['traces/axpy.execlog.zst', 'long.edan']\n");
    let long = fs::File::create(project.path().join("long.edan")).expect("a file");
    let mut long = std::io::BufWriter::new(long);
    for number in 0..2_000_000_u64 {
        let line = format!("0;0x104be;lw a4,0(a5);{:#x}\n", 0x40_0000 + number * 8);
        long.write_all(line.as_bytes()).expect("written");
    }
    drop(long.into_inner().expect("written"));
    done(project.path(), &["plan", "sweep.toml"]);
    let mut command = Command::new("env");
    command
        .arg("--default-signal=INT")
        .arg(env!("CARGO_BIN_EXE_loopsheet"))
        .args(["sweep", "run", "--all", "--jobs", "1"])
        .current_dir(project.path())
        .stderr(Stdio::piped());
    let child = command.spawn().expect("it runs");
    let shards = project.path().join("sweep/shards");
    let names = || {
        let files = fs::read_dir(&shards).expect("shards");
        files.map(|file| file.expect("a file").file_name())
    };
    // A file has its name once it is whole.
    let is_result = |name: std::ffi::OsString| !name.as_encoded_bytes().starts_with(b".");
    while !names().any(is_result) {
        std::thread::sleep(Duration::from_millis(2));
    }
    let sent = Command::new("kill")
        .args(["-s", "INT", &child.id().to_string()])
        .status();
    assert!(sent.expect("kill is there").success());
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr);
    // What a shell calls status 130.
    assert_eq!(output.status.signal(), Some(2), "{said}");
    let expected = "stopped: 1 of 2 shards finished and kept; `loopsheet sweep run --all --dir sweep` computes the others";
    assert!(said.contains(expected), "{said}");
    assert_eq!(names().count(), 1, "nothing half-written is left");
}
