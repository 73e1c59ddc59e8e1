//! Loops nested in another order, so that the innermost one runs along cache lines.

use super::evaluate::{Bench, Plan};
use super::{Change, Check, Proposal, legality};
use crate::analysis::dependence::order::Order;
use crate::analysis::facts::{Access, Subscript};
use crate::expr::FigureId;
use crate::nest::{ChainLoop, Nest};

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
        let seconds = bench.of(&[nest], &reordered(model, &positions));
        let least = least(bench, nest, &positions).map_or(0.0, |id| bench.value(id));
        let seconds = seconds.max(least);
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
        plan: Plan::Nest(Box::new(changed), least(bench, nest, &positions)),
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
    order.may_permute(positions) && (0..positions.len()).all(is_bounded)
}

/// What iterations of the innermost loop wait for they still wait for where the loop that takes its place carries it, too: the
/// time that this takes.
fn least(bench: &Bench, nest: usize, positions: &[usize]) -> Option<FigureId> {
    let model = &bench.context.nests[nest];
    let (last, loops) = (positions.last()?, &model.nest.loops);
    if *last + 1 == loops.len() {
        return None;
    }
    let in_core = loops.last()?.facts.in_core.as_ref()?;
    let variable = loops[*last].facts.variable.as_str();
    let mut chains = in_core.chains.iter();
    let is_carried = chains.any(|chain| !stays_within(&model.nest, &chain.name, variable));
    Some(model.time.in_core?.chains).filter(|_| is_carried)
}

/// Whether iterations of a loop use elements of an array that no others of them use; not known of scalars.
fn stays_within(nest: &Nest, name: &str, variable: &str) -> bool {
    let own = nest.references.iter();
    let own = own.filter(|reference| reference.stream.array.as_str() == name);
    let mut places = own.map(|reference| {
        let subscripts = reference.stream.subscripts.iter().enumerate();
        let is_moved = |subscript: &Subscript| {
            let mut terms = subscript.terms.iter();
            terms.any(|(known, _)| known == variable)
        };
        let moved: Vec<(usize, &Subscript)> = subscripts.filter(|(_, one)| is_moved(one)).collect();
        let mut accesses = reference.stream.accesses.iter();
        let offsets = accesses.next().map(|first| {
            let at = |access: &Access| -> Vec<Option<i64>> {
                let offsets = moved.iter().map(|(at, _)| access.offset.get(*at).copied());
                offsets.collect()
            };
            let offsets = at(first);
            accesses
                .all(|access| at(access) == offsets)
                .then_some(offsets)
        });
        (moved, offsets.flatten())
    });
    let Some(first) = places.next() else {
        return false;
    };
    let (moved, offsets) = &first;
    let is_known = moved.iter().all(|(_, one)| one.gather.is_none());
    !moved.is_empty() && is_known && offsets.is_some() && places.all(|other| other == first)
}

fn reordered<'p>(nest: &Nest<'p>, positions: &[usize]) -> Nest<'p> {
    let loops = positions.iter().map(|at| nest.loops[*at].clone());
    nest.changed(
        loops.collect(),
        nest.contents.clone(),
        nest.references.clone(),
    )
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
