//! One level of one hart, or of all harts that share it, cycle by cycle, without visiting cycles one by one.
//!
//! A stay changes how many accesses look up or wait at three moments; between two moments nothing changes, so
//! each stretch is counted at once. Moments that may still get company are kept, so memory is what is
//! under way.

use std::collections::BTreeMap;

use smallvec::SmallVec;

use super::LevelCounts;
use super::moments::{Change, Moments};
use crate::timeline::Stay;

/// Whether a miss is an access of the next level, of RAM, or waits for another miss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Miss {
    Onward,
    Secondary,
    /// An access of RAM or a secondary miss.
    Untold,
}

/// Counts one level.
#[derive(Clone, Debug, Default)]
pub(super) struct CycleMeter {
    changes: Moments,
    /// First cycles of the waits that end in a cycle that is not counted.
    ended: BTreeMap<u64, SmallVec<[u64; 2]>>,
    /// Everything before this cycle is counted.
    counted_to: u64,
    hits: i64,
    misses: i64,
    onward: i64,
    /// The cycle after the last pure miss cycle so far.
    pure_until: u64,
    counts: LevelCounts,
}

impl CycleMeter {
    /// A stay whose look-up begins at `start`; returns the cycle after its last.
    pub fn stay(&mut self, start: u64, stay: Stay, miss: Miss) -> u64 {
        debug_assert!(
            start >= self.counted_to,
            "an access at cycle {start}, which is settled"
        );
        let looked_up = start + stay.hit;
        let end = looked_up + stay.miss;
        let counts = &mut self.counts;
        counts.alpha += 1;
        counts.stay_cycles += stay.hit + stay.miss;
        if stay.hit > 0 {
            self.changes.at(start).hits += 1;
            self.changes.at(looked_up).hits -= 1;
        }
        if stay.miss > 0 {
            counts.alpha_m += 1;
            match miss {
                Miss::Onward => {}
                Miss::Untold => counts.untold += 1,
                Miss::Secondary => {
                    counts.secondary += 1;
                    counts.secondary_cycles += stay.miss;
                }
            }
            let onward = i32::from(miss != Miss::Secondary);
            let begin = self.changes.at(looked_up);
            begin.misses += 1;
            begin.onward += onward;
            let finish = self.changes.at(end);
            finish.misses -= 1;
            finish.onward -= onward;
            finish.ended += 1;
            self.ended.entry(end).or_default().push(looked_up);
        }
        end
    }

    /// Counts everything before that cycle; no later stay begins before it.
    pub fn settle(&mut self, cycle: u64) {
        while let Some((moment, change)) = self.changes.next_to(cycle) {
            self.change(moment, change);
        }
        self.changes.end(cycle);
    }

    fn change(&mut self, moment: u64, change: Change) {
        self.count_to(moment);
        self.hits += i64::from(change.hits);
        self.misses += i64::from(change.misses);
        self.onward += i64::from(change.onward);
        if change.ended > 0 {
            // A wait has a pure miss cycle if the last one so far is not before it: later ones are after it.
            let ended = self.ended.remove(&moment).unwrap_or_default();
            let pure = ended.iter().filter(|begin| **begin < self.pure_until);
            self.counts.alpha_pure += pure.count() as u64;
        }
    }

    /// The stretch up to that cycle, in which nothing changes.
    fn count_to(&mut self, cycle: u64) {
        let length = cycle - self.counted_to;
        // A moment may come twice, if something begins where the counting stopped; in between is not a cycle.
        if length == 0 {
            return;
        }
        let (hits, misses) = (self.hits as u64, self.misses as u64);
        let counts = &mut self.counts;
        counts.hit_cycles += hits * length;
        counts.miss_cycles += misses * length;
        match (hits, misses) {
            (0, 0) => {}
            (_, 0) => counts.h += length,
            (0, _) => {
                counts.m += length;
                counts.pure_miss_cycles += misses * length;
                self.pure_until = cycle;
            }
            _ => counts.x += length,
        }
        if hits + misses > 0 {
            counts.omega += length;
        }
        if self.onward > 0 {
            counts.onward += length;
        }
        self.counted_to = cycle;
    }

    /// Counts the rest; `cycles` is the length of the run.
    pub fn finish(mut self, cycles: u64) -> LevelCounts {
        self.settle(u64::MAX);
        LevelCounts {
            n: cycles,
            e: cycles - self.counts.omega,
            ..self.counts
        }
    }
}
