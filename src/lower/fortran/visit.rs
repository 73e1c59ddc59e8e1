//! Walks over lowered statements and values.

use crate::ir::{Control, Stmt, Value, VarId};

/// Calls `found` with the subscripts of every element in a block.
pub fn elements(block: &[Stmt], found: &mut impl FnMut(&[Value])) {
    statements(block, &mut |value| {
        every(value, &mut |value| {
            if let Value::Element { subscripts, .. } = value {
                found(subscripts);
            }
        });
    });
}

/// Calls `found` with every value that stands directly in a statement of a block.
pub fn statements(block: &[Stmt], found: &mut impl FnMut(&Value)) {
    for statement in block {
        match statement {
            Stmt::Assign { target, value, .. } => {
                found(target);
                found(value);
            }
            Stmt::Loop(inner) => {
                match &inner.control {
                    Control::Counted {
                        variable: _,
                        lower,
                        upper,
                        step,
                    } => {
                        [lower, upper, step].into_iter().for_each(&mut *found);
                    }
                    Control::Uncounted {
                        condition,
                        tested: _,
                        reason: _,
                    } => condition.iter().for_each(&mut *found),
                }
                statements(&inner.body, found);
            }
            Stmt::If(branch) => {
                found(&branch.condition);
                statements(&branch.then, found);
                statements(&branch.otherwise, found);
            }
            Stmt::Call {
                arguments: values, ..
            }
            | Stmt::Evaluate { values, .. } => {
                values.iter().for_each(&mut *found);
            }
            Stmt::Jump { .. } | Stmt::Mark { .. } => {}
            Stmt::Opaque { inner, .. } => statements(inner, found),
        }
    }
}

/// Calls `found` with a value and all values inside it.
pub fn every(value: &Value, found: &mut impl FnMut(&Value)) {
    found(value);
    for inner in parts(value) {
        every(inner, found);
    }
}

pub fn mentions(value: &Value, variable: VarId) -> bool {
    let mut mentioned = false;
    every(value, &mut |value| {
        mentioned |= matches!(value, Value::Variable(id) if *id == variable);
    });
    mentioned
}

/// The values directly inside a value.
pub fn parts(value: &Value) -> Vec<&Value> {
    match value {
        Value::Integer(_)
        | Value::Real(..)
        | Value::Logical(_)
        | Value::Text(_)
        | Value::Row
        | Value::Variable(_) => Vec::new(),
        Value::Element {
            subscripts: values, ..
        }
        | Value::Call {
            arguments: values, ..
        }
        | Value::Opaque { inner: values, .. } => values.iter().collect(),
        Value::Section(parts) => parts.iter().collect(),
        Value::Unary(_, operand)
        | Value::Convert(_, operand)
        | Value::Address { of: operand, .. } => vec![operand],
        Value::Binary(_, left, right) => vec![left, right],
        Value::Select(condition, then, otherwise) => vec![condition, then, otherwise],
    }
}
