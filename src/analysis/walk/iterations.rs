//! How often a loop runs whose header does not count: `while (i < n) … i += 2`, `for (i = 0, j = n - 1; i < j; i++, j--)`.

use std::collections::{BTreeMap, BTreeSet};

use super::Walker;
use crate::expr::Expr;
use crate::inductions::may_skip;
use crate::ir::visit::variables_of;
use crate::ir::{self, BinaryOp, Sign, Type, Value, VarId, wider};
use crate::symbols::Known;

/// A loop, and what is known of variables in front of it.
pub(super) type Around<'l> = (&'l ir::Loop, &'l BTreeMap<VarId, Known>);

/// When a loop with a condition ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ends {
    /// After so many iterations.
    AtBound,
    /// Something else in the condition may end it before.
    AtBoundOrBefore,
}

/// What a comparison without a sign comes to, where one with a sign would come to something else.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WithoutSign {
    /// It does not hold at first.
    NeverHolds,
    /// It holds for as many iterations as nobody says.
    Unknown,
}

impl Walker<'_> {
    /// Iterations as the comparisons among the parts of a condition have them that the body moves by a constant each time. What is
    /// known of variables must be that of an iteration's beginning.
    pub(super) fn iterations(
        &mut self,
        inner: &ir::Loop,
        condition: &Value,
        counter: &str,
        before: &BTreeMap<VarId, Known>,
    ) -> Option<(Expr, Ends)> {
        if counter.is_empty() || may_skip(&inner.body) {
            return None;
        }
        let mut parts = Vec::new();
        conjuncts(condition, &mut parts);
        let count = parts.len();
        let one = Expr::from(1.0);
        let until_false =
            |part: &Value| self.until_false((inner, before), part, (counter, &one, &one));
        let found: Vec<Expr> = parts.into_iter().filter_map(until_false).collect();
        let ends = if found.len() == count {
            Ends::AtBound
        } else {
            Ends::AtBoundOrBefore
        };
        let rounds = (!found.is_empty()).then(|| Expr::min(found))?;
        // The condition is asked behind the first iteration.
        let begun = inner.control.is_tested_last() && rounds.as_number().is_some_and(|n| n < 1.0);
        Some((if begun { one } else { rounds }, ends))
    }

    /// Iterations of a loop that counts towards an end that moves: `for (i = 0, j = n - 1; i < j; i++, j--)`.
    pub(super) fn towards(
        &mut self,
        around: Around,
        variable: VarId,
        bound: &Value,
        header: (&str, &Expr, &Expr),
    ) -> Option<Expr> {
        let op = if header.2.as_number()? > 0.0 {
            BinaryOp::LessOrEqual
        } else {
            BinaryOp::GreaterOrEqual
        };
        self.until_false(
            around,
            &Value::binary(op, Value::Variable(variable), bound.clone()),
            header,
        )
    }

    /// In iteration k the two sides of a comparison are d + s·(k − 1) apart.
    pub(super) fn until_false(
        &mut self,
        (inner, before): Around,
        part: &Value,
        (counter, lower, step): (&str, &Expr, &Expr),
    ) -> Option<Expr> {
        let zero = Value::Integer(0);
        let (op, left, right) = match part {
            Value::Binary(op, left, right) if op.is_comparison() && *op != BinaryOp::Equal => {
                (*op, &**left, &**right)
            }
            // `while (n)`, with `n--` in the body.
            Value::Variable(_) | Value::Binary(BinaryOp::Add | BinaryOp::Subtract, ..) => {
                (BinaryOp::NotEqual, part, &zero)
            }
            _ => return None,
        };
        let mut used = BTreeSet::new();
        [left, right]
            .into_iter()
            .for_each(|side| variables_of(side, &mut used));
        if used.iter().any(|id| self.conditional.contains(id)) {
            return None;
        }
        let types = [left, right].map(|side| side.ty(self.function()));
        if types.iter().any(Type::is_floating) {
            let rounds = self.replayed(inner, part, before)?;
            return Some(Expr::from(f64::from(rounds)));
        }
        let sides = [
            self.symbols.expression(left)?,
            self.symbols.expression(right)?,
        ];
        // What has no sign is never below zero.
        let is_endless = |at: usize, op: BinaryOp| {
            op == BinaryOp::GreaterOrEqual
                && matches!(types[at], Type::Integer(_, Sign::Unsigned))
                && sides[1 - at].is_zero()
        };
        if is_endless(0, op) || is_endless(1, op.mirrored()) {
            return None;
        }
        let [own, other] = types.clone();
        let both = wider(own, other);
        if both.is_unsigned()
            && let Some(found) = self.without_sign((op, &both), &sides, (counter, lower))
        {
            return (found == WithoutSign::NeverHolds).then(|| Expr::from(0.0));
        }
        let [left, right] = sides.clone();
        let apart = (left - right).expand();
        let mut linear = apart.linear_in(&[counter])?;
        let slope = linear
            .coefficients
            .remove(0)
            .as_number()
            .filter(|slope| *slope != 0.0)?;
        let first = (linear.rest + lower.clone() * slope).expand();
        let pace = step.clone();
        let slope = slope * step.as_number()?;
        // Counted so that the distance falls from −d towards zero.
        let (left_over, step) = if slope > 0.0 {
            (-first, slope)
        } else {
            (first, -slope)
        };
        let distance = if step == 1.0 {
            left_over
        } else {
            left_over.quotient(Expr::from(step))
        };
        // Whole numbers need no rounding.
        let round = |up: bool, distance: Expr| match step == 1.0 {
            true => distance.expand(),
            false if up => distance.ceiling(),
            false => distance.floor(),
        };
        let trips = match (op, slope > 0.0) {
            (BinaryOp::Less, true) | (BinaryOp::Greater, false) => round(true, distance),
            (BinaryOp::LessOrEqual, true) | (BinaryOp::GreaterOrEqual, false) => {
                round(false, distance) + 1.0
            }
            // From beyond it, the end is reached when numbers have begun again.
            (BinaryOp::NotEqual, _) if distance.as_number().is_some_and(|d| d < 0.0) => {
                return None;
            }
            (BinaryOp::NotEqual, _) if step == 1.0 => round(true, distance),
            _ => return None,
        };
        // Where numbers of the type begin again before the end is reached, it is not known when that is.
        let last = lower.clone() + pace * trips.clone();
        let begins_again = sides.iter().zip(&types).any(|(side, ty)| {
            let is_narrow = matches!(
                ty,
                Type::Integer(1 | 2, _) | Type::Integer(4, Sign::Unsigned)
            );
            is_narrow && side.mentions(counter) && {
                let last = side.with(counter, &last).expand();
                self.symbols
                    .number(&last)
                    .is_some_and(|number| ty.wrapped(number as i64) != Some(number as i64))
            }
        });
        (!begins_again).then_some(trips)
    }

    /// What a comparison without a sign comes to; `None` where it is the same as with a sign.
    fn without_sign(
        &self,
        (op, ty): (BinaryOp, &Type),
        sides: &[Expr; 2],
        (counter, lower): (&str, &Expr),
    ) -> Option<WithoutSign> {
        let is_strict = match op {
            BinaryOp::Less | BinaryOp::Greater => true,
            BinaryOp::LessOrEqual | BinaryOp::GreaterOrEqual => false,
            _ => return None,
        };
        let first = sides
            .each_ref()
            .map(|side| side.with(counter, lower).expand());
        let numbers = first.each_ref().map(|side| self.symbols.number(side));
        let is_below = |number: &Option<f64>| number.is_some_and(|number| number < 0.0);
        let is_open =
            |side: &Expr| self.symbols.number(side).is_none() && self.symbols.goes_below_zero(side);
        if numbers.iter().any(is_below) {
            let [left, right] = first.map(|side| {
                self.symbols
                    .number(&self.symbols.without_negative(ty, side))
            });
            // What is not known is a size, and no size is as large.
            let order = left.unwrap_or(0.0).partial_cmp(&right.unwrap_or(0.0))?;
            return Some(match op.holds_of(order) {
                true => WithoutSign::Unknown,
                false => WithoutSign::NeverHolds,
            });
        }
        // What only goes down is never below zero: the comparison always holds.
        let is_endless = !is_strict && sides.iter().any(Expr::is_zero);
        (is_endless || first.iter().any(is_open)).then_some(WithoutSign::Unknown)
    }
}

/// The parts of `a && b && c`.
pub(super) fn conjuncts<'v>(value: &'v Value, found: &mut Vec<&'v Value>) {
    match value {
        Value::Binary(BinaryOp::And, left, right) => {
            conjuncts(left, found);
            conjuncts(right, found);
        }
        other => found.push(other),
    }
}
