//! Constants known without running anything: macros, enumerators, `static const`.

use tree_sitter::Node;

use super::super::fold;
use super::fields::{Field, children, part};
use super::literals;
use super::names::{EnumeratorValue, Names, Symbol};
use super::sizes_of_types::{SizeAndNumber, holds_one, is_of_product};
use crate::ir::{BinaryOp, Value};
use crate::syntax::{Role, SyntaxTree};

/// Deeper expressions are not constants for us.
const DEPTH: u32 = 100;
/// Nor are expressions of more nodes, counted with the macros they name.
const FUEL: u32 = 20_000;

impl<'t> Names<'t> {
    /// The integer that a constant expression stands for.
    pub fn constant(&self, node: Node<'t>) -> Option<i64> {
        let mut fuel = FUEL;
        self.fold(self.reading().tree(), node, DEPTH, &mut fuel)
    }

    fn fold(
        &self,
        tree: &'t SyntaxTree<'t>,
        node: Node<'t>,
        depth: u32,
        fuel: &mut u32,
    ) -> Option<i64> {
        let depth = depth.checked_sub(1)?;
        *fuel = fuel.checked_sub(1)?;
        let is_misread = match self.role_in(tree, node)? {
            Role::Unary => holds_one(tree, node),
            Role::Cast | Role::Sizeof | Role::Binary => {
                let (first, last) = self.fold_terms(tree, node, depth, fuel)?;
                return added_up(first, last);
            }
            _ => false,
        };
        let mut of = |field| self.fold(tree, part(node, field)?, depth, fuel);
        match self.role_in(tree, node)? {
            Role::Number => match literals::number(tree.text(node)) {
                Value::Integer(n) => Some(n),
                _ => None,
            },
            Role::LogicalLiteral => Some(literals::truth(tree.text(node))),
            Role::Name => self.fold_name(tree.text(node), depth, fuel),
            Role::Parenthesised => self.fold(tree, *children(node).first()?, depth, fuel),
            Role::Unary if !is_misread => {
                let argument = of(Field::Argument)?;
                match tree.text(part(node, Field::Operator)?) {
                    "-" => argument.checked_neg(),
                    "+" => Some(argument),
                    "!" => Some(i64::from(argument == 0)),
                    "~" => Some(!argument),
                    _ => None,
                }
            }
            Role::Conditional => {
                let condition = of(Field::Condition)?;
                of(if condition != 0 {
                    Field::Consequence
                } else {
                    Field::Alternative
                })
            }
            _ => None,
        }
    }

