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

use super::bounds::{Bounds, smallest};
use super::comparison::Suggestion;
use super::counts::LoopCounts;
use super::doubts::Doubts;
use super::places::{LoopRef, Places};
use super::tolerance::are_same_rate;
use crate::analysis::facts::Origin;
use crate::model::parameters::{Kind, ValueSource};
use crate::report::StaticReport;
use crate::report::static_report::{BranchReport, ParameterReport};

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
    trip_counts(report, places, seen)
        .into_iter()
        .chain(branch_frequencies(report, places, seen))
        .collect()
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

/// What one loop asks for.
struct Vote<'r> {
    value: f64,
    /// What the loop's bounds call it.
    symbol: String,
    /// The loop's, with its rounds; a triangle has none.
    bounds: Option<(Bounds<'r>, f64)>,
    function: usize,
    id: &'r str,
    is_mean: bool,
    is_sum: bool,
}

/// What one loop says about a size.
struct Asked<'r> {
    name: &'r str,
    symbol: String,
    bounds: Bounds<'r>,
    /// Rounds of one execution.
    wanted: f64,
    is_mean: bool,
    /// Rounds are a sum over executions in which the size may differ.
    is_sum: bool,
}

/// What all loops say about a size.
#[derive(Default)]
struct Votes<'r> {
    all: Vec<Vote<'r>>,
    /// No value gives the sums of one of the loops.
    is_refuted: bool,
}

impl Votes<'_> {
    /// Sums count only where nothing else is known.
    fn settled(mut self) -> Self {
        let is_exact = |vote: &Vote| !vote.is_sum && !vote.is_mean;
        if self.all.iter().any(is_exact) {
            self.all.retain(|vote| !vote.is_sum);
            self.is_refuted = false;
        }
        self
    }
}

/// Parameters, as far as they are known.
struct Sizes<'r> {
    report: &'r StaticReport,
    settled: BTreeMap<&'r str, f64>,
    /// Of the settled, those that are means of several values.
    means: BTreeSet<&'r str>,
}

/// A loop that goes round as its outer loop's variable says.
struct Triangle<'r> {
    found: LoopRef,
    outer: Bounds<'r>,
    inner: Bounds<'r>,
    function: usize,
    rounds: f64,
    id: &'r str,
}

impl<'r> Sizes<'r> {
    fn parameter(&self, function: usize, symbol: &str) -> Option<(&'r str, &'r ParameterReport)> {
        parameter(self.report, function, symbol)
    }

    fn value(&self, function: usize, symbol: &str) -> Option<f64> {
        let (name, parameter) = self.parameter(function, symbol)?;
        self.settled.get(name).copied().or(parameter.value.known())
    }

    /// The one symbol of these whose value is not sure; those that callers give are surer than others.
    fn open(&self, function: usize, symbols: &[String]) -> Option<(String, &'r str)> {
        let known = |symbol: &String| Some((symbol.clone(), self.parameter(function, symbol)?));
        let all = symbols.iter().filter_map(known);
        let open: Vec<(String, (&str, &ParameterReport))> = all
            .filter(|(_, (name, _))| !self.settled.contains_key(name))
            .filter(|(_, (_, parameter))| !is_fixed(parameter))
            .collect();
        let is_assumed = |parameter: &ParameterReport| parameter.origin != Origin::Caller;
        let mut assumed = open
            .iter()
            .filter(|(_, (_, parameter))| is_assumed(parameter));
        match (assumed.next(), assumed.next(), &open[..]) {
            (Some((symbol, (name, _))), None, _) | (None, _, [(symbol, (name, _))]) => {
                Some((symbol.clone(), name))
            }
            _ => None,
        }
    }

    /// What follows from loops and was not known.
    fn suggested(&self, places: &Places<'r>, seen: Observed) -> Vec<(&'r str, Suggestion)> {
        let mut votes: BTreeMap<&'r str, Votes<'r>> = BTreeMap::new();
        for found in seen.loops.keys() {
            let Some(asked) = self.asked(places, seen, *found) else {
                continue;
            };
            let votes = votes.entry(asked.name).or_default();
            match self.vote(places, *found, &asked) {
                Some(vote) => votes.all.push(vote),
                None => votes.is_refuted |= asked.is_sum && asked.wanted > 0.0,
            }
        }
        let triangles = triangles(places, seen);
        for triangle in &triangles {
            if let Some((name, vote)) = self.vote_of_triangle(triangle) {
                votes.entry(name).or_default().all.push(vote);
            }
        }
        votes
            .into_iter()
            .filter_map(|(name, votes)| {
                Some((name, self.chosen(name, &votes.settled(), &triangles)?))
            })
            .collect()
    }

