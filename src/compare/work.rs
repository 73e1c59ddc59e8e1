//! What does code do that can be counted on both sides? Stores and four kinds of operations, of a round of the
//! source and of instructions alike: the currency in which rounds outside loops and unrolled rounds are
//! counted.

use crate::metrics::profile::Site;
use crate::report::static_report::{ArrayReport, LoopReport};

/// Stores, additions, multiplications, divisions, square roots.
pub type Work = [f64; 5];
pub const STORES: usize = 0;
pub const ADDS: usize = 1;
pub const MULTIPLIES: usize = 2;
pub const DIVIDES: usize = 3;
pub const ROOTS: usize = 4;

/// Elements that one round stores by a reference.
pub fn writes(array: &ArrayReport) -> f64 {
    let writes = array.accesses.iter().map(|access| access.writes);
    writes.sum::<u64>() as f64
}

/// Bytes of these, where their type is known.
pub fn stored_bytes(array: &ArrayReport) -> f64 {
    array.element_bytes.map_or(0.0, f64::from) * writes(array)
}

/// What a round of the source does.
pub fn predicted(facts: &LoopReport) -> Work {
    let flops = &facts.flops.all;
    [
        facts.arrays.iter().map(writes).sum(),
        flops.adds as f64,
        flops.multiplies as f64,
        flops.divides as f64,
        0.0,
    ]
}

/// What a site did; stores in elements of those that the loop stores, which may be of several words.
pub fn work(site: &Site, facts: &LoopReport) -> Work {
    let did = &site.operations;
    let element = facts.arrays.iter().map(stored_bytes).sum::<f64>()
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
