//! How often does a condition hold that asks whether a count is a multiple of something, as `mod(step, every) == 0`?
//!
//! Once in so many times, where the program has a value for `every`: by its input, or by itself. A condition that
//! stays the same while its procedure runs is one of these if what is divided is counted by loops of callers.

use super::definition::{Definition, Definitions};
use super::places::{PlaceId, Places};
use super::program::Sizes;
use crate::calls::{ProcedureId, Procedures};
use crate::expr::{Expr, Symbol};
use crate::facts::{Decision, Origin};
use crate::guards;
use crate::ir::{BinaryOp, Function, Type, Value};

/// Names are followed so far.
const DEPTH: u32 = 16;

/// Of every place, whether it is the variable of a loop, or is passed one for a dummy argument.
pub(super) fn counted(known: &Procedures, places: &Places, all: &[Definitions]) -> Vec<bool> {
    let by_loop = |definitions: &Definitions| {
        let is_loop = |definition: &Definition| matches!(definition, Definition::Counted(..));
        let mut given = definitions.assigned.iter().chain(&definitions.passed);
        given.any(is_loop)
    };
    let passed = |definition: &Definition| match definition {
        Definition::Value(caller, value @ Value::Variable(_)) => {
            places.find(known.get(*caller).function, *caller, value)
        }
        _ => None,
    };
    let mut found: Vec<bool> = all.iter().map(by_loop).collect();
    for _ in 0..DEPTH {
        let before = found.clone();
        for (at, definitions) in all.iter().enumerate().filter(|(at, _)| !before[*at]) {
            let mut given = definitions.passed.iter().filter_map(passed);
            found[at] = given.any(|place| before[place.at()]);
        }
        if found == before {
            break;
        }
    }
    found
}

impl Sizes {
    /// Whether loops count a value, those of callers included.
    pub fn counts(&self, procedure: ProcedureId, function: &Function, value: &Value) -> bool {
        let place = match value {
            Value::Variable(_) | Value::Element { .. } => self.place(procedure, function, value),
            _ => None,
        };
        place.is_some_and(|place| self.is_counted(place))
    }

    /// The share of the times in which such a condition holds, over places.
    pub fn periodic_share(
        &self,
        known: &Procedures,
        (procedure, function): (ProcedureId, &Function),
        (condition, excluded, decision): (&Value, usize, &Decision),
    ) -> Option<Expr> {
        let meaning = |name: &str| known.target(procedure, name).meaning();
        let multiple = guards::Multiple::of(condition, &meaning)?;
        if !multiple.tells(decision) {
            return None;
        }
        if !multiple.is_whole(&|value| matches!(value.ty(function), Type::Integer(..))) {
            return None;
        }
        let varies = match decision {
            Decision::Fixed => self.counts(procedure, function, multiple.dividend),
            Decision::Data | Decision::Loops(_) => true,
            Decision::Guard(_) | Decision::Once(_) | Decision::PerhapsOnce(_) => false,
        };
        let every = self.period(procedure, function, &multiple.divisor, DEPTH)?;
        varies.then(|| multiple.share(every, excluded))
    }

    /// The number by which a condition divides a count, if the program or its input gives it one.
    pub fn period_number(
        &self,
        procedure: ProcedureId,
        function: &Function,
        divisor: &Value,
    ) -> Option<f64> {
        let period = self.period(procedure, function, divisor, DEPTH)?;
        let lookup = |symbol: &Symbol| self.number_of(self.numbered(symbol)?, DEPTH);
        period.evaluate(&lookup).ok().filter(|n| n.is_finite())
    }

    /// What a condition divides a count by, over places that all have numbers: `10*n`.
    fn period(
        &self,
        procedure: ProcedureId,
        function: &Function,
        divisor: &Value,
        depth: u32,
    ) -> Option<Expr> {
        let depth = depth.checked_sub(1)?;
        match divisor {
            Value::Integer(every) => Some(Expr::from(*every)),
            Value::Variable(id)
                if function.variable(*id).constant.is_some()
                    && !self.is_set_constant(function, *id) =>
            {
                match function.variable(*id).constant.as_ref()? {
                    Value::Integer(every) => Some(Expr::from(*every)),
                    _ => None,
                }
            }
            // What loops count is no period: it is another one each time.
            divisor if self.counts(procedure, function, divisor) => None,
            Value::Variable(_) | Value::Element { .. } => {
                let place = self.place(procedure, function, divisor)?;
                self.number_of(place, DEPTH)?;
                Some(self.value(procedure, function, divisor)?.0)
            }
            Value::Binary(op, left, right) => {
                let side = |value| self.period(procedure, function, value, depth);
                let (left, right) = (side(left)?, side(right)?);
                match op {
                    BinaryOp::Add => Some((left + right).expand()),
                    BinaryOp::Subtract => Some((left - right).expand()),
                    BinaryOp::Multiply => Some((left * right).expand()),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The number that a place has, if the program or its input gives it one.
    fn number_of(&self, place: PlaceId, depth: u32) -> Option<f64> {
        let depth = depth.checked_sub(1)?;
        let (value, origin) = self.known(place)?;
        if origin == Origin::Default {
            return None;
        }
        let lookup = |symbol: &Symbol| self.number_of(self.numbered(symbol)?, depth);
        value.evaluate(&lookup).ok().filter(|n| n.is_finite())
    }
}
