//! Lines that no prefetcher predicts, against counts by hand: 2 ns each from L2 (16 cycles, eight at once), 10 ns from
//! memory (100 ns, ten at once), 5 ns for a page that is none of 256.

use crate::support::command::{self, analysed, fixture};
use crate::support::programs::settings;
use crate::support::sources;
use loopsheet_analysis as analysis;
use loopsheet_machine::MachineModel;
use loopsheet_model::{BoundBy, Detail, Model};
use serde_json::Value;

fn nest_of(function: &str, machine: &str, set: &str) -> Value {
    let machine = fixture("clock").join(machine);
    let machine = machine.to_str().expect("a path");
    let options = [
        "--machine",
        machine,
        "--set",
        set,
        "--function",
        function,
        "--no-config",
    ];
    let json = analysed(fixture("irregular"), &options);
    json["functions"][0]["nests"][0].clone()
}

fn close(found: &Value, expected: f64) {
    let found = found.as_f64().expect("a number");
    assert!(
        (found / expected - 1.0).abs() < 1e-9,
        "{found} is not {expected}"
    );
}

/// `x` has 2^17 lines, of which L2 holds 2^12 less what comes between: every one of 2^20 accesses goes to memory. Of 2^11
/// pages 2^8 are held: two of sixteen classes of reuse find theirs.
#[test]
fn a_gather_takes_a_latency_over_the_lines_under_way() {
    let accesses = f64::from(1 << 20);
    let nest = nest_of("gather", "lines.toml", "n=1048576");
    close(&nest["irregular"]["seconds"], accesses * 10e-9);
    assert_eq!(nest["irregular"]["pages_missed"], Value::Null);
    assert_eq!(nest["bound"], "latency");
    close(&nest["caches"][0]["irregular"], accesses * 64.0);
    close(&nest["caches"][1]["irregular"], accesses * 64.0);
    // What else memory moves comes at its bandwidth, and both take turns.
    let memory = &nest["levels"]
        .as_array()
        .expect("levels")
        .last()
        .expect("memory")
        .clone();
    let others = memory["bytes"].as_f64().expect("bytes") - accesses * 64.0;
    close(&memory["seconds"], others / 64e9);
    close(&nest["seconds"], others / 64e9 + accesses * 10e-9);

    let nest = nest_of("gather", "pages.toml", "n=1048576");
    // Each class weighs as much as accesses are left after its own.
    let shares = (0..16).map(|class| (f64::from(class) + 0.5) / 16.0);
    let weights: Vec<f64> = shares
        .map(|share| accesses + 2048.0 * (1.0 - share).ln())
        .collect();
    let missed = weights[2..].iter().sum::<f64>() / weights.iter().sum::<f64>();
    let pages = 2048.0 + missed * (accesses - 2048.0);
    close(&nest["irregular"]["pages_missed"], pages);
    // Pages are looked up while lines arrive.
    close(
        &nest["irregular"]["seconds"],
        (accesses * 10e-9).max(pages * 5e-9),
    );
}

/// A column of 512 rows is 512 lines, which L1 does not hold beside `y`, in 512 pages, which the buffer does not hold. Of
/// 2^18 accesses, one in eight comes from memory.
#[test]
fn columns_further_apart_than_prefetchers_go_are_irregular() {
    let accesses = f64::from(1 << 18);
    let nest = nest_of("columns", "pages.toml", "n=512");
    close(&nest["caches"][0]["irregular"], accesses * 64.0);
    close(&nest["caches"][1]["irregular"], accesses * 8.0);
    close(&nest["irregular"]["pages_missed"], accesses);
    let lines = accesses * 7.0 / 8.0 * 2e-9 + accesses / 8.0 * 10e-9;
    close(&nest["irregular"]["seconds"], lines.max(accesses * 5e-9));
    // Rows of 2,048 bytes are followed.
    assert_eq!(
        nest_of("columns", "pages.toml", "n=256")["irregular"],
        Value::Null
    );
}

/// Sixteen streams are followed, sixty-four are not.
#[test]
fn few_streams_are_followed() {
    let of = |function: &str| nest_of(function, "lines.toml", "n=100000")["irregular"].clone();
    assert_eq!(of("few"), Value::Null);
    assert!(
        of("many")["seconds"]
            .as_f64()
            .is_some_and(|seconds| seconds > 0.0)
    );
}

#[test]
fn a_machine_that_does_not_say_has_no_irregular_lines() {
    let nest = nest_of("gather", "core.toml", "n=1048576");
    assert_eq!(nest["irregular"], Value::Null);
    assert_eq!(nest["caches"][0]["irregular"], Value::Null);
}

/// Warm caches and buffers that hold all have nothing to wait for.
#[test]
fn what_is_held_is_not_waited_for() {
    assert_eq!(
        nest_of("gather", "pages.toml", "n=1000,warm=1")["irregular"]["seconds"],
        0.0
    );
    assert_ne!(
        nest_of("gather", "pages.toml", "n=1000")["irregular"]["seconds"],
        0.0
    );
}

