//! Types of expressions, as far as they distinguish numbers from addresses; nothing is evaluated or defined.

use tree_sitter::Node;

use super::ctype::{CType, DEPTH, integer};
use super::fields::{Field, children, part};
use super::literals;
use super::lowering::Lowering;
use super::names::Symbol;
use crate::ir::{Type, Value, VarId, wider};
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
            Some(Symbol::Enumerator { .. }) => CType::Arithmetic(Type::Integer(4)),
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
            Some(Role::Number) => match literals::number(self.text(node)) {
                Value::Real(_, bytes) => CType::Arithmetic(Type::Real(bytes)),
                _ => integer(4),
            },
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
            Some(Role::Binary) => match (of(Field::Left), of(Field::Right)) {
                (left, _) if left.is_address() => left,
                (_, right) if right.is_address() => right,
                (CType::Arithmetic(left), CType::Arithmetic(right)) => {
                    CType::Arithmetic(wider(left, right))
                }
                _ => CType::Unknown,
            },
            Some(Role::Call) => match of(Field::Function) {
                CType::Function(result) => *result,
                _ => CType::Unknown,
            },
            Some(Role::Unary | Role::Update) => of(Field::Argument),
            Some(Role::AssignmentExpression) => of(Field::Left),
            Some(Role::Conditional) => of(Field::Alternative),
            Some(Role::Cast) => part(node, Field::Type)
                .and_then(|ty| self.names.known_description(ty))
                .unwrap_or(CType::Unknown),
            _ => CType::Unknown,
        }
    }
}
