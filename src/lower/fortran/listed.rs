//! What the elements of arrays have before the program runs.
//!
//! ```text
//! integer :: a(3) = [1, 2, 3]             integer :: b(-1:1) = 7
//! integer :: c(4) = [(2*i, i = 1, 4)]     integer :: d(2,2) = reshape([1, 2, 3, 4], [2, 2])
//! data e(2) /15/                          data (f(i), i = 1, 3) /4, 5, 6/
//! ```

use super::super::draft::MOST_LISTED;
use super::super::fold;
use super::expression::{Argument, Expr};
use super::procedure::Lowering;
use super::scope::{Class, Scope, Symbol};
use crate::ir::{Listed, Type, UnaryOp, Value, VarId};
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
        Expr::Integer(number) => Some(*number),
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

impl<'a> Lowering<'a> {
    /// Notes the whole numbers that the elements of an array begin with.
    pub fn begin_elements(&mut self, id: VarId, symbol: &'a Symbol, home: &'a Scope) {
        let is_named = matches!(symbol.class, Class::Constant(_)) || !symbol.elements.is_empty();
        if symbol.listed.is_empty() && symbol.filled.is_none() && !is_named
            || !matches!(self.draft.variable(id).ty, Type::Integer(_))
        {
            return;
        }
        let Some(bounds) = self.numbered_bounds(id) else {
            return;
        };
        let mut listed: Listed = Vec::new();
        if let Some(value) = &symbol.filled {
            let value = self.value(value, home);
            let count = bounds
                .iter()
                .try_fold(1i64, |count, (_, extent)| count.checked_mul((*extent)?));
            let count = count.filter(|count| (0..=MOST_LISTED as i64).contains(count));
            if let Some(count) = count.filter(|_| self.is_one(&value)) {
                listed.extend((0..count).filter_map(|at| Some((nth(&bounds, at)?, value.clone()))));
            }
        }
        for (at, value) in (0..).zip(&symbol.listed) {
            let value = self.value(value, home);
            // What stands for several is not told apart from what comes behind it.
            let Some(place) = nth(&bounds, at).filter(|_| self.is_one(&value)) else {
                break;
            };
            listed.push((place, value));
        }
        for (subscripts, value) in &symbol.elements {
            let numbers = subscripts.iter().map(|subscript| {
                let subscript = self.value(subscript, home);
                fold::value(self.draft.function(), &subscript)
            });
            let numbers: Option<Box<[i64]>> = numbers.collect();
            let value = self.value(value, home);
            if let Some(numbers) =
                numbers.filter(|numbers| numbers.len() == bounds.len() && self.is_one(&value))
            {
                listed.retain(|(known, _)| *known != numbers);
                listed.push((numbers, value));
            }
        }
        self.draft.set_listed(id, listed);
    }

    fn is_one(&self, value: &Value) -> bool {
        !value.has_no_number() && self.rank(value) == Some(0)
    }

    /// First subscript and number of elements of each dimension, the latter where it is known.
    fn numbered_bounds(&self, id: VarId) -> Option<Vec<(i64, Option<i64>)>> {
        let function = self.draft.function();
        let each = function.variable(id).dimensions.iter().map(|extent| {
            let first = match &extent.lower {
                Some(lower) => fold::value(function, lower)?,
                None => 1,
            };
            let last = extent
                .upper
                .as_ref()
                .and_then(|upper| fold::value(function, upper));
            Some((
                first,
                last.and_then(|last| last.checked_sub(first)?.checked_add(1)),
            ))
        });
        each.collect::<Option<Vec<_>>>()
            .filter(|bounds| !bounds.is_empty())
    }
}

/// The subscripts of an element by its place in storage order.
fn nth(bounds: &[(i64, Option<i64>)], mut at: i64) -> Option<Box<[i64]>> {
    let mut subscripts = Vec::with_capacity(bounds.len());
    for (dimension, (first, extent)) in bounds.iter().enumerate() {
        let is_last = dimension + 1 == bounds.len();
        let within = match (is_last, extent) {
            (true, None) => at,
            (true, Some(extent)) => Some(at).filter(|at| at < extent)?,
            (false, extent) => {
                let extent = extent.filter(|extent| *extent > 0)?;
                let within = at % extent;
                at /= extent;
                within
            }
        };
        subscripts.push(first.checked_add(within)?);
    }
    Some(subscripts.into())
}
