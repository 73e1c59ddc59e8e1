//! How many distinct cache lines does one reference touch, while some loops stand still?
//!
//! A [`Reference`] is a stream of the nest as its addresses have it: for every dimension, the contiguous one
//! first, the loops that move along it, where it begins, and the elements from one position to the next.
//!
//! ```text
//! b[i][j - 1], b[i][j] of double b[n][m], loops i (0) and j (1)
//!
//! dimensions  [ [(1, 1)], [(0, 1)] ]     j moves along the row, i from row to row
//! pitches     [ 1, m ]                   elements from one position to the next
//! offsets     [ [-1, 0], [0, 0] ]
//! ```
//!
//! [`Lines::of`] takes it apart, each step leaving a simpler question to the next one:
//!
//! 1. Only some iterations come to it: `guarded` narrows their loops and asks again.
//! 2. A subscript is data: every access touches a share of a line, never more than the array has.
//! 3. The range of one dimension depends on the place along another, as in a triangle or between tiles: the sum
//!    over six slices, in each of which it does not ([`Lines::sliced`]).
//! 4. What is left are boxes: `footprint` says how many rows of which length the shifted boxes have in common,
//!    `rows` the lines of each ([`Lines::boxed`]).
//! 5. Rows share the lines at their ends, or lie so close that nothing is left out between them (`runs`).
//!
//! Whether a line that one row leaves in part is still there for the next one depends on the order ([`Rows`]):
//!
//! ```text
//! for i, for j: a[i][j]          OneAfterAnother   the end of a row and the start of the next are one line
//! for j, for i: a[i][j]          SideBySide        a whole sweep of i lies in between
//! for i, for k, for j: a[i][j]   Scattered(i)      only while i moves
//! ```
//!
//! Assumptions (guide: static-model, "The refined rule: lines"): an array with known extents begins a line; an
//! unknown stride is longer than any line ([`LONG_STRIDE`]). Which offsets are asked about is up to `overlap`
//! and `groups`; what the counts are for, to `reuse`.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::anywhere;
use super::domain::{Affine, Domain, Given, Shear, Span, Tiles};
use super::number::Number;
use super::records::{self, Records};
use super::rows::Row;
use super::steps::{About, NameStep, Names, if_long};
use super::taken::Taken;
use crate::catalogue::StaticFigure;
use crate::footprint::{self, Columns, Walk};

/// A stride that is not a known number, taken to be longer than any cache line.
pub const LONG_STRIDE: f64 = (1u64 << 40) as f64;

/// Points at which a loop is taken that shapes the footprint of others.
const SLICES: usize = 6;

/// One stream of the model with what its addresses need.
#[derive(Clone, Debug)]
pub struct Reference<N> {
    /// References to the same array have the same number.
    pub array: usize,
    /// Bytes of an element.
    pub width: f64,
    /// Number of loops around its statement.
    pub level: usize,
    /// In storage order: loops that move along the dimension with their coefficients.
    pub dimensions: Vec<Vec<(usize, f64)>>,
    /// Elements by which the one loop along the contiguous dimension moves, where a parameter says it.
    pub stride: Option<N>,
    /// Position along every dimension, counted from its first element, less what the loops add.
    pub bases: Vec<N>,
    /// Elements from one position to the next, where known.
    pub pitches: Vec<Option<N>>,
    pub offsets: Vec<Vec<i64>>,
    pub written: Vec<Vec<i64>>,
    /// Whether what it writes is not read before.
    pub is_written_first: bool,
    /// What it is if data choose some subscript.
    pub gathered: Option<Gathered<N>>,
    /// Bytes of the whole array, where known.
    pub whole: Option<N>,
    /// Elements of which it is not known how many times as many lie before it: those of a component, where a symbol says
    /// which one it is.
    pub multiple: Option<N>,
    /// Elements between one row and the next, where each begins behind the one before it, however long that is.
    pub packed: Option<f64>,
    /// Whether it has three dimensions, and the planes of the first two are a few lines each.
    pub has_small_planes: bool,
    /// In which iterations it is referred to,
    pub condition: Condition<N>,
    /// and written to, if these are not the same.
    pub writing: Option<Condition<N>>,
    /// How often the branches around it are taken; `None` where it is in none.
    pub taken: Option<Taken<N>>,
    /// The same of what it writes.
    pub writes: Option<Taken<N>>,
}

/// Lines of one place that data choose, and of all that they may choose from.
pub struct Possible<N> {
    pub of_place: N,
    pub all: N,
}

/// Elements that data choose: places that lie anywhere, with what is subscripted inside of each.
#[derive(Clone, Debug)]
pub struct Gathered<N> {
    /// Lines that are taken for each line of a place.
    pub lines: N,
    /// How many places there are, where that is known, and bytes from one to the next.
    pub places: Option<N>,
    pub apart: N,
    /// Of the dimensions, so many at the end are none of the array: along each goes one of the loops that lead to another place.
    pub chosen: usize,
}

