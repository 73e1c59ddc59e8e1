//! What is a size that is made from itself?
//!
//! ```text
//! box(0)   = fine%box                      box is at most fine%box, and fine%box is at most what `create` is called
//! box(l+1) = box(l)/2                      with elsewhere: what goes round in the circle never grows
//! call create(levels(l), box(l))
//! ```
//!
//! Where a place is followed back to itself, that way gives it nothing new as long as it only gets smaller: then the largest
//! value is the largest that comes from outside of the circle. A way that may make it larger is a [`Gap::Circle`].
//!
//! [`Gap::Circle`]: super::candidates::Gap::Circle

use crate::expr::{Expr, Function, Node, Symbol};

/// What a value is to the place that it is a value of.
#[derive(Clone, Debug, PartialEq)]
pub enum Way {
    /// It does not mention the place.
    FromOutside(Expr),
    /// It is never larger than the place, or than what is left.
    NoLarger(Option<Expr>),
    /// It may be larger.
    Grows,
}

/// What a value is to the place with the symbol, of which it is a value.
pub fn way(value: &Expr, own: &Symbol) -> Way {
    if !value.mentions(own) {
        return Way::FromOutside(value.clone());
    }
    if is_no_larger(value, own) {
        return Way::NoLarger(None);
    }
    let Node::Call(Function::Max, parts) = value.node() else {
        return Way::Grows;
    };
    let mut left = Vec::new();
    for part in parts {
        match way(part, own) {
            Way::FromOutside(value) | Way::NoLarger(Some(value)) => left.push(value),
            Way::NoLarger(None) => {}
            Way::Grows => return Way::Grows,
        }
    }
    Way::NoLarger((!left.is_empty()).then(|| Expr::max(left)))
}

/// Whether a value is no larger than a size, which is not negative.
fn is_no_larger(value: &Expr, own: &Symbol) -> bool {
    match value.node() {
        _ if is_never_positive(value) => true,
        Node::Symbol(symbol) => symbol == own,
        Node::Call(Function::Truncate | Function::Floor, parts) => {
            parts.iter().all(|part| is_no_larger(part, own))
        }
        Node::Call(Function::Min, parts) => parts.iter().any(|part| is_no_larger(part, own)),
        Node::Call(Function::Max, parts) => parts.iter().all(|part| is_no_larger(part, own)),
        Node::Quotient(size, by) => {
            by.as_number().is_some_and(|by| by >= 1.0) && is_no_larger(size, own)
        }
        _ => value.linear_in(&[own]).is_some_and(|linear| {
            let factor = linear.coefficients[0].as_number();
            let more = linear.rest.as_number();
            factor.is_some_and(|factor| (0.0..=1.0).contains(&factor))
                && more.is_some_and(|more| more <= 0.0)
        }),
    }
}

/// Whether a value is zero or less, whatever it is made from: `-abs(n)`.
fn is_never_positive(value: &Expr) -> bool {
    match value.node() {
        Node::Product(factors) => {
            let (numbers, others): (Vec<_>, Vec<_>) = factors
                .iter()
                .partition(|factor| factor.as_number().is_some());
            let is_size =
                |factor: &&Expr| matches!(factor.node(), Node::Call(Function::Absolute, _));
            matches!(numbers[..], [number] if number.as_number().is_some_and(|n| n <= 0.0))
                && others.iter().all(is_size)
        }
        _ => value.as_number().is_some_and(|number| number <= 0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbols() -> (Symbol, Expr, Expr) {
        let own = Symbol::source("n");
        (
            own.clone(),
            Expr::from(own),
            Expr::from(Symbol::source("m")),
        )
    }

    #[test]
    fn what_shrinks_on_the_way_round_leaves_what_comes_from_outside() {
        let (own, n, m) = symbols();
        for shrinking in [
            n.clone(),
            n.clone() - 1.0,
            -n.clone().absolute(),
            n.clone().quotient(Expr::from(2.0)).truncated(),
            Expr::min([n.clone(), m.clone()]),
        ] {
            assert_eq!(way(&shrinking, &own), Way::NoLarger(None), "{shrinking}");
            let both = Expr::max([shrinking, m.clone()]);
            assert_eq!(way(&both, &own), Way::NoLarger(Some(m.clone())), "{both}");
        }
        assert_eq!(way(&m, &own), Way::FromOutside(m.clone()));
    }

    #[test]
    fn what_may_grow_is_not_known() {
        let (own, n, m) = symbols();
        for growing in [
            n.clone() + 1.0,
            n.clone() * 2.0,
            n.clone() + m.clone(),
            n.clone() * m.clone(),
            Expr::from(9.0) - n.clone(),
            Expr::max([n.clone() + 1.0, m]),
        ] {
            assert_eq!(way(&growing, &own), Way::Grows, "{growing}");
        }
    }
}
