//! What code does that can be counted on both sides.

use super::reports::{Array, Loop};
use crate::metrics::profile::Site;

/// Stores, additions, multiplications, divisions, square roots.
pub type Work = [f64; 5];
pub const STORES: usize = 0;
pub const ADDS: usize = 1;
pub const MULTIPLIES: usize = 2;
pub const DIVIDES: usize = 3;
pub const ROOTS: usize = 4;

/// Elements that one round stores by a reference.
pub fn writes(array: &Array) -> f64 {
    array.accesses.iter().map(|access| access.writes).sum()
}

/// What a round of the source does.
pub fn promised(facts: &Loop) -> Work {
    let flops = &facts.flops;
    [
        facts.arrays.iter().map(writes).sum(),
        flops.adds,
        flops.multiplies,
        flops.divides,
        0.0,
    ]
}

/// What a site did; stores in elements of those that the loop stores, which may be of several words.
pub fn work(site: &Site, facts: &Loop) -> Work {
    let did = &site.operations;
    let element = facts
        .arrays
        .iter()
        .map(|array| array.element_bytes.unwrap_or(0.0) * writes(array))
        .sum::<f64>()
        / facts.arrays.iter().map(writes).sum::<f64>();
    let operations =
        [did.adds, did.multiplies, did.divides, did.square_roots].map(|count| count as f64);
    let stores = match element > 0.0 {
        true => site.accesses.stored_bytes as f64 / element,
        false => site.accesses.stores as f64,
    };
    [
        stores,
        operations[0],
        operations[1],
        operations[2],
        operations[3],
    ]
}

pub fn sum(one: Work, other: Work) -> Work {
    std::array::from_fn(|kind| one[kind] + other[kind])
}
