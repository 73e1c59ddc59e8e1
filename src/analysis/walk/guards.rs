//! Conditions that end a loop where something goes wrong, not where enough is done:
//!
//! ```text
//! if (isnan(norm)) return;                    a number that is none
//! if (norm > 1e30) exit                       one that grows beyond any that is meant
//! call step(u, ierr); if (ierr /= 0) exit     what a call says of how it went
//! ```
//!
//! They are not expected to: such loops run to their ends.

use super::Walker;
use super::expected::{Asked, DEPTH};
use crate::ir::visit::{InLoop, statements};
use crate::ir::{self, BinaryOp, Stmt, Type, UnaryOp, Value, VarId};

/// What only numbers are compared with that have no bounds any more.
const BEYOND: f64 = 1e10;

impl Walker<'_> {
    /// Whether a condition in a loop, or its own, is expected to hold in every round or in none; `None` if data say when.
    pub(super) fn expected_each_round(&self, inner: &ir::Loop, condition: &Value) -> Option<bool> {
        let asked = Asked {
            walker: self,
            arm: &[],
            rest: &[],
        };
        self.each_round((inner, &asked), condition, DEPTH)
    }

    fn each_round(
        &self,
        (inner, asked): (&ir::Loop, &Asked<'_, '_>),
        condition: &Value,
        depth: u32,
    ) -> Option<bool> {
        let depth = depth.checked_sub(1)?;
        if let Some(holds) = self.expected_of_numbers(condition) {
            return Some(holds);
        }
        match condition.unconverted() {
            Value::Unary(UnaryOp::Not, operand) => self
                .each_round((inner, asked), operand, depth)
                .map(|holds| !holds),
            Value::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                op.joined([left, right].map(|side| self.each_round((inner, asked), side, depth)))
            }
            Value::Binary(op, left, right) if op.is_comparison() => {
                self.is_within(*op, left, right).or_else(|| {
                    let is_number = |value: &Value| self.number(value).is_some();
                    match is_number(left) && !is_number(right) {
                        true => self.of_call((inner, asked), op.mirrored(), right, left),
                        false => self.of_call((inner, asked), *op, left, right),
                    }
                })
            }
            // A number that a call gives, or a name for what a comparison has said.
            value @ Value::Variable(id) => {
                let is_logical = matches!(self.function().variable(*id).ty, Type::Logical(_));
                let zero = Value::Integer(0);
                let of_call = self.of_call((inner, asked), BinaryOp::NotEqual, value, &zero);
                of_call.or_else(|| {
                    let given = asked.only_value(*id)?;
                    (is_logical || is_condition(given))
                        .then(|| self.each_round((inner, asked), given, depth))?
                })
            }
            value => {
                let zero = Value::Integer(0);
                self.of_call((inner, asked), BinaryOp::NotEqual, value, &zero)
            }
        }
    }

    /// Whether a comparison of a real number with a huge one holds as long as nothing blows up.
    fn is_within(&self, op: BinaryOp, left: &Value, right: &Value) -> Option<bool> {
        let (op, value, bound) = match (self.real_number(left), self.real_number(right)) {
            (None, Some(bound)) => (op, left, bound),
            (Some(bound), None) => (op.mirrored(), right, bound),
            _ => return None,
        };
        if !value.ty(self.function()).is_floating() || bound.abs() < BEYOND {
            return None;
        }
        let is_above = bound > 0.0;
        match op {
            BinaryOp::Less | BinaryOp::LessOrEqual => Some(is_above),
            BinaryOp::Greater | BinaryOp::GreaterOrEqual => Some(!is_above),
            _ => None,
        }
    }

    /// What is expected of what a call gives: that it has not failed, and that a pointer leads somewhere.
    fn of_call(
        &self,
        (inner, asked): (&ir::Loop, &Asked<'_, '_>),
        op: BinaryOp,
        left: &Value,
        right: &Value,
    ) -> Option<bool> {
        let function = self.function();
        if left.ty(function).is_floating() {
            return asked.compared(op, left, right);
        }
        if asked.is_pointer(left) {
            let Value::Variable(id) = left.unconverted() else {
                return None;
            };
            let holds = asked.compared(op, left, right);
            return holds.filter(|_| is_given_by_call(&inner.body, *id));
        }
        let zero = self.number(right) == Some(0);
        let is_failure = matches!(op, BinaryOp::NotEqual | BinaryOp::Greater | BinaryOp::Less);
        // Zero is what calls say that have done their work; a loop may wait for it.
        (zero && is_failure && asked.is_status(asked.size(left)?)).then_some(false)
    }

    /// A literal number, or a named constant that is one.
    fn real_number(&self, value: &Value) -> Option<f64> {
        match value.unconverted() {
            Value::Real(number, _) => Some(*number),
            Value::Unary(UnaryOp::Negate, operand) => self.real_number(operand).map(|n| -n),
            Value::Variable(id) => {
                let constant = self.function().variable(*id).constant.as_ref()?;
                match constant.unconverted() {
                    Value::Real(number, _) => Some(*number),
                    _ => None,
                }
            }
            whole => self.number(whole).map(|number| number as f64),
        }
    }
}

/// Whether a value is one of two: a comparison, or made of some.
pub(super) fn is_condition(value: &Value) -> bool {
    match value.unconverted() {
        Value::Unary(op, _) => *op == UnaryOp::Not,
        Value::Binary(op, ..) => op.is_comparison() || matches!(op, BinaryOp::And | BinaryOp::Or),
        _ => false,
    }
}

/// Whether statements give a variable what a call returns.
fn is_given_by_call(block: &[Stmt], id: VarId) -> bool {
    let mut found = false;
    statements(block, InLoop::No, &mut |stmt, _| {
        if let Stmt::Assign { target, value, .. } = stmt {
            found |=
                *target == Value::Variable(id) && matches!(value.unconverted(), Value::Call { .. });
        }
    });
    found
}
