//! What an expression is made of, one part after the other.

use std::slice;

use super::{Expr, Node};

/// Direct sub-expressions, in order; no list of them is made, since expressions are walked often.
#[derive(Clone)]
pub struct Children<'e> {
    items: slice::Iter<'e, Expr>,
    /// The second of two operands that do not lie in a list.
    last: Option<&'e Expr>,
}

impl<'e> Children<'e> {
    pub(super) fn of(expr: &'e Expr) -> Children<'e> {
        Children::of_node(expr.node())
    }

    pub(super) fn of_node(node: &'e Node) -> Children<'e> {
        let (items, last): (&[Expr], _) = match node {
            Node::Number(_) | Node::Symbol(_) | Node::Figure(_) => (&[], None),
            Node::Sum(items) | Node::Product(items) | Node::Call(_, items) => (items, None),
            Node::Quotient(a, b) | Node::Power(a, b) => (slice::from_ref(a), Some(b)),
            Node::If(_, parts) => (parts.as_slice(), None),
        };
        Children {
            items: items.iter(),
            last,
        }
    }
}

impl<'e> Iterator for Children<'e> {
    type Item = &'e Expr;

    fn next(&mut self) -> Option<&'e Expr> {
        self.items.next().or_else(|| self.last.take())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.items.len() + usize::from(self.last.is_some());
        (count, Some(count))
    }
}

impl ExactSizeIterator for Children<'_> {}
