//! Blocks, so that what a loop comes back to is still in a cache (Wolf, Lam 1991, "A data locality optimizing
//! algorithm").

use super::evaluate::{Bench, Plan};
use super::{BlockedLoop, Change, Proposal, legality};
use crate::catalogue::StaticFigure as F;
use crate::expr::{Expr, Symbol};
use crate::levels::{block_symbol, blockable};

/// Iterations of the smallest block that is tried: of the innermost loop, which loses vectors and what is fetched ahead,
/// and of others.
const SMALLEST_INNERMOST: f64 = 64.0;
const SMALLEST: f64 = 8.0;
/// Of two blocks that save about the same, the larger one is better, and one blocked loop is better than two.
const ABOUT: f64 = 0.02;

/// Blocks of one or two loops that make the nest fastest.
pub(super) fn propose<'p>(bench: &Bench<'_, '_, 'p>, nest: usize) -> Option<Proposal<'p>> {
    let context = bench.context;
    let model = &context.nests[nest];
    if !moves_too_much(bench, nest) {
        return None;
    }
    let order = legality::order(context, nest)?;
    let loops: Vec<usize> = blockable(&model.nest)
        .into_iter()
        .filter(|at| *at >= model.nest.own && order.may_block(&[*at]))
        .collect();
    let split = match loops.is_empty() {
        true => return None,
        false => legality::alone(context, nest)?,
    };
    let now = bench.value(model.time.seconds);
    let single = best(bench, nest, &[], &loops)?;
    let others: Vec<usize> = loops
        .into_iter()
        .filter(|at| *at != single.0[0].0)
        .collect();
    let double = best(bench, nest, &single.0, &others);
    let is_better = |double: &Tried| single.1 - double.1 > ABOUT * now;
    let (blocks, seconds) = double.filter(is_better).unwrap_or(single);
    let blocked = blocks.iter().map(|(at, size)| BlockedLoop {
        parameter: block_symbol(&model.nest, *at).name().to_string(),
        variable: model.nest.loops[*at].facts.variable.clone(),
        size: *size,
    });
    let inputs = blocks
        .iter()
        .map(|(at, size)| (block_symbol(&model.nest, *at), Expr::from(*size)));
    Some(Proposal {
        change: Change::Block(blocked.collect()),
        nests: vec![nest],
        checks: split.into_iter().chain(legality::doubts(&order)).collect(),
        plan: Plan::Inputs(inputs.collect()),
        saved: bench.saved(nest, seconds),
    })
}

/// Whether what takes longest is a cache or memory: blocks change neither arithmetic nor what registers load.
fn moves_too_much(bench: &Bench, nest: usize) -> bool {
    let time = &bench.context.nests[nest].time;
    let level = (bench.value(time.bound) as usize).checked_sub(2);
    let level = level.and_then(|level| time.levels.get(level));
    level.is_some_and(|level| bench.figures.get(level.bytes).label.kind != F::RegisterTraffic)
}

/// Positions of loops with sizes of their blocks, and the seconds of one execution with them.
type Tried = (Vec<(usize, f64)>, f64);

/// With one of the loops blocked beside others.
fn best(bench: &Bench, nest: usize, beside: &[(usize, f64)], loops: &[usize]) -> Option<Tried> {
    let model = &bench.context.nests[nest];
    let mut tried: Vec<Tried> = Vec::new();
    for at in loops {
        let position = model.nest.loops.len() - 1 - at;
        let trip = bench.value(model.loops[position].trip);
        let smallest = match position {
            0 => SMALLEST_INNERMOST,
            _ => SMALLEST,
        };
        let sizes = std::iter::successors(Some(smallest), |size| Some(2.0 * size));
        for size in sizes.take_while(|size| 2.0 * size <= trip) {
            let blocks = [beside, &[(*at, size)]].concat();
            let symbol = |(at, size): &(usize, f64)| (block_symbol(&model.nest, *at), *size);
            let symbols: Vec<(Symbol, f64)> = blocks.iter().map(symbol).collect();
            let seconds = bench.with_blocks(nest, &symbols);
            tried.push((blocks, seconds));
        }
    }
    tried.retain(|(_, seconds)| seconds.is_finite());
    let fastest = tried.iter().map(|(_, seconds)| *seconds).reduce(f64::min)?;
    let near = fastest + ABOUT * bench.value(model.time.seconds);
    tried.retain(|(_, seconds)| *seconds <= near);
    let size = |(blocks, _): &Tried| blocks.last().map_or(0.0, |(_, size)| *size);
    tried.into_iter().max_by(|a, b| size(a).total_cmp(&size(b)))
}
