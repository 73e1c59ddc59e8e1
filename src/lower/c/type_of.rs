//! Types of expressions, as far as they distinguish numbers from addresses; nothing is evaluated or defined.

use tree_sitter::Node;

use super::ctype::{CType, DEPTH, integer};
use super::fields::{Field, children, part};
use super::literals;
use super::lowering::Lowering;
use super::names::Symbol;
use crate::ir::{Type, VarId, wider};
use crate::syntax::Role;

impl<'t> Lowering<'t> {
    pub fn type_of_variable(&self, id: VarId) -> CType<'t> {
        self.variables.type_of(id).clone()
    }

    fn type_of_name(&self, name: &str) -> CType<'t> {
        match self.names.symbol(name) {
            Some(Symbol::Local(id) | Symbol::LocalConstant { id, .. }) => {
                self.type_of_variable(*id)
            }
            Some(Symbol::Global { ty, .. }) => ty.clone(),
            Some(Symbol::Enumerator { .. }) => integer(4),
            Some(Symbol::Function(result)) => CType::Function(Box::new(result.clone())),
            Some(Symbol::Typedef(_)) | None => CType::Unknown,
        }
    }

    /// The type of an expression as far as it decides between numbers and addresses; evaluates nothing.
    pub fn type_of(&self, node: Node<'t>, depth: u32) -> CType<'t> {
        if depth > DEPTH {
            return CType::Unknown;
        }
        let of =
            |field| part(node, field).map_or(CType::Unknown, |node| self.type_of(node, depth + 1));
        match self.role(node) {
            Some(Role::Name) => self.type_of_name(self.text(node)),
            Some(Role::Number) => CType::Arithmetic(literals::type_of(self.text(node))),
            Some(Role::Sizeof) => integer(8),
            Some(Role::Comma) => of(Field::Right),
            Some(Role::Subscript) => of(Field::Argument).element(),
            Some(Role::Pointer) => match part(node, Field::Operator).map(|op| self.text(op)) {
                Some("*") => of(Field::Argument).element(),
                _ => CType::Pointer(Box::new(of(Field::Argument))),
            },
            Some(Role::Member) => {
                let base = of(Field::Argument);
                let base = if base.is_address() {
                    base.element()
                } else {
                    base
                };
                part(node, Field::Member).map_or(CType::Unknown, |name| {
                    self.names.member_type(&base, self.text(name))
                })
            }
            Some(Role::Parenthesised) => children(node)
                .first()
                .map_or(CType::Unknown, |n| self.type_of(*n, depth + 1)),
            Some(Role::Binary) => {
                let operator = part(node, Field::Operator).map(|op| self.text(op));
                let sides = (of(Field::Left), of(Field::Right));
                of_operation(operator.unwrap_or_default(), sides)
            }
            Some(Role::Call) => match of(Field::Function) {
                CType::Function(result) => *result,
                _ => CType::Unknown,
            },
            Some(Role::Unary) => match part(node, Field::Operator).map(|op| self.text(op)) {
                Some("!") => integer(4),
                _ => promoted(of(Field::Argument)),
            },
            Some(Role::Update) => of(Field::Argument),
            Some(Role::AssignmentExpression) => of(Field::Left),
            Some(Role::Conditional) => match (of(Field::Consequence), of(Field::Alternative)) {
                (CType::Arithmetic(then), CType::Arithmetic(otherwise)) => joined(then, otherwise),
                (_, otherwise) => otherwise,
            },
            Some(Role::Cast) => part(node, Field::Type)
                .and_then(|ty| self.names.known_description(ty))
                .unwrap_or(CType::Unknown),
            _ => CType::Unknown,
        }
    }
}

/// The type of a binary operation on operands of these types.
fn of_operation<'t>(operator: &str, (left, right): (CType<'t>, CType<'t>)) -> CType<'t> {
    match operator {
        "<" | "<=" | ">" | ">=" | "==" | "!=" | "&&" | "||" => return integer(4),
        "<<" | ">>" => return promoted(left),
        "-" if left.is_address() && right.is_address() => return integer(8),
        _ => {}
    }
    match (left, right) {
        (left, _) if left.is_address() => left,
        (_, right) if right.is_address() => right,
        (CType::Arithmetic(left), CType::Arithmetic(right)) => joined(left, right),
        _ => CType::Unknown,
    }
}

/// What two numbers become before an operation on both.
fn joined<'t>(left: Type, right: Type) -> CType<'t> {
    promoted(CType::Arithmetic(wider(left, right)))
}

/// What a number becomes before an operation: no whole one is smaller than `int`.
fn promoted(ty: CType) -> CType {
    match ty {
        CType::Arithmetic(Type::Integer(1 | 2, _) | Type::Logical(_)) => integer(4),
        other => other,
    }
}
