//! Times of the nests with other figures of the machine, beside those in force: scenarios side by side, and each input a
//! little less and a little more. What a cache fetches again follows from its capacity by the rows of *Layer conditions*,
//! so that the machine can change without a second model; sizes and blocks change these rows themselves.

use super::Model;
use super::catalogue::StaticFigure as F;
use super::compact::{Compact, Dependence};
use super::figures::Figures;
use super::goals::NestGoals;
use super::growth;
use super::influence::{Influence, influence};
use super::label::{Instead, Label, Subject, Swings};
use super::nest_model::NestModel;
use super::parameters::Kind;
use super::ranking::Ranking;
use crate::expr::{Expr, FigureId};
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
const SWUNG: usize = INPUTS.len() - 1;

/// The names of the position of the scenario in force, and of how many times as fast a nest is to be.
pub const IN_FORCE: &str = "scenario.a";
pub const GOAL: &str = "goal.speedup";

/// What inputs are multiplied by to the sides that they swing to, less and more than one.
pub const SWING: &str = "tornado.share";
const SWUNG_BY: f64 = 0.1;
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
        "twice as fast cores",
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
pub(super) fn symbols(machine: &MachineModel) -> impl Iterator<Item = (String, f64)> + '_ {
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

/// Times of the nests that are compared with other inputs.
pub struct Alternatives {
    /// Positions of these nests, in program order.
    pub nests: Vec<usize>,
    /// Their times with the inputs in force.
    pub own: Times,
    /// In the order of [`SCENARIOS`].
    pub scenarios: Vec<Times>,
    pub swings: Vec<Swing>,
    /// In the order of the nests.
    pub goals: Vec<NestGoals>,
}

/// A time for each nest, and all together.
pub struct Times {
    pub seconds: Vec<FigureId>,
    pub total: FigureId,
}

/// Times with one input less and more than it is.
pub struct Swing {
    pub input: &'static str,
    pub less: Times,
    pub more: Times,
}

/// Nests that are compared: each has formulas of its own for every scenario and swing.
const MOST: usize = 48;

/// The nests that are compared: those with the most work whose time is known.
pub(super) fn compared(nests: &[NestModel], ranking: &Ranking, figures: &Figures) -> Vec<usize> {
    let mut found = ranking.busiest(nests, MOST, figures);
    let is_known = |nest: &usize| {
        let seconds = ranking.seconds(*nest);
        seconds.is_some_and(|seconds| figures.value(seconds).is_finite())
    };
    found.retain(is_known);
    found.sort_unstable();
    found
}

impl Alternatives {
    pub(super) fn define(
        compared: &[usize],
        (nests, ranking): (&[NestModel], &Ranking),
        dependence: &Dependence,
        figures: &mut Figures,
    ) -> Option<Alternatives> {
        if compared.is_empty() {
            return None;
        }
        let times: Vec<FigureId> = (compared.iter())
            .filter_map(|nest| ranking.seconds(*nest))
            .collect();
        let alias = |time: &FigureId| {
            let label = figures.get(*time).label.clone();
            figures.define(label, Expr::from(*time))
        };
        let own = times.iter().map(alias).collect();
        let own = Times::together(own, F::ChangedTotal.into(), figures);
        let of = |number: usize, figures: &mut Figures| {
            let replace = |name: &str| {
                let is_input = INPUTS.contains(&name);
                is_input.then(|| Expr::machine(&in_scenario(name, number)))
            };
            let compact = Compact::new(
                Instead::Scenario(number),
                (dependence, dependence.on(&INPUTS)),
                &replace,
            );
            Times::of(compact, Subject::Whole, &times, figures)
        };
        let scenarios = (0..SCENARIOS.len()).map(|number| of(number, figures));
        let scenarios = scenarios.collect();
        let swing = |input: &'static str, figures: &mut Figures| {
            let mut to = |side: Swings| {
                let share = Expr::machine(SWING);
                let factor = match side {
                    Swings::Less => Expr::from(1.0) - share,
                    Swings::More => Expr::from(1.0) + share,
                };
                let replace =
                    |name: &str| (name == input).then(|| factor.clone() * Expr::machine(name));
                let compact = Compact::new(
                    Instead::Swing(input, side),
                    (dependence, dependence.on(&[input])),
                    &replace,
                );
                Times::of(compact, Subject::Input(input.into()), &times, figures)
            };
            let (less, more) = (to(Swings::Less), to(Swings::More));
            Swing { input, less, more }
        };
        let swings = INPUTS[..SWUNG].iter().map(|input| swing(input, figures));
        let swings = swings.collect();
        let goals = (compared.iter()).map(|nest| NestGoals::define(&nests[*nest], figures));
        let goals = goals.collect();
        Some(Alternatives {
            nests: compared.to_vec(),
            own,
            scenarios,
            swings,
            goals,
        })
    }
}

/// What a size makes of the time if it is less or more.
pub struct SizeSwing {
    pub name: String,
    pub label: String,
    /// Its value, and the time over what it is, less one.
    pub less: (f64, f64),
    pub more: (f64, f64),
}

/// Sizes that are tried.
const SIZES: usize = 6;

/// The sizes with the most influence a little less and more, at the inputs that the model has.
pub fn size_swings(model: &Model) -> Vec<SizeSwing> {
    let total = model.ranking.total;
    let own = model.value(total);
    let influences = influence(model).all;
    let is_size = |found: &&Influence| {
        let definition = found.row.definition.as_ref();
        found.share > 0.0 && definition.is_none_or(|definition| definition.as_number().is_some())
    };
    let sizes = influences.iter().filter(is_size).take(2 * SIZES);
    let swing = |found: &Influence| {
        let (name, value) = (found.row.name.as_str(), found.row.value);
        let to = |factor: f64| {
            let changed = match found.row.kind {
                Kind::Problem | Kind::Processes | Kind::Neighbours => (value * factor).round(),
                Kind::Probability => (value * factor).min(1.0),
                _ => value * factor,
            };
            (
                changed,
                growth::with_size(model, name, changed, total) / own - 1.0,
            )
        };
        SizeSwing {
            name: name.to_string(),
            label: found.row.label.clone(),
            less: to(1.0 - SWUNG_BY),
            more: to(1.0 + SWUNG_BY),
        }
    };
    // Small whole numbers stay what they are.
    let is_swung = |swing: &SizeSwing| swing.less.0 != swing.more.0;
    sizes.map(swing).filter(is_swung).take(SIZES).collect()
}

impl Times {
    fn of(
        mut compact: Compact,
        subject: Subject,
        times: &[FigureId],
        figures: &mut Figures,
    ) -> Times {
        let seconds = times.iter().map(|time| {
            compact.forget();
            compact.define(*time, figures)
        });
        let seconds = seconds.collect();
        let label = compact.label(F::ChangedTotal.about(subject));
        Times::together(seconds, label, figures)
    }

    fn together(seconds: Vec<FigureId>, label: Label, figures: &mut Figures) -> Times {
        let total = figures.define_total(label, seconds.iter().copied());
        Times { seconds, total }
    }
}
