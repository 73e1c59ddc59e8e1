//! `sizeof(int[5])-1`: the grammar takes the sign for a part of the number and reads `sizeof` of a cast, which C does not have
//! there. It is a sum whose first term is the size, and what stands around it belongs to one of the terms:
//!
//! ```text
//! 24 / sizeof(int)-1 * 2     ►     (24 / sizeof(int)) - (1 * 2)
//! ```

use tree_sitter::Node;

use super::fields::{Field, part};
use super::literals;
use super::lowering::Lowering;
use crate::ir::Value;
use crate::syntax::{Role, SyntaxTree};

/// The size of a type, and the number that is added to it or subtracted from it.
pub struct SizeAndNumber<'t> {
    pub described: Node<'t>,
    pub operator: &'t str,
    pub number: Value,
}

impl<'t> SizeAndNumber<'t> {
    pub fn read(tree: &'t SyntaxTree<'t>, node: Node<'t>) -> Option<SizeAndNumber<'t>> {
        let cast = part(node, Field::Value)
            .filter(|value| tree.role(node) == Some(Role::Sizeof) && is_cast(tree, *value))?;
        let number = part(cast, Field::Value)?;
        let text = tree.text(number);
        let is_signed = tree.role(number) == Some(Role::Number) && text.starts_with(['-', '+']);
        let (operator, digits) = text.split_at_checked(1).filter(|_| is_signed)?;
        Some(SizeAndNumber {
            described: part(cast, Field::Type)?,
            operator,
            number: literals::number(digits),
        })
    }
}

fn is_cast(tree: &SyntaxTree, node: Node) -> bool {
    tree.role(node) == Some(Role::Cast)
}

/// Whether an operator binds its operands closer than a sum does.
pub fn is_of_product(operator: &str) -> bool {
    matches!(operator, "*" | "/" | "%")
}

/// A sum that has not been added up yet: what stands behind it may belong to its last term.
pub struct Terms<'t> {
    pub first: Value,
    pub last: Option<(&'t str, Value)>,
}

impl<'t> Lowering<'t> {
    /// An operand of a chain of operators.
    pub fn terms(&mut self, node: Node<'t>, outer: &str) -> Terms<'t> {
        let tree = self.names.reading().tree();
        if let Some(found) = SizeAndNumber::read(tree, node) {
            let ty = self.names.described_type(found.described);
            return Terms {
                first: self.size_of(&ty, node),
                last: Some((found.operator, found.number)),
            };
        }
        let is_in_sum = matches!(outer, "+" | "-");
        match self.role(node) {
            Some(Role::Cast) if part(node, Field::Value).is_some_and(|v| holds_one(tree, v)) => {
                let ty = part(node, Field::Type).map(|ty| self.names.described_type(ty));
                let value = part(node, Field::Value).map(|value| self.terms(value, outer));
                let (Some(ty), Some(terms)) = (ty, value) else {
                    return self.value(node).into();
                };
                Terms {
                    first: self.convert(&ty, terms.first),
                    last: terms.last,
                }
            }
            Some(Role::Binary) if is_in_sum && is_of_product(self.operator(node)) => {
                self.chain_terms(node)
            }
            _ => self.value(node).into(),
        }
    }

    /// The value of a sum.
    pub fn added_up(&self, terms: Terms<'t>) -> Value {
        match terms.last {
            Some((operator, last)) => self.operation(operator, terms.first, last),
            None => terms.first,
        }
    }
}

/// Whether an operand of a cast or of a sign is the size of a type with a number behind it.
pub fn holds_one<'t>(tree: &'t SyntaxTree<'t>, mut node: Node<'t>) -> bool {
    loop {
        if SizeAndNumber::read(tree, node).is_some() {
            return true;
        }
        let inner = match tree.role(node) {
            Some(Role::Cast) => part(node, Field::Value),
            Some(Role::Unary) => part(node, Field::Argument),
            _ => None,
        };
        match inner {
            Some(inner) => node = inner,
            None => return false,
        }
    }
}

impl From<Value> for Terms<'_> {
    fn from(first: Value) -> Self {
        Terms { first, last: None }
    }
}
