//! What do expressions do besides giving a value: assignments, increments, calls?
//!
//! Each becomes a statement of its own. What is incremented after use waits for the end of the statement at
//! hand, so that subscripts stay as the source has them; where it may not wait, as in a condition, its value is
//! the new one less one:
//!
//! ```text
//! x[i++] = y[--n];      ►     n = n - 1;  x[i] = y[n];  i = i + 1;
//! if (i++ < n) …        ►     i = i + 1;  if (i - 1 < n) …
//! x[i] = y[i] = z[i];   ►     t = z[i];  y[i] = t;  x[i] = t;
//! at = next[k]++;       ►     t = next[k];  next[k] = t + 1;  at = t;
//! ```
//!
//! What was written to an element is not read back from there: its value is in a register.

use tree_sitter::Node;

use super::super::stored;
use super::ctype::CType;
use super::fields::{Field, children, part};
use super::lowering::Lowering;
use crate::diagnostic::Place;
use crate::intrinsics::Intrinsics;
use crate::ir::visit::each_value;
use crate::ir::{BinaryOp, If, Printed, Reason, Role as Storage, Stmt, Value};
use crate::reason::ReasonCode;
use crate::source::Language;
use crate::syntax::Role;

/// What an expression is evaluated for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Use {
    Effect,
    Value,
}

impl<'t> Lowering<'t> {
    /// An expression for its effects; what it increments after use follows it.
    pub fn expression_statement(&mut self, node: Node<'t>) {
        let outer = self.code.begin_waiting();
        self.effects(node);
        self.code.flush();
        self.code.restore(outer);
    }

    /// Emits what an expression does, without a use for its value.
    pub fn effects(&mut self, node: Node<'t>) {
        if self.deeper(|this| this.effects_within(node)).is_none() {
            let stmt = Stmt::Opaque {
                place: self.place(node),
                reason: self.reason(ReasonCode::TooDeep, node),
                inner: Vec::new(),
            };
            self.emit(stmt);
        }
    }

    fn effects_within(&mut self, node: Node<'t>) {
        match self.role(node) {
            Some(Role::AssignmentExpression) => {
                self.assignment(node, Use::Effect);
            }
            Some(Role::Update) => {
                self.update(node, Use::Effect);
            }
            Some(Role::Comma) => {
                for field in [Field::Left, Field::Right] {
                    if let Some(part) = part(node, field) {
                        self.effects(part);
                        self.code.flush();
                    }
                }
            }
            Some(Role::Call) => self.call_statement(node),
            Some(Role::Cast) => {
                if let Some(value) = part(node, Field::Value) {
                    self.effects(value);
                }
            }
            Some(Role::Parenthesised) => children(node).into_iter().for_each(|inner| {
                if self.role(inner) == Some(Role::Block) {
                    self.statement(inner);
                } else {
                    self.effects(inner);
                }
            }),
            Some(Role::Conditional) => {
                let condition = self.settled(|this| this.part_value(node, Field::Condition));
                let then = self.part_effects(node, Field::Consequence);
                let otherwise = self.part_effects(node, Field::Alternative);
                let place = self.place(node);
                self.emit(Stmt::If(Box::new(If {
                    place,
                    condition,
                    then,
                    otherwise,
                })));
            }
            Some(Role::Name | Role::Number | Role::Text) => {}
            _ => {
                let value = self.value(node);
                let place = self.place(node);
                self.emit(Stmt::Evaluate {
                    place,
                    values: vec![value],
                    printed: Printed::No,
                });
            }
        }
    }

    fn part_effects(&mut self, node: Node<'t>, field: Field) -> Vec<Stmt> {
        let Some(part) = part(node, field) else {
            return Vec::new();
        };
        self.captured(|this| this.expression_statement(part)).1
    }

    /// Emits the assignment and gives what it leaves in its target.
    pub fn assignment(&mut self, node: Node<'t>, used: Use) -> Value {
        let operator = self.operator(node);
        let place = self.place(node);
        let structure = part(node, Field::Left).map(|left| self.type_of(left, 0));
        let (right, target) = match (structure, part(node, Field::Right), operator) {
            (Some(CType::Record(_)), Some(right), "=") => {
                let target = self.part_value(node, Field::Left);
                if self.copy_structure(&place, &target, right) {
                    return target;
                }
                (self.value(right), target)
            }
            _ => {
                let right = self.part_value(node, Field::Right);
                (right, self.part_value(node, Field::Left))
            }
        };
        let (value, target) = match operator.strip_suffix('=') {
            None | Some("") => (right, target),
            Some(operator) => {
                let target = self.addressed_once(&place, target);
                let nodes = [Field::Left, Field::Right].map(|field| part(node, field));
                let [left, right] = self.made_alike(operator, [target.clone(), right], nodes);
                (self.operation(operator, left, right), target)
            }
        };
        let mut value = self.in_bits_of(node, Field::Left, value);
        // What the assignment leaves is what its target holds.
        if used == Use::Value {
            let ty = target.ty(self.draft.function());
            stored::convert_to(self.draft.function(), &ty, target.variable(), &mut value);
        }
        // Reading back from memory would count an access that no program makes.
        let (value, left_behind) = match &value {
            Value::Integer(_) | Value::Real(..) | Value::Logical(_) => (value.clone(), value),
            _ if self.is_kept(used, node, Field::Left, &target) => {
                let kept = self.temporary(&place, &target, value);
                (kept.clone(), kept)
            }
            _ => (value, target.clone()),
        };
        self.emit(Stmt::Assign {
            place,
            target,
            value,
        });
        left_behind
    }

