//! The references of a nest to one array, and the cache lines that they touch.

use super::domain::{Affine, Domain, Given, Span, Tiles};
use super::number::Number;
use crate::model::footprint::{self, Columns, Walk};

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
    /// Position along every dimension, counted from its first element, less what the loops add.
    pub bases: Vec<N>,
    /// Elements from one position to the next, where known.
    pub pitches: Vec<Option<N>>,
    pub offsets: Vec<Vec<i64>>,
    pub written: Vec<Vec<i64>>,
    /// Share of a line used by every access, if some subscript is indirect.
    pub gathered: Option<N>,
    /// Bytes of the whole array, where known.
    pub whole: Option<N>,
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

/// Where lines are counted: the domain, and bytes of a line.
pub struct Lines<'a, N> {
    pub domain: &'a Domain<N>,
    pub line: N,
    /// First value of every variable.
    pub origin: Vec<N>,
    /// Gives a result a cell of its own, where formulas are made.
    pub name: &'a dyn Fn(&'static str, N) -> N,
}

impl<N: Number> Reference<N> {
    /// The loops from `level` on that move the reference, with their dimension; more than once where a
    /// loop moves along several.
    fn walked(&self, spans: &[Span<impl Number>]) -> Vec<(usize, usize)> {
        let of = |(d, terms): (usize, &Vec<(usize, f64)>)| {
            terms.iter().filter(|(v, _)| !spans[*v].stands).map(|(v, _)| (*v, d)).collect::<Vec<_>>()
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
        let spans = self.domain.spans(given, tiles);
        if let Some(share) = &reference.gathered {
            return self.gathered(reference, offsets.len(), share, &spans);
        }
        let adjacent = match self.rows(reference) {
            Rows::Apart => false,
            Rows::OneAfterAnother => true,
            Rows::SideBySide => sides,
            Rows::Scattered(walker) => !spans[walker].stands,
        };
        if let Some((start, length)) = row {
            let mut along = reference.clone();
            along.dimensions[0].clear();
            along.bases[0] = start.clone();
            return (self.name)("lines", self.boxed(&along, offsets, &spans, given, adjacent, Some(length)));
        }
        (self.name)("lines", self.sliced(reference, offsets, given, tiles, adjacent, spans))
    }

    /// How the loops come from one row to the next.
    pub fn rows(&self, reference: &Reference<N>) -> Rows {
        let [row, across, ..] = reference.dimensions.as_slice() else { return Rows::Apart };
        let is_unit = |(v, c): &&(usize, f64)| c.abs() == 1.0 && self.domain.loops[*v].known_step == Some(1.0);
        let Some(walker) = across.iter().filter(is_unit).map(|(v, _)| *v).max() else { return Rows::Apart };
        match row.iter().map(|(v, _)| *v).min() {
            Some(first) if walker + 1 == first => Rows::OneAfterAnother,
            None => Rows::OneAfterAnother,
            Some(first) if walker > first => Rows::SideBySide,
            Some(_) => Rows::Scattered(walker),
        }
    }

    fn gathered(&self, reference: &Reference<N>, offsets: usize, share: &N, spans: &[Span<N>]) -> N {
        let accesses = spans[..reference.level].iter().fold(N::of(offsets as f64), |n, span| n.times(&span.count));
        let lines = accesses.times(share);
        match &reference.whole {
            Some(whole) => lines.smaller(&whole.over(&self.line)),
            None => lines,
        }
    }

    /// Where the range of one dimension depends on the place along another, the sum over slices.
    fn sliced(
        &self,
        reference: &Reference<N>,
        offsets: &[Vec<i64>],
        given: &[Given<N>],
        tiles: Tiles,
        adjacent: bool,
        spans: Vec<Span<N>>,
    ) -> N {
        let walked = reference.walked(&spans);
        let alone = |v: usize, d: usize| walked.iter().filter(|(other, at)| *at == d || *other == v).count() == 1;
        let slicing = walked.iter().copied().find(|(v, d)| {
            *d > 0 && alone(*v, *d) && walked.iter().any(|(u, e)| e != d && self.domain.coupled(*u, *v))
        });
        let Some((variable, dimension)) = slicing else {
            return self.boxed(reference, offsets, &spans, given, adjacent, None);
        };
        let values: Vec<i64> = offsets.iter().map(|o| o[dimension]).collect();
        let reach = values.iter().max().unwrap_or(&0) - values.iter().min().unwrap_or(&0);
        let mut flat: Vec<Vec<i64>> = offsets.to_vec();
        flat.iter_mut().for_each(|offset| offset[dimension] = 0);
        flat.sort_unstable();
        flat.dedup();
        let span = &spans[variable];
        let each = span.count.shifted(reach as f64).scaled(1.0 / SLICES as f64);
        let slice = |q: usize| {
            let mut given = given.to_vec();
            given[variable] = Given::At((self.name)("place", middle(span, q, SLICES)));
            let spans = self.domain.spans(&given, tiles);
            self.sliced(reference, &flat, &given, tiles, adjacent, spans)
        };
        N::sum((0..SLICES).map(slice)).times(&each)
    }

    /// Where all ranges are independent of each other: rows by the exact union of shifted boxes.
    fn boxed(
        &self,
        reference: &Reference<N>,
        offsets: &[Vec<i64>],
        spans: &[Span<N>],
        given: &[Given<N>],
        adjacent: bool,
        length: Option<&N>,
    ) -> N {
        let dimensions = &reference.dimensions;
        // A loop that moves along several dimensions walks a diagonal: a step is another row.
        let last = |v: usize| dimensions.iter().rposition(|terms| terms.iter().any(|(other, _)| *other == v));
        let extent = |(d, terms): (usize, &Vec<(usize, f64)>)| {
            let terms: Vec<(usize, f64)> = terms.iter().copied().filter(|(v, _)| last(*v) == Some(d)).collect();
            self.extent(&terms, spans, given)
        };
        let mut extents: Vec<Extent<N>> = dimensions.iter().enumerate().map(extent).collect();
        if let Some(length) = length {
            extents[0] = Extent { walk: Walk::By(1), positions: length.clone(), stride: 1.0 };
        }
        let walks: Vec<Walk> = extents.iter().map(|extent| extent.walk).collect();
        let columns = match offsets {
            [only] => vec![Columns::single(only.first().copied().unwrap_or(0), &walks)],
            _ => footprint::placed(offsets, &walks),
        };
        let mut row = Row::of(self, reference, &extents, spans, given, adjacent);
        for end in [&mut row.start, &mut row.stop].into_iter().flatten() {
            end.1 = (self.name)("alignment of rows", end.1.clone());
        }
        N::sum(columns.iter().map(|column| {
            let rows = column.count.iter().map(|(walked, coefficient)| {
                let product = walked.iter().map(|d| &extents[*d].positions);
                product.fold(N::of(*coefficient as f64), |n, extent| n.times(extent))
            });
            N::sum(rows).times(&row.lines(column))
        }))
    }

    fn extent(&self, terms: &[(usize, f64)], spans: &[Span<N>], given: &[Given<N>]) -> Extent<N> {
        let walked: Vec<(usize, f64)> = terms.iter().copied().filter(|(v, _)| !spans[*v].stands).collect();
        let stride = |(v, c): &(usize, f64)| {
            let step = self.domain.loops[*v].known_step.unwrap_or(LONG_STRIDE);
            (c.abs() * step).min(LONG_STRIDE)
        };
        match walked.as_slice() {
            [] => Extent { walk: Walk::Fixed, positions: N::of(1.0), stride: 1.0 },
            [term] => {
                let stride = stride(term);
                // The cells of all tiles lie side by side.
                let side_by_side = self.domain.loops[term.0].tile_of.is_some_and(|t| !spans[t].stands);
                let stride = if side_by_side { term.1.abs() } else { stride };
                Extent { walk: Walk::By(stride as i64), positions: spans[term.0].count.clone(), stride }
            }
            many => {
                let place = Affine { terms: many.to_vec(), rest: N::of(0.0) };
                let (low, high) = self.domain.extremes(&place, spans, given);
                let all = high.minus(&low).shifted(1.0);
                let product = many.iter().fold(N::of(1.0), |n, (v, _)| n.times(&spans[*v].count));
                Extent { walk: Walk::By(1), positions: all.smaller(&product), stride: 1.0 }
            }
        }
    }
}

/// The value of a span at the middle of the part `q` of `parts`.
pub fn middle<N: Number>(span: &Span<N>, q: usize, parts: usize) -> N {
    let share = (q as f64 + 0.5) / parts as f64;
    // Whole numbers from low to high stand for half a step more at both ends.
    let step = span.high.minus(&span.low).shifted(1.0);
    span.low.plus(&step.scaled(share)).shifted(-0.5)
}

/// Positions along one dimension.
struct Extent<N> {
    walk: Walk,
    positions: N,
    stride: f64,
}

/// What is known of the rows along the contiguous dimension.
struct Row<N> {
    /// Elements of a line.
    line: N,
    length: N,
    stride: f64,
    walked: bool,
    /// Elements from one row to the next, if rows follow each other.
    pitch: Option<N>,
    /// Place of the first element, and the distance of which all rows begin at whole multiples from there.
    start: Option<(N, N)>,
    /// The same of the last one, where only that is known.
    stop: Option<(N, N)>,
    /// Whether the length is that of every row.
    is_even: bool,
}

impl<N: Number> Row<N> {
    fn of(
        lines: &Lines<N>,
        reference: &Reference<N>,
        extents: &[Extent<N>],
        spans: &[Span<N>],
        given: &[Given<N>],
        adjacent: bool,
    ) -> Row<N> {
        let line = lines.line.scaled(1.0 / reference.width);
        let pitches: Option<Vec<N>> =
            reference.pitches.iter().take(reference.dimensions.len()).skip(1).cloned().collect();
        // The end of a row that can be known, and whether that is where it begins.
        let known = |highest: bool| {
            let (place, moved, is_even) = lines.row_end(reference, highest, spans, given)?;
            let apart: Vec<N> = moved.into_iter().chain(pitches.clone()?).collect();
            Some((place, alignment(&apart, &line), is_even))
        };
        let (start, stop) = match known(false) {
            Some(start) => (Some(start), None),
            None => (None, known(true)),
        };
        let is_even = start.as_ref().is_none_or(|(.., is_even)| *is_even);
        let length = extents.first().map_or(N::of(1.0), |e| e.positions.clone());
        Row {
            length,
            stride: extents.first().map_or(1.0, |e| e.stride),
            walked: extents.first().is_some_and(|e| e.walk != Walk::Fixed),
            pitch: reference.pitches.get(1).cloned().flatten().filter(|_| adjacent),
            start: start.map(|(place, alignment, _)| (place, alignment)),
            stop: stop.map(|(place, alignment, _)| (place, alignment)),
            is_even,
            line,
        }
    }

