//! What becomes of a number that the input gives a place, by the statements that change what has been read (`amended`)?

use super::amended::{Amended, Amendment};
use super::places::PlaceId;
use super::reals::{NAMES, rounded};
use super::resolver::Resolver;
use crate::calls::ProcedureId;
use crate::expr::Expr;
use crate::ir::visit::each_value;
use crate::ir::{BinaryOp, Type, UnaryOp, Value};

impl Resolver<'_, '_> {
    /// What becomes of a number that the input gives a place.
    pub(super) fn amendment(&mut self, place: PlaceId, number: f64, depth: u32) -> Amendment {
        let definitions = self.definitions;
        let of = &definitions[place.at()];
        let mut result = Amendment::Kept;
        let mut now = number;
        // What every run does to it, and nothing else, is in the formula of its value.
        let is_always = |one: &Amended| {
            one.is_behind && !one.is_open && !one.is_unclear && one.conditions.is_empty()
        };
        if of.amended.iter().all(is_always) {
            return Amendment::Kept;
        }
        for amended in &of.amended {
            if of.is_instead_of_input(amended.value)
                || of.is_under_input(amended.value) && amended.is_open && !amended.is_unclear
            {
                continue;
            }
            match self.amends((place, now), amended, depth) {
                None => return Amendment::Open,
                Some(_) if self.asks_for_changed(place, amended) => return Amendment::Open,
                Some(false) => {}
                Some(true) => {
                    match self.made((place, now), (amended.procedure, amended.value), depth) {
                        Some(to) if amended.is_behind => {
                            now = to;
                            result = Amendment::To(now);
                        }
                        // Whether it was read before is not known.
                        _ => return Amendment::Open,
                    }
                }
            }
        }
        result
    }

    /// Whether a statement runs where a place has the number.
    fn amends(&mut self, own: (PlaceId, f64), amended: &Amended, depth: u32) -> Option<bool> {
        let mut is_certain = !amended.is_open && !amended.is_unclear;
        for (condition, is_true) in &amended.conditions {
            match self.holds(own, (amended.procedure, condition), depth) {
                Some(holds) if holds != *is_true => return Some(false),
                Some(_) => {}
                None => is_certain = false,
            }
        }
        is_certain.then_some(true)
    }

    /// Whether a statement asks for other places that statements change, too: which of their values it sees, their order says.
    fn asks_for_changed(&self, own: PlaceId, amended: &Amended) -> bool {
        let function = self.known.get(amended.procedure).function;
        let conditions = amended.conditions.iter().map(|(condition, _)| *condition);
        let mut found = false;
        for value in conditions.chain([amended.value]) {
            each_value(value, &mut |part| {
                let is_place = matches!(part, Value::Variable(_) | Value::Element { .. });
                let place = || self.places.find(function, amended.procedure, part);
                found |= is_place
                    && place().is_some_and(|place| {
                        place != own && !self.definitions[place.at()].amended.is_empty()
                    });
            });
        }
        found
    }

    /// Whether a condition of a procedure holds where a place has the number.
    fn holds<'v>(
        &mut self,
        own: (PlaceId, f64),
        (id, condition): (ProcedureId, &'v Value),
        depth: u32,
    ) -> Option<bool> {
        let depth = depth.checked_sub(1)?;
        let of = |value: &'v Value| (id, value);
        match condition.unconverted() {
            Value::Unary(UnaryOp::Not, inner) => Some(!self.holds(own, of(inner), depth)?),
            Value::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                let sides = [left, right].map(|side| self.holds(own, of(side), depth));
                let decides = *op == BinaryOp::Or;
                match sides {
                    [Some(side), _] | [_, Some(side)] if side == decides => Some(decides),
                    [Some(_), Some(_)] => Some(!decides),
                    _ => None,
                }
            }
            Value::Binary(op, left, right) if op.is_comparison() => {
                let left = self.made(own, of(left), depth)?;
                let right = self.made(own, of(right), depth)?;
                Some(op.holds_of(left.partial_cmp(&right)?))
            }
            value => Some(self.made(own, of(value), depth)? != 0.0),
        }
    }

    /// The number that a value of a procedure is where a place has one.
    fn made(
        &mut self,
        own: (PlaceId, f64),
        (id, value): (ProcedureId, &Value),
        depth: u32,
    ) -> Option<f64> {
        let depth = depth.checked_sub(1)?;
        let function = self.known.get(id).function;
        let is_whole = |value: &Value| matches!(value.ty(function), Type::Integer(..));
        match value {
            Value::Variable(_) | Value::Element { .. }
                if self.places.find(function, id, value) == Some(own.0) =>
            {
                Some(own.1)
            }
            Value::Integer(number) => Some(*number as f64),
            Value::Real(number, _) => Some(*number),
            Value::Logical(is_true) => Some(f64::from(u8::from(*is_true))),
            Value::Convert(Type::Integer(..), inner) if !is_whole(inner) => {
                Some(self.made(own, (id, inner), depth)?.trunc())
            }
            Value::Convert(_, inner) => self.made(own, (id, inner), depth),
            Value::Unary(UnaryOp::Negate, inner) => Some(-self.made(own, (id, inner), depth)?),
            Value::Binary(op, left, right) => {
                let [a, b] = [left, right].map(|side| self.made(own, (id, side), depth));
                let (a, b) = (a?, b?);
                let is_whole = is_whole(left) && is_whole(right);
                match op {
                    BinaryOp::Add => Some(a + b),
                    BinaryOp::Subtract => Some(a - b),
                    BinaryOp::Multiply => Some(a * b),
                    BinaryOp::Divide if b != 0.0 && is_whole => Some((a / b).trunc()),
                    BinaryOp::Divide if b != 0.0 => Some(a / b),
                    BinaryOp::Remainder if b != 0.0 => Some(a % b),
                    _ => None,
                }
            }
            Value::Select(condition, then, otherwise) => {
                let arm = match self.holds(own, (id, condition), depth)? {
                    true => then,
                    false => otherwise,
                };
                self.made(own, (id, arm), depth)
            }
            Value::Call {
                name, arguments, ..
            } if self.known.target(id, name).meaning().is_some() => {
                let meaning = self.known.target(id, name).meaning()?;
                let arguments = arguments.iter();
                let values: Option<Vec<Expr>> = arguments
                    .map(|argument| Some(Expr::from(self.made(own, (id, argument), depth)?)))
                    .collect();
                rounded(meaning, values?)?.as_number()
            }
            value => {
                let found = match is_whole(value) {
                    true => self.value(id, value, depth),
                    false => self.real(id, value, depth),
                };
                self.number_of(&found.ok()?, NAMES)
            }
        }
    }
}
