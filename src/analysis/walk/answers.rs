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
use crate::guards;
use crate::intrinsics::Meaning;
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
        if asks_nothing(arm) || !self.stays_the_same(condition) || self.may_change(condition, arm) {
            return before;
        }
        self.add_answers(condition, holds, DEPTH);
        before
    }

    /// The same of the condition of an arm that is not taken, where the next one is asked.
    pub(super) fn answer_in_chain(&mut self, condition: &Value) {
        if self.stays_the_same(condition) {
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
                op.joined([left, right].map(|side| self.answered_within(side, depth)))
            }
            _ => {
                let asked = self.comparison_in(condition);
                let mut known = self.answers.iter();
                (known.find_map(|known| known.settles(asked))).or_else(|| self.in_range(asked))
            }
        }
    }

    /// Whether a comparison of a whole number with a literal holds for all that is left of the numbers it may be.
    fn in_range(&self, (op, left, right): (BinaryOp, &Value, &Value)) -> Option<bool> {
        let Value::Integer(asked) = right else {
            return None;
        };
        if !matches!(left.ty(self.function()), Type::Integer(..)) {
            return None;
        }
        let mut range = Range::ALL;
        for known in self.answers.iter().filter(|known| known.left == *left) {
            if let Value::Integer(number) = &known.right {
                range.narrow(known.op, *number, known.holds);
            }
        }
        range.answers(op, *asked)
    }

    /// How many of the numbers that a remainder may be are known not to be the one asked for.
    pub(super) fn excluded(&self, condition: &Value) -> usize {
        let meaning = |name: &str| self.effects.target(name).meaning();
        let Some(multiple) = guards::Multiple::of(condition, &meaning) else {
            return 0;
        };
        let is_excluded = |known: &&Answer| {
            let is_other = match known.op {
                BinaryOp::Equal => !known.holds,
                BinaryOp::NotEqual => known.holds,
                _ => false,
            };
            is_other && known.left == *multiple.remainder
        };
        let numbers = self.answers.iter().filter(is_excluded);
        let numbers: BTreeSet<i64> = numbers
            .filter_map(|known| match known.right {
                Value::Integer(number) => Some(number),
                _ => None,
            })
            .collect();
        numbers.len()
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

    /// Whether a value is made of scalars only, so that it is another one only where one of them is; which of the operators
    /// without a sign it has is not known.
    fn stays_the_same(&self, condition: &Value) -> bool {
        // What these give depends on nothing else than their arguments.
        let is_arithmetic = |name: &str| {
            let meaning = self.effects.target(name).meaning();
            matches!(meaning, Some(Meaning::Remainder | Meaning::Modulo))
        };
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
            ) || matches!(part, Value::Binary(op, ..) if *op != BinaryOp::Other)
                || matches!(part, Value::Call { name, .. } if is_arithmetic(name));
        });
        is_made_of_scalars
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

/// Whole numbers, both ends included.
#[derive(Clone, Copy)]
struct Range {
    first: i64,
    last: i64,
}

impl Range {
    const ALL: Range = Range {
        first: i64::MIN,
        last: i64::MAX,
    };

    /// Leaves out the numbers of which a comparison does not hold, or does; those in the middle stay.
    fn narrow(&mut self, op: BinaryOp, number: i64, holds: bool) {
        use BinaryOp::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
        let (before, behind) = (number.saturating_sub(1), number.saturating_add(1));
        let (first, last) = match (op, holds) {
            (Less, true) | (GreaterOrEqual, false) => (i64::MIN, before),
            (LessOrEqual, true) | (Greater, false) => (i64::MIN, number),
            (Greater, true) | (LessOrEqual, false) => (behind, i64::MAX),
            (GreaterOrEqual, true) | (Less, false) => (number, i64::MAX),
            (Equal, true) | (NotEqual, false) => (number, number),
            _ => return,
        };
        (self.first, self.last) = (self.first.max(first), self.last.min(last));
    }

    /// Whether a comparison holds of all of them, or of none.
    fn answers(self, op: BinaryOp, number: i64) -> Option<bool> {
        if self.first > self.last {
            return None;
        }
        let ends = [self.first, self.last].map(|end| op.holds_of(end.cmp(&number)));
        let is_inside = self.first <= number && number <= self.last;
        match op {
            BinaryOp::Equal | BinaryOp::NotEqual => {
                (!is_inside || self.first == self.last).then_some(ends[0])
            }
            _ => (ends[0] == ends[1]).then_some(ends[0]),
        }
    }
}

/// Whether no branch stands in statements, and no choice in their values.
fn asks_nothing(arm: &[Stmt]) -> bool {
    let mut found = true;
    statements(arm, InLoop::No, &mut |stmt, _| {
        found &= !matches!(stmt, Stmt::If(_));
        values_of(stmt, &mut |value| {
            found &= !matches!(value, Value::Select(..));
        });
    });
    found
}
