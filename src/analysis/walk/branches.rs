//! Branches, and what is known of variables where their sides meet again.

use std::collections::BTreeMap;

use super::Walker;
use crate::alternatives::either;
use crate::expr::{Expr, Symbol};
use crate::facts::{Block, Branch, Constant, Item, Origin};
use crate::ir::{self, BinaryOp, Function, Role, Stmt, UnaryOp, Value, VarId};
use crate::symbols::Known;

impl Walker<'_> {
    pub(super) fn branch(
        &mut self,
        branch: &ir::If,
        then: &[Stmt],
        otherwise: &[Stmt],
        block: &mut Block,
    ) {
        self.read(&branch.place, &branch.condition, block);
        self.decides(&branch.condition, block);
        let before = self.symbols.known.clone();
        let then_block = self.block(then);
        let after_then = std::mem::replace(&mut self.symbols.known, before.clone());
        let otherwise_block = if otherwise.is_empty() {
            None
        } else {
            Some(self.block(otherwise))
        };
        let after_otherwise = std::mem::replace(&mut self.symbols.known, before);
        self.vary(then, self.depth());
        self.vary(otherwise, self.depth());
        self.join(after_then, after_otherwise);
        let written_in = self
            .effects
            .origins
            .written_in(&branch.place)
            .unwrap_or(self.symbols.own_name);
        let outcome = truth(&branch.condition, self.function(), 32);
        let probability = Symbol::probability(written_in, branch.place.line, outcome);
        if let Some(is_taken) = outcome {
            let constant = Constant {
                symbol: probability.clone(),
                value: Expr::from(f64::from(u8::from(is_taken))),
                origin: Origin::Constant,
            };
            self.symbols.constants.insert(probability.clone(), constant);
        } else {
            let condition = branch.condition.clone();
            self.undecided.push((probability.clone(), condition));
        }
        block.items.push(Item::Branch(Box::new(Branch {
            line: branch.place.line,
            condition: self.symbols.text(&branch.condition),
            probability,
            then: then_block,
            otherwise: otherwise_block,
            then_lines: ir::lines(then),
            otherwise_lines: ir::lines(otherwise),
        })));
    }

    /// Keeps what the branches say of a variable: the value if they agree, else the few values that it
    /// may have, and that a value was loaded in either. What only one branch advances counts as advanced.
    fn join(&mut self, mut then: BTreeMap<VarId, Known>, mut otherwise: BTreeMap<VarId, Known>) {
        self.branches += 1;
        for (id, known) in &mut self.symbols.known {
            let Known::Changes { loaded, .. } = known else {
                continue;
            };
            let sides = [then.remove(id), otherwise.remove(id)];
            *loaded |= sides
                .iter()
                .flatten()
                .any(|k| matches!(k, Known::Changes { loaded: true, .. }));
            if let [Some(a), Some(b)] = sides {
                match (a, b) {
                    (a, _)
                        if self.conditional.contains(id) && !matches!(a, Known::Changes { .. }) =>
                    {
                        *known = a;
                    }
                    (a, b) if a == b => *known = a,
                    (a, b) => {
                        if let Some(values) = either(self.branches, a, b) {
                            *known = values;
                            self.symbols.has_alternatives = true;
                        }
                    }
                }
            }
        }
    }
}

/// What a condition is that literals and named constants decide: `if (0)`, `if (debug)`.
fn truth(condition: &Value, function: &Function, depth: u32) -> Option<bool> {
    let again = |value: &Value| truth(value, function, depth.checked_sub(1)?);
    match condition {
        Value::Integer(n) => Some(*n != 0),
        Value::Logical(is_true) => Some(*is_true),
        Value::Convert(_, operand) => again(operand),
        Value::Unary(UnaryOp::Not, operand) => again(operand).map(|is_true| !is_true),
        Value::Binary(BinaryOp::And, left, right) => match (again(left), again(right)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        },
        Value::Binary(BinaryOp::Or, left, right) => match (again(left), again(right)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        },
        Value::Variable(id) => {
            let variable = function.variable(*id);
            let is_constant = matches!(variable.role, Role::Constant(_));
            again(variable.constant.as_ref().filter(|_| is_constant)?)
        }
        _ => None,
    }
}
