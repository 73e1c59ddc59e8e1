//! Which values does the program choose where it has been given none?
//!
//! ```text
//! int blocks = 0;                       zero or less says that it has yet to be given
//! … blocks = atoi(argv[i]); …
//! if (!blocks) blocks = 2*cells;        what a run without the option has
//! ```
//!
//! Which does it go on without, and which must it be given?
//!
//! ```text
//! scalars = 0; n = 0
//! read (unit, nml=grid)                 may leave them as they are
//! if (scalars > 0) call transport       goes on without any
//! if (n < 1) stop 'no cells'            does not
//! ```

use super::definition::Without;
use super::truth::{DEPTH, literal};
use crate::ir::visit::jumps;
use crate::ir::{BinaryOp, Function, If, Jump, Stmt, UnaryOp, Value};

/// The values that a branch gives what has none so far.
pub(super) fn stand_ins<'u>(
    function: &'u Function,
    branch: &'u If,
) -> impl Iterator<Item = &'u Value> {
    branch.then.iter().filter_map(|stmt| match stmt {
        Stmt::Assign { target, value, .. }
            if asks_for_none(function, (&branch.condition, target), DEPTH) =>
        {
            Some(value)
        }
        _ => None,
    })
}

/// The value that an assignment gives what has none so far, as a conditional expression: `n = n ? n : 16`.
pub(super) fn stand_in<'u>(
    function: &'u Function,
    (target, value): (&'u Value, &'u Value),
) -> Option<&'u Value> {
    let Value::Select(condition, then, otherwise) = value.unconverted() else {
        return None;
    };
    let keeps = |arm: &Value| arm.unconverted() == target;
    let not = Value::Unary(UnaryOp::Not, condition.clone());
    match (keeps(then), keeps(otherwise)) {
        (false, true) if asks_for_none(function, (condition, target), DEPTH) => Some(then),
        (true, false) if asks_for_none(function, (&not, target), DEPTH) => Some(otherwise),
        _ => None,
    }
}

/// Whether a condition holds where the value is zero or less: `!x`, `x == 0`, `x < 1 || x > most`.
fn asks_for_none(function: &Function, (condition, asked): (&Value, &Value), depth: u32) -> bool {
    let Some(depth) = depth.checked_sub(1) else {
        return false;
    };
    match condition {
        Value::Unary(UnaryOp::Not, operand) => {
            let operand = operand.unconverted();
            let is_negated = |op: BinaryOp| op.is_comparison();
            match operand {
                Value::Binary(op, left, right) if is_negated(*op) => {
                    let negated = Value::binary(op.negated(), (**left).clone(), (**right).clone());
                    asks_for_none(function, (&negated, asked), depth)
                }
                operand => operand == asked,
            }
        }
        Value::Binary(BinaryOp::Or, left, right) => [left, right]
            .into_iter()
            .any(|side| asks_for_none(function, (side, asked), depth)),
        Value::Binary(op, left, right) => {
            let (op, limit) = match (&**left, &**right) {
                (left, limit) if left.unconverted() == asked => (*op, limit),
                (limit, right) if right.unconverted() == asked => (op.mirrored(), limit),
                _ => return false,
            };
            literal(function, limit, DEPTH).is_some_and(|limit| match op {
                BinaryOp::Equal | BinaryOp::LessOrEqual => limit <= 0,
                BinaryOp::Less => limit <= 1,
                _ => false,
            })
        }
        _ => false,
    }
}

/// The value that a branch asks to be more than zero, or not, and what is done where it is zero.
pub(super) fn asked_for_some<'u>(
    function: &Function,
    branch: &'u If,
) -> Option<(&'u Value, Without)> {
    let literal = |value: &Value| literal(function, value, DEPTH);
    let (asked, none) = match &branch.condition {
        Value::Binary(op, left, right) => {
            let (asked, op, limit) = match (literal(left), literal(right)) {
                (None, Some(limit)) => (&**left, *op, limit),
                (Some(limit), None) => (&**right, op.mirrored(), limit),
                _ => return None,
            };
            let none = match (op, limit) {
                (BinaryOp::Greater | BinaryOp::NotEqual, 0) | (BinaryOp::GreaterOrEqual, 1) => {
                    &branch.otherwise
                }
                (BinaryOp::LessOrEqual | BinaryOp::Equal, 0) | (BinaryOp::Less, 1) => &branch.then,
                _ => return None,
            };
            (asked, none)
        }
        _ => return None,
    };
    let ends = jumps(none, |kind| {
        kind == Jump::Stop || function.is_main && kind == Jump::Return
    });
    let without = if ends { Without::Ends } else { Without::GoesOn };
    Some((asked, without))
}
