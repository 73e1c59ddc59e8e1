//! Conditions that are asked again where the answer is known: inside a branch on the same condition, whose variables
//! nothing there gives other values.
//!
//! ```text
//! if (mixed) { …; if (mixed) …; if (!mixed && x > 0) … }      holds, does not hold
//! if (k == 1) { …; if (k == 2) … }                            does not hold
//! ```

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::Walker;
use crate::assignments::count_assignments;
use crate::calls::Target;
use crate::ir::visit::{InLoop, calls_of, each_value, statements, values_of, variables_of};
use crate::ir::{BinaryOp, Role, Stmt, Type, UnaryOp, Value, VarId, addressed};

/// Parts of conditions are followed so far.
const DEPTH: u32 = 16;
const ZERO: &Value = &Value::Integer(0);

/// A comparison and whether it holds where the walk stands.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    op: BinaryOp,
    left: Value,
    right: Value,
    holds: bool,
}

impl Walker<'_> {
    /// What a branch says of its condition in one of its arms; [`forget`](Self::forget) at its end.
    pub(super) fn answer(&mut self, condition: &Value, holds: bool, arm: &[Stmt]) -> usize {
        let before = self.answers.len();
        if asks_nothing(arm) || !stays_the_same(condition) || self.may_change(condition, arm) {
            return before;
        }
        self.add_answers(condition, holds, DEPTH);
        before
    }

    /// The same of the condition of an arm that is not taken, where the next one is asked.
    pub(super) fn answer_in_chain(&mut self, condition: &Value) {
        if stays_the_same(condition) {
            self.add_answers(condition, false, DEPTH);
        }
    }

    pub(super) fn forget(&mut self, before: usize) {
        self.answers.truncate(before);
    }

    fn add_answers(&mut self, condition: &Value, holds: bool, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        match condition {
            Value::Unary(UnaryOp::Not, operand) => self.add_answers(operand, !holds, depth),
            Value::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                // Of several parts of which one does not hold it is not known which one.
                if (*op == BinaryOp::And) == holds {
                    self.add_answers(left, holds, depth);
                    self.add_answers(right, holds, depth);
                }
            }
            _ => {
                let (op, left, right) = self.comparison_in(condition);
                self.answers.push(Answer {
                    op,
                    left: left.clone(),
                    right: right.clone(),
                    holds,
                });
            }
        }
    }

    /// Whether a condition holds by what branches around have found.
    pub(super) fn answered(&self, condition: &Value) -> Option<bool> {
        match self.answers.is_empty() {
            true => None,
            false => self.answered_within(condition, DEPTH),
        }
    }

    fn answered_within(&self, condition: &Value, depth: u32) -> Option<bool> {
        let depth = depth.checked_sub(1)?;
        match condition {
            Value::Unary(UnaryOp::Not, operand) => {
                self.answered_within(operand, depth).map(|holds| !holds)
            }
            Value::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                let decides = *op == BinaryOp::Or;
                let sides = [left, right].map(|side| self.answered_within(side, depth));
                match sides {
                    _ if sides.contains(&Some(decides)) => Some(decides),
                    [Some(_), Some(_)] => Some(!decides),
                    _ => None,
                }
            }
            _ => {
                let asked = self.comparison_in(condition);
                self.answers.iter().find_map(|known| known.settles(asked))
            }
        }
    }

    /// What a condition compares: a number is true if it is not zero.
    fn comparison_in<'v>(&self, condition: &'v Value) -> (BinaryOp, &'v Value, &'v Value) {
        match condition.unconverted() {
            Value::Binary(op, left, right) if op.is_comparison() => {
                let is_literal = |value: &Value| matches!(value, Value::Integer(_));
                match is_literal(left) && !is_literal(right) {
                    true => (op.mirrored(), right, left),
                    false => (*op, left, right),
                }
            }
            other => (BinaryOp::NotEqual, other, ZERO),
        }
    }

    /// Whether statements may give what a condition asks for another value.
    fn may_change(&self, condition: &Value, arm: &[Stmt]) -> bool {
        let mut used = BTreeSet::new();
        variables_of(condition, &mut used);
        let mut assigned = BTreeMap::new();
        count_assignments(arm, self.effects, &mut assigned);
        let mut found = used.iter().any(|id| {
            assigned.contains_key(id) || !self.function().variable(*id).dimensions.is_empty()
        });
        statements(arm, InLoop::No, &mut |stmt, _| {
            values_of(stmt, &mut |value| {
                let target = addressed(value).and_then(Value::variable);
                found |= target.is_some_and(|target| used.contains(&target));
            });
        });
        let is_number = |value: &Value| !matches!(value.ty(self.function()), Type::Unknown);
        found || !is_number(condition) || self.is_within_reach(&used, arm)
    }

    /// Whether procedures that statements call may give one of some variables another value in a way that is not followed.
    fn is_within_reach(&self, used: &BTreeSet<VarId>, arm: &[Stmt]) -> bool {
        let function = self.function();
        let is_shared = |id: &VarId| function.variable(*id).role == Role::Global;
        let is_member = |id: &VarId| function.variable(*id).name.is_member();
        if used.iter().any(|id| function.aliased.contains(id)) {
            return true;
        }
        let (shared, member) = (used.iter().any(is_shared), used.iter().any(is_member));
        let mut found = false;
        statements(arm, InLoop::No, &mut |stmt, _| {
            calls_of(stmt, &mut |name, _| {
                found |= match self.effects.target(name) {
                    Target::Library(_) | Target::Communication(_) => false,
                    Target::Body(_) if self.effects.is_known(name) => member,
                    _ => shared || member,
                };
            });
        });
        found
    }
}

