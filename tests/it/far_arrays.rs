//! Arrays in far memory, against counts by hand: 64 GB/s and 10 ns for an irregular line in RAM (100 ns, ten at once).

use crate::support::command::{analysed, fixture, loopsheet};
use crate::support::{page, sources};
use loopsheet_analysis as analysis;
use loopsheet_machine::MachineModel;
use loopsheet_model::placement::{PlacedNest, place};
use loopsheet_model::{Detail, FarMemory, Model, Placement};
use serde_json::{Value, json};

const N: f64 = 1_048_576.0;

fn placed(options: &[&str]) -> Value {
    placed_of("far_arrays", options)
}

fn placed_of(sources: &str, options: &[&str]) -> Value {
    let machine = fixture("clock/lines.toml");
    let machine = machine.to_str().expect("a path");
    let all = [&["--machine", machine, "--no-config", "--objects"], options].concat();
    analysed(fixture(sources), &all)["placement"].clone()
}

fn object<'v>(placed: &'v Value, name: &str) -> &'v Value {
    let objects = placed["objects"].as_array().expect("objects");
    let mut named = objects.iter().filter(|object| object["name"] == name);
    named
        .next()
        .unwrap_or_else(|| panic!("no {name}: {placed:#}"))
}

fn close(found: &Value, expected: f64) {
    let found = found.as_f64().expect("a number");
    let apart = (found - expected).abs();
    assert!(
        apart <= 1e-6 * expected.abs().max(1e-6),
        "{found} is not {expected}"
    );
}

/// `add` has a and b, then c and b, `scale` has b, `gather` has a at random places: every name leads to the arrays that calls
/// pass. A nest of a name that stands for two arrays has one object of both.
#[test]
fn bytes_are_those_of_the_arrays_that_calls_pass() {
    let placed = placed(&[]);
    // Read and written back, by two calls.
    close(&object(&placed, "a or c")["memory_bytes"], 2.0 * 16.0 * N);
    // By two calls of `add` read, and by `scale` changed.
    close(
        &object(&placed, "b")["memory_bytes"],
        2.0 * 8.0 * N + 16.0 * N,
    );
    close(&object(&placed, "places")["memory_bytes"], 4.0 * N);
    assert_eq!(object(&placed, "local")["arrays"][0]["of"], "main");
    let owners = &object(&placed, "a or c")["arrays"];
    assert_eq!(
        (&owners[0]["owner"], &owners[1]["owner"]),
        (&"program".into(), &"file".into())
    );
    close(&object(&placed, "b")["touched_bytes"], 8.0 * N);
    // Of `a` an access at a random place brings a line.
    let gathered = object(&placed, "a");
    close(&gathered["irregular_bytes"], 64.0 * N);
}

/// What calls pass bit by bit, members that change places and what functions give back have a star; other arrays have none,
/// also if they are passed from the beginning in each of ten calls.
#[test]
fn names_that_stand_for_parts_have_a_mark() {
    let exact = |placed: &Value, name: &str| object(placed, name)["exact"].clone();
    let found = placed_of("far_parts/parts.c", &[]);
    for (name, is_whole) in [
        ("rows", false),
        ("whole", true),
        ("kept", true),
        ("r", false),
        ("a", false),
        ("b", false),
        ("u", false),
    ] {
        assert_eq!(exact(&found, name), is_whole, "{name}");
    }
    // One row is what a call touches; all of them are moved, there and back.
    close(&object(&found, "rows")["touched_bytes"], 8e3);
    close(&object(&found, "rows")["memory_bytes"], 16e6);
    close(&object(&found, "whole")["touched_bytes"], 8e6);
    let found = placed_of("far_parts/layouts.f90", &[]);
    for (name, is_whole) in [("x", false), ("y", false), ("p", false), ("c", true)] {
        assert_eq!(exact(&found, name), is_whole, "{name}");
    }
    close(&object(&found, "c")["memory_bytes"], 8e5 + 16e5);
}

