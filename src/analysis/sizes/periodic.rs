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
use crate::ir::{Function, Type, Value};

/// Names are followed so far.
const DEPTH: u32 = 16;

/// Whether a place is the variable of a loop, or is passed one for a dummy argument.
pub(super) fn is_counted(
    known: &Procedures,
    (places, all): (&Places, &[Definitions]),
    place: PlaceId,
    depth: u32,
) -> bool {
    let Some(depth) = depth.checked_sub(1) else {
        return false;
    };
    let definitions = &all[place.at()];
    let by_loop = |definition: &Definition| matches!(definition, Definition::Counted(..));
    let by_caller = |definition: &Definition| match definition {
        Definition::Value(caller, value @ Value::Variable(_)) => {
            let function = known.get(*caller).function;
            (places.find(function, *caller, value))
                .is_some_and(|place| is_counted(known, (places, all), place, depth))
        }
        _ => false,
    };
    definitions.assigned.iter().any(by_loop) || definitions.passed.iter().any(by_caller)
}

impl Sizes {
    /// The share of the times in which such a condition holds, over places.
    pub fn periodic_share(
        &self,
        known: &Procedures,
        (procedure, function): (ProcedureId, &Function),
        (condition, decision): (&Value, &Decision),
    ) -> Option<Expr> {
        let meaning = |name: &str| known.target(procedure, name).meaning();
        let multiple = guards::Multiple::of(condition, &meaning)?;
        if !matches!(multiple.remainder.ty(function), Type::Integer(_)) {
            return None;
        }
        let place = |value: &Value| match value {
            Value::Variable(_) | Value::Element { .. } => self.place(procedure, function, value),
            _ => None,
        };
        let counts = || place(multiple.dividend).is_some_and(|place| self.is_counted(place));
        let varies = match decision {
            Decision::Fixed => counts(),
            Decision::Data | Decision::Loops => true,
            Decision::Guard(_) => false,
        };
        let every = match multiple.divisor {
            Value::Integer(every) => Expr::from(*every),
            Value::Variable(id) if function.variable(*id).constant.is_some() => {
                match function.variable(*id).constant.as_ref()? {
                    Value::Integer(every) => Expr::from(*every),
                    _ => return None,
                }
            }
            divisor => {
                self.number_of(place(divisor)?, DEPTH)?;
                self.value(procedure, function, divisor)?.0
            }
        };
        varies.then(|| multiple.share(every))
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
