//! How long are the dimensions of an array?
//!
//! From one row to the next, and so from one place to the next in memory, is the product of the extents inside.
//! As declared, where the declaration says it. Of `a(:, :)` the nest itself has to say: all dimensions but the
//! last reach from where the language begins to count, or the smallest subscript, to the largest subscript of all
//! references of the nest.
//!
//! ```text
//! real :: a(:, :)          i = 1 .. n:  a(i, j), a(i + 1, j)     first dimension: 1 .. n + 1
//! ```
//!
//! The last dimension has no end then, and begins where Fortran does, at one.
//!
//! What a gather or an unknown stride moves has no such end and stays unknown: then rows are taken to be apart. So are
//! those of which a nest uses one element only, `a[i][0]`: that says nothing of their length.

use super::domain::{Affine, Domain, Given, Tiles};
use super::geometry;
use super::order;
use super::reference::LONG_STRIDE;
use crate::analysis::delinearise::{gcd, goes_back};
use crate::analysis::facts::{Component, Loop, Stream, Subscript};
use crate::analysis::moving::is_unknown_stride;
use crate::expr::Expr;
use crate::nest::NestStream;

/// First and last index of a dimension.
pub type Extent = Option<(Expr, Expr)>;

/// The extents of every stream's array, in storage order. Of an array that is declared without them, as
/// `a(:, :)`, all but the last are from where the language begins to count, or the smallest subscript, to the largest
/// subscript of the nest.
pub fn of(
    domain: &Domain<Expr>,
    streams: &[NestStream],
    loops: &[&Loop],
    begin: f64,
) -> Vec<Vec<Extent>> {
    let mut arrays: Vec<(&Stream, Vec<Extent>)> = Vec::new();
    for NestStream { stream, .. } in streams {
        if arrays.iter().all(|(known, _)| !is_same(known, stream)) {
            let extents = known_or_reached(domain, streams, (loops, begin), stream);
            arrays.push((stream, extents));
        }
    }
    let extents = |used: &NestStream| {
        let found = arrays
            .iter()
            .find(|(known, _)| is_same(known, &used.stream));
        found.map_or_else(Vec::new, |(_, extents)| extents.clone())
    };
    streams.iter().map(extents).collect()
}

/// The first index of the last dimension of every stream's array, if only the language says it: where the language begins
/// to count, or the smallest subscript, if that is less.
pub fn firsts(
    domain: &Domain<Expr>,
    streams: &[NestStream],
    loops: &[&Loop],
    begin: f64,
) -> Vec<Option<Expr>> {
    let first = |used: &NestStream| {
        let stream = &used.stream;
        let last = stream.subscripts.len().checked_sub(1)?;
        let is_declared = stream.extents.get(last).is_some_and(Option::is_some);
        if begin == 0.0 || is_declared || stream.component != Component::default() {
            return None;
        }
        let all = streams.iter().map(|other| &other.stream);
        let same = all.filter(|other| is_same(other, stream));
        let ends: Option<Vec<(Expr, Expr)>> = same
            .map(|other| reach(domain, loops, other, last))
            .collect();
        let lows = ends?.into_iter().map(|(low, _)| low);
        Some(order::smallest(lows.chain([Expr::from(begin)]).collect()))
    };
    streams.iter().map(first).collect()
}

/// Whether subscripts go beyond the declared ends of rows, so that rows overlap, or far beyond the end of an array, so
/// that others follow: sizes do not go with declarations.
pub fn overlap(
    domain: &Domain<Expr>,
    streams: &[NestStream],
    loops: &[&Loop],
    value: &dyn Fn(&Expr) -> Option<f64>,
) -> bool {
    let is_beyond = |stream: &Stream, d: usize| {
        let declared = stream.extents.get(d).and_then(Option::as_ref);
        let Some((first, last)) = declared.filter(|(_, last)| !is_unknown_stride(last)) else {
            return false;
        };
        let reach = reach(domain, loops, stream, d);
        let Some((low, high)) = reach.or_else(|| reach_by_parameters(domain, loops, stream, d))
        else {
            return false;
        };
        let apart = |from: &Expr, to: &Expr| value(from).zip(value(to)).map(|(from, to)| to - from);
        let is_last = d + 1 == stream.subscripts.len();
        let fits = match (is_last, apart(first, last)) {
            // One plane beyond the only one is that plane again.
            (false, Some(length)) if d > 0 => (length * FAR_BEYOND).min(BEYOND),
            (false, _) => BEYOND,
            // An array of one element is one of an unknown number of them.
            (true, None | Some(0.0)) => return false,
            (true, Some(length)) => (length * FAR_BEYOND).max(BEYOND),
        };
        let is_more = |apart: f64| apart > fits;
        let (Some(above), Some(below)) = (apart(last, &high), apart(&low, first)) else {
            return [apart(last, &high), apart(&low, first)]
                .into_iter()
                .flatten()
                .any(is_more);
        };
        // Whole rows away is as good: backwards from the end of a row is from before the beginning of the next one.
        let rows = match (is_last, apart(first, last)) {
            (false, Some(last)) => ((above - below) / 2.0 / (last + 1.0)).round() * (last + 1.0),
            _ => 0.0,
        };
        let (shifted_above, shifted_below) = (above - rows, below + rows);
        let is_there =
            is_backwards(&stream.subscripts[d]) || shifted_above <= 0.0 && shifted_below <= 0.0;
        match is_there {
            true => is_more(shifted_above) || is_more(shifted_below),
            false => is_more(above) || is_more(below),
        }
    };
    let unguarded = streams.iter().filter(|used| used.when.is_always());
    let mut all = unguarded.flat_map(|used| {
        let dimensions = 0..used.stream.subscripts.len();
        dimensions.map(move |d| (&used.stream, d))
    });
    all.any(|(stream, d)| is_beyond(stream, d))
}

