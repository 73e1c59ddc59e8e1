//! Do the lines that a nest keeps coming back to fall into few sets of a cache?
//!
//! A cache of s sets puts line n into set n mod s. Lines that a loop walks through at a stride of k lines fall into
//! s / gcd(k, s) of the sets, and these hold so many times the ways. Where the loop walks through more lines than that
//! and the whole cache would hold them, they push each other out while most of the cache is not used:
//!
//! ```text
//! for j, for i: b[j][i] = a[i][j]      rows of a: 4,096 B, 64 lines
//! L1 of 64 sets and 8 ways             gcd(64, 64) = 64: one set, 8 lines, and i walks through 512
//! ```
//!
//! The same of one iteration: rows of a stencil that lie a multiple of s lines apart are in one set. All of this follows
//! from strides alone, whatever the arrays' places are. What it costs, a run says: the rule of this directory knows
//! fully associative caches only.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::domain::{Given, Span, Tiles};
use super::geometry::Geometry;
use super::reference::{LONG_STRIDE, Reference};
use crate::expr::Expr;
use crate::nest::Nest;

/// A cache with sets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SetAssociative {
    pub bytes: f64,
    pub ways: f64,
    pub line: f64,
}

/// Lines that fall into few sets of a cache.
#[derive(Clone, Debug, PartialEq)]
pub struct Collision {
    pub array: Arc<str>,
    /// Bytes from one of the lines to the next.
    pub stride: f64,
    /// So many lines come to these sets.
    pub lines: f64,
    pub sets: f64,
    /// Lines that these sets hold.
    pub held: f64,
}

impl SetAssociative {
    fn sets(&self) -> f64 {
        self.bytes / self.line / self.ways
    }

    /// Of so many lines at a stride.
    fn collision(&self, array: &Arc<str>, stride: f64, lines: f64) -> Option<Collision> {
        let (sets, apart) = (self.sets(), stride.abs() / self.line);
        let is_whole = |number: f64| number.fract() == 0.0 && (1.0..1e15).contains(&number);
        if !is_whole(sets) || !is_whole(apart) || lines * self.line > self.bytes {
            return None;
        }
        let reached = sets / greatest_common_divisor(apart as u64, sets as u64) as f64;
        let held = reached * self.ways;
        (lines > held).then(|| Collision {
            array: array.clone(),
            stride: stride.abs(),
            lines,
            sets: reached,
            held,
        })
    }
}

/// The worst collision of a nest in a cache; `value` knows the sizes, and `is_known` whether they are more than guesses.
pub fn collision(
    nest: &Nest,
    value: &dyn Fn(&Expr) -> f64,
    is_known: &dyn Fn(&Expr) -> bool,
    cache: SetAssociative,
) -> Option<Collision> {
    let geometry = Geometry::of(nest);
    let is_sure =
        |r: &Reference<Expr>| r.gathered.is_none() && r.pitches.iter().flatten().all(is_known);
    let sure: Vec<bool> = geometry.references.iter().map(is_sure).collect();
    let (domain, references) = geometry.map(value);
    let spans = domain.spans(&vec![Given::Free; domain.loops.len()], Tiles::Full);
    let mut found: Vec<Collision> = Vec::new();
    for reference in references
        .iter()
        .zip(&sure)
        .filter(|(_, sure)| **sure)
        .map(|(r, _)| r)
    {
        let array = &geometry.step_names.arrays[reference.array];
        let strides: Option<Vec<f64>> = (0..reference.level)
            .map(|v| Some(stride(reference, v)? * domain.loops[v].step * reference.width))
            .collect();
        // Only what a loop around comes back to can be pushed out too early.
        let comes_back =
            |(stride, span): (&f64, &Span<f64>)| stride.abs() < cache.line && span.count > 1.0;
        for (v, stride) in strides.iter().flatten().enumerate() {
            if strides.iter().flatten().zip(&spans).take(v).any(comes_back) {
                found.extend(cache.collision(array, *stride, spans[v].count));
            }
        }
        found.extend(rows(reference, array, cache));
    }
    let excess = |collision: &Collision| collision.lines / collision.held;
    found
        .into_iter()
        .max_by(|a, b| excess(a).total_cmp(&excess(b)))
}

/// Elements by which an iteration of a loop moves a reference.
fn stride(reference: &Reference<f64>, v: usize) -> Option<f64> {
    let mut all = 0.0;
    for (terms, pitch) in reference.dimensions.iter().zip(&reference.pitches) {
        for (_, by) in terms.iter().filter(|(walker, _)| *walker == v) {
            let by = match reference.stride {
                Some(stride) if by.abs() >= LONG_STRIDE => stride,
                _ => *by,
            };
            all += by * (*pitch)?;
        }
    }
    (all.abs() < LONG_STRIDE).then_some(all)
}

/// Rows that one iteration touches, of which many lie a multiple of all sets apart.
fn rows(reference: &Reference<f64>, array: &Arc<str>, cache: SetAssociative) -> Option<Collision> {
    let period = cache.sets() * cache.line;
    let mut alike: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for offset in &reference.offsets {
        let mut place = 0.0;
        for (at, pitch) in offset.iter().zip(&reference.pitches).skip(1) {
            place += *at as f64 * (*pitch)? * reference.width;
        }
        let places = alike.entry(place.rem_euclid(period) as i64).or_default();
        places.push(place as i64);
    }
    let mut most = alike.into_values().max_by_key(Vec::len)?;
    most.sort_unstable();
    most.dedup();
    let apart = most.windows(2).map(|pair| pair[1] - pair[0]).min()?;
    let lines = most.len() as f64;
    (lines > cache.ways && period.fract() == 0.0).then(|| Collision {
        array: array.clone(),
        stride: apart as f64,
        lines,
        sets: 1.0,
        held: cache.ways,
    })
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    match b {
        0 => a,
        _ => greatest_common_divisor(b, a % b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fall_into_the_sets_that_their_stride_leads_to() {
        let cache = SetAssociative {
            bytes: 32768.0,
            ways: 8.0,
            line: 64.0,
        };
        let of = |stride: f64, lines: f64| {
            let found = cache.collision(&Arc::from("a"), stride, lines);
            found.map(|found| (found.sets, found.held))
        };
        // 64 sets: rows of 4 KiB all begin in one, rows of 512 B in 8, rows of 65 lines in all.
        assert_eq!(of(4096.0, 9.0), Some((1.0, 8.0)));
        assert_eq!(of(4096.0, 8.0), None);
        assert_eq!(of(512.0, 65.0), Some((8.0, 64.0)));
        assert_eq!(of(65.0 * 64.0, 500.0), None);
        // What no cache of that size holds, and strides within lines.
        assert_eq!(of(4096.0, 513.0), None);
        assert_eq!(of(4104.0, 100.0), None);
    }
}
