//! Walks over statements and values that look at every one of them.

use std::collections::BTreeSet;

use super::{BinaryOp, Control, Jump, Stmt, Value, VarId};

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

/// The values that statements assign to a variable as a whole, in their order.
pub fn assigned_to(block: &[Stmt], variable: VarId) -> Vec<&Value> {
    let mut found = Vec::new();
    statements(block, InLoop::No, &mut |stmt, _| {
        if let Stmt::Assign {
            target: Value::Variable(target),
            value,
            ..
        } = stmt
            && *target == variable
        {
            found.push(value);
        }
    });
    found
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
    let mut all = |values: &[&'a Value]| {
        for value in values {
            sure_calls_in(value, visit);
        }
    };
    match stmt {
        Stmt::Call {
            name, arguments, ..
        } => {
            arguments.iter().for_each(|value| all(&[value]));
            visit(name);
        }
        Stmt::Assign { target, value, .. } => all(&[value, target]),
        Stmt::Evaluate { values, .. } => values.iter().for_each(|value| all(&[value])),
        Stmt::If(branch) => all(&[&branch.condition]),
        Stmt::Loop(inner) => {
            if let Control::Counted { lower, upper, .. } = &inner.control {
                all(&[lower, upper]);
            }
        }
        Stmt::Jump { .. } | Stmt::Mark { .. } | Stmt::Opaque { .. } => {}
    }
}

fn sure_calls_in<'a>(value: &'a Value, visit: &mut dyn FnMut(&'a str)) {
    match value {
        Value::Binary(BinaryOp::And | BinaryOp::Or, first, _) | Value::Select(first, ..) => {
            sure_calls_in(first, visit);
        }
        value => each_part(value, &mut |part| sure_calls_in(part, visit)),
    }
    if let Value::Call { name, .. } = value {
        visit(name);
    }
}

/// Whether statements, or those in them, jump in such a way.
pub fn jumps(block: &[Stmt], is_it: impl Fn(Jump) -> bool) -> bool {
    let mut found = false;
    statements(block, InLoop::No, &mut |stmt, _| {
        found |= matches!(stmt, Stmt::Jump { kind, .. } if is_it(*kind));
    });
    found
}

/// Visits a value and all its parts.
pub fn each_value<'a>(value: &'a Value, visit: &mut dyn FnMut(&'a Value)) {
    visit(value);
    each_part(value, &mut |part| each_value(part, visit));
}

/// Visits what a value is made of, not what that is made of.
pub fn each_part<'a>(value: &'a Value, visit: &mut dyn FnMut(&'a Value)) {
    match value {
        Value::Element {
            subscripts: parts, ..
        }
        | Value::Call {
            arguments: parts, ..
        }
        | Value::Opaque { inner: parts, .. } => parts.iter().for_each(visit),
        Value::Section(parts) => parts.iter().for_each(visit),
        Value::Unary(_, operand)
        | Value::Convert(_, operand)
        | Value::Address { of: operand, .. } => visit(operand),
        Value::Binary(_, left, right) => [left, right].into_iter().for_each(|part| visit(part)),
        Value::Select(a, b, c) => [a, b, c].into_iter().for_each(|part| visit(part)),
        Value::Integer(_)
        | Value::Real(..)
        | Value::Logical(_)
        | Value::Text(_)
        | Value::Row
        | Value::Variable(_) => {}
    }
}

/// Whether a value reads a variable.
pub fn mentions(value: &Value, variable: VarId) -> bool {
    let mut found = false;
    each_value(value, &mut |part| {
        if let Value::Variable(id) | Value::Element { array: id, .. } = part {
            found |= *id == variable;
        }
    });
    found
}

/// Every variable that a value reads.
pub fn variables_of(value: &Value, found: &mut BTreeSet<VarId>) {
    each_value(value, &mut |part| {
        if let Value::Variable(id) | Value::Element { array: id, .. } = part {
            found.insert(*id);
        }
    });
}

/// Visits the calls of statements, with those inside them, by name and arguments; those in arguments before the call itself.
pub fn calls_mut(block: &mut [Stmt], visit: &mut dyn FnMut(&str, &mut [Value])) {
    statements_mut(block, &mut |stmt| {
        own_values_mut(stmt, &mut |value| calls_in_value(value, visit));
        if let Stmt::Call {
            name, arguments, ..
        } = stmt
        {
            visit(name, arguments);
        }
    });
}

/// Visits the values of statements, with those inside them, to change them; not what they are made of.
pub fn values_mut(block: &mut [Stmt], visit: &mut dyn FnMut(&mut Value)) {
    statements_mut(block, &mut |stmt| own_values_mut(stmt, visit));
}

fn statements_mut(block: &mut [Stmt], visit: &mut dyn FnMut(&mut Stmt)) {
    for stmt in block {
        visit(stmt);
        match stmt {
            Stmt::If(branch) => {
                statements_mut(&mut branch.then, visit);
                statements_mut(&mut branch.otherwise, visit);
            }
            Stmt::Loop(inner) => statements_mut(&mut inner.body, visit),
            Stmt::Opaque { inner, .. } => statements_mut(inner, visit),
            Stmt::Assign { .. }
            | Stmt::Call { .. }
            | Stmt::Jump { .. }
            | Stmt::Mark { .. }
            | Stmt::Evaluate { .. } => {}
        }
    }
}

fn own_values_mut(stmt: &mut Stmt, visit: &mut dyn FnMut(&mut Value)) {
    match stmt {
        Stmt::Assign { target, value, .. } => {
            visit(target);
            visit(value);
        }
        Stmt::Call {
            arguments: values, ..
        }
        | Stmt::Evaluate { values, .. } => values.iter_mut().for_each(visit),
        Stmt::If(branch) => visit(&mut branch.condition),
        Stmt::Loop(inner) => match &mut inner.control {
            Control::Counted {
                lower, upper, step, ..
            } => [lower, upper, step].into_iter().for_each(visit),
            Control::Uncounted { condition, .. } => condition.iter_mut().for_each(visit),
        },
        Stmt::Opaque { .. } | Stmt::Jump { .. } | Stmt::Mark { .. } => {}
    }
}

fn calls_in_value(value: &mut Value, visit: &mut dyn FnMut(&str, &mut [Value])) {
    each_part_mut(value, &mut |part| calls_in_value(part, visit));
    if let Value::Call {
        name, arguments, ..
    } = value
    {
        visit(name, arguments);
    }
}

/// Visits what a value is made of, to change it; not what that is made of.
pub fn each_part_mut(value: &mut Value, visit: &mut dyn FnMut(&mut Value)) {
    match value {
        Value::Element {
            subscripts: parts, ..
        }
        | Value::Call {
            arguments: parts, ..
        }
        | Value::Opaque { inner: parts, .. } => parts.iter_mut().for_each(visit),
        Value::Section(parts) => parts.iter_mut().for_each(visit),
        Value::Unary(_, operand)
        | Value::Convert(_, operand)
        | Value::Address { of: operand, .. } => visit(operand),
        Value::Binary(_, left, right) => [left, right].into_iter().for_each(|part| visit(part)),
        Value::Select(a, b, c) => [a, b, c].into_iter().for_each(|part| visit(part)),
        Value::Integer(_)
        | Value::Real(..)
        | Value::Logical(_)
        | Value::Text(_)
        | Value::Row
        | Value::Variable(_) => {}
    }
}