    fn lines(&self, column: &Columns) -> N {
        let Row { line, length, stride, .. } = self;
        let extra = column.extra as f64;
        let covered = match self.walked {
            true => length.shifted(-1.0).scaled(*stride).shifted(1.0 + extra),
            false => N::of(1.0 + extra),
        };
        let found = match (&self.start, &self.stop) {
            (None, None) => covered.plus(line).shifted(-1.0),
            (None, Some((stop, alignment))) => {
                let last = stop.shifted((column.first + column.extra) as f64);
                let first = last.minus(&covered).shifted(1.0);
                let before = first.minus(&alignment.shifted(-1.0).scaled(0.5)).over(alignment);
                last.over(alignment).floor().minus(&before).times(alignment).plus(line)
            }
            (Some((start, alignment)), _) => {
                let start = start.shifted(column.first as f64);
                let before = start.over(alignment).floor();
                let last = start.plus(&covered).shifted(-1.0);
                let after = match self.is_even {
                    true => last.over(alignment).floor(),
                    false => last.minus(&alignment.shifted(-1.0).scaled(0.5)).over(alignment),
                };
                after.minus(&before).times(alignment).plus(line)
            }
        };
        let found = match &self.pitch {
            // What one row leaves of its last line, the next one takes.
            Some(pitch) => found.smaller(&pitch.larger(&covered)),
            None => found,
        };
        let found = found.over(line);
        let found = if self.walked { length.if_at_most(&N::of(0.0), &N::of(0.0), &found) } else { found };
        let separate = length.scaled(column.runs as f64);
        match (self.walked, *stride) {
            (true, stride) if stride > 1.0 => found.smaller(&separate),
            (true, _) => found,
            (false, _) => found.scaled(column.runs as f64),
        }
    }
}

/// The largest part of a line of which all distances are whole multiples, or one element.
fn alignment<N: Number>(apart: &[N], line: &N) -> N {
    let over = |parts: f64| N::sum(apart.iter().map(|m| m.over(line).scaled(parts).fraction()));
    let none = N::of(0.0);
    [4.0, 2.0, 1.0]
        .into_iter()
        .fold(N::of(1.0), |finer, parts| over(parts).if_at_most(&none, &line.scaled(1.0 / parts), &finer))
}

impl<N: Number> Lines<'_, N> {
    /// Where rows of a reference begin or end, as [`Lines::end`] says it of a variable.
    fn row_end(
        &self,
        reference: &Reference<N>,
        highest: bool,
        spans: &[Span<N>],
        given: &[Given<N>],
    ) -> Option<(N, Vec<N>, bool)> {
        let (terms, base) = (reference.dimensions.first()?, reference.bases.first()?.clone());
        let free = terms.iter().filter(|(v, _)| !spans[*v].stands).count();
        if free > 1 && terms.iter().any(|(_, c)| *c < 0.0) {
            // Where several loops end that go against each other is known together only.
            let last = terms.iter().map(|(v, _)| *v).max()?;
            if spans[..=last].iter().any(|span| span.stands) {
                return None;
            }
            let place = Affine { terms: terms.clone(), rest: base };
            let (low, high) = self.domain.extremes(&place, spans, given);
            return Some((if highest { high } else { low }, Vec::new(), true));
        }
        let (mut place, mut apart, mut is_even) = (base, Vec::new(), true);
        for (variable, coefficient) in terms {
            let (end, moved, even) = self.end(*variable, (*coefficient > 0.0) == highest, spans, given)?;
            is_even &= even;
            place = place.plus(&end.scaled(*coefficient));
            apart.extend(moved.into_iter().map(|step| step.scaled(*coefficient)));
        }
        Some((place, apart, is_even))
    }

