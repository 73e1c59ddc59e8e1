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
use super::taken::Taken;

/// Bytes of a line.
pub const LINE: f64 = 64.0;

/// Distinct lines.
#[derive(Clone, Copy)]
pub struct Counted {
    pub touched: usize,
    pub written: usize,
}

/// The distinct lines of some references; nothing where something is not known or there are more iterations than `most`.
pub fn lines(domain: &Domain<f64>, references: &[Reference<f64>], most: usize) -> Option<Counted> {
    let (mut touched, mut written) = (BTreeSet::new(), BTreeSet::new());
    walk(domain, references, most, &mut |line, is_written| {
        match is_written {
            true => written.insert(line),
            false => touched.insert(line),
        };
        true
    })?;
    Some(Counted {
        touched: touched.len(),
        written: written.len(),
    })
}

/// A line, by its array, and whether it is written to.
type Visit<'v> = dyn FnMut((usize, i64), bool) -> bool + 'v;

/// Visits the lines of all accesses of some references, in the order of the iterations, those that are written to a second
/// time for that, as long as the visit goes on; nothing where something is not known or there are more iterations than `most`.
pub fn walk(
    domain: &Domain<f64>,
    references: &[Reference<f64>],
    most: usize,
    visit: &mut Visit,
) -> Option<()> {
    let is_known = |reference: &Reference<f64>| {
        reference.gathered.is_none()
            && reference.multiple.is_none()
            && (reference.taken.iter().chain(&reference.writes)).all(Taken::is_all_or_nothing)
    };
    if !references.iter().all(is_known) || has_many_iterations(domain, most) {
        return None;
    }
    let mut walk = Walk {
        domain,
        references,
        places: Vec::new(),
        iterations: 0,
        most,
        visit,
    };
    walk.go_on()
}

/// Whether loops whose ends are always the same have too many iterations by themselves.
fn has_many_iterations(domain: &Domain<f64>, most: usize) -> bool {
    let fixed = domain.loops.iter().filter_map(|range| {
        let ([low], [high]) = (range.lowers.as_slice(), range.uppers.as_slice()) else {
            return None;
        };
        let is_fixed = low.terms.is_empty() && high.terms.is_empty();
        is_fixed.then(|| ((high.rest - low.rest) / range.step + 1.0).max(1.0))
    });
    fixed.product::<f64>() > most as f64
}

struct Walk<'a, 'v> {
    domain: &'a Domain<f64>,
    references: &'a [Reference<f64>],
    /// Values of the loops that are open.
    places: Vec<f64>,
    iterations: usize,
    most: usize,
    visit: &'a mut Visit<'v>,
}

impl Walk<'_, '_> {
    /// Everything inside of the loops that are open.
    fn go_on(&mut self) -> Option<()> {
        let level = self.places.len();
        for reference in self
            .references
            .iter()
            .filter(|r| r.level == level && !r.taken.as_ref().is_some_and(Taken::is_never))
        {
            if self.holds(&reference.condition) {
                for offset in &reference.offsets {
                    let mut lines = self.lines(reference, offset)?;
                    if !lines.all(|line| (self.visit)(line, false)) {
                        return None;
                    }
                }
            }
            let is_never_written = reference.writes.as_ref().is_some_and(Taken::is_never);
            if !is_never_written && self.holds(reference.writing()) {
                for offset in &reference.written {
                    let mut lines = self.lines(reference, offset)?;
                    if !lines.all(|line| (self.visit)(line, true)) {
                        return None;
                    }
                }
            }
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
        if !number.is_finite() || number > self.most as f64 {
            return None;
        }
        for at in 0..number.floor().max(0.0) as usize {
            self.iterations += 1;
            if self.iterations > self.most {
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

    /// The lines in which an element lies.
    fn lines(
        &self,
        reference: &Reference<f64>,
        offset: &[i64],
    ) -> Option<impl Iterator<Item = (usize, i64)> + use<>> {
        let mut sum = 0.0;
        for (d, terms) in reference.dimensions.iter().enumerate() {
            let mut place = reference.bases[d] + offset[d] as f64;
            for (v, by) in terms {
                if by.abs() >= LONG_STRIDE {
                    return None;
                }
                place += by * self.places.get(*v).copied().unwrap_or(f64::NAN);
            }
            sum += place * reference.pitches.get(d).copied().flatten()?;
        }
        let begin = sum * reference.width;
        let last = begin + reference.width - 1.0;
        let [first, last] = [begin, last].map(|byte| (byte / LINE).floor());
        let array = reference.array;
        (first.is_finite() && last.is_finite())
            .then(|| (first as i64..=last as i64).map(move |line| (array, line)))
    }
}
