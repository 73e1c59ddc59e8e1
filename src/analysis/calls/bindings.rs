//! What dummy arguments are in the caller's terms.

use super::instance::Instance;
use crate::analysis::addresses::addressed;
use crate::ir::{Stmt, Type, Value, VarId, Variable};
use crate::source::Language;

/// What a dummy argument stands for.
pub(super) enum Binding {
    Value(Value),
    View(View),
}

/// An array of the caller under the subscripts of a dummy argument.
pub(super) struct View {
    pub array: VarId,
    dimensions: Vec<Dimension>,
}

/// One dimension of the caller's array.
pub(super) enum Dimension {
    Fixed(Value),
    /// `start + (subscript − origin)·step` with the subscript at `position` of the dummy argument.
    Along {
        position: usize,
        start: Value,
        origin: Value,
        step: Value,
    },
}

impl View {
    /// The subscripts of the caller's array, given those of the dummy argument.
    pub fn subscripts(&self, given: &[Value]) -> Option<Vec<Value>> {
        let subscript = |dimension: &Dimension| match dimension {
            Dimension::Fixed(value) => Some(value.clone()),
            Dimension::Along {
                position,
                start,
                origin,
                step,
            } => Some(mapped(given.get(*position)?.clone(), start, origin, step)),
        };
        self.dimensions.iter().map(subscript).collect()
    }
}

impl Instance<'_, '_, '_> {
    pub fn bind(&mut self, formal: VarId, actual: &Value) -> Option<()> {
        let variable = self.template.function.variable(formal);
        self.passed.insert(formal, actual.clone());
        let actual = addressed(actual).unwrap_or(actual);
        if matches!(variable.ty, Type::Derived(..)) {
            return self.binds_structure(formal).then_some(());
        }
        let binding = match variable.dimensions.len() {
            0 => Binding::Value(self.scalar(formal, variable, actual)),
            rank => match actual {
                Value::Variable(id) if self.caller.function.variable(*id).dimensions.is_empty() => {
                    Binding::Value(actual.clone())
                }
                _ => Binding::View(self.view(variable, rank, actual)?),
            },
        };
        self.bindings.insert(formal, binding);
        Some(())
    }

    /// What a scalar dummy argument becomes: what is passed, or a copy of it.
    fn scalar(&mut self, formal: VarId, variable: &Variable, actual: &Value) -> Value {
        let assigned = self.template.assigned.contains(&formal);
        let uses = self.template.uses.get(&formal).copied().unwrap_or(0);
        let is_place = matches!(actual, Value::Variable(_) | Value::Element { .. });
        let stays = match self.template.language {
            Language::Fortran if is_place => true,
            Language::Fortran | Language::C if assigned => false,
            _ => {
                let is_plain = matches!(
                    actual,
                    Value::Variable(_)
                        | Value::Integer(_)
                        | Value::Real(..)
                        | Value::Logical(_)
                        | Value::Text(_)
                );
                uses <= 1 || is_plain || matches!(variable.ty, Type::Integer(_))
            }
        };
        let from = actual.ty(&self.caller.function);
        let converted =
            variable.ty.is_floating() && from != variable.ty && from != Type::Unknown && !is_place;
        let value = match converted {
            true => Value::Convert(variable.ty.clone(), Box::new(actual.clone())),
            false => actual.clone(),
        };
        if stays {
            return value;
        }
        let Some(copy) = self.local(formal, variable) else {
            return value;
        };
        self.before.push(Stmt::Assign {
            place: self.place.clone(),
            target: Value::Variable(copy),
            value,
        });
        Value::Variable(copy)
    }

    /// The caller's array as the dummy array of that rank sees it.
    pub(super) fn view(&mut self, formal: &Variable, rank: usize, actual: &Value) -> Option<View> {
        let mut origins = Vec::with_capacity(rank);
        for extent in &formal.dimensions {
            origins.push(match &extent.lower {
                Some(lower) => self.value(lower)?,
                None => self.first(),
            });
        }
        let along = |position: usize, start: Value, step: Value| Dimension::Along {
            position,
            start,
            origin: origins[position].clone(),
            step,
        };
        let one = || Value::Integer(1);
        match actual {
            Value::Variable(array) => {
                let extents = &self.caller.function.variable(*array).dimensions;
                let starts = extents
                    .iter()
                    .map(|e| e.lower.clone().unwrap_or_else(|| self.first()));
                let dimensions = starts
                    .enumerate()
                    .map(|(k, start)| (k < rank).then(|| along(k, start, one())));
                (extents.len() == rank).then(|| {
                    Some(View {
                        array: *array,
                        dimensions: dimensions.collect::<Option<_>>()?,
                    })
                })?
            }
            // A row, or storage from an element on.
            Value::Element {
                array, subscripts, ..
            } => {
                let open = subscripts.iter().filter(|s| s.has_no_number()).count();
                if open != 0 && open != rank || open == 0 && rank > subscripts.len() {
                    return None;
                }
                let mut next = 0;
                let dimensions = subscripts.iter().map(|subscript| {
                    let (start, step) = match subscript {
                        Value::Section(parts) => {
                            let [start, _, step] = &**parts;
                            (start.clone(), step.clone())
                        }
                        Value::Row => (self.first(), one()),
                        Value::Address { .. } | Value::Opaque { .. } => return None,
                        _ if open == 0 && next < rank => (subscript.clone(), one()),
                        fixed => return Some(Dimension::Fixed(fixed.clone())),
                    };
                    next += 1;
                    Some(along(next - 1, start, step))
                });
                Some(View {
                    array: *array,
                    dimensions: dimensions.collect::<Option<_>>()?,
                })
            }
            // `a + i`
            Value::Binary(crate::ir::BinaryOp::Add, base, offset) => {
                let mut view = self.view(formal, rank, base)?;
                let last = view.dimensions.last_mut()?;
                let Dimension::Along { start, .. } = last else {
                    return None;
                };
                *start = sum(start.clone(), (**offset).clone());
                Some(view)
            }
            _ => None,
        }
    }
}

pub(super) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Integer(a), Value::Integer(b)) => a == b,
        (Value::Variable(a), Value::Variable(b)) => a == b,
        _ => false,
    }
}

fn sum(a: Value, b: Value) -> Value {
    use crate::ir::BinaryOp::Add;
    match (a, b) {
        (Value::Integer(0), other) | (other, Value::Integer(0)) => other,
        (Value::Integer(a), Value::Integer(b)) => a.checked_add(b).map_or_else(
            || Value::binary(Add, Value::Integer(a), Value::Integer(b)),
            Value::Integer,
        ),
        (a, b) => Value::binary(Add, a, b),
    }
}

/// `start + (subscript − origin)·step`
fn mapped(subscript: Value, start: &Value, origin: &Value, step: &Value) -> Value {
    use crate::ir::BinaryOp::{Multiply, Subtract};
    let unit = matches!(step, Value::Integer(1));
    if unit && same(start, origin) {
        return subscript;
    }
    let distance = match (subscript, origin) {
        (subscript, Value::Integer(0)) => subscript,
        (subscript, origin) if same(&subscript, origin) => Value::Integer(0),
        (Value::Integer(a), Value::Integer(b)) if a.checked_sub(*b).is_some() => {
            Value::Integer(a - b)
        }
        (subscript, origin) => Value::binary(Subtract, subscript, origin.clone()),
    };
    let moved = if unit {
        distance
    } else {
        Value::binary(Multiply, distance, step.clone())
    };
    sum(start.clone(), moved)
}
