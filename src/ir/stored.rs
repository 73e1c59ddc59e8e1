//! What is left of a number in the type that stores it: `int n = 3.99` is 3, `unsigned char n = 300` is 44.
//!
//! Literals become what is left of them; of other values the conversion is written down, but of those that only count on,
//! `n = n + 1`, which loops are recognised by.

use super::visit::each_value;
use super::{BinaryOp, Function, Stmt, Type, Value, VarId, fold};

/// Converts what statements assign.
pub fn convert(function: &mut Function) {
    let mut body = std::mem::take(&mut function.body);
    in_block(function, &mut body);
    function.body = body;
}

/// Converts what variables begin with, and the values of named constants.
pub fn convert_beginnings(function: &mut Function) {
    let ty = |id: VarId, function: &Function| function.variable(id).ty.clone();
    let mut initial = std::mem::take(&mut function.initial);
    for (id, value) in &mut initial {
        convert_to(function, &ty(*id, function), None, value);
    }
    function.initial = initial;
    let mut listed = std::mem::take(&mut function.listed);
    for (id, values) in &mut listed {
        let ty = ty(*id, function);
        for (_, value) in values {
            convert_to(function, &ty, None, value);
        }
    }
    function.listed = listed;
    for at in 0..function.variables.len() {
        if let Some(mut constant) = function.variables[at].constant.take() {
            let ty = function.variables[at].ty.clone();
            convert_to(function, &ty, None, &mut constant);
            function.variables[at].constant = Some(constant);
        }
    }
}

fn in_block(function: &Function, block: &mut [Stmt]) {
    for stmt in block {
        match stmt {
            Stmt::Assign { target, value, .. } => {
                convert_to(function, &target.ty(function), target.variable(), value);
            }
            Stmt::Loop(inner) => in_block(function, &mut inner.body),
            Stmt::If(branch) => {
                in_block(function, &mut branch.then);
                in_block(function, &mut branch.otherwise);
            }
            Stmt::Opaque { inner, .. } => in_block(function, inner),
            Stmt::Call { .. } | Stmt::Jump { .. } | Stmt::Mark { .. } | Stmt::Evaluate { .. } => {}
        }
    }
}

/// Makes a value what a variable of a type has of it.
pub fn convert_to(function: &Function, ty: &Type, target: Option<VarId>, value: &mut Value) {
    if !matches!(ty, Type::Integer(..) | Type::Logical(_)) || value.has_no_number() {
        return;
    }
    if let Some(number) = literal(ty, value) {
        *value = number;
        return;
    }
    // What literals make together, and is beyond what the type holds.
    if let Some(number) = fold::value(function, value)
        && let Some(left) = ty.wrapped(number).filter(|left| *left != number)
        && matches!(ty, Type::Integer(..))
    {
        *value = Value::Integer(left);
        return;
    }
    let from = value.ty(function);
    let is_other = match (ty, &from) {
        (Type::Integer(..), Type::Real(_))
        | (Type::Logical(_), Type::Integer(..) | Type::Real(_)) => true,
        (Type::Integer(bytes, sign), Type::Integer(of, own)) => {
            let fits = bytes > of || (bytes, sign) == (of, own);
            !fits && !target.is_some_and(|id| counts_on(value, id))
        }
        _ => false,
    };
    if is_other {
        let inner = std::mem::replace(value, Value::Integer(0));
        *value = match ty {
            Type::Logical(_) => {
                let zero = match from {
                    Type::Real(bytes) => Value::Real(0.0, bytes),
                    _ => Value::Integer(0),
                };
                Value::binary(BinaryOp::NotEqual, inner, zero)
            }
            ty => Value::Convert(ty.clone(), Box::new(inner)),
        };
    }
}

/// Whether a value is made from what the variable has had.
fn counts_on(value: &Value, id: VarId) -> bool {
    let mut does = false;
    each_value(value, &mut |part| does |= part.variable() == Some(id));
    does
}

/// What is left of a literal, if it is one that the type does not hold as it is.
fn literal(ty: &Type, value: &Value) -> Option<Value> {
    let number = match value {
        Value::Integer(number) => *number,
        _ => {
            let number = fold::literal(value)?;
            if matches!(ty, Type::Logical(_)) {
                return Some(Value::Logical(number != 0.0));
            }
            fold::truncated(number)?
        }
    };
    match (ty, value) {
        (Type::Logical(_), Value::Integer(number)) => Some(Value::Logical(*number != 0)),
        (Type::Integer(..), _) => Some(Value::Integer(ty.wrapped(number)?)),
        _ => None,
    }
}
