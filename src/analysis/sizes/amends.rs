//! What becomes of a number that the input gives a place, by the statements that change what has been read (`amended`)?

use std::collections::BTreeSet;

use super::amended::{Amended, Amendment};
use super::definition::{Definition, Definitions};
use super::found::Found;
use super::places::PlaceId;
use super::reals::{NAMES, rounded};
use super::resolver::Resolver;
use crate::calls::ProcedureId;
use crate::expr::Expr;
use crate::facts::Origin;
use crate::ir::visit::{each_value, variables_of};
use crate::ir::{BinaryOp, Type, UnaryOp, Value, VarId};

impl Resolver<'_, '_> {
    /// What a place has that is read and set, where statements may give it another value behind that, or its type does not
    /// hold it.
    pub(super) fn set_and_changed(&mut self, place: PlaceId, depth: u32) -> Option<Found> {
        let set = self.set.value(place)? as f64;
        let is_held = self.places.get(place).holds(set);
        let is_changed = is_read_somewhere(self.definitions, place, &mut Vec::new())
            && self.amendment(place, set, depth) != Amendment::Kept;
        (is_changed || !is_held).then(|| Found {
            may_change: true,
            ..Found::one(Some(Expr::from(set)), Origin::Callers)
        })
    }

    /// What a place has that is made of what was read for it, and that statements change again under conditions.
    pub(super) fn made_and_changed(&mut self, place: PlaceId, depth: u32) -> Option<Found> {
        let definitions = self.definitions;
        let of = &definitions[place.at()];
        if of.amended.is_empty() || !of.passed.is_empty() || of.is_aliased {
            return None;
        }
        let is_change = |value: &Value| of.amended.iter().any(|one| std::ptr::eq(one.value, value));
        let mut made = (of.assigned.iter()).filter(
            |definition| !matches!(definition, Definition::Value(_, value) if is_change(value)),
        );
        let (Some(Definition::Value(id, value)), None) = (made.next(), made.next()) else {
            return None;
        };
        if !self.is_made_of_read(place, *id, value) {
            return None;
        }
        let value = self.value(*id, value, depth).ok()?;
        let number = self.number_of(&value, NAMES)?;
        let found = Found::one(Some(value), Origin::Derived);
        match self.amendment(place, number, depth) {
            Amendment::Open => None,
            Amendment::Kept => Some(found),
            Amendment::To(number) => Some(Found::one(Some(Expr::from(number)), Origin::Derived)),
        }
    }

    /// Whether a value of a procedure is made of what is read there for a place.
    fn is_made_of_read(&self, place: PlaceId, id: ProcedureId, value: &Value) -> bool {
        let function = self.known.get(id).function;
        let mut used = BTreeSet::new();
        variables_of(value, &mut used);
        let is_it =
            |of: &VarId| self.places.find(function, id, &Value::Variable(*of)) == Some(place);
        used.iter()
            .any(|read| function.as_read.get(read).is_some_and(is_it))
    }

    /// What a place has that is read, with what statements make of its default, or may make of what is read.
    pub(super) fn given_and_changed(
        &mut self,
        place: PlaceId,
        found: Found,
        changes: &[Expr],
        depth: u32,
    ) -> Found {
        match found.value.as_ref().map(Expr::as_number) {
            Some(Some(number)) => match self.amendment(place, number, depth) {
                Amendment::Kept => found,
                Amendment::To(number) => Found {
                    value: Some(Expr::from(number)),
                    ..found
                },
                Amendment::Open => Found {
                    may_change: self.default_may_change((place, number), depth),
                    ..found
                },
            },
            Some(None) => found,
            None => Found {
                about: found.about.or_else(|| {
                    let numbers = changes.iter().filter_map(Expr::as_number);
                    numbers.filter(|number| *number >= 1.0).reduce(f64::max)
                }),
                ..found
            },
        }
    }

