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
//!
//! Nor does it where the procedure that reads the value returns a number at once: `if (*n == 0) return 0`.

use super::definition::Without;
use crate::ir::visit::jumps;
use crate::ir::{BinaryOp, Function, If, Jump, Results, Stmt, UnaryOp, Value, VarId};
use crate::literal::{DEPTH, literal};

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

/// The value that a branch asks to be more than zero, or not, and what is done where it is zero. `reads` says whether the
/// procedure itself reads a variable.
pub(super) fn asked_for_some<'u>(
    function: &Function,
    branch: &'u If,
    reads: &dyn Fn(VarId) -> bool,
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
    // A procedure that reads something and hands back at once that there is none does not go on, either.
    let is_refused = || gives_up(function, none) && asked.variable().is_some_and(reads);
    let without = match ends || is_refused() {
        true => Without::Ends,
        false => Without::GoesOn,
    };
    Some((asked, without))
}

/// Whether an arm leaves a procedure with a number that it returns, as `return 0` does.
fn gives_up(function: &Function, arm: &[Stmt]) -> bool {
    let is_number = |values: &[Value]| match values {
        [value] => literal(function, value, DEPTH).is_some(),
        _ => false,
    };
    match arm {
        [
            ..,
            Stmt::Evaluate { values, .. },
            Stmt::Jump {
                kind: Jump::Return, ..
            },
        ] => function.conventions.results == Results::Returned && is_number(values),
        _ => false,
    }
}
