//! Parameters of the static report that the run tells: problem sizes by trip counts, probabilities by executions.

use std::collections::BTreeMap;

use serde::Serialize;

use super::places::Places;
use super::reports::{Function, Loop, StaticReport};
use super::traced::Join;
use crate::expr::Expr;

/// A parameter whose value does not fit the run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Suggestion {
    /// Its name for `--set`.
    pub parameter: String,
    /// In the static report.
    pub value: Option<f64>,
    /// What the run says.
    pub fits: f64,
    /// Loops or branches that say so.
    pub seen_in: Vec<String>,
    pub is_probability: bool,
}

/// What the run says of parameters: the value that most loops ask for, of those that agree with the report too.
pub fn trip_counts(report: &StaticReport, places: &Places, join: &Join) -> Vec<Suggestion> {
    let mut votes: BTreeMap<&str, Vec<(f64, &str)>> = BTreeMap::new();
    for (found, counts) in &join.loops {
        let function = &report.functions[found.function];
        let one = &function.loops[found.number];
        // Without its rounds outside of machine loops, the entries of these would be too few.
        let is_whole = counts.peeled == 0 && counts.replaced == 0;
        let outer = places.chain(*found).nth(1).and_then(|outer| join.loops.get(&outer)).map(|outer| outer.rounds);
        let entries = if is_whole { counts.entries } else { outer.unwrap_or(1) };
        if entries == 0 {
            continue;
        }
        let mean = counts.rounds as f64 / entries as f64;
        for (name, value) in solutions(report, function, one, mean) {
            votes.entry(name).or_default().push((value, &one.id));
        }
    }
    let chosen = |(name, votes): (&str, Vec<(f64, &str)>)| {
        let triangles = triangles(report, places, join, name);
        let count = |value: f64| {
            let agree = triangles.iter().filter(|(outer, inner, rounds)| outer.sum(inner, value) == Some(*rounds));
            votes.iter().filter(|vote| vote.0 == value).count() + agree.count()
        };
        // A compiler may leave out a last round that does nothing.
        let candidates = votes.iter().flat_map(|vote| [vote.0, vote.0 + 1.0]);
        let fits = candidates.max_by(|a, b| count(*a).cmp(&count(*b)).then(b.total_cmp(a)))?;
        Some(Suggestion {
            parameter: name.to_string(),
            value: report.parameters[name].value,
            fits,
            seen_in: votes.iter().filter(|vote| (fits - vote.0).abs() <= 1.0).map(|vote| vote.1.to_string()).collect(),
            is_probability: false,
        })
    };
    votes.into_iter().filter_map(chosen).collect()
}

/// Those that do not fit.
pub fn suggestions(report: &StaticReport, places: &Places, join: &Join) -> Vec<Suggestion> {
    all(report, places, join)
        .into_iter()
        .filter(|found| found.value.is_none_or(|value| (value - found.fits).abs() > 1e-6 * found.fits.abs()))
        .collect()
}

/// Everything that the run tells of parameters.
pub fn all(report: &StaticReport, places: &Places, join: &Join) -> Vec<Suggestion> {
    trip_counts(report, places, join).into_iter().chain(branch_frequencies(report, places, join)).collect()
}

/// Probabilities of branches: executions of the first arm's lines over those of both, or over the rounds of the loop.
pub fn branch_frequencies(report: &StaticReport, places: &Places, join: &Join) -> Vec<Suggestion> {
    let mut found = Vec::new();
    for (function, facts) in report.functions.iter().enumerate() {
        for one in &facts.loops {
            let Some(counts) = places.loop_by_id(function, &one.id).and_then(|found| join.loops.get(&found)) else {
                continue;
            };
            let executed = |lines: Option<(u32, u32)>| {
                let (first, last) = lines?;
                join.lines.range((function, first)..=(function, last)).map(|(_, executions)| *executions).max()
            };
            // A branch that nothing depends on has no parameter.
            let told = one.branches.iter().filter(|branch| report.parameters.contains_key(&branch.probability));
            for branch in told {
                let frequency = match (executed(branch.then), executed(branch.otherwise)) {
                    (Some(then), Some(otherwise)) if then + otherwise > 0 => then as f64 / (then + otherwise) as f64,
                    (Some(then), None) if counts.rounds > 0 && then <= counts.rounds => {
                        then as f64 / counts.rounds as f64
                    }
                    _ => continue,
                };
                found.push(Suggestion {
                    parameter: branch.probability.clone(),
                    value: report.parameters.get(&branch.probability).and_then(|parameter| parameter.value),
                    fits: frequency,
                    seen_in: vec![one.id.clone()],
                    is_probability: true,
                });
            }
        }
    }
    found
}

/// Bounds of a loop, with what is known of the parameters other than the one looked for.
struct Bounds<'r> {
    range: Expr,
    step: Expr,
    lower: Expr,
    variable: &'r str,
    /// The parameter as the source writes it.
    parameter: String,
    known: BTreeMap<&'r str, f64>,
}

/// Rounds beyond these are not summed up.
const MOST_ROUNDS: f64 = 100_000.0;

