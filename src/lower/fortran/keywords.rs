//! Arguments that are passed by the names of their dummies.

use std::borrow::Cow;
use std::sync::Arc;

use super::expression::Argument;
use super::modules::{Found, World};
use super::scope::Scope;

impl<'a> World<'a> {
    /// Arguments with keywords in the places of their dummies, if the procedure is known and none is left out
    /// before the last one.
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

/// Arguments in the places of those dummies.
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
    let mut ordered: Vec<(usize, Argument)> =
        places.into_iter().zip(arguments.iter().cloned()).collect();
    ordered.sort_by_key(|(at, _)| *at);
    let is_whole = ordered
        .iter()
        .enumerate()
        .all(|(at, (place, _))| at == *place);
    if is_whole {
        ordered.into_iter().map(|(_, argument)| argument).collect()
    } else {
        arguments
    }
}
