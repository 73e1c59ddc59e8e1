//! Cases: one nest, one set of sizes, one cache level.

use std::sync::Arc;

use super::nests::{self, Wanted};
use super::outcome::{self, LevelOutcome, Outcome, SamplingError};
use crate::analysis::ProcedureBody;
use crate::cache::CacheSpec;
use crate::expr::Symbol;
use crate::interpret::Refusal;
use crate::interpret::code::Code;
use crate::interpret::run::Drawn;
use crate::model::{Model, NestModel, Valued};
use crate::reason::ReasonCode;

/// Accesses of a nest that are simulated; of longer nests windows are.
pub const MOST_ACCESSES: u64 = 200_000_000;
/// Accesses that say how far an array reaches, if there is time.
pub const MOST_PROBED: u64 = 5_000_000;

/// How to validate.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Nearest first; a hierarchy.
    pub levels: Vec<CacheSpec>,
    /// Nests with more accesses are sampled.
    pub most_accesses: u64,
    /// So many accesses are made to see how far an array reaches whose extents nothing says.
    pub most_probed: u64,
    /// Bytes between arrays.
    pub gap: i64,
    /// Values of scalars that are not parameters of the model, such as extents of arrays.
    pub others: Vec<(Symbol, f64)>,
    /// Functions are run as a whole, not nest by nest.
    pub whole: bool,
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
    /// Bytes of the lines that the nest touches; unknown where only a part was run.
    pub cold_bytes: Option<f64>,
    pub predicted_bytes: f64,
    pub simulated_bytes: f64,
    /// `None` where all levels are fully associative.
    pub simulated_set_associative_bytes: Option<f64>,
    /// What the model says that the level holds.
    pub condition: String,
    pub explained: Vec<Explained>,
    /// Share of the accesses that was simulated and counted.
    pub sampled_share: f64,
    /// Error of the simulated bytes, where that share is less than all.
    pub error: SamplingError,
    /// What was assumed about the source.
    pub notes: Vec<String>,
    /// Why the model says of itself that its figures of the nest are not exact.
    pub reasons: Vec<ReasonCode>,
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
    /// The model estimates how often a loop runs: it has no exact count, or a parameter stands for it, or something
    /// leaves the loop early. The simulation runs it as often as it runs.
    TripCount,
    /// The simulation drew what only data decide: where an access goes, which way a branch, how often a loop runs.
    Data,
    /// Accesses go beyond the declared extents of an array, so that its rows overlap or others follow: the sizes do
    /// not go with the declarations.
    Extents,
}

impl Explained {
    pub fn as_str(self) -> &'static str {
        match self {
            Explained::Switch => "switch",
            Explained::Conflicts => "conflicts",
            Explained::Sampled => "sampled",
            Explained::TripCount => "trip_count",
            Explained::Data => "data",
            Explained::Extents => "extents",
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
    pub code: ReasonCode,
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
            all.skipped.extend(
                skipped
                    .into_iter()
                    .filter(|s| !all.skipped.contains(s))
                    .collect::<Vec<_>>(),
            );
        }
        all
    }
}

