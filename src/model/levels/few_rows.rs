//! Are rows so few and so short that it matters where in a line each of them begins?
//!
//! Of rows whose distance is no multiple of a part of a line, `rows` takes the mean over all places. That holds where there
//! are many of them, or where they are long. Eight rows of eight floats that are 31 floats apart begin at 1, 0, 15, 14 …
//! of a line of 16: seven of the eight lie in two lines, and not three or four as on average. So the lines of the few
//! rows that there are, one after the other, are counted, and compared with the mean.
//!
//! Components of an array, `a(i, 1)` and `a(i, 2)`, are counted as arrays of their own. Where they are so short that the
//! end of one and the beginning of the next are in one line, these lines are counted, too. Which one a symbol names is not
//! known, `a(i, c)`, and so not where in a line it begins: short ones may have another line than the mean.
//!
//! Elements of several short rows that the source names are counted row by row, so that those in one line are too many.
//!
//! Nests of few iterations, triangles among them, are gone through access by access (`followed`).

use std::collections::{BTreeMap, BTreeSet};

use super::domain::{Domain, Given, Span, Tiles};
use super::followed::{self, Apart, Fixed, Most, Steps};
use super::geometry::Geometry;
use super::reference::{LONG_STRIDE, Reference};
use super::rows::alignment;
use super::undecided;
use crate::expr::{Expr, Lookup, Symbol};
use crate::nest::Nest;

/// More rows than this begin at all places of a line.
const FEW: f64 = 64.0;
/// By so large a share the lines of all few rows may differ from the mean.
const NEAR: f64 = 0.1;
/// The same of what a cache moves that holds a part of a nest.
const FAR: f64 = 0.2;
/// Bytes of a line.
const LINE: f64 = 64.0;
/// Bytes of the smallest cache through which a nest is followed.
const SMALLEST: f64 = 2048.0;
/// How much is gone through at most,
const MOST: Most = Most {
    smallest: SMALLEST,
    steps: Steps::OfBoth,
    iterations: 2000,
    lines: 5_000,
};
/// and where conditions leave parts of loops, the shapes of which are many.
const MOST_IN_PARTS: Most = Most {
    smallest: SMALLEST,
    steps: Steps::OfBoth,
    iterations: 50_000,
    lines: 20_000,
};

/// A nest with numbers for its loops and references.
pub struct Few<'n, 'p> {
    nest: &'n Nest<'p>,
    pub geometry: Geometry,
    domain: Domain<f64>,
    references: Vec<Reference<f64>>,
}

impl<'n, 'p> Few<'n, 'p> {
    pub fn of(
        nest: &'n Nest<'p>,
        geometry: Geometry,
        value: &dyn Fn(&Symbol) -> Option<f64>,
    ) -> Few<'n, 'p> {
        let number = |expr: &Expr| expr.evaluate(&value as &dyn Lookup).unwrap_or(f64::NAN);
        let (domain, references) = geometry.map(&number);
        Few {
            nest,
            geometry,
            domain,
            references,
        }
    }

    /// Whether the lines of a nest differ from the mean because of where rows begin.
    pub fn matter(&self, value: &dyn Fn(&Symbol) -> Option<f64>) -> bool {
        let Few {
            nest,
            geometry,
            domain,
            references,
        } = self;
        let bounds = |moves: &dyn Fn(usize) -> bool| {
            let ranges = domain
                .loops
                .iter()
                .map(|range| (&range.lowers, &range.uppers));
            let mut ends = ranges.flat_map(|(lowers, uppers)| lowers.iter().chain(uppers));
            ends.any(|end| end.terms.iter().any(|(v, _)| moves(*v)))
        };
        if bounds(&|_| true) {
            return self.are_other_lines(value);
        }
        let spans = domain.spans(&vec![Given::Free; domain.loops.len()], Tiles::Full);
        let (mut all, mut apart) = (0.0, 0.0);
        for reference in references {
            let Some((mean, lines)) = lines(domain, reference, &spans) else {
                continue;
            };
            all += mean;
            apart += lines - mean;
        }
        f64::abs(apart) > NEAR * all
            || references.iter().any(names_short_rows)
            || share_lines(geometry, domain, references, &spans)
            || depend_on_component(nest, value, domain, references, &spans)
    }