    fn asked(&self, places: &Places<'r>, seen: Observed, found: LoopRef) -> Option<Asked<'r>> {
        let (facts, counts) = (places.facts(found), seen.loops.get(&found)?);
        // A loop that is left early says something about its data, not its bounds.
        if facts.exits_early || !is_certain(places, seen, found) {
            return None;
        }
        let is_whole = counts.has_executions() || counts.peeled == 0 && counts.replaced == 0;
        let calls = self.report.functions[found.function].calls();
        let outer = match places.chain(found).nth(1) {
            Some(outer) => seen.loops.get(&outer).map_or(0, |outer| outer.rounds),
            None => u64::from(calls == 1.0),
        };
        let executions = match is_whole {
            true => executions(places, seen, found)?,
            false => outer,
        };
        let bounds = Bounds::of(facts).filter(|_| executions > 0)?;
        let symbols = bounds.symbols();
        let (symbol, name) = self.open(found.function, &symbols)?;
        let is_of_mean = symbols.iter().any(|symbol| {
            let known = self.parameter(found.function, symbol);
            known.is_some_and(|(name, _)| self.means.contains(name))
        });
        // A mean of calls with sizes that are known to differ is the size of none.
        let differs = counts.are_sums && self.report.parameters[name].origin == Origin::Callers;
        Some(Asked {
            name,
            symbol,
            wanted: counts.rounds as f64 / executions as f64,
            is_mean: counts.varies
                || differs
                || counts.are_sums && is_of_mean
                || is_whole && counts.entries > 0 && executions > counts.entries,
            is_sum: counts.are_sums,
            bounds,
        })
    }

    fn vote(&self, places: &Places<'r>, found: LoopRef, asked: &Asked<'r>) -> Option<Vote<'r>> {
        let kind = self.report.parameters[asked.name].kind;
        let value = asked.bounds.solve(
            (&asked.symbol, kind),
            self.value(found.function, &asked.symbol),
            &|symbol: &str| self.value(found.function, symbol),
            asked.wanted,
        )?;
        // The mean rounds of a loop without a count are what they are: no other value fits, nor is one out.
        let is_exact = !asked.is_mean && kind != Kind::TripCount;
        Some(Vote {
            value,
            symbol: asked.symbol.clone(),
            bounds: is_exact.then(|| (asked.bounds.clone(), asked.wanted)),
            function: found.function,
            id: &places.facts(found).id,
            is_mean: asked.is_mean,
            is_sum: asked.is_sum,
        })
    }

    fn vote_of_triangle(&self, triangle: &Triangle<'r>) -> Option<(&'r str, Vote<'r>)> {
        let Triangle {
            outer,
            inner,
            function,
            rounds,
            id,
            ..
        } = triangle;
        let mut symbols = [outer.symbols(), inner.symbols()].concat();
        symbols.sort_unstable();
        symbols.dedup();
        let (symbol, name) = self.open(*function, &symbols)?;
        let count = |value: f64| self.rounds_at(triangle, &symbol, value);
        let base = self
            .value(*function, &symbol)
            .filter(|value| count(*value) == Some(*rounds));
        let value = base.or_else(|| smallest(&count, *rounds))?;
        Some((
            name,
            Vote {
                value,
                symbol,
                bounds: None,
                function: *function,
                id,
                is_mean: false,
                is_sum: false,
            },
        ))
    }

    fn rounds_at(&self, triangle: &Triangle, symbol: &str, value: f64) -> Option<f64> {
        let values = |name: &str| {
            if name == symbol {
                Some(value)
            } else {
                self.value(triangle.function, name)
            }
        };
        triangle.outer.rounds_inside(&triangle.inner, &values)
    }

    /// How often it goes round by its bounds; `None` if a size in them is neither fixed nor shown by the run.
    fn shown_rounds(&self, triangle: &Triangle) -> Option<f64> {
        let value = |symbol: &str| {
            let (name, parameter) = self.parameter(triangle.function, symbol)?;
            let fixed = is_fixed(parameter).then(|| parameter.value.known());
            self.settled.get(name).copied().or(fixed.flatten())
        };
        triangle.outer.rounds_inside(&triangle.inner, &value)
    }

    /// How often a loop would go round, and how often it did.
    fn rounds_of(&self, vote: &Vote, value: f64) -> Option<(f64, f64)> {
        let values = |name: &str| match name == vote.symbol {
            true => Some(value),
            false => self.value(vote.function, name),
        };
        let (bounds, rounds) = vote.bounds.as_ref()?;
        Some((bounds.rounds(&values)?, *rounds))
    }

    /// Whether a loop goes round as often as it did: one with a step does at several values.
    fn agrees(&self, vote: &Vote, value: f64) -> bool {
        let rounds = self.rounds_of(vote, value);
        vote.value == value || rounds.is_some_and(|(would, did)| would == did)
    }

