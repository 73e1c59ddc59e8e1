//! Of a loop that was unrolled completely: how often was its code executed, and how many rounds' work did that?
//!
//! ```text
//! for (k = 0; k < 3; k++) x[k] = 0;      3 stores, each executed 52 times, of 156 elements: 156 rounds, three in each
//! ```
//!
//! All that stores or computes was executed equally often, so nothing in it is in a loop or behind a condition of its own.
//! Whether the rounds of one such execution are those of one execution of the loop, or of several around it that were
//! unrolled too, their bounds show (`conservation`). The same is known of a loop that a call of `memset` took the place of.

use std::collections::BTreeMap;

use super::Counter;
use crate::entries::{CopyOf, copy_of};
use crate::metrics::profile::Site;
use crate::places::LoopRef;
use crate::work::{DIVIDES, STORES, Work, predicted, sum, work};

impl Counter<'_> {
    /// Executions of the code, and the rounds that it did in all of them; `None` where not all of it shows as many.
    pub(super) fn straight(&self, found: LoopRef) -> Option<(u64, u64)> {
        let facts = self.places.facts(found);
        let is_unrolled = self.parts.get(&found).is_none_or(Vec::is_empty)
            && self.places.children(found).next().is_none()
            && !self.places.shares_line(found)
            && facts.branches.is_empty()
            && !facts.exits_early;
        if !is_unrolled {
            return None;
        }
        let (calls, replaced) = self.replaced(found, facts);
        if replaced > 0 {
            let mut all = self.sites(found, None);
            let is_all = all.all(|site| site.accesses.stores == 0 && site.vectors.is_none());
            return is_all.then_some((calls, replaced));
        }
        // Where code of the function has lost its line, some of the loop's may have.
        let is_of_function = |site: &&Site| {
            let mut own = self.sites(found, None);
            own.any(|other| other.function == site.function)
        };
        let mut lost = self
            .profile
            .sites
            .iter()
            .filter(|site| site.line.is_none_or(|line| line == 0));
        if lost.any(|site| site.effects.is_some() && is_of_function(&site)) {
            return None;
        }
        let mut copies: BTreeMap<(CopyOf, Option<u32>), Vec<&Site>> = BTreeMap::new();
        for site in self
            .sites(found, None)
            .filter(|site| site.effects.is_some())
        {
            let copy = (copy_of(site), site.machine_loop);
            copies.entry(copy).or_default().push(site);
        }
        let counted: Option<Vec<(u64, u64)>> = copies
            .values()
            .map(|sites| self.of_copy(found, sites))
            .collect();
        let counted = counted?;
        let (first, rounds) = *counted.first()?;
        // Each copy does as many.
        let is_like = |one: &(u64, u64)| one.1 * first == rounds * one.0;
        counted.iter().all(is_like).then(|| {
            let add = |a: (u64, u64), b: &(u64, u64)| (a.0 + b.0, a.1 + b.1);
            counted.iter().fold((0, 0), add)
        })
    }

    fn of_copy(&self, found: LoopRef, sites: &[&Site]) -> Option<(u64, u64)> {
        let facts = self.places.facts(found);
        let (fewest, executions) = sites.first()?.effects?;
        let is_equal =
            |site: &&Site| site.effects == Some((executions, executions)) && site.vectors.is_none();
        if fewest != executions || !sites.iter().all(is_equal) {
            return None;
        }
        let source = predicted(facts);
        let did = sites.iter().map(|site| work(site, facts));
        let did = did.fold(Work::default(), sum);
        let telling = match source[STORES] > 0.0 {
            true => STORES,
            false => (STORES..=DIVIDES).find(|kind| source[*kind] > 0.0)?,
        };
        let rounds = did[telling] / source[telling];
        let fits = |kind: usize| match source[STORES] > 0.0 {
            // Some of what is computed may be known, or be computed once.
            true => did[kind] <= source[kind] * rounds,
            false => did[kind] == source[kind] * rounds,
        };
        let is_whole = rounds > 0.0 && rounds.fract() == 0.0;
        (is_whole && (STORES..=DIVIDES).all(fits)).then_some((executions, rounds as u64))
    }
}
