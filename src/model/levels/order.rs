//! Which of two places or sizes is the larger one, whatever the sizes are?
//!
//! Sizes are taken to be one or more, so that `n + 1` is behind `n`, and `n` no less than 1. What that does not decide is
//! not so.

use crate::expr::Expr;

/// Whether one place is surely behind another one, sizes being one or more.
pub fn is_above(place: &Expr, other: &Expr) -> bool {
    least(&(place - other)).is_some_and(|apart| apart > 0.0)
}

/// The largest of some values, sizes being one or more.
pub fn largest(values: Vec<Expr>) -> Expr {
    Expr::max(undominated(values, &|larger, value| larger - value))
}

/// The smallest of some values, sizes being one or more.
pub fn smallest(values: Vec<Expr>) -> Expr {
    Expr::min(undominated(values, &|smaller, value| value - smaller))
}

/// Without values that another one is surely before: by how much is never less than nothing.
fn undominated(mut values: Vec<Expr>, apart: &dyn Fn(&Expr, &Expr) -> Expr) -> Vec<Expr> {
    let mut at = 0;
    while at < values.len() {
        let is_before = |(other, one): (usize, &Expr)| {
            let apart = || least(&apart(one, &values[at]).expand());
            other != at && apart().is_some_and(|apart| apart >= 0.0)
        };
        if values.iter().enumerate().any(is_before) {
            values.remove(at);
        } else {
            at += 1;
        }
    }
    values
}

/// The least value, sizes being one or more; `None` if more of a symbol makes it smaller.
pub fn least(rest: &Expr) -> Option<f64> {
    rest.monomials()
        .into_iter()
        .try_fold(0.0, |total, (monomial, coefficient)| {
            (monomial.is_empty() || coefficient >= 0.0).then_some(total + coefficient)
        })
}

pub fn is_near(apart: &Expr, limit: f64) -> bool {
    apart
        .expand()
        .as_number()
        .is_some_and(|apart| apart.abs() <= limit)
}
