//! How often loops run: exact sums for triangular and other affine bounds.

use super::nest::ChainLoop;
use crate::analysis::facts::{Guard, Loop};
use crate::analysis::stepped::summed_in_steps;
use crate::analysis::totals::{
    Range, always_holds, involved, iterations_where, not_negative, summed, with_movers,
};
use crate::expr::{Comparison, Expr, Function};

/// Iteration counts of one loop of a chain.
pub enum TripCount {
    /// Bounds do not depend on the loops around: iterations each time.
    Rectangular(Expr),
    /// Total iterations of this loop over one execution of the chain, in closed form.
    Summed(Expr),
    /// Depends on the loops around in a way that has no closed form: iterations each time, the mean over places
    /// of the innermost loop around that it depends on, at the middle of the ranges of the others.
    Sampled(Expr),
}

/// Whether the number of iterations of the last loop of `chain` is an estimate.
pub fn is_approximate(chain: &[ChainLoop]) -> bool {
    matches!(count(chain), TripCount::Sampled(_))
}

/// Counts the iterations of the last loop of `chain`.
pub fn count(chain: &[ChainLoop]) -> TripCount {
    let mut ranges: Vec<Range> = chain.iter().map(|one| range(one.facts)).collect();
    let around = match chain.split_last() {
        Some((_, around)) => around,
        None => return TripCount::Rectangular(Expr::from(1.0)),
    };
    let Some(innermost) = ranges.last().map(|range| range.iterations()) else {
        return TripCount::Rectangular(Expr::from(1.0));
    };
    if !around.iter().any(|o| innermost.mentions(&o.facts.variable)) {
        return TripCount::Rectangular(not_negative(innermost));
    }
    while let Some(tile) = tile(&mut ranges) {
        ranges.remove(tile);
    }
    let (own, outer) = (&ranges[ranges.len() - 1], &ranges[..ranges.len() - 1]);
    match summed(own.iterations(), outer).or_else(|| summed_in_steps(own, outer)) {
        Some(total) => TripCount::Summed(total),
        None => TripCount::Sampled(sampled(&innermost, around)),
    }
}

fn range(facts: &Loop) -> Range<'_> {
    Range {
        variable: &facts.variable,
        lower: facts.lower.clone(),
        upper: facts.upper.clone(),
        step: facts.step.clone(),
    }
}

/// What conditions around the last loop of a chain leave of it, where they ask for what moves its ends: in
/// `if (i >= 900) for (j = 0; j < i; j++)` it runs longer than on average.
pub enum Narrowed {
    /// Its mean iterations do not depend on them.
    No,
    /// Iterations each time that it is entered.
    To(Expr),
    /// It has no closed form.
    Unknown,
}

/// Whether conditions leave an unknown part of the last loop of a chain.
pub fn is_narrowed_in_part(chain: &[ChainLoop]) -> bool {
    matches!(narrowed(chain), Narrowed::Unknown)
}

/// Whether conditions around the last loop of a chain leave a part of it.
pub fn is_narrowed(chain: &[ChainLoop]) -> bool {
    !narrowing(chain).1.is_empty()
}

/// What the conditions around the last loop of a chain leave of it.
pub fn narrowed(chain: &[ChainLoop]) -> Narrowed {
    let (ranges, guards) = narrowing(chain);
    let around = match ranges.split_last() {
        Some((_, around)) if !guards.is_empty() => around,
        _ => return Narrowed::No,
    };
    let counts = iterations_where(&ranges, &guards).zip(iterations_where(around, &guards));
    match counts {
        Some((all, times)) => {
            let none = Expr::from(0.0);
            let mean = all.quotient(times.clone());
            let is_entered = Comparison::Greater;
            Narrowed::To(Expr::choose(is_entered, times, none.clone(), mean, none))
        }
        None => Narrowed::Unknown,
    }
}

/// The loops of a chain, and the conditions around the last one that ask for what moves its ends.
fn narrowing<'c>(chain: &'c [ChainLoop]) -> (Vec<Range<'c>>, Vec<Guard>) {
    if chain.iter().all(|one| one.conditions.is_empty()) {
        return (Vec::new(), Vec::new());
    }
    let ranges: Vec<Range> = chain.iter().map(|one| range(one.facts)).collect();
    let Some((last, around)) = ranges.split_last() else {
        return (Vec::new(), Vec::new());
    };
    let movers = with_movers(&|variable| last.mentions(variable), around);
    let asks_for_these = |guard: &&Guard| {
        let mut asked = involved(guard, around).into_iter();
        asked.any(|variable| movers.contains(&variable))
    };
    let all = chain.iter().flat_map(|one| &one.conditions);
    let guards = all.filter(asks_for_these).cloned().collect();
    (ranges, guards)
}

