//! Which calls end the program: `exit(1)`, `call abort_run("…")` of a procedure that stops.

use super::procedures::Procedures;
use super::target::{ProcedureId, Target};
use crate::intrinsics::IntrinsicKind;
use crate::ir::visit::{InLoop, statements, sure_calls};
use crate::ir::{Jump, Stmt};
use crate::message_passing::Interfaces;

/// Calls inside one another that are looked into.
pub(super) const MOST_CALLS: usize = 4;

impl Procedures<'_> {
    /// Whether the program ends in every call of what a name stands for, as far as that is seen.
    pub fn ends_program(&self, target: Target) -> bool {
        let ending = self.ending.get_or_init(|| self.find_ending());
        ends(target, ending)
    }

    /// By procedure, whether the program ends in each of its calls.
    fn find_ending(&self) -> Vec<bool> {
        let mut found = vec![false; self.all.len()];
        for _ in 0..MOST_CALLS {
            let of = |id: ProcedureId| {
                if is_stand_in(&self.get(id).function.name) {
                    return false;
                }
                let body = &self.get(id).function.body;
                ends_in(body, &|name| ends(self.target(id, name), &found)) == Some(true)
            };
            let next: Vec<bool> = self.ids().map(of).collect();
            if next == found {
                break;
            }
            found = next;
        }
        found
    }
}

/// Whether a procedure stands in for one that moves data, for programs that are linked without such a library: nobody
/// means a run that gets to it.
fn is_stand_in(name: &str) -> bool {
    let interface = Interfaces::builtin().lookup(name);
    interface.is_some_and(|interface| !interface.ends_program)
}

/// Whether the program ends in calls of a target, by what is known of the bodies.
fn ends(target: Target, ending: &[bool]) -> bool {
    match target {
        Target::Library(known) => known.kind == IntrinsicKind::Termination,
        Target::Communication(known) => known.ends_program,
        Target::Body(callee) => ending[callee.at()],
        Target::Recursive(_) | Target::Unknown => false,
    }
}

/// Whether the program ends in statements, whichever way they take; `None` if they come to their end.
pub(super) fn ends_in(body: &[Stmt], ends: &dyn Fn(&str) -> bool) -> Option<bool> {
    let ends_at_once = |stmt: &Stmt| {
        let mut found = false;
        sure_calls(stmt, &mut |name| found |= ends(name));
        found
    };
    body.iter().find_map(|stmt| match stmt {
        Stmt::Jump { kind, .. } => Some(*kind == Jump::Stop),
        stmt if ends_at_once(stmt) => Some(true),
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
