//! What a run comes to: the functions that calls lead to from where it begins.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::CallSite;
use super::circles::Circles;
use super::elsewhere::{self, Elsewhere};
use super::givers::Givers;
use crate::analysis::coverage;
use crate::analysis::facts::{Decision, Program, Share};
use crate::expr::Symbol;
use crate::nest::{ChainLoop, Nest, Weight};
use crate::reason::ReasonCode;

/// Where runs begin and what they come to.
#[derive(Clone)]
pub struct Reached {
    /// Functions that runs begin with, in program order.
    pub entries: Vec<usize>,
    /// By function: whether calls lead to it from an entry.
    functions: Vec<bool>,
    /// By function: whether no calls lead to it from an entry that could be followed, but others may.
    is_unknown: Vec<bool>,
    /// By function: why the number of its calls is not exact.
    doubts: Vec<BTreeSet<ReasonCode>>,
    /// Codes of what code outside of loops leaves out of the figures of a run.
    left_out: BTreeSet<ReasonCode>,
}

/// The branches on the way to a call: around the loops that it is in, and around itself in the innermost one.
fn way_of<'w>(loops: &'w [ChainLoop], own: &'w Weight) -> impl Iterator<Item = &'w (Symbol, bool)> {
    loops.iter().flat_map(|chain| &chain.weight).chain(own)
}

/// Whether conditions on variables of loops are on the way that hold in a share of the iterations that is not exact, or
/// several of them, one of which is no range: what they leave together is not the product of their shares.
fn depends_on_loops<'w>(
    way: impl Iterator<Item = &'w (Symbol, bool)>,
    decided: &BTreeMap<&Symbol, &Decision>,
) -> bool {
    let conditions: Vec<&Decision> = way
        .filter_map(|(branch, _)| decided.get(branch).copied())
        .collect();
    let is_no_range = |decision: &&Decision| matches!(decision, Decision::Loops(_));
    conditions.contains(&&Decision::Loops(Share::Estimated))
        || conditions.len() > 1 && conditions.iter().any(is_no_range)
}

/// The functions that runs begin with.
pub(super) fn entries(program: &Program) -> Vec<usize> {
    let functions = program.functions.iter().enumerate();
    functions
        .filter(|(_, function)| function.is_entry)
        .map(|(index, _)| index)
        .collect()
}

impl Reached {
    pub(super) fn of(
        entries: Vec<usize>,
        sites: &[CallSite],
        circles: &Circles,
        (program, nests): (&Program, &[Nest]),
    ) -> Reached {
        let mut functions = vec![false; program.functions.len()];
        entries.iter().for_each(|entry| functions[*entry] = true);
        let mut doubts = vec![BTreeSet::new(); functions.len()];
        for function in &circles.recursive {
            doubts[*function].insert(ReasonCode::Recursion);
        }
        let uncertain_turns: Vec<BTreeSet<&Symbol>> = (program.functions.iter())
            .map(|function| coverage::uncertain_turns(&function.body))
            .collect();
        let decided: Vec<BTreeMap<&Symbol, &Decision>> = (program.functions.iter())
            .map(|function| coverage::decided_by_loops(&function.body))
            .collect();
        let elsewhere = Elsewhere::of(program, &entries);
        for function in &elsewhere.handed {
            doubts[*function].insert(ReasonCode::Call);
        }
        let mut leaving: Vec<Vec<&CallSite>> = vec![Vec::new(); functions.len()];
        sites
            .iter()
            .for_each(|site| leaving[site.caller].push(site));
        for caller in circles.bottom_up.iter().rev() {
            if !functions[*caller] {
                continue;
            }
            for site in &leaving[*caller] {
                functions[site.callee] = true;
                let inherited = doubts[*caller].clone();
                doubts[site.callee].extend(inherited);
                let shared = &uncertain_turns[*caller];
                let (loops, own) = site.way(nests);
                if way_of(loops, own).any(|(branch, _)| shared.contains(branch)) {
                    doubts[site.callee].insert(ReasonCode::UndecidedBranch);
                }
                if depends_on_loops(way_of(loops, own), &decided[*caller]) {
                    doubts[site.callee].insert(ReasonCode::ConditionOnLoops);
                }
                if site.is_ambiguous {
                    doubts[site.callee].insert(ReasonCode::AmbiguousCall);
                }
                let is_estimated = site.loops.is_some_and(|(nest, level)| {
                    (0..level).any(|around| nests[nest].is_approximate(around))
                });
                // Their sizes are taken to fall evenly, and libraries to compare as often as they may have to.
                if is_estimated || site.share.is_some() || site.times.is_some() {
                    doubts[site.callee].insert(ReasonCode::ApproximateTripCount);
                }
            }
        }
        let mut is_unknown = elsewhere.possible;
        for (function, is_unknown) in is_unknown.iter_mut().enumerate() {
            *is_unknown &= !functions[function];
            if *is_unknown {
                doubts[function].insert(ReasonCode::Call);
            }
        }
        let met = program.functions.iter().zip(&elsewhere.met);
        let met = met.filter(|(_, is_met)| **is_met);
        let left_out = elsewhere::left_out(met.map(|(function, _)| function));
        Reached {
            entries,
            functions,
            is_unknown,
            doubts,
            left_out,
        }
    }

    /// Whether calls lead to the function from where a run begins.
    pub fn includes(&self, function: usize) -> bool {
        self.functions[function]
    }

    /// Whether no calls that could be followed lead to the function, but others may: of procedures without a body here, and
    /// through pointers of which nothing is known.
    pub fn is_unknown(&self, function: usize) -> bool {
        self.is_unknown[function]
    }

    /// Codes of what code outside of loops leaves out of the figures of a run.
    pub fn left_out(&self) -> &BTreeSet<ReasonCode> {
        &self.left_out
    }

    /// Why the number of calls of the function is not exact: recursion, a call that may mean several procedures, one that cannot
    /// be followed, or loops around calls on the way whose iterations are estimated.
    pub fn doubts(&self, function: usize) -> &BTreeSet<ReasonCode> {
        &self.doubts[function]
    }

    /// The functions that calls of these come through, or that give these to pointers, with these.
    pub(super) fn on_the_way(
        sites: &[CallSite],
        givers: &Givers,
        to: impl Iterator<Item = usize>,
    ) -> HashSet<usize> {
        let mut found: HashSet<usize> = to.collect();
        let mut pending: Vec<usize> = found.iter().copied().collect();
        while let Some(function) = pending.pop() {
            let first = sites.partition_point(|site| site.callee < function);
            let arriving = sites[first..]
                .iter()
                .take_while(|site| site.callee == function);
            let before = arriving
                .map(|site| site.caller)
                .chain(givers.of_function(function).iter().copied());
            pending.extend(before.filter(|function| found.insert(*function)));
        }
        found
    }
}
