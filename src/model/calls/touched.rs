//! How many bytes nests and straight code touch, at most, and how often loops execute what is in them.

use crate::analysis::facts::{Block, Item, Loop, Stream, Subscript};
use crate::expr::{Comparison, Expr, SymbolKind};
use crate::loops::LoopCounts;
use crate::nest::NestStream;
use crate::nest_model::NestModel;

/// How often the innermost of some loops iterates in an iteration of the one at a depth; `None` if that is not the same each
/// time, or not known.
pub(super) fn executions(loops: &[&Loop], counts: &[LoopCounts], depth: usize) -> Option<Expr> {
    let (outer, inside) = loops.split_at(depth.min(loops.len()));
    let is_known = |inner: &&Loop| {
        let bounds = [&inner.lower, &inner.upper, &inner.step];
        bounds.iter().all(|bound| {
            let varies = |outer: &&Loop| bound.mentions(&outer.variable);
            let of_run = |symbol: &crate::expr::Symbol| symbol.kind() == SymbolKind::TripCount;
            !outer.iter().any(varies) && !bound.symbols().iter().any(of_run)
        })
    };
    if !inside.iter().all(is_known) {
        return None;
    }
    let all = counts
        .last()
        .map_or(Expr::from(1.0), |c| c.unweighted.into());
    Some(match (depth, inside.is_empty()) {
        (_, true) => Expr::from(1.0),
        (0, false) => all,
        (depth, false) => {
            let outer = Expr::from(counts[depth - 1].unweighted);
            let each = all.quotient(outer.clone());
            let none = Expr::from(0.0);
            Expr::choose(Comparison::Greater, outer, none.clone(), each, none)
        }
    })
}

/// Whether all executions with the same needs touch the same lines, and the figures of the nest are those lines.
pub(super) fn is_clean(nest: &NestModel) -> bool {
    let facts = &nest.nest;
    let is_sure = |used: &NestStream| {
        let mut subscripts = used.stream.subscripts.iter();
        used.taken.is_none() && subscripts.all(|subscript| subscript.gather.is_none())
    };
    facts.loops.iter().all(|c| c.facts.needs.is_some())
        && facts.reason_codes().is_empty()
        && nest.doubts.is_empty()
        && facts
            .loops
            .iter()
            .all(|c| c.weight.is_empty() && !c.facts.is_estimated())
        && facts.streams.iter().chain(&facts.fixed).all(is_sure)
        && nest.levels.all.is_some()
}

/// Bytes that a nest touches in an iteration of the loop at a depth, at most; in a call with a depth of zero.
pub(super) fn bytes_of_nest(nest: &NestModel, depth: usize) -> Option<Expr> {
    let facts = &nest.nest;
    let all = is_clean(nest)
        .then_some(nest.levels.all)
        .flatten()
        .map(Expr::from);
    let loops: Vec<&Loop> = facts.loops.iter().map(|c| c.facts).collect();
    let line = Expr::machine("line_bytes");
    let each = facts
        .references
        .iter()
        .filter(|reference| reference.level >= depth);
    let each = each.map(|reference| {
        let places = reference.stream.accesses.len() as f64;
        let element = f64::from(reference.stream.element_bytes?);
        let runs =
            |level: usize, depth: usize| executions(&loops[..level], &nest.counts[..level], depth);
        let level = reference.level;
        // A line for each access, and the one behind it where elements begin anywhere.
        let bytes = line.clone() + Expr::from(element);
        let bytes = runs(level, depth)? * bytes * places;
        if level <= depth || !goes_along(&reference.stream, loops[level - 1]) {
            return Some(bytes);
        }
        // A run of elements has so many bytes, and parts of lines at both ends.
        let run = runs(level, level - 1)? * element + line.clone() * 2.0;
        let in_runs = runs(level - 1, depth)? * run * places;
        Some(Expr::min([bytes, in_runs]))
    });
    let by_references = each.collect::<Option<Vec<Expr>>>().map(Expr::sum);
    match (all, by_references) {
        (None, None) => None,
        (all, by_references) => Some(Expr::min(all.into_iter().chain(by_references))),
    }
}

/// Whether a loop goes along the elements of a stream one after the other.
fn goes_along(stream: &Stream, inner: &Loop) -> bool {
    let by_one = |expr: &Expr| expr.as_integer().is_some_and(|by| by.abs() == 1);
    let term = |subscript: &Subscript| {
        let mut terms = subscript.terms.iter();
        terms
            .find(|(variable, _)| *variable == *inner.variable)
            .map(|(_, by)| by.clone())
    };
    let is_known = stream
        .subscripts
        .iter()
        .all(|subscript| subscript.gather.is_none());
    let Some((first, others)) = stream.subscripts.split_first() else {
        return false;
    };
    is_known
        && by_one(&inner.step)
        && term(first).is_some_and(|by| by_one(&by))
        && others.iter().all(|subscript| term(subscript).is_none())
}

/// Bytes that code outside loops touches, at most.
pub(super) fn straight(body: &Block) -> Expr {
    let mut places = 0;
    body.with_branches(&mut |block| {
        places += block
            .streams
            .iter()
            .map(|s| s.accesses.len())
            .sum::<usize>();
    });
    Expr::machine("line_bytes") * (2 * places) as f64
}

pub(super) fn has_calls(block: &Block) -> bool {
    !block.calls.is_empty()
        || block.items.iter().any(|item| match item {
            Item::Loop(inner) => has_calls(&inner.body),
            Item::Branch(branch) => {
                has_calls(&branch.then) || branch.otherwise.as_ref().is_some_and(has_calls)
            }
        })
}
