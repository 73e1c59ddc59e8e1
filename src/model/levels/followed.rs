//! What does a nest of few accesses move through caches of any size, each access followed?
//!
//! The rule takes means and knows some shapes only. Where all places of a nest are known and they are not many, they are gone
//! through in their order (`literal`), as a cache with LRU replacement sees them: an access finds its line if the distinct lines
//! since the last access to it fit. What that comes to stands beside what the rule says, cache by cache, away from the sizes
//! at which the traffic steps:
//!
//! ```text
//! rows of 50 floats, 57 apart, whose ends share lines      the rule counts them once: the shape alone would be doubtful
//! columns at both ends of rows of 64 bytes                 one line a row, of which the rule makes two
//! ```
//!
//! So shapes that are doubtful by their looks are not where all is followed and the rule is right (`doubts`), and a nest of which
//! it is off is marked, whatever its shape.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::Profile;
use super::domain::Domain;
use super::geometry::Geometry;
use super::literal::{self, LINE};
use super::reference::Reference;
use super::small::{self, Plain};
use super::undecided;
use crate::cache::StackDistances;
use crate::expr::{Expr, Lookup, Symbol};
use crate::nest::Nest;

/// Bytes of the caches that are compared; the last one holds everything.
const CAPACITIES: [f64; 11] = [
    1024.0,
    2048.0,
    4096.0,
    8192.0,
    16384.0,
    32768.0,
    65536.0,
    131_072.0,
    524_288.0,
    2_097_152.0,
    1e15,
];
/// So much less and more of each shows whether the traffic steps there.
const AROUND: [f64; 3] = [1.0 / 1.1, 1.0, 1.1];
/// Traffic that changes by a larger share in between steps.
const STEP: f64 = 0.05;
const CACHES: usize = CAPACITIES.len() * AROUND.len();
/// All caches, a bit each.
const ALL: u64 = (1 << CACHES) - 1;
/// By so large a share the rule may be off and be right.
const RIGHT: f64 = 0.05;
/// How much is followed to say so.
const MOST: Most = Most {
    smallest: 1024.0,
    steps: Steps::OfAccesses,
    iterations: 5_000,
    lines: 10_000,
};

/// How much of a nest is followed at most, for which caches.
#[derive(Clone, Copy)]
pub struct Most {
    /// Bytes of the smallest cache.
    pub smallest: f64,
    pub steps: Steps,
    pub iterations: usize,
    /// Accesses to another line than the one before.
    pub lines: usize,
}

/// Whose steps in traffic a cache is not to be near.
#[derive(Clone, Copy, PartialEq)]
pub enum Steps {
    /// Those of the accesses.
    OfAccesses,
    /// Those of the rule as well.
    OfBoth,
}

/// Lines of elements that no loop moves, each touched once.
#[derive(Clone, Copy)]
pub struct Fixed {
    pub touched: f64,
    pub written: f64,
}

impl Fixed {
    /// A line for each of these, where there is one of each array: of several it is not asked which are in one line.
    pub fn of<N>(fixed: &[Reference<N>]) -> Option<Fixed> {
        let arrays: BTreeSet<usize> = fixed.iter().map(|one| one.array).collect();
        if arrays.len() < fixed.len() || fixed.iter().any(|one| one.offsets.len() > 1) {
            return None;
        }
        let written = fixed.iter().filter(|one| !one.written.is_empty()).count();
        Some(Fixed {
            touched: fixed.len() as f64,
            written: written as f64,
        })
    }
}

/// Whether the rule is shown to be right about a nest of few accesses, of which everything is known.
pub fn is_right(nest: &Nest, geometry: &Geometry, value: &dyn Fn(&Symbol) -> Option<f64>) -> bool {
    let number = |expr: &Expr| expr.evaluate(&value as &dyn Lookup).unwrap_or(f64::NAN);
    let Some(plain) = small::plain(nest, geometry, &number) else {
        return false;
    };
    let Plain {
        domain,
        references,
        fixed,
        is_as_assumed,
    } = &plain;
    if !is_as_assumed || super::is_blocked(geometry, nest, &number) {
        return false;
    }
    let rule = || undecided::as_it_is(nest, value);
    let apart = apart((domain, references), *fixed, MOST, &rule);
    apart.is_some_and(|apart| apart.cold.max(apart.anywhere) <= RIGHT)
}

/// By which share the rule is off.
#[derive(Clone, Copy)]
pub struct Apart {
    /// Through a cache that holds everything.
    pub cold: f64,
    /// The largest share through any cache where the traffic does not step.
    pub anywhere: f64,
}

