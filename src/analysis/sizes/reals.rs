//! Which whole numbers are made from real ones, as in `nx = length / dx`?
//!
//! Only arithmetic of which all numbers are known is followed, with the rounding that the language has:
//! conversion cuts off, `nint` rounds, `ceiling` goes up. The real variables become parameters themselves
//! (guide: sizes, "Sizes made from real numbers").

use super::candidates::Gap;
use super::places::PlaceId;
use super::resolver::{Resolver, State};
use crate::calls::{ProcedureId, Target};
use crate::expr::{Expr, Node, Symbol};
use crate::intrinsics::{Elementary, Intrinsic, Meaning};
use crate::ir::{BinaryOp, Type, UnaryOp, Value, fold};
use crate::symbolic::extreme_or_absolute;

/// Names of numbers are followed so far.
pub(super) const NAMES: u32 = 16;

impl Resolver<'_, '_> {
    /// A value of a procedure that has real numbers in it, all of them known.
    pub(super) fn real(&mut self, id: ProcedureId, value: &Value, depth: u32) -> Result<Expr, Gap> {
        let found = self.unrounded(id, value, depth)?;
        let is_single = matches!(value.ty(self.known.get(id).function), Type::Real(4));
        Ok(match is_single {
            true => self.in_single(found),
            false => found,
        })
    }

    fn unrounded(&mut self, id: ProcedureId, value: &Value, depth: u32) -> Result<Expr, Gap> {
        let depth = depth.checked_sub(1).ok_or(Gap::Unfollowed)?;
        let function = self.known.get(id).function;
        if matches!(value.ty(function), Type::Integer(..)) {
            return self.value(id, value, depth);
        }
        match value {
            Value::Real(number, _) if number.is_finite() => Ok(Expr::from(*number)),
            Value::Variable(variable) => match &function.variable(*variable).constant {
                Some(constant) if !self.places.is_set(function, *variable) => {
                    self.real(id, constant, depth)
                }
                _ => self.known_real(id, value, depth),
            },
            Value::Unary(UnaryOp::Negate, operand) => Ok(-self.real(id, operand, depth)?),
            Value::Convert(Type::Real(_), operand) => self.real(id, operand, depth),
            Value::Binary(op, left, right) => {
                let (a, b) = (self.real(id, left, depth)?, self.real(id, right, depth)?);
                match op {
                    BinaryOp::Add => Ok(a + b),
                    BinaryOp::Subtract => Ok(a - b),
                    BinaryOp::Multiply => Ok(a * b),
                    BinaryOp::Divide if !b.is_zero() => Ok(a.quotient(b)),
                    BinaryOp::Power => Ok(a.power(b)),
                    _ => Err(Gap::Unfollowed),
                }
            }
            Value::Call {
                name, arguments, ..
            } => match self.known.target(id, name) {
                Target::Library(Intrinsic {
                    elementary: Some(function @ (Elementary::Root | Elementary::Power)),
                    ..
                }) => self.raised(id, *function, arguments, depth),
                target => match target.meaning() {
                    Some(meaning) => self.rounded(id, meaning, arguments, depth),
                    None => Err(Gap::Unfollowed),
                },
            },
            _ => Err(Gap::Unfollowed),
        }
    }

    /// The root of a number, or a power of it.
    fn raised(
        &mut self,
        id: ProcedureId,
        function: Elementary,
        arguments: &[Value],
        depth: u32,
    ) -> Result<Expr, Gap> {
        let mut real = |value| self.real(id, value, depth);
        match (function, arguments) {
            (Elementary::Root, [of]) => Ok(real(of)?.power(Expr::from(0.5))),
            (Elementary::Power, [base, exponent]) => Ok(real(base)?.power(real(exponent)?)),
            _ => Err(Gap::Unfollowed),
        }
    }

    /// What a library function makes of real numbers.
    pub(super) fn rounded(
        &mut self,
        id: ProcedureId,
        meaning: Meaning,
        arguments: &[Value],
        depth: u32,
    ) -> Result<Expr, Gap> {
        let values = arguments
            .iter()
            .map(|argument| self.real(id, argument, depth))
            .collect::<Result<Vec<Expr>, Gap>>()?;
        // Halves go away from zero.
        if let (Meaning::Nearest, Some(first)) = (meaning, values.first())
            && let Some(number) = self.number_of(first, NAMES).filter(|number| *number < 0.0)
        {
            return Ok(Expr::from(number.round()));
        }
        rounded(meaning, values).ok_or(Gap::Unfollowed)
    }

    /// What is left of a number in four bytes: itself, if they hold it.
    fn in_single(&self, found: Expr) -> Expr {
        let number = self.number_of(&found, NAMES);
        match number.filter(|number| fold::in_single(*number) != *number) {
            Some(number) => Expr::from(fold::in_single(number)),
            None => found,
        }
    }

    /// The value of an expression over places that are known.
    pub(super) fn number_of(&self, found: &Expr, depth: u32) -> Option<f64> {
        if let Some(number) = found.as_number() {
            return Some(number);
        }
        let depth = depth.checked_sub(1)?;
        let lookup = |symbol: &Symbol| {
            let number = *self.numbers.get(symbol)?;
            match &self.states[number] {
                State::Done(found) if found.is_one_value() => {
                    self.number_of(found.value.as_ref()?, depth)
                }
                // What is set and nothing else gives a value stays a symbol.
                State::Done(found) if found.value.is_none() => {
                    Some(self.set.value(PlaceId(number as u32))? as f64)
                }
                _ => None,
            }
        };
        found.evaluate(&lookup).ok()
    }

    /// A real variable all of whose values are known, at least until the input gives another.
    fn known_real(&mut self, id: ProcedureId, value: &Value, depth: u32) -> Result<Expr, Gap> {
        let function = self.known.get(id).function;
        let place = self.places.find(function, id, value);
        let place = place.ok_or(Gap::Unfollowed)?;
        let expr = self.mention(place, depth)?;
        match expr.node() {
            Node::Symbol(symbol) if !self.is_known(self.numbers[symbol]) => Err(Gap::Unfollowed),
            _ => Ok(expr),
        }
    }

    /// What a statement of a procedure assigns to a place, or a call passes for it.
    pub(super) fn assigned_value(
        &mut self,
        place: PlaceId,
        id: ProcedureId,
        value: &Value,
        depth: u32,
    ) -> Result<Expr, Gap> {
        let function = self.known.get(id).function;
        match (self.places.get(place).is_real, value.ty(function)) {
            (true, _) => {
                let found = self.real(id, value, depth)?;
                Ok(match self.places.get(place).is_single {
                    true => self.in_single(found),
                    false => found,
                })
            }
            (false, Type::Real(_)) => Ok(self.real(id, value, depth)?.truncated()),
            _ => self.value(id, value, depth),
        }
    }
}

/// The value of a function of numbers; behind the first may stand the kind of the result.
pub(super) fn rounded(meaning: Meaning, mut values: Vec<Expr>) -> Option<Expr> {
    if values.is_empty() {
        return None;
    }
    Some(match meaning {
        Meaning::Floor => values.remove(0).floor(),
        Meaning::Ceiling => values.remove(0).ceiling(),
        Meaning::Nearest => (values.remove(0) + 0.5).floor(),
        Meaning::Truncated => values.remove(0).truncated(),
        Meaning::Unchanged => values.remove(0),
        _ => return extreme_or_absolute(meaning, values),
    })
}
