//! Values that are addresses: rows of arrays, `&x`, pointers and what moves them.

use super::{BinaryOp, Function, Value};

/// Whether a subscript is one that the source leaves out: the value is an address.
pub fn is_left_out(subscript: &Value) -> bool {
    matches!(subscript, Value::Row)
}

/// How many subscripts are left out of an element that has others.
pub fn pointed_dimensions(subscripts: &[Value]) -> Option<usize> {
    let left_out = subscripts.iter().take_while(|s| is_left_out(s)).count();
    (left_out > 0 && left_out < subscripts.len() && !subscripts[left_out..].iter().any(is_left_out))
        .then_some(left_out)
}

/// The element or variable whose address a value is.
pub fn addressed(value: &Value) -> Option<&Value> {
    match value {
        Value::Address { of, .. } => Some(of),
        _ => None,
    }
}

/// Whether a value of C is an address: an array or pointer without all its subscripts.
pub fn is_address(value: &Value, function: &Function) -> bool {
    match value {
        Value::Variable(id) => !function.variable(*id).dimensions.is_empty(),
        Value::Element { subscripts, .. } => subscripts.iter().any(is_left_out),
        Value::Binary(BinaryOp::Add | BinaryOp::Subtract, left, right) => {
            is_address(left, function) || is_address(right, function)
        }
        Value::Select(_, then, otherwise) => {
            is_address(then, function) || is_address(otherwise, function)
        }
        Value::Convert(_, inner) => is_address(inner, function),
        _ => addressed(value).is_some(),
    }
}
