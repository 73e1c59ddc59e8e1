//! How often was a loop executed that was unrolled completely, with some of the loops around it?
//!
//! Its code was executed equally often everywhere, and did so many rounds in each of these executions; or the statements of
//! its body have so many marks, each begun as often. If the program
//! itself has the bounds, that number is a product of theirs:
//!
//! ```text
//! for (i = 0; i < 2; i++)          20 executions of straight code, 200 rounds of k: 10 in each, which is 2 · 5, and
//!   for (k = 0; k < 5; k++) …      not 5. So i was unrolled, too: 20 executions, 40 rounds of i, 200 of k
//! ```

use std::collections::{BTreeMap, BTreeSet};

use super::{Each, Flow, OfSource, each};
use crate::counts::LoopCounts;
use crate::places::{LoopRef, Places};
use crate::witnesses::Witnesses;

/// Executions and rounds of all loops that such code is in.
pub(super) fn counts(
    places: &Places,
    witnesses: &Witnesses,
    source: &OfSource,
    known: &BTreeMap<LoopRef, LoopCounts>,
) -> BTreeMap<LoopRef, (u64, u64)> {
    let mut found = BTreeMap::new();
    // Marks of statements show it as well. Some are lost where several stand together, so that what is around has to be known
    // to be there once.
    let by_marks = witnesses
        .loops()
        .collect::<BTreeSet<_>>()
        .into_iter()
        .filter_map(|one| {
            let facts = places.facts(one);
            let is_unrolled = known.get(&one).is_none_or(|own| own.machine_loops == 0)
                && !witnesses.is_replaced(one)
                && !facts.exits_early
                && !places.shares_line(one)
                && places.children(one).next().is_none()
                && witnesses.inlined_calls(one) == 0
                && places
                    .chain(one)
                    .nth(1)
                    .is_none_or(|outer| known.get(&outer).is_some_and(|own| own.is_single));
            Some((one, witnesses.copied(one).filter(|_| is_unrolled)?))
        });
    let by_work = source.straight.iter().map(|(one, counts)| (*one, *counts));
    for (innermost, (executions, rounds)) in by_marks.chain(by_work) {
        let mut chain = Vec::new();
        let mut each_time = 1;
        for one in places.chain(innermost) {
            let surety = (source.surety)(one);
            let Some(times) = surety
                .each
                .filter(|times| surety.is_each_written && *times > 0)
            else {
                break;
            };
            each_time *= times;
            chain.push((one, times));
            if each_time * executions >= rounds {
                break;
            }
            // A round that may leave out the loop inside has no code without a condition.
            let outer = places.chain(one).nth(1);
            let is_each = |outer| each(places.facts(outer), places.facts(one)) == Each::Once;
            if !outer.is_some_and(is_each) {
                break;
            }
        }
        if each_time * executions == rounds {
            let mut times = executions;
            for (one, each) in chain.into_iter().rev() {
                found.insert(one, (times, times * each));
                times *= each;
            }
        }
    }
    found
}

impl Flow<'_> {
    /// The counts by that, if nothing contradicts them.
    pub(super) fn unrolled(&self, (executions, rounds): (u64, u64)) -> Option<LoopCounts> {
        // Whole executions may be elsewhere, unless the loop around has each round in one place.
        let fits_around = match self.around {
            Some((around, Each::Once)) => executions == around,
            Some((around, Each::AtMostOnce)) => executions <= around && self.is_in_single,
            None => self.outermost || self.is_in_single,
        };
        let fits_calls = self.calls().is_none_or(|calls| executions <= calls);
        let is_certain =
            fits_around && fits_calls && self.may_be_evaluated(executions, rounds).is_none();
        is_certain.then(|| LoopCounts {
            tests: executions,
            rounds,
            peeled: rounds,
            by_machine: rounds,
            ..LoopCounts::default()
        })
    }
}
