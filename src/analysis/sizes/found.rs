//! What is known of the value of a place.

use crate::expr::{Expr, Node};
use crate::facts::Origin;

/// What is known of the value of a place.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Over other places; `None` if nothing that can be followed gives it a value.
    pub value: Option<Expr>,
    /// Of several values the smallest, where `value` is the largest.
    pub smallest: Option<Expr>,
    pub origin: Origin,
    /// Whether all that gives it values is followed.
    pub is_complete: bool,
    /// Whether the value is where a procedure ends to count it up, which nothing else changes.
    pub is_count: bool,
    /// Several numbers of which the program gives it one where it is not told otherwise, in order.
    pub choices: Vec<f64>,
    /// About what it is.
    pub about: Option<f64>,
    /// Whether statements may change it where it is read, or set.
    pub may_change: bool,
}

impl Found {
    /// Whether the value is the only one that it ever has.
    pub fn is_one_value(&self) -> bool {
        let is_followed = !matches!(
            self.origin,
            Origin::Callers | Origin::Default | Origin::Given
        );
        is_followed && self.is_complete && self.smallest.is_none() && !self.is_count
    }

    pub const NOTHING: Found = Found {
        value: None,
        smallest: None,
        origin: Origin::Default,
        is_complete: false,
        is_count: false,
        choices: Vec::new(),
        about: None,
        may_change: false,
    };

    /// A place that has the one value of an origin.
    pub fn one(value: Option<Expr>, origin: Origin) -> Found {
        Found {
            value,
            smallest: None,
            origin,
            is_complete: true,
            is_count: false,
            choices: Vec::new(),
            about: None,
            may_change: false,
        }
    }

    /// Whether something outside the program decides its value, or the user does.
    pub fn is_given(&self) -> bool {
        matches!(
            self.origin,
            Origin::Given
                | Origin::Alone
                | Origin::Words
                | Origin::Input
                | Origin::Set
                | Origin::Config
        )
    }

    /// Whether the place is just another name for its value.
    pub fn is_plain(&self) -> bool {
        let is_plain = |value: &Expr| matches!(value.node(), Node::Number(_) | Node::Symbol(_));
        let is_one = self.smallest.is_none() && self.origin != Origin::Callers;
        is_one && !self.is_given() && self.value.as_ref().is_some_and(is_plain)
    }
}

/// What all of some values are, if that is one.
pub(super) fn only<T: PartialEq>(values: &[T]) -> Option<&T> {
    let first = values.first()?;
    values.iter().all(|value| value == first).then_some(first)
}
