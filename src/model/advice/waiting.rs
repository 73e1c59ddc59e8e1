//! Nests whose iterations wait for earlier ones: sums that compilers may add in another order, and what else could be done
//! while a value is waited for.

use super::evaluate::{Bench, CoreChange, Plan, REORDER_SUMS};
use super::{Change, Check, Proposal};
use crate::analysis::dependence::order::Doubt;
use crate::analysis::in_core::{Chain, ChainKind};
use crate::time::BoundBy;

/// Sums in another order if that makes the nest faster; else what independent work between the steps would give at most.
pub(super) fn propose<'p>(bench: &Bench<'_, '_, 'p>, nest: usize) -> Option<Proposal<'p>> {
    let model = &bench.context.nests[nest];
    let time = &model.time;
    if time.bound_by(bench.value(time.bound)) != Some(BoundBy::Chains) {
        return None;
    }
    let innermost = model.nest.loops.last()?.facts;
    let chains = innermost
        .in_core
        .as_ref()
        .map_or(&[][..], |c| &c.carried.chains);
    let found = reordered(bench, nest, chains).filter(|proposal| proposal.saved > 0.0);
    found.or_else(|| independent(bench, nest, chains))
}

fn names<'c>(chains: impl Iterator<Item = &'c Chain>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for chain in chains {
        if !names.contains(&chain.name) {
            names.push(chain.name.clone());
        }
    }
    names
}

fn reordered<'p>(bench: &Bench<'_, '_, 'p>, nest: usize, chains: &[Chain]) -> Option<Proposal<'p>> {
    let open = bench.context.nests[nest].time.in_core?.open?;
    if !open.may_reorder {
        return None;
    }
    let mut machine = bench.context.machine.clone();
    machine.set(REORDER_SUMS, 1.0).ok()?;
    let sums = chains.iter();
    let sums = names(sums.filter(|chain| chain.kind == ChainKind::Reduction));
    let checks = sums.iter().cloned().map(Doubt::Carried);
    Some(Proposal {
        checks: checks.map(Check::Order).collect(),
        change: Change::ReorderSums { sums },
        nests: vec![nest],
        plan: Plan::Core(CoreChange::SumsReordered),
        saved: bench.saved(nest, bench.on(nest, &machine)),
    })
}

/// Nothing is faster than what the core issues and the levels move.
fn independent<'p>(
    bench: &Bench<'_, '_, 'p>,
    nest: usize,
    chains: &[Chain],
) -> Option<Proposal<'p>> {
    let model = &bench.context.nests[nest];
    let time = &model.time;
    let in_core = time.in_core?;
    let levels = time.levels.iter().map(|level| {
        let parts = level.parts(time.behind());
        parts.map(|id| bench.value(id)).sum::<f64>()
    });
    let branches = in_core
        .branches
        .map_or(0.0, |found| bench.value(found.seconds));
    let issue = bench.value(in_core.ports) + branches;
    let text = time.text.map(|text| bench.value(text));
    let most = (text.into_iter().chain([issue]))
        .chain(levels)
        .fold(0.0, f64::max);
    let mut waits = names(chains.iter());
    if waits.is_empty() {
        // Executions of the innermost loop wait for each other.
        let around = (0..model.nest.loops.len() - 1).rev();
        let mut carried = around.filter_map(|level| model.nest.carried_by(level));
        let found = carried.find(|carried| !carried.chains.is_empty())?;
        waits = names(found.chains.iter());
    }
    Some(Proposal {
        checks: waits.iter().cloned().map(Check::Independent).collect(),
        change: Change::IndependentWork { waits },
        nests: vec![nest],
        plan: Plan::Core(CoreChange::NothingWaits),
        saved: bench.saved(nest, most),
    })
}
