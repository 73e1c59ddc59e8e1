//! What decides which storage values, places and loops of a procedure lead to.

use std::collections::BTreeSet;

use super::{Steady, is_quiet};
use crate::calls::Target;
use crate::facts::Needs;
use crate::intrinsics::IntrinsicKind;
use crate::ir::visit::each_value;
use crate::ir::{Control, Function, Loop, Role, Stmt, Value, VarId, is_left_out};

/// What decides something, as far as it was followed.
#[derive(Clone)]
pub(super) struct Query<'q, 'f> {
    of: &'q Steady<'f>,
    /// Nothing if something else than arguments does.
    arguments: Option<BTreeSet<u32>>,
    pub seen: BTreeSet<VarId>,
}

impl<'q, 'f> Query<'q, 'f> {
    pub fn of(of: &'q Steady<'f>) -> Query<'q, 'f> {
        Query {
            of,
            arguments: Some(BTreeSet::new()),
            seen: BTreeSet::new(),
        }
    }

    pub fn needs(self) -> Needs {
        self.arguments.map(|all| all.into_iter().collect())
    }

    fn unknown(&mut self) {
        self.arguments = None;
    }

    pub fn enter_loop(&mut self, inner: &Loop) {
        match &inner.control {
            Control::Counted {
                variable,
                lower,
                upper,
                step,
            } => {
                self.values(&[lower, upper, step]);
                self.seen.insert(*variable);
            }
            Control::Uncounted { .. } => self.unknown(),
        }
        self.statements(&inner.body);
    }

    fn statements(&mut self, body: &[Stmt]) {
        for statement in body {
            if self.arguments.is_none() {
                return;
            }
            match statement {
                // A loop of its own.
                Stmt::Loop(_) => {}
                Stmt::If(branch) => {
                    self.elements(&branch.condition);
                    if !is_quiet(&branch.then) || !is_quiet(&branch.otherwise) {
                        self.value(&branch.condition);
                    }
                    self.statements(&branch.then);
                    self.statements(&branch.otherwise);
                }
                Stmt::Assign { target, value, .. } => {
                    self.elements(target);
                    self.elements(value);
                }
                Stmt::Call { arguments, .. }
                | Stmt::Evaluate {
                    values: arguments, ..
                } => arguments
                    .iter()
                    .for_each(|argument| self.elements(argument)),
                Stmt::Jump { .. } => {}
                Stmt::Mark { .. } | Stmt::Opaque { .. } => self.unknown(),
            }
        }
    }

    /// Which elements a value is made of.
    fn elements(&mut self, value: &Value) {
        each_value(value, &mut |part| match part {
            Value::Element {
                array, subscripts, ..
            } => self.place(*array, subscripts),
            // One side may be all that is touched.
            Value::Select(condition, ..) => self.value(condition),
            Value::Opaque { .. } => self.unknown(),
            _ => {}
        });
    }

    fn place(&mut self, array: VarId, subscripts: &[Value]) {
        self.variable(array);
        subscripts
            .iter()
            .for_each(|subscript| self.value(subscript));
    }

    pub fn values(&mut self, values: &[&Value]) {
        values.iter().for_each(|value| self.value(value));
    }

    /// A number, or where an address points.
    pub fn value(&mut self, value: &Value) {
        match value {
            Value::Integer(_)
            | Value::Real(..)
            | Value::Logical(_)
            | Value::Text(_)
            | Value::Row => {}
            Value::Variable(id) => self.variable(*id),
            Value::Element {
                array, subscripts, ..
            } if subscripts.iter().any(is_left_out) => self.place(*array, subscripts),
            Value::Element {
                array, subscripts, ..
            } if self.of.stable.has_elements(self.of.function, *array) => {
                subscripts
                    .iter()
                    .for_each(|subscript| self.value(subscript));
            }
            Value::Element { .. } | Value::Opaque { .. } => self.unknown(),
            Value::Unary(_, inner) | Value::Convert(_, inner) => self.value(inner),
            Value::Binary(_, left, right) => self.values(&[left, right]),
            Value::Select(a, b, c) => self.values(&[a, b, c]),
            Value::Section(parts) => parts.iter().for_each(|part| self.value(part)),
            Value::Call {
                name, arguments, ..
            } => match self.of.effects.target(name) {
                Target::Library(known) if is_of_values(known.kind) => {
                    arguments.iter().for_each(|argument| self.value(argument));
                }
                _ => self.unknown(),
            },
            Value::Address { of, .. } => match &**of {
                Value::Element {
                    array, subscripts, ..
                } => self.place(*array, subscripts),
                // It stays where it is.
                Value::Variable(id) if self.of.function.variable(*id).name.is_plain() => {}
                _ => self.unknown(),
            },
        }
    }

