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
    let single = best(bench, nest, one_loop(bench, nest, &loops))?;
    let double = match single.seconds - bench.at_best(nest) > ABOUT * now {
        true => best(bench, nest, two_loops(bench, nest, &loops)),
        false => None,
    };
    let is_better = |double: &Tried| single.seconds - double.seconds > ABOUT * now;
    let Tried { blocks, seconds } = double.filter(is_better).unwrap_or(single);
    let blocked = blocks.iter().map(|(at, size)| BlockedLoop {
        parameter: block_symbol(&model.nest, *at).name().to_string(),
        variable: model.nest.loops[*at].facts.variable.to_string(),
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

/// Blocks and the seconds of one execution with them.
struct Tried {
    blocks: Blocks,
    seconds: f64,
}

/// Positions of loops with sizes of their blocks.
type Blocks = Vec<(usize, f64)>;

/// Sizes of blocks of a loop, each so many times as large as the one before.
fn sizes(bench: &Bench, nest: usize, at: usize, factor: f64) -> Vec<f64> {
    let model = &bench.context.nests[nest];
    let position = model.nest.loops.len() - 1 - at;
    let trip = bench.value(model.loops[position].trip);
    let smallest = match position {
        0 => SMALLEST_INNERMOST,
        _ => SMALLEST,
    };
    let sizes = std::iter::successors(Some(smallest), |size| Some(factor * size));
    sizes.take_while(|size| 2.0 * size <= trip).collect()
}

fn one_loop(bench: &Bench, nest: usize, loops: &[usize]) -> Vec<Blocks> {
    let of = |at: &usize| {
        let sizes = sizes(bench, nest, *at, 2.0).into_iter();
        sizes.map(|size| vec![(*at, size)]).collect::<Vec<Blocks>>()
    };
    loops.iter().flat_map(of).collect()
}

/// In larger steps, as there are many pairs.
fn two_loops(bench: &Bench, nest: usize, loops: &[usize]) -> Vec<Blocks> {
    let mut found = Vec::new();
    for (number, outer) in loops.iter().enumerate() {
        for inner in &loops[number + 1..] {
            for size in sizes(bench, nest, *outer, 4.0) {
                let others = sizes(bench, nest, *inner, 4.0).into_iter();
                found.extend(others.map(|other| vec![(*outer, size), (*inner, other)]));
            }
        }
    }
    found
}

/// Of the fastest, those of outer loops before those of the innermost, and the larger ones first. The largest may fill a
/// cache to the last line, which no cache holds, so that the next smaller one is taken.
fn best(bench: &Bench, nest: usize, all: Vec<Blocks>) -> Option<Tried> {
    let model = &bench.context.nests[nest];
    let innermost = model.nest.loops.len() - 1;
    let mut tried: Vec<Tried> = Vec::new();
    for blocks in all {
        let symbol = |(at, size): &(usize, f64)| (block_symbol(&model.nest, *at), *size);
        let symbols: Vec<(Symbol, f64)> = blocks.iter().map(symbol).collect();
        let seconds = bench.with_blocks(nest, &symbols);
        tried.push(Tried { blocks, seconds });
    }
    tried.retain(|one| one.seconds.is_finite());
    let fastest = tried.iter().map(|one| one.seconds).reduce(f64::min)?;
    let near = fastest + ABOUT * bench.value(model.time.seconds);
    tried.retain(|one| one.seconds <= near);
    let is_innermost = |one: &Tried| one.blocks.iter().any(|(at, _)| *at == innermost);
    if !tried.iter().all(is_innermost) {
        tried.retain(|one| !is_innermost(one));
    }
    let iterations = |one: &Tried| one.blocks.iter().map(|(_, size)| size).product::<f64>();
    tried.sort_by(|a, b| iterations(b).total_cmp(&iterations(a)));
    tried.truncate(2);
    tried.pop()
}
