//! How many lines does a run of elements along the contiguous dimension touch?
//!
//! That depends on where in a line it begins. With l elements per line, a run of n elements touches (n + l − 1)/l
//! lines on average if nothing is known. If the place `s` of the first element is known, and all rows begin at
//! multiples of `g` from there (a line, half or a quarter of it, or one element: [`alignment`]), it touches
//!
//! ```text
//! ((⌊(s + n − 1)/g⌋ − ⌊s/g⌋)·g + l) / l        g = l: exact        g = 1: (n + l − 1)/l, the mean
//! ```
//!
//! Elements 1 to 1998 of rows of 2,000 doubles, l = 8: every row begins a line, as 2,000 is a multiple of 8, so
//! g = 8 and the run touches 249 − 0 + 1 = 250 lines. With rows of 2,001, g = 1, and one touches 250.625 on
//! average.
//!
//! From there on the count only becomes smaller: a row takes no more than what lies between it and the next,
//! where the next one finds the line that they share ([`Row::pitch`]); elements at a stride touch a line each
//! at most; several loops along one row may leave gaps, which `records` looks at. `reference` multiplies by the
//! number of rows.

use super::domain::{Affine, Given, Span};
use super::number::Number;
use super::records::{self, Records};
use super::reference::{Adjacent, Extent, LONG_STRIDE, Lines, Reference};
use super::steps::About;
use crate::catalogue::StaticFigure;
use crate::footprint::{Columns, Walk};

/// What is known of the rows along the contiguous dimension.
pub struct Row<N> {
    /// Elements of a line.
    pub line: N,
    /// How much of its elements the last byte of a row is before the end of the last one: all of it, if elements do not lie
    /// across the ends of lines.
    pub last: f64,
    pub length: N,
    pub stride: f64,
    /// The same where a parameter says it.
    pub step: Option<N>,
    pub walked: bool,
    /// Elements from one row to the next, if rows follow each other.
    pub pitch: Option<N>,
    /// The same if rows share lines only where several begin in one.
    pub tight: Option<N>,
    /// Place of the first element, and the distance of which all rows begin at whole multiples from there.
    pub start: Option<(N, N)>,
    /// The same of the last one, where only that is known.
    pub stop: Option<(N, N)>,
    /// As `start`, for the places of all records.
    pub grid: Option<(N, N)>,
    /// As which the elements may be seen, if several loops move along the row.
    pub records: Vec<Records<N>>,
    /// Whether the length is that of every row.
    pub is_even: bool,
    /// The mean length as a share of that, if the last ones are shorter.
    pub share: Option<N>,
}

