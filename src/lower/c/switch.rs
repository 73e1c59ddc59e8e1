//! `switch` as nested conditionals.

use tree_sitter::Node;

use super::fields::{self, Field, children, part};
use super::scope::Lowering;
use crate::ir::{BinaryOp, If, Stmt, Value};
use crate::syntax::Role;

/// Cases that share statements: `case 1: case 2: …`.
struct Arm<'t> {
    labels: Vec<Node<'t>>,
    is_default: bool,
    statements: Vec<Node<'t>>,
}

impl<'t> Lowering<'t> {
    pub fn switch(&mut self, node: Node<'t>) {
        let selector = self.part_value(node, Field::Condition);
        let place = self.place(node);
        let arms = self.arms(node);
        let falls_through = arms.iter().rev().skip(1).any(|arm| !self.leaves(&arm.statements));
        let outer = std::mem::replace(&mut self.leaves_switch, true);
        let ((), chain) = self.captured(|this| {
            this.emit(Stmt::Evaluate { place: place.clone(), values: vec![selector.clone()] });
            this.scoped(|this| this.nested_arms(&selector, arms));
        });
        self.leaves_switch = outer;
        if falls_through {
            let reason = self.reason("switch_fallthrough", node);
            self.emit(Stmt::Opaque { place, reason, inner: chain });
        } else {
            self.block.extend(chain);
        }
    }

    /// The arms in order; labels without statements join the next.
    fn arms(&mut self, node: Node<'t>) -> Vec<Arm<'t>> {
        let mut arms: Vec<Arm<'t>> = Vec::new();
        let Some(body) = part(node, Field::Body) else { return arms };
        for child in children(body) {
            if self.role(child) != Some(Role::Case) {
                // Statements before the first case never run; after one they belong to it.
                if let Some(arm) = arms.last_mut() {
                    arm.statements.push(child);
                }
                continue;
            }
            let statements = fields::case_statements(child);
            let label = part(child, Field::Value);
            match arms.last_mut() {
                Some(arm) if arm.statements.is_empty() => {
                    arm.labels.extend(label);
                    arm.is_default |= label.is_none();
                    arm.statements = statements;
                }
                _ => arms.push(Arm { labels: label.into_iter().collect(), is_default: label.is_none(), statements }),
            }
        }
        arms
    }

    fn nested_arms(&mut self, selector: &Value, arms: Vec<Arm<'t>>) {
        let (defaults, cases): (Vec<_>, Vec<_>) = arms.into_iter().partition(|arm| arm.is_default);
        let mut otherwise =
            self.captured(|this| defaults.into_iter().for_each(|arm| this.statements(arm.statements))).1;
        for arm in cases.into_iter().rev() {
            let place = arm.labels.first().map_or_else(|| self.function.place.clone(), |label| self.place(*label));
            let matches = arm.labels.into_iter().map(|label| {
                let label = self.value(label);
                Value::binary(BinaryOp::Equal, selector.clone(), label)
            });
            let condition = matches.reduce(|a, b| Value::binary(BinaryOp::Or, a, b)).unwrap_or(Value::Logical(true));
            let (_, then) = self.captured(|this| this.statements(arm.statements));
            otherwise = vec![Stmt::If(Box::new(If { place, condition, then, otherwise }))];
        }
        self.block.extend(otherwise);
    }

    /// Whether control never reaches the end of a list of statements.
    fn leaves(&self, statements: &[Node<'t>]) -> bool {
        let mut last = statements.last().copied();
        while let Some(node) = last.filter(|node| self.role(*node) == Some(Role::Block)) {
            last = children(node).last().copied();
        }
        matches!(last.and_then(|node| self.role(node)), Some(Role::Exit | Role::Return | Role::Cycle | Role::Goto))
    }
}
