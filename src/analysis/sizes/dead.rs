//! Which statements does no run get to that is given what this one is?
//!
//! A decomposition gives some processes, chunks or tiles one element more: `if (i <= mod(n, chunks)) extra =
//! 1`. With one chunk the remainder is zero and i is 1, so the statement is never reached; counted as one of
//! several values, it would make the size n + 1. Conditions around literals and counts (`guarded`) are decided
//! by ranges: every variable has a smallest and a largest value, and what follows for all of the range is
//! certain.
//!
//! Only what is followed completely counts, and of what the program reads only a 1: other sizes are to be set
//! by whoever runs it, and must not decide branches here.

use super::definition::{Definition, Definitions};
use super::found::Found;
use super::places::{PlaceId, Places};
use super::set::SetPlaces;
use super::truth::begins_with;
use crate::calls::{ProcedureId, Procedures};
use crate::expr::{Expr, Symbol};
use crate::facts::Origin;
use crate::intrinsics::Meaning;
use crate::ir::{BinaryOp, UnaryOp, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Names and conditions are followed so far.
const DEPTH: u32 = 24;

/// What is known of places after a first look at the whole program.
pub(super) struct Seen<'a, 'u> {
    pub known: &'a Procedures<'u>,
    pub places: &'a Places,
    pub definitions: &'a [Definitions<'u>],
    pub found: &'a [Found],
    pub numbers: &'a FxHashMap<&'a Symbol, usize>,
    /// What the user sets.
    pub set: &'a SetPlaces,
    /// What begins with one number and gets another as the program runs.
    pub switches: &'a FxHashSet<PlaceId>,
}

/// Where a condition stands: in a procedure, in loops with these variables.
#[derive(Clone, Copy)]
struct At<'a> {
    procedure: ProcedureId,
    variables: &'a [VarId],
}

/// The smallest and the largest value.
type Range = (f64, f64);

