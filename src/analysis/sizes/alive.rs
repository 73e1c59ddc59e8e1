//! Which statements never run, or do nothing: those under conditions that constants answer, `if (0) smooth(a, 1000)`, or
//! that all calls answer alike, and those whose value a branch that is taken for that replaces?
//!
//! ```text
//! kk = 1                              replaced, where all calls pass `k`
//! if (present(k)) kk = k              never, where none does
//! ```

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use super::truth::Choice;
use crate::ir::visit::{InLoop, each_value, statements, variables_of};
use crate::ir::{Function, Role, Stmt, Value, VarId};
use crate::literal::DEPTH;

/// Statements of a function that never run or do nothing, by where they are.
pub(super) struct Dead(FxHashSet<*const Stmt>);

impl Dead {
    /// `is_set` says which named constants the user sets, whose values in the source answer nothing; `leads`, whether a
    /// condition holds that asks for what calls pass.
    pub fn of(
        function: &Function,
        is_set: &dyn Fn(VarId) -> bool,
        leads: &dyn Fn(&Value) -> Option<bool>,
    ) -> Dead {
        let choice = Choice {
            function,
            is_set,
            value: &|_, _| None,
            real: &|_| None,
            is_rank: &|_| false,
            leads,
        };
        let mut found = FxHashSet::default();
        statements(&function.body, InLoop::No, &mut |stmt, _| {
            if let Stmt::If(branch) = stmt
                && let Some(holds) = choice.truth(&branch.condition, DEPTH)
            {
                let arm = match holds {
                    true => &branch.otherwise,
                    false => &branch.then,
                };
                statements(arm, InLoop::No, &mut |inner, _| {
                    found.insert(std::ptr::from_ref(inner));
                });
            }
        });
        for (at, stmt) in function.body.iter().enumerate() {
            if let Stmt::Assign {
                target: Value::Variable(target),
                value,
                ..
            } = stmt
                && is_alone(function, *target)
                && !calls(value)
                && replaced((&function.body[at + 1..], false), *target, &choice) == Next::Replaced
            {
                found.insert(std::ptr::from_ref(stmt));
            }
        }
        Dead(found)
    }

    pub fn contains(&self, stmt: &Stmt) -> bool {
        self.0.contains(&std::ptr::from_ref(stmt))
    }
}

/// What statements do first with what a variable has.
#[derive(PartialEq)]
enum Next {
    Replaced,
    Used,
    /// None of them names it.
    Kept,
}

fn replaced((block, is_in_arm): (&[Stmt], bool), id: VarId, choice: &Choice) -> Next {
    let asks = |value: &Value| {
        let mut used = BTreeSet::new();
        variables_of(value, &mut used);
        used.contains(&id)
    };
    for stmt in block {
        let next = match stmt {
            Stmt::Assign { value, .. } if asks(value) || calls(value) => Next::Used,
            Stmt::Assign { target, .. } if target.variable() == Some(id) => match is_in_arm {
                true => Next::Replaced,
                // Both may be defaults of what is read.
                false => Next::Used,
            },
            Stmt::Assign { target, .. } if !asks(target) => Next::Kept,
            Stmt::If(branch) if !asks(&branch.condition) => {
                match choice.truth(&branch.condition, DEPTH) {
                    Some(true) => replaced((&branch.then, true), id, choice),
                    Some(false) => replaced((&branch.otherwise, true), id, choice),
                    None => Next::Used,
                }
            }
            _ => Next::Used,
        };
        if next != Next::Kept {
            return next;
        }
    }
    Next::Kept
}

/// Whether nothing but its name leads to a whole number of a procedure, as long as it calls no other.
fn is_alone(function: &Function, id: VarId) -> bool {
    let variable = function.variable(id);
    let is_shared = function
        .shared
        .iter()
        .any(|pair| pair.0 == id || pair.1 == id);
    let mut is_bound = false;
    for extent in function.variables.iter().flat_map(|one| &one.dimensions) {
        for end in [&extent.lower, &extent.upper].into_iter().flatten() {
            each_value(end, &mut |part| is_bound |= part.variable() == Some(id));
        }
    }
    matches!(variable.role, Role::Local | Role::Global)
        && variable.dimensions.is_empty()
        && matches!(variable.ty, crate::ir::Type::Integer(..))
        && !function.aliased.contains(&id)
        && !function.as_read.contains_key(&id)
        && !is_shared
        && !is_bound
}

/// Whether a value calls something, which may see variables by other names.
fn calls(value: &Value) -> bool {
    let mut found = false;
    each_value(value, &mut |part| {
        found |= matches!(part, Value::Call { .. })
    });
    found
}
