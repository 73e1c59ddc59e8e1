//! Loops nested in another order, so that the innermost one runs along cache lines.

use super::evaluate::{Bench, Plan};
use super::{Change, Check, Proposal, legality};
use crate::analysis::dependence::order::Order;
use crate::analysis::facts::{GuardRange, Stream};
use crate::nest::{ChainLoop, Nest, Reference};

/// Of deeper nests only two loops change places.
const DEEPEST: usize = 4;
/// Orders that save about the same: the one that moves fewer loops is better.
const ABOUT: f64 = 0.02;

/// The order that makes the nest fastest.
pub(super) fn propose<'p>(bench: &Bench<'_, '_, 'p>, nest: usize) -> Option<Proposal<'p>> {
    let context = bench.context;
    let model = &context.nests[nest].nest;
    let own = model.own;
    if model.loops.len() < own + 2 {
        return None;
    }
    let order = legality::order(context, nest)?;
    let now = bench.value(context.nests[nest].time.seconds);
    let mut tried: Vec<(usize, f64, Vec<usize>)> = Vec::new();
    for positions in orders(own, model.loops.len()) {
        if !is_possible(model, &order, &positions) {
            continue;
        }
        let moved = positions
            .iter()
            .zip(0..)
            .filter(|(at, place)| **at != *place);
        let changed = reordered(model, &positions);
        // Descriptions by others do not say what iterations would wait for.
        if changed.code().in_core.is_some() && changed.carried().is_none() {
            continue;
        }
        let seconds = bench.of(&[nest], &changed);
        tried.push((moved.count(), seconds, positions));
    }
    tried.retain(|(_, seconds, _)| *seconds < now);
    let fastest = tried
        .iter()
        .map(|(_, seconds, _)| *seconds)
        .reduce(f64::min)?;
    tried.retain(|(_, seconds, _)| *seconds <= fastest + ABOUT * now);
    let (_, seconds, positions) = tried.into_iter().min_by_key(|(moved, ..)| *moved)?;
    let changed = reordered(model, &positions);
    let names = |loops: &[ChainLoop]| {
        let own = loops[own..].iter();
        own.map(|one| one.facts.variable.to_string()).collect()
    };
    let mut checks = legality::doubts(&order);
    let head = model.loops[own].facts;
    if head.parallel.is_some() && positions[own] != own {
        checks.push(Check::Parallel(head.variable.to_string()));
    }
    Some(Proposal {
        change: Change::Interchange {
            from: names(&model.loops),
            to: names(&changed.loops),
        },
        nests: vec![nest],
        checks,
        plan: Plan::Nest(Box::new(changed)),
        saved: bench.saved(nest, seconds),
    })
}

/// Whether the dependences allow it, and no bound mentions a loop that would be further inside.
fn is_possible(nest: &Nest, order: &Order, positions: &[usize]) -> bool {
    let name = |at: usize| nest.loops[at].facts.variable.as_str();
    let is_bounded = |place: usize| {
        let facts = nest.loops[positions[place]].facts;
        let bounds = [&facts.lower, &facts.upper, &facts.step];
        let mut inside = positions[place + 1..].iter();
        inside.all(|at| bounds.iter().all(|bound| !bound.mentions(name(*at))))
    };
    let place = |variable: &str| positions.iter().position(|at| name(*at) == variable);
    let of_streams = nest.streams.iter().flat_map(|used| used.ranges());
    // What a condition leaves of a loop, loops further out say.
    let mut guards = nest.narrowed.iter().chain(of_streams);
    let is_outside = |guard: &GuardRange| {
        let inside = place(&guard.variable).map_or(&[][..], |own| &positions[own..]);
        let mut ends = [&guard.lower, &guard.upper].into_iter().flatten();
        ends.all(|end| inside.iter().all(|at| !end.mentions(name(*at))))
    };
    order.may_permute(positions) && (0..positions.len()).all(is_bounded) && guards.all(is_outside)
}

fn reordered<'p>(nest: &Nest<'p>, positions: &[usize]) -> Nest<'p> {
    let loops = positions.iter().map(|at| nest.loops[*at].clone());
    let place = |level: &u32| {
        let found = positions.iter().position(|at| *at == *level as usize);
        found.and_then(|place| u32::try_from(place).ok())
    };
    let moved = |reference: &Reference<'p>| {
        let mut moved = reference.clone();
        let has_gather = |stream: &Stream| stream.subscripts.iter().any(|one| one.gather.is_some());
        if has_gather(&moved.stream) {
            let subscripts = &mut moved.stream.to_mut().subscripts;
            for gather in subscripts.iter_mut().filter_map(|one| one.gather.as_mut()) {
                let loops = gather.loops.take();
                gather.loops = loops.map(|loops| loops.iter().filter_map(place).collect());
            }
        }
        moved
    };
    let references = nest.references.iter().map(moved);
    let mut changed = nest.changed(loops.collect(), nest.contents.clone(), references.collect());
    for decided in &mut changed.decisions {
        let loops = decided.loops.take();
        decided.loops = loops.map(|loops| loops.iter().filter_map(place).collect());
    }
    changed
}

/// All other orders of the loops from `own` on.
fn orders(own: usize, depth: usize) -> Vec<Vec<usize>> {
    let now: Vec<usize> = (0..depth).collect();
    let mut found = Vec::new();
    if depth - own > DEEPEST {
        for a in own..depth {
            for b in a + 1..depth {
                let mut swapped = now.clone();
                swapped.swap(a, b);
                found.push(swapped);
            }
        }
        return found;
    }
    permute(&mut now.clone(), own, &mut found);
    found.retain(|order| *order != now);
    found
}

fn permute(order: &mut Vec<usize>, from: usize, found: &mut Vec<Vec<usize>>) {
    if from == order.len() {
        found.push(order.clone());
        return;
    }
    for at in from..order.len() {
        order.swap(from, at);
        permute(order, from + 1, found);
        order.swap(from, at);
    }
}

#[cfg(test)]
mod tests {
    use super::orders;

    #[test]
    fn shared_loops_stay_where_they_are() {
        assert_eq!(orders(1, 3), [[0, 2, 1]]);
        assert_eq!(orders(0, 4).len(), 23);
        // Two of five change places: ten ways.
        assert_eq!(orders(0, 5).len(), 10);
    }
}
