//! How many lines does a nest of few iterations touch, going through all of them?
//!
//! Where outer loops move the ends of inner ones, the rule takes the middle of several parts of their ranges. Of a triangle
//! of three rows that is no more than a guess, so the lines of small ones are counted one by one, to mark those of which it
//! is off:
//!
//! ```text
//! for (i = 0; i < 3; i++) for (j = i; j < 3; j++) h[j][i] = 0;      two lines, as many as the nine elements have
//! ```

use std::collections::BTreeSet;

use super::domain::{Affine, Domain};
use super::reference::{Condition, Guarded, LONG_STRIDE, Reference};

/// Iterations of all loops together that are gone through at most.
const MOST_ITERATIONS: usize = 2000;
/// Bytes of a line.
const LINE: f64 = 64.0;

/// Distinct lines.
pub struct Counted {
    pub touched: usize,
    pub written: usize,
}

/// The distinct lines of some references; nothing where something is not known or the iterations are too many.
pub fn lines(domain: &Domain<f64>, references: &[Reference<f64>]) -> Option<Counted> {
    let is_known = |reference: &Reference<f64>| {
        reference.gathered.is_none()
            && reference.multiple.is_none()
            && reference.taken.is_none_or(|taken| taken == 1.0 || taken == 0.0)
    };
    if !references.iter().all(is_known) {
        return None;
    }
    let mut walk = Walk {
        domain,
        references,
        places: Vec::new(),
        iterations: 0,
        touched: BTreeSet::new(),
        written: BTreeSet::new(),
    };
    walk.go_on()?;
    Some(Counted {
        touched: walk.touched.len(),
        written: walk.written.len(),
    })
}

struct Walk<'a> {
    domain: &'a Domain<f64>,
    references: &'a [Reference<f64>],
    /// Values of the loops that are open.
    places: Vec<f64>,
    iterations: usize,
    touched: BTreeSet<(usize, i64)>,
    written: BTreeSet<(usize, i64)>,
}

impl Walk<'_> {
    /// Everything inside of the loops that are open.
    fn go_on(&mut self) -> Option<()> {
        let level = self.places.len();
        for reference in self.references.iter().filter(|r| r.level == level && r.taken != Some(0.0)) {
            let line = |offset: &Vec<i64>| {
                let place = self.element(reference, offset)? * reference.width / LINE;
                Some((reference.array, place.floor() as i64))
            };
            let lines_of = |offsets: &[Vec<i64>], is_met: bool| match is_met {
                true => offsets.iter().map(line).collect(),
                false => Some(Vec::new()),
            };
            let touched: Vec<_> = lines_of(&reference.offsets, self.holds(&reference.condition))?;
            let written: Vec<_> = lines_of(&reference.written, self.holds(reference.writing()))?;
            self.touched.extend(touched);
            self.written.extend(written);
        }
        let Some(range) = self.domain.loops.get(level) else {
            return Some(());
        };
        let step = range.known_step?.abs();
        let bound = |bounds: &[Affine<f64>], most: bool| {
            let ends = bounds.iter().map(|bound| self.value(bound));
            ends.reduce(|a, b| if most { a.max(b) } else { a.min(b) })
        };
        let (low, high) = (bound(&range.lowers, true)?, bound(&range.uppers, false)?);
        let number = (high - low + step) / step;
        if !number.is_finite() || number > MOST_ITERATIONS as f64 {
            return None;
        }
        for at in 0..number.floor().max(0.0) as usize {
            self.iterations += 1;
            if self.iterations > MOST_ITERATIONS {
                return None;
            }
            self.places.push(match range.descending {
                true => high - at as f64 * step,
                false => low + at as f64 * step,
            });
            self.go_on()?;
            self.places.pop();
        }
        Some(())
    }

    fn value(&self, affine: &Affine<f64>) -> f64 {
        let terms = affine.terms.iter();
        terms.fold(affine.rest, |sum, (v, by)| {
            sum + by * self.places.get(*v).copied().unwrap_or(f64::NAN)
        })
    }

    fn holds(&self, condition: &Condition<f64>) -> bool {
        let is_in = |guard: &Guarded<f64>| {
            let place = self.places.get(guard.variable);
            place.is_some_and(|place| {
                let above = (guard.lower.as_ref()).is_none_or(|low| self.value(low) <= *place);
                above && (guard.upper.as_ref()).is_none_or(|high| *place <= self.value(high))
            })
        };
        let is_left_out = !condition.hole.is_empty() && condition.hole.iter().all(is_in);
        condition.guards.iter().all(is_in) && !is_left_out
    }

    fn element(&self, reference: &Reference<f64>, offset: &[i64]) -> Option<f64> {
        let mut sum = 0.0;
        for (d, terms) in reference.dimensions.iter().enumerate() {
            if terms.iter().any(|(_, by)| by.abs() >= LONG_STRIDE) {
                return None;
            }
            let place = reference.place(d);
            let pitch = reference.pitches.get(d).copied().flatten()?;
            sum += (self.value(&place) + offset[d] as f64) * pitch;
        }
        sum.is_finite().then_some(sum)
    }
}
