//! Which statements stand under conditions that constants answer, and never run: `if (0) smooth(a, 1000)`?

use rustc_hash::FxHashSet;

use super::truth::Choice;
use crate::ir::visit::{InLoop, statements};
use crate::ir::{Function, Stmt, VarId};
use crate::literal::DEPTH;

/// Statements of a function that never run, by where they are.
pub(super) struct Dead(FxHashSet<*const Stmt>);

impl Dead {
    /// `is_set` says which named constants the user sets, whose values in the source answer nothing.
    pub fn of(function: &Function, is_set: &dyn Fn(VarId) -> bool) -> Dead {
        let choice = Choice {
            function,
            is_set,
            value: &|_, _| None,
            is_rank: &|_| false,
            leads: &|_| None,
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
        Dead(found)
    }

    pub fn contains(&self, stmt: &Stmt) -> bool {
        self.0.contains(&std::ptr::from_ref(stmt))
    }
}
