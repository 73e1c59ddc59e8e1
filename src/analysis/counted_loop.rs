//! The variable of a loop, and what it counts.

use crate::expr::Expr;

/// What one of the loops around counts.
#[derive(Clone, Debug)]
pub struct Counted {
    pub variable: String,
    pub lower: Expr,
    pub upper: Expr,
    pub step: Expr,
}
