//! Expressions. Side effects inside an expression become statements before the one at hand; what `&&`, `||` and
//! `?:` evaluate only sometimes becomes a conditional statement.
//!
//! ```text
//! if (a && (b = c) || c++) a = 1;     ►     if a                          b = c
//!                                           if not (a and b)              c = c + 1
//!                                           if (a and b) or (c - 1)       a = 1
//! ```
//!
//! Values of the IR are free of effects, so that the analysis may count, move and compare them.

use tree_sitter::Node;

use super::super::fold;
use super::access::negate;
use super::ctype::{CType, integer};
use super::effects::Use;
use super::fields::{Field, children, part};
use super::literals;
use super::lowering::Lowering;
use super::sizes_of_types::{SizeAndNumber, Terms, holds_one, is_of_product};
use crate::ir::visit::each_value;
use crate::ir::{
    BinaryOp, If, Role as Storage, Sign, Stmt, Type, UnaryOp, Value, is_address, wider,
};
use crate::reason::ReasonCode;
use crate::syntax::Role;

/// Chains of operators that are longer become opaque.
const CHAIN: usize = 2000;
/// Longer sums are read in parts of so many terms, up to a limit.
const PART: usize = 1000;
const MOST_TERMS: usize = 100_000;
/// So many links of a chain count as one level of nesting for its operands, up to a limit.
const CHARGE: u32 = 8;
const MOST_CHARGED: u32 = 50;

impl<'t> Lowering<'t> {
    pub fn value(&mut self, node: Node<'t>) -> Value {
        match self.deeper(|this| this.value_within(node)) {
            Some(value) => value,
            None => Value::Opaque {
                reason: self.reason(ReasonCode::TooDeep, node),
                inner: Vec::new(),
            },
        }
    }

    pub fn part_value(&mut self, node: Node<'t>, field: Field) -> Value {
        match part(node, field) {
            Some(part) => self.value(part),
            None => Value::Opaque {
                reason: self.reason(ReasonCode::SyntaxError, node),
                inner: Vec::new(),
            },
        }
    }

