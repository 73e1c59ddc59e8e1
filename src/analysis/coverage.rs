//! How many loops are understood, and why the others are not.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::{Block, Body, Branch, Decision, Function, Item, Loop, Program, Reason};
use crate::expr::Symbol;
use crate::reason::{Effect, ReasonCode};

/// Loops counted by how well they are understood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    pub loops: usize,
    /// Loops whose own statements are all understood; loops inside count for themselves.
    pub understood: usize,
    pub partial: usize,
    /// How many loops have a reason of each code.
    pub reasons: BTreeMap<ReasonCode, usize>,
    /// How many loops have an estimated trip count for each code.
    pub estimated: BTreeMap<ReasonCode, usize>,
    /// How many places outside loops have a reason of each code.
    pub outside: BTreeMap<ReasonCode, usize>,
}

/// Every reason that keeps the loop itself from being understood: its own statements', branches
/// included, inner loops excluded.
pub fn reasons(facts: &Loop) -> Vec<&Reason> {
    with_effect(facts, Effect::LeavesOut)
}

/// Every reason why the iterations of the loop itself are estimated.
pub fn estimates(facts: &Loop) -> Vec<&Reason> {
    with_effect(facts, Effect::Estimates)
}

fn with_effect(facts: &Loop, effect: Effect) -> Vec<&Reason> {
    let mut found = Vec::new();
    facts.body.with_branches(&mut |block| {
        let reasons = block.reasons.iter();
        found.extend(reasons.filter(|reason| reason.code.effect() == effect));
    });
    found
}

/// The codes of all reasons in a program.
pub fn codes(program: &Program) -> BTreeSet<ReasonCode> {
    let mut found = BTreeSet::new();
    for function in &program.functions {
        let mut add = |block: &Block| found.extend(block.reasons.iter().map(|r| r.code));
        function.body.with_branches(&mut add);
        each_loop(&function.body, &mut |facts| {
            facts.body.with_branches(&mut add);
        });
    }
    found
}

/// The branches of a block, loops included, that a run takes once, or another procedure in their place.
pub fn uncertain_turns(block: &Block) -> BTreeSet<&Symbol> {
    let all = branches(block).into_iter();
    let uncertain = all.filter(|branch| matches!(branch.decision, Decision::PerhapsOnce(_)));
    uncertain.map(|branch| &branch.probability).collect()
}

/// The branches of a block, loops included, that variables of loops decide.
pub fn decided_by_loops(block: &Block) -> BTreeMap<&Symbol, &Decision> {
    let all = branches(block).into_iter();
    let decided =
        all.filter(|branch| matches!(branch.decision, Decision::Loops(_) | Decision::Guard(_)));
    decided
        .map(|branch| (&branch.probability, &branch.decision))
        .collect()
}

/// All branches of a block, loops included.
fn branches(block: &Block) -> Vec<&Branch> {
    let mut found = Vec::new();
    let mut pending = vec![block];
    while let Some(block) = pending.pop() {
        for item in &block.items {
            match item {
                Item::Loop(inner) => pending.push(&inner.body),
                Item::Branch(branch) => {
                    found.push(&**branch);
                    pending.push(&branch.then);
                    pending.extend(&branch.otherwise);
                }
            }
        }
    }
    found
}

fn distinct(reasons: Vec<&Reason>) -> BTreeSet<ReasonCode> {
    reasons.into_iter().map(|reason| reason.code).collect()
}

/// Counts all loops of a program.
pub fn coverage(program: &Program) -> Coverage {
    let mut coverage = Coverage::default();
    for function in &program.functions {
        each_loop(&function.body, &mut |facts| coverage.count(facts));
        function.body.with_branches(&mut |block| {
            for reason in &block.reasons {
                *coverage.outside.entry(reason.code).or_insert(0) += 1;
            }
        });
    }
    coverage
}

impl Coverage {
    fn count(&mut self, facts: &Loop) {
        self.loops += 1;
        for code in distinct(estimates(facts)) {
            *self.estimated.entry(code).or_insert(0) += 1;
        }
        let codes = distinct(reasons(facts));
        if codes.is_empty() {
            self.understood += 1;
        } else {
            self.partial += 1;
        }
        for code in codes {
            *self.reasons.entry(code).or_insert(0) += 1;
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
    /// The innermost loop around it; `None` outside loops.
    pub inside: Option<&'p Loop>,
    pub reason: &'p Reason,
}

/// Every reason of a program in program order, those outside loops last in each function.
pub fn gaps(program: &Program) -> Vec<Gap<'_>> {
    let mut gaps = Vec::new();
    for function in &program.functions {
        each_loop(&function.body, &mut |facts| {
            gaps.extend(reasons(facts).into_iter().map(|reason| Gap {
                function,
                inside: Some(facts),
                reason,
            }));
        });
        function.body.with_branches(&mut |block| {
            gaps.extend(block.reasons.iter().map(|reason| Gap {
                function,
                inside: None,
                reason,
            }));
        });
    }
    gaps
}

/// Names that are called without a body that is known, with how many calls there are.
pub fn unknown_calls(program: &Program) -> BTreeMap<&str, usize> {
    fn count<'p>(block: &'p Block, names: &mut BTreeMap<&'p str, usize>) {
        block.with_branches(&mut |block| {
            let unknown = block.calls.iter().filter(|call| call.body == Body::Unknown);
            unknown.for_each(|call| *names.entry(call.name.as_str()).or_insert(0) += 1);
        });
    }
    let mut names = BTreeMap::new();
    for function in &program.functions {
        count(&function.body, &mut names);
        each_loop(&function.body, &mut |facts| count(&facts.body, &mut names));
    }
    names
}
