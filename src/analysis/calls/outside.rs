//! What does a body with loops do outside them?
//!
//! Its loops are nests of their own, wherever it is called. What it does around them is work of the loop that calls
//! it, as that of a body without loops is:
//!
//! ```text
//! for (i = 0; i < cells; i++)          for (i = 0; i < cells; i++) {
//!     flux(u, f, i);            ►          f[4*i] = 0.5*(u[4*i] + …);     what is outside of its loop
//!                                          flux(u, f, i);                 whose loop counts by itself
//!                                      }
//! ```
//!
//! Loops and calls are left out, so nothing may rest on what they do to scalars: no condition, no subscript. If
//! something does, the body has no template.

use rustc_hash::FxHashSet;

use super::expand::{self, Expansion};
use super::procedures::Procedures;
use super::straight::LARGEST;
use super::target::{ProcedureId, Target};
use crate::ir::visit::{InLoop, calls_of, each_value, statements, values_of};
use crate::ir::{Control, Jump, Printed, Role, Stmt, Value, VarId, addressed};

/// A procedure without its loops and without calls of procedures that stay calls; `None` where loops leave it, something is
/// unreadable, or loops and calls give variables values on which the rest depends.
pub(super) fn around_loops(known: &Procedures, id: ProcedureId) -> Option<Expansion> {
    let mut count = 0usize;
    statements(&known.get(id).function.body, InLoop::No, &mut |stmt, _| {
        values_of(stmt, &mut |_| count += 1);
    });
    if count > LARGEST {
        return None;
    }
    let mut expansion = expand::everywhere(known, id);
    let body = &mut expansion.function.body;
    if leaves_from_loops(body) {
        return None;
    }
    let mut unknown = set_by_callees(known, id);
    statements(body, InLoop::No, &mut |stmt, in_loop| {
        set_inside((known, id), (stmt, in_loop), &mut unknown);
    });
    without_loops(body);
    spread(body, &mut unknown);
    (!rests_on(body, &unknown)).then_some(expansion)
}

/// Whether a loop leaves the procedure, or something is not understood.
fn leaves_from_loops(body: &[Stmt]) -> bool {
    let mut leaves = false;
    statements(body, InLoop::No, &mut |stmt, in_loop| match stmt {
        Stmt::Opaque { .. } => leaves = true,
        Stmt::Jump { kind, .. } if in_loop == InLoop::Yes => {
            leaves |= !matches!(kind, Jump::Exit | Jump::Cycle | Jump::Stop);
        }
        _ => {}
    });
    leaves
}

/// Notes the variables that a loop gives values, or a call may.
fn set_inside(
    (known, id): (&Procedures, ProcedureId),
    (stmt, in_loop): (&Stmt, InLoop),
    found: &mut FxHashSet<VarId>,
) {
    if let Stmt::Loop(inner) = stmt
        && let Control::Counted { variable, .. } = &inner.control
    {
        found.insert(*variable);
    }
    if let Stmt::Assign {
        target: Value::Variable(target),
        ..
    } = stmt
        && in_loop == InLoop::Yes
    {
        found.insert(*target);
    }
    calls_of(stmt, &mut |name, arguments| {
        let summary = match known.target(id, name) {
            Target::Library(called) if !called.kind.may_write() => return,
            Target::Body(callee) => Some(known.summary(callee)),
            _ => None,
        };
        for (position, argument) in arguments.iter().enumerate() {
            let is_written = summary.is_none_or(|summary| {
                let written = summary.writes.get(position);
                written.copied().unwrap_or(true)
            });
            if let Value::Variable(id) = addressed(argument).unwrap_or(argument)
                && is_written
            {
                found.insert(*id);
            }
        }
    });
}

/// The global variables, if calls may give any of them a value.
fn set_by_callees(known: &Procedures, id: ProcedureId) -> FxHashSet<VarId> {
    let function = known.get(id).function;
    let mut any = false;
    statements(&function.body, InLoop::No, &mut |stmt, _| {
        calls_of(stmt, &mut |name, _| {
            any |= match known.target(id, name) {
                Target::Body(callee) => !known.summary(callee).globals.is_empty(),
                Target::Library(_) | Target::Communication(_) => false,
                Target::Unknown | Target::Recursive(_) => true,
            };
        });
    });
    let numbered = (0..).map(VarId).zip(&function.variables);
    let global = numbered.filter(|(_, variable)| any && variable.role == Role::Global);
    global.map(|(id, _)| id).collect()
}

/// Takes out loops and calls; of a branch that is empty then only its condition is left.
fn without_loops(body: &mut Vec<Stmt>) {
    body.retain(|stmt| !matches!(stmt, Stmt::Loop(_) | Stmt::Call { .. }));
    for stmt in body {
        let Stmt::If(branch) = stmt else { continue };
        without_loops(&mut branch.then);
        without_loops(&mut branch.otherwise);
        if branch.then.is_empty() && branch.otherwise.is_empty() {
            *stmt = Stmt::Evaluate {
                place: branch.place.clone(),
                values: vec![branch.condition.clone()],
                printed: Printed::No,
            };
        }
    }
}

/// Adds the variables that get their values from unknown ones.
fn spread(body: &[Stmt], unknown: &mut FxHashSet<VarId>) {
    loop {
        let before = unknown.len();
        statements(body, InLoop::No, &mut |stmt, _| {
            if let Stmt::Assign {
                target: Value::Variable(target),
                value,
                ..
            } = stmt
                && mentions(value, unknown)
            {
                unknown.insert(*target);
            }
        });
        if unknown.len() == before {
            return;
        }
    }
}

/// Whether a condition or a subscript depends on one of the variables.
fn rests_on(body: &[Stmt], unknown: &FxHashSet<VarId>) -> bool {
    let mut found = false;
    statements(body, InLoop::No, &mut |stmt, _| {
        if let Stmt::If(branch) = stmt {
            found |= mentions(&branch.condition, unknown);
        }
        values_of(stmt, &mut |value| {
            if let Value::Element { subscripts, .. } = value {
                found |= subscripts.iter().any(|value| mentions(value, unknown));
            }
        });
    });
    found
}

fn mentions(value: &Value, variables: &FxHashSet<VarId>) -> bool {
    let mut found = false;
    each_value(value, &mut |part| {
        found |= matches!(part, Value::Variable(id) if variables.contains(id));
    });
    found
}
