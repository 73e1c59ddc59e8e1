//! Which values of parameters would fit the run?
//!
//! Problem sizes follow from trip counts, probabilities from `branches`. A loop can only say something about a
//! size if its bounds have no other that may be wrong as well:
//!
//! ```text
//! do j = 1, ny             998 rounds      ny = 998          settled first
//!   do i = 1, nx + ny      1,998 rounds    nx = 1,000        only now: one open size is left
//! ```
//!
//! Loops vote, and the value that most of them agree with is suggested; triangles are asked with all of their
//! rounds, as single trip counts say nothing. A compiler leaves out rounds that do nothing, but adds none: a value
//! at which a loop would go round less often than it did is out. A loop that is left early speaks of its data, not
//! of its bounds. Counts that are in doubt do not vote.

use std::collections::{BTreeMap, BTreeSet};

use super::bounds::Bounds;
use super::comparison::Suggestion;
use super::counts::LoopCounts;
use super::doubts::Doubts;
use super::places::{LoopRef, Places};
use super::sizes::{Sizes, Triangle};
use super::tolerance::are_same_rate;
use crate::analysis::facts::Origin;
use crate::model::parameters::ValueSource;
use crate::report::StaticReport;
use crate::report::static_report::{BranchReport, LoopReport, ParameterReport};

/// What was counted.
#[derive(Clone, Copy)]
pub struct Observed<'a> {
    pub loops: &'a BTreeMap<LoopRef, LoopCounts>,
    /// How often the first arm of a condition was taken, for once that it was reached.
    pub frequency: &'a dyn Fn(LoopRef, &BranchReport) -> Option<f64>,
}

/// Those that do not fit.
pub fn that_differ(all: Vec<Suggestion>) -> Vec<Suggestion> {
    let differs = |found: &Suggestion| {
        let value = found.value;
        value.is_none_or(|value| !are_same_rate(value, found.fits))
    };
    all.into_iter().filter(differs).collect()
}

/// Triangles that went round less often than their bounds say, and how often these say, with sizes that the run shows.
pub fn short_triangles(
    report: &StaticReport,
    places: &Places,
    seen: Observed,
    all: &[Suggestion],
) -> Vec<(LoopRef, u64)> {
    let is_size = |found: &&Suggestion| !found.is_probability && !found.is_mean;
    let settled = all.iter().filter(is_size);
    let sizes = Sizes {
        report,
        settled: settled
            .map(|found| (found.parameter.as_str(), found.fits))
            .collect(),
        means: BTreeSet::new(),
    };
    let short = |triangle: Triangle| {
        let bounds = sizes.shown_rounds(&triangle)?;
        (bounds > triangle.rounds).then_some((triangle.found, bounds as u64))
    };
    triangles(places, seen)
        .into_iter()
        .filter_map(short)
        .collect()
}

/// Everything that the run shows about parameters, also those that agree.
pub fn all(report: &StaticReport, places: &Places, seen: Observed) -> Vec<Suggestion> {
    let mut found = trip_counts(report, places, seen);
    let sizes = match that_differ(found.clone()).is_empty() {
        true => SizesOfReport::Fit,
        false => SizesOfReport::Differ,
    };
    found.extend(branch_frequencies(report, places, seen, sizes));
    found
}

/// Whether the run had the sizes that the report has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SizesOfReport {
    Fit,
    Differ,
}

/// Names of the sizes that the bounds of a loop depend on, and whether they depend on nothing else.
pub fn in_bounds<'r>(
    report: &'r StaticReport,
    places: &Places<'r>,
    found: LoopRef,
) -> (Vec<&'r str>, bool) {
    let sizes = Sizes {
        report,
        settled: BTreeMap::new(),
        means: BTreeSet::new(),
    };
    let symbols = Bounds::of(places.facts(found)).map_or_else(Vec::new, |bounds| bounds.symbols());
    let mut names: Vec<&str> = symbols
        .iter()
        .filter_map(|symbol| Some(sizes.parameter(found.function, symbol)?.0))
        .collect();
    names.sort_unstable();
    let is_all = names.len() == symbols.len();
    (names, is_all)
}

