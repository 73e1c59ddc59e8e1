//! Which of two places or sizes is the larger one, whatever the sizes are?
//!
//! Sizes are taken to be one or more, so that `n + 1` is behind `n`, and `n` no less than 1. What that does not decide is
//! not so.

use crate::expr::{Expr, Function, Monomial, Node};

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
    let parts = rest.monomials();
    least_of(&parts).or_else(|| least_of(&without_rounding(&parts)?.monomials()))
}

fn least_of(parts: &[(Monomial, f64)]) -> Option<f64> {
    parts
        .iter()
        .try_fold(0.0, |total, (monomial, coefficient)| {
            (monomial.is_empty() || *coefficient >= 0.0).then_some(total + coefficient)
        })
}

/// The same with as little as what is rounded down may be: `n - 2*trunc(n/2)` is no less than nothing, and
/// `2*trunc(n/2) - n` no less than minus one. `None` if nothing is rounded.
fn without_rounding(parts: &[(Monomial, f64)]) -> Option<Expr> {
    let rounded = |(monomial, coefficient): &(Monomial, f64)| {
        let [(atom, 1)] = monomial.as_slice() else {
            return None;
        };
        let Node::Call(Function::Truncate | Function::Floor, arguments) = atom.node() else {
            return None;
        };
        let (exact, divisor) = match arguments.first()?.node() {
            Node::Quotient(dividend, divisor) => {
                let divisor = divisor.as_number()?;
                (dividend.clone() * (1.0 / divisor), divisor)
            }
            _ => (arguments[0].clone(), 1.0),
        };
        let is_positive = least(&exact).is_some_and(|least| least >= 0.0);
        // Whole numbers lack no more than the largest rest.
        let lacks = match *coefficient < 0.0 {
            true => 0.0,
            false => (divisor - 1.0) / divisor,
        };
        let is_whole = divisor >= 1.0 && divisor.fract() == 0.0;
        (is_positive && is_whole).then(|| (exact - lacks) * *coefficient)
    };
    if !parts.iter().any(|part| rounded(part).is_some()) {
        return None;
    }
    let product = |(monomial, coefficient): &(Monomial, f64)| {
        let power = |(atom, power): &(Expr, u32)| atom.clone().power(Expr::from(f64::from(*power)));
        Expr::product(monomial.iter().map(power)) * *coefficient
    };
    let all = parts
        .iter()
        .map(|part| rounded(part).unwrap_or_else(|| product(part)));
    Some(Expr::sum(all).expand())
}

pub fn is_near(apart: &Expr, limit: f64) -> bool {
    apart
        .expand()
        .as_number()
        .is_some_and(|apart| apart.abs() <= limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_rounded_down_is_no_more_than_it_was() {
        let least = |text: &str| least(&Expr::parse(text).expect("an expression").expand());
        assert_eq!(least("h + 1 - 2*trunc(h/2)"), Some(1.0));
        assert_eq!(least("2*trunc(h/2) - h - 3"), Some(-4.0));
        assert_eq!(least("h*w - w*trunc(h/2)"), None);
        assert_eq!(least("h - 3*trunc(h/2)"), None);
        assert_eq!(least("h + 3 - trunc(n/2)"), None);
    }
}
