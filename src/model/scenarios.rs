//! Sets of inputs with a name, and the names of the inputs that workbooks add to those of the machine.

use crate::machine::MachineModel;
use crate::machine::parameters::absent;

/// The figures of the machine that scenarios may change.
pub const INPUTS: [&str; 14] = [
    "cores",
    "ghz",
    "gflops_per_core",
    "l1_bytes",
    "l1_gbs",
    "l2_bytes",
    "l2_gbs",
    "l3_bytes",
    "l3_gbs",
    "cache_bytes",
    "dram_gbs",
    "dram_latency_ns",
    "dram_lines_in_flight",
    "overlap",
];

/// Of these, what is swung: `overlap` is a share already.
pub(crate) const SWUNG: usize = INPUTS.len() - 1;

/// The names of the position of the scenario in force, and of how many times as fast a nest is to be.
pub const IN_FORCE: &str = "scenario.a";
pub const GOAL: &str = "goal.speedup";

/// What inputs are multiplied by to the sides that they swing to, less and more than one.
pub const SWING: &str = "tornado.share";
pub(crate) const SWUNG_BY: f64 = 0.1;
/// What [`GOAL`] is.
const TWICE: f64 = 2.0;

/// A scenario as a workbook comes with it.
#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    pub name: &'static str,
    /// Inputs, and what those in force are multiplied by.
    pub factors: &'static [(&'static str, f64)],
    pub blocks: Blocks,
}

/// Which sizes of blocks a scenario has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocks {
    InForce,
    /// Those of the best advice.
    Advised,
}

const CACHES: [&str; 4] = ["l1_bytes", "l2_bytes", "l3_bytes", "cache_bytes"];
const fn caches(factor: f64) -> [(&'static str, f64); 4] {
    [
        (CACHES[0], factor),
        (CACHES[1], factor),
        (CACHES[2], factor),
        (CACHES[3], factor),
    ]
}
const HALF_CACHES: [(&str, f64); 4] = caches(0.5);
const TWICE_CACHES: [(&str, f64); 4] = caches(2.0);

/// The scenarios, the inputs as they are first; of two the inputs are left to the reader.
pub const SCENARIOS: [Scenario; 8] = [
    scenario("base", &[]),
    scenario("half the caches", &HALF_CACHES),
    scenario("twice the caches", &TWICE_CACHES),
    scenario("twice the bandwidth", &[("dram_gbs", 2.0)]),
    scenario(
        "cores twice as fast",
        &[
            ("ghz", 2.0),
            ("gflops_per_core", 2.0),
            ("l1_gbs", 2.0),
            ("l2_gbs", 2.0),
        ],
    ),
    Scenario {
        name: "blocked",
        factors: &[],
        blocks: Blocks::Advised,
    },
    scenario("your own 1", &[]),
    scenario("your own 2", &[]),
];

const fn scenario(name: &'static str, factors: &'static [(&'static str, f64)]) -> Scenario {
    Scenario {
        name,
        factors,
        blocks: Blocks::InForce,
    }
}

/// The name of an input's value in a scenario.
pub fn in_scenario(name: &str, scenario: usize) -> String {
    format!("{name}.s_{scenario}")
}

/// Every value that scenarios have, by its name, and by how much inputs swing.
pub(crate) fn symbols(machine: &MachineModel) -> impl Iterator<Item = (String, f64)> + '_ {
    let of = move |(number, scenario): (usize, &Scenario)| {
        let factors = scenario.factors;
        INPUTS.into_iter().filter_map(move |name| {
            let factor = factors.iter().find(|(input, _)| *input == name);
            let factor = factor.map_or(1.0, |(_, factor)| *factor);
            let value = machine.get(name).or_else(|| absent(name))?;
            Some((in_scenario(name, number), value * factor))
        })
    };
    let scenarios = SCENARIOS.iter().enumerate().flat_map(of);
    let own = [(SWING, SWUNG_BY), (GOAL, TWICE)];
    scenarios.chain(own.map(|(name, value)| (name.to_string(), value)))
}