/// Whether nothing that the bounds of a loop depend on is guessed.
pub fn is_bound_known(report: &StaticReport, places: &Places, found: LoopRef) -> bool {
    let (names, is_all) = in_bounds(report, places, found);
    let is_given = |name: &&str| report.parameters[*name].source != ValueSource::Guessed;
    is_all && Bounds::of(places.facts(found)).is_some() && names.iter().all(is_given)
}

/// The parameter that a symbol is in a function.
pub fn parameter<'r>(
    report: &'r StaticReport,
    function: usize,
    symbol: &str,
) -> Option<(&'r str, &'r ParameterReport)> {
    let own = &report.functions[function];
    if let Some(of_bounds) = own.bound_parameters.get(symbol) {
        let (name, parameter) = report.parameters.get_key_value(of_bounds)?;
        return Some((name, parameter));
    }
    let name = &own.name;
    let fits = |(_, parameter): &(&'r String, &'r ParameterReport)| {
        parameter.source_name == symbol
            && (parameter.functions.is_empty() || parameter.functions.contains(name))
    };
    report
        .parameters
        .iter()
        .filter(fits)
        .min_by_key(|(name, _)| *name)
        .map(|(name, parameter)| (name.as_str(), parameter))
}

/// Problem sizes: for each the value that most loops ask for. A loop decides one if its bounds have no other that may
/// be wrong as well; its value is settled, and other loops are asked again.
fn trip_counts(report: &StaticReport, places: &Places, seen: Observed) -> Vec<Suggestion> {
    let mut sizes = Sizes {
        report,
        settled: BTreeMap::new(),
        means: BTreeSet::new(),
    };
    let mut found = Vec::new();
    loop {
        let suggested = sizes.suggested(places, seen);
        if suggested.is_empty() {
            return found;
        }
        for (name, suggested) in &suggested {
            sizes.settled.insert(name, suggested.fits);
            if suggested.is_mean && !suggested.is_trip_count {
                sizes.means.insert(name);
            }
        }
        found.extend(suggested.into_iter().map(|suggested| suggested.1));
    }
}

/// Whether the source has the value in so many words, so that no run has another one.
pub fn is_fixed(parameter: &ParameterReport) -> bool {
    matches!(parameter.origin, Origin::Constant | Origin::Macro)
}

/// Whether nothing contradicts the counts of a loop and the rounds of the one around it.
pub fn is_certain(places: &Places, seen: Observed, found: LoopRef) -> bool {
    let doubts = |found: LoopRef| seen.loops.get(&found).map(|counts| counts.doubts);
    let around = places.chain(found).nth(1).and_then(doubts);
    doubts(found).is_some_and(|own| own == Doubts::default())
        && around.is_none_or(|around| around.rounds.is_none())
}

/// How often a loop of the source was executed: as often as the loop around it went round, with the executions of no
/// round, which enter no loop of the machine code; on a condition, as often as was counted. `None` if the loop around
/// may have been left before.
pub fn executions(places: &Places, seen: Observed, found: LoopRef) -> Option<u64> {
    let executions = seen.loops.get(&found)?.executions();
    let Some(outer) = places.chain(found).nth(1) else {
        return Some(executions);
    };
    let rounds = seen.loops.get(&outer).map_or(0, |outer| outer.rounds);
    if rounds <= executions {
        return Some(executions);
    }
    let (facts, around) = (places.facts(found), places.facts(outer));
    let is_conditional = around
        .branches
        .iter()
        .any(|branch| branch.guards(facts.line));
    match () {
        () if is_conditional => Some(executions),
        () if around.exits_early => None,
        () => Some(rounds),
    }
}