impl Bounds<'_> {
    fn trips(&self, value: f64, outer: Option<(&str, f64)>) -> Option<f64> {
        let lookup = |symbol: &str| match outer {
            Some((variable, at)) if symbol == variable => Some(at),
            _ if symbol == self.parameter => Some(value),
            _ => self.known.get(symbol).copied(),
        };
        let (range, step) = (self.range.evaluate(&lookup).ok()?, self.step.evaluate(&lookup).ok()?);
        Some((range / step + 1.0).floor().max(0.0)).filter(|trips| trips.is_finite())
    }

    /// Rounds of a loop inside, over all rounds of this one.
    fn sum(&self, inner: &Bounds, value: f64) -> Option<f64> {
        let lookup = |symbol: &str| match symbol == self.parameter {
            true => Some(value),
            false => self.known.get(symbol).copied(),
        };
        let (first, step) = (self.lower.evaluate(&lookup).ok()?, self.step.evaluate(&lookup).ok()?);
        let trips = self.trips(value, None).filter(|trips| *trips <= MOST_ROUNDS)?;
        (0..trips as u64).map(|round| inner.trips(value, Some((self.variable, first + step * round as f64)))).sum()
    }
}

/// Outermost loops with a loop inside whose bounds depend on their variable, and the rounds of that one, where both
/// can be worked out from the parameter.
fn triangles<'r>(
    report: &'r StaticReport,
    places: &Places<'r>,
    join: &Join,
    parameter: &str,
) -> Vec<(Bounds<'r>, Bounds<'r>, f64)> {
    let Some(wanted) = report.parameters.get(parameter) else { return Vec::new() };
    let stands_in = |function: &str, known: &super::reports::Parameter| {
        known.functions.is_empty() || known.functions.iter().any(|name| name == function)
    };
    let bounds = |found: super::places::LoopRef| {
        let (function, one) = (&report.functions[found.function], places.facts(found));
        let parse = |text: &str| Expr::parse(text).ok();
        let lower = parse(&one.lower)?;
        let here = report.parameters.values().filter(|known| stands_in(&function.name, known));
        Some(Bounds {
            range: parse(&one.upper)? - lower.clone(),
            step: parse(&one.step)?,
            lower,
            variable: &one.var,
            parameter: wanted.source_name.clone(),
            known: here.filter_map(|known| Some((known.source_name.as_str(), known.value?))).collect(),
        })
    };
    let mut triangles = Vec::new();
    for (found, counts) in &join.loops {
        let chain: Vec<_> = places.chain(*found).collect();
        let [inner, outer] = chain[..] else { continue };
        let is_here = stands_in(&report.functions[found.function].name, wanted);
        let entered_once = join.loops.get(&outer).is_some_and(|outer| outer.entries == 1);
        if !is_here || !entered_once {
            continue;
        }
        if let (Some(outer), Some(inner)) = (bounds(outer), bounds(inner))
            && inner.range.symbols().iter().any(|name| **name == *outer.variable)
        {
            triangles.push((outer, inner, counts.rounds as f64));
        }
    }
    triangles
}

/// For each parameter in a loop's bounds, as the only one that may be wrong: the value at which the loop would go
/// round so often.
fn solutions<'r>(report: &'r StaticReport, function: &Function, one: &Loop, trips: f64) -> Vec<(&'r str, f64)> {
    let parse = |text: &str| Expr::parse(text).ok();
    let (Some(lower), Some(upper), Some(step)) = (parse(&one.lower), parse(&one.upper), parse(&one.step)) else {
        return Vec::new();
    };
    let range = upper - lower;
    let names: Vec<String> = range.symbols().iter().map(|name| name.to_string()).collect();
    let known = |symbol: &str| {
        let fits = |(_, parameter): &(&String, &super::reports::Parameter)| {
            parameter.source_name == symbol
                && (parameter.functions.is_empty() || parameter.functions.contains(&function.name))
        };
        report.parameters.iter().find(fits).map(|(name, parameter)| (name.as_str(), parameter.value))
    };
    let mut found = Vec::new();
    for name in &names {
        let Some((parameter, value)) = known(name) else { continue };
        let trips_at = |at: f64| {
            let lookup = |symbol: &str| if symbol == name { Some(at) } else { known(symbol)?.1 };
            let (range, step) = (range.evaluate(&lookup).ok()?, step.evaluate(&lookup).ok()?);
            Some(range / step + 1.0).filter(|trips| trips.is_finite())
        };
        let base = value.unwrap_or(0.0);
        let (Some(here), Some(there), Some(beyond)) = (trips_at(base), trips_at(base + 1.0), trips_at(base + 2.0))
        else {
            continue;
        };
        let slope = there - here;
        let is_line = (beyond - there - slope).abs() < 1e-9;
        if !is_line || slope == 0.0 {
            continue;
        }
        // The last round may be a part of a step.
        let agrees = here.floor() == trips;
        let fits = if agrees { base } else { base + (trips - here) / slope };
        // A size is a whole number; a loop that says otherwise was changed by the compiler, or is left early.
        if (fits - fits.round()).abs() < 1e-6 {
            found.push((parameter, fits.round()));
        }
    }
    found
}