/// Iterations in which something happens: all of them where nothing is said.
#[derive(Clone, Debug)]
pub struct Condition<N> {
    /// Ranges of loops outside of which it does not.
    pub guards: Vec<Guarded<N>>,
    /// Ranges within all of which it does not: `if (i == 0 || j == 0)` leaves out those from 1 on of both.
    pub hole: Vec<Guarded<N>>,
}

impl<N> Condition<N> {
    pub fn always() -> Condition<N> {
        Condition {
            guards: Vec::new(),
            hole: Vec::new(),
        }
    }

    pub fn is_always(&self) -> bool {
        self.guards.is_empty() && self.hole.is_empty()
    }

    /// All ranges that it asks for.
    pub fn ranges(&self) -> impl Iterator<Item = &Guarded<N>> {
        self.guards.iter().chain(&self.hole)
    }

    pub fn map<M>(&self, range: &dyn Fn(&Guarded<N>) -> Guarded<M>) -> Condition<M> {
        Condition {
            guards: self.guards.iter().map(range).collect(),
            hole: self.hole.iter().map(range).collect(),
        }
    }
}

/// Values of a loop, as far as they are not those of the loop itself.
#[derive(Clone, Debug)]
pub struct Guarded<N> {
    pub variable: usize,
    pub lower: Option<Affine<N>>,
    pub upper: Option<Affine<N>>,
}

/// How the loops come from one row of an array to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rows {
    /// They do not, or not by one.
    Apart,
    /// The whole row is walked before the next one.
    OneAfterAnother,
    /// All rows are walked at once, one element of each at a time.
    SideBySide,
    /// The loop that moves on to the next row, with others between it and those along the row.
    Scattered(usize),
}

/// Whether a line that one row leaves in part counts for the next one as well.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Adjacent {
    Never,
    /// Only if rows are shorter than a line, so that all that is in it is touched in turn.
    WithinLines,
    Always,
}

/// Where lines are counted: the domain, and bytes of a line.
pub struct Lines<'a, N> {
    pub domain: &'a Domain<N>,
    pub line: N,
    /// First value of every variable.
    pub origin: Vec<N>,
    /// Gives a result a cell of its own, where formulas are made.
    pub name: NameStep<'a, N>,
    pub names: &'a Names,
}

impl<N> Reference<N> {
    /// The ranges of loops that decide whether it is referred to, or written to.
    pub fn ranges(&self) -> impl Iterator<Item = &Guarded<N>> {
        let writing = self.writing.iter().flat_map(Condition::ranges);
        self.condition.ranges().chain(writing)
    }

    pub fn ranges_mut(&mut self) -> impl Iterator<Item = &mut Guarded<N>> {
        let conditions = [&mut self.condition].into_iter().chain(&mut self.writing);
        conditions.flat_map(|condition| condition.guards.iter_mut().chain(&mut condition.hole))
    }

    /// In which iterations it is written to.
    pub fn writing(&self) -> &Condition<N> {
        self.writing.as_ref().unwrap_or(&self.condition)
    }
}

impl<N> Reference<N> {
    /// How many of its dimensions are those of the array, the first ones.
    pub fn of_array(&self) -> usize {
        let chosen = self.gathered.as_ref().map_or(0, |data| data.chosen);
        self.dimensions.len() - chosen
    }

    /// The loops that lead to other places which data choose.
    pub fn chosen_by(&self) -> impl Iterator<Item = usize> {
        let chosen = self.dimensions[self.of_array()..].iter().flatten();
        chosen.map(|(v, _)| *v)
    }

    /// How many of the loops, from the outermost on, hold all of these.
    pub fn chosen_within(&self) -> usize {
        self.chosen_by().map(|v| v + 1).max().unwrap_or(0)
    }
}

impl<N: Number> Reference<N> {
    /// Its position along a dimension, offsets apart.
    pub fn place(&self, d: usize) -> Affine<N> {
        Affine {
            terms: self.dimensions[d].clone(),
            rest: self.bases[d].clone(),
        }
    }

    /// The dimension along which a loop is taken to walk the reference. One that moves along several walks a diagonal: a
    /// step is another row. Where others move along one of them as well, it only shifts that.
    fn owner(&self, v: usize, shear: Option<Shear>, spans: &[Span<N>]) -> Option<usize> {
        match shear {
            Some(shear) if shear.variable == v => shear.along.then_some(0),
            _ => self.own(v, spans),
        }
    }

