//! Cases: one nest, one set of sizes, one cache level.

use std::sync::Arc;

use super::nests;
use super::simulation::Simulation;
use crate::analysis::ProcedureBody;
use crate::cache::CacheSpec;
use crate::interpret::run as interpret;
use crate::model::{Model, NestModel};

/// How to validate.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Nearest first; a hierarchy.
    pub levels: Vec<CacheSpec>,
    /// A run ends after so many accesses.
    pub most_accesses: u64,
    /// Bytes between arrays.
    pub gap: i64,
}

/// The model and the simulation of one nest at one level.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    pub file: Arc<str>,
    pub function: String,
    /// Id of the loop that stands for the nest.
    pub nest: String,
    pub line: u32,
    /// Values of the parameters that the ranges of the nest's loops depend on, by name.
    pub sizes: Vec<(String, f64)>,
    /// `L1`, `L2` …
    pub level: String,
    pub capacity: u64,
    pub accesses: u64,
    /// Bytes of the lines that the nest touches.
    pub cold_bytes: u64,
    pub predicted_bytes: f64,
    pub simulated_bytes: f64,
    /// `None` where all levels are fully associative.
    pub simulated_set_associative_bytes: Option<f64>,
    /// What the model says that the level holds.
    pub condition: String,
    pub explained: Vec<Explained>,
}

/// What makes a figure less than exact, or differ from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Explained {
    /// The capacity is within a tenth of a size at which the traffic steps.
    Switch,
    /// The set-associative level moves another amount than the fully associative one.
    Conflicts,
    /// Only a part of the iterations was run.
    Sampled,
}

impl Explained {
    pub fn as_str(self) -> &'static str {
        match self {
            Explained::Switch => "switch",
            Explained::Conflicts => "conflicts",
            Explained::Sampled => "sampled",
        }
    }
}

/// A nest that could not be run.
#[derive(Clone, Debug, PartialEq)]
pub struct Skipped {
    pub file: Arc<str>,
    pub function: String,
    pub nest: String,
    pub line: u32,
    pub code: String,
    pub detail: String,
}

/// All cases of a model.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub cases: Vec<Case>,
    pub skipped: Vec<Skipped>,
}

/// Shares of the cases, and of those outside of the switch band.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    pub cases: usize,
    pub within_5_percent: usize,
    pub within_20_percent: usize,
    pub outside_switch: usize,
    pub outside_switch_within_5_percent: usize,
    pub outside_switch_within_20_percent: usize,
}

impl Report {
    /// All reports as one, in their order.
    pub fn of(reports: Vec<Report>) -> Report {
        let mut all = Report::default();
        for Report { cases, skipped } in reports {
            all.cases.extend(cases);
            // The same for all sizes.
            all.skipped.extend(skipped.into_iter().filter(|s| !all.skipped.contains(s)).collect::<Vec<_>>());
        }
        all
    }
}

impl Case {
    /// Predicted over simulated; 1 if both are nothing.
    pub fn ratio(&self) -> f64 {
        if self.simulated_bytes == self.predicted_bytes { 1.0 } else { self.predicted_bytes / self.simulated_bytes }
    }

    pub fn is_within(&self, share: f64) -> bool {
        (self.ratio() - 1.0).abs() <= share
    }

    pub fn is_explained(&self, by: Explained) -> bool {
        self.explained.contains(&by)
    }
}

impl Summary {
    pub fn of(cases: &[Case]) -> Summary {
        let count = |holds: &dyn Fn(&Case) -> bool| cases.iter().filter(|case| holds(case)).count();
        let outside = |case: &Case| !case.is_explained(Explained::Switch);
        Summary {
            cases: cases.len(),
            within_5_percent: count(&|c| c.is_within(0.05)),
            within_20_percent: count(&|c| c.is_within(0.2)),
            outside_switch: count(&outside),
            outside_switch_within_5_percent: count(&|c| outside(c) && c.is_within(0.05)),
            outside_switch_within_20_percent: count(&|c| outside(c) && c.is_within(0.2)),
        }
    }
}

/// Traffic that changes by more than this from nine tenths of a capacity to eleven is at a step.
const STEP: f64 = 0.05;