/// Whether what moves a subscript furthest moves it back.
fn is_backwards(subscript: &Subscript) -> bool {
    let numbers = subscript.terms.iter().map(|(_, by)| by.as_number());
    let numbers: Option<Vec<f64>> = numbers.collect();
    numbers.is_some_and(goes_back)
}

/// The share of an array by which a nest may go beyond its end, as it makes no more difference.
const FAR_BEYOND: f64 = 0.1;
/// Elements by which rows may overlap: a fraction of a line.
const BEYOND: f64 = 2.0;

fn is_same(a: &Stream, b: &Stream) -> bool {
    a.array == b.array
        && a.component == b.component
        && a.subscripts.len() == b.subscripts.len()
        && a.extents == b.extents
}

fn known_or_reached(
    domain: &Domain<Expr>,
    streams: &[NestStream],
    (loops, begin): (&[&Loop], f64),
    stream: &Stream,
) -> Vec<Extent> {
    let mut extents = stream.extents.clone();
    let inner = stream.subscripts.len().saturating_sub(1);
    extents.resize(extents.len().max(inner), None);
    for (d, extent) in extents.iter_mut().enumerate().take(inner) {
        if extent.is_none() {
            let of = || {
                let all = streams.iter().map(|used| &used.stream);
                all.filter(|other| is_same(other, stream))
            };
            if d == 0 && have_one_element(of()) {
                continue;
            }
            let record = if d == 0 && begin == 0.0 {
                record(of())
            } else {
                1
            };
            let ends = of().map(|other| reach_of_records(domain, loops, other, (d, record)));
            let ends: Option<Vec<(Expr, Expr)>> = ends.collect();
            *extent = ends.map(|ends| {
                let (mut lows, highs): (Vec<Expr>, Vec<Expr>) = ends.into_iter().unzip();
                lows.push(Expr::from(begin));
                (order::smallest(lows), order::largest(highs))
            });
        }
    }
    extents
}

/// Whether the streams of an array use one and the same element of each row, so that they do not say how long these are.
fn have_one_element<'s>(mut streams: impl Iterator<Item = &'s Stream>) -> bool {
    let place = |stream: &'s Stream| {
        let subscript = &stream.subscripts[0];
        let mut offsets = stream.accesses.iter().map(|access| access.offset[0]);
        let first = offsets.next()?;
        let stands = subscript.terms.is_empty() && subscript.gather.is_none();
        (stands && offsets.all(|offset| offset == first)).then_some((&subscript.base, first))
    };
    let Some(first) = streams.next().and_then(place) else {
        return false;
    };
    streams.all(|stream| place(stream).is_some_and(|other| other == first))
}

/// Bytes of a row beside which those of the pointer that leads to it do not matter much: ten times as many.
const LITTLE_OF_A_ROW: f64 = 80.0;