impl<N: Number> Row<N> {
    pub fn of(
        lines: &Lines<N>,
        (reference, offsets): (&Reference<N>, &[Vec<i64>]),
        extents: &[Extent<N>],
        spans: &[Span<N>],
        given: &[Given<N>],
        adjacent: Adjacent,
    ) -> Row<N> {
        let line = lines.elements_of_line(reference);
        let oblique = reference.oblique(spans, offsets);
        let pitches: Option<Vec<N>> = (1..reference.dimensions.len())
            .filter(|d| !oblique.contains(d))
            .map(|d| reference.pitches.get(d)?.clone())
            .collect();
        // The end of a row that can be known, and whether that is where it begins.
        let known = |highest: bool| {
            let (place, moved, is_even) =
                lines.row_end((reference, &oblique), highest, spans, given)?;
            let place = match oblique.is_empty() {
                true => place,
                false => place.plus(&reference.before(&oblique, &offsets[0])),
            };
            let apart = moved.into_iter().chain(pitches.clone()?);
            let apart: Vec<N> = apart.chain(reference.multiple.clone()).collect();
            Some((place, apart, is_even))
        };
        let aligned =
            |(place, apart, is_even): (N, Vec<N>, bool)| (place, alignment(&apart, &line), is_even);
        let (start, stop) = match known(false) {
            Some(start) => (Some(start), None),
            None => (None, known(true)),
        };
        let moves = lines.moves(reference, spans);
        let grid = start.clone().zip(moves).map(|((place, apart, _), moves)| {
            let apart: Vec<N> = apart.into_iter().chain(moves).collect();
            (place, alignment(&apart, &line))
        });
        let (start, stop) = (start.map(aligned), stop.map(aligned));
        let end = start.as_ref().or(stop.as_ref());
        let is_even = end.is_none_or(|(.., is_even)| *is_even);
        let length = extents.first().map_or(N::of(1.0), |e| e.positions.clone());
        let pitch = |when: Adjacent| {
            if let Some(between) = reference.packed {
                return (adjacent == when).then(|| length.shifted(between));
            }
            let pitch = reference.pitches.get(1)?.clone()?;
            let walker = lines.walker(reference);
            // The loop that goes on to the next row may move along other dimensions as well.
            let pitch = match &walker {
                Some((walker, _)) => pitch.plus(&reference.beside(*walker)?),
                None => pitch,
            };
            let step = walker.and_then(|(_, step)| step);
            let pitch = step.map_or(pitch.clone(), |step| pitch.times(&step));
            (adjacent == when).then_some(pitch)
        };
        Row {
            stride: extents.first().map_or(1.0, |e| e.stride),
            step: extents.first().and_then(|e| e.step.clone()),
            walked: extents.first().is_some_and(|e| e.walk != Walk::Fixed),
            pitch: pitch(Adjacent::Always),
            tight: pitch(Adjacent::WithinLines),
            length,
            start: start.map(|(place, alignment, _)| (place, alignment)),
            stop: stop.map(|(place, alignment, _)| (place, alignment)),
            grid,
            records: extents.first().map_or(Vec::new(), |e| e.records.clone()),
            is_even,
            share: None,
            line,
            last: last_byte(reference.width),
        }
    }

    /// Whether its elements leave out no line, if there are several, and rows follow each other.
    pub fn is_dense(&self) -> bool {
        self.pitch.is_some() && self.leaves_out_none()
    }

    /// Whether its elements leave out no line, if there are several.
    pub fn leaves_out_none(&self) -> bool {
        self.stride <= records::WITHIN && self.records.is_empty()
    }

    /// Elements from the first to the last.
    pub fn covered(&self, column: &Columns) -> N {
        let extra = column.extra as f64;
        let steps = || self.length.beyond_first();
        match (self.walked, &self.step) {
            (true, Some(step)) => steps().times(step).shifted(1.0 + extra),
            (true, None) if self.stride == 1.0 => self.length.shifted(extra),
            (true, None) => steps().scaled(self.stride).shifted(1.0 + extra),
            (false, _) => N::of(1.0 + extra),
        }
    }

    /// Lines of a row; of those that it shares with the next one a part, if `shares`.
    pub fn lines(&self, column: &Columns, shares: bool) -> N {
        let Row {
            line,
            length,
            stride,
            ..
        } = self;
        let covered = self.covered(column);
        let found = match (&self.start, &self.stop) {
            (None, None) => covered.plus(line).shifted(-self.last),
            (None, Some((stop, alignment))) => {
                let last = stop.shifted((column.first + column.extra) as f64);
                let first = last.minus(&covered).shifted(1.0);
                let before = match self.is_even {
                    true => first.over(alignment).floor(),
                    false => first
                        .minus(&alignment.shifted(-1.0).scaled(0.5))
                        .over(alignment),
                };
                last.over(alignment)
                    .floor()
                    .minus(&before)
                    .times(alignment)
                    .plus(line)
            }
            (Some((start, alignment)), _) => {
                let start = start.shifted(column.first as f64);
                let before = start.over(alignment).floor();
                let last = start.plus(&covered).shifted(-self.last);
                let after = match self.is_even {
                    true => last.over(alignment).floor(),
                    false => last
                        .minus(&alignment.shifted(-1.0).scaled(0.5))
                        .over(alignment),
                };
                after.minus(&before).times(alignment).plus(line)
            }
        };
        // What one row leaves of its last line, the next one takes.
        let found = match (&self.pitch, &self.tight) {
            (Some(pitch), _) if shares => found.smaller(&pitch.larger(&covered)),
            (None, Some(pitch)) => {
                pitch.if_at_most(line, &found.smaller(&pitch.larger(&covered)), &found)
            }
            _ => found,
        };
        let found = found.over(line);
        let found = match &self.share {
            Some(share) => found.times(share),
            None => found,
        };
        let found = if self.walked {
            length.if_at_most(&N::of(0.0), &N::of(0.0), &found)
        } else {
            found
        };
        match (self.walked, *stride) {
            (true, stride) if stride > records::WITHIN => {
                let alone = Records {
                    number: length.clone(),
                    length: N::of(1.0),
                    stride,
                };
                found.smaller(&self.of_records(&alone, column))
            }
            (true, stride) if stride > 1.0 => found.smaller(&length.scaled(column.runs as f64)),
            (true, _) => self.records.iter().fold(found, |found, records| {
                found.smaller(&self.of_records(records, column))
            }),
            (false, _) => found.scaled(column.runs as f64),
        }
    }
}