/// By which share the rule is off; nothing where something is not known or the nest has too many accesses.
pub fn apart(
    (domain, references): (&Domain<f64>, &[Reference<f64>]),
    fixed: Fixed,
    most: Most,
    rule: &dyn Fn() -> Profile<f64>,
) -> Option<Apart> {
    let (outermost, inner) = domain.loops.split_first()?;
    // The rule's figures are those of a run of the branches around the nest, in some of which it is.
    let entered = outermost.entered;
    if entered <= 0.0 || inner.iter().any(|range| range.entered != 1.0) {
        return None;
    }
    let touches = touches(domain, references, most)?;
    let moved = through_all(&touches);
    let rule = rule();
    let mut found = Apart {
        cold: f64::NAN,
        anywhere: 0.0,
    };
    for (at, capacity) in CAPACITIES.iter().enumerate() {
        let lines = |around: usize| {
            let (fetched, written) = moved[at * AROUND.len() + around];
            (fetched as f64 + written as f64 + fixed.touched + fixed.written) * entered
        };
        if *capacity < most.smallest || lines(0) > lines(2) * (1.0 + STEP) {
            continue;
        }
        let [less, counted, more] = AROUND.map(|around| {
            let (fetched, written) = rule.through(capacity * around);
            fetched + written
        });
        if most.steps == Steps::OfBoth && less > more * (1.0 + STEP) {
            continue;
        }
        let apart = (counted - lines(1)).abs() / lines(1);
        if apart.is_nan() {
            return None;
        }
        found = Apart {
            cold: apart,
            anywhere: found.anywhere.max(apart),
        };
    }
    (!found.cold.is_nan()).then_some(found)
}

/// An access to a line, by its number, or several in a row.
struct Touch {
    line: usize,
    is_written: bool,
}

/// The accesses of a nest in their order, those to the line of the one before left out.
fn touches(domain: &Domain<f64>, references: &[Reference<f64>], most: Most) -> Option<Vec<Touch>> {
    let mut numbers: FxHashMap<(usize, i64), usize> = FxHashMap::default();
    let mut touches: Vec<Touch> = Vec::new();
    literal::walk(
        domain,
        references,
        most.iterations,
        &mut |place, is_written| {
            let next = numbers.len();
            let line = *numbers.entry(place).or_insert(next);
            match touches.last_mut() {
                Some(last) if last.line == line => last.is_written |= is_written,
                _ => touches.push(Touch { line, is_written }),
            }
            touches.len() <= most.lines
        },
    )?;
    Some(touches)
}

/// Lines fetched and written back by every cache.
fn through_all(touches: &[Touch]) -> [(u64, u64); CACHES] {
    let lines = touches
        .iter()
        .map(|touch| touch.line + 1)
        .max()
        .unwrap_or(0);
    // Of each line the caches that would write it back.
    let mut dirty: Vec<u64> = vec![0; lines];
    let mut distances = StackDistances::new(LINE as u64).expect("a length of lines");
    let mut moved = [(0, 0); CACHES];
    for touch in touches {
        let others = distances.touch(touch.line as u64);
        let distance = others.map(|others| (others + 1) as f64 * LINE);
        // Most find their lines in every cache.
        if distance.is_some_and(|distance| distance <= CAPACITIES[0] * AROUND[0]) {
            if touch.is_written {
                dirty[touch.line] = ALL;
            }
            continue;
        }
        for (cache, (fetched, written)) in moved.iter_mut().enumerate() {
            let bytes = CAPACITIES[cache / AROUND.len()] * AROUND[cache % AROUND.len()];
            if distance.is_some_and(|distance| distance <= bytes) {
                continue;
            }
            *fetched += 1;
            if dirty[touch.line] >> cache & 1 == 1 {
                dirty[touch.line] &= !(1 << cache);
                *written += 1;
            }
        }
        if touch.is_written {
            dirty[touch.line] = ALL;
        }
    }
    for (cache, (_, written)) in moved.iter_mut().enumerate() {
        *written += dirty
            .iter()
            .filter(|caches| *caches >> cache & 1 == 1)
            .count() as u64;
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same, with a list of lines in the order of their last use for each cache.
    fn one_by_one(touches: &[Touch], bytes: f64) -> (u64, u64) {
        let room = (bytes / LINE) as usize;
        let mut held: Vec<(usize, bool)> = Vec::new();
        let (mut fetched, mut written) = (0, 0);
        for touch in touches {
            let found = held.iter().position(|(line, _)| *line == touch.line);
            let is_dirty = match found {
                Some(at) => held.remove(at).1,
                None => {
                    fetched += 1;
                    false
                }
            };
            held.insert(0, (touch.line, is_dirty || touch.is_written));
            if held.len() > room {
                written += u64::from(held.pop().is_some_and(|(_, is_dirty)| is_dirty));
            }
        }
        let left = held.iter().filter(|(_, is_dirty)| *is_dirty).count();
        (fetched, written + left as u64)
    }

    #[test]
    fn all_caches_at_once_move_what_each_moves_by_itself() {
        let mut state = 7_u64;
        let mut next = |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) % below
        };
        let touches: Vec<Touch> = (0..4000)
            .map(|at| Touch {
                line: (if at % 3 == 0 { next(400) } else { at / 5 % 90 }) as usize,
                is_written: next(4) == 0,
            })
            .collect();
        let moved = through_all(&touches);
        for (cache, together) in moved.iter().enumerate() {
            let bytes = CAPACITIES[cache / AROUND.len()] * AROUND[cache % AROUND.len()];
            assert_eq!(*together, one_by_one(&touches, bytes), "{bytes}");
        }
    }
}