    /// The operator of a node, empty if it has none.
    pub fn operator(&self, node: Node<'t>) -> &'t str {
        part(node, Field::Operator).map_or("", |operator| self.text(operator))
    }

    fn value_within(&mut self, node: Node<'t>) -> Value {
        match self.role(node) {
            Some(Role::Name | Role::Subscript | Role::Member) => self.access_value(node),
            Some(Role::Number) => literals::number(self.text(node)),
            Some(Role::LogicalLiteral) => Value::Logical(literals::truth(self.text(node)) != 0),
            Some(Role::Null) => Value::Integer(0),
            Some(Role::Text) => Value::Text(self.text(node).trim_matches('"').to_string()),
            Some(Role::Parenthesised) => match children(node).first() {
                Some(inner) if self.role(*inner) == Some(Role::Block) => {
                    self.statement_expression(*inner)
                }
                Some(inner) => self.value(*inner),
                None => self.unreadable(ReasonCode::SyntaxError, node),
            },
            Some(Role::Unary) => self.unary(node),
            Some(Role::Binary) => self.binary(node),
            Some(Role::Pointer) => self.access_value(node),
            Some(Role::Cast) => self.cast(node),
            Some(Role::Call) => self.call_value(node),
            Some(Role::Conditional) => self.select(node),
            Some(Role::AssignmentExpression) => self.assignment(node, Use::Value),
            Some(Role::Update) => self.update(node, Use::Value),
            Some(Role::Comma) => {
                if let Some(left) = part(node, Field::Left) {
                    self.effects(left);
                }
                self.part_value(node, Field::Right)
            }
            Some(Role::Sizeof) => self.sizeof(node),
            Some(Role::ArrayConstructor) => {
                self.unreadable(ReasonCode::UnsupportedExpression, node)
            }
            Some(Role::CompoundLiteral) => {
                self.note_named(node);
                self.unreadable(ReasonCode::CompoundLiteral, node)
            }
            Some(Role::Keyword) => self.part_value(node, Field::Value),
            _ if node.is_error() => self.unreadable(ReasonCode::SyntaxError, node),
            _ => self.unreadable(ReasonCode::UnsupportedExpression, node),
        }
    }

    /// An opaque value with the values below the node.
    pub fn unreadable(&mut self, code: ReasonCode, node: Node<'t>) -> Value {
        let reason = self.reason(code, node);
        let mut inner = Vec::new();
        self.values_below(node, &mut inner, 0);
        Value::Opaque { reason, inner }
    }

    /// The values of the outermost expressions below a node that have more to them than a literal.
    pub fn values_below(&mut self, node: Node<'t>, values: &mut Vec<Value>, depth: u32) {
        if depth > 50 {
            return;
        }
        for child in children(node) {
            match self.role(child) {
                Some(Role::Number | Role::Text | Role::LogicalLiteral | Role::Null) => {}
                Some(Role::ArrayConstructor) => self.values_below(child, values, depth + 1),
                Some(
                    Role::TypeDescriptor
                    | Role::TypeName
                    | Role::Nothing
                    | Role::Attribute
                    | Role::Qualifier,
                ) => {}
                Some(Role::Keyword) => {
                    if let Some(value) = part(child, Field::Value) {
                        if self.role(value) == Some(Role::ArrayConstructor) {
                            self.values_below(value, values, depth + 1);
                        } else if self.role(value) != Some(Role::Number) {
                            values.push(self.value(value));
                        }
                    }
                }
                Some(role) if is_expression(role) => values.push(self.value(child)),
                _ => self.values_below(child, values, depth + 1),
            }
        }
    }

    fn unary(&mut self, node: Node<'t>) -> Value {
        if holds_one(self.names.reading().tree(), node) {
            return self.unreadable(ReasonCode::UnsupportedExpression, node);
        }
        let operand = self.part_value(node, Field::Argument);
        let operand = match self.operator(node) {
            "-" | "~" => self.without_sign(operand, part(node, Field::Argument)),
            _ => operand,
        };
        match self.operator(node) {
            "-" => negate(operand),
            "+" => operand,
            "!" => Value::Unary(UnaryOp::Not, Box::new(operand)),
            "~" => Value::Unary(UnaryOp::Complement, Box::new(operand)),
            _ => Value::Opaque {
                reason: self.reason(ReasonCode::UnsupportedExpression, node),
                inner: vec![operand],
            },
        }
    }

    fn binary(&mut self, node: Node<'t>) -> Value {
        let operator = self.operator(node);
        if let "&&" | "||" = operator {
            return self.short_circuit(node, operator);
        }
        let terms = self.chain_terms(node);
        self.added_up(terms)
    }

    /// `a + b + c + …`, which the grammar nests to the left as deep as it is long.
    pub fn chain_terms(&mut self, node: Node<'t>) -> Terms<'t> {
        let mut links = vec![node];
        let mut first = part(node, Field::Left);
        while let Some(left) = first.filter(|left| self.is_link(*left)) {
            links.push(left);
            first = part(left, Field::Left);
        }
        let length = links.len();
        let charge = (length.min(CHAIN) as u32 / CHARGE).min(MOST_CHARGED);
        self.deeper_by(charge, |this| {
            let first = match first {
                Some(first) => this.terms(first, ""),
                None => this.unreadable(ReasonCode::SyntaxError, node).into(),
            };
            let is_sum = || {
                links
                    .iter()
                    .all(|link| matches!(this.operator(*link), "+" | "-"))
            };
            if length > CHAIN && length <= MOST_TERMS && is_sum() {
                return this.long_sum(this.added_up(first), &links).into();
            }
            if length > CHAIN {
                let mut inner = vec![this.added_up(first)];
                inner.extend(
                    links
                        .iter()
                        .rev()
                        .map(|link| this.part_value(*link, Field::Right)),
                );
                return Value::Opaque {
                    reason: this.reason(ReasonCode::TooDeep, node),
                    inner,
                }
                .into();
            }
            (links.into_iter().rev()).fold(first, |left, link| this.linked(left, link))
        })
    }

    fn linked(&mut self, left: Terms<'t>, link: Node<'t>) -> Terms<'t> {
        let operator = self.operator(link);
        let right = match part(link, Field::Right) {
            Some(right) => self.terms(right, operator),
            None => self.unreadable(ReasonCode::SyntaxError, link).into(),
        };
        let (sum, left) = match left.last {
            Some((sign, last)) if is_of_product(operator) => (Some((sign, left.first)), last),
            _ => (None, self.added_up(left)),
        };
        let is_close = is_of_product(operator) || matches!(operator, "+" | "-");
        let (right, last) = match is_close {
            true => (right.first, right.last),
            false => (self.added_up(right), None),
        };
        let nodes = [Field::Left, Field::Right].map(|field| part(link, field));
        let [left, right] = self.made_alike(operator, [left, right], nodes);
        let value = self.operation(operator, left, right);
        match (sum, last) {
            (Some((sign, first)), None) => Terms {
                first,
                last: Some((sign, value)),
            },
            (Some((sign, first)), last) => Terms {
                first: self.operation(sign, first, value),
                last,
            },
            (None, last) => Terms { first: value, last },
        }
    }

    /// A sum in parts, one beside the other: behind a minus sign `- b - c` is `- (b + c)`.
    fn long_sum(&mut self, first: Value, links: &[Node<'t>]) -> Value {
        let mut sum = first;
        for part in links.rchunks(PART) {
            let Some((head, rest)) = part.split_last() else {
                continue;
            };
            let is_negative = self.operator(*head) == "-";
            let mut terms = self.part_value(*head, Field::Right);
            for link in rest.iter().rev() {
                let op = if (self.operator(*link) == "-") == is_negative {
                    BinaryOp::Add
                } else {
                    BinaryOp::Subtract
                };
                terms = Value::binary(op, terms, self.part_value(*link, Field::Right));
            }
            sum = Value::binary(
                if is_negative {
                    BinaryOp::Subtract
                } else {
                    BinaryOp::Add
                },
                sum,
                terms,
            );
        }
        sum
    }

    /// A binary operation. Shifts are products and quotients of powers of two, so that `1 << 10` is a
    /// size and `n >> 1` follows `n`; a number that may be negative is divided so that the quotient goes down.
    pub fn operation(&self, operator: &str, left: Value, right: Value) -> Value {
        let function = self.draft.function();
        let is_integer = |value: &Value| matches!(value.ty(function), Type::Integer(..));
        let is_never_negative = |value: &Value| match value {
            Value::Integer(number) => *number >= 0,
            value => matches!(value.ty(function), Type::Integer(_, Sign::Unsigned)),
        };
        let op = match operator {
            "<<" if is_integer(&left) => BinaryOp::Multiply,
            ">>" if is_never_negative(&left) => BinaryOp::Divide,
            ">>" if is_integer(&left) => BinaryOp::ShiftRight,
            _ => {
                let (op, left, right) =
                    fold::compared_with_whole(function, binary_operator(operator), (left, right));
                return Value::binary(op, left, right);
            }
        };
        let factor = match right {
            Value::Integer(bits @ 0..=62) => Value::Integer(1 << bits),
            Value::Integer(_) => return Value::binary(BinaryOp::Other, left, right),
            bits if is_integer(&bits) => Value::binary(BinaryOp::Power, Value::Integer(2), bits),
            bits => return Value::binary(BinaryOp::Other, left, bits),
        };
        // A factor that `int` does not hold leaves the type of the shift as it is.
        let own = left.ty(function);
        let is_wide = matches!(factor, Value::Integer(factor) if i32::try_from(factor).is_err());
        let shifted = Value::binary(op, left, factor);
        match own {
            Type::Integer(4, sign) if is_wide => {
                Value::Convert(Type::Integer(4, sign), Box::new(shifted))
            }
            _ => shifted,
        }
    }

    fn is_link(&self, node: Node<'t>) -> bool {
        self.role(node) == Some(Role::Binary) && !matches!(self.operator(node), "&&" | "||")
    }

    fn short_circuit(&mut self, node: Node<'t>, operator: &str) -> Value {
        let left = self.settled(|this| this.part_value(node, Field::Left));
        let guard = if operator == "&&" {
            left.clone()
        } else {
            Value::Unary(UnaryOp::Not, Box::new(left.clone()))
        };
        let right = self.guarded(node, guard, |this| this.part_value(node, Field::Right));
        Value::binary(
            if operator == "&&" {
                BinaryOp::And
            } else {
                BinaryOp::Or
            },
            left,
            right,
        )
    }

    /// A condition that is a whole number, or its negation, as a comparison with zero.
    fn compared_with_none(&self, condition: Value) -> Value {
        let is_number = |value: &Value| {
            let function = self.draft.function();
            matches!(value.ty(function), Type::Integer(..)) && !is_address(value, function)
        };
        let compared = |op, value| Value::binary(op, value, Value::Integer(0));
        match condition {
            Value::Variable(_) if is_number(&condition) => compared(BinaryOp::NotEqual, condition),
            Value::Unary(UnaryOp::Not, inner)
                if matches!(*inner, Value::Variable(_)) && is_number(&inner) =>
            {
                compared(BinaryOp::Equal, *inner)
            }
            condition => condition,
        }
    }

    fn select(&mut self, node: Node<'t>) -> Value {
        let condition = self.settled(|this| this.part_value(node, Field::Condition));
        let (then, mut first) = match part(node, Field::Consequence) {
            Some(then) => self.captured(|this| this.settled(|this| this.value(then))),
            // GNU's `a ?: b`.
            None if is_simple(&condition) => (condition.clone(), Vec::new()),
            None => {
                let inner = vec![condition, self.part_value(node, Field::Alternative)];
                return Value::Opaque {
                    reason: self.reason(ReasonCode::ConditionalWithoutMiddle, node),
                    inner,
                };
            }
        };
        let (otherwise, mut second) =
            self.captured(|this| this.settled(|this| this.part_value(node, Field::Alternative)));
        let place = self.place(node);
        if self.is_called_in_one(&condition, [&then, &otherwise]) {
            // Only one of the calls is made.
            let ty = CType::Arithmetic(wider(
                then.ty(self.draft.function()),
                otherwise.ty(self.draft.function()),
            ));
            let chosen = self.add_variable(
                format!("choice@{}", place.line),
                ty,
                Storage::Local,
                place.clone(),
            );
            let chosen = Value::Variable(chosen);
            let set = |value| Stmt::Assign {
                place: place.clone(),
                target: chosen.clone(),
                value,
            };
            first.push(set(then));
            second.push(set(otherwise));
            self.emit(Stmt::If(Box::new(If {
                place,
                condition,
                then: first,
                otherwise: second,
            })));
            return chosen;
        }
        let not = |condition| Value::Unary(UnaryOp::Not, Box::new(condition));
        for (guard, then) in [(condition.clone(), first), (not(condition.clone()), second)] {
            if !then.is_empty() {
                self.emit(Stmt::If(Box::new(If {
                    place: place.clone(),
                    condition: guard,
                    then,
                    otherwise: Vec::new(),
                })));
            }
        }
        let condition = self.compared_with_none(condition);
        Value::Select(Box::new(condition), Box::new(then), Box::new(otherwise))
    }

    /// Whether one of two numbers to choose from is made by a call, and the choice is not that of the larger one.
    fn is_called_in_one(&self, condition: &Value, arms: [&Value; 2]) -> bool {
        let calls = |value: &Value| {
            let mut found = false;
            each_value(value, &mut |part| {
                found |= matches!(part, Value::Call { .. });
            });
            found
        };
        if !arms.iter().any(|arm| calls(arm))
            || !arms
                .iter()
                .all(|arm| arm.ty(self.draft.function()).is_floating())
        {
            return false;
        }
        match condition {
            Value::Binary(op, left, right) if op.is_comparison() => {
                !arms.iter().all(|arm| *arm == &**left || *arm == &**right)
            }
            _ => true,
        }
    }

    /// A value whose side effects must be over before the next one is read.
    pub fn settled<R>(&mut self, inner: impl FnOnce(&mut Self) -> R) -> R {
        let outer = self.code.forbid_waiting();
        let result = inner(self);
        self.code.restore(outer);
        result
    }

    /// A value that is evaluated only if `guard` holds; so are its side effects.
    fn guarded(
        &mut self,
        node: Node<'t>,
        guard: Value,
        inner: impl FnOnce(&mut Self) -> Value,
    ) -> Value {
        let (value, then) = self.captured(|this| this.settled(inner));
        if !then.is_empty() {
            let place = self.place(node);
            self.emit(Stmt::If(Box::new(If {
                place,
                condition: guard,
                then,
                otherwise: Vec::new(),
            })));
        }
        value
    }

    /// The type in parentheses that a cast without a keyword looks like: `(real)`.
    pub fn parenthesised_type(&self, node: Node<'t>) -> Option<CType<'t>> {
        if self.role(node) != Some(Role::Parenthesised) {
            return None;
        }
        let inner = *children(node).first()?;
        let is_name = self.role(inner) == Some(Role::Name);
        self.names
            .typedef(self.text(inner))
            .filter(|_| is_name)
            .cloned()
    }

    fn cast(&mut self, node: Node<'t>) -> Value {
        let ty = part(node, Field::Type).map_or(CType::Unknown, |ty| self.names.described_type(ty));
        if ty.is_address()
            && part(node, Field::Value).is_some_and(|v| self.role(v) == Some(Role::Pointer))
        {
            return self.access_value(node);
        }
        if holds_one(self.names.reading().tree(), node) {
            let terms = self.terms(node, "");
            return self.added_up(terms);
        }
        let value = self.part_value(node, Field::Value);
        self.convert(&ty, value)
    }

    /// A conversion; one to an address or to `void` does nothing.
    pub fn convert(&mut self, ty: &CType<'t>, value: Value) -> Value {
        match ty {
            CType::Arithmetic(ty) => Value::Convert(ty.clone(), Box::new(value)),
            _ => value,
        }
    }

    /// The array that a string literal is.
    fn type_of_text(&self, mut node: Node<'t>) -> Option<CType<'t>> {
        while self.role(node) == Some(Role::Parenthesised) {
            node = *children(node).first()?;
        }
        let is_text = self.role(node) == Some(Role::Text);
        let open = CType::Array(Box::new(integer(1)), None);
        is_text.then(|| self.names.completed(open, Some(node)))
    }

    fn sizeof(&mut self, node: Node<'t>) -> Value {
        if SizeAndNumber::read(self.names.reading().tree(), node).is_some() {
            let terms = self.terms(node, "");
            return self.added_up(terms);
        }
        let ty = match (part(node, Field::Type), part(node, Field::Value)) {
            (Some(descriptor), _) => self.names.described_type(descriptor),
            (None, Some(value)) => (self.parenthesised_type(value))
                .or_else(|| self.type_of_text(value))
                .or_else(|| self.type_of_parameter(value))
                .unwrap_or_else(|| self.type_of(value, 0)),
            (None, None) => CType::Unknown,
        };
        self.size_of(&ty, node)
    }

    /// The bytes of a type.
    pub fn size_of(&self, ty: &CType<'t>, node: Node<'t>) -> Value {
        match self.names.size_of(ty) {
            Some(bytes) => Value::Integer(i64::from(bytes)),
            None => Value::Opaque {
                reason: self.reason(ReasonCode::UnknownSize, node),
                inner: Vec::new(),
            },
        }
    }
}

fn is_simple(value: &Value) -> bool {
    matches!(
        value,
        Value::Variable(_) | Value::Integer(_) | Value::Real(..) | Value::Logical(_)
    )
}

pub fn is_expression(role: Role) -> bool {
    matches!(
        role,
        Role::Name
            | Role::Number
            | Role::LogicalLiteral
            | Role::Null
            | Role::Text
            | Role::Binary
            | Role::Unary
            | Role::Parenthesised
            | Role::Call
            | Role::Subscript
            | Role::Member
            | Role::Pointer
            | Role::Cast
            | Role::Conditional
            | Role::AssignmentExpression
            | Role::Update
            | Role::Comma
            | Role::Sizeof
            | Role::CompoundLiteral
    )
}

fn binary_operator(text: &str) -> BinaryOp {
    match text {
        "+" => BinaryOp::Add,
        "-" => BinaryOp::Subtract,
        "*" => BinaryOp::Multiply,
        "/" => BinaryOp::Divide,
        "%" => BinaryOp::Remainder,
        "<" => BinaryOp::Less,
        "<=" => BinaryOp::LessOrEqual,
        ">" => BinaryOp::Greater,
        ">=" => BinaryOp::GreaterOrEqual,
        "==" => BinaryOp::Equal,
        "!=" => BinaryOp::NotEqual,
        "&&" => BinaryOp::And,
        "||" => BinaryOp::Or,
        "&" => BinaryOp::BitAnd,
        "|" => BinaryOp::BitOr,
        "^" => BinaryOp::BitExclusiveOr,
        _ => BinaryOp::Other,
    }
}
