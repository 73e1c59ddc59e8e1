//! Traffic through caches of any capacity, by the refined rule of static.md section 3: for every loop
//! that carries reuse, what the nest touches in between, and how many lines move if that does not fit.

mod domain;
mod geometry;
mod number;
mod overlap;
mod reference;
mod reuse;

use super::nest::Nest;
use crate::expr::Expr;

use geometry::Geometry;
use reference::Lines;
use reuse::{Covered, Profiler};

pub use reuse::{Profile, Reuse};

/// The profile of a nest as numbers; `value` knows the symbols of the source and of the machine.
pub fn profile(nest: &Nest, value: &dyn Fn(&Expr) -> f64) -> Profile<f64> {
    let geometry = Geometry::of(nest);
    let (domain, references) = geometry.map(value);
    let covered = cover(&domain, &references);
    let lines = Lines::new(&domain, value(&Expr::symbol("line_bytes")));
    let names: &mut dyn FnMut(&str, f64) -> f64 = &mut |_, number| number;
    Profiler { lines, references: &references, covered: &covered, names }.profile()
}

fn cover(domain: &domain::Domain<f64>, references: &[reference::Reference<f64>]) -> Covered {
    let all: Vec<&reference::Reference<f64>> = references.iter().collect();
    let levels = 0..=domain.loops.len();
    let any = levels.clone().map(|level| overlap::covered(domain, &all, level)).collect();
    let written: Vec<usize> = (0..references.len()).filter(|r| !references[*r].written.is_empty()).collect();
    let writers: Vec<&reference::Reference<f64>> = written.iter().map(|r| &references[*r]).collect();
    let spread = |level: usize| {
        let mut all = vec![true; references.len()];
        for (r, covered) in written.iter().zip(overlap::covered(domain, &writers, level)) {
            all[*r] = covered;
        }
        all
    };
    Covered { any, written: levels.map(spread).collect() }
}

impl Profile<f64> {
    /// Lines fetched and lines written back by a cache of so many bytes.
    pub fn through(&self, capacity: f64) -> (f64, f64) {
        let missed = self.reuses.iter().filter(|reuse| reuse.distance > capacity);
        missed.fold((self.cold, self.flushed), |(fetched, written), reuse| {
            (fetched + reuse.fetched, written + reuse.written)
        })
    }
}

/// What a cache of so many bytes holds, in words.
pub fn condition(nest: &Nest, profile: &Profile<f64>, capacity: f64) -> String {
    let carried = |carrier: usize| {
        let of = profile.reuses.iter().filter(move |reuse| reuse.carrier == carrier);
        let (mut all, mut held) = (0.0, 0.0);
        for reuse in of {
            let lines = reuse.fetched + reuse.written;
            all += lines;
            held += if reuse.distance <= capacity { lines } else { 0.0 };
        }
        (all, held)
    };
    let name = |carrier: usize| match nest.loops[carrier].facts.variable.as_str() {
        "" => format!("at line {}", nest.loops[carrier].facts.line),
        name => name.to_string(),
    };
    let with_reuse = (0..nest.loops.len()).filter(|carrier| carried(*carrier).0 >= 0.5);
    let mut unheld = false;
    for carrier in with_reuse {
        let (all, held) = carried(carrier);
        if held >= 0.999 * all {
            return match unheld {
                false => "everything that is reused stays".to_string(),
                true => format!("loop {} carries reuse", name(carrier)),
            };
        }
        if held > 0.0 {
            return format!("loop {} carries part of its reuse", name(carrier));
        }
        unheld = true;
    }
    if unheld { "nothing stays".to_string() } else { "nothing is reused".to_string() }
}