    /// Whether statements may change the default of a place that is read: not where only the input says so, or where its own
    /// default and those of others do not.
    fn default_may_change(&mut self, own: (PlaceId, f64), depth: u32) -> bool {
        let definitions = self.definitions;
        let of = &definitions[own.0.at()];
        of.amended.iter().any(|one| {
            // `if (n == 10) n = 33` asks for nothing but the number itself.
            let mut conditions = one.conditions.iter();
            let asks_itself = !one.conditions.is_empty()
                && conditions.all(|(condition, _)| {
                    self.holds(own, (one.procedure, condition), depth).is_some()
                });
            let is_of_input = of.is_instead_of_input(one.value)
                || (of.is_under_input(one.value) || of.is_under_words(one.value)) && !asks_itself;
            let is_call = one.is_unclear && one.conditions.is_empty() && !one.is_of_itself;
            !is_of_input
                && !is_call
                && !self.leaves(own, one, depth)
                && self.amends(own.0, one, &|_| own.1, depth) != Some(false)
        })
    }

    /// What a place has that begins with a number and that statements change.
    pub(super) fn changed(
        &mut self,
        place: PlaceId,
        (number, found): (f64, Found),
        depth: u32,
    ) -> Found {
        match self.amendment(place, number, depth) {
            Amendment::Kept => found,
            Amendment::To(number) => Found::one(Some(Expr::from(number)), Origin::Derived),
            Amendment::Open => Found {
                origin: Origin::Callers,
                ..found
            },
        }
    }

    /// What becomes of a number that the input gives a place.
    pub(super) fn amendment(&mut self, place: PlaceId, number: f64, depth: u32) -> Amendment {
        let definitions = self.definitions;
        let of = &definitions[place.at()];
        let mut result = Amendment::Kept;
        let mut now = number;
        let mut fronts: Vec<(&Value, f64)> = Vec::new();
        // What every run does to it is in the formulas of its procedure, from what it is told there (`as_read`): what others
        // see is not known where that is not apart.
        let is_always = |one: &Amended| {
            one.is_behind && !one.is_open && !one.is_unclear && one.conditions.is_empty()
        };
        if of.amended.iter().all(is_always) {
            return match of.amended.is_empty() {
                true => Amendment::Kept,
                false => Amendment::Open,
            };
        }
        for amended in &of.amended {
            if of.is_instead_of_input(amended.value)
                || of.is_under_input(amended.value) && amended.is_open && !amended.is_unclear
                || self.leaves((place, now), amended, depth)
            {
                continue;
            }
            // The arms of a branch are chosen by what it is in front of all of them.
            for (condition, _) in &amended.conditions {
                if !fronts
                    .iter()
                    .any(|(known, _)| std::ptr::eq(*known, *condition))
                {
                    fronts.push((*condition, now));
                }
            }
            let in_front = |condition: &Value| {
                let mut known = fronts
                    .iter()
                    .filter(|(one, _)| std::ptr::eq(*one, condition));
                known.next().map_or(now, |(_, number)| *number)
            };
            match self.amends(place, amended, &in_front, depth) {
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

    /// Whether a statement gives a place the number that it has.
    fn leaves(&mut self, own: (PlaceId, f64), amended: &Amended, depth: u32) -> bool {
        let is_literal = matches!(amended.value.unconverted(), Value::Integer(_));
        is_literal && self.made(own, (amended.procedure, amended.value), depth) == Some(own.1)
    }

    /// Whether a statement runs where a place has the number.
    pub(super) fn amends(
        &mut self,
        place: PlaceId,
        amended: &Amended,
        in_front: &dyn Fn(&Value) -> f64,
        depth: u32,
    ) -> Option<bool> {
        let mut is_certain = !amended.is_open && !amended.is_unclear;
        for (condition, is_true) in &amended.conditions {
            let own = (place, in_front(condition));
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

/// Whether something from outside gives a place values, in a procedure that it is passed to, too.
fn is_read_somewhere(all: &[Definitions], place: PlaceId, seen: &mut Vec<PlaceId>) -> bool {
    if seen.contains(&place) {
        return false;
    }
    seen.push(place);
    let of = &all[place.at()];
    of.is_read()
        || (of.assigned.iter()).any(|definition| match definition {
            Definition::Returned(dummy) => is_read_somewhere(all, *dummy, seen),
            _ => false,
        })
}
