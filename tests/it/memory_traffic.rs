//! One figure for memory traffic: what times, intensities and reports are made of is what the last cache moves, or, where
//! the machine's switch says so, what ExaSAT's scenarios say.

use crate::support::command::{analysed, fixture, loopsheet, validated};
use crate::support::programs::settings;
use crate::support::sources;
use loopsheet::report::StaticReport;
use loopsheet_analysis as analysis;
use loopsheet_analysis::facts::Program;
use loopsheet_export::xlsx;
use loopsheet_machine::MachineModel;
use loopsheet_model::{Detail, Model, NestModel};
use serde_json::Value;

const SOURCES: [&str; 7] = [
    "samples/kernels",
    "tests/fixtures/kernels",
    "tests/fixtures/calls",
    "tests/fixtures/conditions",
    "tests/fixtures/reasons",
    "tests/fixtures/sequences",
    "tests/fixtures/traffic",
];

/// A machine of which only the size of one cache is known.
const ONE_CACHE: &str = "name = \"one\"\ntitle = \"One cache\"\ncores = 4\ngflops_per_core = 10\ndram_gbs = 50\n\
                         line_bytes = 64\ncache_bytes = 60000\n";

fn machines() -> Vec<MachineModel> {
    let presets = ["exasat", "epyc-7763"];
    let presets = presets.map(|name| MachineModel::preset(name).expect("a preset"));
    let own = MachineModel::parse(ONE_CACHE, "one.toml").expect("sound");
    presets.into_iter().chain([own]).collect()
}

fn near(a: f64, b: f64) -> bool {
    a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

fn built<'p>(
    program: &'p Program,
    machine: &MachineModel,
    pairs: &[(&str, &str)],
    detail: Detail,
) -> Model<'p> {
    Model::with(program, machine.clone(), &settings(pairs), detail).expect("sound settings")
}

/// Asserts that everything that says how much moves between the last cache and memory says the same.
fn assert_one_figure(model: &Model, nest: &NestModel, has_scenarios: bool, what: &str) {
    let value = |id| model.value(id);
    let actual = value(nest.traffic.actual);
    let memory = nest.time.levels.last().expect("memory");
    let what = format!("{what} {}", nest.nest.head().id);
    assert_eq!(memory.name, "DRAM", "{what}");
    assert!(near(value(memory.bytes), actual), "{what}");
    let cache = nest.levels.caches.last();
    let expected = match cache.filter(|_| !has_scenarios) {
        Some(cache) => {
            let parts = value(cache.fetched) + value(cache.written_back);
            assert!(near(value(cache.bytes), parts), "{what}");
            cache.bytes
        }
        None => nest.traffic.by_scenarios,
    };
    assert!(
        near(actual, value(expected)),
        "{what}: {actual}, not {}",
        value(expected)
    );
    // Lines that no prefetcher predicts have a time of their own.
    let apart = cache.filter(|_| nest.time.irregular.is_some());
    let apart = apart.and_then(|cache| cache.irregular).map_or(0.0, value);
    let seconds = (actual - apart).max(0.0) / value(model.memory_bandwidth);
    assert!(near(value(memory.seconds), seconds), "{what}");
    if actual > 0.0 {
        let flops = value(nest.operations.flops);
        assert!(near(value(nest.time.intensity), flops / actual), "{what}");
    }
}

#[test]
fn all_figures_of_memory_traffic_are_one() {
    let mut differing = 0;
    for directory in SOURCES {
        let program = analysis::analyze(&sources::units(&[directory]));
        for machine in machines() {
            for (switch, has_scenarios) in [("0", false), ("1", true)] {
                let pairs = [("scenarios", switch)];
                let numbers = built(&program, &machine, &pairs, Detail::Values);
                let least = built(&program, &machine, &pairs, Detail::Least);
                let formulas = least.for_any_machine(xlsx::ROOM);
                let what = format!("{directory} {} scenarios={switch}", machine.name);
                let sums = [&numbers, &least, &formulas];
                for (index, nest) in numbers.nests.iter().enumerate() {
                    for model in [&numbers, &least, &formulas] {
                        assert_one_figure(model, &model.nests[index], has_scenarios, &what);
                    }
                    let [a, b, c] =
                        sums.map(|model| model.value(model.nests[index].traffic.actual));
                    let id = &nest.nest.head().id;
                    assert!(near(a, b), "{what} {id}: {a}, {b}");
                    // Formulas allow for blocks of every loop, and so cut a diagonal into more rows.
                    let in_blocks = (a - c).abs() <= 5e-3 * a;
                    assert!(near(a, c) || in_blocks, "{what} {id}: {a}, {c}");
                    let both = (nest.levels.caches.last()).map(|cache| numbers.value(cache.bytes));
                    let by_scenarios = numbers.value(nest.traffic.by_scenarios);
                    differing += usize::from(both.is_some_and(|both| !near(both, by_scenarios)));
                }
                let [sum, others @ ..] = sums.map(|model| model.value(model.totals.traffic));
                assert!(near(others[0], sum), "{what}");
                assert_reports(&numbers, has_scenarios, &what);
            }
        }
    }
    assert!(differing > 100, "the rules differ in {differing} nests");
}

