//! Calls where a recursion over levels ends: on the coarsest grid of all, whose size nothing gives.
//!
//! ```text
//! cycle(grids, level)
//!   if (level == last) { solve(grids[level]); return }     a few cells
//!   smooth(grids[level]); cycle(grids, level + 1)          the largest size that calls pass
//! ```

use std::collections::BTreeSet;

use super::{Walker, leaving};
use crate::calls::ProcedureId;
use crate::expr::Expr;
use crate::ir::visit::{InLoop, calls_of, each_value, statements, variables_of};
use crate::ir::{BinaryOp, If, Stmt, Value, VarId, lines};

/// What is guessed of the size of the last level beside that of the first, where each level has a half or an eighth of the
/// one before.
const LAST: f64 = 1.0 / 128.0;

/// Statements that run where a recursion ends.
#[derive(Default)]
pub(super) struct LastLevels {
    /// The dummy argument that counts the levels, with the lines of what runs only where it has reached its end.
    arms: Vec<(VarId, (u32, u32))>,
}

impl LastLevels {
    /// Of a procedure with these statements.
    pub fn of(
        procedure: ProcedureId,
        body: &[Stmt],
        dummies: &[VarId],
        target: &dyn Fn(&str) -> Option<ProcedureId>,
    ) -> LastLevels {
        let counted = counted(procedure, body, dummies, target);
        let ends = |statement: &Stmt| match statement {
            Stmt::If(branch) => {
                let level = asked(branch).filter(|id| counted.contains(id))?;
                let arm = match leaving::leaving_arm(branch)? {
                    true => &branch.then,
                    false => &branch.otherwise,
                };
                Some((level, lines(arm)?))
            }
            _ => None,
        };
        let arms = match counted.is_empty() {
            true => Vec::new(),
            false => body.iter().filter_map(ends).collect(),
        };
        LastLevels { arms }
    }
}

/// The dummy arguments that a procedure passes to itself, one more or less.
fn counted(
    procedure: ProcedureId,
    body: &[Stmt],
    dummies: &[VarId],
    target: &dyn Fn(&str) -> Option<ProcedureId>,
) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    statements(body, InLoop::No, &mut |statement, _| {
        calls_of(statement, &mut |name, arguments| {
            if target(name) == Some(procedure) {
                let passed = dummies.iter().zip(arguments);
                let stepped = passed.filter(|(dummy, argument)| is_step(**dummy, argument));
                found.extend(stepped.map(|(dummy, _)| *dummy));
            }
        });
    });
    found
}

fn is_step(dummy: VarId, argument: &Value) -> bool {
    match argument.unconverted() {
        Value::Binary(BinaryOp::Add | BinaryOp::Subtract, left, right) => {
            let is_dummy = |side: &Value| *side.unconverted() == Value::Variable(dummy);
            is_dummy(left) && *right.unconverted() == Value::Integer(1)
        }
        _ => false,
    }
}

/// The variable that a condition compares with something.
fn asked(branch: &If) -> Option<VarId> {
    match &branch.condition {
        Value::Binary(op, left, right) if op.is_comparison() => {
            [left, right]
                .into_iter()
                .find_map(|side| match side.unconverted() {
                    Value::Variable(id) => Some(*id),
                    _ => None,
                })
        }
        _ => None,
    }
}

impl Walker<'_> {
    /// The size that a call on the last level of a recursion has beside that of the first level: a guess.
    pub(super) fn share_of_last(&self, line: u32, arguments: &[Value]) -> Option<Expr> {
        let mut arms = self.last_levels.arms.iter();
        let is_of_level = |level: VarId| {
            let mut used = BTreeSet::new();
            for argument in arguments {
                each_value(argument, &mut |part| {
                    if let Value::Element { subscripts, .. } = part {
                        subscripts
                            .iter()
                            .for_each(|one| variables_of(one, &mut used));
                    }
                });
            }
            used.contains(&level)
        };
        let found = arms
            .find(|(level, (first, last))| (*first..=*last).contains(&line) && is_of_level(*level));
        found.map(|_| LAST.into())
    }
}