    /// An operand, and what is added to it or subtracted from it where the grammar misreads a sum.
    fn fold_terms(
        &self,
        tree: &'t SyntaxTree<'t>,
        node: Node<'t>,
        depth: u32,
        fuel: &mut u32,
    ) -> Option<(i64, Option<(&'t str, i64)>)> {
        let depth = depth.checked_sub(1)?;
        *fuel = fuel.checked_sub(1)?;
        let size = |ty| self.size_of(&self.known_description(ty)?).map(i64::from);
        if let Some(found) = SizeAndNumber::read(tree, node) {
            let Value::Integer(number) = found.number else {
                return None;
            };
            return Some((size(found.described)?, Some((found.operator, number))));
        }
        match self.role_in(tree, node)? {
            Role::Sizeof => Some((size(part(node, Field::Type)?)?, None)),
            Role::Cast => {
                let integral = |text: &str| !matches!(text, "float" | "double");
                part(node, Field::Type).filter(|ty| integral(tree.text(*ty)))?;
                self.fold_terms(tree, part(node, Field::Value)?, depth, fuel)
            }
            Role::Binary => {
                let (first, last) = self.fold_terms(tree, part(node, Field::Left)?, depth, fuel)?;
                let (right, behind) =
                    self.fold_terms(tree, part(node, Field::Right)?, depth, fuel)?;
                let operator = tree.text(part(node, Field::Operator)?);
                let is_product = is_of_product(operator);
                let (right, behind) = match is_product || matches!(operator, "+" | "-") {
                    true => (right, behind),
                    false => (added_up(right, behind)?, None),
                };
                match (last, behind) {
                    (Some((sign, last)), None) if is_product => {
                        Some((first, Some((sign, operate(operator, last, right)?))))
                    }
                    (Some((sign, last)), behind) if is_product => {
                        let value = operate(operator, last, right)?;
                        Some((operate(sign, first, value)?, behind))
                    }
                    (last, behind) => {
                        Some((operate(operator, added_up(first, last)?, right)?, behind))
                    }
                }
            }
            _ => Some((self.fold(tree, node, depth, fuel)?, None)),
        }
    }

    /// Whether the program gives a name a meaning other than an integer.
    pub fn defines_otherwise(&self, name: &str, usual: i64) -> bool {
        let is_defined = self.symbol(name).is_some() || self.reading().defines_macro(name);
        is_defined && self.fold_name(name, DEPTH, &mut { FUEL }) != Some(usual)
    }

    fn fold_name(&self, name: &str, depth: u32, fuel: &mut u32) -> Option<i64> {
        match self.symbol(name) {
            Some(Symbol::Local(_)) => return None,
            Some(Symbol::LocalConstant { value, .. }) => return *value,
            _ => {}
        }
        if let Some(found) = self.reading().macro_named(name) {
            return self.fold(&found.tree, found.value()?, depth, fuel);
        }
        match self.symbol(name)? {
            Symbol::Global {
                constant: Some(value),
                ..
            } => self.fold(self.reading().tree(), *value, depth, fuel),
            Symbol::Enumerator {
                value: EnumeratorValue::Known(n),
                ..
            } => Some(*n),
            _ => None,
        }
    }

    /// Whether an expression is built of literals and named constants only.
    pub fn is_constant_expression(&self, node: Node<'t>) -> bool {
        let mut todo = vec![node];
        while let Some(node) = todo.pop() {
            match self.role(node) {
                Some(Role::Number | Role::LogicalLiteral | Role::TypeDescriptor) => {}
                Some(Role::Name) if self.is_constant_name(self.text(node)) => {}
                Some(
                    Role::Binary
                    | Role::Unary
                    | Role::Parenthesised
                    | Role::Cast
                    | Role::Conditional
                    | Role::Sizeof,
                ) => todo.extend(children(node)),
                _ => return false,
            }
        }
        true
    }

    fn is_constant_name(&self, name: &str) -> bool {
        match self.symbol(name) {
            Some(Symbol::Local(_)) => false,
            Some(Symbol::LocalConstant { .. }) => true,
            _ if self.reading().macro_named(name).is_some() => true,
            Some(
                Symbol::Enumerator { .. }
                | Symbol::Global {
                    constant: Some(_), ..
                },
            ) => true,
            _ => false,
        }
    }
}

fn added_up(first: i64, last: Option<(&str, i64)>) -> Option<i64> {
    match last {
        Some((operator, last)) => operate(operator, first, last),
        None => Some(first),
    }
}

fn operate(operator: &str, left: i64, right: i64) -> Option<i64> {
    match operator {
        "+" => fold::arithmetic(BinaryOp::Add, left, right),
        "-" => fold::arithmetic(BinaryOp::Subtract, left, right),
        "*" => fold::arithmetic(BinaryOp::Multiply, left, right),
        "/" => fold::arithmetic(BinaryOp::Divide, left, right),
        "%" => fold::arithmetic(BinaryOp::Remainder, left, right),
        "<<" => u32::try_from(right)
            .ok()
            .and_then(|bits| left.checked_shl(bits)),
        ">>" => u32::try_from(right)
            .ok()
            .and_then(|bits| left.checked_shr(bits)),
        "&" => Some(left & right),
        "|" => Some(left | right),
        "^" => Some(left ^ right),
        "<" => Some(i64::from(left < right)),
        "<=" => Some(i64::from(left <= right)),
        ">" => Some(i64::from(left > right)),
        ">=" => Some(i64::from(left >= right)),
        "==" => Some(i64::from(left == right)),
        "!=" => Some(i64::from(left != right)),
        "&&" => Some(i64::from(left != 0 && right != 0)),
        "||" => Some(i64::from(left != 0 || right != 0)),
        _ => None,
    }
}
