//! Which value of a size do loops ask for, and do they agree? (`parameters`)

use std::collections::{BTreeMap, BTreeSet};

use super::bounds::{Bounds, smallest};
use super::comparison::Suggestion;
use super::parameters::{Observed, executions, is_certain, is_fixed, parameter, triangles};
use super::places::{LoopRef, Places};
use crate::analysis::facts::Origin;
use crate::model::parameters::Kind;
use crate::report::StaticReport;
use crate::report::static_report::ParameterReport;

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
pub struct Sizes<'r> {
    pub report: &'r StaticReport,
    pub settled: BTreeMap<&'r str, f64>,
    /// Of the settled, those that are means of several values.
    pub means: BTreeSet<&'r str>,
}

/// A loop that goes round as its outer loop's variable says.
pub struct Triangle<'r> {
    pub found: LoopRef,
    pub outer: Bounds<'r>,
    pub inner: Bounds<'r>,
    pub function: usize,
    pub rounds: f64,
    pub id: &'r str,
}

impl<'r> Sizes<'r> {
    pub fn parameter(
        &self,
        function: usize,
        symbol: &str,
    ) -> Option<(&'r str, &'r ParameterReport)> {
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
    pub fn suggested(&self, places: &Places<'r>, seen: Observed) -> Vec<(&'r str, Suggestion)> {
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
        if !is_certain(places, seen, found) {
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
        // A loop that is left early says something about its data, not its bounds: how often it goes round, if that is open.
        if facts.exits_early && self.report.parameters[name].kind != Kind::TripCount {
            return None;
        }
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
    pub fn shown_rounds(&self, triangle: &Triangle) -> Option<f64> {
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