    /// Whether a loop went round more often than it would.
    fn forbids(&self, vote: &Vote, value: f64) -> bool {
        let rounds = self.rounds_of(vote, value);
        rounds.is_some_and(|(would, did)| would < did)
    }

    /// Whether a triangle goes round as often as it did if a parameter that is in its bounds has this value.
    fn agrees_in_triangle(&self, triangle: &Triangle<'r>, name: &str, value: f64) -> bool {
        let symbols = [triangle.outer.symbols(), triangle.inner.symbols()].concat();
        let own = symbols.iter().find(|symbol| {
            let known = self.parameter(triangle.function, symbol);
            known.is_some_and(|known| known.0 == name)
        });
        own.is_some_and(|own| self.rounds_at(triangle, own, value) == Some(triangle.rounds))
    }

    /// The value that most agree with, triangles with all their rounds.
    fn chosen(
        &self,
        name: &'r str,
        votes: &Votes<'r>,
        triangles: &[Triangle<'r>],
    ) -> Option<Suggestion> {
        let parameter = &self.report.parameters[name];
        let count = |value: f64| {
            let agree = triangles
                .iter()
                .filter(|triangle| self.agrees_in_triangle(triangle, name, value));
            let votes = votes.all.iter().filter(|vote| self.agrees(vote, value));
            votes.count() + agree.count()
        };
        // A compiler may leave out a last round that does nothing.
        let candidates: BTreeSet<u64> = votes
            .all
            .iter()
            .flat_map(|vote| [vote.value, vote.value + 1.0])
            .map(f64::to_bits)
            .collect();
        let is_possible = |value: &f64| !votes.all.iter().any(|vote| self.forbids(vote, *value));
        let candidates: Vec<f64> = candidates.into_iter().map(f64::from_bits).collect();
        // Loops that contradict each other have been changed in ways that are not understood; most of them count.
        let is_any = candidates.iter().any(is_possible);
        let candidates = candidates
            .into_iter()
            .filter(|value| !is_any || is_possible(value))
            .map(|value| (count(value), value));
        let fits = candidates
            .max_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)))?
            .1;
        let is_near = |vote: &&Vote| (fits - vote.value).abs() <= 1.0 || self.agrees(vote, fits);
        let near: Vec<&Vote> = votes.all.iter().filter(is_near).collect();
        let ids: BTreeSet<&str> = near.iter().map(|vote| vote.id).collect();
        // Sums show a size only if all loops agree that it was the same in each call.
        let is_sum = votes.all.iter().any(|vote| vote.is_sum);
        let is_one =
            !is_sum || !votes.is_refuted && votes.all.iter().all(|vote| self.agrees(vote, fits));
        Some(Suggestion {
            parameter: name.to_string(),
            value: parameter.value.known(),
            fits,
            seen_in: ids.into_iter().map(str::to_string).collect(),
            is_probability: false,
            is_mean: near.iter().all(|vote| vote.is_mean) || !is_one,
            is_trip_count: parameter.kind == Kind::TripCount,
            is_of_sums: is_sum && parameter.kind != Kind::TripCount,
        })
    }
}

/// Whether the source has the value in so many words, so that no run has another one.
fn is_fixed(parameter: &ParameterReport) -> bool {
    matches!(parameter.origin, Origin::Constant | Origin::Macro)
}

/// Whether nothing contradicts the counts of a loop and the rounds of the one around it.
fn is_certain(places: &Places, seen: Observed, found: LoopRef) -> bool {
    let doubts = |found: LoopRef| seen.loops.get(&found).map(|counts| counts.doubts);
    let around = places.chain(found).nth(1).and_then(doubts);
    doubts(found).is_some_and(|own| own == Doubts::default())
        && around.is_none_or(|around| around.rounds.is_none())
}

/// How often a loop of the source was executed: as often as the loop around it went round, with the executions of no
/// round, which enter no loop of the machine code; on a condition, as often as was counted. `None` if the loop around
/// may have been left before.
fn executions(places: &Places, seen: Observed, found: LoopRef) -> Option<u64> {
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
fn triangles<'r>(places: &Places<'r>, seen: Observed) -> Vec<Triangle<'r>> {
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
fn branch_frequencies(report: &StaticReport, places: &Places, seen: Observed) -> Vec<Suggestion> {
    let of_loop = |found: &LoopRef| {
        let facts = places.facts(*found);
        // A branch that nothing depends on has no parameter.
        let with_parameters = facts
            .branches
            .iter()
            .filter(|branch| report.parameters.contains_key(&branch.probability));
        let suggestion = |branch: &BranchReport| {
            probability(report, branch, (seen.frequency)(*found, branch)?, &facts.id)
        };
        with_parameters
            .filter_map(suggestion)
            .collect::<Vec<Suggestion>>()
    };
    seen.loops.keys().flat_map(of_loop).collect()
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
