//! Which values do the loop variables take, while some of them stand still?
//!
//! Every count of lines asks this first. A loop is an interval between affine bounds of the loops around
//! ([`LoopRange`]); what is said of each variable is [`Given`]: free, at one value, or between two. The answer
//! is a [`Span`] for each: its ends and its number of values.
//!
//! ```text
//! for i = 1 .. 9         nothing said    i: 1 .. 9    j: 1 .. 9    over all i
//!   for j = i .. 9       i at 4          i: 4         j: 4 .. 9    6 values
//!                        j at 5          i: 1 .. 5    j: 5         a loop inside that stands still
//!                                                                  narrows those around it
//! ```
//!
//! Bounds are taken at the ends of the loops that move them, so a span is a box around the values. For a
//! triangle that box is too large; who counts with it cuts it into slices first (`reference`, and
//! [`Domain::coupled`] says when). The extremes of a function of several variables follow the bounds from the
//! innermost loop outwards ([`Domain::extremes`]), which is exact where bounds are affine.
//!
//! *Tiles*: a loop both of whose ends another one moves alike goes over the cells of that loop's tiles (`for ii
//! = 0 .. 99 step 16; for i = ii .. min(ii + 15, 99)`). What has to fit is a full tile, here 16; what is summed
//! over all tiles is the mean length, here 100/7 ([`Tiles`]).

use std::collections::BTreeSet;

use super::number::Number;

/// `Σ coefficient·variable + rest` over the loops of the nest, by their position from outside.
#[derive(Clone, Debug)]
pub struct Affine<N> {
    pub terms: Vec<(usize, f64)>,
    pub rest: N,
}

/// One loop: the variable runs from the largest of `lowers` to the smallest of `uppers`, in either
/// direction.
#[derive(Clone, Debug)]
pub struct LoopRange<N> {
    pub lowers: Vec<Affine<N>>,
    pub uppers: Vec<Affine<N>>,
    /// Absolute distance between iterations.
    pub step: N,
    /// The same, if it is a number in the source: what depends on it is decided once, for all values of
    /// the parameters.
    pub known_step: Option<f64>,
    /// Probability that the branches between this loop and the one around it are taken.
    pub entered: N,
    pub descending: bool,
    /// The loop around with which both ends move alike: this one runs over the cells of its tiles.
    pub tile_of: Option<usize>,
    /// Whether a loop inside has bounds that this one moves, other than as a tile.
    pub shapes_inner: bool,
    /// Whether it goes from tile to tile of the source.
    pub holds_tiles: bool,
    /// Values with which parts of its range begin, in their order: conditions lead some references to a part only, which may
    /// have no value.
    pub cuts: Vec<N>,
}

impl<N: Number> LoopRange<N> {
    /// The distance by which iterations move it: none where there is only one, as in a loop over blocks
    /// that is not blocked.
    pub fn moves(&self) -> N {
        let ([low], [high]) = (self.lowers.as_slice(), self.uppers.as_slice()) else {
            return self.step.clone();
        };
        if !low.terms.is_empty() || !high.terms.is_empty() {
            return self.step.clone();
        }
        let trip = high.rest.minus(&low.rest).shifted(1.0);
        trip.if_at_most(&self.step, &N::of(0.0), &self.step)
    }
}

/// What is said of one variable.
#[derive(Clone, Debug)]
pub enum Given<N> {
    /// Takes all its values.
    Free,
    /// Stands still.
    At(N),
    /// Stands still at one value of a part that conditions tell apart, from one to another.
    AtOf(N, (N, N)),
    /// Takes the values between two, both included.
    Between(N, N),
    /// The same of a condition that always leaves these of all its values, whatever others are.
    Within(N, N),
}

impl<N> Given<N> {
    /// Where it stands still.
    pub fn place(&self) -> Option<&N> {
        match self {
            Given::At(place) | Given::AtOf(place, _) => Some(place),
            Given::Free | Given::Between(..) | Given::Within(..) => None,
        }
    }
}

/// A loop that shifts what others walk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shear {
    pub variable: usize,
    /// Whether it walks along the rows as well.
    pub along: bool,
}

/// The values that a variable takes.
#[derive(Clone, Debug)]
pub struct Span<N> {
    pub low: N,
    pub high: N,
    /// Number of values.
    pub count: N,
    pub stands: bool,
}

/// How partial tiles count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tiles {
    /// The mean length: for what is summed over all tiles.
    Mean,
    /// A full one: for what has to fit.
    Full,
}

/// The iteration domain of a nest.
#[derive(Clone, Debug)]
pub struct Domain<N> {
    pub loops: Vec<LoopRange<N>>,
}