/// The same in JSON.
fn assert_reports(model: &Model, has_scenarios: bool, what: &str) {
    let report = StaticReport::from_model(model);
    for nest in report.functions.iter().flat_map(|function| &function.nests) {
        let memory = nest.levels.last().expect("memory");
        let what = format!("{what} {}", nest.head);
        let chosen = match has_scenarios {
            true => memory.scenario_bytes,
            false => memory.refined_bytes,
        };
        assert_eq!(Some(memory.bytes), chosen, "{what}");
        assert_eq!(memory.bytes, nest.traffic.actual, "{what}");
        let cache = nest.caches.last().expect("every machine has a cache");
        assert_eq!(memory.refined_bytes, Some(cache.bytes), "{what}");
    }
}

#[test]
fn a_machine_of_one_size_has_one_level() {
    let machine = MachineModel::parse(ONE_CACHE, "one.toml").expect("sound");
    let sizes: Vec<f64> = machine.levels().iter().map(|level| level.share()).collect();
    assert_eq!(sizes, [60_000.0]);
    assert!(!machine.has_scenarios());
}

/// The sweep over the cache of a core is the model with another last level, or, by scenarios, another `cache_bytes`.
#[test]
fn times_are_swept_over_the_cache_that_they_follow() {
    let program = analysis::analyze(&sources::units(&["samples/kernels"]));
    let machine = MachineModel::preset("xeon-8380").expect("a preset");
    for (switch, last, size) in [
        ("0", "l3_bytes", 62_914_560.0),
        ("1", "cache_bytes", 1_572_864.0),
    ] {
        let model = built(
            &program,
            &machine,
            &[("scenarios", switch)],
            Detail::Formulas,
        );
        let any = model.for_any_machine(xlsx::ROOM);
        for model in [&model, &any] {
            let sweep = &model.sensitivity[0];
            assert_eq!(sweep.symbol.name(), "cache_bytes");
            let mut changed = 0;
            for (at, factor) in sweep.factors.iter().enumerate() {
                let factor = model.value(*factor);
                assert!(near(model.value(sweep.values[at]), factor * 1_572_864.0));
                let bytes = (size * factor).to_string();
                let pairs = [("scenarios", switch), (last, bytes.as_str())];
                let other = built(&program, &machine, &pairs, Detail::Values);
                for (nest, seconds) in &sweep.nests {
                    let expected = other.value(other.ranking.seconds(*nest).expect("ranked"));
                    let found = model.value(seconds[at]);
                    assert!(
                        near(found, expected),
                        "{last} {bytes}: {found}, not {expected}"
                    );
                    let as_is = model.value(model.ranking.seconds(*nest).expect("ranked"));
                    changed += usize::from(!near(found, as_is));
                }
            }
            assert!(changed > 5, "{last}: {changed} times change");
        }
    }
}

fn memory(nest: &Value) -> &Value {
    let levels = nest["levels"].as_array().expect("levels");
    levels.last().expect("memory")
}

/// A loop over rows in which one loop writes a row and the next one reads it: of the eight arrays that the two refer to, two
/// are still in the cache (TeaLeaf's conjugate gradients).
#[test]
fn loops_in_one_loop_share_the_caches() {
    let path = fixture("traffic/rows.f90");
    let sizes = ["--set", "nx=2000,ny=500"];
    let cache = ["--cache", "512KiB,full"];
    let machine = "base = \"exasat\"\nscenarios = 0\nl1_bytes = \"512 KiB\"\n";
    let directory = tempfile::tempdir().expect("a directory");
    let own = directory.path().join("own.toml");
    std::fs::write(&own, machine).expect("written");
    let found = analysed(
        &path,
        &[&["--machine", own.to_str().expect("text")], &sizes[..]].concat(),
    );
    let bytes: Vec<f64> = (found["functions"][0]["nests"]
        .as_array()
        .expect("nests")
        .iter())
    .map(|nest| memory(nest)["bytes"].as_f64().expect("known"))
    .collect();
    // `p`, `kx`, `ky`, `di` read, `w` fetched and written back; then nothing.
    let once = 8.0 * 2000.0 * 500.0;
    assert!((bytes[0] / (6.0 * once) - 1.0).abs() < 0.01, "{bytes:?}");
    assert_eq!(bytes[1], 0.0);
    let simulated = validated(&path, &[&["--whole"], &sizes[..], &cache[..]].concat());
    let simulated = simulated
        .iter()
        .map(|case| case["simulated_bytes"].as_f64());
    for (simulated, bytes) in simulated.zip(&bytes) {
        let simulated = simulated.expect("run");
        assert!(
            (simulated - bytes).abs() < 0.01 * once,
            "{simulated}, {bytes}"
        );
    }
}

