//! Is all that a loop of the source does in one loop of the machine code, one round in each of its own?
//!
//! ```text
//! DO J = 1, N        ◄── one machine loop, in that of the loop around
//!    X(J) = …        ◄── the only code of this line that stores, branches or calls: no round was set apart
//! END DO                 a store moves by one element: no two rounds were made one
//! ```
//!
//! Then the rounds of the machine loop are those of the source, whether marks of statements confirm it or not.
//! What was moved out of the loop may stand elsewhere, as long as a round that was set apart would have left more.

use super::Counter;
use super::around;
use crate::metrics::profile::{Operations, Site};
use crate::places::LoopRef;
use crate::unrolling::moves_by_one;
use crate::work::{DIVIDES, STORES, Work, predicted, sum, work};

/// How a line stands in a round.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    Always,
    /// A condition is on it, with or without what it guards.
    Condition,
    InArm,
}

impl Counter<'_> {
    pub(super) fn is_single(&self, found: LoopRef) -> bool {
        let Some([part]) = self.nested.get(&found).map(Vec::as_slice) else {
            return self.is_one_call(found);
        };
        self.mirrors(found)
            && !self.places.shares_line(found)
            && !self.is_test_alone(found)
            && self.holds_all(found, *part)
            && self.does_one_each(found, *part)
    }

    /// Whether no round was done outside of a machine loop, not even a part of one. What stands in the arm of a condition
    /// may be there because the loop is left with it; the condition itself is part of the round.
    fn holds_all(&self, found: LoopRef, part: usize) -> bool {
        let facts = self.places.facts(found);
        let is_inside = |site: &Site| {
            let number = site.machine_loop.map(|number| number as usize);
            number.is_some_and(|number| {
                around(&self.profile.loops, number).any(|outer| outer == part)
            })
        };
        let is_told = |site: &Site| site.accesses.stores > 0 || !site.calls.is_empty();
        let mut own = self.sites(found, None).filter(|site| is_inside(site));
        let tells = own.any(|site| {
            let is_always = site.line.is_some_and(|line| {
                line != facts.line && self.standing(found, found, line) == Standing::Always
            });
            is_always && (is_told(site) || site.decisions > 0)
        });
        let is_moved_out = |site: &Site| {
            let is_idle = site.accesses.loads == 0 && site.operations == Operations::default();
            site.decisions == 0 && !is_told(site) && site.stack.stores == 0 && (tells || is_idle)
        };
        let is_apart = |one: LoopRef, site: &Site| match site.line {
            Some(line) if line == facts.line => true,
            Some(line) => match self.standing(found, one, line) {
                Standing::InArm => true,
                Standing::Condition => site.decisions == 0,
                Standing::Always => site.vectors.is_none() && is_moved_out(site),
            },
            None => true,
        };
        self.within(found).into_iter().all(|one| {
            let mut outside = self.sites(one, None).filter(|site| !is_inside(site));
            outside.all(|site| is_apart(one, site))
        })
    }

    /// Whether a loop that counts nothing is nothing but its test (`while ((*d++ = *s++))`): each execution does that once more
    /// than it has iterations.
    fn is_test_alone(&self, found: LoopRef) -> bool {
        let facts = self.places.facts(found);
        let is_elsewhere = |site: &Site| site.line.is_some_and(|line| line != facts.line);
        let counts = facts.var.is_of_source() || facts.tests_last;
        !counts && !self.sites(found, None).any(is_elsewhere)
    }

    /// Whether a call took the place of all of a loop, in the one machine loop of the loop around.
    fn is_one_call(&self, found: LoopRef) -> bool {
        let outer = self.places.chain(found).nth(1);
        let around = outer.and_then(|outer| match self.nested.get(&outer).map(Vec::as_slice) {
            Some([around]) if !self.sharing.contains(around) => Some(*around as u32),
            _ => None,
        });
        let is_alone = !self.nested.contains_key(&found)
            && self.places.children(found).next().is_none()
            && !self.places.shares_line(found);
        let mut all = self.sites(found, None).peekable();
        is_alone
            && around.is_some()
            && all.peek().is_some()
            && all.all(|site| site.machine_loop == around && site.accesses.stores == 0)
    }

    /// How a line of a loop, or of one inside, stands in a round of the outer one.
    fn standing(&self, outer: LoopRef, inner: LoopRef, line: u32) -> Standing {
        let loops = self.places.chain(inner).collect::<Vec<_>>();
        let last = loops.iter().position(|one| *one == outer).unwrap_or(0);
        let mut branches =
            (loops[..=last].iter()).flat_map(|one| &self.places.facts(*one).branches);
        let mut is_condition = false;
        let is_in_arm = branches.any(|branch| {
            is_condition |= branch.line == line;
            branch.line != line && branch.guards(line)
        });
        match (is_in_arm, is_condition) {
            (true, _) => Standing::InArm,
            (false, true) => Standing::Condition,
            (false, false) => Standing::Always,
        }
    }

    /// A loop and all inside it.
    fn within(&self, found: LoopRef) -> Vec<LoopRef> {
        let mut all = vec![found];
        let mut next = 0;
        while next < all.len() {
            all.extend(self.places.children(all[next]));
            next += 1;
        }
        all
    }

    /// Whether a round of a machine loop does no more than one of the source: by addresses, by all that is computed and
    /// stored, by calls, or by loops inside, of which each round has one.
    fn does_one_each(&self, found: LoopRef, part: usize) -> bool {
        let facts = self.places.facts(found);
        let is_own = |site: &&Site| site.machine_loop == Some(part as u32);
        let own: Vec<&Site> = self.sites(found, None).filter(is_own).collect();
        if own.iter().any(|site| !site.vectors.is_none()) {
            return false;
        }
        let rounds = self.rounds[part];
        let source = predicted(facts);
        let did = own.iter().map(|site| work(site, facts));
        let did = did.fold(Work::default(), sum);
        let by_work = facts.branches.is_empty()
            && (STORES..=DIVIDES)
                .any(|kind| source[kind] > 0.0 && did[kind] == source[kind] * rounds as f64);
        let is_once = |child: LoopRef| match self.nested.get(&child).map(Vec::as_slice) {
            Some([inner]) => {
                self.profile.loops[*inner].parent == Some(part as u32)
                    && !self.sharing.contains(inner)
            }
            _ => false,
        };
        let by_loops =
            || self.jammed_inside(found, part) == 1 && self.places.children(found).any(is_once);
        // Rounds of the loop around side by side do more.
        let is_most = |kind: usize| did[kind] <= source[kind] * rounds as f64;
        let by_addresses = || {
            let loads: u64 = own.iter().map(|site| site.accesses.loads).sum();
            let read = facts.arrays.iter().flat_map(|array| &array.accesses);
            let read: u64 = read.map(|access| access.reads).sum();
            moves_by_one(facts, &own) && (STORES..=DIVIDES).all(is_most) && loads <= read * rounds
        };
        rounds > 0
            && (by_work || by_addresses() || by_loops() || self.calls_once(found, &own, rounds))
    }

    /// Whether a line under no condition made one call in each round.
    fn calls_once(&self, found: LoopRef, own: &[&Site], rounds: u64) -> bool {
        let facts = self.places.facts(found);
        let is_guarded = |line: u32| facts.branches.iter().any(|one| one.guards(line));
        let times = |line: u32| -> u64 {
            let on_line = own.iter().filter(|site| site.line == Some(line));
            on_line
                .flat_map(|site| &site.calls)
                .map(|call| call.times)
                .sum()
        };
        let mut lines = own.iter().filter(|site| !site.calls.is_empty());
        lines.any(|site| {
            site.line
                .is_some_and(|line| !is_guarded(line) && times(line) == rounds)
        })
    }
}
