//! Subscripts that are not affine in the loops around: indices that move by unknown strides, that are held
//! inside their arrays, that only the inner loops move evenly.
//!
//! A variable that moves by an unknown amount is its name plus, for each loop that moves it, a symbol
//! `stride of k` times the variable of that loop. The model takes the stride to be longer than a cache line.

use super::dimension::split_integer;
use super::facts::Subscript;
use super::symbols::Symbols;
use crate::expr::{Expr, Function, Node, Symbol, SymbolKind};
use crate::ir::VarId;

impl Symbols<'_> {
    /// A variable that the loops around change, the innermost of them at `depth` (one is the outermost):
    /// it moves by an unknown stride. `None` where a bound is sought, and if each iteration of the
    /// innermost loop decides its value again.
    pub fn moving(&self, id: VarId, depth: usize) -> Option<Expr> {
        let stride = self.stride(id, depth).filter(|_| self.may_move)?;
        Some(Expr::symbol(&self.function.variable(id).name) + stride)
    }

    /// How far a variable moves that the loop at `depth` sets, if the walk is inside another one or the
    /// loop only advances it.
    pub fn stride(&self, id: VarId, depth: usize) -> Option<Expr> {
        let is_inside = depth < self.levels.len();
        let is_advanced = || {
            self.levels
                .get(depth.checked_sub(1)?)
                .map(|level| level.advanced.contains(&id))
        };
        (is_inside || is_advanced().unwrap_or(false))
            .then(|| self.moved_by(id, depth))
            .flatten()
    }

    /// How far the loop at `depth`, and those around it that go on from where it ends, move a variable.
    pub fn moved_by(&self, id: VarId, depth: usize) -> Option<Expr> {
        let (last, outer) = self.levels.get(..depth)?.split_last()?;
        let name = |id: VarId| self.function.variable(id).name.as_str();
        let outer = outer
            .iter()
            .filter(|level| level.advanced.contains(&id))
            .filter_map(|level| level.counter);
        let counters = outer.chain([last.counter?]).map(name).enumerate();
        Some(Expr::sum(counters.map(|(at, counter)| {
            unknown_stride(name(id), at, counter) * Expr::symbol(counter)
        })))
    }
}

/// How far one of the loops that move something, in their order, moves it: no two loops by the same.
fn unknown_stride(of: &str, at: usize, counter: &str) -> Expr {
    Expr::from(Symbol::stride(of, (at > 0).then_some(counter)))
}

/// Whether a stride is one of no known length, or of no one length.
pub fn is_unknown_stride(stride: &Expr) -> bool {
    let is_unknown =
        |symbol: &Symbol| matches!(symbol.kind(), SymbolKind::Stride | SymbolKind::Packed);
    stride.symbols().iter().any(is_unknown)
}

/// A subscript that is affine in some loops only, as `i + j*(j - 1)/2` is in `i`: what the others do to it is a stride of
/// no known length. `None` if the innermost loop moves it in a way that is not a polynomial.
pub fn partly_affine(expr: &Expr, loops: &[&str]) -> Option<(Subscript, i64)> {
    // Inner ones first: where two loops are multiplied, the inner one is affine.
    let mut affine: Vec<&str> = Vec::new();
    for name in loops.iter().rev() {
        let with: Vec<&str> = [&[*name], affine.as_slice()].concat();
        if expr.linear_in(&with).is_some() {
            affine = with;
        }
    }
    let linear = expr.linear_in(&affine)?;
    let (rest, offset) = split_integer(&linear.rest.expand());
    if loops
        .last()
        .is_some_and(|innermost| jumps(&rest, innermost))
    {
        return None;
    }
    let text = rest.to_string();
    let is_fixed = |e: &Expr| !loops.iter().any(|name| e.mentions(name));
    let coefficient = |name: &str| {
        let at = affine.iter().position(|other| *other == name)?;
        Some(&linear.coefficients[at])
    };
    let moved = loops.iter().filter_map(|name| match coefficient(name) {
        Some(by) if by.is_zero() => None,
        Some(by) => Some((name, is_fixed(by).then(|| by.clone()))),
        None => rest.mentions(name).then_some((name, None)),
    });
    let terms = moved.enumerate().map(|(at, (name, by))| {
        (
            name.to_string(),
            by.unwrap_or_else(|| unknown_stride(&text, at, name)),
        )
    });
    let terms = terms.collect();
    let base = if is_fixed(&rest) {
        rest.clone()
    } else {
        Expr::from(Symbol::start(&text))
    };
    Some((
        Subscript {
            terms,
            base,
            gather: None,
        },
        offset,
    ))
}

/// Whether `name` moves the value by steps of unlike size: in a choice, or in a division whose
/// dividend it advances evenly.
fn jumps(expr: &Expr, name: &str) -> bool {
    let is_even = |e: &Expr| e.mentions(name) && e.linear_in(&[name]).is_some();
    let here = match expr.node() {
        Node::Call(Function::Min | Function::Max, _) => false,
        Node::Power(_, exponent) if exponent.as_integer().is_some() => false,
        Node::Quotient(dividend, _) => is_even(dividend),
        Node::Power(..) | Node::If(..) => expr.mentions(name),
        _ => false,
    };
    here || expr.children().any(|child| jumps(child, name))
}