    /// Offsets from the diagonal that a loop walks, row by row: in `a[i + 9][i]`, row r has column r − 9.
    fn in_rows_of_diagonals<'o>(
        &self,
        offsets: &'o [Vec<i64>],
        spans: &[Span<N>],
    ) -> Cow<'o, [Vec<i64>]> {
        let mut turned = Cow::Borrowed(offsets);
        if offsets.len() < 2 || self.dimensions.len() < 2 {
            return turned;
        }
        let free = |d: usize| {
            let terms = self.dimensions[d].iter();
            terms.filter(|(v, _)| !spans[*v].stands).copied()
        };
        for d in 1..self.dimensions.len() {
            let across: Vec<(usize, f64)> = free(d).collect();
            let [(v, by)] = across[..] else { continue };
            let Some((_, along)) = free(0).find(|(w, _)| *w == v) else {
                continue;
            };
            let shift = |offset: i64| along * offset as f64 / by;
            let is_whole = |offset: &Vec<i64>| shift(offset[d]).fract() == 0.0;
            let is_walked = self.owner(v, self.shear(spans), spans) == Some(d);
            if is_walked && along.abs() < LONG_STRIDE && turned.iter().all(is_whole) {
                let first = turned.iter().map(|offset| offset[d]).min().unwrap_or(0);
                for offset in turned.to_mut() {
                    offset[0] -= shift(offset[d] - first) as i64;
                }
            }
        }
        turned
    }

    /// The loops from `level` on that move the reference, with their dimension; more than once where a
    /// loop moves along several.
    fn walked(&self, spans: &[Span<impl Number>]) -> Vec<(usize, usize)> {
        let of = |(d, terms): (usize, &Vec<(usize, f64)>)| {
            terms
                .iter()
                .filter(|(v, _)| !spans[*v].stands)
                .map(|(v, _)| (*v, d))
                .collect::<Vec<_>>()
        };
        self.dimensions.iter().enumerate().flat_map(of).collect()
    }
}

