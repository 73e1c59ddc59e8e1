//! The values of lists as they are written: array constructors, those that are reshaped, and the elements that `data` names.

use super::super::draft::MOST_LISTED;
use super::expression::{Argument, Expr};
use crate::ir::UnaryOp;
use crate::reason::ReasonCode;

/// The values of an array constructor, or of one that is reshaped, in the order of the elements; `None` of anything else, and
/// of what is long.
pub fn listed_values(value: &Expr) -> Option<Vec<Expr>> {
    match value {
        Expr::Array(values) => {
            let mut found = Vec::new();
            values
                .iter()
                .all(|value| flatten(value, &mut found))
                .then_some(found)
        }
        Expr::Apply(base, arguments, _) => match (&**base, &arguments[..]) {
            (Expr::Name(name), [Argument::Value(source), Argument::Value(_)])
                if &**name == "reshape" =>
            {
                listed_values(source)
            }
            _ => None,
        },
        _ => None,
    }
}

/// The elements that a list of `data` names, one by one: `e(2)`, `(f(i), i = 1, 3)`.
pub fn named_elements(item: &Expr) -> Option<Vec<Expr>> {
    let mut found = Vec::new();
    flatten(item, &mut found).then_some(found)
}

/// Adds a value, or what an implied loop makes of its values, unless that is long or not known here.
fn flatten(value: &Expr, found: &mut Vec<Expr>) -> bool {
    match value {
        Expr::Array(values) => values.iter().all(|value| flatten(value, found)),
        Expr::Opaque(ReasonCode::ImpliedDo, _, inner) => {
            let [Expr::Name(variable), lower, upper, step, values @ ..] = &inner[..] else {
                return false;
            };
            let ends = (literal(lower), literal(upper), literal(step));
            let (Some(first), Some(last), Some(step @ 1..)) = ends else {
                return false;
            };
            let mut number = first;
            while number <= last {
                for value in values {
                    if !flatten(&with_number(value, variable, number), found) {
                        return false;
                    }
                }
                number = number.saturating_add(step);
            }
            found.len() <= MOST_LISTED
        }
        value => {
            found.push(value.clone());
            found.len() <= MOST_LISTED
        }
    }
}

fn literal(value: &Expr) -> Option<i64> {
    match value {
        Expr::Integer(number) | Expr::IntegerOf(number, _) => Some(*number),
        Expr::Unary(UnaryOp::Negate, inner) => literal(inner)?.checked_neg(),
        _ => None,
    }
}

/// A value in which a name stands for a number.
fn with_number(value: &Expr, name: &str, number: i64) -> Expr {
    let again = |value: &Expr| with_number(value, name, number);
    match value {
        Expr::Name(own) if **own == *name => Expr::Integer(number),
        Expr::Unary(op, inner) => Expr::Unary(*op, Box::new(again(inner))),
        Expr::Binary(op, left, right) => {
            Expr::Binary(*op, Box::new(again(left)), Box::new(again(right)))
        }
        Expr::Array(values) => Expr::Array(values.iter().map(again).collect()),
        Expr::Opaque(code, text, inner) => {
            Expr::Opaque(*code, text.clone(), inner.iter().map(again).collect())
        }
        Expr::Apply(base, arguments, place) => {
            let argument = |argument: &Argument| match argument {
                Argument::Value(value) => Argument::Value(again(value)),
                other => other.clone(),
            };
            Expr::Apply(
                base.clone(),
                arguments.iter().map(argument).collect(),
                place.clone(),
            )
        }
        other => other.clone(),
    }
}
