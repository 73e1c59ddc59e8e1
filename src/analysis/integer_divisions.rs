//! Divisions of whole numbers in a loop: quotients, and remainders as in `x[(i + 1) % n]`. They take far longer than the
//! other operations on indices, and processors have none in vectors.

use std::collections::BTreeSet;

use crate::intrinsics::{Intrinsics, Meaning};
use crate::ir::visit::{InLoop, each_value, statements, values_of};
use crate::ir::{BinaryOp, Function, Role, Stmt, Type, Value, VarId};

/// How many an iteration has that neither literals nor named constants divide by, which compilers do as a multiplication,
/// and whose operands change in the loop, as these variables do and those that it sets. The same division counts once.
pub fn count(function: &Function, body: &[Stmt], mut changing: BTreeSet<VarId>) -> u32 {
    statements(body, InLoop::Yes, &mut |statement, _| {
        if let Stmt::Assign {
            target: Value::Variable(id),
            ..
        } = statement
        {
            changing.insert(*id);
        }
    });
    let mut found: Vec<&Value> = Vec::new();
    statements(body, InLoop::Yes, &mut |statement, _| {
        values_of(statement, &mut |value| {
            let Some((divided, divisor)) = division(function, value) else {
                return;
            };
            let changes = changes(divided, &changing) || changes(divisor, &changing);
            if changes && !is_fixed(function, divisor) && !found.contains(&value) {
                found.push(value);
            }
        });
    });
    found.len() as u32
}

/// What is divided by what, if it is whole numbers.
pub(crate) fn division<'v>(
    function: &Function,
    value: &'v Value,
) -> Option<(&'v Value, &'v Value)> {
    let both = match value {
        Value::Binary(BinaryOp::Divide | BinaryOp::Remainder, divided, divisor) => {
            Some((&**divided, &**divisor))
        }
        Value::Call {
            name, arguments, ..
        } => {
            let language = function.conventions.language;
            let meaning = Intrinsics::builtin().lookup(language, name)?.meaning?;
            match (meaning, &arguments[..]) {
                (Meaning::Remainder | Meaning::Modulo, [divided, divisor]) => {
                    Some((divided, divisor))
                }
                _ => None,
            }
        }
        _ => None,
    };
    both.filter(|_| matches!(value.ty(function), Type::Integer(..)))
}

/// Whether a compiler knows the value.
pub(crate) fn is_fixed(function: &Function, value: &Value) -> bool {
    match value {
        Value::Integer(_) => true,
        Value::Convert(_, inner) | Value::Unary(_, inner) => is_fixed(function, inner),
        Value::Binary(_, left, right) => is_fixed(function, left) && is_fixed(function, right),
        Value::Variable(id) => matches!(function.variable(*id).role, Role::Constant(_)),
        _ => false,
    }
}

fn changes(value: &Value, changing: &BTreeSet<VarId>) -> bool {
    let mut does = false;
    each_value(value, &mut |part| {
        does |= match part {
            Value::Variable(id) => changing.contains(id),
            Value::Element { .. } | Value::Call { .. } => true,
            _ => false,
        };
    });
    does
}