/// Runs a nest of the model.
pub fn run(model: &Model, index: usize, body: Option<&ProcedureBody>, settings: &Settings) -> Report {
    let nest = &model.nests[index];
    let function = &model.program.functions[nest.nest.function];
    let head = nest.nest.head();
    let skipped = |line: u32, code: &str, detail: String| Skipped {
        file: head.file.clone(),
        function: function.name.clone(),
        nest: head.id.clone(),
        line,
        code: code.to_string(),
        detail,
    };
    let Some(body) = body else {
        let detail = "the model comes from XML, which has no statements".to_string();
        return Report { cases: Vec::new(), skipped: vec![skipped(head.line, "no_statements", detail)] };
    };
    let code = match nests::compile(model, &nest.nest, body, settings.gap) {
        Ok(code) => code,
        Err(refusals) => {
            let skipped = refusals.into_iter().map(|r| skipped(r.line, r.code, r.detail)).collect();
            return Report { cases: Vec::new(), skipped };
        }
    };
    let shortest = settings.levels.iter().map(|level| level.line).min().unwrap_or(64);
    let mut simulation = Simulation::new(&settings.levels);
    let done = interpret::run(&code, u64::from(shortest), settings.most_accesses, &mut simulation);
    simulation.finish();
    if done.cut {
        let detail = format!("more than {} accesses", settings.most_accesses);
        return Report { cases: Vec::new(), skipped: vec![skipped(head.line, "too_long", detail)] };
    }
    let weight = entered(model, nest);
    let sizes = sizes(model, nest);
    let mut cases = Vec::new();
    for (position, level) in settings.levels.iter().enumerate() {
        let at = |bytes: f64| simulation.fully_associative(level.line, bytes as u64) as f64;
        let prediction = model.predict(index, level.bytes as f64);
        let (simulated, given) = (at(level.bytes as f64), simulation.as_given(position).map(|bytes| bytes as f64));
        let (smaller, larger) = (level.bytes as f64 / 1.1, level.bytes as f64 * 1.1);
        let steps = |less: f64, more: f64| less > more * (1.0 + STEP);
        let mut explained = Vec::new();
        let predicted = |capacity: f64| model.predict(index, capacity).bytes;
        if steps(at(smaller), at(larger)) || steps(predicted(smaller), predicted(larger)) {
            explained.push(Explained::Switch);
        }
        if given.is_some_and(|given| (given - simulated).abs() > STEP * simulated) {
            explained.push(Explained::Conflicts);
        }
        cases.push(Case {
            file: head.file.clone(),
            function: function.name.clone(),
            nest: head.id.clone(),
            line: head.line,
            sizes: sizes.clone(),
            level: format!("L{}", position + 1),
            capacity: level.bytes,
            accesses: done.accesses,
            cold_bytes: simulation.cold(level.line),
            predicted_bytes: prediction.bytes,
            simulated_bytes: simulated * weight,
            simulated_set_associative_bytes: given.map(|given| given * weight),
            condition: prediction.condition,
            explained,
        });
    }
    Report { cases, skipped: Vec::new() }
}

/// The probability that the branches around the nest's outermost loop are taken.
fn entered(model: &Model, nest: &NestModel) -> f64 {
    let value = |symbol: &str| model.symbol_value(nest.nest.function, symbol).unwrap_or(0.5);
    let weights = nest.nest.loops.iter().take(1).flat_map(|chain| &chain.weight);
    weights.map(|(symbol, taken)| if *taken { value(symbol) } else { 1.0 - value(symbol) }).product()
}

/// The parameters that the ranges of the nest's loops mention.
fn sizes(model: &Model, nest: &NestModel) -> Vec<(String, f64)> {
    let mut found: Vec<(String, f64)> = Vec::new();
    for chain in &nest.nest.loops {
        for bound in [&chain.facts.lower, &chain.facts.upper, &chain.facts.step] {
            for symbol in model.parameters.resolve(nest.nest.function, bound).symbols() {
                let row = model.parameters.rows().iter().find(|row| row.name == *symbol);
                if let Some(row) = row.filter(|row| found.iter().all(|(name, _)| *name != row.name)) {
                    found.push((row.name.clone(), row.value));
                }
            }
        }
    }
    found
}