    /// The lowest or highest value of a variable as far as cache lines see it: with every variable that
    /// stands still at its own first value, the distances by which those move it, and whether its number of
    /// values does not depend on them.
    fn end(&self, variable: usize, highest: bool, spans: &[Span<N>], given: &[Given<N>]) -> Option<(N, Vec<N>, bool)> {
        let range = &self.domain.loops[variable];
        if spans[variable].stands {
            // One by one, it stops at every place of a line.
            return match range.known_step {
                Some(1.0) => None,
                _ => Some((self.origin[variable].clone(), vec![range.step.clone()], true)),
            };
        }
        if let Given::Between(low, high) = &given[variable] {
            return Some((if highest { high.clone() } else { low.clone() }, vec![N::of(1.0)], false));
        }
        if highest && range.known_step != Some(1.0) {
            return None;
        }
        let [bound] = (if highest { &range.uppers } else { &range.lowers }).as_slice() else { return None };
        let mut end = bound.rest.clone();
        let mut moved = Vec::new();
        for (outer, coefficient) in &bound.terms {
            let (first, by, _) = self.end(*outer, (*coefficient > 0.0) == highest, spans, given)?;
            end = end.plus(&first.scaled(*coefficient));
            moved.extend(by.into_iter().map(|step| step.scaled(*coefficient)));
        }
        let fixed = |bounds: &[super::domain::Affine<N>]| {
            bounds.iter().any(|b| b.terms.iter().any(|(v, _)| spans[*v].stands && range.tile_of != Some(*v)))
        };
        let is_even = !fixed(&range.lowers) && !fixed(&range.uppers);
        Some((end, moved, is_even))
    }
}
