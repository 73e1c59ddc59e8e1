//! Lists that hang on one of many things: the edges of a cell, the chain of a bucket.
//!
//! ```text
//! for (e = cell->edges; e; e = e->next) …        a few of each
//! for (e = all; e; e = e->next) …                of all there are, as many as there are of anything
//! while (last->next) last = last->next;          likewise, whatever is done with each
//! while (cell->waiting != NULL) …                a few of each that the procedure is called with
//! ```

use super::Walker;
use crate::expr::Expr;
use crate::facts::Origin;
use crate::guesses::NOMINAL;
use crate::ir::visit::assigned_to;
use crate::ir::{self, BinaryOp, Function, Role, Stmt, Value, VarId, is_address};

/// How long a list of one of many things is, as other loops over what one element of data has.
const SHORT: f64 = 8.0;

impl Walker<'_> {
    /// Guesses how often such a loop runs, which has this parameter for that.
    pub(super) fn guess_list(&mut self, inner: &ir::Loop, trips: &Expr) {
        let Some(condition) = self.ungiven(inner, trips) else {
            return;
        };
        let function = self.function();
        let Some(pointer) = asked_pointer(function, condition) else {
            return;
        };
        let hangs = hangs_on_one(function, pointer, &inner.body)
            || is_address(&Value::Variable(pointer), function) && is_of_argument(function, pointer);
        let length = match hangs {
            true => SHORT,
            false if goes_on(function, pointer, &inner.body) => NOMINAL,
            false => return,
        };
        self.give_count(trips, Expr::from(length), Origin::Default);
    }
}

/// The variable that a condition asks whether it leads somewhere, or whether the next one does, and maybe something more.
fn asked_pointer(function: &Function, condition: &Value) -> Option<VarId> {
    match condition.unconverted() {
        Value::Variable(id) => Some(owner(function, *id).unwrap_or(*id)),
        Value::Binary(BinaryOp::And, left, right) => {
            asked_pointer(function, left).or_else(|| asked_pointer(function, right))
        }
        Value::Binary(BinaryOp::NotEqual, left, right) => match (&**left, &**right) {
            (Value::Variable(id), other) | (other, Value::Variable(id)) => {
                (other.is_null()).then(|| owner(function, *id).unwrap_or(*id))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Whether a pointer is a member of what the procedure is called with, which is one of many as a rule.
fn is_of_argument(function: &Function, pointer: VarId) -> bool {
    let of = &function.variable(pointer).name;
    of.is_member()
        && (function.variables.iter()).any(|variable| {
            variable.role == Role::Argument && variable.name.as_str() == of.variable()
        })
}

/// Whether a pointer goes on from each thing to the next in a loop, and begins at what a structure or an array has.
fn hangs_on_one(function: &Function, pointer: VarId, body: &[Stmt]) -> bool {
    let mut beginnings = Beginnings::default();
    goes_on(function, pointer, body)
        && beginnings.are_parts(function, pointer)
        && beginnings.has_part
}

/// Where pointers begin that are set to each other, as in `p = first = cell->edges`.
#[derive(Default)]
struct Beginnings {
    met: Vec<VarId>,
    /// What a structure or an array has is among them.
    has_part: bool,
}

impl Beginnings {
    /// Whether a pointer begins at nothing but what structures or arrays have.
    fn are_parts(&mut self, function: &Function, pointer: VarId) -> bool {
        self.met.push(pointer);
        let mut values = assigned_to(&function.body, pointer);
        values.retain(|value| !is_member_of(function, value, pointer));
        values.into_iter().all(|value| match value.unconverted() {
            Value::Variable(id) if self.met.contains(id) => true,
            Value::Variable(id) if function.variable(*id).name.is_member() => {
                self.has_part = true;
                true
            }
            Value::Variable(id) => {
                function.variable(*id).role == Role::Local && self.are_parts(function, *id)
            }
            Value::Element { .. } => {
                self.has_part = true;
                true
            }
            _ => false,
        })
    }
}

/// Whether a loop takes a pointer from each thing to one that this has a pointer to.
fn goes_on(function: &Function, pointer: VarId, body: &[Stmt]) -> bool {
    let steps = assigned_to(body, pointer);
    (steps.into_iter()).any(|value| is_member_of(function, value, pointer))
}

/// Whether a value is a member of what a variable leads to.
fn is_member_of(function: &Function, value: &Value, pointer: VarId) -> bool {
    match value.unconverted() {
        Value::Variable(id) => {
            let of = &function.variable(*id).name;
            of.is_member() && of.variable() == function.variable(pointer).name.as_str()
        }
        _ => false,
    }
}

/// The variable whose member a pointer is, if that leads from each thing to the next in the procedure: the `p` of `p->next`.
fn owner(function: &Function, member: VarId) -> Option<VarId> {
    let of = &function.variable(member).name;
    if !of.is_member() {
        return None;
    }
    let mut variables = (0..).map(VarId).zip(&function.variables);
    let (owner, _) = variables.find(|(_, own)| own.name.as_str() == of.variable())?;
    goes_on(function, owner, &function.body).then_some(owner)
}
