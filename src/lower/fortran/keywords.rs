//! Arguments that are passed by the names of their dummies.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::expression::{Argument, Expr};
use super::modules::{Found, World};
use super::scope::Scope;
use crate::reason::ReasonCode;

impl<'a> World<'a> {
    /// Arguments with keywords in the places of their dummies, if the procedure is known.
    pub fn in_order<'r>(
        &self,
        name: &str,
        arguments: Cow<'r, [Argument]>,
        scope: &'a Scope,
    ) -> Cow<'r, [Argument]> {
        if !has_keywords(&arguments) {
            return arguments;
        }
        let Found::Symbol(symbol, _) = self.symbol(scope, name) else {
            return arguments;
        };
        ordered(&symbol.arguments, arguments)
    }
}

fn has_keywords(arguments: &[Argument]) -> bool {
    arguments
        .iter()
        .any(|argument| matches!(argument, Argument::Keyword(..)))
}

/// Arguments in the places of those dummies, with nothing for those that are left out before the last one.
pub fn ordered<'r>(dummies: &[Arc<str>], arguments: Cow<'r, [Argument]>) -> Cow<'r, [Argument]> {
    if !has_keywords(&arguments) {
        return arguments;
    }
    let place = |(at, argument): (usize, &Argument)| match argument {
        Argument::Keyword(name, _) => dummies.iter().position(|dummy| dummy == name),
        _ => Some(at),
    };
    let Some(places) = arguments
        .iter()
        .enumerate()
        .map(place)
        .collect::<Option<Vec<usize>>>()
    else {
        return arguments;
    };
    match in_places(&places, arguments.to_vec(), left_out) {
        Ok(whole) => whole.into(),
        Err(_) => arguments,
    }
}

/// Values in their places, with something else in those that are left out before the last one.
///
/// # Errors
/// Two have one place: the values as they were.
pub fn in_places<T>(
    places: &[usize],
    values: Vec<T>,
    left_out: impl Fn() -> T,
) -> Result<Vec<T>, Vec<T>> {
    let distinct: BTreeSet<&usize> = places.iter().collect();
    if distinct.len() < places.len() {
        return Err(values);
    }
    let mut placed: Vec<(&usize, T)> = places.iter().zip(values).collect();
    placed.sort_by_key(|(at, _)| *at);
    let mut whole = Vec::new();
    for (place, value) in placed {
        whole.resize_with(*place, &left_out);
        whole.push(value);
    }
    Ok(whole)
}

/// What stands for an optional argument that a call leaves out before others: nothing, as compilers pass it.
fn left_out() -> Argument {
    let nothing = ReasonCode::Null;
    Argument::Value(Expr::Opaque(nothing, String::new(), Vec::new()))
}
