//! Places that several statements or calls give values: the largest counts, unless it is where ranges begin.

use std::collections::BTreeMap;

use super::{Around, each_loop};
use crate::expr::{Expr, Node, Symbol, SymbolKind};
use crate::facts::Program;

/// Of places of several values, takes the smallest where they make more ranges shorter than longer.
pub(super) fn choose_smallest(program: &mut Program) {
    let mut votes: BTreeMap<Symbol, i64> = BTreeMap::new();
    each_loop(program, &mut |function, around, inner| {
        vote(program, (function, around), inner.ends(), &mut votes);
    });
    for (symbol, _) in votes.into_iter().filter(|(_, votes)| *votes < 0) {
        if let Some(place) = program.places.get_mut(&symbol) {
            place.value = place.smallest.take();
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
                && let Some(place) = choice(program, function, &symbol)
            {
                *votes.entry(place).or_default() += sign * slope.signum() as i64;
            }
        }
    }
}

/// The place of several values that a symbol of a function is another name for.
fn choice(program: &Program, function: usize, symbol: &Symbol) -> Option<Symbol> {
    let symbol = match symbol.kind() {
        SymbolKind::Place => symbol.clone(),
        _ => match program.functions[function].constant(symbol)?.value.node() {
            Node::Symbol(place) => place.clone(),
            _ => return None,
        },
    };
    let place = program.place(&symbol)?;
    place.smallest.is_some().then_some(symbol)
}
