//! Calls, as values and as statements.

use tree_sitter::Node;

use super::super::fold;
use super::super::intrinsic_types::fixed;
use super::completed::characters;
use super::ctype::CType;
use super::fields::{Field, children, part};
use super::lowering::Lowering;
use super::names::Symbol;
use crate::intrinsics::{Intrinsics, ResultType};
use crate::ir::{Stmt, Type, Value};
use crate::reason::ReasonCode;
use crate::source::Language;
use crate::syntax::Role;

/// Hints to the compiler that are their first argument.
const TRANSPARENT: &[&str] = &["__builtin_expect", "__builtin_assume_aligned"];

impl<'t> Lowering<'t> {
    pub fn call_value(&mut self, node: Node<'t>) -> Value {
        let function = part(node, Field::Function);
        let name = self.callee(node);
        self.note_table(node, &name);
        let mut arguments = self.arguments(node);
        if let Some(ty) = function.and_then(|function| self.parenthesised_type(function)) {
            // `(real)(x)`, where only the typedef distinguishes a cast from a call.
            if arguments.len() == 1 {
                return self.convert(&ty, arguments.swap_remove(0));
            }
        }
        if TRANSPARENT.contains(&name.as_str()) && !arguments.is_empty() {
            return arguments.swap_remove(0);
        }
        if let Some(length) = self.fixed_length(node, &name) {
            return Value::Integer(length);
        }
        if let Some(number) = self.fixed_call(&name, &arguments) {
            return Value::Integer(number);
        }
        let ty = self.result_type(&name, function, &arguments);
        Value::Call {
            name,
            arguments,
            ty,
        }
    }

    /// The length of a text that is written in the call.
    fn fixed_length(&self, node: Node<'t>, name: &str) -> Option<i64> {
        let list = part(node, Field::Arguments).filter(|_| name == "strlen")?;
        let [text] = children(list)[..] else {
            return None;
        };
        let text = self.unconverted(text);
        let text = (self.role(text) == Some(Role::Text)).then(|| self.text(text))?;
        i64::try_from(characters(text)?.iter().position(|byte| *byte == 0)?).ok()
    }

    /// What a function of the C library or of compilers gives for literals; programs may define none of these names.
    fn fixed_call(&self, name: &str, arguments: &[Value]) -> Option<i64> {
        let [argument] = arguments else {
            return None;
        };
        let number = fold::value(self.draft.function(), argument)?;
        let (bits, number) = match name {
            "__builtin_popcount" | "__builtin_clz" | "__builtin_ctz" => {
                (32, u64::from(number as u32))
            }
            "__builtin_popcountl"
            | "__builtin_popcountll"
            | "__builtin_clzll"
            | "__builtin_ctzll" => (64, number as u64),
            _ => return None,
        };
        let found = match name {
            "__builtin_popcount" | "__builtin_popcountl" | "__builtin_popcountll" => {
                number.count_ones()
            }
            // Of none they are not defined.
            _ if number == 0 => return None,
            "__builtin_clz" | "__builtin_clzll" => number.leading_zeros() - (64 - bits),
            _ => number.trailing_zeros(),
        };
        Some(i64::from(found))
    }

    pub fn call_statement(&mut self, node: Node<'t>) {
        let name = self.callee(node);
        self.note_table(node, &name);
        let arguments = self.arguments(node);
        let place = self.place(node);
        self.emit(Stmt::Call {
            place,
            name,
            arguments,
        });
    }

    /// The name of the function called, without white space, parentheses and `*` around it.
    pub fn callee(&self, node: Node<'t>) -> String {
        let Some(function) = self.called(node) else {
            return "?".into();
        };
        self.text(function).split_whitespace().collect()
    }

    /// What a call calls, without parentheses and `*` around it.
    pub fn called(&self, node: Node<'t>) -> Option<Node<'t>> {
        let mut function = part(node, Field::Function)?;
        loop {
            let inner = match self.role(function) {
                Some(Role::Parenthesised) => children(function).first().copied(),
                Some(Role::Pointer) => part(function, Field::Argument),
                _ => None,
            };
            match inner {
                Some(inner) => function = inner,
                None => return Some(function),
            }
        }
    }

    fn arguments(&mut self, node: Node<'t>) -> Vec<Value> {
        let Some(list) = part(node, Field::Arguments) else {
            return Vec::new();
        };
        children(list)
            .into_iter()
            .map(|argument| self.argument(argument))
            .collect()
    }

    /// What stands inside of casts and parentheses.
    pub fn unconverted(&self, mut node: Node<'t>) -> Node<'t> {
        loop {
            let inner = match self.role(node) {
                Some(Role::Cast) => part(node, Field::Value),
                Some(Role::Parenthesised) => children(node).first().copied(),
                _ => None,
            };
            match inner {
                Some(inner) => node = inner,
                None => return node,
            }
        }
    }

    /// An argument; `&x` is given as the variable, and what it refers to may change.
    fn argument(&mut self, node: Node<'t>) -> Value {
        let inner = self.unconverted(node);
        if self.role(inner) == Some(Role::Block) {
            // A macro that takes statements.
            self.statement(inner);
            return Value::opaque(ReasonCode::StatementsAsArgument, "");
        }
        let is_address = self.role(inner) == Some(Role::Pointer) && self.operator(inner) == "&";
        if let Some(id) = self.literal_structure(match is_address {
            true => part(inner, Field::Argument).unwrap_or(inner),
            false => inner,
        }) {
            if is_address {
                self.variables.take_address(id);
                self.draft.set_passed(id);
            }
            return Value::Variable(id);
        }
        if !is_address {
            return self.value(node);
        }
        let value = self.part_value(inner, Field::Argument);
        match value {
            Value::Variable(id) => {
                self.variables.take_address(id);
                self.draft.set_passed(id);
                value
            }
            Value::Element { .. } => self.address_of(value, inner),
            _ => value,
        }
    }

    /// The address of a value, with the beginning of a node's text.
    pub fn address_of(&self, value: Value, node: Node<'t>) -> Value {
        Value::Address {
            of: Box::new(value),
            text: self.reason(ReasonCode::AddressOf, node).detail,
        }
    }

    /// From the declaration; else from the table of library functions.
    fn result_type(&self, name: &str, function: Option<Node<'t>>, arguments: &[Value]) -> Type {
        if let Some(Symbol::Function(result)) = self.names.symbol(name) {
            return self.names.value_type(result);
        }
        let pointed = function.map_or(CType::Unknown, |function| self.type_of(function, 0));
        let pointed = if pointed.is_address() {
            pointed.element()
        } else {
            pointed
        };
        if let CType::Function(result) = pointed {
            return self.names.value_type(&result);
        }
        let Some(intrinsic) = Intrinsics::builtin().lookup(Language::C, name) else {
            return Type::Unknown;
        };
        match intrinsic.result {
            ResultType::Same => arguments
                .first()
                .map_or(Type::Unknown, |value| value.ty(self.draft.function())),
            ResultType::Integer => Type::integer(4),
            other => fixed(other).unwrap_or(Type::Unknown),
        }
    }
}
