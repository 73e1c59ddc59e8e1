//! Subscripts that are held inside of an array: `min(i + 1, n - 1)`, `max(y + dy, 0)`, or turned back at its end, `abs(y + dy)`.
//!
//! In all iterations but a few at the ends of a range they are what they are without their bounds. In those of a window
//! that a loop walks, from `-r` to `r`, they may often not be: but beyond the border of an image, such a window finds what it
//! finds inside of it anyway. So it goes to the lines that it would go to if it left out what lies beyond ([`Held::ranges`]).

use super::counted_loop::Counted;
use super::dimension::split_integer;
use super::facts::GuardRange;
use super::totals::extreme;
use super::wrapped::MOST_ENDS;
use crate::expr::{Expr, Function, Node};

/// What bounds of subscripts are left out for.
pub struct Clamps<'a> {
    /// The variables of all loops around, outermost first.
    pub loops: &'a [&'a str],
    /// Those that count by one; a block loop's `min(nb, n - i + 1)` stays.
    pub units: &'a [&'a str],
    pub around: &'a [&'a Counted],
}

/// A subscript without its bounds.
pub struct Held {
    pub inside: Expr,
    /// Ranges of loops outside of which it is at a bound, and that in more than a few iterations.
    pub ranges: Vec<GuardRange>,
}

/// Which way a bound holds.
#[derive(Clone, Copy, PartialEq)]
enum Bound {
    Lower,
    Upper,
}

impl Clamps<'_> {
    /// The expression without bounds that hold an index inside its array.
    pub fn left_out(&self, expr: &Expr) -> Held {
        let mut ranges = Vec::new();
        let inside = self.without(expr, &mut ranges);
        Held { inside, ranges }
    }

    fn without(&self, expr: &Expr, ranges: &mut Vec<GuardRange>) -> Expr {
        if let Node::Call(function @ (Function::Min | Function::Max), operands) = expr.node() {
            let bound = match function {
                Function::Max => Bound::Lower,
                _ => Bound::Upper,
            };
            let varies = |e: &&Expr| self.moves(e);
            let (varying, limits): (Vec<&Expr>, Vec<&Expr>) = operands.iter().partition(varies);
            if let [only] = varying[..]
                && self.goes_by_one(only)
            {
                let inside = self.without(only, ranges);
                for limit in limits {
                    self.hold(bound, &inside, limit, ranges);
                }
                return inside;
            }
            if let ([a, b], []) = (&varying[..], &limits[..])
                && let Some(inside) = self.turned_back(bound, [a, b], ranges)
            {
                return inside;
            }
        }
        if let Node::Call(Function::Absolute, operands) = expr.node() {
            let both = [&operands[0], &-operands[0].clone()];
            if let Some(inside) = self.turned_back(Bound::Lower, both, ranges) {
                return inside;
            }
        }
        expr.map_children(&mut |child| self.without(child, ranges))
    }

    fn moves(&self, expr: &Expr) -> bool {
        self.loops.iter().any(|name| expr.mentions(name))
    }

    fn goes_by_one(&self, expr: &Expr) -> bool {
        let mut used = self.loops.iter().filter(|name| expr.mentions(name));
        used.all(|name| self.units.contains(name))
    }

    /// Of a window, `max(x, -x)` and `min(x, 2*n - 2 - x)`: at the border it goes back the way that it came.
    fn turned_back(
        &self,
        bound: Bound,
        [a, b]: [&Expr; 2],
        ranges: &mut Vec<GuardRange>,
    ) -> Option<Expr> {
        let [a, b] = [a, b].map(|side| self.without(side, ranges));
        let both = (&a + &b).expand();
        if self.moves(&both) || !self.goes_by_one(&a) {
            return None;
        }
        let (_, by) = self.innermost(&a)?;
        let inside = if by > 0.0 { a } else { b };
        let of_window =
            |counted: &&Counted| is_window(counted) && inside.mentions(&counted.variable);
        let several = self
            .loops
            .iter()
            .filter(|name| inside.mentions(name))
            .count()
            > 1;
        if !several || !self.around.iter().any(of_window) {
            return None;
        }
        let middle = (both * 0.5).expand();
        let (_, number) = split_integer(&(middle.clone() * 2.0).expand());
        let is_between = number % 2 != 0;
        let limit = match bound {
            _ if !is_between => middle,
            Bound::Lower => middle + 0.5,
            Bound::Upper => middle - 0.5,
        };
        self.hold(bound, &inside, &limit.expand(), ranges);
        Some(inside)
    }

    /// Notes the range of the innermost loop in which a bound does not hold what is inside, if it does in more than a few.
    fn hold(&self, bound: Bound, inside: &Expr, limit: &Expr, ranges: &mut Vec<GuardRange>) {
        let Some((variable, by)) = self.innermost(inside) else {
            return;
        };
        if by.abs() != 1.0 || !self.may_hold_often(bound, inside, limit) {
            return;
        }
        let rest = inside - &(Expr::symbol(variable) * by);
        let end = ((limit - &rest) * by).expand();
        let is_lower = (bound == Bound::Lower) == (by > 0.0);
        let mut own: Vec<&mut Option<Expr>> = (ranges.iter_mut())
            .filter(|known| known.variable == variable)
            .map(|known| side(known, is_lower))
            .collect();
        if own.iter().any(|side| side.as_ref() == Some(&end)) {
            return;
        }
        if let Some(free) = own.iter_mut().find(|side| side.is_none()) {
            **free = Some(end);
            return;
        }
        let mut range = GuardRange {
            variable: variable.to_string(),
            lower: None,
            upper: None,
        };
        *side(&mut range, is_lower) = Some(end);
        ranges.push(range);
    }

    /// The innermost loop that moves something, and by how much.
    fn innermost(&self, expr: &Expr) -> Option<(&str, f64)> {
        let name = self.loops.iter().rev().find(|name| expr.mentions(name))?;
        let linear = expr.linear_in(&[*name])?;
        Some((name, linear.coefficients[0].as_number()?))
    }

    /// Whether a bound holds what is inside in more than a few iterations, as it does a window.
    fn may_hold_often(&self, bound: Bound, inside: &Expr, limit: &Expr) -> bool {
        let beyond = match bound {
            Bound::Lower => extreme(inside, self.around, false).map(|low| limit - &low),
            Bound::Upper => extreme(inside, self.around, true).map(|high| &high - limit),
        };
        let Some(beyond) = beyond.map(|beyond| beyond.expand()) else {
            return false;
        };
        let windows = self.around.iter().filter(|counted| is_window(counted));
        let mut own = windows.filter(|counted| inside.mentions(&counted.variable));
        match beyond.as_number() {
            Some(beyond) => beyond > MOST_ENDS,
            // By the radius of a window, and not by what two sizes have to do with each other.
            None => {
                let sizes = limit.symbols();
                let is_apart = |symbol| !sizes.contains(symbol);
                let is_surely = || beyond.monomials().iter().all(|(_, by)| *by > 0.0);
                let is_by_radius = match sizes.is_empty() {
                    true => is_surely(),
                    false => beyond.symbols().iter().all(is_apart),
                };
                own.next().is_some() || is_by_radius
            }
        }
    }
}

fn side(range: &mut GuardRange, is_lower: bool) -> &mut Option<Expr> {
    match is_lower {
        true => &mut range.lower,
        false => &mut range.upper,
    }
}

/// Whether a loop goes from as far before nothing as it goes behind it.
pub fn is_window(counted: &Counted) -> bool {
    (&counted.lower + &counted.upper).expand().is_zero()
}
