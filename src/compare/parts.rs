//! Which loops of the machine code did one loop of the source become, and what does each of them hold?
//!
//! Of machine loops inside one another that come from the same loop one counts, unless they are copies with a
//! whole body each ([`drop_nested`]): else the rounds of a loop whose arms jump back to different places would
//! be counted twice.

use std::collections::{BTreeMap, BTreeSet};

use crate::metrics::profile::{MachineLoop, Site};
use crate::report::static_report::LoopReport;

/// A loop and those around it.
pub fn around(loops: &[MachineLoop], innermost: usize) -> impl Iterator<Item = usize> + '_ {
    std::iter::successors(Some(innermost), |&number| {
        loops[number].parent.map(|parent| parent as usize)
    })
}

/// A statement of a loop.
#[derive(Clone, Debug, Default)]
pub struct Statement {
    /// By line: the machine loops that have code of it, in them or in loops inside.
    pub lines: BTreeMap<u32, BTreeSet<usize>>,
}

impl Statement {
    pub fn parts(&self) -> BTreeSet<usize> {
        self.lines.values().flatten().copied().collect()
    }
}

/// The statements of a loop, without what is on the line of its head; `sites` has those of each machine loop. A condition is one with what it guards, whose arms may
/// have become loops of their own.
pub fn statements(
    parts: &[usize],
    facts: &LoopReport,
    loops: &[MachineLoop],
    sites: &[Vec<&Site>],
) -> Vec<Statement> {
    if parts.is_empty() {
        return Vec::new();
    }
    let statement = |line: u32| {
        facts
            .branches
            .iter()
            .filter(|branch| branch.guards(line))
            .map(|branch| branch.line)
            .min()
            .unwrap_or(line)
    };
    let mut statements: BTreeMap<(Option<&str>, u32), Statement> = BTreeMap::new();
    for (innermost, sites) in sites.iter().enumerate() {
        let around: Vec<usize> = around(loops, innermost)
            .filter(|number| parts.contains(number))
            .collect();
        for site in sites.iter().filter(|_| !around.is_empty()) {
            if let Some(line) = site.line.filter(|line| *line != facts.line) {
                let found = statements
                    .entry((site.file.as_deref(), statement(line)))
                    .or_default();
                found.lines.entry(line).or_default().extend(&around);
            }
        }
    }
    statements.into_values().collect()
}

/// Of loops inside one another that come from the same loop, one counts: the one that goes round most, of equals the
/// outermost. All do whose rounds are rounds of the source: where a compiler let the arms of a condition go back to
/// different places, each with a copy of the body.
pub fn drop_nested(
    parts: &mut Vec<usize>,
    rounds: &[u64],
    loops: &[MachineLoop],
    body: impl Fn(usize) -> BTreeMap<u32, u64>,
) {
    let all = parts.clone();
    let rank = |number: usize| (rounds[number], std::cmp::Reverse(number));
    let is_inside = |inner: usize, outer: usize| around(loops, inner).any(|number| number == outer);
    let are_copies = |one: usize, other: usize| {
        let bodies = (body(one), body(other));
        let is_each_round =
            |line: &u32| bodies.0[line] == rounds[one] && bodies.1[line] == rounds[other];
        bodies.0.keys().eq(bodies.1.keys()) && bodies.0.keys().any(is_each_round)
    };
    parts.retain(|&part| {
        all.iter().all(|&other| {
            let is_nested = other != part && (is_inside(part, other) || is_inside(other, part));
            !is_nested || are_copies(part, other) || rank(part) > rank(other)
        })
    });
}

/// Executions of the lines of a loop that each of its rounds passes, in one loop of the machine code, its inner loops
/// left out: what lies in arms of conditions and on the head is not among them.
pub fn body(
    facts: &LoopReport,
    lines: &BTreeMap<u32, Vec<&Site>>,
    part: usize,
) -> BTreeMap<u32, u64> {
    let is_in_arm = |line: u32| facts.branches.iter().any(|branch| branch.guards(line));
    let of_part = |sites: &Vec<&Site>| {
        let own = sites
            .iter()
            .filter(|site| site.machine_loop == Some(part as u32));
        own.map(|site| site.executions).max()
    };
    let passed = lines
        .iter()
        .filter(|(line, _)| **line != facts.line && !is_in_arm(**line));
    passed
        .filter_map(|(line, sites)| Some((*line, of_part(sites)?)))
        .collect()
}
