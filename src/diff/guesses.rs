//! Sizes that nothing gives, and that are not the same on both sides: what differs may be the guess, not the program.

use std::fmt;

use serde::Serialize;

use crate::nest::Nest;
use crate::report::Figure;
use crate::side::Side;

/// A size or trip count that nothing gives on one side, or that has other values on the two, with what it is taken to be.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DifferingGuess {
    /// Name in the source.
    pub name: String,
    /// Unknown where the figures of that side do not rest on a guess of that name.
    pub old: Figure,
    pub new: Figure,
}

impl fmt::Display for DifferingGuess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        match (self.old.known(), self.new.known()) {
            (Some(old), Some(new)) => write!(
                f,
                "depends on different guesses: {name} = {old} on the old side, {new} on the new one"
            ),
            (Some(old), None) => write!(f, "depends on a guess of the old side: {name} = {old}"),
            (_, new) => write!(
                f,
                "depends on a guess of the new side: {name} = {}",
                new.unwrap_or(f64::NAN)
            ),
        }
    }
}

/// The guesses that the figures of two nests do not have in common; those of one alone all count. Names do not matter
/// where values are the same.
pub(crate) fn differing(
    old: Option<(&Side, &Nest)>,
    new: Option<(&Side, &Nest)>,
) -> Vec<DifferingGuess> {
    let (mut before, mut after) = (guesses(old), guesses(new));
    let is_same_guess = |a: &Guess, b: &Guess| a.is_called_as(b) && a.value == b.value;
    let is_same_value = |a: &Guess, b: &Guess| a.value == b.value;
    for is_same in [
        &is_same_guess as &dyn Fn(&Guess, &Guess) -> bool,
        &is_same_value,
    ] {
        before.retain(|guess| {
            let other = after.iter().position(|other| is_same(guess, other));
            other.map(|other| after.remove(other)).is_none()
        });
    }
    let mut found = Vec::new();
    for guess in before {
        let other = after.iter().position(|other| guess.is_called_as(other));
        found.push(DifferingGuess {
            name: guess.name.to_string(),
            old: guess.value,
            new: other.map_or(Figure::UNKNOWN, |other| after.remove(other).value),
        });
    }
    found.extend(after.into_iter().map(|guess| DifferingGuess {
        name: guess.name.to_string(),
        old: Figure::UNKNOWN,
        new: guess.value,
    }));
    found
}

struct Guess<'s> {
    name: &'s str,
    value: Figure,
}

impl Guess<'_> {
    fn is_called_as(&self, other: &Guess) -> bool {
        self.name.eq_ignore_ascii_case(other.name)
    }
}

fn guesses<'s>(nest: Option<(&'s Side, &'s Nest)>) -> Vec<Guess<'s>> {
    let Some((side, nest)) = nest else {
        return Vec::new();
    };
    let parameters = nest.guessed.iter();
    let parameters = parameters.filter_map(|name| side.parameters.get(name));
    parameters
        .map(|parameter| Guess {
            name: &parameter.source_name,
            value: parameter.value,
        })
        .collect()
}
