//! Loops that a time ends to which they add steps.
//!
//! ```text
//! while (t < end) { dt = step(u); advance(u, dt); t += dt; }
//! do; …; time = time + dt; if (time >= end) exit; end do
//! ```

use super::Walker;
use super::limits::{leaves, sums_up};
use crate::ir::visit::{InLoop, assigned_to, statements};
use crate::ir::{self, BinaryOp, Control, Stmt, Type, UnaryOp, Value, VarId};

impl Walker<'_> {
    /// Whether a loop works, and ends when a real number that it only adds to has come to something that it leaves alone.
    pub(super) fn steps_time(&self, inner: &ir::Loop) -> bool {
        let Control::Uncounted { condition, .. } = &inner.control else {
            return false;
        };
        if !self.works(&inner.body) {
            return false;
        }
        let mut asked: Vec<&Value> = condition.iter().collect();
        statements(&inner.body, InLoop::No, &mut |stmt, in_loop| {
            if let (Stmt::If(branch), InLoop::No) = (stmt, in_loop)
                && (leaves(&branch.then) || leaves(&branch.otherwise))
            {
                asked.push(&branch.condition);
            }
        });
        asked
            .iter()
            .any(|condition| self.asks_time(inner, condition))
    }

    fn asks_time(&self, inner: &ir::Loop, condition: &Value) -> bool {
        use BinaryOp::{And, Greater, GreaterOrEqual, Less, LessOrEqual, Or};
        match condition.unconverted() {
            Value::Unary(UnaryOp::Not, condition) => self.asks_time(inner, condition),
            Value::Binary(And | Or, left, right) => {
                self.asks_time(inner, left) || self.asks_time(inner, right)
            }
            Value::Binary(Less | LessOrEqual | Greater | GreaterOrEqual, left, right) => {
                [(left, right), (right, left)]
                    .into_iter()
                    .any(|(time, end)| self.is_time(inner, time) && self.is_end(inner, end))
            }
            _ => false,
        }
    }

    /// A real variable, or that and something more, to which all statements of the loop that change it add.
    fn is_time(&self, inner: &ir::Loop, value: &Value) -> bool {
        let id = match value.unconverted() {
            Value::Variable(id) => *id,
            Value::Binary(BinaryOp::Add | BinaryOp::Subtract, left, _) => {
                match left.unconverted() {
                    Value::Variable(id) => *id,
                    _ => return false,
                }
            }
            _ => return false,
        };
        let is_real = matches!(self.function().variable(id).ty, Type::Real(_));
        let steps = sums_up(&inner.body, id);
        is_real && steps > 0 && assigned_to(&inner.body, id).len() == steps as usize
    }

    fn is_end(&self, inner: &ir::Loop, value: &Value) -> bool {
        let stays = |id: VarId| assigned_to(&inner.body, id).is_empty();
        match value.unconverted() {
            Value::Variable(id) => stays(*id),
            Value::Real(..) | Value::Integer(_) => true,
            Value::Binary(_, left, right) => self.is_end(inner, left) && self.is_end(inner, right),
            _ => false,
        }
    }
}