impl<N: Number> Affine<N> {
    pub fn coefficient(&self, variable: usize) -> f64 {
        self.terms
            .iter()
            .find(|(v, _)| *v == variable)
            .map_or(0.0, |(_, c)| *c)
    }

    /// Without another one.
    pub fn less(&self, other: &Affine<N>) -> Affine<N> {
        let mut terms = self.terms.clone();
        for (variable, by) in &other.terms {
            match terms.iter_mut().find(|(known, _)| known == variable) {
                Some((_, known)) => *known -= by,
                None => terms.push((*variable, -by)),
            }
        }
        terms.retain(|(_, by)| *by != 0.0);
        Affine {
            terms,
            rest: self.rest.minus(&other.rest),
        }
    }

    /// The extreme value over the spans: the largest if `largest`.
    pub fn extreme(&self, spans: &[Span<N>], largest: bool) -> N {
        self.terms
            .iter()
            .fold(self.rest.clone(), |total, (variable, coefficient)| {
                let span = &spans[*variable];
                let end = if (*coefficient > 0.0) == largest {
                    &span.high
                } else {
                    &span.low
                };
                total.plus(&end.scaled(*coefficient))
            })
    }
}

fn largest_of<N: Number>(values: impl Iterator<Item = N>) -> Option<N> {
    values.reduce(|a, b| a.larger(&b))
}

fn smallest<N: Number>(values: impl Iterator<Item = N>) -> Option<N> {
    values.reduce(|a, b| a.smaller(&b))
}

/// Combinations of bounds, where loops have several of them, at whose ends a function is taken.
const MOST_ENDS: usize = 64;
/// Loops of a chain, from the outermost on, whose iterations in a tile are followed whatever their bounds are.
const MOST_TILED: usize = 10;
/// Of loops further in, those are followed whose bounds depend on those of so few others,
const MOST_RELATED: usize = 5;
/// in chains of so many loops at most.
const MOST_LOOPS: usize = 24;

impl<N: Number> Domain<N> {
    /// The values that every variable takes, given what is said of some. Variables that are not inside
    /// of a variable that stands still are narrowed by the bounds that mention them.
    pub fn spans(&self, given: &[Given<N>], tiles: Tiles) -> Vec<Span<N>> {
        self.spans_of(self.loops.len(), given, tiles)
    }

    /// That of one variable, as in [`Domain::spans`] with full tiles.
    pub fn span_of(&self, variable: usize, given: &[Given<N>]) -> Span<N> {
        self.spans_of(variable + 1, given, Tiles::Full)
            .swap_remove(variable)
    }

    /// Those of the outermost variables.
    fn spans_of(&self, variables: usize, given: &[Given<N>], tiles: Tiles) -> Vec<Span<N>> {
        let mut spans: Vec<Span<N>> = Vec::with_capacity(variables);
        for (position, range) in self.loops[..variables].iter().enumerate() {
            let span = match &given[position] {
                Given::At(value) | Given::AtOf(value, _) => Span {
                    low: value.clone(),
                    high: value.clone(),
                    count: N::of(1.0),
                    stands: true,
                },
                said => self.span(position, range, said, given, &spans, tiles),
            };
            spans.push(span);
        }
        spans
    }

    fn span(
        &self,
        position: usize,
        range: &LoopRange<N>,
        said: &Given<N>,
        given: &[Given<N>],
        spans: &[Span<N>],
        tiles: Tiles,
    ) -> Span<N> {
        let mut low = largest_of(range.lowers.iter().map(|bound| bound.extreme(spans, false)));
        let mut high = smallest(range.uppers.iter().map(|bound| bound.extreme(spans, true)));
        if let Given::Between(from, to) | Given::Within(from, to) = said {
            (low, high) = (Some(from.clone()), Some(to.clone()));
        }
        let (mut low, mut high) = (low.unwrap_or(N::of(0.0)), high.unwrap_or(N::of(0.0)));
        for (inner, limit) in self.limits(position, given, spans) {
            (low, high) = if inner {
                (low.larger(&limit), high)
            } else {
                (low, high.smaller(&limit))
            };
        }
        if let Some(tile) = range.tile_of
            && spans[tile].stands
            && matches!(said, Given::Free)
            // Tiles of tiles of tiles … take time that doubles with each.
            && (position < MOST_TILED || self.loops.len() <= MOST_LOOPS)
            && let related = self.related(position)
            && (position < MOST_TILED || related.len() <= MOST_RELATED)
        {
            let count = self.tile((position, tile, &related), given, spans, tiles);
            high = low.plus(&count.shifted(-1.0).times(&range.step));
            return Span {
                low,
                high,
                count,
                stands: false,
            };
        }
        let count = high.minus(&low);
        let count = match range.known_step {
            Some(1.0) => count.shifted(1.0),
            _ => count.over(&range.step).floor().shifted(1.0),
        };
        // Tiles end with the last one that begins inside of the range.
        if range.holds_tiles {
            let all = count.shifted(-1.0).times(&range.step);
            (low, high) = match range.descending {
                true => (high.minus(&all), high),
                false => (low.clone(), low.plus(&all)),
            };
        }
        Span {
            low,
            high,
            count: count.not_negative(),
            stands: false,
        }
    }

