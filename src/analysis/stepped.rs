//! How many iterations loops have together whose steps are wider than one, and whose ends another loop moves.
//!
//! ```text
//! for (i = 0; i < n; i++)
//!   for (j = i; j < n; j += 3)      ⌊(n − 1 − i)/3⌋ + 1 iterations each time
//! ```
//!
//! Such a count goes up by one in every third iteration of the loop around. With the iterations of that loop in the order in
//! which it grows, from u = 0, it is ⌊(g·u + b)/s⌋ + 1, and its sum has a closed form.

use super::delinearise::gcd;
use super::totals::{Range, always_holds, not_negative, summed};
use crate::expr::Expr;

/// More sums of each so manieth iteration than these make a formula too long, unless it is a number.
const MOST_PARTS: i64 = 3;
const MOST_PARTS_OF_NUMBERS: i64 = 64;

/// The iterations of a loop with a step over those of the loops around it, outermost first, one of which moves its ends by
/// whole numbers; `None` if there is no closed form.
pub fn summed_in_steps(inner: &Range, outer: &[Range]) -> Option<Expr> {
    let step = inner.step.as_integer().filter(|step| step.abs() > 1)?;
    let span = (&inner.upper - &inner.lower).expand() * step.signum() as f64;
    let mut movers = outer.iter().filter(|o| inner.mentions(o.variable));
    let (Some(mover), None) = (movers.next(), movers.next()) else {
        return None;
    };
    let others: Vec<Range> = (outer.iter())
        .filter(|o| o.variable != mover.variable)
        .cloned()
        .collect();
    let is_apart = |o: &Range| !mover.mentions(o.variable) && !o.mentions(mover.variable);
    if !others.iter().all(is_apart) {
        return None;
    }
    let own = over_mover(&span.expand(), step.abs(), mover)?;
    let (first, others) = match others.split_last() {
        None => (Expr::from(1.0), Vec::new()),
        Some((last, around)) => (not_negative(last.iterations()), around.to_vec()),
    };
    let is_moved = |expr: &Expr| others.iter().any(|o| expr.mentions(o.variable));
    match is_moved(&first) {
        true => None,
        false => Some(summed(first, &others)? * own),
    }
}

/// Σ over a loop of the iterations that a span has in steps of `step`, where it has any.
fn over_mover(span: &Expr, step: i64, mover: &Range) -> Option<Expr> {
    let linear = span.linear_in(&[mover.variable])?;
    let per_iteration = linear.coefficients[0].as_integer()? * mover.step.as_integer()?;
    let first = (linear.rest + linear.coefficients[0].clone() * mover.lower.clone()).expand();
    let times = mover.iterations();
    // From the iteration with the shortest span on.
    let least = match per_iteration > 0 {
        true => first,
        false => (first + (times.clone() - 1.0) * per_iteration as f64).expand(),
    };
    let grows = per_iteration.abs();
    let is_never_empty = always_holds(span, std::slice::from_ref(mover));
    let before = match is_never_empty {
        true => Expr::from(0.0),
        // ⌈−least/grows⌉
        false => not_negative(-(least.clone().quotient(Expr::from(grows)).floor())),
    };
    let least = (least + before.clone() * grows as f64).expand();
    let times = not_negative((times - before).expand());
    whole_parts(grows, least, times, step)
}

/// Σ ⌊(grows·u + least)/step⌋ + 1 over `times` u from zero on, where `least` is not below zero.
fn whole_parts(grows: i64, least: Expr, times: Expr, step: i64) -> Option<Expr> {
    let parts = step / gcd(grows, step);
    let is_number = least.as_number().is_some() && times.as_number().is_some();
    if grows == 1 {
        let of_all = up_to(least.clone() + times.clone() - 1.0, step);
        let of_none = up_to(least - 1.0, step);
        return Some(of_all - of_none);
    }
    let most = match is_number {
        true => MOST_PARTS_OF_NUMBERS,
        false => MOST_PARTS,
    };
    // The iterations `part`, `part + parts`, … are whole multiples apart.
    let of_part = |part: i64| {
        let count = (times.clone() - 1.0 - part as f64)
            .quotient(Expr::from(parts))
            .floor()
            + 1.0;
        let first = (least.clone() + (grows * part) as f64)
            .quotient(Expr::from(step))
            .floor()
            + 1.0;
        let rises = (grows * parts / step) as f64 / 2.0;
        count.clone() * first + count.clone() * (count - 1.0) * rises
    };
    (parts <= most).then(|| Expr::sum((0..parts).map(of_part)))
}

/// Σ ⌊m/step⌋ + 1 over m from 0 to `last`, which is −1 at least.
fn up_to(last: Expr, step: i64) -> Expr {
    let last = last.expand();
    let most = last.clone().quotient(Expr::from(step)).floor() + 1.0;
    (last + 1.0) * most.clone() - most.clone() * (most - 1.0) * (step as f64 / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(variable: &'static str, [lower, upper]: [Expr; 2], step: i64) -> Range<'static> {
        Range {
            variable,
            lower,
            upper,
            step: Expr::from(step),
        }
    }

    /// The iterations of two loops, one after the other: the variable of the outer one moves both ends of the inner one.
    fn one_by_one(outer: [i64; 3], ends: [[i64; 2]; 2], step: i64) -> i64 {
        let walk = |[first, last, step]: [i64; 3]| {
            let goes_on = move |at: &i64| (last - at) * step.signum() >= 0;
            std::iter::successors(Some(first), move |at| Some(at + step)).take_while(goes_on)
        };
        let [lower, upper] = ends;
        walk(outer)
            .map(|i| walk([lower[0] * i + lower[1], upper[0] * i + upper[1], step]).count() as i64)
            .sum()
    }

    #[test]
    fn sums_are_those_of_counting_one_by_one() {
        let at = |[slope, rest]: [i64; 2]| Expr::symbol("i") * slope as f64 + rest as f64;
        for outer in [[0, 19, 1], [1, 17, 2], [23, 4, -3], [5, 4, 1], [0, 0, 1]] {
            for lower in [[0, 0], [1, 0], [2, 3], [-1, 10]] {
                for upper in [[0, 18], [1, 7], [3, -5], [-2, 25]] {
                    for step in [2, 3, 4, 6, -2, -5] {
                        let around = range("i", [outer[0].into(), outer[1].into()], outer[2]);
                        let inner = range("j", [at(lower), at(upper)], step);
                        if lower[0] == upper[0] {
                            continue;
                        }
                        let found = summed_in_steps(&inner, &[around]).and_then(|e| e.as_number());
                        let counted = one_by_one(outer, [lower, upper], step) as f64;
                        assert_eq!(found, Some(counted), "{outer:?} {lower:?} {upper:?} {step}");
                    }
                }
            }
        }
    }

    #[test]
    fn loops_around_repeat_the_sum() {
        let outer = range("t", [1.0.into(), 4.0.into()], 1);
        let middle = range("i", [0.0.into(), 19.0.into()], 1);
        let inner = range("j", [Expr::symbol("i"), 19.0.into()], 3);
        let found = summed_in_steps(&inner, &[outer, middle]);
        // 7 + 7 + 6 + 6 + 6 + … + 1 + 1 + 1 = 77
        assert_eq!(found.and_then(|e| e.as_number()), Some(308.0));
    }
}
