//! Places that several statements or calls give values: the largest counts, unless it is where ranges begin.

use std::collections::{BTreeMap, BTreeSet};

use super::{Around, each_loop};
use crate::expr::{Expr, Function, Node, Symbol, SymbolKind};
use crate::facts::Program;

/// What the program gives one of several numbers has the largest of them for now: others are guessed to go with it. Gives
/// these places.
pub(super) fn take_own(program: &mut Program) -> BTreeSet<Symbol> {
    let mut own = BTreeSet::new();
    for (symbol, place) in &mut program.places {
        if let Some(guess) = place.guess
            && place.value.is_none()
        {
            place.value = Some(Expr::from(guess));
            own.insert(symbol.clone());
        }
    }
    own
}

/// Of places of several values, takes the smallest where they make more ranges shorter than longer.
pub(super) fn choose_smallest(program: &mut Program) {
    let mut votes: BTreeMap<Symbol, i64> = BTreeMap::new();
    each_loop(program, &mut |function, around, inner| {
        vote(program, (function, around), inner.ends(), &mut votes);
    });
    let votes = with_definitions(program, votes);
    for (symbol, _) in votes.into_iter().filter(|(_, votes)| *votes < 0) {
        if let Some(place) = program.places.get_mut(&symbol) {
            // The largest of several numbers is not where ranges begin: of these nothing is known.
            let largest = place.value.take();
            let is_one = |value: &Expr| !matches!(value.node(), Node::Call(Function::Max, _));
            place.value = place.smallest.take().or(largest.filter(is_one));
        }
    }
}

/// What a range says of places of several values that its ends mention: more if it is longer by them.
fn vote(
    program: &Program,
    (function, around): (usize, Around<'_, '_>),
    (first, last): (&Expr, &Expr),
    votes: &mut BTreeMap<Symbol, i64>,
) {
    for (end, sign) in [(first, -1), (last, 1)] {
        for symbol in end.symbols() {
            let linear = end.linear_in(&[&symbol]);
            let slope = linear.and_then(|linear| linear.coefficients[0].as_number());
            let is_variable = around.iter().any(|l| symbol.is_source(&l.variable));
            if let Some(slope) = slope.filter(|_| !is_variable)
                && let Some(place) = place_of(program, function, &symbol)
            {
                *votes.entry(place).or_default() += sign * slope.signum() as i64;
            }
        }
    }
}

/// Definitions lead to others so many times.
const ROUNDS: usize = 8;

/// Adds what ranges say of the places that others are made of: `m` is smaller where `i` of `m = n - i + 1` is larger.
fn with_definitions(program: &Program, votes: BTreeMap<Symbol, i64>) -> BTreeMap<Symbol, i64> {
    let mut found = votes.clone();
    let mut pending = votes;
    for _ in 0..ROUNDS {
        let mut next: BTreeMap<Symbol, i64> = BTreeMap::new();
        for (symbol, vote) in pending {
            let definition = program
                .place(&symbol)
                .and_then(|place| place.value.as_ref());
            let mut add = |symbol: &Symbol, sign: i64| {
                if !found.contains_key(symbol) && program.place(symbol).is_some() {
                    *next.entry(symbol.clone()).or_default() += sign * vote.signum();
                }
            };
            if let Some(definition) = definition {
                slopes(definition, 1, &mut add);
            }
        }
        if next.is_empty() {
            break;
        }
        found.extend(next.clone());
        pending = next;
    }
    found
}

/// Which symbols make a value larger, and which smaller.
fn slopes(value: &Expr, sign: i64, visit: &mut dyn FnMut(&Symbol, i64)) {
    match value.node() {
        Node::Symbol(symbol) => visit(symbol, sign),
        Node::Sum(terms) => terms.iter().for_each(|term| slopes(term, sign, visit)),
        Node::Call(Function::Absolute | Function::TreeStages | Function::CommonDivisor, _) => {}
        Node::Call(_, arguments) => {
            arguments
                .iter()
                .for_each(|argument| slopes(argument, sign, visit));
        }
        Node::Quotient(dividend, divisor) => {
            slopes(dividend, sign, visit);
            slopes(divisor, -sign, visit);
        }
        Node::Product(factors) => {
            let is_negative = |factor: &Expr| factor.as_number().is_some_and(|n| n < 0.0);
            let sign = if factors.iter().any(is_negative) {
                -sign
            } else {
                sign
            };
            factors
                .iter()
                .for_each(|factor| slopes(factor, sign, visit));
        }
        _ => {}
    }
}

/// The place that a symbol of a function is another name for.
fn place_of(program: &Program, function: usize, symbol: &Symbol) -> Option<Symbol> {
    let symbol = match symbol.kind() {
        SymbolKind::Place => symbol.clone(),
        _ => match program.functions[function].constant(symbol)?.value.node() {
            Node::Symbol(place) => place.clone(),
            _ => return None,
        },
    };
    program.place(&symbol).map(|_| symbol)
}
