//! Which statements under conditions give a scalar a literal or count it (`extra = 1`, `n = n + 1`)?
//!
//! These are the ones whose value `dead` can take away: each with all conditions around it, which arm it is in,
//! and the variables of the loops around.

use crate::ir::{BinaryOp, Control, Stmt, Value, VarId};

/// Where a statement stands.
#[derive(Clone, Debug, Default)]
pub struct Around<'u> {
    /// The conditions around it, and whether each has to be true.
    pub conditions: Vec<(&'u Value, bool)>,
    /// The variables of the loops around it.
    pub variables: Vec<VarId>,
}

/// A statement that gives a scalar a literal or counts it, under a condition.
pub(super) struct Guarded<'u> {
    pub target: &'u Value,
    pub value: &'u Value,
    pub around: Around<'u>,
}

/// The statements of a block that give a scalar a literal or count it, if conditions are around them.
pub(super) fn guarded(block: &[Stmt]) -> Vec<Guarded<'_>> {
    let mut found = Vec::new();
    walk(block, &mut Around::default(), &mut found);
    found
}

fn walk<'u>(block: &'u [Stmt], around: &mut Around<'u>, found: &mut Vec<Guarded<'u>>) {
    for stmt in block {
        match stmt {
            Stmt::Assign { target, value, .. }
                if !around.conditions.is_empty() && is_counted(target, value) =>
            {
                found.push(Guarded {
                    target,
                    value,
                    around: around.clone(),
                });
            }
            Stmt::If(branch) => {
                for (arm, is_true) in [(&branch.then, true), (&branch.otherwise, false)] {
                    around.conditions.push((&branch.condition, is_true));
                    walk(arm, around, found);
                    around.conditions.pop();
                }
            }
            Stmt::Loop(inner) => {
                let variable = match inner.control {
                    Control::Counted { variable, .. } => Some(variable),
                    _ => None,
                };
                around.variables.extend(variable);
                walk(&inner.body, around, found);
                if variable.is_some() {
                    around.variables.pop();
                }
            }
            Stmt::Opaque { inner, .. } => walk(inner, around, found),
            _ => {}
        }
    }
}

/// `n = 1`, `n = n + 1`.
fn is_counted(target: &Value, value: &Value) -> bool {
    match value {
        Value::Integer(_) => true,
        Value::Binary(BinaryOp::Add | BinaryOp::Subtract, left, right) => {
            let of =
                |one: &Value, other: &Value| one == target && matches!(other, Value::Integer(_));
            of(left, right) || of(right, left)
        }
        _ => false,
    }
}