impl Answer {
    /// Whether what is asked follows from this, or its contrary.
    fn settles(&self, (op, left, right): (BinaryOp, &Value, &Value)) -> Option<bool> {
        if self.left != *left {
            return match (&self.left, &self.right) {
                (own_left, own_right) if own_left == right && own_right == left => {
                    self.settles_order(op.mirrored())
                }
                _ => None,
            };
        }
        match (&self.right, right) {
            (own, other) if own == other => self.settles_order(op),
            (Value::Integer(own), Value::Integer(other)) => {
                let is_equal = match self.op {
                    BinaryOp::Equal => self.holds,
                    BinaryOp::NotEqual => !self.holds,
                    _ => false,
                };
                is_equal.then(|| op.holds_of(own.cmp(other)))
            }
            _ => None,
        }
    }

    /// The same of two values that are those compared.
    fn settles_order(&self, op: BinaryOp) -> Option<bool> {
        let all = [Ordering::Less, Ordering::Equal, Ordering::Greater];
        let mut possible = (all.into_iter()).filter(|order| self.op.holds_of(*order) == self.holds);
        let first = op.holds_of(possible.next()?);
        possible
            .all(|order| op.holds_of(order) == first)
            .then_some(first)
    }
}

/// Whether a value is made of scalars only, so that it is another one only where one of them is; which of the operators
/// without a sign it has is not known.
fn stays_the_same(condition: &Value) -> bool {
    let mut is_made_of_scalars = true;
    each_value(condition, &mut |part| {
        is_made_of_scalars &= matches!(
            part,
            Value::Integer(_)
                | Value::Real(..)
                | Value::Logical(_)
                | Value::Text(_)
                | Value::Variable(_)
                | Value::Unary(..)
                | Value::Convert(..)
        ) || matches!(part, Value::Binary(op, ..) if *op != BinaryOp::Other);
    });
    is_made_of_scalars
}

/// Whether no branch stands in statements.
fn asks_nothing(arm: &[Stmt]) -> bool {
    let mut found = true;
    statements(arm, InLoop::No, &mut |stmt, _| {
        found &= !matches!(stmt, Stmt::If(_));
    });
    found
}
