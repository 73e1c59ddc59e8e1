//! Subscripts that wrap around at the ends of a range: `(i + 1) % n`, `i == n - 1 ? 0 : i + 1`.
//!
//! In all iterations but the first or last few they are as far from the loop's variable as in the middle: neighbours. What
//! they are at the ends is taken to be the neighbour as well, beyond the range.

use super::clamps::is_window;
use super::counted_loop::Counted;
use super::totals::extreme;
use crate::expr::{Comparison, Expr, Function, Node};

/// Iterations at either end of a range in which a subscript may be another one.
pub const MOST_ENDS: f64 = 4.0;
/// Rounds that an index is ahead: `(i + n - 1) % n`.
const MOST_ROUNDS: usize = 2;

/// The expression as it is in all but a few iterations.
pub fn without_wraps(expr: &Expr, around: &[&Counted]) -> Expr {
    let moves = |e: &Expr| around.iter().any(|counted| e.mentions(&counted.variable));
    if !moves(expr) {
        return expr.clone();
    }
    let found = match expr.node() {
        Node::Call(Function::Truncate, operands) => match operands[0].node() {
            Node::Quotient(dividend, divisor) if !moves(divisor) => {
                rounds(dividend, divisor, around)
            }
            _ => None,
        },
        Node::If(comparison, parts) => {
            let [left, right, then, otherwise] = &**parts;
            usual(*comparison, &(left - right).expand(), around).map(|holds| match holds {
                true => without_wraps(then, around),
                false => without_wraps(otherwise, around),
            })
        }
        _ => None,
    };
    found.unwrap_or_else(|| expr.map_children(&mut |child| without_wraps(child, around)))
}

/// How often a divisor is in a dividend, if that is the same in all but a few iterations.
fn rounds(dividend: &Expr, divisor: &Expr, around: &[&Counted]) -> Option<Expr> {
    let radii = radii(around);
    let is_near = |e: Expr| is_near(&e.expand(), &radii);
    let is_so = |rounds: &usize| {
        let rest = dividend - &(divisor * &Expr::from(*rounds as f64));
        let ends = [false, true].map(|largest| extreme(&rest, around, largest));
        let [Some(low), Some(high)] = ends else {
            return false;
        };
        is_near(low) && is_near(divisor.clone() - 1.0 - high)
    };
    let rounds = (0..=MOST_ROUNDS).find(is_so)?;
    Some(Expr::from(rounds as f64))
}

/// Whether something is no more than a few iterations below nothing, or twice the radius of a window that a loop walks.
fn is_near(apart: &Expr, radii: &[Expr]) -> bool {
    let monomials = apart.monomials();
    monomials
        .iter()
        .all(|(monomial, by)| match monomial.as_slice() {
            [] => *by >= -MOST_ENDS,
            [(radius, 1)] => *by >= 0.0 || *by >= -2.0 && radii.contains(radius),
            _ => *by >= 0.0,
        })
}

/// The symbols by which loops go from as far before nothing as they go behind it.
fn radii(around: &[&Counted]) -> Vec<Expr> {
    let windows = around.iter().filter(|counted| is_window(counted));
    windows.map(|counted| counted.upper.clone()).collect()
}

/// Whether a difference compares with nothing in one way in all but a few iterations.
pub fn usual(comparison: Comparison, difference: &Expr, around: &[&Counted]) -> Option<bool> {
    let ends = [false, true].map(|largest| extreme(difference, around, largest)?.as_number());
    let is_above = ends[0].is_some_and(|low| low >= -MOST_ENDS);
    let is_below = ends[1].is_some_and(|high| high <= MOST_ENDS);
    if is_above == is_below {
        return None;
    }
    Some(match comparison {
        Comparison::Equal => false,
        Comparison::NotEqual => true,
        Comparison::Less | Comparison::LessOrEqual => is_below,
        Comparison::Greater | Comparison::GreaterOrEqual => is_above,
    })
}
