//! Which loop does a round belong to, where loops of the machine code begin with the same instruction?
//!
//! ```text
//! head: test ◄───────┐◄──┐      two loops of the source, or one whose rounds are cut short by `continue`:
//!       …  ──────────┘   │      the same machine code
//!       …  ──────────────┘
//! ```
//!
//! The code does not say; how often the lines were executed does. A round executes some line of the body, and
//! no line is executed more often than there are rounds. So the most executed line of the body, with all copies
//! of it added up, gives the rounds, unless the machine loops already did exactly the work of theirs.

use std::collections::BTreeMap;

use super::Counter;
use crate::counts::LoopCounts;
use crate::metrics::profile::Site;
use crate::places::LoopRef;
use crate::work::{DIVIDES, STORES, Work, predicted, sum, work};

impl Counter<'_> {
    /// The counts of a loop, corrected where its machine loops begin as others do: a round executes some line of the body,
    /// and no line more often than there are rounds.
    pub(super) fn by_lines(
        &self,
        found: LoopRef,
        counts: Option<LoopCounts>,
    ) -> Option<LoopCounts> {
        if !self.is_tangled(found) || counts.is_some_and(|counts| counts.unrolled > 1) {
            return counts;
        }
        let Some(executed) = self.body_executions(found) else {
            return counts;
        };
        // What a call did, or code without a loop, does not show in how often one copy of a line was executed.
        let is_innermost = self.places.children(found).next().is_none();
        let is_without = |counts: LoopCounts| {
            counts.machine_loops == 0 && (counts.replaced > 0 || counts.rounds > executed)
        };
        if is_innermost
            && counts
                .is_some_and(|counts| is_without(counts) || self.did_work_of(found, counts.rounds))
        {
            return counts;
        }
        // Lines of a loop with others inside may have parts in each of these.
        let is_apart = !is_innermost && !self.is_shared(found);
        // What is done in advance of a test at the top is executed once more for each that fails.
        let is_same = |counts: LoopCounts| {
            let more = (executed + counts.peeled).checked_sub(counts.rounds);
            more.is_some_and(|more| more <= self.refused(found))
        };
        match counts {
            Some(counts) if is_same(counts) || is_apart && executed > counts.rounds => Some(counts),
            Some(counts) => Some(LoopCounts {
                rounds: executed,
                peeled: 0,
                ..counts
            }),
            None => Some(LoopCounts {
                rounds: executed,
                varies: true,
                ..LoopCounts::default()
            }),
        }
    }

    /// Whether some kind of operation was done exactly as often as the source has it for so many rounds.
    fn did_work_of(&self, found: LoopRef, rounds: u64) -> bool {
        let facts = self.places.facts(found);
        let in_loops = self
            .sites(found, None)
            .filter(|site| site.machine_loop.is_some());
        let did = in_loops
            .map(|site| work(site, facts))
            .fold(Work::default(), sum);
        let source = predicted(facts);
        (STORES..=DIVIDES)
            .any(|kind| source[kind] > 0.0 && did[kind] == source[kind] * rounds as f64)
    }

    /// How often the machine loops of a loop were left by a test at the top.
    fn refused(&self, found: LoopRef) -> u64 {
        let all = self.nested.get(&found).into_iter().flatten();
        all.map(|number| self.profile.loops[*number].refused).sum()
    }

    /// Whether some machine loop that has code of a loop shares its header with another, or holds a loop inside without a
    /// machine loop of its own, whose lines were executed more often than those of the loop around.
    fn is_tangled(&self, found: LoopRef) -> bool {
        let outer = self.places.chain(found).nth(1);
        self.is_nested(found)
            || self.is_shared(found)
            || outer.is_some_and(|outer| self.is_merged(outer, found))
            || self
                .places
                .children(found)
                .any(|inner| self.is_merged(found, inner))
    }

    /// Whether some machine loops of a loop lie inside others, and do not count.
    fn is_nested(&self, found: LoopRef) -> bool {
        self.nested.get(&found).map_or(0, Vec::len) > self.parts.get(&found).map_or(0, Vec::len)
    }

    /// Whether some machine loop that has code of a loop begins as another does.
    fn is_shared(&self, found: LoopRef) -> bool {
        let own = self.parts.get(&found).into_iter().flatten().copied();
        own.chain(self.machine_loops_of_lines(found))
            .any(|number| self.sharing.contains(&number))
    }

    /// Whether an inner loop has no machine loop but that of the loop around it, in which it went round more often.
    fn is_merged(&self, outer: LoopRef, inner: LoopRef) -> bool {
        let own = |found: LoopRef| self.parts.get(&found).map_or(&[][..], Vec::as_slice);
        let is_inside = |number: usize| own(outer).contains(&number);
        own(inner).is_empty()
            && self.machine_loops_of_lines(inner).any(is_inside)
            && self
                .body_executions(outer)
                .is_some_and(|rounds| self.body_executions(inner) > Some(rounds))
    }

    fn machine_loops_of_lines(&self, found: LoopRef) -> impl Iterator<Item = usize> + '_ {
        self.sites(found, None)
            .filter_map(|site| site.machine_loop)
            .map(|number| number as usize)
    }

    /// Executions of the line of the body that was executed most, in all copies, or of both arms of a condition, of which
    /// each round takes one: the head's own line, which is executed once more, is left out.
    fn body_executions(&self, found: LoopRef) -> Option<u64> {
        let facts = self.places.facts(found);
        let lines = self.lines.get(&found)?;
        let of_line = |sites: &Vec<&Site>| self.executions_of(found, sites);
        let body = lines
            .iter()
            .filter(|(line, _)| **line != facts.line)
            .map(|(_, sites)| of_line(sites).0);
        let of_arm = |(first, last): (u32, u32)| {
            lines
                .range(first..=last.max(first))
                .filter_map(|(_, sites)| of_line(sites).1)
                .max()
        };
        let arms = facts
            .branches
            .iter()
            .filter_map(|branch| Some(of_arm(branch.then?)? + of_arm(branch.otherwise?)?));
        body.chain(arms).max().filter(|executions| *executions > 0)
    }

    /// Executions of a line, summed over machine loops, only the loop's own where these lie inside one another: of what has
    /// effects, if there is any, as other instructions of a line may be spread over several loops; and of that alone.
    fn executions_of(&self, found: LoopRef, sites: &[&Site]) -> (u64, Option<u64>) {
        let own = self.nested.get(&found).map_or(&[][..], Vec::as_slice);
        let is_nested = self.is_nested(found);
        let is_own = |number: u32| !is_nested || own.contains(&(number as usize));
        let (mut all, mut effects): (BTreeMap<u32, u64>, BTreeMap<u32, u64>) = Default::default();
        let in_loops = sites
            .iter()
            .filter_map(|site| Some((site.machine_loop?, site)));
        for (machine_loop, site) in in_loops.filter(|(number, _)| is_own(*number)) {
            let most = all.entry(machine_loop).or_default();
            *most = site.executions.max(*most);
            if let Some((_, executions)) = site.effects {
                let most = effects.entry(machine_loop).or_default();
                *most = executions.max(*most);
            }
        }
        let sure = (!effects.is_empty()).then(|| effects.values().sum());
        (sure.unwrap_or_else(|| all.values().sum()), sure)
    }
}
