//! How many loops are understood, and why the others are not.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::{Block, Function, Item, Loop, Program, Reason};

/// Loops counted by how well they are understood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    pub loops: usize,
    /// Loops whose own statements are all understood; loops inside count for themselves.
    pub understood: usize,
    pub partial: usize,
    /// How many loops have a reason of each code.
    pub reasons: BTreeMap<String, usize>,
    /// How many loops have figures that are upper bounds, by why.
    pub estimates: BTreeMap<String, usize>,
}

/// Every reason that keeps the loop itself from being understood: its own statements', branches
/// included, inner loops excluded.
pub fn reasons(facts: &Loop) -> Vec<&Reason> {
    own_reasons(facts, false)
}

/// What makes the figures of the loop upper bounds though all of it is understood.
pub fn estimates(facts: &Loop) -> Vec<&Reason> {
    own_reasons(facts, true)
}

fn own_reasons(facts: &Loop, are_estimates: bool) -> Vec<&Reason> {
    let mut found = Vec::new();
    facts.body.with_branches(&mut |block| {
        found.extend(block.reasons.iter().filter(|reason| reason.is_estimate() == are_estimates));
    });
    found
}

/// The codes of reasons, each once.
fn codes(reasons: Vec<&Reason>) -> BTreeSet<&str> {
    reasons.into_iter().map(|reason| reason.code.as_str()).collect()
}

/// Counts all loops of a program.
pub fn coverage(program: &Program) -> Coverage {
    let mut coverage = Coverage::default();
    for function in &program.functions {
        each_loop(&function.body, &mut |facts| coverage.count(facts));
    }
    coverage
}

impl Coverage {
    fn count(&mut self, facts: &Loop) {
        self.loops += 1;
        for code in codes(estimates(facts)) {
            *self.estimates.entry(code.to_string()).or_insert(0) += 1;
        }
        let codes = codes(reasons(facts));
        if codes.is_empty() {
            self.understood += 1;
        } else {
            self.partial += 1;
        }
        for code in codes {
            *self.reasons.entry(code.to_string()).or_insert(0) += 1;
        }
    }
}

/// Visits every loop, outer loops first.
pub fn each_loop<'a>(block: &'a Block, visit: &mut dyn FnMut(&'a Loop)) {
    for item in &block.items {
        match item {
            Item::Loop(inner) => {
                visit(inner);
                each_loop(&inner.body, visit);
            }
            Item::Branch(branch) => {
                each_loop(&branch.then, visit);
                if let Some(otherwise) = &branch.otherwise {
                    each_loop(otherwise, visit);
                }
            }
        }
    }
}

/// One thing that was not understood.
#[derive(Clone, Copy, Debug)]
pub struct Gap<'p> {
    pub function: &'p Function,
    /// The innermost loop around it; `None` outside of loops.
    pub inside: Option<&'p Loop>,
    pub reason: &'p Reason,
}

/// Every reason of a program in program order, those outside of loops last in each function.
pub fn gaps(program: &Program) -> Vec<Gap<'_>> {
    let mut gaps = Vec::new();
    for function in &program.functions {
        each_loop(&function.body, &mut |facts| {
            let all = reasons(facts).into_iter().chain(estimates(facts));
            gaps.extend(all.map(|reason| Gap { function, inside: Some(facts), reason }));
        });
        function.body.with_branches(&mut |block| {
            gaps.extend(block.reasons.iter().map(|reason| Gap { function, inside: None, reason }));
        });
    }
    gaps
}
