//! What caches twice as large would give.

use super::evaluate::{Bench, Plan};
use super::{Change, Proposal};
use crate::expr::{Expr, Symbol};

const FACTOR: f64 = 2.0;

/// One level at a time.
pub(super) fn propose<'p>(bench: &Bench<'_, '_, 'p>) -> Vec<Proposal<'p>> {
    let context = bench.context;
    let levels = context.machine.levels();
    let last = levels.last().map(|level| level.index);
    let one = |level: &crate::machine::Level| {
        let mut names = vec![format!("l{}_bytes", level.index)];
        // One core's share of the last level, if it is that.
        if Some(level.index) == last && context.machine.get("cache_bytes") == Some(level.share()) {
            names.push("cache_bytes".to_string());
        }
        let mut machine = context.machine.clone();
        for name in &names {
            let bytes = context.machine.get(name)?;
            machine.set(name, FACTOR * bytes).ok()?;
        }
        let saved = |nest: &usize| bench.saved(*nest, bench.on(*nest, &machine));
        let saved: Vec<(usize, f64)> = (context.costliest.iter())
            .map(|nest| (*nest, saved(nest)))
            .filter(|(_, saved)| *saved > 0.0)
            .collect();
        let mut nests: Vec<usize> = saved.iter().map(|(nest, _)| *nest).collect();
        nests.sort_unstable();
        let inputs = names.iter().map(|name| {
            let symbol = Symbol::machine(name);
            (symbol.clone(), Expr::from(symbol) * FACTOR)
        });
        Some(Proposal {
            change: Change::LargerCache {
                level: level.name.clone(),
                factor: FACTOR,
            },
            nests,
            checks: Vec::new(),
            plan: Plan::Inputs(inputs.collect()),
            saved: saved.iter().map(|(_, saved)| saved).sum(),
        })
    };
    levels.iter().filter_map(one).collect()
}
