//! Loops that try again: each iteration draws something new and knows nothing of those before it.
//!
//! ```text
//! do { r = draw(); } while (r >= limit);        most draws are taken, or nobody would draw so
//! ```
//!
//! What is asked for has to be an order: `while ((c = next()) != END)` goes through something.

use std::collections::BTreeSet;

use super::Walker;
use super::limits::leaves;
use crate::expr::Expr;
use crate::facts::Origin;
use crate::ir::visit::{InLoop, each_value, statements, variables_of};
use crate::ir::{self, BinaryOp, Control, Role, Stmt, UnaryOp, Value, VarId};

/// How often something is drawn until it is taken.
const DRAWS: f64 = 2.0;

impl Walker<'_> {
    /// Guesses how often such a loop runs, which has this parameter for that.
    pub(super) fn guess_retries(&mut self, inner: &ir::Loop, trips: &Expr) {
        if !self.is_given(trips) && self.tries_again(inner) {
            self.give_count(trips, Expr::from(DRAWS), Origin::Default);
        }
    }

    fn tries_again(&self, inner: &ir::Loop) -> bool {
        let Control::Uncounted { condition, .. } = &inner.control else {
            return false;
        };
        let mut given = BTreeSet::new();
        let (mut is_plain, mut draws) = (true, false);
        // `while (1)` asks for nothing.
        let asks = |condition: &&Value| {
            !matches!(
                condition.unconverted(),
                Value::Integer(_) | Value::Logical(_)
            )
        };
        let mut asked: Vec<&Value> = condition.iter().filter(asks).collect();
        statements(&inner.body, InLoop::No, &mut |stmt, _| {
            draws |= self.calls_body(stmt);
            match stmt {
                Stmt::Assign { target, .. } => match target {
                    Value::Variable(id) if self.is_own_scalar(*id) => {
                        given.insert(*id);
                    }
                    _ => is_plain = false,
                },
                Stmt::Call {
                    name, arguments, ..
                } => given.extend(self.effects.written(name, arguments)),
                Stmt::If(branch) if leaves(&branch.then) || leaves(&branch.otherwise) => {
                    asked.push(&branch.condition);
                }
                Stmt::Loop(_) | Stmt::Opaque { .. } | Stmt::Mark { .. } => is_plain = false,
                Stmt::If(_) | Stmt::Evaluate { .. } | Stmt::Jump { .. } => {}
            }
        });
        let is_asked = !asked.is_empty() && asked.iter().all(|condition| asks_order(condition));
        let mut fresh = BTreeSet::new();
        is_plain
            && draws
            && is_asked
            && self.is_fresh(&inner.body, &given, &mut fresh)
            && condition.iter().all(|value| knows(value, &given, &fresh))
    }

    /// Whether a statement calls a procedure of the program itself, which may draw something.
    fn calls_body(&self, stmt: &Stmt) -> bool {
        let mut found = false;
        ir::visit::calls_of(stmt, &mut |name, _| {
            found |= self.effects.target(name).meaning().is_none();
        });
        found
    }

    fn is_own_scalar(&self, id: VarId) -> bool {
        let variable = self.function().variable(id);
        variable.role == Role::Local && variable.dimensions.is_empty()
    }

    /// Whether statements read nothing of what an iteration before gave a value; adds what they give values.
    fn is_fresh(
        &self,
        block: &[Stmt],
        given: &BTreeSet<VarId>,
        fresh: &mut BTreeSet<VarId>,
    ) -> bool {
        block.iter().all(|stmt| match stmt {
            Stmt::Assign { target, value, .. } => {
                let is_known = knows(value, given, fresh);
                fresh.extend(target.variable());
                is_known
            }
            Stmt::Call {
                name, arguments, ..
            } => {
                let written: BTreeSet<VarId> = self.effects.written(name, arguments).collect();
                let is_known = arguments.iter().all(|value| knows(value, given, fresh));
                fresh.extend(written);
                is_known
            }
            Stmt::Evaluate { values, .. } => values.iter().all(|value| knows(value, given, fresh)),
            Stmt::If(branch) => {
                let mut otherwise = fresh.clone();
                let is_known = knows(&branch.condition, given, fresh)
                    && self.is_fresh(&branch.then, given, fresh)
                    && self.is_fresh(&branch.otherwise, given, &mut otherwise);
                let leaves = [&branch.then, &branch.otherwise].map(|arm| leaves(arm));
                match leaves {
                    [true, _] => *fresh = otherwise,
                    [_, true] => {}
                    _ => fresh.retain(|id| otherwise.contains(id)),
                }
                is_known
            }
            Stmt::Jump { .. } => true,
            Stmt::Loop(_) | Stmt::Opaque { .. } | Stmt::Mark { .. } => false,
        })
    }
}

/// Whether a value is made of nothing that an iteration before gave a value.
fn knows(value: &Value, given: &BTreeSet<VarId>, fresh: &BTreeSet<VarId>) -> bool {
    let mut used = BTreeSet::new();
    variables_of(value, &mut used);
    used.iter()
        .all(|id| !given.contains(id) || fresh.contains(id))
}

/// Whether a condition asks which of two numbers is the larger one.
fn asks_order(condition: &Value) -> bool {
    use BinaryOp::{And, Greater, GreaterOrEqual, Less, LessOrEqual, Or};
    match condition.unconverted() {
        Value::Unary(UnaryOp::Not, inner) => asks_order(inner),
        Value::Binary(Less | LessOrEqual | Greater | GreaterOrEqual, left, right) => {
            let mut any = false;
            for side in [left, right] {
                each_value(side, &mut |part| any |= matches!(part, Value::Variable(_)));
            }
            any
        }
        Value::Binary(And | Or, left, right) => asks_order(left) || asks_order(right),
        _ => false,
    }
}
