//! Values that come from memory while loops run.

use super::symbols::{Known, Symbols};
use crate::ir::Value;

/// Whether a value that has no expression comes from an array: an indirect subscript.
pub fn is_loaded(symbols: &Symbols, value: &Value) -> bool {
    let again = |v: &Value| is_loaded(symbols, v);
    match value {
        Value::Element { .. } => true,
        Value::Variable(id) => matches!(
            symbols.known.get(id),
            Some(Known::Changes { loaded: true, .. })
        ),
        Value::Unary(_, operand) | Value::Convert(_, operand) => again(operand),
        Value::Binary(_, left, right) => again(left) || again(right),
        Value::Call { arguments, .. } => arguments.iter().any(again),
        Value::Select(a, b, c) => [a, b, c].into_iter().any(|v| again(v)),
        _ => false,
    }
}