    /// What the target of an assignment or a step holds of a value, if it is a bit-field.
    fn in_bits_of(&self, node: Node<'t>, target: Field, value: Value) -> Value {
        let target = part(node, target).filter(|left| self.role(*left) == Some(Role::Member));
        let member = target.and_then(|target| part(target, Field::Member));
        let base = target.and_then(|target| part(target, Field::Argument));
        let (Some(member), Some(base)) = (member, base) else {
            return value;
        };
        let ty = match self.type_of(base, 0) {
            ty if ty.is_address() => ty.element(),
            ty => ty,
        };
        match ty {
            CType::Record(record) => self.in_bits(record, self.text(member), value),
            _ => value,
        }
    }

    /// An element that is read and written, in whose subscripts functions are called: these are called once.
    fn addressed_once(&mut self, place: &Place, target: Value) -> Value {
        let (array, subscripts, at) = match target {
            Value::Element {
                array,
                subscripts,
                place: at,
            } => (array, subscripts, at),
            other => return other,
        };
        let once = |subscript: Value| match calls_function(&subscript) {
            true => {
                let name = format!("subscript@{}", place.line);
                let ty = CType::Arithmetic(subscript.ty(self.draft.function()));
                let id = self.add_variable(name, ty, Storage::Local, place.clone());
                self.emit(Stmt::Assign {
                    place: place.clone(),
                    target: Value::Variable(id),
                    value: subscript,
                });
                Value::Variable(id)
            }
            false => subscript,
        };
        let subscripts = subscripts.into_iter().map(once).collect();
        Value::Element {
            array,
            subscripts,
            place: at,
        }
    }

    /// Whether what is written to memory is used besides: a number, which a register then holds.
    fn is_kept(&self, used: Use, node: Node<'t>, written: Field, target: &Value) -> bool {
        let is_number = part(node, written)
            .is_some_and(|part| matches!(self.type_of(part, 0), CType::Arithmetic(_)));
        used == Use::Value && is_number && matches!(target, Value::Element { .. })
    }

    /// Whether evaluating an expression twice would do something twice.
    pub fn has_effects(&self, node: Node<'t>) -> bool {
        let mut todo = vec![node];
        while let Some(node) = todo.pop() {
            match self.role(node) {
                Some(Role::AssignmentExpression | Role::Update | Role::Call | Role::Block) => {
                    return true;
                }
                _ => todo.extend(children(node)),
            }
        }
        false
    }

    /// Whether an expression does nothing besides but count something up or down.
    pub fn only_counts(&self, node: Node<'t>) -> bool {
        let mut todo = vec![node];
        let mut counts = false;
        while let Some(node) = todo.pop() {
            match self.role(node) {
                Some(Role::AssignmentExpression | Role::Call | Role::Block) => return false,
                Some(Role::Update) => counts = true,
                _ => todo.extend(children(node)),
            }
        }
        counts
    }

    /// `i++` and its like: the step is a statement of its own.
    pub fn update(&mut self, node: Node<'t>, used: Use) -> Value {
        let target = self.part_value(node, Field::Argument);
        let place = self.place(node);
        let target = self.addressed_once(&place, target);
        let (op, inverse) = if self.operator(node) == "--" {
            (BinaryOp::Subtract, BinaryOp::Add)
        } else {
            (BinaryOp::Add, BinaryOp::Subtract)
        };
        let argument = part(node, Field::Argument);
        let is_prefix = argument.is_some_and(|argument| argument.start_byte() > node.start_byte());
        let is_kept = self.is_kept(used, node, Field::Argument, &target);
        let step = |value| Stmt::Assign {
            place: place.clone(),
            target: target.clone(),
            value,
        };
        let by_one = |this: &Self, value| {
            let value = Value::binary(op, value, Value::Integer(1));
            this.in_bits_of(node, Field::Argument, value)
        };
        if is_kept {
            let value = match is_prefix {
                true => by_one(self, target.clone()),
                false => target.clone(),
            };
            let kept = self.temporary(&place, &target, value);
            let next = match is_prefix {
                true => kept.clone(),
                false => by_one(self, kept.clone()),
            };
            self.emit(step(next));
            return kept;
        }
        let step = step(by_one(self, target.clone()));
        if is_prefix {
            self.emit(step);
            return target;
        }
        match self.code.defer(step) {
            None => target,
            Some(step) => {
                self.emit(step);
                Value::binary(inverse, target, Value::Integer(1))
            }
        }
    }

    /// GNU's `({ …; x; })`: the statements, then the value of the last one.
    pub fn statement_expression(&mut self, block: Node<'t>) -> Value {
        let statements = children(block);
        let Some((last, before)) = statements.split_last() else {
            return self.unreadable(ReasonCode::SyntaxError, block);
        };
        let outer = self.code.forbid_waiting();
        let value = self.scoped(|this| {
            before
                .iter()
                .for_each(|statement| this.statement(*statement));
            match children(*last).first() {
                Some(value) if this.role(*last) == Some(Role::ExpressionStatement) => {
                    this.value(*value)
                }
                _ => {
                    this.statement(*last);
                    Value::Opaque {
                        reason: Reason {
                            code: ReasonCode::NoValue,
                            detail: String::new(),
                        },
                        inner: Vec::new(),
                    }
                }
            }
        });
        self.code.restore(outer);
        value
    }
}

/// Whether a value calls a function that is not of the library.
fn calls_function(value: &Value) -> bool {
    let mut found = false;
    each_value(value, &mut |part| {
        if let Value::Call { name, .. } = part {
            found |= Intrinsics::builtin().lookup(Language::C, name).is_none();
        }
    });
    found
}