impl Case {
    /// Predicted over simulated; 1 if both are nothing.
    pub fn ratio(&self) -> f64 {
        if self.simulated_bytes == self.predicted_bytes {
            1.0
        } else {
            self.predicted_bytes / self.simulated_bytes
        }
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

/// Traffic that changes by more than this from a capacity divided by 1.1 to one times 1.1 is at a step.
pub(super) const STEP: f64 = 0.05;

/// Runs a nest of the model by itself.
pub fn nest(
    model: &Model,
    index: usize,
    body: Option<&ProcedureBody>,
    settings: &Settings,
) -> Report {
    let nest = &model.nests[index];
    let code = body
        .ok_or_else(without_statements)
        .and_then(|body| nests::compile(model.valued(), Wanted::Nest(&nest.nest), body, settings));
    let code = match code {
        Ok(code) => code,
        Err(refusals) => return skipped(model, index, refusals),
    };
    let outcome = match outcome::of(&code, &settings.levels, settings.most_accesses) {
        Ok(outcome) => outcome,
        Err(why) => return skipped(model, index, vec![too_long(nest, settings, why)]),
    };
    cases(model, index, &outcome, &code, settings)
}

/// Runs a function as a whole, caches keeping what they hold from nest to nest: the traffic of the model's nests at
/// these indices, which are those of the function.
pub fn whole(
    model: &Model,
    nests: &[usize],
    body: Option<&ProcedureBody>,
    settings: &Settings,
) -> Report {
    let Some(first) = nests.first() else {
        return Report::default();
    };
    let function = model.nests[*first].nest.function;
    let code = body.ok_or_else(without_statements).and_then(|body| {
        nests::compile(
            model.valued(),
            Wanted::Whole(function, nests),
            body,
            settings,
        )
    });
    let all = |refusals: &[Refusal]| {
        Report::of(
            nests
                .iter()
                .map(|n| skipped(model, *n, refusals.to_vec()))
                .collect(),
        )
    };
    let code = match code {
        Ok(code) => code,
        Err(refusals) => return all(&refusals),
    };
    match outcome::of_parts(&code, &settings.levels, settings.most_accesses, nests.len()) {
        Ok(outcomes) => {
            let each = nests.iter().zip(&outcomes);
            Report::of(
                each.map(|(nest, outcome)| cases(model, *nest, outcome, &code, settings))
                    .collect(),
            )
        }
        Err(why) => all(&[too_long(&model.nests[*first], settings, why)]),
    }
}

fn without_statements() -> Vec<Refusal> {
    let detail = "the model comes from XML, which has no statements".to_string();
    vec![Refusal {
        code: ReasonCode::NoStatements,
        line: 0,
        detail,
    }]
}

fn too_long(nest: &NestModel, settings: &Settings, why: &str) -> Refusal {
    let detail = format!("more than {} accesses, and {why}", settings.most_accesses);
    Refusal {
        code: ReasonCode::TooLong,
        line: nest.nest.head().line,
        detail,
    }
}

/// A nest that cannot be run.
fn skipped(model: &Model, index: usize, refusals: Vec<Refusal>) -> Report {
    let nest = &model.nests[index].nest;
    let head = nest.head();
    let skip = |refusal: Refusal| Skipped {
        file: head.file.clone(),
        function: model.program.functions[nest.function].name.clone(),
        nest: head.id.clone(),
        line: if refusal.line > 0 {
            refusal.line
        } else {
            head.line
        },
        code: refusal.code,
        detail: refusal.detail,
    };
    Report {
        cases: Vec::new(),
        skipped: refusals.into_iter().map(skip).collect(),
    }
}

/// What was simulated beside what is predicted, level by level.
fn cases(
    model: &Model,
    index: usize,
    outcome: &Outcome,
    code: &Code,
    settings: &Settings,
) -> Report {
    let nest = &model.nests[index];
    let head = nest.nest.head();
    let (weight, sizes) = (
        if settings.whole {
            1.0
        } else {
            entered(model.valued(), nest)
        },
        sizes(model, nest),
    );
    let case = |(position, (level, simulated)): (usize, (&CacheSpec, &LevelOutcome))| {
        let prediction = model.predict(index, level.bytes as f64);
        let mut reasons = nest.reason_codes();
        reasons.extend(model.valued().doubts_at(index, level.bytes as f64));
        // The model's own steps do not count: it is to be judged where the simulation has none.
        let at_step = simulated.bytes[0] > simulated.bytes[2] * (1.0 + STEP);
        let conflicts = (simulated.given)
            .is_some_and(|b| (b - simulated.bytes[1]).abs() > STEP * simulated.bytes[1]);
        let explained = [
            (at_step, Explained::Switch),
            (conflicts, Explained::Conflicts),
            (outcome.share < 1.0, Explained::Sampled),
            (nest.nest.has_approximate_trip_count(), Explained::TripCount),
            (outcome.drew != Drawn::Nothing, Explained::Data),
            (code.is_outside, Explained::Extents),
        ];
        Case {
            file: head.file.clone(),
            function: model.program.functions[nest.nest.function].name.clone(),
            nest: head.id.clone(),
            line: head.line,
            sizes: sizes.clone(),
            level: format!("L{}", position + 1),
            capacity: level.bytes,
            accesses: outcome.accesses,
            cold_bytes: simulated.cold,
            predicted_bytes: prediction.bytes,
            simulated_bytes: simulated.bytes[1] * weight,
            simulated_set_associative_bytes: simulated.given.map(|given| given * weight),
            condition: prediction.condition,
            explained: explained
                .into_iter()
                .filter(|(holds, _)| *holds)
                .map(|(_, what)| what)
                .collect(),
            sampled_share: outcome.share,
            error: simulated.error,
            notes: code.notes.iter().cloned().collect(),
            reasons: reasons.into_iter().collect(),
        }
    };
    let levels = settings.levels.iter().zip(&outcome.levels).enumerate();
    Report {
        cases: levels.map(case).collect(),
        skipped: Vec::new(),
    }
}

/// The probability that the branches around the nest's outermost loop are taken.
pub(super) fn entered(valued: Valued, nest: &NestModel) -> f64 {
    let value = |symbol: &Symbol| {
        valued
            .symbol_value(nest.nest.function, symbol)
            .unwrap_or(0.5)
    };
    let weights = nest
        .nest
        .loops
        .iter()
        .take(1)
        .flat_map(|chain| &chain.weight);
    weights
        .map(|(symbol, taken)| {
            if *taken {
                value(symbol)
            } else {
                1.0 - value(symbol)
            }
        })
        .product()
}

/// The parameters that the ranges of the nest's loops mention.
fn sizes(model: &Model, nest: &NestModel) -> Vec<(String, f64)> {
    let mut found: Vec<(String, f64)> = Vec::new();
    for chain in &nest.nest.loops {
        for bound in [&chain.facts.lower, &chain.facts.upper, &chain.facts.step] {
            for symbol in model
                .parameters
                .resolve(nest.nest.function, bound)
                .symbols()
            {
                let row = model
                    .parameters
                    .rows()
                    .iter()
                    .find(|row| row.name == symbol.name());
                if let Some(row) = row.filter(|row| found.iter().all(|(name, _)| *name != row.name))
                {
                    found.push((row.name.clone(), row.value));
                }
            }
        }
    }
    found
}
