//! How do the nests beside it see a nest: how much of each array it touches, where, and along which loop?
//!
//! Reuse between nests needs less than reuse within: for every array and every level of standing loops, the
//! distinct lines ([`Swept::lines`]), the box of places around all subscripts ([`Swept::reach`]), the outermost
//! loop that moves along the array and its direction ([`Swept::sweep`], [`Swept::descends`]), and what an
//! iteration touches that the one before did not ([`Swept::fresh`]).
//!
//! ```text
//! for j: for i: u[j+1][i]      with j standing still: lines of one row, reach [j+1, j+1] × [0, n−1],
//!                              fresh: row j+1, as the iteration before reached up to row j
//! ```
//!
//! Answers are kept, as each nest is asked by up to 32 others. Boxes are exact where subscripts walk boxes;
//! nests that do not are marked (`Neighbours::is_rough`).

use std::cell::RefCell;
use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use super::Between;
use super::domain::{Affine, Domain, Given, Tiles};
use super::geometry::Geometry;
use super::number::Number;
use super::reference::{self, Lines, Reference};
use super::reuse::{Covered, Kind, Profiler};
use super::steps::{About, NameStep, Names};
use crate::analysis::facts::Component;
use crate::arrays::Arrays;
use crate::catalogue::StaticFigure;
use crate::expr::Expr;
use crate::nest::Nest;

/// An array and a component of it.
pub type ArrayPart = (String, Component);

/// The lines and places of a nest.
pub struct Swept<'n, N> {
    pub arrays: Vec<ArrayPart>,
    /// Where each of them is.
    numbers: FxHashMap<ArrayPart, usize>,
    domain: Domain<N>,
    references: Vec<Reference<N>>,
    covered: Covered<N>,
    line: N,
    name: NameStep<'n, N>,
    pub names: Names,
    known: RefCell<FxHashMap<(usize, bool, usize), N>>,
    /// By loop, outermost first, as far as they were asked for: the middle of its range, and its iterations.
    places: RefCell<Vec<N>>,
    trips: RefCell<Vec<N>>,
}

/// A box of places of an array: the first and the last in every dimension.
pub type Reach<N> = Option<Vec<(N, N)>>;

/// Of the loop around.
#[derive(Clone, Copy, PartialEq)]
pub enum Iteration {
    This,
    Before,
}

/// What a nest touches of an array while loops outside of one stand still.
#[derive(Clone)]
pub struct Slice<N> {
    pub bytes: N,
    /// Whether that loop moves along the array, so that it is touched bit by bit.
    pub moves: bool,
}