    /// The value of a scalar, or where an array is.
    fn variable(&mut self, id: VarId) {
        if !self.seen.insert(id) {
            return;
        }
        let Steady {
            function, stable, ..
        } = self.of;
        let variable = function.variable(id);
        let has_pointers = function.conventions.has_pointers();
        let is_array = !variable.dimensions.is_empty();
        let last = variable.dimensions.len().saturating_sub(1);
        let is_open = |at: usize| variable.dimensions[at].upper.is_none();
        // Rows that pointers lead to.
        if has_pointers && is_array && (0..last).any(is_open) {
            return self.unknown();
        }
        let is_pointer = has_pointers && is_array && is_open(last);
        let is_stable = stable.has(function, id);
        if !variable.name.is_plain() || function.members.contains_key(&id) {
            let is_in_place = is_array && !is_pointer;
            return match self.of.roots.get(&id) {
                Some(root) if has_pointers && (is_in_place || is_stable) => self.variable(*root),
                _ => self.unknown(),
            };
        }
        let extents = (variable.dimensions.iter())
            .flat_map(|extent| extent.lower.iter().chain(&extent.upper));
        let mut extents = extents.collect::<Vec<&Value>>();
        let is_fixed = extents.iter().all(|extent| is_constant(extent, function));
        match variable.role {
            Role::Constant(_) => {}
            Role::Argument => {
                match (self.of.formals.get(&id), &mut self.arguments) {
                    (Some(position), Some(all)) => drop(all.insert(*position)),
                    _ => self.unknown(),
                }
                self.made(id);
            }
            Role::Local if is_array && !is_pointer => match has_pointers {
                true => self.values(&std::mem::take(&mut extents)),
                false if is_fixed => {}
                false => self.unknown(),
            },
            Role::Local if self.of.made.contains_key(&id) => self.made(id),
            // What it has from the beginning; a component may also get another value with its structure.
            Role::Local
                if !is_array
                    && function.initial.contains_key(&id)
                    && !function.homes.contains_key(&id) => {}
            Role::Global if is_array && !is_pointer && (has_pointers || is_fixed) => {}
            Role::Global if is_stable => {}
            Role::Local | Role::Global | Role::Undeclared => self.unknown(),
        }
    }

    /// What the values are made of that statements give a variable.
    fn made(&mut self, id: VarId) {
        let of = self.of;
        match of.made.get(&id) {
            Some(made) if made.is_unknown => self.unknown(),
            Some(made) => self.values(&made.values),
            None => {}
        }
    }
}

/// Whether a value is made of numbers and named constants alone.
pub fn is_constant(value: &Value, function: &Function) -> bool {
    let mut is_constant = true;
    each_value(value, &mut |part| {
        is_constant &= match part {
            Value::Variable(id) => matches!(function.variable(*id).role, Role::Constant(_)),
            Value::Integer(_) | Value::Unary(..) | Value::Binary(..) | Value::Convert(..) => true,
            _ => false,
        };
    });
    is_constant
}

/// Whether a function of the language makes its value of those of its arguments alone.
fn is_of_values(kind: IntrinsicKind) -> bool {
    use IntrinsicKind::{Add, Conversion, Integer, MinMaxAbs, Multiply, Power, Special};
    matches!(
        kind,
        Add | Conversion | Integer | MinMaxAbs | Multiply | Power | Special
    )
}