impl<N: Number> Lines<'_, N> {
    /// Distinct lines that the reference touches at the given offsets while variables take what is
    /// given. A line that the end of one row shares with the start of the next counts once if rows are
    /// walked one after another, or if `sides` says so.
    pub fn of(
        &self,
        reference: &Reference<N>,
        (offsets, row): (&[Vec<i64>], Option<&(N, N)>),
        given: &[Given<N>],
        tiles: Tiles,
        sides: bool,
    ) -> N {
        if offsets.is_empty() {
            return N::of(0.0);
        }
        if !reference.condition.is_always() {
            return self.guarded(reference, (offsets, row), given, tiles, sides);
        }
        let spans = self.spans(given, tiles);
        let about = about(reference, &spans);
        let fewest = fewest(reference, offsets, &spans);
        let adjacent = match self.rows(reference) {
            Rows::Apart => Adjacent::Never,
            _ if !self.are_all_rows(reference, offsets) => Adjacent::Never,
            _ if self.is_left_for_other_planes(reference, &spans) => Adjacent::Never,
            Rows::OneAfterAnother => Adjacent::Always,
            Rows::Scattered(walker) if spans[walker].stands => Adjacent::Never,
            Rows::Scattered(_) => Adjacent::Always,
            // One element of each row is all that is walked.
            Rows::SideBySide
                if sides
                    || reference.dimensions[0]
                        .iter()
                        .all(|(v, _)| spans[*v].stands) =>
            {
                Adjacent::Always
            }
            Rows::SideBySide => Adjacent::WithinLines,
        };
        if let Some((start, length)) = row {
            let mut along = reference.clone();
            along.dimensions[0].clear();
            along.bases[0] = start.clone();
            return (self.name)(
                self.names.step(StaticFigure::Lines, about),
                self.boxed(&along, offsets, &spans, given, adjacent, Some(length)),
            );
        }
        let mut lines = self.sliced(reference, offsets, given, tiles, adjacent, spans);
        if let Some(gathered) = &reference.gathered {
            lines = lines.times(&gathered.lines);
            let possible = self.possible(reference, offsets, given, tiles, adjacent);
            if let Some(Possible { of_place, all }) = possible {
                lines = anywhere::distinct(&lines, &of_place, &all);
            }
        }
        let none = N::of(0.0);
        (self.name)(
            self.names.step(StaticFigure::Lines, about),
            fewest.map_or(lines.clone(), |fewest| {
                fewest.if_at_most(&none, &none, &lines)
            }),
        )
    }

    /// The lines that places which data choose come from, with loops that choose none as given; `None` where they may be any.
    pub fn possible(
        &self,
        reference: &Reference<N>,
        offsets: &[Vec<i64>],
        given: &[Given<N>],
        tiles: Tiles,
        adjacent: Adjacent,
    ) -> Option<Possible<N>> {
        let (gathered, whole) = (reference.gathered.as_ref()?, reference.whole.as_ref()?);
        let places = gathered.places.as_ref()?;
        let moves =
            |level: &usize| self.is_chosen_at(reference, *level) && given[*level].place().is_none();
        let given = self.standing(given, (0..reference.chosen_within()).filter(moves));
        let spans = self.spans(&given, tiles);
        let of_place = self.sliced(reference, offsets, &given, tiles, adjacent, spans);
        let about = About::Array(reference.array, None);
        let of_place = (self.name)(
            self.names.step(StaticFigure::LinesOfPlace, about),
            of_place.times(&gathered.lines),
        );
        let apart = gathered.apart.over(&self.line).smaller(&N::of(1.0));
        let all = of_place.times(places).times(&apart);
        let all = all.smaller(&whole.over(&self.line));
        Some(Possible { of_place, all })
    }

    /// Whether a loop, or one over its tiles, leads to other places that data choose.
    pub fn is_chosen_at(&self, reference: &Reference<N>, level: usize) -> bool {
        let of_tile = |v: usize| self.domain.loops[v].tile_of == Some(level);
        reference.chosen_by().any(|v| v == level || of_tile(v))
    }

    /// The same with these loops, from the outside in, in the middle of their ranges.
    pub fn standing(
        &self,
        given: &[Given<N>],
        levels: impl Iterator<Item = usize>,
    ) -> Vec<Given<N>> {
        let mut given = given.to_vec();
        for level in levels {
            let span = self.spans(&given, Tiles::Full).swap_remove(level);
            given[level] = self.in_the_middle(level, &span);
        }
        given
    }

    /// A loop in the middle of its range.
    pub fn in_the_middle(&self, level: usize, span: &Span<N>) -> Given<N> {
        let place = self.names.step(StaticFigure::Place, About::Loop(level));
        Given::At((self.name)(place, self.domain.middle(level, span, 0, 1)))
    }

    /// The values that every variable takes, long ends and numbers in cells of their own.
    pub fn spans(&self, given: &[Given<N>], tiles: Tiles) -> Vec<Span<N>> {
        let mut spans = self.domain.spans(given, tiles);
        for (v, span) in spans
            .iter_mut()
            .enumerate()
            .filter(|(_, span)| !span.stands)
        {
            let named = [
                (StaticFigure::LoopValues, &mut span.count),
                (StaticFigure::FirstValue, &mut span.low),
                (StaticFigure::LastValue, &mut span.high),
            ];
            for (kind, value) in named {
                let step = self.names.step(kind, About::Loop(v));
                *value = if_long(self.name, step, value.clone());
            }
        }
        spans
    }

    /// How the loops come from one row to the next.
    pub fn rows(&self, reference: &Reference<N>) -> Rows {
        let [row, ..] = reference.dimensions.as_slice() else {
            return Rows::Apart;
        };
        let Some((walker, _)) = self.walker(reference) else {
            return Rows::Apart;
        };
        match row.iter().map(|(v, _)| *v).min() {
            Some(first) if walker + 1 == first => Rows::OneAfterAnother,
            None => Rows::OneAfterAnother,
            Some(first) if walker > first => Rows::SideBySide,
            Some(_) => Rows::Scattered(walker),
        }
    }

    /// Whether the loop that goes from row to row stands still, while one inside of it goes through planes: the next row comes
    /// when all of these have been touched.
    fn is_left_for_other_planes(&self, reference: &Reference<N>, spans: &[Span<N>]) -> bool {
        let Some((walker, _)) = self.walker(reference) else {
            return false;
        };
        let mut planes = reference.dimensions[2..].iter().flatten();
        spans[walker].stands && planes.any(|(v, _)| *v > walker && !spans[*v].stands)
    }

    /// The loop that goes from row to row, one by one or by a step that a parameter says, with that step.
    pub fn walker(&self, reference: &Reference<N>) -> Option<(usize, Option<N>)> {
        let moved = |(v, by): &(usize, f64)| match self.domain.loops[*v].known_step {
            Some(step) => are_all(&reference.offsets, (step * by).abs()),
            None => by.abs() == 1.0,
        };
        let step = |v: usize| {
            let range = &self.domain.loops[v];
            range.known_step.is_none().then(|| range.step.clone())
        };
        let across = reference.dimensions[..reference.of_array()].get(1)?.iter();
        let walkers = across.filter(|term| moved(term)).map(|(v, _)| *v);
        walkers.max().map(|v| (v, step(v)))
    }

    /// Whether elements with these offsets go to each row, where a loop goes on by several rows: both of a pair of rows.
    fn are_all_rows(&self, reference: &Reference<N>, offsets: &[Vec<i64>]) -> bool {
        let walker = self.walker(reference).map(|(v, _)| v);
        let terms = reference.dimensions.get(1).into_iter().flatten();
        let mut own = terms.filter(|(v, _)| Some(*v) == walker);
        own.all(|(v, by)| {
            let step = self.domain.loops[*v].known_step;
            step.is_none_or(|step| are_all(offsets, (step * by).abs()))
        })
    }

    /// Where the range of one dimension depends on the place along another, the sum over slices.
    fn sliced(
        &self,
        reference: &Reference<N>,
        offsets: &[Vec<i64>],
        given: &[Given<N>],
        tiles: Tiles,
        adjacent: Adjacent,
        spans: Vec<Span<N>>,
    ) -> N {
        let walked = reference.walked(&spans);
        let along = |v: usize| {
            walked
                .iter()
                .filter(move |(other, _)| *other == v)
                .map(|(_, at)| *at)
        };
        let others = |v: usize, d: usize| {
            walked
                .iter()
                .filter(move |(other, at)| *at == d && *other != v)
                .count()
        };
        // It may shift other dimensions as well, as in a wavefront.
        let alone =
            |v: usize, d: usize| others(v, d) == 0 && along(v).all(|e| e == d || others(v, e) > 0);
        // Along the contiguous dimension, neighbouring slices are to be in different lines.
        let apart = |v: usize, d: usize| {
            let by = |(w, c): &&(usize, f64)| {
                *w == v && (records::WITHIN..LONG_STRIDE).contains(&self.stride(&(*w, *c)))
            };
            d > 0 || reference.dimensions[0].iter().any(|term| by(&term))
        };
        let slicing = walked.iter().copied().find(|(v, d)| {
            let coupled = || {
                walked
                    .iter()
                    .any(|(u, e)| e != d && self.domain.coupled(*u, *v))
            };
            apart(*v, *d) && alone(*v, *d) && coupled()
        });
        let Some((variable, dimension)) = slicing else {
            if let Some(tile) = self.tile_slicing(&walked, offsets, &spans) {
                let each = spans[tile].count.scaled(1.0 / SLICES as f64);
                return self
                    .in_slices(
                        reference,
                        offsets,
                        (tile, &spans[tile]),
                        given,
                        tiles,
                        adjacent,
                    )
                    .times(&each);
            }
            return self.boxed(reference, offsets, &spans, given, adjacent, None);
        };
        let by = |d: usize| {
            reference.dimensions[d]
                .iter()
                .find(|(v, _)| *v == variable)
                .map_or(0.0, |(_, c)| *c)
        };
        let stride = self.stride(&(variable, by(dimension))).max(1.0) as i64;
        let values: Vec<i64> = offsets
            .iter()
            .map(|o| o[dimension].div_euclid(stride))
            .collect();
        let reach = values.iter().max().unwrap_or(&0) - values.iter().min().unwrap_or(&0);
        let mut flat: Vec<Vec<i64>> = offsets.to_vec();
        // In the same slice, a neighbour's iteration is another one, and so is its place along other dimensions.
        for (offset, iterations) in flat.iter_mut().zip(values) {
            let shift = (iterations.saturating_mul(stride)) as f64 / by(dimension);
            for d in (0..offset.len()).filter(|d| *d != dimension) {
                offset[d] = offset[d].saturating_sub((by(d) * shift) as i64);
            }
            offset[dimension] = offset[dimension].rem_euclid(stride);
        }
        // Neighbours that have become the same place in the slice count once.
        flat.sort_unstable();
        flat.dedup();
        let span = &spans[variable];
        let each = span.count.shifted(reach as f64).scaled(1.0 / SLICES as f64);
        let none = N::of(0.0);
        let each = if reach > 0 {
            span.count.if_at_most(&none, &none, &each)
        } else {
            each
        };
        self.in_slices(reference, &flat, (variable, span), given, tiles, adjacent)
            .times(&each)
    }

    /// The sum over places of a loop.
    fn in_slices(
        &self,
        reference: &Reference<N>,
        offsets: &[Vec<i64>],
        (variable, span): (usize, &Span<N>),
        given: &[Given<N>],
        tiles: Tiles,
        adjacent: Adjacent,
    ) -> N {
        N::sum((0..SLICES).map(|q| {
            let mut given = given.to_vec();
            given[variable] = Given::At((self.name)(
                self.names.step(StaticFigure::Place, About::Loop(variable)),
                self.domain.middle(variable, span, q, SLICES),
            ));
            let spans = self.spans(&given, tiles);
            self.sliced(reference, offsets, &given, tiles, adjacent, spans)
        }))
    }

    /// A loop over tiles that the tiles of another dimension depend on: tile by tile, they are as many as there are.
    fn tile_slicing(
        &self,
        walked: &[(usize, usize)],
        offsets: &[Vec<i64>],
        spans: &[Span<N>],
    ) -> Option<usize> {
        let loops = &self.domain.loops;
        let tile = |v: usize| {
            loops[v]
                .tile_of
                .filter(|t| !spans[*t].stands && walked.iter().all(|(w, _)| w != t))
        };
        let is_even = |d: usize| offsets.iter().all(|offset| offset[d] == offsets[0][d]);
        let outer = |(v, d): &(usize, usize)| tile(*v).filter(|_| *d > 0 && is_even(*d));
        walked.iter().filter_map(outer).find(|t| {
            walked
                .iter()
                .filter_map(|(u, _)| tile(*u))
                .any(|other| other != *t && self.domain.coupled(*t, other))
        })
    }

    /// Where all ranges are independent of each other: offsets further apart than the loops go along a dimension have nothing
    /// in common, the others are taken together.
    fn boxed(
        &self,
        reference: &Reference<N>,
        offsets: &[Vec<i64>],
        spans: &[Span<N>],
        given: &[Given<N>],
        adjacent: Adjacent,
        length: Option<&N>,
    ) -> N {
        let offsets = &reference.in_rows_of_diagonals(offsets, spans);
        let extents = self.extents(reference, spans, given, length);
        let of = |offsets: &[Vec<i64>]| {
            let extents = extents.as_slice();
            self.together(
                (reference, extents),
                offsets,
                spans,
                given,
                adjacent,
                length,
            )
        };
        in_parts(offsets, &extents, &of)
    }

    /// What loops walk along each dimension.
    fn extents(
        &self,
        reference: &Reference<N>,
        spans: &[Span<N>],
        given: &[Given<N>],
        length: Option<&N>,
    ) -> Vec<Extent<N>> {
        let shear = reference.shear(spans);
        let extent = |(d, terms): (usize, &Vec<(usize, f64)>)| {
            let terms: Vec<(usize, f64)> = terms
                .iter()
                .copied()
                .filter(|(v, _)| reference.owner(*v, shear, spans) == Some(d))
                .collect();
            let mut extent = self.extent(&terms, spans, given);
            if d == 0 {
                self.set_records(&mut extent, &terms, spans, given);
                self.set_stride(&mut extent, reference, spans);
            } else {
                self.leave_gaps(&mut extent, &terms, spans);
            }
            extent
        };
        let mut extents: Vec<Extent<N>> = reference
            .dimensions
            .iter()
            .enumerate()
            .map(extent)
            .collect();
        if let Some(length) = length {
            extents[0] = Extent {
                walk: Walk::By(1),
                positions: length.clone(),
                ..Extent::one()
            };
        }
        extents
    }

    /// Rows by the exact union of shifted boxes.
    fn together(
        &self,
        (reference, extents): (&Reference<N>, &[Extent<N>]),
        offsets: &[Vec<i64>],
        spans: &[Span<N>],
        given: &[Given<N>],
        adjacent: Adjacent,
        length: Option<&N>,
    ) -> N {
        let dimensions = &reference.dimensions;
        let shear = reference.shear(spans);
        let walks: Vec<Walk> = extents.iter().map(|extent| extent.walk).collect();
        let columns = match offsets {
            [only] => vec![Columns::single(only.first().copied().unwrap_or(0), &walks)],
            _ => footprint::placed(offsets, &walks),
        };
        let about = about(reference, spans);
        let mut row = Row::of(self, (reference, offsets), extents, spans, given, adjacent);
        let along = dimensions[0].iter().copied();
        let along: Vec<(usize, f64)> = along
            .filter(|(v, _)| reference.owner(*v, shear, spans) == Some(0))
            .collect();
        if length.is_none()
            && let Some(whole) = self.in_whole_blocks(&along, spans, given)
        {
            row.share = Some(row.length.over(&whole.larger(&N::of(1.0))));
            row.length = whole;
        }
        for end in [&mut row.start, &mut row.stop].into_iter().flatten() {
            let step = self.names.step(StaticFigure::RowAlignment, about);
            end.1 = (self.name)(step, end.1.clone());
        }
        let in_rows = N::sum(columns.iter().map(|column| {
            let rows = column.count.iter().map(|(walked, coefficient)| {
                let product = walked.iter().map(|d| &extents[*d].positions);
                product.fold(N::of(*coefficient as f64), |n, extent| n.times(extent))
            });
            let lines = self.names.step(StaticFigure::LinesOfRow, about);
            let lines = if_long(self.name, lines, row.lines(column, true));
            let rows = if_long(
                self.name,
                self.names.step(StaticFigure::Rows, about),
                N::sum(rows),
            );
            rows.times(&lines)
        }));
        if let Some(shear) = shear {
            let further = self.shifted((reference, shear), (&columns, &row, extents), spans);
            return in_rows.plus(&further);
        }
        let lines = match (columns.first(), extents.get(1)) {
            (Some(column), Some(across)) if row.is_dense() && across.walk != Walk::Fixed => {
                in_rows.plus(&self.overhang((reference, spans), extents, &row, column))
            }
            _ => in_rows,
        };
        let run = self.run_of_rows(
            reference,
            (offsets, &columns),
            (&row, extents),
            spans,
            given,
            &lines,
        );
        run.unwrap_or(lines)
    }

    /// Where rows share lines, as if they were one: what the last row of each plane does not share.
    fn overhang(
        &self,
        (reference, spans): (&Reference<N>, &[Span<N>]),
        extents: &[Extent<N>],
        row: &Row<N>,
        column: &Columns,
    ) -> N {
        let alone = row
            .lines(column, false)
            .minus(&row.lines(column, true))
            .not_negative();
        let pitches = &reference.pitches[..reference.of_array()];
        let alone = match (pitches.get(1), pitches.get(2)) {
            // Planes that data choose are next to each other by chance only.
            _ if reference.gathered.is_some() => alone,
            (Some(Some(pitch)), Some(Some(plane))) => {
                let apart = plane
                    .minus(&pitch.times(&extents[1].positions))
                    .not_negative();
                alone.smaller(&apart.over(&row.line))
            }
            _ => alone,
        };
        (self.name)(
            self.names
                .step(StaticFigure::LinesAtEnds, about(reference, spans)),
            extents[2..]
                .iter()
                .fold(alone, |n, extent| n.times(&extent.positions)),
        )
    }

    /// The length of a row in a whole block, where the last block may be smaller.
    fn in_whole_blocks(
        &self,
        terms: &[(usize, f64)],
        spans: &[Span<N>],
        given: &[Given<N>],
    ) -> Option<N> {
        let is_in_block = |(v, _): &(usize, f64)| {
            !spans[*v].stands
                && self.domain.loops[*v]
                    .tile_of
                    .is_some_and(|tile| spans[tile].stands)
        };
        let whole = || {
            let spans = self.spans(given, Tiles::Full);
            let mut extent = self.extent(terms, &spans, given);
            self.set_records(&mut extent, terms, &spans, given);
            extent.positions
        };
        terms.iter().any(is_in_block).then(whole)
    }

    fn extent(&self, terms: &[(usize, f64)], spans: &[Span<N>], given: &[Given<N>]) -> Extent<N> {
        let walked: Vec<(usize, f64)> = terms
            .iter()
            .copied()
            .filter(|(v, _)| !spans[*v].stands)
            .collect();
        match walked.as_slice() {
            [] => Extent::one(),
            [term] => {
                let stride = self.stride(term);
                // The cells of all tiles lie side by side.
                let side_by_side = self.domain.loops[term.0]
                    .tile_of
                    .is_some_and(|t| !spans[t].stands);
                let stride = if side_by_side { term.1.abs() } else { stride };
                let range = &self.domain.loops[term.0];
                let is_parameter =
                    range.known_step.is_none() && !side_by_side && term.1.abs() < LONG_STRIDE;
                let step = is_parameter.then(|| range.step.scaled(term.1.abs()));
                let positions = spans[term.0].count.clone();
                Extent {
                    walk: Walk::By(stride as i64),
                    positions,
                    stride,
                    step,
                    records: Vec::new(),
                }
            }
            many => {
                let all = self.reach(many, spans, given);
                let product = many
                    .iter()
                    .fold(N::of(1.0), |n, (v, _)| n.times(&spans[*v].count));
                Extent {
                    walk: Walk::By(1),
                    positions: all.not_negative().smaller(&product),
                    ..Extent::one()
                }
            }
        }
    }

    /// Where the cells of tiles are fewer than lie between tiles, so many are left out: rows 1 to 3 of every 4.
    fn leave_gaps(&self, extent: &mut Extent<N>, terms: &[(usize, f64)], spans: &[Span<N>]) {
        let [(v, _)] = terms else { return };
        let range = &self.domain.loops[*v];
        let tile = range
            .tile_of
            .filter(|tile| !spans[*tile].stands && self.domain.loops[*tile].holds_tiles);
        let ([low], [high], Some(tile), Some(1.0)) = (
            range.lowers.as_slice(),
            range.uppers.as_slice(),
            tile,
            range.known_step,
        ) else {
            return;
        };
        let cells = high.rest.minus(&low.rest).shifted(1.0).not_negative();
        let all = spans[tile].count.times(&cells);
        extent.positions = extent.positions.smaller(&all);
    }

    /// The distance of neighbouring elements of a row, where a parameter says it.
    fn set_stride(&self, extent: &mut Extent<N>, reference: &Reference<N>, spans: &[Span<N>]) {
        if let (Some(stride), [(v, _)]) = (&reference.stride, reference.dimensions[0].as_slice())
            && !spans[*v].stands
        {
            extent.step = Some(self.domain.loops[*v].step.times(stride));
        }
    }

    /// Elements by which an iteration of a loop moves a place.
    pub fn stride(&self, (variable, coefficient): &(usize, f64)) -> f64 {
        let step = self.domain.loops[*variable]
            .known_step
            .unwrap_or(LONG_STRIDE);
        (coefficient.abs() * step).min(LONG_STRIDE)
    }

    /// Elements from the first place to the last one.
    pub fn reach(&self, terms: &[(usize, f64)], spans: &[Span<N>], given: &[Given<N>]) -> N {
        let place = Affine {
            terms: terms.to_vec(),
            rest: N::of(0.0),
        };
        let (low, high) = self.domain.extremes(&place, spans, given);
        high.minus(&low).shifted(1.0)
    }
}

