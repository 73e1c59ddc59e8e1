//! The few numbers that a place may have, where all that gives it values is a number in the end.
//!
//! ```text
//! call sweep(1); call sweep(2)                     direction of `sweep`: 1 or 2
//! step = direction + 2*(turn - 1)                  1 to 4, if `turn` is 1 or 2
//! ```
//!
//! A number counts as often as the calls that pass it run (`often`), or once if statements assign it: a branch that asks for
//! one is taken that often, as a guess.

use std::collections::BTreeMap;

use super::definition::{Definition, Definitions, is_left_alone};
use super::often::Often;
use super::places::{Place, PlaceId, Places};
use super::truth::begins_with;
use crate::calls::Procedures;
use crate::ir::{BinaryOp, Function, Type, UnaryOp, Value};
use crate::literal::{DEPTH, literal};

/// More numbers than these are a range.
const MOST: usize = 16;
/// Copies are followed so far.
const ROUNDS: u32 = 16;

/// Numbers, and how often each comes in comparison with the others.
pub(super) type Few = Option<BTreeMap<i64, f64>>;

/// The numbers of every place. What calls pass counts only if execution begins somewhere: else others may call, too.
pub(super) fn few(
    (known, often): (&Procedures, &Often),
    places: &Places,
    all: &[Definitions],
    has_entry: bool,
) -> Vec<Few> {
    let mut found: Vec<Few> = vec![None; all.len()];
    for _ in 0..ROUNDS {
        let of = |(id, definitions): (PlaceId, &Definitions)| {
            let number = |id: PlaceId| found[id.at()].clone();
            let known_before = number(id);
            let stays = |definition: &Definition| match definition {
                Definition::Returned(dummy) => is_left_alone(all, *dummy, &mut Vec::new()),
                _ => false,
            };
            let given = definitions.assigned.iter().filter(|given| !stays(given));
            let assigned = given.map(|given| (given, None));
            let passed = definitions.passed.iter().map(|passed| match passed {
                Definition::Value(caller, value) => (passed, Some(often.passes(*caller, value))),
                _ => (passed, None),
            });
            let given: Vec<(&Definition, Option<f64>)> = assigned.chain(passed).collect();
            let is_open = is_open(places.get(id), definitions)
                || !definitions.passed.is_empty() && !has_entry;
            known_before.or_else(|| match is_open {
                true => None,
                false => numbers_of((known, places), (id, definitions), &given, &number),
            })
        };
        let next: Vec<Few> = (0..).map(PlaceId).zip(all).map(of).collect();
        if next == found {
            break;
        }
        found = next;
    }
    found
}

/// Whether a place may have other values than statements and calls give it, or is one of many.
fn is_open(place: &Place, definitions: &Definitions) -> bool {
    definitions.is_handed_out
        || definitions.is_aliased
        || definitions.has_unreached
        || !definitions.other_initial.is_empty()
        || place.is_real
        || place.is_array
        || place.array.is_some()
}

fn numbers_of(
    (known, places): (&Procedures, &Places),
    (id, definitions): (PlaceId, &Definitions),
    given: &[(&Definition, Option<f64>)],
    number: &dyn Fn(PlaceId) -> Few,
) -> Few {
    let mut found = BTreeMap::new();
    for (definition, times) in given {
        let Definition::Value(procedure, value) = definition else {
            return None;
        };
        let function = known.get(*procedure).function;
        let of_place = |value: &Value| number(places.find(function, *procedure, value)?);
        let numbers = numbers(function, value, &of_place, DEPTH)?;
        match times {
            Some(times) => add(&mut found, numbers, *times),
            None => {
                for number in numbers.into_keys() {
                    found.entry(number).or_insert(1.0);
                }
            }
        }
    }
    if definitions.keeps_first(places, id) {
        let number = begins_with(known, places, definitions, id)?;
        found.entry(number).or_insert(1.0);
    }
    (!found.is_empty() && found.len() <= MOST).then_some(found)
}

/// Adds numbers of which one comes so often.
fn add(found: &mut BTreeMap<i64, f64>, numbers: BTreeMap<i64, f64>, times: f64) {
    let all: f64 = numbers.values().sum();
    for (number, own) in numbers {
        *found.entry(number).or_default() += times * own / all;
    }
}

/// The numbers that a value may have; `of_place` has those of variables.
pub(super) fn numbers(
    function: &Function,
    value: &Value,
    of_place: &dyn Fn(&Value) -> Few,
    depth: u32,
) -> Few {
    let depth = depth.checked_sub(1)?;
    let again = |value: &Value| numbers(function, value, of_place, depth);
    if let Some(number) = literal(function, value, depth) {
        return Some(BTreeMap::from([(number, 1.0)]));
    }
    match value {
        Value::Convert(_, operand) => again(operand),
        Value::Unary(UnaryOp::Negate, operand) => {
            let each = again(operand)?.into_iter();
            each.map(|(number, times)| Some((number.checked_neg()?, times)))
                .collect()
        }
        Value::Binary(op, left, right) => {
            let is_whole = |side: &Value| matches!(side.ty(function), Type::Integer(..));
            if !is_whole(left) || !is_whole(right) {
                return None;
            }
            let apply = match op {
                BinaryOp::Add => i64::checked_add,
                BinaryOp::Subtract => i64::checked_sub,
                BinaryOp::Multiply => i64::checked_mul,
                _ => return None,
            };
            let (left, right) = (again(left)?, again(right)?);
            let mut found = BTreeMap::new();
            for (a, times) in &left {
                for (b, other) in &right {
                    *found.entry(apply(*a, *b)?).or_default() += times * other;
                }
            }
            (found.len() <= MOST).then_some(found)
        }
        Value::Select(_, then, otherwise) => {
            let mut found = BTreeMap::new();
            add(&mut found, again(then)?, 0.5);
            add(&mut found, again(otherwise)?, 0.5);
            (found.len() <= MOST).then_some(found)
        }
        Value::Variable(_) => of_place(value),
        _ => None,
    }
}
