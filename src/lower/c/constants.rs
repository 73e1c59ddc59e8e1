//! Constants known without running anything: macros, enumerators, `static const`.

use tree_sitter::Node;

use super::super::fold;
use super::ctype::CType;
use super::fields::{Field, children, part};
use super::literals;
use super::names::{EnumeratorValue, Names, Symbol};
use super::sizes_of_types::{SizeAndNumber, holds_one, is_of_product};
use crate::ir::{BinaryOp, Sign, Type, Value, wider};
use crate::syntax::{Role, SyntaxTree};

/// Deeper expressions are not constants for us.
const DEPTH: u32 = 100;
/// Nor are expressions of more nodes, counted with the macros they name.
const FUEL: u32 = 20_000;

impl<'t> Names<'t> {
    /// The integer that a constant expression stands for.
    pub fn constant(&self, node: Node<'t>) -> Option<i64> {
        let mut fuel = FUEL;
        let found = self.fold(self.reading().tree(), node, DEPTH, &mut fuel);
        found.map(|found| found.number)
    }

    fn fold(
        &self,
        tree: &'t SyntaxTree<'t>,
        node: Node<'t>,
        depth: u32,
        fuel: &mut u32,
    ) -> Option<Typed> {
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
                Value::Integer(number) => Some(Typed {
                    number,
                    ty: literals::type_of(tree.text(node)),
                }),
                _ => None,
            },
            Role::LogicalLiteral => Some(Typed::int(literals::truth(tree.text(node)))),
            Role::Name => self.fold_name(tree.text(node), depth, fuel),
            Role::Parenthesised => self.fold(tree, *children(node).first()?, depth, fuel),
            Role::Unary if !is_misread => {
                let argument = of(Field::Argument)?;
                let Typed { number, ty } = argument.promoted();
                match tree.text(part(node, Field::Operator)?) {
                    "-" => Typed::computed(number.checked_neg()?, ty),
                    "+" => Some(Typed { number, ty }),
                    "!" => Some(Typed::int(i64::from(number == 0))),
                    "~" => Typed::computed(!number, ty),
                    _ => None,
                }
            }
            Role::Conditional => {
                let condition = of(Field::Condition)?;
                of(if condition.number != 0 {
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
    ) -> Option<(Typed, Option<(&'t str, Typed)>)> {
        let depth = depth.checked_sub(1)?;
        *fuel = fuel.checked_sub(1)?;
        let size = |ty| {
            let number = self.size_of(&self.known_description(ty)?).map(i64::from)?;
            let ty = Type::Integer(8, Sign::Unsigned);
            Some(Typed { number, ty })
        };
        if let Some(found) = SizeAndNumber::read(tree, node) {
            let Value::Integer(number) = found.number else {
                return None;
            };
            let last = (found.operator, Typed::fitting(number));
            return Some((size(found.described)?, Some(last)));
        }
        match self.role_in(tree, node)? {
            Role::Sizeof => Some((size(part(node, Field::Type)?)?, None)),
            Role::Cast => {
                let integral = |text: &str| !matches!(text, "float" | "double");
                let described = part(node, Field::Type).filter(|ty| integral(tree.text(*ty)))?;
                let (first, last) =
                    self.fold_terms(tree, part(node, Field::Value)?, depth, fuel)?;
                Some((self.cast(tree.text(described), first)?, last))
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

    /// What a number is in the type of that name; one that is not known may hold all of it.
    fn cast(&self, described: &str, value: Typed) -> Option<Typed> {
        match self.type_by_name(described.trim()) {
            Some(CType::Arithmetic(ty @ Type::Integer(..))) => {
                let number = ty.wrapped(value.number)?;
                Some(Typed { number, ty })
            }
            Some(CType::Arithmetic(Type::Real(_) | Type::Complex(_))) => None,
            _ => Some(Typed {
                ty: Type::integer(8),
                ..value
            }),
        }
    }

    /// Whether the program gives a name a meaning other than an integer.
    pub fn defines_otherwise(&self, name: &str, usual: i64) -> bool {
        let is_defined = self.symbol(name).is_some() || self.reading().defines_macro(name);
        let own = self.fold_name(name, DEPTH, &mut { FUEL });
        is_defined && own.map(|own| own.number) != Some(usual)
    }

    fn fold_name(&self, name: &str, depth: u32, fuel: &mut u32) -> Option<Typed> {
        match self.symbol(name) {
            Some(Symbol::Local(_)) => return None,
            Some(Symbol::LocalConstant { value, .. }) => return value.map(Typed::fitting),
            _ => {}
        }
        if let Some(found) = self.reading().macro_named(name) {
            return self.fold(&found.tree, found.value()?, depth, fuel);
        }
        match self.symbol(name)? {
            Symbol::Global {
                constant: Some(value),
                ty,
                ..
            } => {
                let found = self.fold(self.reading().tree(), *value, depth, fuel)?;
                match ty {
                    CType::Arithmetic(ty @ Type::Integer(..)) => Some(Typed {
                        number: ty.wrapped(found.number)?,
                        ty: ty.clone(),
                    }),
                    _ => Some(found),
                }
            }
            Symbol::Enumerator {
                value: EnumeratorValue::Known(n),
                ..
            } => Some(Typed::fitting(*n)),
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

/// A whole number and its type.
#[derive(Clone)]
struct Typed {
    number: i64,
    ty: Type,
}

impl Typed {
    fn int(number: i64) -> Typed {
        let ty = Type::integer(4);
        Typed { number, ty }
    }

    /// Of the smaller of the types that constants without a type of their own have.
    fn fitting(number: i64) -> Typed {
        match i32::try_from(number) {
            Ok(_) => Typed::int(number),
            Err(_) => Typed {
                number,
                ty: Type::integer(8),
            },
        }
    }

    /// The result of an operation in a type, if it has one there.
    fn computed(number: i64, ty: Type) -> Option<Typed> {
        let number = ty.computed(number)?;
        Some(Typed { number, ty })
    }

    /// As operations take it.
    fn promoted(self) -> Typed {
        match self.ty {
            Type::Integer(1..=3, _) => Typed::int(self.number),
            _ => self,
        }
    }
}

fn added_up(first: Typed, last: Option<(&str, Typed)>) -> Option<Typed> {
    match last {
        Some((operator, last)) => operate(operator, first, last),
        None => Some(first),
    }
}

fn operate(operator: &str, left: Typed, right: Typed) -> Option<Typed> {
    let (left, right) = (left.promoted(), right.promoted());
    let bits = || u32::try_from(right.number).ok();
    match operator {
        "<<" => {
            return Typed::computed(
                left.number.checked_mul(1_i64.checked_shl(bits()?)?)?,
                left.ty,
            );
        }
        ">>" => return Typed::computed(left.number.checked_shr(bits()?)?, left.ty),
        _ => {}
    }
    let ty = wider(left.ty, right.ty);
    let (a, b) = (ty.computed(left.number)?, ty.computed(right.number)?);
    let arithmetic = match operator {
        "+" => Some(BinaryOp::Add),
        "-" => Some(BinaryOp::Subtract),
        "*" => Some(BinaryOp::Multiply),
        "/" => Some(BinaryOp::Divide),
        "%" => Some(BinaryOp::Remainder),
        "&" => Some(BinaryOp::BitAnd),
        "|" => Some(BinaryOp::BitOr),
        "^" => Some(BinaryOp::BitExclusiveOr),
        _ => None,
    };
    if let Some(arithmetic) = arithmetic {
        return Typed::computed(fold::arithmetic(arithmetic, a, b)?, ty);
    }
    let holds = match operator {
        "<" => a < b,
        "<=" => a <= b,
        ">" => a > b,
        ">=" => a >= b,
        "==" => a == b,
        "!=" => a != b,
        "&&" => a != 0 && b != 0,
        "||" => a != 0 || b != 0,
        _ => return None,
    };
    Some(Typed::int(i64::from(holds)))
}
