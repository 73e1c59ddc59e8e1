//! How often a loop runs whose variable doubles or halves: `for (h = 1; h < n; h *= 2)`, `while (h > 0) h /= 2`.

use std::collections::BTreeMap;

use super::Walker;
use crate::assignments::count_assignments;
use crate::expr::Expr;
use crate::inductions::may_skip;
use crate::ir::{self, BinaryOp, Stmt, Type, Value, VarId};
use crate::symbols::Known;

/// What an iteration makes of the variable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scale {
    Doubles,
    Halves,
}

impl Walker<'_> {
    /// Iterations of a loop that compares such a variable with what stays the same; `entry` is what was known before.
    pub(super) fn doublings(
        &mut self,
        inner: &ir::Loop,
        condition: &Value,
        entry: &BTreeMap<VarId, Known>,
    ) -> Option<Expr> {
        let zero = Value::Integer(0);
        let (op, id, bound) = match condition {
            Value::Variable(id) => (BinaryOp::NotEqual, *id, &zero),
            Value::Binary(op, left, right) => match (&**left, &**right) {
                (Value::Variable(id), bound) if self.scale(inner, *id).is_some() => {
                    (*op, *id, bound)
                }
                (bound, Value::Variable(id)) => (mirrored(*op)?, *id, bound),
                _ => return None,
            },
            _ => return None,
        };
        let scale = self.scale(inner, id)?;
        let start = self.begins_as(id, entry)?;
        let bound = self.symbols.expression(bound)?;
        match (scale, op) {
            (Scale::Doubles, BinaryOp::Less | BinaryOp::LessOrEqual) => {
                start.as_number().filter(|start| *start > 0.0)?;
                let end = if op == BinaryOp::Less {
                    bound
                } else {
                    bound + 1.0
                };
                Some(end.quotient(start).tree_stages())
            }
            (Scale::Halves, BinaryOp::Greater | BinaryOp::GreaterOrEqual | BinaryOp::NotEqual) => {
                let last = bound.as_integer()? + i64::from(op != BinaryOp::GreaterOrEqual);
                // Of k binary digits, all k are there before the first iteration and one before the last.
                let digits = (start + 1.0).tree_stages();
                match (last, op) {
                    (1, _) => Some(digits),
                    (2, BinaryOp::Greater | BinaryOp::GreaterOrEqual) => {
                        Some(Expr::max([digits - 1.0, Expr::from(0.0)]))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// What every iteration makes of an integer variable, if it is one or the other, once.
    fn scale(&self, inner: &ir::Loop, id: VarId) -> Option<Scale> {
        let variable = self.function().variable(id);
        let is_integer = matches!(variable.ty, Type::Integer(..)) && variable.dimensions.is_empty();
        let mut counts = BTreeMap::new();
        count_assignments(&inner.body, self.effects, &mut counts);
        let once = counts.get(&id).is_some_and(|found| found.statements == 1);
        if !is_integer || !once || may_skip(&inner.body) {
            return None;
        }
        inner.body.iter().find_map(|statement| match statement {
            Stmt::Assign {
                target: Value::Variable(target),
                value,
                ..
            } if *target == id => scale_of(value, id),
            _ => None,
        })
    }
}

fn scale_of(value: &Value, id: VarId) -> Option<Scale> {
    let own = |value: &Value| matches!(value, Value::Variable(other) if *other == id);
    let is_two = |value: &Value| matches!(value, Value::Integer(2));
    match value {
        Value::Binary(BinaryOp::Multiply, left, right) if own(left) && is_two(right) => {
            Some(Scale::Doubles)
        }
        Value::Binary(BinaryOp::Multiply, left, right) if is_two(left) && own(right) => {
            Some(Scale::Doubles)
        }
        Value::Binary(BinaryOp::Divide | BinaryOp::ShiftRight, left, right)
            if own(left) && is_two(right) =>
        {
            Some(Scale::Halves)
        }
        _ => None,
    }
}

/// The same comparison with its sides exchanged.
fn mirrored(op: BinaryOp) -> Option<BinaryOp> {
    match op {
        BinaryOp::Less => Some(BinaryOp::Greater),
        BinaryOp::LessOrEqual => Some(BinaryOp::GreaterOrEqual),
        BinaryOp::Greater => Some(BinaryOp::Less),
        BinaryOp::GreaterOrEqual => Some(BinaryOp::LessOrEqual),
        BinaryOp::NotEqual => Some(BinaryOp::NotEqual),
        _ => None,
    }
}
