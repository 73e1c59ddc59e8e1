//! Stores that write whole lines to memory without fetching them first.

use super::evaluate::{Bench, Plan};
use super::{Change, Proposal};
use crate::analysis::facts::AccessClass;
use crate::expr::{Comparison, Expr};
use crate::nest::{ChainLoop, Nest, NestStream};
use crate::stream::StreamFigures;

/// Streaming stores for all arrays of a nest that are only written, line after line.
pub(super) fn propose<'p>(bench: &Bench<'_, '_, 'p>, nest: usize) -> Option<Proposal<'p>> {
    let model = &bench.context.nests[nest];
    let memory = model.time.levels.last()?;
    // Before anything but memory, nothing is gained.
    let bound = bench.value(model.time.bound) as usize;
    if bound != model.time.levels.len() + 1 {
        return None;
    }
    let streams = model.streams.iter().filter(|figures| {
        let used = &model.nest.streams[figures.index];
        goes_along_lines(&model.nest, used)
    });
    let streams: Vec<_> = streams.collect();
    if streams.is_empty() {
        return None;
    }
    // What fits the last cache is better left there.
    let capacity = (model.nest.runs_on()).share(bench.context.machine.levels().last()?);
    let saved = streams
        .iter()
        .map(|figures| fetched(&model.nest, figures, &capacity));
    // Streams count whole lines of every row; no more can be saved than moves.
    let cost = Expr::from(streams.first()?.cost);
    let most =
        Expr::from(memory.bytes) * (Expr::from(1.0) - Expr::from(1.0).quotient(cost.clone()));
    let most = Expr::choose(
        Comparison::Greater,
        cost,
        Expr::from(1.0),
        most,
        Expr::from(0.0),
    );
    let saved = Expr::choose(
        Comparison::Greater,
        Expr::from(model.working_sets.footprint),
        capacity.clone(),
        Expr::min([Expr::sum(saved), most]),
        Expr::from(0.0),
    );
    let bytes = saved.evaluate(bench.figures).ok()?;
    let part = bytes / bench.value(memory.bytes);
    let seconds = bench.value(model.time.seconds) * (1.0 - part.min(1.0));
    let mut arrays: Vec<String> = streams
        .iter()
        .map(|figures| model.nest.streams[figures.index].stream.array.to_string())
        .collect();
    arrays.sort_unstable();
    arrays.dedup();
    Some(Proposal {
        change: Change::StreamingStores { arrays },
        nests: vec![nest],
        checks: Vec::new(),
        plan: Plan::LessTraffic(saved),
        saved: bench.saved(nest, seconds),
    })
}

/// Bytes that are fetched before they are written: all but one of what each byte costs. Loops that come back to the
/// whole array fetch it each time if it is larger than the cache.
fn fetched(nest: &Nest, figures: &StreamFigures, capacity: &Expr) -> Expr {
    let stream = &nest.streams[figures.index].stream;
    let moves = |one: &ChainLoop| {
        let mut terms = stream
            .subscripts
            .iter()
            .flat_map(|subscript| &subscript.terms);
        terms.any(|(name, _)| *name == one.facts.variable)
    };
    let walked = nest
        .spatial()
        .iter()
        .rev()
        .take_while(|one| moves(one))
        .count();
    let bytes = Expr::from(figures.elements[walked]) * Expr::from(figures.width);
    let moved = Expr::choose(
        Comparison::Greater,
        bytes,
        capacity.clone(),
        Expr::from(figures.traffic[walked]),
        Expr::from(figures.compulsory),
    );
    let cost = Expr::from(figures.cost);
    let (none, one) = (Expr::from(0.0), Expr::from(1.0));
    let fetched = moved * (one.clone() - one.clone().quotient(cost.clone()));
    Expr::choose(Comparison::Greater, cost, one, fetched, none)
}

/// Whether every iteration writes the next element, and nothing in the nest reads the array.
fn goes_along_lines(nest: &Nest, NestStream { stream, level, .. }: &NestStream) -> bool {
    let is_read = |other: &NestStream| {
        other.stream.array == stream.array && other.stream.class != AccessClass::WriteOnly
    };
    let Some(innermost) = nest.loops.last() else {
        return false;
    };
    let along = stream.subscripts.first().is_some_and(|first| {
        let moved = |(name, by): &(String, Expr)| {
            *name == innermost.facts.variable && by.as_number().is_some_and(|by| by.abs() == 1.0)
        };
        first.terms.iter().any(moved)
    });
    let is_gathered = stream.subscripts.iter().any(|one| one.gather.is_some());
    // Under a condition, lines would be written in parts.
    let is_conditional = (nest.references.iter())
        .any(|reference| reference.stream.array == stream.array && !reference.weight.is_empty());
    stream.class == AccessClass::WriteOnly
        && *level == nest.loops.len()
        && along
        && !is_gathered
        && !is_conditional
        && !nest.streams.iter().any(is_read)
}
