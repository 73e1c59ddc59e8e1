//! Does a condition hold where variables have certain numbers?

use super::definition::Definitions;
use super::places::{PlaceId, Places};
use crate::arithmetic::{Compute, Numbers, Products};
use crate::calls::Procedures;
use crate::ir::{BinaryOp, Function, Type, UnaryOp, Value, VarId, wider};
use crate::literal::{DEPTH, literal};

/// What decides conditions of a procedure.
pub(super) struct Choice<'a> {
    pub function: &'a Function,
    /// Whether the user sets a named constant.
    pub is_set: &'a dyn Fn(VarId) -> bool,
    /// The number that a variable or element has, or a call of a function; names are followed so far.
    pub value: &'a dyn Fn(&Value, u32) -> Option<i64>,
    /// The real number that a variable has.
    pub real: &'a dyn Fn(&Value) -> Option<f64>,
    /// Whether a variable has the rank of the process, where data that are compared with it have that, too: all of them
    /// belong to the only process.
    pub is_rank: &'a dyn Fn(&Value) -> bool,
    /// Whether a condition holds that asks if a pointer leads somewhere, or if a text has something in it.
    pub leads: &'a dyn Fn(&Value) -> Option<bool>,
}

impl Choice<'_> {
    pub fn truth(&self, condition: &Value, depth: u32) -> Option<bool> {
        let depth = depth.checked_sub(1)?;
        if let Some(leads) = (self.leads)(condition) {
            return Some(leads);
        }
        match condition {
            Value::Unary(UnaryOp::Not, operand) => {
                self.truth(operand, depth).map(|is_true| !is_true)
            }
            Value::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                op.joined([left, right].map(|side| self.truth(side, depth)))
            }
            Value::Binary(op, left, right) if op.is_comparison() => {
                let both = wider(left.ty(self.function), right.ty(self.function));
                match [left, right].map(|side| self.number(side, depth)) {
                    [Some(a), Some(b)] => {
                        let [a, b] = [both.computed(a)?, both.computed(b)?];
                        Some(op.holds_of(a.cmp(&b)))
                    }
                    [Some(_), None] if (self.is_rank)(left) => self.among_ranks(*op, right),
                    [None, Some(_)] if (self.is_rank)(right) => self.among_ranks(*op, left),
                    _ if both.is_floating() => self.truth_of_reals(condition, depth),
                    _ => None,
                }
            }
            value => Some(self.number(value, depth)? != 0),
        }
    }

    /// Whether a comparison of real numbers holds that the program gives once and for all.
    fn truth_of_reals(&self, condition: &Value, depth: u32) -> Option<bool> {
        let known = |value: &Value| match value {
            Value::Variable(id) if !value.ty(self.function).is_floating() => {
                let number = self.number(&Value::Variable(*id), depth)?;
                Some(number as f64)
            }
            Value::Variable(id) => match &self.function.variable(*id).constant {
                Some(constant) if !(self.is_set)(*id) => self.computed(constant, depth),
                _ => (self.real)(value),
            },
            _ => None,
        };
        self.with(&known).holds(condition, &Numbers::new())
    }

    /// The number of what a named constant stands for.
    fn computed(&self, constant: &Value, depth: u32) -> Option<f64> {
        let depth = depth.checked_sub(1)?;
        let known = |value: &Value| match value {
            Value::Variable(id) => {
                self.computed(self.function.variable(*id).constant.as_ref()?, depth)
            }
            _ => None,
        };
        self.with(&known)
            .number(constant, &Numbers::new(), crate::arithmetic::DEPTH)
    }

    fn with<'c>(&'c self, known: &'c dyn Fn(&Value) -> Option<f64>) -> Compute<'c> {
        Compute {
            function: self.function,
            known,
            products: Products::Rounded,
        }
    }

    /// Whether the rank of the only process is the one that data have.
    fn among_ranks(&self, op: BinaryOp, data: &Value) -> Option<bool> {
        let is_datum = matches!(
            data.unconverted(),
            Value::Variable(_) | Value::Element { .. }
        );
        let is_whole = matches!(data.ty(self.function), Type::Integer(..));
        match op {
            BinaryOp::Equal | BinaryOp::NotEqual if is_datum && is_whole => {
                Some(op == BinaryOp::Equal)
            }
            _ => None,
        }
    }

    pub fn number(&self, value: &Value, depth: u32) -> Option<i64> {
        let depth = depth.checked_sub(1)?;
        if let Some(number) = literal(self.function, value, depth).filter(|_| !self.is_set(value)) {
            return Some(number);
        }
        match value {
            Value::Convert(ty @ Type::Integer(..), operand) => {
                let is_whole = !operand.ty(self.function).is_floating();
                ty.wrapped(self.number(operand, depth).filter(|_| is_whole)?)
            }
            Value::Convert(_, operand) => self.number(operand, depth),
            Value::Unary(UnaryOp::Negate, operand) => self.number(operand, depth)?.checked_neg(),
            Value::Unary(UnaryOp::Not, _) | Value::Binary(BinaryOp::And | BinaryOp::Or, ..) => {
                self.truth(value, depth).map(i64::from)
            }
            Value::Binary(op, ..) if op.is_comparison() => self.truth(value, depth).map(i64::from),
            Value::Binary(op, left, right) => {
                let is_whole = |side: &Value| matches!(side.ty(self.function), Type::Integer(..));
                if !is_whole(left) || !is_whole(right) {
                    return None;
                }
                let (a, b) = (self.number(left, depth)?, self.number(right, depth)?);
                let result = match op {
                    BinaryOp::Add => a.checked_add(b),
                    BinaryOp::Subtract => a.checked_sub(b),
                    BinaryOp::Multiply => a.checked_mul(b),
                    BinaryOp::Divide => a.checked_div(b),
                    BinaryOp::ShiftRight => a.checked_div_euclid(b),
                    BinaryOp::Remainder => a.checked_rem(b),
                    _ => None,
                };
                value.ty(self.function).computed(result?)
            }
            Value::Variable(_) | Value::Element { .. } | Value::Call { .. } => {
                (self.value)(value, depth)
            }
            _ => None,
        }
    }

    fn is_set(&self, value: &Value) -> bool {
        matches!(value, Value::Variable(id) if (self.is_set)(*id))
    }
}

/// What a place begins with, if it is a number.
pub(super) fn begins_with(
    known: &Procedures,
    places: &Places,
    definitions: &Definitions,
    id: PlaceId,
) -> Option<i64> {
    match definitions.initial {
        Some((procedure, value)) => literal(known.get(procedure).function, value, DEPTH),
        None => {
            let place = places.get(id);
            let begins_with_zero = place.begins_with_zero || definitions.is_zero_structure;
            (begins_with_zero && place.array.is_none()).then_some(0)
        }
    }
}
