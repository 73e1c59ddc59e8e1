//! Loops that pass through others until these have counted enough:
//!
//! ```text
//! do while (found <= wanted)            each pass counts up to once for each cell, so that few are needed,
//!    do i = 1, n                        however many are wanted
//!       if (is_free(i)) found = found + 1
//!    end do
//! end do
//! ```

use std::collections::{BTreeMap, BTreeSet};

use super::Walker;
use crate::assignments::count_assignments;
use crate::expr::Expr;
use crate::facts::Origin;
use crate::ir::visit::variables_of;
use crate::ir::{self, BinaryOp, Control, Stmt, Value, VarId};

/// Passes through what is searched for what is counted: half of it counts.
const PASSES: f64 = 2.0;

impl Walker<'_> {
    /// Guesses how often such a loop runs, which has this parameter for that.
    pub(super) fn guess_passes(&mut self, inner: &ir::Loop, trips: &Expr) {
        let Some(condition) = self.ungiven(inner, trips) else {
            return;
        };
        let Value::Binary(op, left, right) = condition.unconverted() else {
            return;
        };
        let sides = [left, right].map(|side| side.unconverted().variable());
        let is_counted = |id: &VarId| self.is_counted_inside(&inner.body, *id);
        if op.is_order() && sides.iter().flatten().any(is_counted) {
            self.give_count(trips, Expr::from(PASSES), Origin::Default);
        }
    }

    /// Whether only loops over ranges inside a block give a variable values, and count it up or down by that.
    fn is_counted_inside(&self, block: &[Stmt], id: VarId) -> bool {
        let mut all = BTreeMap::new();
        count_assignments(block, self.effects, &mut all);
        let all = all.get(&id).copied().unwrap_or_default();
        all.calls == 0 && all.statements > 0 && counted_inside(block, id, false) == all.statements
    }
}

/// How many statements in loops over ranges count a variable.
fn counted_inside(block: &[Stmt], id: VarId, is_inside: bool) -> u32 {
    let of = |stmt: &Stmt| match stmt {
        Stmt::Assign { target, value, .. } => {
            u32::from(is_inside && *target == Value::Variable(id) && is_next(value, id))
        }
        Stmt::Loop(inner) => match &inner.control {
            Control::Counted { lower, upper, .. } => {
                let mut used = BTreeSet::new();
                for bound in [lower, upper] {
                    variables_of(bound, &mut used);
                }
                match used.contains(&id) {
                    true => 0,
                    false => counted_inside(&inner.body, id, true),
                }
            }
            Control::Uncounted { .. } => 0,
        },
        Stmt::If(branch) => [&branch.then, &branch.otherwise]
            .map(|arm| counted_inside(arm, id, is_inside))
            .iter()
            .sum(),
        _ => 0,
    };
    block.iter().map(of).sum()
}

/// Whether a value is the next number of a variable: `n + 1`.
fn is_next(value: &Value, id: VarId) -> bool {
    let Value::Binary(BinaryOp::Add | BinaryOp::Subtract, left, right) = value.unconverted() else {
        return false;
    };
    left.unconverted().variable() == Some(id) && matches!(right.unconverted(), Value::Integer(_))
}
