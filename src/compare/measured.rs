//! What a run did in every loop by itself, as ExaSAT's `pininfo` has it.

use std::collections::BTreeMap;

use super::joined::Joined;
use super::places::{LoopRef, Place};
use super::run::Run;
use crate::report::StaticReport;

/// Measured counters of one loop: its own lines, those of loops inside left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    pub entries: u64,
    pub iterations: u64,
    /// Instructions.
    pub operations: u64,
    pub reads: u64,
    pub writes: u64,
    pub bytes_read: u64,
    pub bytes_written: u64,
    /// Additions and subtractions; instructions do not show which of them the source has.
    pub adds: u64,
    pub multiplies: u64,
    pub divides: u64,
    /// Lines that the nearest cache fetched for the loop; `None` without caches.
    pub cache_misses: Option<u64>,
}

/// By function and id of the loop; only loops of which something was executed.
pub fn measure(predicted: &StaticReport, run: &Run) -> BTreeMap<(String, String), Measured> {
    let Joined {
        profile,
        places,
        join,
    } = Joined::of(predicted, &run.source);
    let mut found: BTreeMap<LoopRef, Measured> = BTreeMap::new();
    for site in &profile.sites {
        let Place::Loop(place) = places.own(site) else {
            continue;
        };
        let sum = found.entry(place).or_default();
        sum.operations += site.instructions;
        for accesses in [&site.accesses, &site.stack] {
            sum.reads += accesses.loads;
            sum.writes += accesses.stores;
            sum.bytes_read += accesses.loaded_bytes;
            sum.bytes_written += accesses.stored_bytes;
        }
        sum.adds += site.operations.adds;
        sum.multiplies += site.operations.multiplies;
        sum.divides += site.operations.divides;
        if let (Some(cache), Some(moved)) = (run.cache.first(), site.levels.first()) {
            *sum.cache_misses.get_or_insert(0) += moved.bytes_in / u64::from(cache.line).max(1);
        }
    }
    let named = |(place, mut sum): (LoopRef, Measured)| {
        let function = &predicted.functions[place.function];
        let counts = join.loops.get(&place).copied().unwrap_or_default();
        (sum.entries, sum.iterations) = (counts.executions(), counts.rounds);
        (
            (
                function.name.clone(),
                function.loops[place.number].id.clone(),
            ),
            sum,
        )
    };
    found.into_iter().map(named).collect()
}