/// Nothing is moved where there are no loops, and nothing is lost.
#[test]
fn a_program_without_loops_loses_nothing() {
    let found = placed_of("far_parts/empty.c", &[]);
    assert_eq!(found["together_loss"], 0.0);
    let mut command = loopsheet();
    let command = command.arg("analyze").arg(fixture("far_parts/empty.c"));
    let output = command.arg("--objects").output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(!text.contains("NaN"), "{text}");
    assert!(text.contains("no loop moves an array"), "{text}");
}

/// The bytes of a nest's arrays are those of the nest, at every level of detail.
#[test]
fn bytes_add_up_and_formulas_say_the_same() {
    let memory = FarMemory {
        latency_ns: 300.0,
        gbs: 16.0,
        budget: 0.05,
    };
    let machine = MachineModel::preset("epyc-7763").expect("a machine");
    let program = analysis::analyze(&sources::units(&["samples/kernels"]));
    let with = |detail| {
        let model = Model::with(&program, machine.clone(), &[], detail).expect("a model");
        model.with_far_memory(memory)
    };
    let values = with(Detail::Values);
    let expected = place(&values, memory);
    let moved = |placed: &Placement| -> Vec<(usize, usize, Vec<usize>)> {
        let nests = placed.nests.iter();
        let of_nest = |nest: &PlacedNest| {
            let moved = nest.moved.iter();
            let own = moved.map(|own| (nest.nest, own.object, own.arrays.clone()));
            own.collect::<Vec<(usize, usize, Vec<usize>)>>()
        };
        nests.flat_map(of_nest).collect()
    };
    assert!(moved(&expected).len() > 20);
    for nest in &values.nests {
        let sum: f64 = nest.arrays.iter().map(|own| values.value(own.bytes)).sum();
        let all = values.value(nest.traffic.actual);
        assert!(
            nest.arrays.is_empty() || (sum / all - 1.0).abs() < 1e-9 || sum == all,
            "{}: {sum} of {all}",
            nest.nest.head().id
        );
    }
    for detail in [Detail::Formulas, Detail::AnyMachine] {
        let found = place(&with(detail), memory);
        assert_eq!(moved(&found), moved(&expected));
        for (found, expected) in found.objects.iter().zip(&expected.objects) {
            assert_eq!(found.objects, expected.objects);
            let pairs = [
                (Some(found.bytes), Some(expected.bytes)),
                (Some(found.touched), Some(expected.touched)),
                (found.loss, expected.loss),
            ];
            for (found, expected) in pairs {
                assert_eq!(found.is_some(), expected.is_some());
                let (found, expected) = (found.unwrap_or(0.0), expected.unwrap_or(0.0));
                assert!(
                    (found - expected).abs() <= 1e-6 * expected.abs() + 1e-9,
                    "{detail:?}: {found} {expected}"
                );
            }
        }
    }
}

/// By hand: with an eighth of the bandwidth, what is there takes eight times as long, while RAM delivers the rest.
#[test]
fn time_is_that_of_the_slower_memory_or_of_latency() {
    let (latency, gbs) = ("--far-latency=100", "--far-bandwidth=8");
    let here = placed(&[latency, gbs]);
    // Of every nest: bytes over 64 GB/s, with the gather's lines at 10 ns.
    let gather = (4.0 + 0.0) * N / 64e9 + N * 10e-9;
    let seconds = here["seconds"].as_f64().expect("seconds");
    assert!(seconds > 2.0 * 24.0 * N / 64e9 + 16.0 * N / 64e9 + gather * 0.9);
    // `places` alone: 4 bytes each at 8 GB/s in place of 64.
    let longer = 4.0 * N / 8e9 - 4.0 * N / 64e9;
    close(&object(&here, "places")["loss"], longer / seconds);
    // Irregular lines at three times the latency, ten at once.
    let far = placed(&["--far-latency=300", "--far-bandwidth=1000"]);
    close(&object(&far, "a")["loss"], N * 20e-9 / seconds);
    assert_eq!(object(&far, "a")["greedy"], false);
    assert_eq!(object(&far, "places")["greedy"], true);
}