/// Whether a loop that goes on by so many rows, with these offsets, goes to each of them.
pub fn are_all(offsets: &[Vec<i64>], by: f64) -> bool {
    if by <= 1.0 {
        return by == 1.0;
    }
    let rows: BTreeSet<i64> = offsets
        .iter()
        .filter_map(|offset| offset.get(1).copied())
        .collect();
    let ends = rows.first().zip(rows.last());
    let together = ends.is_some_and(|(first, last)| last - first + 1 == rows.len() as i64);
    together && rows.len() as f64 >= by
}

/// An array and the innermost loop around its reference that stands still.
pub fn about<N>(reference: &Reference<N>, spans: &[Span<N>]) -> About<'static> {
    let around = reference.level.min(spans.len());
    About::Array(
        reference.array,
        (0..around).rev().find(|v| spans[*v].stands),
    )
}

/// Gives the sizes of whole arrays cells of their own.
pub fn name_sizes<N: Number>(
    references: &mut [Reference<N>],
    (name, names): (NameStep<N>, &Names),
) {
    for reference in references {
        let about = About::Array(reference.array, None);
        let step = names.step(StaticFigure::WholeArray, about);
        reference.whole = reference.whole.take().map(|whole| name(step, whole));
    }
}

/// Iterations of the shortest of the loops that may not run at all without making the number of rows zero: those that
/// do not move the reference, and those along which its offsets differ.
fn fewest<N: Number>(
    reference: &Reference<N>,
    offsets: &[Vec<i64>],
    spans: &[Span<N>],
) -> Option<N> {
    let differs = |d: usize| offsets.iter().any(|offset| offset[d] != offsets[0][d]);
    let counts = |v: usize| {
        let mut moved = reference
            .dimensions
            .iter()
            .enumerate()
            .filter(|(_, terms)| terms.iter().any(|(w, _)| *w == v));
        moved.any(|(d, terms)| terms.len() == 1 && (d == 0 || !differs(d)))
    };
    let may_be_none = |v: &usize| {
        let span = &spans[*v];
        !span.stands && !counts(*v) && !span.count.is_surely_at_least(&N::of(1.0))
    };
    (0..reference.level)
        .filter(may_be_none)
        .map(|v| spans[v].count.clone())
        .reduce(|a, b| a.smaller(&b))
}