impl<'n, N: Number> Swept<'n, N> {
    pub fn of(
        nest: &Nest,
        value: &dyn Fn(&Expr) -> N,
        line: N,
        name: NameStep<'n, N>,
    ) -> Swept<'n, N> {
        let geometry = Geometry::of(nest);
        let mut arrays: Vec<ArrayPart> = Vec::new();
        let mut numbers = FxHashMap::default();
        for used in &nest.streams {
            let name = (used.stream.array.to_string(), used.stream.component.clone());
            if let Entry::Vacant(entry) = numbers.entry(name) {
                arrays.push(entry.key().clone());
                entry.insert(arrays.len() - 1);
            }
        }
        let covered = super::cover((&geometry.domain, &geometry.references), value);
        let (domain, mut references) = geometry.map(value);
        let (known, places, trips) = Default::default();
        let mut names = geometry.step_names;
        names.nest = Some(nest.head().id.as_str().into());
        reference::name_sizes(&mut references, (name, &names));
        Swept {
            arrays,
            numbers,
            domain,
            references,
            covered,
            line,
            name,
            names,
            known,
            places,
            trips,
        }
    }

    fn number(&self, array: &ArrayPart) -> Option<usize> {
        self.numbers.get(array).copied()
    }

    /// Distinct lines of an array with the loops outside of a level standing still; `None` if there are none.
    pub fn lines(&self, array: &ArrayPart, kind: Kind, level: usize) -> Option<N> {
        let number = self.number(array)?;
        self.of_kind(number, kind).next()?;
        let level = level.min(self.domain.loops.len());
        let key = (number, kind == Kind::Any, level);
        if let Some(known) = self.known.borrow().get(&key) {
            return Some(known.clone());
        }
        let lines = Lines::new(&self.domain, self.line.clone(), (self.name, &self.names));
        let profiler = Profiler {
            arrays: Arrays::Together,
            between: Between::All,
            unforeseen: Vec::new(),
            lines,
            references: &self.references,
            covered: &self.covered,
        };
        let about = About::Array(number, level.checked_sub(1));
        let lines = (self.name)(
            self.names.step(StaticFigure::LinesOfArray, about),
            profiler.lines_of_array(number, kind, level, &self.standing(level)),
        );
        self.known.borrow_mut().insert(key, lines.clone());
        Some(lines)
    }

    pub fn bytes(&self, array: &ArrayPart, level: usize) -> Option<N> {
        Some(self.lines(array, Kind::Any, level)?.times(&self.line))
    }

    fn of_kind(&self, array: usize, kind: Kind) -> impl Iterator<Item = &Reference<N>> {
        let is_used = move |r: &&Reference<N>| kind == Kind::Any || !r.written.is_empty();
        self.references
            .iter()
            .filter(move |r| r.array == array)
            .filter(is_used)
    }

    /// Whether several references, which may leave something between them, go to an array.
    pub fn is_scattered(&self, array: &ArrayPart, kind: Kind) -> bool {
        self.number(array)
            .is_some_and(|number| self.of_kind(number, kind).nth(1).is_some())
    }

    /// Whether references go to random places of an array of unknown size: nothing says which lines they come back to.
    pub fn is_anywhere(&self, array: &ArrayPart) -> bool {
        let is_anywhere = |r: &Reference<N>| r.gathered.is_some() && r.whole.is_none();
        self.number(array)
            .is_some_and(|number| self.of_kind(number, Kind::Any).any(is_anywhere))
    }

    /// The loops outside of a level at the middle of their ranges.
    fn standing(&self, level: usize) -> Vec<Given<N>> {
        let mut places = self.places.borrow_mut();
        while places.len() < level {
            let span = self.domain.span_of(places.len(), &self.given(&places));
            let middle = self.domain.middle(places.len(), &span, 0, 1);
            let step = self
                .names
                .step(StaticFigure::Place, About::Loop(places.len()));
            places.push((self.name)(step, middle));
        }
        self.given(&places[..level])
    }

    /// The outermost loops at these places.
    fn given(&self, places: &[N]) -> Vec<Given<N>> {
        let free = self.domain.loops.len() - places.len();
        let standing = places.iter().cloned().map(Given::At);
        standing
            .chain(std::iter::repeat_n(Given::Free, free))
            .collect()
    }

    fn moves(&self, array: usize, v: usize) -> bool {
        let along = |u: usize| {
            self.of_kind(array, Kind::Any)
                .any(|r| r.dimensions.iter().flatten().any(|(w, _)| *w == u))
        };
        along(v)
            || (0..self.domain.loops.len())
                .any(|u| self.domain.loops[u].tile_of == Some(v) && along(u))
    }

    /// The outermost loop from a level on that moves along an array.
    pub fn sweep(&self, array: &ArrayPart, level: usize) -> usize {
        let loops = self.domain.loops.len();
        let number = self.number(array);
        (level..loops)
            .find(|v| number.is_some_and(|number| self.moves(number, *v)))
            .unwrap_or(loops)
    }

    pub fn descends(&self, v: usize) -> bool {
        self.domain
            .loops
            .get(v)
            .is_some_and(|range| range.descending)
    }

    pub fn slice(&self, array: &ArrayPart, level: usize) -> Option<Slice<N>> {
        let bytes = self.bytes(array, level)?;
        Some(Slice {
            bytes,
            moves: self.moves(self.number(array)?, level),
        })
    }

    /// Probability that the branches before the loop at a level are taken.
    pub fn entered(&self, level: usize) -> N {
        self.domain
            .loops
            .get(level)
            .map_or(N::of(1.0), |range| range.entered.clone())
    }

    /// How often the loop at a level is run.
    pub fn executions(&self, level: usize) -> N {
        (0..level).fold(self.entered(level), |n, v| {
            n.times(&self.entered(v)).times(&self.trips(v))
        })
    }

    /// Iterations of a loop, at least one.
    pub fn trips(&self, v: usize) -> N {
        let mut trips = self.trips.borrow_mut();
        for v in trips.len()..=v {
            let span = self.domain.span_of(v, &self.standing(v));
            trips.push(span.count.larger(&N::of(1.0)));
        }
        trips[v].clone()
    }

    /// The least and the largest place in every dimension with the loops outside of a level standing still, where known.
    pub fn reach(
        &self,
        array: &ArrayPart,
        kind: Kind,
        level: usize,
        iteration: Iteration,
    ) -> Reach<N> {
        let number = self.number(array)?;
        let mut given = self.standing(level.min(self.domain.loops.len()));
        let around = level
            .checked_sub(1)
            .filter(|v| iteration == Iteration::Before && *v < given.len());
        if let Some(v) = around
            && let Some(place) = given[v].place()
        {
            let back = if self.domain.loops[v].descending {
                1.0
            } else {
                -1.0
            };
            given[v] = Given::At(place.plus(&self.domain.loops[v].step.scaled(back)));
        }
        let spans = self.domain.spans(&given, Tiles::Full);
        let mut reach: Reach<N> = None;
        for reference in self.of_kind(number, kind) {
            if reference.gathered.is_some() {
                return None;
            }
            let offsets = if kind == Kind::Any {
                &reference.offsets
            } else {
                &reference.written
            };
            let ends = reference
                .dimensions
                .iter()
                .zip(&reference.bases)
                .enumerate()
                .map(|(d, (terms, base))| {
                    let place = Affine {
                        terms: terms.clone(),
                        rest: base.clone(),
                    };
                    let (low, high) = self.domain.extremes(&place, &spans, &given);
                    let along = || offsets.iter().map(|offset| offset[d]);
                    (
                        low.shifted(along().min().unwrap_or(0) as f64),
                        high.shifted(along().max().unwrap_or(0) as f64),
                    )
                });
            let ends: Vec<(N, N)> = ends.collect();
            reach = match reach {
                None => Some(ends),
                Some(known) if known.len() != ends.len() => return None,
                Some(known) => Some(
                    known
                        .iter()
                        .zip(&ends)
                        .map(|((a, b), (c, d))| (a.smaller(c), b.larger(d)))
                        .collect(),
                ),
            };
        }
        reach
    }

    /// What an iteration of the loop around a level touches of an array that the one before did not: its new rows,
    /// along the outermost dimension that grows or moves. `None` if there is nothing new, as far as that is known.
    pub fn fresh(&self, array: &ArrayPart, kind: Kind, level: usize) -> Reach<N> {
        if level == 0 {
            return None;
        }
        let mut now = self.reach(array, kind, level, Iteration::This)?;
        let before = self.reach(array, kind, level, Iteration::Before)?;
        for ((low, high), (from, to)) in now.iter_mut().zip(&before).rev() {
            if to.is_surely_at_least(high) && low.is_surely_at_least(from) {
                continue;
            }
            if high.is_surely_at_least(to) && !to.is_surely_at_least(high) {
                *low = low.larger(&to.shifted(1.0));
                return Some(now);
            }
            if from.is_surely_at_least(low) && !low.is_surely_at_least(from) {
                *high = high.smaller(&from.shifted(-1.0));
                return Some(now);
            }
        }
        None
    }
}

/// Share of a box that is in another one; all of it where one of them is not known.
pub fn share<N: Number>(own: &Reach<N>, others: &Reach<N>) -> N {
    let (Some(own), Some(others)) = (own, others) else {
        return N::of(1.0);
    };
    if own.len() != others.len() {
        return N::of(1.0);
    }
    own.iter()
        .zip(others)
        .fold(N::of(1.0), |share, ((low, high), (from, to))| {
            if low.is_surely_at_least(from) && to.is_surely_at_least(high) {
                return share;
            }
            let common = high
                .smaller(to)
                .minus(&low.larger(from))
                .shifted(1.0)
                .not_negative();
            let all = high.minus(low).shifted(1.0).larger(&N::of(1.0));
            share.times(&common.over(&all).smaller(&N::of(1.0)))
        })
}
