//! Which counts follow from those of the loops around and inside, of loops that go round as often in each execution as the
//! program itself says?
//!
//! ```text
//! for (i = 0; i < 3; i++)        none of the three has a loop of the machine code, and 27 rounds of k are certain:
//!   for (j = 0; j < 3; j++)      so there were 9 executions of k, 9 rounds of j, 3 executions of j, and one of i
//!     for (k = 0; k < 3; k++) …
//! ```
//!
//! Whatever became of their code, a round that executes the loop inside under no condition executes it once.

use std::collections::{BTreeMap, BTreeSet};

use super::{Each, OfSource, each};
use crate::counts::LoopCounts;
use crate::doubts::Doubts;
use crate::places::{LoopRef, Places};
use crate::witnesses::Witnesses;

/// Adds the counts that follow.
pub(super) fn follow(
    places: &Places,
    witnesses: &Witnesses,
    source: &OfSource,
    counts: &mut BTreeMap<LoopRef, LoopCounts>,
) {
    let mut all: BTreeSet<LoopRef> = BTreeSet::new();
    for found in counts.keys() {
        for one in places.chain(*found) {
            all.insert(one);
            all.extend(places.children(one));
        }
    }
    // Each may be what the next one follows from.
    for _ in 0..all
        .iter()
        .map(|one| places.facts(*one).depth)
        .max()
        .unwrap_or(0)
    {
        for found in &all {
            if counts
                .get(found)
                .is_some_and(|own| own.doubts == Doubts::default())
            {
                continue;
            }
            let Some((executions, rounds)) = following(places, source, counts, *found) else {
                continue;
            };
            let most = executions.saturating_add(rounds);
            let mut begun = witnesses.body(*found).chain(witnesses.head(*found));
            if begun.any(|times| times > most) {
                continue;
            }
            let known = counts.get(found).copied().unwrap_or_default();
            let own = LoopCounts {
                entries: known.entries.min(executions),
                tests: executions,
                rounds,
                by_machine: known.rounds,
                doubts: Doubts::default(),
                ..known
            };
            counts.insert(*found, own);
        }
    }
}

/// Executions and rounds of a loop by those of the loop around it, or inside.
fn following(
    places: &Places,
    source: &OfSource,
    counts: &BTreeMap<LoopRef, LoopCounts>,
    found: LoopRef,
) -> Option<(u64, u64)> {
    let surety = (source.surety)(found);
    let times = surety
        .each
        .filter(|times| surety.is_each_written && *times > 0)?;
    if places.shares_line(found) {
        return None;
    }
    let facts = places.facts(found);
    let outer = places.chain(found).nth(1);
    let around = outer.and_then(|outer| {
        let own = counts
            .get(&outer)
            .filter(|own| own.doubts.rounds.is_none())?;
        Some((own.rounds, each(places.facts(outer), facts)))
    });
    if let Some((around, Each::Once)) = around {
        return Some((around, around.checked_mul(times)?));
    }
    let executed = |child: LoopRef| {
        let own = counts
            .get(&child)
            .filter(|own| own.doubts == Doubts::default())?;
        let is_each = each(facts, places.facts(child)) == Each::Once;
        (is_each && own.has_executions()).then(|| own.executions())
    };
    let rounds = places.children(found).find_map(executed)?;
    let executions = rounds
        .checked_div(times)
        .filter(|one| one * times == rounds)?;
    let is_more = around.is_some_and(|(around, _)| executions > around);
    (rounds > 0 && !is_more).then_some((executions, rounds))
}