/// Places along a dimension between offsets that stencils do not leave out.
const FAR: i64 = 4;

/// The widest of the gaps that offsets leave.
struct Gap {
    dimension: usize,
    /// The last offset along it before the gap.
    before: i64,
    /// Iterations from there to the next one.
    places: f64,
}

/// What offsets come to, those apart that are further from each other than loops go.
fn in_parts<N: Number>(
    offsets: &[Vec<i64>],
    extents: &[Extent<N>],
    of: &dyn Fn(&[Vec<i64>]) -> N,
) -> N {
    let Some(Gap {
        dimension,
        before,
        places,
    }) = widest_gap(offsets, extents)
    else {
        return of(offsets);
    };
    let places = N::of(places);
    let positions = &extents[dimension].positions;
    if positions.is_surely_at_least(&places) {
        return of(offsets);
    }
    let (near, far): (Vec<Vec<i64>>, Vec<Vec<i64>>) = offsets
        .iter()
        .cloned()
        .partition(|offset| offset[dimension] <= before);
    let apart = N::sum([near, far].map(|part| in_parts(&part, extents, of)));
    match places.is_surely_at_least(positions) {
        true => apart,
        false => positions.if_at_most(&places, &apart, &of(offsets)),
    }
}

fn widest_gap<N: Number>(offsets: &[Vec<i64>], extents: &[Extent<N>]) -> Option<Gap> {
    if offsets.len() < 2 {
        return None;
    }
    let of = |(d, extent): (usize, &Extent<N>)| {
        // Elements at a stride along a row are counted one by one as it is.
        let stride = match extent.walk {
            Walk::By(stride) if extent.step.is_none() && (d > 0 || stride == 1) => stride.max(1),
            _ => return None,
        };
        let mut values: Vec<i64> = offsets.iter().map(|offset| offset[d]).collect();
        values.sort_unstable();
        let pairs = values.windows(2).map(|pair| (pair[0], pair[1] - pair[0]));
        let (before, gap) = pairs.max_by_key(|(_, gap)| *gap)?;
        let is_known = extent.stride < LONG_STRIDE;
        (is_known && gap > FAR * stride).then(|| Gap {
            dimension: d,
            before,
            places: gap as f64 / stride as f64,
        })
    };
    let gaps = extents.iter().enumerate().filter_map(of);
    gaps.max_by(|a, b| a.places.total_cmp(&b.places))
}

/// Positions along one dimension.
pub struct Extent<N> {
    pub walk: Walk,
    pub positions: N,
    pub stride: f64,
    /// The same where a parameter says it.
    pub step: Option<N>,
    /// Of several loops along the contiguous dimension.
    pub records: Vec<Records<N>>,
}

impl<N: Number> Extent<N> {
    /// A single place.
    pub fn one() -> Extent<N> {
        Extent {
            walk: Walk::Fixed,
            positions: N::of(1.0),
            stride: 1.0,
            step: None,
            records: Vec::new(),
        }
    }
}
