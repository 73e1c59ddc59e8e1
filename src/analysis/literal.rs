//! Numbers that the source gives.

use super::ir::{Function, Type, UnaryOp, Value};

/// Names and parts are followed so far.
pub const DEPTH: u32 = 32;

/// A number that literals and named constants give, or one and zero for true and false.
pub fn literal(function: &Function, value: &Value, depth: u32) -> Option<i64> {
    let depth = depth.checked_sub(1)?;
    match value {
        Value::Integer(n) => Some(*n),
        Value::Logical(is_true) => Some(i64::from(*is_true)),
        Value::Convert(ty @ Type::Integer(..), operand) => {
            ty.wrapped(literal(function, operand, depth)?)
        }
        Value::Convert(_, operand) => literal(function, operand, depth),
        Value::Unary(UnaryOp::Negate, operand) => literal(function, operand, depth)?.checked_neg(),
        Value::Variable(id) => literal(function, function.variable(*id).constant.as_ref()?, depth),
        _ => None,
    }
}