    /// Whether a nest of few accesses, each followed, moves other lines than the rule counts through some cache.
    pub fn are_other_lines(&self, value: &dyn Fn(&Symbol) -> Option<f64>) -> bool {
        let Some(fixed) = Fixed::of(&self.geometry.fixed) else {
            return false;
        };
        let number = |expr: &Expr| expr.evaluate(&value as &dyn Lookup).unwrap_or(f64::NAN);
        if super::is_blocked(&self.geometry, self.nest, &number) {
            return false;
        }
        let beside = Fixed {
            written: fixed.written + self.geometry.written_beside(),
            ..fixed
        };
        let is_partly = |one: &Reference<f64>| one.ranges().next().is_some();
        let most = match self.references.iter().any(is_partly) {
            true => MOST_IN_PARTS,
            false => MOST,
        };
        let rule = || undecided::as_it_is(self.nest, value);
        let apart = followed::apart((&self.domain, &self.references), beside, most, &rule);
        let is_off = |apart: Apart| apart.cold > NEAR || apart.anywhere > FAR;
        apart.map_or_else(|| self.leaves_ends_of_rows(), is_off)
    }

    /// Whether a border is left of rows that consist of short records: both ends of a row are counted by themselves, though
    /// the end of one and the beginning of the next may be in one line.
    fn leaves_ends_of_rows(&self) -> bool {
        self.references.iter().any(|reference| {
            let hole = &reference.condition.hole;
            let is_short = |d: usize| {
                let pitch = reference.pitches.get(d).copied().flatten();
                pitch.is_some_and(|pitch| pitch * reference.width < LINE)
            };
            let is_across = |variable: usize| {
                let mut dimensions = reference.dimensions.iter().enumerate().skip(1);
                dimensions
                    .any(|(d, terms)| is_short(d) && terms.iter().any(|(v, _)| *v == variable))
            };
            hole.len() > 1 && hole.iter().any(|range| is_across(range.variable))
        })
    }
}

/// Whether a nest names elements of several rows that no loop walks along or goes on to the next one, and that lie in one
/// line by the value of a symbol: `e(1, 1, k)` beside `e(1, 2, k)` of `e(m, m, n)`. Numbers have made one row of them.
fn names_short_rows(reference: &Reference<f64>) -> bool {
    let ([along, across, ..], Some(Some(pitch))) =
        (reference.dimensions.as_slice(), reference.pitches.get(1))
    else {
        return false;
    };
    let rows: BTreeSet<i64> = reference.offsets.iter().map(|offset| offset[1]).collect();
    let rows: Vec<i64> = rows.into_iter().collect();
    let share = |pair: &[i64]| (pair[1] - pair[0]) as f64 * pitch * reference.width < LINE;
    along.is_empty() && across.is_empty() && rows.windows(2).any(share)
}

/// Whether it matters which component a symbol means: `u(i, c)` begins at another place of a line for every `c`, and the mean
/// of all is counted.
fn depend_on_component(
    nest: &Nest,
    value: &dyn Fn(&Symbol) -> Option<f64>,
    domain: &Domain<f64>,
    references: &[Reference<f64>],
    spans: &[Span<f64>],
) -> bool {
    let off = |reference: &Reference<f64>| {
        let multiple = reference.multiple?;
        let (rows, _) = rows_of(domain, reference, spans)?;
        let places = (0..rows.line as i64).map(|place| {
            let by = place as f64 * multiple;
            let starts = rows.starts.iter().map(|start| start + by).collect();
            Rows { starts, ..rows }.lines().len() as f64
        });
        let lines: Vec<f64> = places.collect();
        let mean = lines.iter().sum::<f64>() / lines.len() as f64;
        lines
            .into_iter()
            .map(|lines| f64::abs(lines - mean))
            .reduce(f64::max)
    };
    let off: f64 = references.iter().filter_map(off).sum();
    off > 0.0 && off > NEAR * undecided::cold(nest, value)
}

/// Whether components of one array share lines, and more than a few of all.
fn share_lines(
    geometry: &Geometry,
    domain: &Domain<f64>,
    references: &[Reference<f64>],
    spans: &[Span<f64>],
) -> bool {
    let mut arrays: BTreeMap<&str, BTreeMap<usize, BTreeSet<i64>>> = BTreeMap::new();
    for reference in references {
        let name = &geometry.step_names.arrays[reference.array];
        let Some((rows, _)) = rows_of(domain, reference, spans) else {
            continue;
        };
        let lines = rows.lines();
        let components = arrays.entry(name).or_default();
        components.entry(reference.array).or_default().extend(lines);
    }
    let (mut all, mut shared) = (0, 0);
    for components in arrays.into_values() {
        let each: usize = components.values().map(BTreeSet::len).sum();
        let together: BTreeSet<i64> = components.into_values().flatten().collect();
        all += each;
        shared += each - together.len();
    }
    shared as f64 > NEAR * all as f64
}

