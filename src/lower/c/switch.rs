//! `switch` as nested conditionals.

use tree_sitter::Node;

use super::context::Breaks;
use super::ctype::CType;
use super::fields::{self, Field, children, part};
use super::lowering::Lowering;
use super::statements::MOST_ARMS;
use crate::diagnostic::Place;
use crate::ir::visit::each_value;
use crate::ir::{BinaryOp, If, Printed, Role as Storage, Stmt, UnaryOp, Value};
use crate::reason::ReasonCode;
use crate::syntax::Role;

/// Cases that share statements: `case 1: case 2: …`.
struct Arm<'t> {
    labels: Vec<Node<'t>>,
    is_default: bool,
    statements: Vec<Node<'t>>,
}

/// More arms than these that run on into each other are not told apart: each tests all labels before it.
const MOST_RUNNING_ON: usize = 64;

/// Arms of which each runs on into the next.
type Group<'t> = Vec<Arm<'t>>;

impl<'t> Lowering<'t> {
    pub fn switch(&mut self, node: Node<'t>) {
        let selector = self.part_value(node, Field::Condition);
        let place = self.place(node);
        let groups = self.groups(node);
        let outer = self.jumps.set_breaks(Breaks::Switch);
        let selector = if holds_access(&selector) {
            let subject = self.add_temporary(&selector, &place);
            self.emit(Stmt::Assign {
                place,
                target: subject.clone(),
                value: selector,
            });
            subject
        } else {
            self.emit(Stmt::Evaluate {
                place,
                values: vec![selector.clone()],
                printed: Printed::No,
            });
            selector
        };
        self.scoped(|this| this.nested_groups(node, &selector, groups));
        self.jumps.set_breaks(outer);
    }

    fn groups(&mut self, node: Node<'t>) -> Vec<Group<'t>> {
        let mut groups: Vec<Group<'t>> = Vec::new();
        let mut runs_on = false;
        for arm in self.arms(node) {
            let next_runs_on = !self.leaves(&arm.statements);
            match groups.last_mut().filter(|_| runs_on) {
                Some(group) => group.push(arm),
                None => groups.push(vec![arm]),
            }
            runs_on = next_runs_on;
        }
        groups
    }

    /// The arms in order; labels without statements join the next.
    fn arms(&mut self, node: Node<'t>) -> Vec<Arm<'t>> {
        let mut arms: Vec<Arm<'t>> = Vec::new();
        let Some(body) = part(node, Field::Body) else {
            return arms;
        };
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
                _ => arms.push(Arm {
                    labels: label.into_iter().collect(),
                    is_default: label.is_none(),
                    statements,
                }),
            }
        }
        arms
    }

    fn nested_groups(&mut self, node: Node<'t>, selector: &Value, groups: Vec<Group<'t>>) {
        let is_default = |group: &Group| group.iter().any(|arm| arm.is_default);
        let (defaults, mut cases): (Vec<_>, Vec<_>) = groups.into_iter().partition(is_default);
        // As unlikely as the last of the arms before, side by side.
        let too_many = cases.split_off(cases.len().min(MOST_ARMS));
        let is_too_deep = !too_many.is_empty();
        let mut otherwise = self
            .captured(|this| {
                too_many
                    .into_iter()
                    .chain(defaults)
                    .for_each(|group| this.group(selector, group));
            })
            .1;
        if is_too_deep {
            otherwise = vec![Stmt::Opaque {
                place: self.place(node),
                reason: self.reason(ReasonCode::TooDeep, node),
                inner: otherwise,
            }];
        }
        for group in cases.into_iter().rev() {
            // The last arm needs no condition of its own: the place of its label is free.
            let place = self.place_of(group.last());
            let condition = self
                .matches(selector, &group)
                .unwrap_or(Value::Logical(true));
            let ((), then) = self.captured(|this| this.group(selector, group));
            otherwise = vec![Stmt::If(Box::new(If {
                place,
                condition,
                then,
                otherwise,
            }))];
        }
        self.code.append(otherwise);
    }

    /// What runs of a group once one of its labels, or `default`, is the selector's: an arm if the label is its own
    /// or of one before, or not of one behind where `default` has come.
    fn group(&mut self, selector: &Value, group: Group<'t>) {
        if group.len() > MOST_RUNNING_ON {
            let Some(node) = group
                .iter()
                .flat_map(|arm| arm.labels.iter().chain(&arm.statements))
                .next()
            else {
                return;
            };
            let (place, reason) = (
                self.place(*node),
                self.reason(ReasonCode::SwitchFallthrough, *node),
            );
            let statements = group.into_iter().flat_map(|arm| arm.statements).collect();
            let ((), inner) = self.captured(|this| this.statements(statements));
            return self.emit(Stmt::Opaque {
                place,
                reason,
                inner,
            });
        }
        let default = group.iter().position(|arm| arm.is_default);
        // What runs before an arm runs on into it: all arms up to one are in the condition that leads to it.
        let mut running = Vec::new();
        for at in 0..group.len() {
            let statements = group[at].statements.clone();
            running.extend(self.captured(|this| this.statements(statements)).1);
            let place = self.place_of(group.get(at));
            let condition = match default {
                Some(default) if default <= at => {
                    let behind = self.matches(selector, &group[at + 1..]);
                    behind.map(|behind| Value::Unary(UnaryOp::Not, Box::new(behind)))
                }
                None if at + 1 == group.len() => None,
                _ => self.matches(selector, &group[..=at]),
            };
            if let Some(condition) = condition {
                let then = std::mem::take(&mut running);
                running = vec![Stmt::If(Box::new(If {
                    place,
                    condition,
                    then,
                    otherwise: Vec::new(),
                }))];
            }
        }
        self.code.append(running);
    }

    /// A variable that holds a value which is used several times.
    fn add_temporary(&mut self, value: &Value, place: &Place) -> Value {
        let name = format!("switch@{}", place.line);
        let ty = CType::Arithmetic(value.ty(self.draft.function()));
        Value::Variable(self.add_variable(name, ty, Storage::Local, place.clone()))
    }

    fn place_of(&self, arm: Option<&Arm<'t>>) -> Place {
        let label = arm.and_then(|arm| arm.labels.first());
        label.map_or_else(|| self.draft.place().clone(), |label| self.place(*label))
    }

    /// Whether the selector is one of the labels.
    fn matches(&mut self, selector: &Value, arms: &[Arm<'t>]) -> Option<Value> {
        let labels = arms.iter().flat_map(|arm| &arm.labels);
        let is =
            |label: &Node<'t>| Value::binary(BinaryOp::Equal, selector.clone(), self.value(*label));
        Value::any(labels.map(is).collect())
    }

    /// Whether control never reaches the end of a list of statements.
    fn leaves(&self, statements: &[Node<'t>]) -> bool {
        let mut last = statements.last().copied();
        while let Some(node) = last.filter(|node| self.role(*node) == Some(Role::Block)) {
            last = children(node).last().copied();
        }
        matches!(
            last.and_then(|node| self.role(node)),
            Some(Role::Exit | Role::Return | Role::Cycle | Role::Goto)
        )
    }
}

/// Whether evaluating a value once or several times is not the same.
fn holds_access(value: &Value) -> bool {
    let mut found = false;
    each_value(value, &mut |part| {
        found |= matches!(
            part,
            Value::Element { .. } | Value::Call { .. } | Value::Select(..)
        );
    });
    found
}