#[test]
fn both_memories_side_by_side_are_faster_where_bandwidth_binds() {
    let placed = placed(&[
        "--far-latency=100",
        "--far-bandwidth=4",
        "--set",
        "dram_gbs=4",
    ]);
    let own = &placed["interleaving"];
    assert!(own["fastest_loss"].as_f64() < Some(-0.05), "{own:#}");
    let share = own["fastest_share"].as_f64().expect("a share");
    assert!((0.45..0.55).contains(&share), "{share}");
    assert_eq!(own["largest_share"], 1);
}

/// The CSV, the page and the JSON of one run have the same arrays with the same numbers; without --objects there are none.
#[test]
fn tables_and_the_page_have_the_arrays() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = |name: &str| directory.path().join(name);
    let run = |more: &[&str]| {
        let mut command = loopsheet();
        command.arg("analyze").arg(fixture("far_arrays"));
        command.args(["--no-config", "--quiet", "--machine"]);
        command.arg(fixture("clock/lines.toml")).args(more);
        command.arg("--tables").arg(at("tables"));
        command.arg("--html").arg(at("page.html"));
        let output = command.arg("--json").arg(at("report.json")).output();
        assert!(output.expect("it starts").status.success());
        std::fs::read_to_string(at("page.html")).expect("a page")
    };
    let table_of = |page: &str| {
        let data = page::data(page);
        let tables = data["tables"].as_array().expect("tables").clone();
        let mut own = tables
            .into_iter()
            .filter(|table| table["id"] == "placement");
        own.next()
    };
    assert_eq!(table_of(&run(&[])), None);
    assert!(!at("tables/placement.csv").exists());
    let table = table_of(&run(&["--objects"])).expect("the arrays");
    let text = std::fs::read_to_string(at("report.json")).expect("a report");
    let report: Value = serde_json::from_str(&text).expect("JSON");
    let objects = report["placement"]["objects"].as_array().expect("objects");
    let mut csv = csv::Reader::from_path(at("tables/placement.csv")).expect("a table");
    let rows: Vec<csv::StringRecord> = csv.records().map(|row| row.expect("a row")).collect();
    assert_eq!((rows.len(), objects.len() > 3), (objects.len(), true));
    for ((object, row), shown) in objects
        .iter()
        .zip(&rows)
        .zip(table["rows"].as_array().expect("rows"))
    {
        assert_eq!(
            (&object["name"], &shown[0]),
            (&json!(&row[0]), &json!(&row[0]))
        );
        let numbers = ["touched_bytes", "memory_bytes", "irregular_bytes", "loss"];
        for (name, column) in numbers.into_iter().zip(1..) {
            let number = row[column].parse::<f64>().expect("a number");
            close(&object[name], number);
            close(&shown[column][0], number);
        }
        assert_eq!(
            object["greedy"] == true,
            matches!(&row[5], "yes" | "greedy only")
        );
    }
    // What nests move in the run is what the arrays have.
    let mut moved = csv::Reader::from_path(at("tables/placement_nests.csv")).expect("a table");
    let moved = moved.records().map(|row| row.expect("a row"));
    let moved: Vec<f64> = moved
        .map(|row| {
            let number = |at: usize| row[at].parse::<f64>().expect("a number");
            number(2) * (number(3) + number(4))
        })
        .collect();
    let bytes = objects
        .iter()
        .filter_map(|own| own["memory_bytes"].as_f64());
    close(&json!(moved.iter().sum::<f64>()), bytes.sum());
    let described = std::fs::read_to_string(at("tables/tables.json")).expect("a description");
    let described: Value = serde_json::from_str(&described).expect("JSON");
    assert_eq!(described["far_memory"]["gbs"], 32.0);
}

