//! Lists that hang on one of many things: the edges of a cell, the chain of a bucket.
//!
//! ```text
//! for (e = cell->edges; e; e = e->next) …        a few of each
//! for (e = all; e; e = e->next) …                of all there are
//! while (cell->waiting != NULL) …                a few of each that the procedure is called with
//! ```

use super::Walker;
use crate::expr::Expr;
use crate::facts::{Constant, Origin};
use crate::ir::visit::assigned_to;
use crate::ir::{self, BinaryOp, Control, Function, Role, Stmt, Value, VarId, is_address};

/// How long a list of one of many things is, as other loops over what one element of data has.
const SHORT: f64 = 8.0;

impl Walker<'_> {
    /// Guesses how often such a loop runs, which has this parameter for that.
    pub(super) fn guess_list(&mut self, inner: &ir::Loop, trips: &Expr) {
        let Some(symbol) = trips.symbols().into_iter().next() else {
            return;
        };
        let Control::Uncounted {
            condition: Some(condition),
            ..
        } = &inner.control
        else {
            return;
        };
        let function = self.function();
        let hangs = asked_pointer(condition).is_some_and(|pointer| {
            hangs_on_one(function, pointer, &inner.body)
                || is_address(&Value::Variable(pointer), function)
                    && is_of_argument(function, pointer)
        });
        if hangs && !self.symbols.constants.contains_key(&symbol) {
            let constant = Constant {
                symbol: symbol.clone(),
                value: Expr::from(SHORT),
                origin: Origin::Default,
            };
            self.symbols.constants.insert(symbol, constant);
        }
    }
}

/// The variable that a condition asks whether it leads somewhere.
fn asked_pointer(condition: &Value) -> Option<VarId> {
    match condition.unconverted() {
        Value::Variable(id) => Some(*id),
        Value::Binary(BinaryOp::NotEqual, left, right) => match (&**left, &**right) {
            (Value::Variable(id), other) | (other, Value::Variable(id)) => {
                other.is_null().then_some(*id)
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
    let name = function.variable(pointer).name.as_str();
    let is_own_member = |value: &Value| match value.unconverted() {
        Value::Variable(id) => {
            let of = &function.variable(*id).name;
            of.is_member() && of.variable() == name
        }
        _ => false,
    };
    let is_part = |value: &Value| match value.unconverted() {
        Value::Variable(id) => function.variable(*id).name.is_member(),
        value => matches!(value, Value::Element { .. }),
    };
    let steps = assigned_to(body, pointer);
    let all = assigned_to(&function.body, pointer);
    let begins: Vec<&Value> = (all.into_iter())
        .filter(|value| !is_own_member(value))
        .collect();
    steps.into_iter().any(is_own_member) && !begins.is_empty() && begins.into_iter().all(is_part)
}
