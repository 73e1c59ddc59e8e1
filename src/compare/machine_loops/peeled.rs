//! How many rounds were done outside of the machine loops, before the first or after the last?
//!
//! Whatever every round does was done there too. If the machine loops did 60 multiplications in 60 rounds, and
//! 2 more stand on the same line outside of them, two rounds were peeled; the kind of operation that gives the
//! fewest counts, as code outside may repeat some of it for other reasons. Operations that were moved out of
//! the loop are not rounds unless all lines agree ([`Counter::is_hoisted`]); what only some rounds do says
//! nothing.

use std::collections::{BTreeMap, BTreeSet};

use super::Counter;
use crate::metrics::profile::{RangeKind, Site};
use crate::parts::Statement;
use crate::places::LoopRef;
use crate::tolerance::{ROUNDING, ROUNDING_SHARE};
use crate::unrolling::Copies;
use crate::work::{ADDS, DIVIDES, STORES, Work, predicted, sum, work};

impl Counter<'_> {
    /// Rounds outside of the machine loops by statement; `rounds` has those inside of some. Where a part of a round's
    /// operations was moved out of the loop, what is outside is not a round unless all lines say so.
    pub(super) fn peeled(
        &self,
        found: LoopRef,
        statements: &[Statement],
        rounds: impl Fn(&BTreeSet<usize>) -> u64,
    ) -> Vec<u64> {
        let by_line = |(line, set): (&u32, &BTreeSet<usize>)| {
            self.peeled_on(found, Some(*line), set, rounds(set))
        };
        let all: BTreeSet<usize> = statements.iter().flat_map(Statement::parts).collect();
        let mut fewest: BTreeMap<&BTreeSet<usize>, u64> = BTreeMap::new();
        if self.is_hoisted(found, &all, rounds(&all)) {
            for (line, set) in statements.iter().flat_map(|statement| &statement.lines) {
                if let Some(peeled) = by_line((line, set)) {
                    let least = fewest.entry(set).or_insert(peeled);
                    *least = peeled.min(*least);
                }
            }
        }
        let of_line = |(line, set): (&u32, &BTreeSet<usize>)| {
            fewest
                .get(set)
                .copied()
                .or_else(|| by_line((line, set)))
                .unwrap_or(0)
        };
        statements
            .iter()
            .map(|statement| statement.lines.iter().map(of_line).max().unwrap_or(0))
            .collect()
    }

    /// Rounds that were done outside of these machine loops, which had `rounds`, as shown by a loop inside that was
    /// entered more often, there and outside.
    pub(super) fn entries_beside(
        &self,
        found: LoopRef,
        parts: &BTreeSet<usize>,
        rounds: u64,
    ) -> u64 {
        let of_child = |child: LoopRef| {
            // Without a round it may have been the test of what did not follow.
            let all = self
                .parts
                .get(&child)
                .into_iter()
                .flatten()
                .copied()
                .filter(|part| self.rounds[*part] > 0);
            let (inside, outside): (BTreeSet<usize>, BTreeSet<usize>) =
                all.partition(|part| self.is_in(*part, parts));
            let copies = inside
                .iter()
                .chain(&outside)
                .map(|part| (*part, Copies::ONE))
                .collect();
            let entries = |of: &BTreeSet<usize>| -> u64 {
                of.iter()
                    .map(|part| self.as_parts().entries(child, *part, of, &copies))
                    .sum()
            };
            // Some of one round may be done outside, and the rest inside.
            (entries(&outside) + entries(&inside).min(rounds)).saturating_sub(rounds)
        };
        self.places.children(found).map(of_child).max().unwrap_or(0)
    }

    /// Whether a round of the machine loops does less than one of the source.
    fn is_hoisted(&self, found: LoopRef, set: &BTreeSet<usize>, rounds: u64) -> bool {
        let source = predicted(self.places.facts(found));
        let inside = self.sides(found, None, set).0;
        (ADDS..=DIVIDES)
            .any(|kind| source[kind] > 0.0 && inside[kind] < source[kind] * rounds as f64)
    }

    /// Rounds of these machine loops that were done outside of them, as shown by one line, or all;
    /// `None` if nothing does that every round does.
    pub(super) fn peeled_on(
        &self,
        found: LoopRef,
        line: Option<u32>,
        set: &BTreeSet<usize>,
        rounds: u64,
    ) -> Option<u64> {
        let rounds = rounds as f64;
        let inside = self.sides(found, line, set).0;
        let mut outside = self.copied(found, line, set);
        // Elements at known places on the stack are stored by the stack pointer, where operations show it.
        let by_operations =
            (ADDS..=DIVIDES).any(|kind| inside[kind] > 0.0 && inside[kind] >= rounds);
        if by_operations || self.is_on_stack(found, set, rounds) {
            outside[STORES] += self.stack_stores(found, line, set);
        }
        peeled(inside, outside, rounds)
    }

    /// What was done on these lines inside of the machine loops, and outside of them.
    pub(super) fn sides(
        &self,
        found: LoopRef,
        line: Option<u32>,
        parts: &BTreeSet<usize>,
    ) -> (Work, Work) {
        let is_inside = |site: &Site| self.is_site_in(site, parts);
        let facts = self.places.facts(found);
        let (mut inside, mut outside) = (Work::default(), Work::default());
        for site in self.sites(found, line) {
            let side = if is_inside(site) {
                &mut inside
            } else {
                &mut outside
            };
            *side = sum(*side, work(site, facts));
        }
        (inside, outside)
    }

    /// What was done outside of the machine loops by code that may be a copy of theirs. On a line that several loops
    /// share it may be of the loop around: columns show it; where they do not, that loop's own work is left out.
    fn copied(&self, found: LoopRef, line: Option<u32>, parts: &BTreeSet<usize>) -> Work {
        let facts = self.places.facts(found);
        let outer = self.outer_on_line(found);
        let place = |site: &Site| (site.line, site.column);
        let (inside, outside): (Vec<&Site>, Vec<&Site>) = self
            .sites(found, line)
            .partition(|site| self.is_site_in(site, parts));
        let is_copy = |site: &&&Site| {
            let is_shared = site.column.is_some() && site.line == Some(facts.line);
            !is_shared || inside.iter().any(|other| place(other) == place(site))
        };
        let copies: Vec<&Site> = outside.iter().filter(is_copy).copied().collect();
        let mut did = copies
            .iter()
            .map(|site| work(site, facts))
            .fold(Work::default(), sum);
        let places: BTreeSet<_> = inside
            .iter()
            .chain(&outside)
            .map(|site| place(site))
            .collect();
        if copies.len() == outside.len() && places.len() <= 1 {
            for (outer, rounds) in outer {
                let own = predicted(self.places.facts(outer));
                did = std::array::from_fn(|kind| (did[kind] - own[kind] * rounds as f64).max(0.0));
            }
        }
        did
    }

    /// The loops around a loop that begin on the same line, with their rounds.
    fn outer_on_line(&self, found: LoopRef) -> Vec<(LoopRef, u64)> {
        let line = self.places.facts(found).line;
        let outer = self
            .places
            .chain(found)
            .skip(1)
            .filter(|outer| self.places.facts(*outer).line == line);
        let rounds = |outer: &LoopRef| {
            self.parts
                .get(outer)
                .into_iter()
                .flatten()
                .map(|part| self.rounds[*part])
                .sum()
        };
        outer.map(|outer| (outer, rounds(&outer))).collect()
    }

    /// Stores by the stack pointer on these lines outside of the machine loops.
    fn stack_stores(&self, found: LoopRef, line: Option<u32>, parts: &BTreeSet<usize>) -> f64 {
        let is_inside = |site: &&Site| self.is_site_in(site, parts);
        self.sites(found, line)
            .filter(|site| !is_inside(site))
            .map(|site| site.stack.stores as f64)
            .sum()
    }

    /// Whether what the machine loops store lies on the stack, and outside of them the stack pointer stores on every
    /// line with such stores, equally many rounds' worth.
    fn is_on_stack(&self, found: LoopRef, parts: &BTreeSet<usize>, rounds: f64) -> bool {
        let is_inside = |site: &&&Site| self.is_site_in(site, parts);
        let is_stack = |site: &Site| {
            let stored = site.data.iter().filter(|data| data.accesses.stores > 0);
            stored
                .into_iter()
                .all(|data| self.profile.data[data.range as usize].kind() == RangeKind::Stack)
        };
        let mut told: BTreeSet<u64> = BTreeSet::new();
        for sites in self
            .lines
            .get(&found)
            .into_iter()
            .flat_map(BTreeMap::values)
        {
            let (inside, outside): (Vec<&Site>, Vec<&Site>) =
                sites.iter().copied().partition(|site| is_inside(&site));
            let stored: u64 = inside.iter().map(|site| site.accesses.stores).sum();
            if stored == 0 {
                continue;
            }
            let beside: u64 = outside.iter().map(|site| site.stack.stores).sum();
            let times = beside as f64 * rounds / stored as f64;
            if times < 1.0 || times.fract() != 0.0 || !inside.iter().all(|site| is_stack(site)) {
                return false;
            }
            told.insert(times as u64);
        }
        told.len() == 1
    }
}

/// Rounds that were done outside of the machine loops: everything that every round inside does was done there too.
/// What only some rounds do shows nothing: code outside may finish what they began.
fn peeled(inside: Work, outside: Work, rounds: f64) -> Option<u64> {
    let kinds = (0..inside.len()).filter(|kind| inside[*kind] > 0.0 && inside[*kind] >= rounds);
    let times =
        kinds.map(|kind| outside[kind] * rounds / inside[kind] * (1.0 + ROUNDING_SHARE) + ROUNDING);
    times.reduce(f64::min).map(|times| times as u64)
}
