//! Types of expressions, as far as they distinguish numbers from addresses; nothing is evaluated or defined.

use tree_sitter::Node;

use super::ctype::{CType, DEPTH, integer};
use super::fields::{Field, children, part};
use super::literals;
use super::lowering::Lowering;
use super::names::Symbol;
use crate::ir::{BinaryOp, Role as Storage, Sign, Type, Value, VarId, wider};
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

    /// The type of a parameter that stands alone: one that is declared as an array is a pointer.
    pub fn type_of_parameter(&self, mut node: Node<'t>) -> Option<CType<'t>> {
        while self.role(node) == Some(Role::Parenthesised) {
            node = *children(node).first()?;
        }
        let name = (self.role(node) == Some(Role::Name)).then(|| self.text(node))?;
        let Some(Symbol::Local(id)) = self.names.symbol(name) else {
            return None;
        };
        let ty = self.type_of_variable(*id);
        let is_parameter = self.draft.variable(*id).role == Storage::Argument;
        let is_array = matches!(ty, CType::Array(..));
        (is_parameter && is_array).then(|| CType::Pointer(Box::new(ty.element())))
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
            Some(Role::Sizeof) => CType::Arithmetic(Type::Integer(8, Sign::Unsigned)),
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

impl<'t> Lowering<'t> {
    /// Operands as C makes them alike, where that is to a type that only literals say: `e % 4u` divides what `e` is without
    /// its sign. The type is written down where it makes a difference to the result.
    pub fn made_alike(
        &self,
        operator: &str,
        [left, right]: [Value; 2],
        nodes: [Option<Node<'t>>; 2],
    ) -> [Value; 2] {
        let literals = [&left, &right].map(is_of_literals);
        if !literals.contains(&true) {
            return [left, right];
        }
        let function = self.draft.function();
        let type_of = |at: usize, value: &Value| match (literals[at], nodes[at]) {
            (true, Some(node)) => match self.type_of(node, 0) {
                CType::Arithmetic(ty) => ty,
                _ => Type::Unknown,
            },
            _ => value.ty(function),
        };
        let types = [type_of(0, &left), type_of(1, &right)];
        let known = [left.ty(function), right.ty(function)];
        let is_shift = matches!(operator, "<<" | ">>");
        let both = |[left, right]: [Type; 2]| match is_shift {
            true => promoted_type(left),
            false => promoted_type(wider(left, right)),
        };
        let (meant, shown) = (both(types), both(known.clone()));
        if !matters(operator, &meant, &shown) {
            return [left, right];
        }
        // One of them is enough, as the other follows, unless it is taken for something wider.
        let is_left = is_shift || literals[1] || !literals[0];
        let other = if is_left { &known[1] } else { &known[0] };
        let follows = is_shift || promoted_type(wider(meant.clone(), other.clone())) == meant;
        match (is_left, follows) {
            (true, true) => [converted(meant, left), right],
            (false, true) => [left, converted(meant, right)],
            (_, false) => [converted(meant.clone(), left), converted(meant, right)],
        }
    }

    /// The operand of a sign, with its type if that is one without a sign that only a literal says.
    pub fn without_sign(&self, operand: Value, node: Option<Node<'t>>) -> Value {
        if !matches!(operand, Value::Integer(_)) {
            return operand;
        }
        match node.map(|node| self.type_of(node, 0)) {
            Some(CType::Arithmetic(ty @ Type::Integer(4, Sign::Unsigned))) => {
                converted(ty, operand)
            }
            _ => operand,
        }
    }
}

/// Whether an operation of one type gives something else than one of another.
fn matters(operator: &str, meant: &Type, shown: &Type) -> bool {
    let (Type::Integer(bytes, sign), Type::Integer(of, own)) = (meant, shown) else {
        return false;
    };
    let has_no_sign = |bytes: u32, sign: Sign| bytes >= 4 && sign == Sign::Unsigned;
    let begins_again = has_no_sign(4.min(*bytes), *sign) && *bytes == 4;
    match operator {
        // What is left of so large a number in 64 bits is the same with a sign.
        "*" | "<<" if bytes > of => true,
        "+" | "-" | "*" | "<<" => {
            (meant != shown) && (begins_again || has_no_sign(*of, *own) && bytes > of)
        }
        "/" | "%" | ">>" | "<" | "<=" | ">" | ">=" | "==" | "!=" => {
            has_no_sign(*bytes, *sign) != has_no_sign(*of, *own)
                || has_no_sign(*of, *own) && bytes > of
        }
        _ => false,
    }
}

fn converted(ty: Type, value: Value) -> Value {
    Value::Convert(ty, Box::new(value))
}

/// Whether a value is made of a few literals alone, which have no types of their own.
fn is_of_literals(value: &Value) -> bool {
    fn within(value: &Value, depth: u32) -> bool {
        match value {
            Value::Integer(_) => true,
            Value::Binary(op, left, right) if op.is_arithmetic() || *op == BinaryOp::Remainder => {
                depth > 0 && within(left, depth - 1) && within(right, depth - 1)
            }
            _ => false,
        }
    }
    within(value, 3)
}

fn promoted_type(ty: Type) -> Type {
    match ty {
        Type::Integer(1 | 2, _) | Type::Logical(_) => Type::integer(4),
        ty => ty,
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
        CType::Arithmetic(ty) => CType::Arithmetic(promoted_type(ty)),
        other => other,
    }
}