    /// Iterations of the loop over the cells of a tile: of a full one, or on average if the last one is
    /// smaller. Where tiles overlap, each is a full one.
    fn tile(
        &self,
        (position, tile, related): (usize, usize, &BTreeSet<usize>),
        given: &[Given<N>],
        spans: &[Span<N>],
        tiles: Tiles,
    ) -> N {
        let range = &self.loops[position];
        // What others do makes no difference.
        let of = |v: usize| match related.contains(&v) {
            _ if v == tile || v == position => Given::Free,
            true => given[v].clone(),
            false => Given::At(N::of(0.0)),
        };
        let free: Vec<Given<N>> = (0..=position).map(of).collect();
        let inner = Domain {
            loops: self.loops[..=position].to_vec(),
        };
        let all = inner.spans(&free, Tiles::Full);
        let slope = range.lowers[0].coefficient(tile);
        let end = range
            .uppers
            .iter()
            .find(|upper| upper.coefficient(tile) == slope)
            .unwrap_or(&range.uppers[0]);
        let length = end
            .extreme(spans, true)
            .minus(&range.lowers[0].extreme(spans, false));
        let length = match range.known_step {
            Some(1.0) => length.shifted(1.0),
            _ => length.over(&range.step).floor().shifted(1.0),
        };
        let full = length.smaller(&all[position].count).not_negative();
        if tiles == Tiles::Full {
            return full;
        }
        let mean = all[position]
            .count
            .over(&all[tile].count.larger(&N::of(1.0)));
        let apart = self.loops[tile].step.scaled(slope.abs());
        full.times(&range.step).if_at_most(&apart, &mean, &full)
    }

    /// The loops up to one whose bounds depend on each other's variables, as its own do.
    fn related(&self, position: usize) -> BTreeSet<usize> {
        let mentions = |v: usize, outer: usize| {
            let range = &self.loops[v];
            let mut bounds = range.lowers.iter().chain(&range.uppers);
            bounds.any(|bound| bound.coefficient(outer) != 0.0)
        };
        let mut found = BTreeSet::from([position]);
        let mut next = vec![position];
        while let Some(v) = next.pop() {
            let others = (0..=position).filter(|other| mentions(v, *other) || mentions(*other, v));
            next.extend(others.filter(|other| found.insert(*other)));
        }
        found
    }

    /// The value of a variable at the middle of the part `q` of `parts` of its span.
    pub fn middle(&self, variable: usize, span: &Span<N>, q: usize, parts: usize) -> N {
        let share = (q as f64 + 0.5) / parts as f64;
        // Values from the first to the last stand for half a step more at both ends.
        match self.loops[variable].known_step {
            Some(1.0) => {
                let all = span.high.minus(&span.low).shifted(1.0);
                span.low.plus(&all.scaled(share)).shifted(-0.5)
            }
            _ => {
                let steps = span.count.scaled(share).shifted(-0.5);
                span.low.plus(&steps.times(&self.loops[variable].step))
            }
        }
    }

    /// Limits on a variable from the bounds of loops inside that stand still: (is a lower one, value).
    fn limits(&self, position: usize, given: &[Given<N>], spans: &[Span<N>]) -> Vec<(bool, N)> {
        let mut found = Vec::new();
        for (other, range) in self.loops.iter().enumerate().skip(position + 1) {
            let Some(value) = given[other].place() else {
                continue;
            };
            let bounds = range
                .lowers
                .iter()
                .map(|b| (b, true))
                .chain(range.uppers.iter().map(|b| (b, false)));
            for (bound, is_lower) in bounds {
                let coefficient = bound.coefficient(position);
                let known = |v: usize| v == position || v < spans.len();
                if coefficient == 0.0
                    || !bound.terms.iter().all(|(v, _)| known(*v))
                    || range.tile_of == Some(position)
                {
                    continue;
                }
                // value ≥ coefficient·x + rest for a lower bound, ≤ for an upper one.
                let terms = bound
                    .terms
                    .iter()
                    .filter(|(v, _)| *v != position)
                    .copied()
                    .collect();
                let rest = Affine {
                    terms,
                    rest: bound.rest.clone(),
                }
                .extreme(spans, !is_lower);
                let limit = value.minus(&rest).scaled(1.0 / coefficient);
                found.push(((coefficient > 0.0) != is_lower, limit));
            }
        }
        found
    }