/// Where the machine does not say what irregular lines take, how many bytes are theirs is unknown everywhere, not zero; arrays
/// without such lines have none.
#[test]
fn irregular_bytes_are_unknown_where_the_machine_has_no_latencies() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = |name: &str| directory.path().join(name);
    let mut command = loopsheet();
    command.arg("analyze").arg(fixture("far_arrays"));
    command.args([
        "--no-config",
        "--objects",
        "--machine",
        "xeon-8380",
        "--tables",
    ]);
    command.arg(at("tables")).arg("-o").arg(at("report.xlsx"));
    command.arg("--html").arg(at("page.html"));
    assert!(command.output().expect("it starts").status.success());
    let mut command = loopsheet();
    command.arg("analyze").arg(fixture("far_arrays"));
    command.args(["--no-config", "--objects", "--machine", "xeon-8380"]);
    let output = command.output().expect("it starts");
    let text = String::from_utf8(output.stdout).expect("text");
    let words = |name: &str| -> Vec<String> {
        let mut rows = text
            .lines()
            .filter(|row| row.trim_start().starts_with(name));
        let row = rows.next().unwrap_or_else(|| panic!("no {name}: {text}"));
        row.split("  ")
            .map(|cell| cell.trim().to_string())
            .filter(|cell| !cell.is_empty())
            .collect()
    };
    assert_eq!(words("a *")[3..5], ["unknown", "unknown"], "{text}");
    assert_eq!(words("places")[3], "0 B", "{text}");
    let report = analysed(
        fixture("far_arrays"),
        &["--machine", "xeon-8380", "--no-config", "--objects"],
    );
    let placed = &report["placement"];
    let gathered = object(placed, "a");
    let nests = gathered["nests"].as_array().expect("nests");
    let by_nest = nests.iter().map(|nest| &nest["irregular_bytes"]);
    for irregular in by_nest.chain([&gathered["irregular_bytes"]]) {
        assert!(irregular.is_null(), "{gathered:#}");
    }
    close(&object(placed, "places")["irregular_bytes"], 0.0);
    for (table, array, columns) in [("placement", 0, 3..5), ("placement_nests", 1, 3..5)] {
        let mut csv = csv::Reader::from_path(at(&format!("tables/{table}.csv"))).expect("a table");
        let rows = csv.records().map(|row| row.expect("a row"));
        let own: Vec<csv::StringRecord> = rows
            .filter(|row| row[array] == *"a *" || row[array] == *"a")
            .collect();
        assert!(!own.is_empty());
        for row in own {
            assert!(columns.clone().all(|at| row[at].is_empty()), "{row:?}");
        }
    }
    let page = std::fs::read_to_string(at("page.html")).expect("a page");
    let data = page::data(&page);
    let mut tables = data["tables"].as_array().expect("tables").iter();
    let table = tables
        .find(|table| table["id"] == "placement")
        .expect("arrays");
    let rows = table["rows"].as_array().expect("rows");
    let own = rows
        .iter()
        .find(|row| row[0].as_str().is_some_and(|name| name == "a"));
    assert!(own.expect("a row")[3][0].as_f64().is_none(), "{table:#}");
}

#[test]
fn what_far_memory_cannot_be_is_refused() {
    for (arguments, said) in [
        (
            &["--objects", "--far-latency", "0"][..],
            "from 1 to 1000000 ns",
        ),
        (&["--objects", "--far-bandwidth", "0"], "from 0.001"),
        (&["--objects", "--loss", "-1"], "from 0 to 1000 percent"),
        (
            &["--objects", "--far-latency", "-5"],
            "from 1 to 1000000 ns",
        ),
        (&["--objects", "--far-bandwidth", "-3"], "from 0.001"),
        (&["--far-latency", "10"], "--objects"),
        (
            &["--set", "far_gbs=10"],
            "--far-bandwidth GB/S sets far_gbs",
        ),
        (&["--set", "far_loss_budget=1"], "--loss PERCENT"),
    ] {
        let mut command = loopsheet();
        command.arg("analyze").arg(fixture("far_arrays"));
        let output = command.args(arguments).output().expect("it runs");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(error.contains(said), "{error}");
    }
}
