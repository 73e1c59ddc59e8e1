//! Branches that a core predicts wrongly, and how many it remembers.

use std::hint::black_box;

use super::Figure;
use super::rounds::{Measured, nanoseconds};

/// Branches of the longest run: more than cores remember.
const MOST: usize = 1 << 21;
/// Branches of the shortest run of which the core may have forgotten some.
const LEAST: usize = 1 << 11;

/// Figures of a clock of so many cycles a nanosecond.
pub fn figures(ghz: f64) -> Vec<Figure> {
    let bits = random_bits(MOST);
    let predicted = each(&vec![true; MOST]);
    let lost = each(&bits).map(|time| 2.0 * (time - predicted.value).max(0.0));
    let mut found = vec![Figure::new(
        "branch_cycles",
        lost.map(|time| time * ghz),
        "branches by random bits, half of them mispredicted, less the same by equal bits",
    )];
    if lost.value > 0.0 {
        found.push(Figure::new(
            "branches_remembered",
            remembered(&bits, predicted, lost),
            "half of the random bits of the longest run that is repeated and half of whose mispredictions remain",
        ));
    }
    found
}

/// The mispredictions of which half remain when the same bits come again and again.
fn remembered(bits: &[bool], predicted: Measured, lost: Measured) -> Measured {
    let share = |count: usize| {
        let time = each(&bits[..count]).value - predicted.value;
        (2.0 * time / lost.value).clamp(0.0, 1.0)
    };
    let mut known = (LEAST, share(LEAST));
    let mut count = 2 * LEAST;
    while count <= MOST {
        let next = (count, share(count));
        if next.1 >= 0.5 {
            let between = match next.1 > known.1 {
                true => (0.5 - known.1) / (next.1 - known.1),
                false => 1.0,
            };
            let at = known.0 as f64 * 2_f64.powf(between.max(0.0));
            return Measured {
                value: (at / 2.0).round(),
                spread: lost.spread,
            };
        }
        known = next;
        count *= 2;
    }
    Measured {
        value: MOST as f64 / 2.0,
        spread: lost.spread,
    }
}

/// Nanoseconds of a branch by each of these.
fn each(bits: &[bool]) -> Measured {
    let time = nanoseconds(|| {
        black_box(taken(black_box(bits)));
    });
    time.map(|time| time / bits.len() as f64)
}

/// Both ways do something that the compiler knows nothing of, so that it cannot do without the branch.
#[inline(never)]
fn taken(bits: &[bool]) -> u64 {
    let (mut one, mut other) = (0_u64, 0_u64);
    for bit in bits {
        if *bit {
            one = black_box(one.wrapping_add(3));
        } else {
            other = black_box(other.wrapping_add(5));
        }
    }
    one ^ other
}

/// By Marsaglia's xorshift, Journal of Statistical Software 8 (14), 2003.
fn random_bits(count: usize) -> Vec<bool> {
    let mut state = 88_172_645_463_325_252_u64;
    let mut bit = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state >> 40 & 1 == 1
    };
    (0..count).map(|_| bit()).collect()
}
