//! Sizes that the program reads and has a value of its own for, which is only a placeholder until the input gives one.

use std::collections::BTreeMap;

use super::{Guesses, Unknown};
use crate::expr::{Expr, Symbol};
use crate::facts::{Origin, Program};

/// A few elements of an array, which no real number is, are not what a program is run for; one is: one tile, one process, one dimension less.
const FEW: std::ops::Range<f64> = 2.0..16.0;

/// The places that something outside gives a value, where the program's own is that small.
pub(super) fn of(program: &Program) -> BTreeMap<Symbol, f64> {
    let given = (program.places.iter()).filter(|(_, place)| place.origin == Origin::Given);
    given
        .filter(|(_, place)| !place.is_real && place.choices.len() <= 1)
        .filter_map(|(symbol, place)| {
            let own = place.value.as_ref().and_then(Expr::as_number)?;
            FEW.contains(&own).then(|| (symbol.clone(), own))
        })
        .collect()
}

impl Guesses<'_> {
    /// The value that the program has for what it reads, if it is a placeholder.
    pub(super) fn own_default(&self, unknown: &Unknown) -> Option<f64> {
        match unknown.function {
            None => self.placeholders.get(&unknown.symbol).copied(),
            Some(_) => None,
        }
    }

    /// Whether the value is the program's own after all.
    pub(super) fn is_kept(&self, unknown: &Unknown) -> bool {
        let own = self.own_default(unknown);
        own.is_some() && own.as_ref() == self.values.get(unknown)
    }
}
