//! Values as the source has them, compact; for names and reports.

use super::{BinaryOp, Function, Type, UnaryOp, Value, addressed, text};
use crate::source::Language;

/// Source-like text of a value, in the subscript order of the language.
pub fn source_text(value: &Value, function: &Function) -> String {
    let language = function.conventions.language;
    let again = |v: &Value| source_text(v, function);
    let list = |values: &[Value]| values.iter().map(again).collect::<Vec<_>>().join(",");
    match value {
        Value::Element {
            array, subscripts, ..
        } => {
            let variable = function.variable(*array);
            let name = &variable.name;
            // Of a text that stands alone the elements are its characters, and what is meant is all from there on.
            let is_text =
                matches!(variable.ty, Type::Character(_)) && variable.dimensions.is_empty();
            match language {
                Language::Fortran if is_text => match subscripts.as_slice() {
                    [Value::Integer(1)] => name.to_string(),
                    from => format!("{name}({}:…)", list(from)),
                },
                Language::Fortran => format!("{name}({})", list(subscripts)),
                Language::C => {
                    // What an element of pointers leads to has no subscript of its own.
                    let written = subscripts.iter().rev().filter(|s| **s != Value::Row);
                    let brackets = written.map(|s| format!("[{}]", again(s)));
                    format!("{name}{}", brackets.collect::<String>())
                }
            }
        }
        Value::Binary(op, left, right) => {
            let side = |v: &Value| match v {
                Value::Binary(..) | Value::Select(..) => format!("({})", again(v)),
                _ => again(v),
            };
            let space = if op.is_comparison() || matches!(op, BinaryOp::And | BinaryOp::Or) {
                " "
            } else {
                ""
            };
            let sign = match (op, language) {
                (BinaryOp::And, Language::C) => "&&",
                (BinaryOp::Or, Language::C) => "||",
                (BinaryOp::NotEqual, Language::C) => "!=",
                (BinaryOp::And, Language::Fortran) => ".and.",
                (BinaryOp::Or, Language::Fortran) => ".or.",
                _ => op.sign(),
            };
            format!("{}{space}{sign}{space}{}", side(left), side(right))
        }
        Value::Unary(op, operand) => {
            let sign = match (op, language) {
                (UnaryOp::Negate, _) => "-",
                (UnaryOp::Not, Language::C) => "!",
                (UnaryOp::Not, Language::Fortran) => ".not. ",
                (UnaryOp::Complement, _) => "~",
            };
            match &**operand {
                Value::Binary(..) | Value::Select(..) => format!("{sign}({})", again(operand)),
                operand => format!("{sign}{}", again(operand)),
            }
        }
        Value::Call {
            name, arguments, ..
        } => format!("{name}({})", list(arguments)),
        Value::Real(x, _) => format!("{x}"),
        Value::Convert(_, operand) => again(operand),
        other => match addressed(other) {
            Some(inner) => format!("&{}", again(inner)),
            None => text::show(function, value),
        },
    }
}