/// Whether the nest goes through rows of which nothing says how far apart they lie, and uses so little of each that it matters,
/// as do the loads of the pointers to rows in C, which are not counted.
pub fn are_rows_unknown(
    domain: &Domain<Expr>,
    streams: &[NestStream],
    (loops, begin): (&[&Loop], f64),
    value: &dyn Fn(&Expr) -> Option<f64>,
) -> bool {
    let all = || streams.iter().map(|used| &used.stream);
    let has_unknown = |stream: &&Stream| {
        let moves = |subscript: &Subscript| !subscript.terms.is_empty();
        stream.subscripts.iter().skip(1).any(moves)
            && !stream.extents.first().is_some_and(Option::is_some)
    };
    all().filter(has_unknown).any(|stream| {
        let same = || all().filter(|other| is_same(other, stream));
        // Those of which Fortran does not say the length follow each other, as a rule.
        if begin != 0.0 {
            return have_one_element(same());
        }
        let ends = same().map(|other| {
            let (low, high) = reach_by_parameters(domain, loops, other, 0)?;
            value(&low).zip(value(&high))
        });
        let ends: Option<Vec<(f64, f64)>> = ends.collect();
        ends.is_some_and(|ends| {
            let low = ends
                .iter()
                .map(|(low, _)| *low)
                .fold(f64::INFINITY, f64::min);
            let high = ends
                .iter()
                .map(|(_, high)| *high)
                .fold(f64::NEG_INFINITY, f64::max);
            let bytes = f64::from(stream.element_bytes.unwrap_or(8));
            (high - low + 1.0) * bytes < LITTLE_OF_A_ROW
        })
    })
}

/// Elements of the records that all streams of an array move by along its contiguous dimension: `p[j][i].x` of structures of
/// four is element 4·i of the row `p[j]`, which ends with a whole structure.
fn record<'s>(mut streams: impl Iterator<Item = &'s Stream>) -> i64 {
    let common = |stream: &Stream| {
        let terms = stream.subscripts[0].terms.iter();
        let strides: Option<Vec<i64>> = terms.map(|(_, by)| by.as_integer()).collect();
        strides.map(|strides| strides.into_iter().fold(0, gcd))
    };
    let all = streams.try_fold(0, |all, stream| Some(gcd(all, common(stream)?)));
    all.filter(|record| (2..=LONGEST_RECORD).contains(record))
        .unwrap_or(1)
}

/// Elements of a record: a longer stride is taken to be one of the nest.
const LONGEST_RECORD: i64 = 256;

/// The smallest and the largest subscript of a stream along a dimension, if all of them are known.
fn reach(
    domain: &Domain<Expr>,
    loops: &[&Loop],
    stream: &Stream,
    d: usize,
) -> Option<(Expr, Expr)> {
    reach_of_records(domain, loops, stream, (d, 1))
}

/// The same where parameters say how far the loops move it.
fn reach_by_parameters(
    domain: &Domain<Expr>,
    loops: &[&Loop],
    stream: &Stream,
    d: usize,
) -> Option<(Expr, Expr)> {
    let subscript = &stream.subscripts[d];
    if subscript.gather.is_some() || subscript.terms.iter().any(|(_, by)| is_unknown_stride(by)) {
        return None;
    }
    let given: Vec<Given<Expr>> = domain.loops.iter().map(|_| Given::Free).collect();
    let spans = domain.spans(&given, Tiles::Full);
    let (mut low, mut high) = (subscript.base.clone(), subscript.base.clone());
    for (name, by) in &subscript.terms {
        let position = loops.iter().rposition(|known| known.variable == *name)?;
        let ends = [&spans[position].low, &spans[position].high].map(|end| end * by);
        low = low + Expr::min(ends.clone());
        high = high + Expr::max(ends);
    }
    let offsets = || stream.accesses.iter().map(|access| access.offset[d]);
    let (first, last) = (offsets().min()?, offsets().max()?);
    Some((low + first as f64, high + last as f64))
}

/// The same of rows that hold whole records of so many elements.
fn reach_of_records(
    domain: &Domain<Expr>,
    loops: &[&Loop],
    stream: &Stream,
    (d, record): (usize, i64),
) -> Option<(Expr, Expr)> {
    let subscript = &stream.subscripts[d];
    let terms = geometry::terms(subscript, loops);
    if subscript.gather.is_some() || terms.iter().any(|(_, c)| c.abs() >= LONG_STRIDE) {
        return None;
    }
    let given: Vec<Given<Expr>> = domain.loops.iter().map(|_| Given::Free).collect();
    let place = Affine {
        terms,
        rest: subscript.base.clone(),
    };
    let (low, high) = domain.extremes(&place, &domain.spans(&given, Tiles::Full), &given);
    let offsets = || stream.accesses.iter().map(|access| access.offset[d]);
    let (first, last) = (offsets().min()?, offsets().max()?);
    let first = first.div_euclid(record).checked_mul(record)?;
    let last = last.div_euclid(record).checked_mul(record)?;
    let last = last.checked_add(record - 1)?;
    Some(((low + first as f64).expand(), (high + last as f64).expand()))
}
