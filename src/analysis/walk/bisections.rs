//! Searches that halve what is left: as often as the whole can be halved.
//!
//! ```text
//! while (high - low > 1) {
//!     middle = low + (high - low)/2;
//!     if (x[middle] > wanted) high = middle; else low = middle;
//! }
//! ```

use std::collections::BTreeMap;

use super::Walker;
use crate::expr::Expr;
use crate::facts::Origin;
use crate::guesses::NOMINAL;
use crate::ir::visit::{InLoop, each_value, statements};
use crate::ir::{self, BinaryOp, If, Stmt, Value, VarId};
use crate::symbols::Known;

impl Walker<'_> {
    /// Guesses how often such a loop runs, which has this parameter for that; `before` is what was known before it.
    pub(super) fn guess_bisection(
        &mut self,
        inner: &ir::Loop,
        trips: &Expr,
        before: &BTreeMap<VarId, Known>,
    ) {
        let Some(ends) = bisected(&inner.body) else {
            return;
        };
        if self.is_given(trips) {
            return;
        }
        let length = match ends.map(|id| self.begins_as(id, before)) {
            [Some(one), Some(other)] => {
                let apart = (one - other).expand();
                Expr::max([apart.clone(), -apart]) + 1.0
            }
            _ => Expr::from(NOMINAL),
        };
        self.give_count(trips, length.tree_stages(), Origin::Default);
    }
}

/// The two ends of what is left, of which each iteration moves one to the middle.
fn bisected(body: &[Stmt]) -> Option<[VarId; 2]> {
    let (mut middles, mut branches): (Vec<VarId>, Vec<&If>) = Default::default();
    statements(body, InLoop::No, &mut |stmt, in_loop| match stmt {
        Stmt::Assign { target, value, .. } if in_loop == InLoop::No && halves(value) => {
            middles.extend(target.variable());
        }
        Stmt::If(branch) if in_loop == InLoop::No => branches.push(branch),
        _ => {}
    });
    branches.into_iter().find_map(|branch| {
        let moved = |arm| moved_to(arm, &middles);
        match [moved(&branch.then), moved(&branch.otherwise)] {
            [Some(one), Some(other)] if one != other => Some([one, other]),
            _ => None,
        }
    })
}

/// Whether a value has something in it that is divided by two.
fn halves(value: &Value) -> bool {
    let mut found = false;
    each_value(value, &mut |part| {
        // What is shifted by one is divided by two here, too.
        found |= match part {
            Value::Binary(BinaryOp::Divide | BinaryOp::ShiftRight, _, by) => {
                *by.unconverted() == Value::Integer(2)
            }
            _ => false,
        };
    });
    found
}

/// The variable that an arm moves to a middle, or to the next one.
fn moved_to(arm: &[Stmt], middles: &[VarId]) -> Option<VarId> {
    let is_middle = |value: &Value| {
        let variable = value.unconverted().variable();
        variable.is_some_and(|id| middles.contains(&id))
    };
    let mut found = None;
    statements(arm, InLoop::No, &mut |stmt, _| {
        if let Stmt::Assign {
            target: Value::Variable(target),
            value,
            ..
        } = stmt
        {
            let is_moved = match value.unconverted() {
                Value::Binary(BinaryOp::Add | BinaryOp::Subtract, left, right) => {
                    is_middle(left) && matches!(right.unconverted(), Value::Integer(1))
                }
                value => is_middle(value),
            };
            if is_moved && found.is_none() {
                found = Some(*target);
            }
        }
    });
    found
}