/// Rows of 2 KiB lead to two of 64 sets, which hold 16 lines; a column has 256. Of 256·256 touches, all but 32·256 come
/// back to a line; four lines at once come from L2, two of each set, in 16 ns.
#[test]
fn lines_of_few_sets_evict_each_other() {
    let again = 256.0 * 256.0 - 32.0 * 256.0;
    let evicted = again * (1.0 - 16.0 / 256.0);
    let nest = nest_of("columns", "ways.toml", "n=256");
    close(&nest["irregular"]["conflict_seconds"], evicted * 4e-9);
    close(&nest["irregular"]["seconds"], evicted * 4e-9);
    assert_eq!(nest["bound"], "latency");
    let open = nest["open"].to_string();
    assert!(open.contains("conflicts"), "{open}");
    // LRU evicts all of them, and without conflicts the core takes longer than the lines.
    let [low, seconds, high] =
        ["low_seconds", "seconds", "high_seconds"].map(|key| nest[key].as_f64().expect("a time"));
    assert!(low < 0.5 * seconds && high >= again * 4e-9, "{low} {high}");
    // The next store's line takes the place of this one's.
    let nest = nest_of("crowded", "ways.toml", "n=256");
    close(&nest["irregular"]["conflict_seconds"], evicted * 30e-9);
    // Twice the ways hold twice the lines in the same sets of half the period.
    let nest = nest_of("columns", "ways.toml", "n=256,l1_ways=16");
    let evicted = again * (1.0 - 16.0 / 256.0);
    close(&nest["irregular"]["conflict_seconds"], evicted * 8e-9);
}

/// Rows that are a line longer lead to all sets; so does a cache whose ways are not known.
#[test]
fn lines_of_all_sets_stay() {
    for (machine, n) in [("ways.toml", "n=264"), ("lines.toml", "n=256")] {
        let nest = nest_of("columns", machine, n);
        assert_eq!(nest["irregular"]["conflict_seconds"], Value::Null);
        assert!(!nest["open"].to_string().contains("conflicts"));
    }
}

/// The formulas of the workbook, those for any machine, and the plain numbers are one rule.
#[test]
fn formulas_and_numbers_are_one_rule() {
    let load = |name: &str| {
        let text =
            |name: &str| std::fs::read_to_string(fixture("clock").join(name)).expect("a file");
        fn parse(name: &str, text: &dyn Fn(&str) -> String) -> MachineModel {
            let find = |base: &str| Ok(parse(base, text));
            MachineModel::parse_with_base(&text(name), name, &find).expect("a machine")
        }
        parse(name, &text)
    };
    let program = analysis::analyze(&sources::units(&[
        "tests/fixtures/irregular",
        "tests/fixtures/clock/integers.c",
    ]));
    for machine in ["pages.toml", "lines.toml", "core.toml", "ways.toml"] {
        for (n, warm) in ["100", "256", "700", "3000"]
            .map(|n| ["0", "1"].map(|warm| (n, warm)))
            .concat()
        {
            let figures = |detail: Detail| -> Vec<[f64; 5]> {
                let set = settings(&[("n", n), ("warm", warm)]);
                let model = Model::with(&program, load(machine), &set, detail).expect("sound");
                let of = |nest: &loopsheet_model::NestModel| {
                    let irregular = nest
                        .time
                        .irregular
                        .map_or(0.0, |found| model.value(found.seconds));
                    let bound = nest.time.bound_by(model.value(nest.time.bound));
                    let is_latency = bound == Some(BoundBy::Irregular);
                    let band = nest.time.band.expect("a band");
                    [
                        model.value(nest.time.seconds),
                        model.value(band.low),
                        model.value(band.high),
                        irregular,
                        f64::from(u8::from(is_latency)),
                    ]
                };
                model.nests.iter().map(of).collect()
            };
            let values = figures(Detail::Values);
            for detail in [Detail::Formulas, Detail::AnyMachine] {
                for (at, (one, other)) in values.iter().zip(figures(detail)).enumerate() {
                    let is_close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * a.abs();
                    assert!(
                        one.iter().zip(&other).all(is_close),
                        "{machine} n={n} warm={warm} {detail:?}, nest {at}: {one:?} and {other:?}"
                    );
                }
            }
        }
    }
}

/// Most presets do not say what such lines take: the time is then a lower bound, and marked.
#[test]
fn lines_at_the_bandwidth_are_marked() {
    let reasons = |function: &str, machine: &str| {
        let machine = match machine.ends_with(".toml") {
            true => fixture("clock").join(machine).display().to_string(),
            false => machine.to_string(),
        };
        let options = ["--machine", &machine, "--set", "n=512", "--no-config"];
        let json = analysed(fixture("irregular"), &options);
        let functions = json["functions"].as_array().expect("functions");
        let found = functions.iter().find(|f| f["name"] == function);
        found.expect("the function")["nests"][0]["reasons"].to_string()
    };
    for preset in ["xeon-8380", "exasat"] {
        assert!(reasons("columns", preset).contains("unknown_latency"));
        assert!(!reasons("few", preset).contains("unknown_latency"));
    }
    assert!(!reasons("columns", "lines.toml").contains("unknown_latency"));
}

/// A thousand elements, however often they are gathered.
#[test]
fn the_footprint_of_a_gather_ends_with_the_array() {
    let nest = nest_of("capped", "lines.toml", "n=1000000");
    let streams = nest["streams"].as_array().expect("streams");
    let table = streams.iter().find(|s| s["name"] == "table");
    assert_eq!(table.expect("the array")["footprint"], 8000.0);
}

/// Nests that take no time have no part of it.
#[test]
fn where_nothing_runs_no_share_of_the_time_is_said() {
    let mut command = command::loopsheet();
    let fixture = command::fixture("reasons/unknown_latency.c");
    let output = command
        .args(["analyze", "--no-config", "--set", "n=0"])
        .arg(fixture)
        .output()
        .expect("it runs");
    let table = String::from_utf8_lossy(&output.stdout);
    assert!(table.contains("0 s") && !table.contains("NaN"), "{table}");
}