/// A loop over tiles that another one has the cells of, which then runs over the cells of all tiles: `ii` from `i` to
/// `min(i + t, n) - 1`, with `i` from 0 to `n - 1` in steps of `t`. So every cell is met once, whatever is inside.
fn tile(ranges: &mut [Range]) -> Option<usize> {
    for tile in 0..ranges.len() {
        let variable = ranges[tile].variable;
        let users = (tile + 1..ranges.len()).filter(|at| ranges[*at].mentions(variable));
        if let [cell] = users.collect::<Vec<usize>>().as_slice()
            && let Some((lower, upper)) = cells(&ranges[tile], &ranges[*cell])
        {
            (ranges[*cell].lower, ranges[*cell].upper) = (lower, upper);
            return Some(tile);
        }
    }
    None
}

/// First and last cell of all tiles.
fn cells(tile: &Range, cell: &Range) -> Option<(Expr, Expr)> {
    let first = (&cell.lower - &Expr::symbol(tile.variable)).expand();
    let ends = cell.upper.alternatives(Function::Min);
    let [_, _] = ends.as_slice() else { return None };
    let (of_tile, of_all): (Vec<Expr>, Vec<Expr>) = ends
        .into_iter()
        .partition(|end| end.mentions(tile.variable));
    let ([of_tile], [of_all]) = (of_tile.as_slice(), of_all.as_slice()) else {
        return None;
    };
    let is_zero = |expr: Expr| expr.expand().is_zero();
    let is_full = is_zero(of_tile - &cell.lower + 1.0 - tile.step.clone());
    let is_last = is_zero(of_all - &tile.upper - first.clone());
    let is_plain = cell.step.as_integer() == Some(1) && !first.mentions(tile.variable);
    (is_plain && is_full && is_last).then(|| ((&tile.lower + &first).expand(), of_all.clone()))
}

/// Whether an affine expression is zero or more wherever the loops of a chain have an iteration.
pub fn is_never_negative(expr: &Expr, chain: &[ChainLoop]) -> bool {
    let ranges: Vec<Range> = chain.iter().map(|one| range(one.facts)).collect();
    always_holds(expr, &ranges)
}

/// Places at which a loop is taken: an even number, as the trip counts of wavefronts grow up to the middle.
const PLACES: u32 = 12;

fn sampled(trips: &Expr, outer: &[ChainLoop]) -> Expr {
    let used = outer
        .iter()
        .rposition(|o| trips.mentions(&o.facts.variable));
    let Some((facts, around)) = used.map(|at| (outer[at].facts, &outer[..at])) else {
        return not_negative(trips.clone());
    };
    let all = range(facts).iterations();
    let mean = |part: u32| {
        let share = Expr::from((f64::from(part) + 0.5) / f64::from(PLACES));
        let steps = match trips.is_stepped(&facts.variable) {
            true => (&all * &share).floor(),
            // Whole numbers stand for half a step more at both ends.
            false => &all * &share - 0.5,
        };
        let there = trips.with(&facts.variable, &after(facts, steps));
        not_negative(at_middle(there, around))
    };
    Expr::sum((0..PLACES).map(mean)) * (1.0 / f64::from(PLACES))
}

/// The value at the middle of the ranges of the loops around.
fn at_middle(trips: Expr, outer: &[ChainLoop]) -> Expr {
    let middle = |trips: Expr, chain: &ChainLoop| in_the_middle(&trips, chain.facts);
    outer.iter().rev().fold(trips, middle)
}

/// The value at the middle of the range of a loop: at a whole number of steps, if it has none in between.
pub fn in_the_middle(value: &Expr, facts: &Loop) -> Expr {
    let half = |count: Expr| match value.is_stepped(&facts.variable) {
        true => count.quotient(Expr::from(2.0)).floor(),
        false => count.quotient(Expr::from(2.0)),
    };
    let middle = match facts.step.as_integer() {
        Some(1 | -1) => half(&facts.lower + &facts.upper),
        _ => after(facts, half(range(facts).iterations() - 1.0)),
    };
    value.with(&facts.variable, &middle)
}

/// The value of the variable of a loop after so many steps.
fn after(facts: &Loop, steps: Expr) -> Expr {
    &facts.lower + &(&facts.step * &steps)
}
