//! What a whole number is given where the source writes a real one: `int n = 3.99` is 3.

use crate::ir::{Function, Stmt, Type, UnaryOp, Value};

/// Whole numbers beyond that have no exact real one.
const LARGEST: f64 = 9e15;

/// Cuts off literals that are assigned to whole numbers.
pub fn cut_off(function: &mut Function) {
    let mut body = std::mem::take(&mut function.body);
    in_block(function, &mut body);
    function.body = body;
}

fn in_block(function: &Function, block: &mut [Stmt]) {
    for stmt in block {
        match stmt {
            Stmt::Assign { target, value, .. } => {
                if let Some(number) = literal(value)
                    && matches!(target.ty(function), Type::Integer(_))
                {
                    *value = Value::Integer(number);
                }
            }
            Stmt::Loop(inner) => in_block(function, &mut inner.body),
            Stmt::If(branch) => {
                in_block(function, &mut branch.then);
                in_block(function, &mut branch.otherwise);
            }
            Stmt::Opaque { inner, .. } => in_block(function, inner),
            Stmt::Call { .. } | Stmt::Jump { .. } | Stmt::Mark { .. } | Stmt::Evaluate { .. } => {}
        }
    }
}

/// The whole number that is left of a real literal.
fn literal(value: &Value) -> Option<i64> {
    match value {
        Value::Real(number, _) if number.abs() < LARGEST => Some(number.trunc() as i64),
        Value::Unary(UnaryOp::Negate, inner) => literal(inner)?.checked_neg(),
        _ => None,
    }
}
