//! Walks over statements and values that look at every one of them.

use std::collections::BTreeSet;

use super::{BinaryOp, Control, Stmt, Value, VarId};

/// Visits every statement, each before those inside it. `in_loop` says whether a loop is around it.
pub fn statements<'a>(block: &'a [Stmt], in_loop: InLoop, visit: &mut dyn FnMut(&'a Stmt, InLoop)) {
    for stmt in block {
        visit(stmt, in_loop);
        match stmt {
            Stmt::Loop(inner) => statements(&inner.body, InLoop::Yes, visit),
            Stmt::If(branch) => {
                statements(&branch.then, in_loop, visit);
                statements(&branch.otherwise, in_loop, visit);
            }
            Stmt::Opaque { inner, .. } => statements(inner, in_loop, visit),
            Stmt::Assign { .. }
            | Stmt::Call { .. }
            | Stmt::Jump { .. }
            | Stmt::Mark { .. }
            | Stmt::Evaluate { .. } => {}
        }
    }
}

/// Whether a statement stands in a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InLoop {
    No,
    Yes,
}

/// Visits the values of one statement, not those of the statements inside it; each before its parts.
pub fn values_of<'a>(stmt: &'a Stmt, visit: &mut dyn FnMut(&'a Value)) {
    match stmt {
        Stmt::Assign { target, value, .. } => [target, value]
            .into_iter()
            .for_each(|v| each_value(v, visit)),
        Stmt::If(branch) => each_value(&branch.condition, visit),
        Stmt::Call {
            arguments: values, ..
        }
        | Stmt::Evaluate { values, .. } => {
            values.iter().for_each(|v| each_value(v, visit));
        }
        Stmt::Loop(inner) => match &inner.control {
            Control::Counted {
                lower, upper, step, ..
            } => {
                [lower, upper, step]
                    .into_iter()
                    .for_each(|v| each_value(v, visit));
            }
            Control::Uncounted { condition, .. } => {
                condition.iter().for_each(|v| each_value(v, visit));
            }
        },
        Stmt::Opaque { .. } | Stmt::Jump { .. } | Stmt::Mark { .. } => {}
    }
}

/// Visits the calls of one statement, by name and arguments: its own, then those in its values.
pub fn calls_of<'a>(stmt: &'a Stmt, visit: &mut dyn FnMut(&'a str, &'a [Value])) {
    if let Stmt::Call {
        name, arguments, ..
    } = stmt
    {
        visit(name, arguments);
    }
    calls_in_values(stmt, visit);
}

/// Visits the calls in the values of one statement, by name and arguments.
pub fn calls_in_values<'a>(stmt: &'a Stmt, visit: &mut dyn FnMut(&'a str, &'a [Value])) {
    values_of(stmt, &mut |value| {
        if let Value::Call {
            name, arguments, ..
        } = value
        {
            visit(name, arguments);
        }
    });
}

/// Visits the calls that a statement surely makes when it begins, by name: its own, and those in values that do not stand
/// behind a condition.
pub fn sure_calls<'a>(stmt: &'a Stmt, visit: &mut dyn FnMut(&'a str)) {
    match stmt {
        Stmt::Call {
            name, arguments, ..
        } => {
            arguments
                .iter()
                .for_each(|value| sure_calls_in(value, visit));
            visit(name);
        }
        Stmt::Assign { target, value, .. } => {
            [value, target]
                .into_iter()
                .for_each(|value| sure_calls_in(value, visit));
        }
        Stmt::Evaluate { values, .. } => {
            values.iter().for_each(|value| sure_calls_in(value, visit));
        }
        Stmt::If(branch) => sure_calls_in(&branch.condition, visit),
        Stmt::Loop(inner) => match &inner.control {
            Control::Counted { lower, upper, .. } => {
                [lower, upper]
                    .into_iter()
                    .for_each(|value| sure_calls_in(value, visit));
            }
            Control::Uncounted { .. } => {}
        },
        Stmt::Jump { .. } | Stmt::Mark { .. } | Stmt::Opaque { .. } => {}
    }
}

fn sure_calls_in<'a>(value: &'a Value, visit: &mut dyn FnMut(&'a str)) {
    match value {
        Value::Binary(BinaryOp::And | BinaryOp::Or, first, _) | Value::Select(first, ..) => {
            sure_calls_in(first, visit);
        }
        Value::Call {
            name, arguments, ..
        } => {
            arguments
                .iter()
                .for_each(|value| sure_calls_in(value, visit));
            visit(name);
        }
        Value::Element {
            subscripts: parts, ..
        }
        | Value::Opaque { inner: parts, .. } => {
            parts.iter().for_each(|value| sure_calls_in(value, visit));
        }
        Value::Section(parts) => parts.iter().for_each(|value| sure_calls_in(value, visit)),
        Value::Unary(_, operand)
        | Value::Convert(_, operand)
        | Value::Address { of: operand, .. } => sure_calls_in(operand, visit),
        Value::Binary(_, left, right) => {
            [left, right]
                .into_iter()
                .for_each(|value| sure_calls_in(value, visit));
        }
        Value::Integer(_)
        | Value::Real(..)
        | Value::Logical(_)
        | Value::Text(_)
        | Value::Row
        | Value::Variable(_) => {}
    }
}

/// Visits a value and all its parts.
pub fn each_value<'a>(value: &'a Value, visit: &mut dyn FnMut(&'a Value)) {
    visit(value);
    match value {
        Value::Element {
            subscripts: parts, ..
        }
        | Value::Call {
            arguments: parts, ..
        }
        | Value::Opaque { inner: parts, .. } => parts.iter().for_each(|v| each_value(v, visit)),
        Value::Section(parts) => parts.iter().for_each(|v| each_value(v, visit)),
        Value::Unary(_, operand)
        | Value::Convert(_, operand)
        | Value::Address { of: operand, .. } => each_value(operand, visit),
        Value::Binary(_, left, right) => {
            [left, right].into_iter().for_each(|v| each_value(v, visit));
        }
        Value::Select(a, b, c) => [a, b, c].into_iter().for_each(|v| each_value(v, visit)),
        Value::Integer(_)
        | Value::Real(..)
        | Value::Logical(_)
        | Value::Text(_)
        | Value::Row
        | Value::Variable(_) => {}
    }
}

/// Every variable that a value reads.
pub fn variables_of(value: &Value, found: &mut BTreeSet<VarId>) {
    each_value(value, &mut |part| {
        if let Value::Variable(id) | Value::Element { array: id, .. } = part {
            found.insert(*id);
        }
    });
}
