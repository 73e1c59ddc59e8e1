//! One subscript of a reference: what the loops do to it, and the whole number that is added.

use super::facts::{Gather, GuardRange, Subscript};
use crate::expr::{Expr, Node};

/// A subscript with its integer offset, and why it is not affine if it is not.
pub struct Dimension {
    pub subscript: Subscript,
    pub offset: i64,
    /// Ranges of loops outside of which it stays where it is at their ends.
    pub held: Vec<GuardRange>,
}

impl Dimension {
    /// One that is nothing but data.
    pub fn gathered(gather: Gather) -> Dimension {
        Dimension {
            subscript: Subscript {
                terms: Vec::new(),
                base: Expr::from(0.0),
                gather: Some(gather),
            },
            offset: 0,
            held: Vec::new(),
        }
    }
}

/// The subscript that an expression in the variables of the nest (outermost first) is, and its
/// integer offset; `None` if it is not affine.
pub fn affine(expr: &Expr, loops: &[&str]) -> Option<(Subscript, i64)> {
    let linear = expr.linear_in(loops)?;
    let (base, offset) = split_integer(&linear.rest.expand());
    let terms = (loops.iter().zip(linear.coefficients))
        .filter(|(_, coefficient)| !coefficient.is_zero())
        .map(|(name, coefficient)| (name.to_string(), coefficient));
    Some((
        Subscript {
            terms: terms.collect(),
            base,
            gather: None,
        },
        offset,
    ))
}

/// The expression without its integer constant, and that constant.
pub fn split_integer(expr: &Expr) -> (Expr, i64) {
    let constant = match expr.node() {
        Node::Number(_) => expr.as_integer(),
        Node::Sum(items) => items.last().and_then(Expr::as_integer),
        _ => None,
    };
    match constant {
        Some(n) => (expr.clone() - n as f64, n),
        None => (expr.clone(), 0),
    }
}