impl<'u> Seen<'_, 'u> {
    /// The values of statements that are never reached, with their places.
    pub fn unreached(&self) -> Vec<(PlaceId, &'u Value)> {
        let places = (0..).map(PlaceId).zip(self.definitions);
        let each = places.flat_map(|(place, definitions)| {
            let guards = definitions.guards.iter();
            guards.filter_map(move |(id, value, around)| {
                let at = At {
                    procedure: *id,
                    variables: &around.variables,
                };
                let fails = |(condition, is_true): &(&Value, bool)| {
                    self.truth(at, condition, DEPTH) == Some(!is_true)
                };
                (around.conditions.iter().any(fails)).then_some((place, *value))
            })
        });
        each.collect()
    }

    fn truth(&self, at: At, condition: &Value, depth: u32) -> Option<bool> {
        let depth = depth.checked_sub(1)?;
        match condition {
            Value::Convert(_, inner) => self.truth(at, inner, depth),
            Value::Unary(UnaryOp::Not, inner) => Some(!self.truth(at, inner, depth)?),
            Value::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                op.joined([left, right].map(|side| self.truth(at, side, depth)))
            }
            Value::Binary(op, left, right) if op.is_comparison() => {
                let (a, b) = (self.range(at, left, depth)?, self.range(at, right, depth)?);
                compared(*op, a, b)
            }
            Value::Logical(is_true) => Some(*is_true),
            Value::Variable(_) | Value::Element { .. } if !self.is_default(at, condition) => {
                match self.range(at, condition, depth)? {
                    (0.0, 0.0) => Some(false),
                    (low, high) => (low > 0.0 || high < 0.0).then_some(true),
                }
            }
            _ => None,
        }
    }

    /// Whether a variable has its value only until the program reads another, or gets to the statement that gives it.
    fn is_default(&self, at: At, variable: &Value) -> bool {
        let function = self.known.get(at.procedure).function;
        let place = self.places.find(function, at.procedure, variable);
        place.is_some_and(|place| {
            let origin = self.found[place.at()].origin;
            let is_given = matches!(origin, Origin::Given | Origin::Words);
            let may_differ = is_given || self.definitions[place.at()].may_keep_initial();
            may_differ && self.set.value(place).is_none()
        })
    }

    fn range(&self, at: At, value: &Value, depth: u32) -> Option<Range> {
        let depth = depth.checked_sub(1)?;
        let id = at.procedure;
        let function = self.known.get(id).function;
        let of = |value: &Value| self.range(at, value, depth);
        match value {
            Value::Integer(n) => Some((*n as f64, *n as f64)),
            Value::Logical(is_true) => {
                let number = f64::from(u8::from(*is_true));
                Some((number, number))
            }
            Value::Unary(UnaryOp::Negate, inner) => of(inner).map(|(low, high)| (-high, -low)),
            Value::Variable(variable) => match &function.variable(*variable).constant {
                Some(constant) if !self.places.is_set(function, *variable) => of(constant),
                _ => {
                    let place = self.places.find(function, id, value)?;
                    match at.variables.contains(variable) {
                        true => self.counted(place, depth),
                        false => self.followed(place, depth),
                    }
                }
            },
            Value::Element { .. } => self.followed(self.places.find(function, id, value)?, depth),
            Value::Binary(BinaryOp::Add, left, right) => {
                let (a, b) = (of(left)?, of(right)?);
                Some((a.0 + b.0, a.1 + b.1))
            }
            Value::Binary(BinaryOp::Subtract, left, right) => {
                let (a, b) = (of(left)?, of(right)?);
                Some((a.0 - b.1, a.1 - b.0))
            }
            Value::Binary(BinaryOp::Remainder, left, right) => {
                self.remainder(at, left, right, depth)
            }
            Value::Call {
                name, arguments, ..
            } => match (
                self.known.target(at.procedure, name).meaning(),
                &arguments[..],
            ) {
                (Some(Meaning::Remainder), [left, right]) => self.remainder(at, left, right, depth),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whatever is divided by one leaves nothing.
    fn remainder(&self, at: At, left: &Value, right: &Value, depth: u32) -> Option<Range> {
        let is_integer = |value: &Value| {
            matches!(
                value.ty(self.known.get(at.procedure).function),
                crate::ir::Type::Integer(..)
            )
        };
        let divisor = self.range(at, right, depth)?;
        if !is_integer(left) || divisor.0 < 1.0 {
            return None;
        }
        if divisor == (1.0, 1.0) {
            return Some((0.0, 0.0));
        }
        let dividend = self.range(at, left, depth)?;
        let is_exact = dividend.0 == dividend.1 && divisor.0 == divisor.1;
        is_exact.then(|| (dividend.0 % divisor.0, dividend.0 % divisor.0))
    }

    /// The values of the variable of loops, inside of them.
    fn counted(&self, place: PlaceId, depth: u32) -> Option<Range> {
        let depth = depth.checked_sub(1)?;
        let Definitions {
            assigned, passed, ..
        } = &self.definitions[place.at()];
        let of_loop = |definition: &Definition| match definition {
            Definition::Counted(procedure, [first, last]) => {
                let at = At {
                    procedure: *procedure,
                    variables: &[],
                };
                let (first, last) = (self.range(at, first, depth)?, self.range(at, last, depth)?);
                Some((first.0, first.1.max(last.1)))
            }
            _ => None,
        };
        if !passed.is_empty() {
            return None;
        }
        let ranges: Option<Vec<Range>> = assigned.iter().map(of_loop).collect();
        let all = ranges?.into_iter();
        all.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    }

    /// What a place has in the run that is looked at.
    fn followed(&self, place: PlaceId, depth: u32) -> Option<Range> {
        let depth = depth.checked_sub(1)?;
        if let Some(set) = self.set.value(place) {
            return Some((set as f64, set as f64));
        }
        if self.switches.contains(&place) {
            return None;
        }
        let found = &self.found[place.at()];
        let is_followed = found.is_complete && found.origin != Origin::Default;
        let largest = self.number(found.value.as_ref().filter(|_| is_followed)?, depth)?;
        // Of what the program reads, one tile or one process is meant where nothing else is said; other sizes are to be set.
        if found.origin == Origin::Given && largest != 1.0 {
            return None;
        }
        let smallest = match &found.smallest {
            Some(smallest) => self.number(smallest, depth)?,
            None => largest,
        };
        let definitions = &self.definitions[place.at()];
        if !definitions.may_keep_initial() {
            return Some((smallest, largest));
        }
        let initial = begins_with(self.known, self.places, definitions, place)? as f64;
        Some((smallest.min(initial), largest.max(initial)))
    }

    /// The one value of an expression over places.
    fn number(&self, value: &Expr, depth: u32) -> Option<f64> {
        let lookup = |symbol: &Symbol| {
            let place = PlaceId(*self.numbers.get(symbol)? as u32);
            let known = self.counted(place, depth);
            let (low, high) = known.or_else(|| self.followed(place, depth))?;
            (low == high).then_some(low)
        };
        value
            .evaluate(&lookup)
            .ok()
            .filter(|value| value.is_finite())
    }
}

fn compared(op: BinaryOp, a: Range, b: Range) -> Option<bool> {
    let is_less = match (a.1 < b.0, a.0 >= b.1) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    };
    let is_greater = match (a.0 > b.1, a.1 <= b.0) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    };
    let is_equal = match (a == b && a.0 == a.1, a.1 < b.0 || b.1 < a.0) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    };
    let not = |known: Option<bool>| known.map(|known| !known);
    match op {
        BinaryOp::Less => is_less,
        BinaryOp::GreaterOrEqual => not(is_less),
        BinaryOp::Greater => is_greater,
        BinaryOp::LessOrEqual => not(is_greater),
        BinaryOp::Equal => is_equal,
        BinaryOp::NotEqual => not(is_equal),
        _ => None,
    }
}