    /// The smallest and largest value of an affine function, as far as going to the ends of the loops from
    /// inside shows them.
    pub fn extremes(&self, function: &Affine<N>, spans: &[Span<N>], given: &[Given<N>]) -> (N, N) {
        let end = |largest| self.extreme(function, spans, given, largest, MOST_ENDS);
        (end(false), end(true))
    }

    /// Of several bounds of a loop any is a limit; no more than `most` combinations of them are followed.
    fn extreme(
        &self,
        function: &Affine<N>,
        spans: &[Span<N>],
        given: &[Given<N>],
        largest: bool,
        most: usize,
    ) -> N {
        let moving = function
            .terms
            .iter()
            .filter(|(v, _)| matches!(given[*v], Given::Free));
        let Some((variable, coefficient)) = moving.copied().max_by_key(|(v, _)| *v) else {
            return function.extreme(spans, largest);
        };
        let range = &self.loops[variable];
        let at_upper = (coefficient > 0.0) == largest;
        let ends = if at_upper {
            &range.uppers
        } else {
            &range.lowers
        };
        let followed = ends.len().min(most).max(1);
        let values = ends.iter().take(followed).map(|end| {
            let mut terms: Vec<(usize, f64)> = function
                .terms
                .iter()
                .copied()
                .filter(|(v, _)| *v != variable)
                .collect();
            for (outer, by) in &end.terms {
                match terms.iter_mut().find(|(v, _)| v == outer) {
                    Some((_, known)) => *known += by * coefficient,
                    None => terms.push((*outer, by * coefficient)),
                }
            }
            terms.retain(|(_, c)| *c != 0.0);
            let rest = function.rest.plus(&end.rest.scaled(coefficient));
            self.extreme(
                &Affine { terms, rest },
                spans,
                given,
                largest,
                most / followed,
            )
        });
        let found = if largest {
            smallest(values)
        } else {
            largest_of(values)
        };
        found.unwrap_or(function.rest.clone())
    }

    /// Whether a loop goes over the blocks of another one that parameters block.
    pub fn is_over_blocks(&self, variable: usize) -> bool {
        let range = &self.loops[variable];
        !range.holds_tiles
            && range.known_step.is_none()
            && self
                .loops
                .iter()
                .any(|inner| inner.tile_of == Some(variable))
    }

    /// The loop whose range a loop goes through: itself, or the one over whose blocks it goes.
    pub fn range_of(&self, variable: usize) -> usize {
        let mut inner = variable + 1..self.loops.len();
        let in_blocks = |v: &usize| self.loops[*v].tile_of == Some(variable);
        match self.is_over_blocks(variable) {
            true => inner.find(in_blocks).unwrap_or(variable),
            false => variable,
        }
    }

    /// Whether a loop goes by one through values that are always the same, blocks apart.
    pub fn is_fixed(&self, variable: usize) -> bool {
        let range = &self.loops[variable];
        let is_over_blocks =
            |outer: usize| range.tile_of == Some(outer) && self.is_over_blocks(outer);
        let mut bounds = range.lowers.iter().chain(&range.uppers);
        range.known_step == Some(1.0)
            && bounds.all(|bound| bound.terms.iter().all(|(outer, _)| is_over_blocks(*outer)))
    }

    /// Whether the range of one of two variables depends on the other, tiles apart.
    pub fn coupled(&self, a: usize, b: usize) -> bool {
        let (outer, inner) = (a.min(b), a.max(b));
        let range = &self.loops[inner];
        range.tile_of != Some(outer)
            && range
                .lowers
                .iter()
                .chain(&range.uppers)
                .any(|bound| bound.coefficient(outer) != 0.0)
    }

    /// Sets `tile_of` and `shapes_inner` from the bounds.
    pub fn relate(&mut self) {
        for inner in 0..self.loops.len() {
            let range = &self.loops[inner];
            let moved = |outer: &usize| {
                let slope = |bounds: &[Affine<N>]| {
                    bounds
                        .iter()
                        .map(|b| b.coefficient(*outer))
                        .find(|c| *c != 0.0)
                };
                let every_lower = range.lowers.iter().all(|b| b.coefficient(*outer) != 0.0);
                every_lower
                    && slope(&range.lowers).is_some()
                    && slope(&range.lowers) == slope(&range.uppers)
            };
            self.loops[inner].tile_of = (0..inner).rev().find(moved);
        }
        for outer in 0..self.loops.len() {
            let shapes = (outer + 1..self.loops.len()).any(|inner| self.coupled(outer, inner));
            let holds = self.loops.iter().any(|inner| inner.tile_of == Some(outer));
            let range = &mut self.loops[outer];
            range.shapes_inner = shapes;
            range.holds_tiles = holds && range.known_step != Some(1.0);
        }
    }
}
