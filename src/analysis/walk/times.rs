//! Loops that a time ends to which they add steps.
//!
//! ```text
//! while (t < end) { dt = step(u); advance(u, dt); t += dt; }
//! do; …; time = time + dt; if (time >= end) exit; end do
//! ```
//!
//! Where it is known where the time begins and ends and by how much it moves, it is known how often they run, but for what
//! rounding adds up to.

use super::Walker;
use super::limits::{leaves, sums_up};
use crate::expr::Expr;
use crate::facts::Origin;
use crate::ir::visit::{InLoop, assigned_to, statements};
use crate::ir::{self, BinaryOp, Control, Stmt, Type, UnaryOp, Value, VarId};

/// More steps than these nobody waits for: something else ends the loop.
const MOST: f64 = 1e12;

/// So much of a step is lost to rounding.
const ROUNDED: f64 = 1e-6;

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

    /// Gives the parameter for how often such a loop runs the number of steps, if that is known.
    pub(super) fn guess_steps(&mut self, inner: &ir::Loop, trips: &Expr) {
        let Some(condition) = self.ungiven(inner, trips) else {
            return;
        };
        if let Some(steps) = self.steps_until(inner, condition) {
            self.give_count(trips, Expr::from(steps), Origin::Default);
        }
    }

    /// How many steps a time takes until a condition no longer holds.
    fn steps_until(&self, inner: &ir::Loop, condition: &Value) -> Option<f64> {
        let (op, left, right) = match condition.unconverted() {
            Value::Binary(op, left, right) => (*op, &**left, &**right),
            _ => return None,
        };
        let (time, op, end) = match self.is_time(inner, left) && self.is_end(inner, right) {
            true => (left, op, right),
            false if self.is_time(inner, right) && self.is_end(inner, left) => {
                (right, op.mirrored(), left)
            }
            false => return None,
        };
        let Value::Variable(time) = time.unconverted() else {
            return None;
        };
        let first = self.begins_at(inner, *time)?;
        let [step] = assigned_to(&inner.body, *time)[..] else {
            return None;
        };
        let by = match step.unconverted() {
            Value::Binary(BinaryOp::Add, left, right) => {
                let is_own = |side: &Value| *side.unconverted() == Value::Variable(*time);
                match (is_own(left), is_own(right)) {
                    (true, false) => right,
                    (false, true) => left,
                    _ => return None,
                }
            }
            _ => return None,
        };
        let by = self.time(by).filter(|_| self.is_end(inner, by))?;
        let steps = (self.time(end)? - first) / by;
        let steps = match op {
            BinaryOp::Less => (steps - ROUNDED).ceil(),
            BinaryOp::LessOrEqual => (steps + ROUNDED).floor() + 1.0,
            _ => return None,
        };
        (1.0..MOST).contains(&steps).then_some(steps)
    }

    /// The one number that a procedure gives a variable outside of a loop.
    pub(super) fn begins_at(&self, inner: &ir::Loop, time: VarId) -> Option<f64> {
        let function = self.function();
        let own = assigned_to(&inner.body, time);
        let all = assigned_to(&function.body, time);
        let is_inside = |value: &Value| own.iter().any(|own| std::ptr::eq(*own, value));
        let initial = (function.initial.iter()).filter(|(id, _)| **id == time);
        let begins: Vec<&Value> = (all.into_iter())
            .filter(|value| !is_inside(value))
            .collect();
        match begins[..] {
            [] => self.time(initial.map(|(_, value)| value).next()?),
            [only] => self.time(only),
            _ => None,
        }
    }

    /// A number that literals, and variables of which the one value is known, make.
    fn time(&self, value: &Value) -> Option<f64> {
        match value {
            Value::Integer(number) => Some(*number as f64),
            Value::Real(number, _) => Some(*number),
            Value::Convert(Type::Real(_), inner) => self.time(inner),
            Value::Unary(UnaryOp::Negate, inner) => Some(-self.time(inner)?),
            Value::Binary(op, left, right) => {
                let is_whole = matches!(value.ty(self.function()), Type::Integer(..));
                let (left, right) = (self.time(left)?, self.time(right)?);
                match op {
                    BinaryOp::Add => Some(left + right),
                    BinaryOp::Subtract => Some(left - right),
                    BinaryOp::Multiply => Some(left * right),
                    BinaryOp::Divide if !is_whole && right != 0.0 => Some(left / right),
                    _ => None,
                }
            }
            Value::Variable(id) => match &self.function().variable(*id).constant {
                Some(constant) => self.time(constant),
                None => self
                    .sizes
                    .real_number(self.procedure, self.function(), value),
            },
            _ => None,
        }
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
