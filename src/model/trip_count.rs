//! How often loops run: exact sums for triangular and other affine bounds.

use super::nest::ChainLoop;
use crate::analysis::facts::Loop;
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
    let mut ranges: Vec<Range> = chain.iter().map(|one| Range::of(one.facts)).collect();
    let around = match chain.split_last() {
        Some((_, around)) => around,
        None => return TripCount::Rectangular(Expr::from(1.0)),
    };
    let Some(innermost) = ranges.last().map(Range::iterations) else {
        return TripCount::Rectangular(Expr::from(1.0));
    };
    if !around.iter().any(|o| innermost.mentions(&o.facts.variable)) {
        return TripCount::Rectangular(not_negative(innermost));
    }
    while let Some(tile) = tile(&mut ranges) {
        ranges.remove(tile);
    }
    let outer = &ranges[..ranges.len() - 1];
    match summed(ranges[ranges.len() - 1].iterations(), outer) {
        Some(total) => TripCount::Summed(total),
        None => TripCount::Sampled(sampled(&innermost, around)),
    }
}

/// What a loop runs over.
#[derive(Clone)]
struct Range<'a> {
    variable: &'a str,
    lower: Expr,
    upper: Expr,
    step: Expr,
}

impl<'a> Range<'a> {
    fn of(facts: &'a Loop) -> Range<'a> {
        Range {
            variable: &facts.variable,
            lower: facts.lower.clone(),
            upper: facts.upper.clone(),
            step: facts.step.clone(),
        }
    }

    fn mentions(&self, variable: &str) -> bool {
        [&self.lower, &self.upper, &self.step]
            .iter()
            .any(|end| end.mentions(variable))
    }

    /// ⌊(upper − lower)/step⌋ + 1; may be negative for an empty loop.
    fn iterations(&self) -> Expr {
        let Range {
            lower, upper, step, ..
        } = self;
        let span = (upper - lower).expand();
        match step.as_integer() {
            Some(1) => span + 1.0,
            Some(-1) => (-span) + 1.0,
            Some(_) => span.quotient(step.clone()).floor() + 1.0,
            // A step of zero never ends; as the value of a parameter it is not a loop at all.
            None => {
                let trips = span.quotient(step.clone()).floor() + 1.0;
                let (none, zero) = (Expr::from(0.0), Expr::from(0.0));
                Expr::choose(Comparison::NotEqual, step.clone(), zero, trips, none)
            }
        }
    }
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

fn not_negative(trips: Expr) -> Expr {
    Expr::max([trips, Expr::from(0.0)])
}

/// Sums the trip count over the ranges of the loops around, innermost first. Where a loop is empty,
/// its count must not go below zero: the condition that it is not (an affine expression ≥ 0) narrows
/// the range of the next loop outside that it depends on, or else guards the whole sum.
fn summed(trips: Expr, outer: &[Range]) -> Option<Expr> {
    let mut total = trips.clone();
    let mut conditions = vec![trips];
    for (at, range) in outer.iter().enumerate().rev() {
        let variable = range.variable;
        conditions.retain(|condition| !always_holds(condition, &outer[..=at]));
        let is_moved = |expr: &Expr| expr.mentions(variable);
        if range.step.as_integer().is_none()
            && !is_moved(&total)
            && !conditions.iter().any(is_moved)
        {
            total = total * not_negative(range.iterations());
            continue;
        }
        let (lower, upper) = unit_range(range, &mut total, &mut conditions)?;
        let (mut lowers, mut uppers) = (vec![lower], vec![upper]);
        let (narrowing, others): (Vec<Expr>, Vec<Expr>) = conditions
            .into_iter()
            .partition(|condition| condition.mentions(variable));
        conditions = others;
        for condition in narrowing {
            // slope·variable + rest ≥ 0
            let linear = condition.linear_in(&[variable])?;
            let slope = linear.coefficients[0].as_integer()?;
            let crossing = match slope.abs() {
                1 => linear.rest,
                steepness => linear.rest.quotient(Expr::from(steepness)).floor(),
            };
            match slope > 0 {
                true => lowers.push((-crossing).expand()),
                false => uppers.push(crossing),
            }
        }
        let lowers = extremes(lowers, |a, b| a >= b);
        let uppers = extremes(uppers, |a, b| a <= b);
        let spans = uppers.iter().flat_map(|upper| {
            lowers
                .iter()
                .map(move |lower| (upper - lower + 1.0).expand())
        });
        conditions.extend(spans);
        total = total
            .sum_over(variable, &Expr::max(lowers), &Expr::min(uppers))?
            .expand();
    }
    let total = total.over_common_denominator();
    let guarded = |total: Expr, condition: Expr| {
        Expr::choose(
            Comparison::GreaterOrEqual,
            condition,
            Expr::from(0.0),
            total,
            Expr::from(0.0),
        )
    };
    Some(
        extremes(conditions, |a, b| a <= b)
            .into_iter()
            .fold(total, guarded),
    )
}

/// Whether an affine expression is zero or more wherever the loops of a chain have an iteration.
pub fn is_never_negative(expr: &Expr, chain: &[ChainLoop]) -> bool {
    let ranges: Vec<Range> = chain.iter().map(|one| Range::of(one.facts)).collect();
    always_holds(expr, &ranges)
}

/// Whether a condition (an affine expression ≥ 0) holds wherever the loops around have an iteration: in `k = j, n` inside of
/// `j = 1, i` and `i = 1, n`, `j` never passes `n`.
fn always_holds(condition: &Expr, outer: &[Range]) -> bool {
    let mut least = condition.clone();
    for range in outer.iter().rev() {
        let Some(linear) = least.linear_in(&[range.variable]) else {
            return false;
        };
        let (Some(slope), Some(step)) =
            (linear.coefficients[0].as_number(), range.step.as_number())
        else {
            return false;
        };
        let bound = if (slope > 0.0) == (step > 0.0) {
            &range.lower
        } else {
            &range.upper
        };
        least = (linear.rest + bound * &Expr::from(slope)).expand();
    }
    least.as_number().is_some_and(|least| least >= 0.0)
}

/// The range of a loop in steps of one, ascending. With any other step the loop variable is replaced
/// by one that counts the iterations from zero.
fn unit_range(range: &Range, total: &mut Expr, conditions: &mut [Expr]) -> Option<(Expr, Expr)> {
    let (lower, upper) = (range.lower.clone(), range.upper.clone());
    match range.step.as_integer()? {
        1 => Some((lower, upper)),
        -1 => Some((upper, lower)),
        step => {
            let value = &lower + &(&Expr::symbol(range.variable) * &Expr::from(step));
            let replace = |expr: &Expr| expr.with(range.variable, &value).expand();
            *total = replace(total);
            conditions
                .iter_mut()
                .for_each(|condition| *condition = replace(condition));
            Some((Expr::from(0.0), range.iterations() - 1.0))
        }
    }
}

/// The expressions without those that another one makes needless: `wins(a, b)` says whether `a` does
/// that to `b`, where their difference is a number.
fn extremes(candidates: Vec<Expr>, wins: fn(f64, f64) -> bool) -> Vec<Expr> {
    let mut kept: Vec<Expr> = Vec::new();
    for candidate in candidates {
        let beats = |a: &Expr, b: &Expr| a.distance(b).is_some_and(|distance| wins(distance, 0.0));
        if !kept.iter().any(|other| beats(other, &candidate)) {
            kept.retain(|other| !beats(&candidate, other));
            kept.push(candidate);
        }
    }
    kept
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
    let (low, high) = match facts.step.as_number() {
        Some(step) if step < 0.0 => (&facts.upper, &facts.lower),
        _ => (&facts.lower, &facts.upper),
    };
    let all = (high - low).expand() + 1.0;
    let mean = |part: u32| {
        let share = (f64::from(part) + 0.5) / f64::from(PLACES);
        // Whole numbers from low to high stand for half a step more at both ends.
        let place = low + &(&all * &Expr::from(share)) - 0.5;
        let there = trips.with(&facts.variable, &place);
        not_negative(at_middle(there, around))
    };
    Expr::sum((0..PLACES).map(mean)) * (1.0 / f64::from(PLACES))
}

fn at_middle(trips: Expr, outer: &[ChainLoop]) -> Expr {
    outer.iter().rev().fold(trips, |trips, chain_loop| {
        let facts = chain_loop.facts;
        let middle = (&facts.lower + &facts.upper).quotient(Expr::from(2.0));
        trips.with(&facts.variable, &middle)
    })
}