/// A few rows: where they begin, and how long each is, in elements of which a line has so many.
struct Rows {
    starts: Vec<f64>,
    length: f64,
    line: f64,
}

impl Rows {
    /// The lines that they touch.
    fn lines(&self) -> BTreeSet<i64> {
        let touched = self.starts.iter().flat_map(|start| {
            let (first, last) = (start / self.line, (start + self.length - 1.0) / self.line);
            (first.floor() as i64)..=(last.floor() as i64)
        });
        touched.collect()
    }
}

/// Lines of a reference with the mean of all places, and as they are; nothing where its rows are many or are counted as
/// they are.
fn lines(
    domain: &Domain<f64>,
    reference: &Reference<f64>,
    spans: &[Span<f64>],
) -> Option<(f64, f64)> {
    let (rows, apart) = rows_of(domain, reference, spans)?;
    let is_counted =
        alignment(&apart, &rows.line) > 1.0 || apart.iter().any(|apart| *apart <= rows.length);
    if rows.starts.len() < 2 || is_counted {
        return None;
    }
    let mean = rows.starts.len() as f64 * (rows.length + rows.line - 1.0) / rows.line;
    Some((mean, rows.lines().len() as f64))
}

/// The rows of a reference, and the distances by which loops and offsets move them, if they are few.
fn rows_of(
    domain: &Domain<f64>,
    reference: &Reference<f64>,
    spans: &[Span<f64>],
) -> Option<(Rows, Vec<f64>)> {
    let line = LINE / reference.width;
    let (along, _) = reference.dimensions.split_first()?;
    let by_one =
        |(v, by): &&(usize, f64)| by.abs() == 1.0 && domain.loops[*v].known_step == Some(1.0);
    let row = along.iter().find(by_one)?;
    let first = reference.offsets.iter().map(|offset| offset[0]).min()?;
    let last = reference.offsets.iter().map(|offset| offset[0]).max()?;
    let length = spans[row.0].count + (last - first) as f64;
    let low = match row.1 > 0.0 {
        true => spans[row.0].low,
        false => -spans[row.0].high,
    };
    let pitches = reference.pitches.get(..reference.dimensions.len())?;
    let pitches: Vec<f64> = pitches.iter().copied().collect::<Option<_>>()?;
    // The first element of every row, and the distances by which loops and offsets move it.
    let (mut rows, mut apart) = (vec![low + first as f64], Vec::new());
    for (d, pitch) in pitches.iter().enumerate() {
        let others = reference.offsets.iter().map(|offset| offset[d]);
        let others: BTreeSet<i64> = others.filter(|_| d > 0).collect();
        rows.iter_mut()
            .for_each(|start| *start += reference.bases[d] * pitch);
        if others.len() > 1 {
            apart.push(*pitch);
            rows = moved(&rows, others.iter().map(|at| *at as f64 * pitch))?;
        } else if let Some(only) = others.first() {
            rows.iter_mut()
                .for_each(|start| *start += *only as f64 * pitch);
        }
        for (v, by) in reference.dimensions[d].iter().filter(|term| *term != row) {
            let step = domain.loops[*v].known_step? * by * pitch;
            let place = spans[*v].low * by * pitch;
            if spans[*v].count > FEW || by.abs() >= LONG_STRIDE {
                return None;
            }
            apart.push(step.abs());
            let places = (0..spans[*v].count as i64).map(|at| place + at as f64 * step);
            rows = moved(&rows, places)?;
        }
    }
    let is_known = length >= 1.0 && rows.iter().all(|row| row.is_finite());
    let rows = Rows {
        starts: rows,
        length,
        line,
    };
    (is_known && length <= FEW * line).then_some((rows, apart))
}

/// The rows at all of these distances from others, if they are few.
fn moved(rows: &[f64], by: impl Iterator<Item = f64> + Clone) -> Option<Vec<f64>> {
    let all = rows
        .iter()
        .flat_map(|start| by.clone().map(move |by| start + by));
    let all: Vec<f64> = all.take(FEW as usize + 1).collect();
    (all.len() as f64 <= FEW).then_some(all)
}
