//! What does a dummy argument stand for in the caller?
//!
//! A scalar that a procedure changes is the caller's own in Fortran and a copy in C. A value is copied before
//! the body if the body uses it several times, as the program computes it once; plain names and integers are
//! not, since subscripts are only understood in the caller's variables.
//!
//! An array is a [`View`]: `q(:, 3)` passed for `y` makes `y(i)` the element `q(i, 3)`, and `&b[i][0]`, or
//! Fortran's `r(1, j)`, is where the dummy array begins. Ranks that do not fit make no view, and the call stays
//! one.

use super::instance::Instance;
use super::view::{Binding, Dimension, View, sum};
use crate::ir::{Passing, Stmt, Type, Value, VarId, Variable, addressed};

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
        let stays = match self.template.function.conventions.passing {
            Passing::Places if is_place => true,
            Passing::Places | Passing::Values if assigned => false,
            _ => {
                let is_plain = matches!(
                    actual,
                    Value::Variable(_)
                        | Value::Integer(_)
                        | Value::Real(..)
                        | Value::Logical(_)
                        | Value::Text(_)
                );
                uses <= 1 || is_plain || matches!(variable.ty, Type::Integer(..))
            }
        };
        let from = actual.ty(&self.caller.function);
        // Of what is passed by value, what does not fit is cut off.
        let is_cut_off = match (&variable.ty, &from) {
            (Type::Integer(..), Type::Real(_)) => true,
            (Type::Integer(bytes @ 1..4, _), Type::Integer(of, _)) => bytes < of,
            _ => false,
        } && self.template.function.conventions.passing == Passing::Values;
        let is_other = variable.ty.is_floating() && from != variable.ty && from != Type::Unknown;
        let converted = is_other && !is_place || is_cut_off;
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