/// The share of an element before the end of which its last byte lies, where that may be in another line than the first one;
/// else the whole element.
pub fn last_byte(width: f64) -> f64 {
    match (width as u64).is_power_of_two() {
        true => 1.0,
        false => 1.0 / width,
    }
}

/// The largest part of a line of which all distances are whole multiples, or one element.
pub fn alignment<N: Number>(apart: &[N], line: &N) -> N {
    let over = |parts: f64| N::sum(apart.iter().map(|m| m.over(line).scaled(parts).fraction()));
    let none = N::of(0.0);
    [4.0, 2.0, 1.0]
        .into_iter()
        .fold(N::of(1.0), |finer, parts| {
            over(parts).if_at_most(&none, &line.scaled(1.0 / parts), &finer)
        })
}

impl<N: Number> Lines<'_, N> {
    /// How many elements of its array a cache line holds.
    pub fn elements_of_line(&self, reference: &Reference<N>) -> N {
        let about = About::Array(reference.array, None);
        let step = self.names.step(StaticFigure::ElementsOfLine, about);
        (self.name)(step, self.line.scaled(1.0 / reference.width))
    }

    /// Where rows of a reference begin or end, as [`Lines::end`] says it of a variable; along some dimensions across rows
    /// with what the loops that move it along these add.
    pub fn row_end(
        &self,
        (reference, oblique): (&Reference<N>, &[usize]),
        highest: bool,
        spans: &[Span<N>],
        given: &[Given<N>],
    ) -> Option<(N, Vec<N>, bool)> {
        let (terms, base) = (
            reference.dimensions.first()?,
            reference.bases.first()?.clone(),
        );
        let free = terms.iter().filter(|(v, _)| !spans[*v].stands).count();
        let mut ranges = terms.iter().map(|(v, _)| &self.domain.loops[*v]);
        let are_coupled = ranges.any(|range| {
            let mut bounds = range.lowers.iter().chain(&range.uppers);
            bounds.any(|bound| terms.iter().any(|(w, _)| bound.coefficient(*w) != 0.0))
        });
        if free > 1 && terms.iter().any(|(_, c)| *c < 0.0) && are_coupled {
            // Where several loops end that go against each other, and that move each other's ends, is known together only.
            let last = terms.iter().map(|(v, _)| *v).max()?;
            if spans[..=last].iter().any(|span| span.stands) {
                return None;
            }
            let place = Affine {
                terms: terms.clone(),
                rest: base,
            };
            let (low, high) = self.domain.extremes(&place, spans, given);
            return Some((if highest { high } else { low }, Vec::new(), true));
        }
        let (mut place, mut apart, mut is_even) = (base, Vec::new(), true);
        for (variable, coefficient) in terms {
            let across = reference.across(*variable, oblique);
            let stands = spans[*variable].stands;
            let is_long = coefficient.abs() >= LONG_STRIDE;
            let by = match (&across, &reference.stride) {
                (Some(across), _) => Some(across.shifted(*coefficient)),
                (None, Some(stride)) if is_long => Some(stride.clone()),
                _ if is_long && stands => return None,
                _ => None,
            };
            let times = |n: &N| match &by {
                Some(by) => n.times(by),
                None => n.scaled(*coefficient),
            };
            let range = &self.domain.loops[*variable];
            let (end, moved, even) = match stands && (across.is_some() || coefficient.abs() != 1.0)
            {
                true => (self.origin[*variable].clone(), vec![range.moves()], true),
                false => self.end(*variable, (*coefficient > 0.0) == highest, spans, given)?,
            };
            is_even &= even;
            place = place.plus(&times(&end));
            apart.extend(moved.iter().map(times));
            if across.is_some() && !stands {
                apart.push(times(&range.moves()));
            }
        }
        Some((place, apart, is_even))
    }

    /// The lowest or highest value of a variable as far as cache lines see it: with every variable that
    /// stands still at its own first value, the distances by which those move it, and whether its number of
    /// values does not depend on them.
    pub fn end(
        &self,
        variable: usize,
        highest: bool,
        spans: &[Span<N>],
        given: &[Given<N>],
    ) -> Option<(N, Vec<N>, bool)> {
        let range = &self.domain.loops[variable];
        if spans[variable].stands {
            // One by one, it stops at every place of a line.
            return match range.known_step {
                Some(1.0) => None,
                _ => Some((self.origin[variable].clone(), vec![range.moves()], true)),
            };
        }
        if let Given::Within(low, high) = &given[variable] {
            let end = if highest { high } else { low };
            let mut moved = Vec::new();
            for (block, by) in range.lowers.iter().flat_map(|bound| &bound.terms) {
                let (_, steps, _) = self.end(*block, false, spans, given)?;
                moved.extend(steps.into_iter().map(|step| step.scaled(*by)));
            }
            return Some((end.clone(), moved, true));
        }
        if let Given::Between(low, high) = &given[variable] {
            return Some((
                if highest { high.clone() } else { low.clone() },
                vec![N::of(1.0)],
                false,
            ));
        }
        if highest && range.known_step != Some(1.0) {
            return None;
        }
        let (end, moved) = self.first_end((variable, highest), spans, given)?;
        let fixed = |bounds: &[super::domain::Affine<N>]| {
            bounds.iter().any(|b| {
                b.terms
                    .iter()
                    .any(|(v, _)| spans[*v].stands && range.tile_of != Some(*v))
            })
        };
        let is_even = !fixed(&range.lowers) && !fixed(&range.uppers);
        Some((end, moved, is_even))
    }

    /// The first of the lowest or highest values of a variable, with the distances by which loops that stand still move it.
    fn first_end(
        &self,
        (variable, highest): (usize, bool),
        spans: &[Span<N>],
        given: &[Given<N>],
    ) -> Option<(N, Vec<N>)> {
        let range = &self.domain.loops[variable];
        let bounds = match highest {
            true => &range.uppers,
            false => &range.lowers,
        };
        let of_bound = |bound: &Affine<N>| {
            let (mut end, mut moved) = (bound.rest.clone(), Vec::new());
            for (outer, by) in &bound.terms {
                let (first, steps, _) = self.end(*outer, (*by > 0.0) == highest, spans, given)?;
                end = end.plus(&first.scaled(*by));
                moved.extend(steps.into_iter().map(|step| step.scaled(*by)));
            }
            Some((end, moved))
        };
        if let [bound] = bounds.as_slice() {
            return of_bound(bound);
        }
        // All blocks together end where the loop does that is in blocks, a single one there or before.
        let tile = range.tile_of?;
        let (own, of_all): (Vec<_>, Vec<_>) =
            (bounds.iter()).partition(|bound| !bound.terms.is_empty());
        let ([own], [of_all]) = (&own[..], &of_all[..]) else {
            return None;
        };
        let last = of_all.rest.clone();
        if !spans[tile].stands {
            return Some((last, Vec::new()));
        }
        let (end, mut moved) = of_bound(own)?;
        let first = match highest {
            true => end.smaller(&last),
            false => end.larger(&last),
        };
        moved.push(last.minus(&first));
        Some((first, moved))
    }
}
