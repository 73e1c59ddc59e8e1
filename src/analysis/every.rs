//! In how many of its iterations does the variable of a loop leave a certain remainder?
//!
//! ```text
//! for (k = 0; k < 20; k++)
//!   if (k % 3 == 0) step();        7 of 20, where one in three would be 6.67
//! ```
//!
//! Of m, m + 1, … M are floor((M − r)/d) − floor((m − 1 − r)/d) those with the remainder r. A variable that goes up or
//! down by one, between ends that no loop moves, is counted so, one with another step only between numbers, and no loop
//! inside may have iterations that depend on it.

use super::counted_loop::Counted;
use super::guards::Multiple;
use super::symbols::Symbols;
use crate::expr::Expr;
use crate::ir::Value;

/// Numbers that follow each other in steps.
struct Run {
    first: f64,
    last: f64,
    step: i64,
}

impl Run {
    /// Longer periods are not counted.
    const LONGEST: i64 = 100_000;

    /// The share of the numbers that leave a remainder.
    fn share(&self, remainder: f64, every: i64) -> Option<f64> {
        let step = self.step as f64;
        let count = ((self.last - self.first) / step).floor() + 1.0;
        let is_whole = self.first.fract() == 0.0 && remainder.fract() == 0.0;
        // Of negative numbers other remainders are left.
        let is_negative = self.first.min(self.first + (count - 1.0) * step) < 0.0;
        if step == 0.0 || !is_whole || !(1..=Run::LONGEST).contains(&every) {
            return None;
        }
        if count < 1.0 || is_negative && remainder != 0.0 {
            return None;
        }
        // Remainders come back after so many steps.
        let every = every as f64;
        let found = (0..every as i64)
            .map(|at| at as f64)
            .filter(|at| *at < count && (self.first + at * step).rem_euclid(every) == remainder)
            .map(|at| ((count - 1.0 - at) / every).floor() + 1.0);
        Some(found.sum::<f64>() / count)
    }
}

/// The share of the iterations of the loops around in which such a condition holds; `None` if it is known no better than
/// once in so many times.
pub(super) fn share(symbols: &mut Symbols, multiple: &Multiple, every: &Expr) -> Option<Expr> {
    let share = share_that_leaves(symbols, multiple, every)?;
    Some(match multiple.is_equal {
        true => share,
        false => Expr::from(1.0) - share,
    })
}

/// The share of the iterations that leave the remainder of the condition, whether it asks for these or for the others.
fn share_that_leaves(symbols: &mut Symbols, multiple: &Multiple, every: &Expr) -> Option<Expr> {
    let Value::Integer(remainder) = *multiple.compared else {
        return None;
    };
    let remainder = remainder as f64;
    let is_possible = match every.as_number() {
        Some(every) => (0.0..every).contains(&remainder),
        None => remainder == 0.0,
    };
    let dividend = symbols.expression(multiple.dividend)?;
    let moves = |expr: &Expr| {
        let mut levels = symbols.levels.iter();
        levels.any(|level| expr.mentions(level.counted.variable.as_str()))
    };
    let mut levels = symbols.levels.iter();
    let (at, level) = (0..).zip(&mut levels).find(|(_, level)| {
        let own = dividend.clone() - Expr::symbol(&level.counted.variable);
        !moves(&own.expand())
    })?;
    let own = &level.counted;
    let inner = symbols.levels.get(at + 1..)?;
    let is_free = |counted: &Counted| {
        let mut ends = [&counted.lower, &counted.upper].into_iter();
        !ends.any(|end| end.mentions(own.variable.as_str()))
    };
    let is_alone = inner.iter().all(|level| is_free(&level.counted));
    let step = own.step.as_integer()?;
    if step.abs() != 1 {
        let ends = [&own.lower, &own.upper].map(|end| symbols.number(end));
        let added = symbols.number(&(dividend - Expr::symbol(&own.variable)).expand())?;
        let [Some(first), Some(last)] = ends else {
            return None;
        };
        let run = Run {
            first: first + added,
            last: last + added,
            step,
        };
        let share = run.share(remainder, every.as_integer()?)?;
        return is_alone.then(|| Expr::from(share));
    }
    let [first, last] = match own.step.as_number()? {
        1.0 => [&own.lower, &own.upper],
        -1.0 => [&own.upper, &own.lower],
        _ => return None,
    };
    if !is_possible || !is_alone || moves(first) || moves(last) || moves(every) {
        return None;
    }
    let added = dividend - Expr::symbol(&own.variable);
    let [from, until] = [first, last].map(|end| (end.clone() + added.clone() - remainder).expand());
    // Of negative numbers other remainders are left.
    let is_negative = || {
        (from.clone() + remainder)
            .as_number()
            .is_none_or(|from| from < 0.0)
    };
    if remainder != 0.0 && is_negative() {
        return None;
    }
    let before = |end: Expr| end.quotient(every.clone()).floor();
    let count = before(until) - before((from - 1.0).expand());
    let all = (last.clone() - first.clone() + 1.0).expand();
    Some(Expr::max([count, Expr::from(0.0)]).quotient(Expr::max([all, Expr::from(1.0)])))
}