/// The memory traffic of the first nest, and the nest; rows begin in the middle of lines, which the two rules count
/// differently.
fn of_row(arguments: &[&str]) -> (f64, Value) {
    let sizes = ["--set", "nx=1001,ny=501"];
    let found = analysed(fixture("traffic/rows.f90"), &[&sizes, arguments].concat());
    let nest = &found["functions"][0]["nests"][0];
    (memory(nest)["bytes"].as_f64().expect("known"), nest.clone())
}

#[test]
fn the_option_sets_the_switch() {
    let (refined, nest) = of_row(&[]);
    assert_eq!(refined, memory(&nest)["refined_bytes"]);
    let (by_scenarios, nest) = of_row(&["--scenarios", "exasat"]);
    assert_eq!(by_scenarios, memory(&nest)["scenario_bytes"]);
    assert_ne!(refined, by_scenarios);
    assert_eq!(of_row(&["--set", "scenarios=1"]).0, by_scenarios);
    assert_eq!(of_row(&["--scenarios", "refined"]).0, refined);
    let (published, nest) = of_row(&["--machine", "exasat"]);
    assert_eq!(published, memory(&nest)["scenario_bytes"]);
    let (other, nest) = of_row(&["--machine", "exasat", "--scenarios", "refined"]);
    assert_eq!(other, memory(&nest)["refined_bytes"]);
}

/// Without write-allocate what is only written is not fetched, by both rules; arrays that are read before are.
#[test]
fn what_is_only_written_need_not_be_fetched() {
    let bytes = |pairs: &[(&str, &str)], detail| {
        let program = analysis::analyze(&sources::units(&["samples/kernels"]));
        let machine = MachineModel::preset("epyc-7763").expect("a preset");
        let model = built(&program, &machine, pairs, detail);
        let is = |nest: &&NestModel, name: &str| nest.nest.head().id.starts_with(name);
        ["triad@", "redblack@"].map(|name| {
            let nest = model
                .nests
                .iter()
                .find(|nest| is(nest, name))
                .expect("it is there");
            assert_one_figure(&model, nest, false, "without write-allocate");
            model.value(nest.traffic.actual)
        })
    };
    for detail in [
        Detail::Least,
        Detail::Values,
        Detail::Formulas,
        Detail::AnyMachine,
    ] {
        let [triad, updated] = bytes(&[], detail);
        assert_eq!(triad, 640_000_000.0);
        let [without, same] = bytes(&[("cost_w", "1")], detail);
        assert_eq!(without, 480_000_000.0);
        assert_eq!(same, updated);
        assert_eq!(bytes(&[("cost_w", "1.5")], detail)[0], 560_000_000.0);
    }
}

/// What only the scenarios read says so where it changes no time.
#[test]
fn what_has_no_effect_is_named() {
    let said = |arguments: &[&str]| {
        let mut command = loopsheet();
        command.arg("analyze").arg(fixture("traffic/rows.f90"));
        let output = command.args(arguments).output().expect("it runs");
        assert!(output.status.success());
        String::from_utf8(output.stderr).expect("text")
    };
    let named = "cache_bytes, cost_r: DRAM traffic and time do not depend on that, but on the last cache (l3_bytes, l3_shared_by)";
    let set = ["--set", "cache_bytes=4096,machine.cost_r=2"];
    assert!(said(&set).contains(named), "{}", said(&set));
    assert!(!said(&[&set[..], &["--scenarios", "exasat"]].concat()).contains("do not depend"));
    assert!(!said(&["--set", "l3_bytes=1048576"]).contains("do not depend"));
    let directory = tempfile::tempdir().expect("a directory");
    let own = directory.path().join("own.toml");
    std::fs::write(&own, "base = \"epyc-7763\"\nstreaming_writes = 1\n").expect("written");
    let own = own.to_str().expect("text");
    assert!(said(&["--machine", own]).contains("streaming_writes: DRAM traffic"));
}
