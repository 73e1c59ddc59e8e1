//! Figures are those of `analyze` and `trace`.

use super::*;

/// What `analyze` marks with a star is marked here, too: of loops, of figures, by the check; and of what is guessed.
#[test]
fn marks_are_those_of_analyze() {
    const GATHERED: &str = "\
double x[100000], y[100000];
int col[100000], first[1001];
void gather(int n) { for (int i = 0; i < n; i++) y[i] += x[col[i]]; }
void uneven(int n, int m) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i * m; j++)
            y[j] += 1;
}
void plain(void) { for (int i = 0; i < 1000; i++) y[i] = 0; }
";
    let project = project("sources = [\"kernels/marks.c\"]\n[set]\nn = 100\n");
    fs::write(project.path().join("kernels/marks.c"), GATHERED).expect("a file");
    done(project.path(), &["plan", "sweep.toml"]);
    done(project.path(), &["run", "--all"]);
    done(project.path(), &["merge"]);
    let rows = rows(project.path());
    nests_are_those_of_analyze_without_machine(&project, &rows);
    let of = |function: &str| {
        let mut nests = rows.iter().filter(|row| text(row, "kind") == "nest");
        nests
            .find(|row| text(row, "function") == function)
            .expect(function)
    };
    let reasons = |row: &Row| text(row, "reasons").to_string();
    assert!(reasons(of("gather")).contains("gathered_elements"));
    assert!(reasons(of("uneven")).contains("uneven_bounds"));
    assert_eq!(reasons(of("plain")), "");
    assert_eq!(text(of("gather"), "guessed_sizes"), "");
    assert!(text(of("uneven"), "guessed_sizes").contains('m'));
    let program = rows
        .iter()
        .find(|row| text(row, "kind") == "program")
        .expect("a row");
    for code in ["gathered_elements", "uneven_bounds"] {
        assert!(reasons(program).contains(code), "{program:?}");
    }
    assert!(text(program, "guessed_sizes").contains('m'), "{program:?}");
}

/// The same marks, on the default machine.
fn nests_are_those_of_analyze_without_machine(project: &TempDir, rows: &[Row]) {
    let mut command = loopsheet();
    command.current_dir(project.path());
    command.args([
        "analyze",
        "kernels/marks.c",
        "--json",
        "-",
        "-q",
        "--set",
        "n=100",
    ]);
    let report = printed(&mut command);
    let functions = report["functions"].as_array().expect("functions").iter();
    for nest in functions.flat_map(|function| function["nests"].as_array().expect("nests")) {
        let mut own = rows.iter().filter(|row| text(row, "kind") == "nest");
        let own = own
            .find(|row| nest["loop"] == text(row, "nest"))
            .expect("the nest");
        let marks = nest["reasons"].as_array().expect("reasons").iter();
        let marks: BTreeSet<&str> = marks.filter_map(Value::as_str).collect();
        let own: BTreeSet<&str> = text(own, "reasons").split_whitespace().collect();
        assert_eq!(own, marks, "{nest}");
    }
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
        let reasons = nest["reasons"].as_array().expect("reasons").iter();
        let calls = nest["call_reasons"].as_array().into_iter().flatten();
        let reasons = reasons.chain(calls).filter_map(Value::as_str);
        let reasons: BTreeSet<&str> = reasons.collect();
        let own: BTreeSet<&str> = text(row, "reasons").split_whitespace().collect();
        assert!(own.is_superset(&reasons), "{reasons:?}: {row:?}");
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

/// A program that does nothing in parallel has one core of each machine, unless the sweep says how many.
#[test]
fn serial_programs_have_one_core_as_in_analyze() {
    const SERIAL: &str = "\
static double a[1000000];
int main(void) {
  for (int i = 0; i < 1000000; i++) a[i] += 2.0;
  return 0;
}
";
    let machines = "machines = [\"epyc-7763\", \"grace\"]\n";
    for (set, cores) in [("", 1.0), ("[set]\ncores = 4\n", 4.0)] {
        let spec = format!("sources = [\"kernels/serial.c\"]\n{machines}{set}");
        let project = project(&spec);
        fs::write(project.path().join("kernels/serial.c"), SERIAL).expect("a file");
        done(project.path(), &["plan", "sweep.toml"]);
        done(project.path(), &["run", "--all"]);
        done(project.path(), &["merge"]);
        let rows = rows(project.path());
        let programs: Vec<&Row> = (rows.iter())
            .filter(|row| text(row, "kind") == "program")
            .collect();
        assert_eq!(programs.len(), 2);
        for row in programs {
            let mut command = loopsheet();
            command.current_dir(project.path());
            command.args(["analyze", "kernels/serial.c", "--json", "-", "-q"]);
            command.args(["--machine", text(row, "machine")]);
            if cores > 1.0 {
                command.args(["--set", "cores=4"]);
            }
            let report = printed(&mut command);
            assert_eq!(number(row, "cores"), Some(cores));
            let seconds = report["totals"]["seconds"].as_f64();
            assert_eq!(number(row, "time_seconds"), seconds);
        }
    }
}
