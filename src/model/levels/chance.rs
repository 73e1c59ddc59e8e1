//! Does it depend on data what a cache holds between two uses of a line?
//!
//! Where data decide whether a reference is met, `met` takes all that it could touch for what lies between two uses of a line.
//! That is so where other iterations are met each time, and many of them. Where the same are met each time, it is their share:
//!
//! ```text
//! if (s[j] > 0) c[i][j] += a[j][j]*r[i];      between two iterations of i: p·n lines of the diagonal, always the same ones
//! if (b[i][j] > 0) c[i][j] += a[j][j]*r[i];   p·n lines or more, as long as a line is left out
//! ```
//!
//! A cache that holds the one and not the other fetches what neither of both says.

use super::undecided::numbers;
use super::{Between, Counting, Irregular, Profile, Wanted, profiled};
use crate::analysis::facts::Decision;
use crate::arrays::Arrays;
use crate::expr::Symbol;
use crate::nest::Nest;

/// By so large a share of all lines that a cache moves it makes no difference.
const FEW: f64 = 0.1;

/// Whether it does for one of caches of so many bytes; `value` gives the value of a parameter.
pub fn decides_distances(
    nest: &Nest,
    value: &dyn Fn(&Symbol) -> Option<f64>,
    capacities: &[f64],
) -> bool {
    let is_of_data = |(branch, _): &(Symbol, bool)| {
        let mut decisions = nest.decisions.iter();
        let is_so = decisions.any(|one| one.branch == *branch && one.decision == Decision::Data);
        is_so && value(branch).is_none_or(|p| p > 0.0 && p < 1.0)
    };
    let mut ways = nest.references.iter().flat_map(|used| &used.weight);
    if nest.loops.len() < 2 || !ways.any(is_of_data) {
        return false;
    }
    let of = |between: Between| {
        let wanted = Wanted {
            counting: Counting::All,
            irregular: Irregular::Ignored,
            arrays: Arrays::Together,
            between,
        };
        let unit = ("line_bytes", wanted);
        numbers(value, |number| profiled(nest, number, None, unit).0)
    };
    let all = of(Between::All);
    // What is met is no more than all that could be.
    let open = capacities
        .iter()
        .filter(|capacity| moves_much(&all, **capacity, |_| 0.0));
    let open: Vec<&f64> = open.collect();
    if open.is_empty() {
        return false;
    }
    let met = of(Between::Met);
    let distance = |reuse: usize| met.reuses.get(reuse).map_or(f64::NAN, |one| one.distance);
    open.iter()
        .any(|capacity| moves_much(&all, **capacity, distance))
}

/// Whether a cache moves more than a little of what it holds only if what lies between two uses of a line is as near as this
/// says for each of the reuses.
fn moves_much(all: &Profile<f64>, capacity: f64, nearest: impl Fn(usize) -> f64) -> bool {
    let (fetched, written) = all.through(capacity);
    let reuses = all.reuses.iter().enumerate();
    let open = reuses.filter(|(at, one)| nearest(*at) <= capacity && capacity < one.distance);
    let moved: f64 = open.map(|(_, one)| one.fetched + one.written).sum();
    moved > FEW * (fetched + written)
}