/// Outermost loops, entered once, with a loop inside whose bounds depend on their variable.
pub fn triangles<'r>(places: &Places<'r>, seen: Observed) -> Vec<Triangle<'r>> {
    let triangle = |(found, counts): (&LoopRef, &LoopCounts)| {
        let chain: Vec<LoopRef> = places.chain(*found).collect();
        let [inner, outer] = chain[..] else {
            return None;
        };
        seen.loops
            .get(&outer)
            .filter(|outer| outer.executions() == 1)?;
        if !is_certain(places, seen, inner) || !is_certain(places, seen, outer) {
            return None;
        }
        let (inner_facts, outer_facts) = (places.facts(inner), places.facts(outer));
        let is_left = inner_facts.exits_early || outer_facts.exits_early;
        let (outer, inner) = (
            Bounds::of(outer_facts)?,
            Bounds::of(inner_facts).filter(|_| !is_left)?,
        );
        let depends = inner.symbols().iter().any(|name| name == outer.variable);
        let (function, rounds) = (found.function, counts.rounds as f64);
        depends.then_some(Triangle {
            found: *found,
            outer,
            inner,
            function,
            rounds,
            id: &inner_facts.id,
        })
    };
    seen.loops.iter().filter_map(triangle).collect()
}

/// Probabilities of branches.
fn branch_frequencies(
    report: &StaticReport,
    places: &Places,
    seen: Observed,
    sizes: SizesOfReport,
) -> Vec<Suggestion> {
    // In how many of the iterations loops leave a condition to the data, which depends on sizes.
    // An option of which nothing is known must have left it all of them, as far as the run tells.
    let option = |branch: &BranchReport| -> Option<String> {
        let name = branch.within.as_ref()?;
        let is_guess = report.parameters.get(name)?.origin == Origin::Default;
        is_guess.then(|| name.clone())
    };
    let share = |branch: &BranchReport| match &branch.within {
        None => Some(1.0),
        Some(_) if option(branch).is_some() => Some(1.0),
        Some(_) if sizes == SizesOfReport::Differ => None,
        Some(share) => report.parameters.get(share)?.value.known(),
    };
    let of_loop = |found: &LoopRef| {
        let facts = places.facts(*found);
        // A branch that nothing depends on has no parameter.
        let with_parameters = facts
            .branches
            .iter()
            .filter(|branch| report.parameters.contains_key(&branch.probability))
            .filter(|branch| is_own(facts, branch));
        let suggestion = |branch: &BranchReport| {
            let taken = (seen.frequency)(*found, branch)? / share(branch)?;
            let is_share = (0.0..=1.0).contains(&taken);
            let of_data = is_share.then(|| probability(report, branch, taken, &facts.id))??;
            let of_option = option(branch).map(|name| Suggestion {
                value: report.parameters[&name].value.known(),
                parameter: name,
                fits: 1.0,
                ..of_data.clone()
            });
            Some([Some(of_data), of_option])
        };
        with_parameters
            .filter_map(suggestion)
            .flatten()
            .flatten()
            .collect::<Vec<Suggestion>>()
    };
    seen.loops.keys().flat_map(of_loop).collect()
}

/// Whether a condition stands in the loop itself, and not in a function that it calls: the lines of its arms are then those
/// of the call.
fn is_own(facts: &LoopReport, branch: &BranchReport) -> bool {
    let arms = branch.then.iter().chain(&branch.otherwise);
    let is_behind = |(first, _): &(u32, u32)| *first >= branch.line;
    (facts.line..=facts.end_line).contains(&branch.line) && arms.into_iter().all(is_behind)
}

/// What was counted of a branch; `None` if nothing depends on it, so that it has no parameter.
pub fn probability(
    report: &StaticReport,
    branch: &BranchReport,
    taken: f64,
    seen_in: &str,
) -> Option<Suggestion> {
    let parameter = report.parameters.get(&branch.probability)?;
    Some(Suggestion {
        parameter: branch.probability.clone(),
        value: parameter.value.known(),
        fits: taken,
        seen_in: vec![seen_in.to_string()],
        is_probability: true,
        is_mean: false,
        is_trip_count: false,
        is_of_sums: false,
    })
}
