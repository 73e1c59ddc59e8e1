//! How often loops run: exact sums for triangular and other affine bounds (static.md section 3).

use super::nest::ChainLoop;
use crate::analysis::facts::Loop;
use crate::expr::{Comparison, Expr};

/// Iteration counts of one loop of a chain.
pub enum TripCount {
    /// Bounds do not depend on the loops around: iterations each time.
    Rectangular(Expr),
    /// Total iterations of this loop over one execution of the chain, in closed form.
    Summed(Expr),
    /// Depends on the loops around in a way that has no closed form: iterations each time, at the
    /// middle of the outer loops' ranges.
    AtMiddle(Expr),
}

/// Counts the iterations of the last loop of `chain`.
pub fn count(chain: &[ChainLoop]) -> TripCount {
    let (innermost, outer) = match chain.split_last() {
        Some((last, outer)) => (last.facts, outer),
        None => return TripCount::Rectangular(Expr::from(1.0)),
    };
    let trips = iterations(innermost);
    if !outer.iter().any(|o| trips.mentions(&o.facts.variable)) {
        return TripCount::Rectangular(not_negative(trips));
    }
    match summed(trips.clone(), outer) {
        Some(total) => TripCount::Summed(total),
        None => TripCount::AtMiddle(not_negative(at_middle(trips, outer))),
    }
}

/// ⌊(upper − lower)/step⌋ + 1; may be negative for an empty loop.
fn iterations(facts: &Loop) -> Expr {
    let span = (&facts.upper - &facts.lower).expand();
    match facts.step.as_integer() {
        Some(1) => span + 1.0,
        Some(-1) => (-span) + 1.0,
        Some(_) => span.quotient(facts.step.clone()).floor() + 1.0,
        // A step of zero never ends; as the value of a parameter it is no loop at all.
        None => {
            let trips = span.quotient(facts.step.clone()).floor() + 1.0;
            Expr::choose(Comparison::NotEqual, facts.step.clone(), Expr::from(0.0), trips, Expr::from(0.0))
        }
    }
}

fn not_negative(trips: Expr) -> Expr {
    Expr::max([trips, Expr::from(0.0)])
}

fn summed(trips: Expr, outer: &[ChainLoop]) -> Option<Expr> {
    let mut total = trips;
    let mut is_trip_count = true;
    for chain_loop in outer.iter().rev() {
        let facts = chain_loop.facts;
        if !total.mentions(&facts.variable) {
            total = total * iterations(facts);
            is_trip_count = false;
            continue;
        }
        let (lower, upper) = match facts.step.as_integer()? {
            1 => (facts.lower.clone(), facts.upper.clone()),
            -1 => (facts.upper.clone(), facts.lower.clone()),
            _ => return None,
        };
        let (lower, upper) =
            if is_trip_count { where_positive(&total, &facts.variable, lower, upper) } else { (lower, upper) };
        total = total.sum_over(&facts.variable, &lower, &upper)?.expand();
        is_trip_count = false;
    }
    Some(total)
}

/// Narrows the range of `variable` to where a trip count of slope ±1 is not negative, so that empty
/// inner loops count as zero.
fn where_positive(trips: &Expr, variable: &str, lower: Expr, upper: Expr) -> (Expr, Expr) {
    let Some(linear) = trips.linear_in(&[variable]) else { return (lower, upper) };
    match linear.coefficients[0].as_integer() {
        Some(-1) => {
            let zero = linear.rest;
            match zero.distance(&upper) {
                Some(d) if d >= 0.0 => (lower, upper),
                Some(_) => (lower, zero),
                None => (lower.clone(), Expr::max([lower - 1.0, Expr::min([upper, zero])])),
            }
        }
        Some(1) => {
            let zero = -linear.rest;
            match lower.distance(&zero) {
                Some(d) if d >= 0.0 => (lower, upper),
                Some(_) => (zero, upper),
                None => (Expr::min([upper.clone() + 1.0, Expr::max([lower, zero])]), upper),
            }
        }
        _ => (lower, upper),
    }
}

fn at_middle(trips: Expr, outer: &[ChainLoop]) -> Expr {
    outer.iter().rev().fold(trips, |trips, chain_loop| {
        let facts = chain_loop.facts;
        let middle = (&facts.lower + &facts.upper).quotient(Expr::from(2.0));
        trips.substitute(&|name| (name == facts.variable).then(|| middle.clone()))
    })
}
