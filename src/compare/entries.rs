//! How often was a loop of the source executed?
//!
//! Entries of its loops in the machine code, less those that go on with what another began, and in addition the
//! executions of no round, which enter none.
//!
//! ```text
//! entry ► loop A (4 rounds at a time) ► loop B (the rest)       one execution, two entries:
//!                                                              B is entered right after A was left
//! ```
//!
//! Only a loop that does several rounds at once leaves some for another: where columns of the debug information
//! do not tell two calls on one line apart, a loop that leaves none is an execution of its own. The test before
//! the first round ([`tests_before`]) is done once for each execution, also for those that find nothing to do;
//! columns of the debug information have to say that it is this test.

use std::collections::{BTreeMap, BTreeSet};

use super::places::{LoopRef, Places};
use super::unrolling::Copies;
use crate::metrics::profile::{After, MachineLoop, Site};

/// Machine loops by the loop of the source that they come from, and their rounds.
#[derive(Clone, Copy)]
pub struct MachineParts<'a> {
    pub places: &'a Places<'a>,
    pub loops: &'a [MachineLoop],
    /// By machine loop.
    pub sites: &'a [Vec<&'a Site>],
    pub rounds: &'a [u64],
    pub all: &'a BTreeMap<LoopRef, Vec<usize>>,
}

impl MachineParts<'_> {
    /// Entries of one machine loop, of `parts` of one loop of the source: an entry right after another of them was left
    /// is the same execution going on, as in a loop for the rounds that unrolling leaves. `copies` says how many rounds
    /// of the source a round of each does.
    pub fn entries(
        &self,
        found: LoopRef,
        part: usize,
        parts: &BTreeSet<usize>,
        copies: &BTreeMap<usize, Copies>,
    ) -> u64 {
        let one = &self.loops[part];
        // Copies in a round of an outer loop, of which nothing else is left, are executions of their own.
        let outer = self.places.chain(found).nth(1);
        let is_in_round =
            outer.is_none() || outer == one.parent.and_then(|parent| self.places.origin_of(parent));
        // Where columns do not tell apart two calls on one line: a loop that leaves no rounds is whole.
        let leaves_rounds = |other: usize| {
            self.is_told(part) || copies.get(&other).is_some_and(|copies| copies.all() > 1)
        };
        let goes_on = one.after.iter().filter(|after| {
            let other = after.machine_loop as usize;
            parts.contains(&other) && self.are_of_one_call(part, other) && leaves_rounds(other)
        });
        let going_on: u64 = if is_in_round {
            goes_on.map(|after| after.entries).sum()
        } else {
            0
        };
        one.entries.saturating_sub(going_on)
    }

    /// The machine loop whose rounds this one does again with other statements of the same line, as for `where`: all its
    /// entries come right after the other was left, or those of the loops around them do, and it goes round as often.
    pub fn again(&self, found: LoopRef, part: usize) -> Option<usize> {
        let one = &self.loops[part];
        let outer = self.places.chain(found).nth(1);
        let around = outer
            .zip(one.parent)
            .filter(|(outer, parent)| self.places.origin_of(*parent) == Some(*outer));
        let before = around.and_then(|(outer, parent)| self.again(outer, parent as usize));
        let is_like = |other: usize| {
            let like = &self.loops[other];
            (like.entries, self.rounds[other], &like.file, like.line)
                == (one.entries, self.rounds[part], &one.file, one.line)
        };
        let comes_after = |other: usize| {
            let is_meant = |after: &After| {
                after.machine_loop as usize == other && after.entries == one.entries
            };
            let is_in_round = outer.is_none() || around.is_some();
            is_in_round
                && self.is_told(part)
                && self.are_of_one_call(part, other)
                && one.after.iter().any(is_meant)
        };
        let is_around = |other: usize| {
            before.is_some() && self.loops[other].parent.map(|one| one as usize) == before
        };
        let others = self
            .all
            .get(&found)?
            .iter()
            .copied()
            .filter(|other| *other != part && is_like(*other));
        others
            .into_iter()
            .find(|other| comes_after(*other) || is_around(*other))
    }

    /// Whether the calls that a machine loop was inlined for can be distinguished from all others.
    fn is_told(&self, part: usize) -> bool {
        let is_told = |site: &Site| {
            site.call_columns
                .iter()
                .filter(|column| **column > 0)
                .count()
                == site.called_from.len()
        };
        self.head(part).is_none_or(is_told)
    }

    fn are_of_one_call(&self, one: usize, other: usize) -> bool {
        let calls = |part: usize| {
            self.head(part)
                .map(|site| (&site.called_from, &site.call_columns))
        };
        calls(one) == calls(other)
    }

    /// A site of a machine loop's own line.
    pub fn head(&self, part: usize) -> Option<&Site> {
        let one = &self.loops[part];
        let is_head = |site: &&Site| (&site.file, site.line) == (&one.file, one.line);
        self.sites[part].iter().copied().find(is_head)
    }
}

/// A copy of a loop's code: the function that it is in, and the calls that it stands in place of.
pub type CopyOf<'a> = (&'a str, &'a [(String, u32)], &'a [u32]);

/// The copy that a site is of.
pub fn copy_of(site: &Site) -> CopyOf<'_> {
    (&site.function, &site.called_from, &site.call_columns)
}

/// By copy, how often the test at a loop's head was done outside of its machine loops, before a first round, whether one
/// followed or not: `head` has the sites of the line, with whether they are inside of them. None where columns leave open
/// which test it is, or where all of them are of calls that were inlined and no machine loop is left: others may have become
/// one.
pub fn tests_before<'a>(head: impl Iterator<Item = (bool, &'a Site)>) -> BTreeMap<CopyOf<'a>, u64> {
    let (inside, outside): (Vec<_>, Vec<_>) = head
        .filter(|(_, site)| site.decisions > 0)
        .partition(|(inside, _)| *inside);
    let columns = |sites: &[(bool, &Site)]| {
        sites
            .iter()
            .map(|(_, site)| site.column)
            .collect::<BTreeSet<_>>()
    };
    let (own, others) = (columns(&inside), columns(&outside));
    let is_inlined = outside.iter().all(|(_, site)| !site.called_from.is_empty());
    if own.is_empty() && (others.len() > 1 || is_inlined) {
        return BTreeMap::new();
    }
    let is_own = |site: &Site| own.is_empty() || own.contains(&site.column);
    // Conditions of one copy are done one after the other, the first of them most often.
    let mut tests: BTreeMap<_, u64> = BTreeMap::new();
    for (_, site) in outside.into_iter().filter(|(_, site)| is_own(site)) {
        let of_copy = tests.entry((copy_of(site), site.machine_loop)).or_default();
        *of_copy = site.decisions.max(*of_copy);
    }
    let mut copies = BTreeMap::new();
    for ((copy, _), times) in tests {
        *copies.entry(copy).or_default() += times;
    }
    copies
}
