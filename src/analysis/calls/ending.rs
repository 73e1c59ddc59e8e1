//! Which calls end the program: `exit(1)`, `call abort_run("…")` of a procedure that stops.

use super::procedures::Procedures;
use super::target::Target;
use crate::intrinsics::IntrinsicKind;
use crate::ir::visit::{InLoop, statements};
use crate::ir::{Jump, Stmt};

/// Calls inside one another that are looked into.
const MOST_CALLS: u32 = 4;

impl Procedures<'_> {
    /// Whether the program ends in every call of what a name stands for, as far as that is seen.
    pub fn ends_program(&self, target: Target) -> bool {
        self.ends_within(target, MOST_CALLS)
    }

    fn ends_within(&self, target: Target, calls: u32) -> bool {
        match (target, calls.checked_sub(1)) {
            (Target::Library(known), _) => known.kind == IntrinsicKind::Termination,
            (Target::Communication(known), _) => known.ends_program,
            (Target::Body(callee), Some(calls)) => {
                let body = &self.get(callee).function.body;
                let ends = |name: &str| self.ends_within(self.target(callee, name), calls);
                ends_in(body, &ends) == Some(true)
            }
            _ => false,
        }
    }
}

/// Whether the program ends in statements, whichever way they take; `None` if they come to their end.
fn ends_in(body: &[Stmt], ends: &dyn Fn(&str) -> bool) -> Option<bool> {
    body.iter().find_map(|stmt| match stmt {
        Stmt::Jump { kind, .. } => Some(*kind == Jump::Stop),
        Stmt::Call { name, .. } => ends(name).then_some(true),
        Stmt::If(branch) => match [&branch.then, &branch.otherwise].map(|arm| ends_in(arm, ends)) {
            [Some(true), Some(true)] => Some(true),
            _ => may_jump(stmt).then_some(false),
        },
        other => may_jump(other).then_some(false),
    })
}

/// Whether control may leave the procedure, or go elsewhere in it, from within a statement.
fn may_jump(stmt: &Stmt) -> bool {
    let mut found = false;
    statements(std::slice::from_ref(stmt), InLoop::No, &mut |inner, _| {
        found |= matches!(
            inner,
            Stmt::Jump {
                kind: Jump::Return | Jump::Goto,
                ..
            } | Stmt::Opaque { .. }
        );
    });
    found
}
