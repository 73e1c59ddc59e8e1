//! Loops of the source whose machine code begins with the same instruction as that of others: which of them a round
//! belongs to, the code does not tell; how often their lines were executed does.

use std::collections::BTreeMap;

use super::{Counter, LoopCounts};
use crate::compare::places::LoopRef;

impl Counter<'_> {
    /// The counts of a loop, corrected where its machine loops begin as others do: a round executes some line of the body,
    /// and no line more often than there are rounds.
    pub(super) fn by_lines(&self, found: LoopRef, counts: Option<LoopCounts>) -> Option<LoopCounts> {
        if !self.is_tangled(found) || counts.is_some_and(|counts| counts.unrolled > 1) {
            return counts;
        }
        let Some(executed) = self.body_executions(found) else { return counts };
        match counts {
            Some(counts) if counts.rounds <= executed => Some(counts),
            Some(counts) => Some(LoopCounts { rounds: executed, peeled: 0, ..counts }),
            None => Some(LoopCounts { rounds: executed, varies: true, ..LoopCounts::default() }),
        }
    }

    /// Whether some machine loop that has code of a loop shares its header with another.
    fn is_tangled(&self, found: LoopRef) -> bool {
        let loops = &self.profile.loops;
        let is_shared = |number: usize| {
            loops[number].shares_header
                || loops.iter().any(|one| one.shares_header && one.parent == Some(number as u32))
        };
        let own = self.parts.get(&found).into_iter().flatten().copied();
        let of_lines = self.sites(found, None).filter_map(|site| site.machine_loop).map(|number| number as usize);
        own.chain(of_lines).any(is_shared)
    }

    /// Executions of the line of the body that was executed most, in all copies: the head's own line, which is executed
    /// once more, is left out.
    fn body_executions(&self, found: LoopRef) -> Option<u64> {
        let head = self.places.facts(found).line;
        let lines = self.lines.get(&found)?.iter().filter(|(line, _)| **line != head);
        let executions = lines.map(|(_, sites)| {
            let mut copies: BTreeMap<u32, u64> = BTreeMap::new();
            for site in sites {
                if let Some(machine_loop) = site.machine_loop {
                    let most = copies.entry(machine_loop).or_default();
                    *most = site.executions.max(*most);
                }
            }
            copies.values().sum()
        });
        executions.max().filter(|executions| *executions > 0)
    }
}
