//! Values that are addresses: rows of arrays, `&x`, pointers and what moves them.

use super::{BinaryOp, Function, Stmt, Value, Variable};

/// Bytes of a pointer of C.
pub const POINTER_BYTES: u32 = 8;

/// Whether a subscript is one that the source leaves out: the value is an address.
pub fn is_left_out(subscript: &Value) -> bool {
    matches!(subscript, Value::Row)
}

/// How many subscripts are left out of an element that has others.
pub fn pointed_dimensions(subscripts: &[Value]) -> Option<usize> {
    let left_out = subscripts.iter().take_while(|s| is_left_out(s)).count();
    (left_out > 0 && left_out < subscripts.len() && !subscripts[left_out..].iter().any(is_left_out))
        .then_some(left_out)
}

/// How many subscripts are left out of an element of C that is itself a pointer: `row[i]` of `double *row[10]` or of
/// `double **row`, not of `double row[10][20]`. What is declared without an extent inside an array is a pointer.
pub fn dimensions_behind(array: &Variable, subscripts: &[Value]) -> Option<usize> {
    let is_pointer = |left_out: &usize| {
        let extent = array.dimensions.get(left_out - 1);
        extent.is_some_and(|extent| extent.upper.is_none())
    };
    pointed_dimensions(subscripts).filter(is_pointer)
}

/// The element or variable whose address a value is.
pub fn addressed(value: &Value) -> Option<&Value> {
    match value {
        Value::Address { of, .. } => Some(of),
        _ => None,
    }
}

/// What a call may give another value through an argument: what that is the address of. The address of a scalar is given as
/// the scalar itself.
pub fn passed_by_address<'v>(argument: &'v Value, function: &Function) -> Option<&'v Value> {
    let is_scalar = || {
        argument
            .variable()
            .is_some_and(|id| function.passed.contains(&id))
    };
    addressed(argument).or_else(|| is_scalar().then_some(argument))
}

/// Whether a value of C is an address: an array or pointer without all its subscripts.
pub fn is_address(value: &Value, function: &Function) -> bool {
    match value {
        Value::Variable(id) => !function.variable(*id).dimensions.is_empty(),
        Value::Element { subscripts, .. } => subscripts.iter().any(is_left_out),
        Value::Binary(BinaryOp::Add | BinaryOp::Subtract, left, right) => {
            is_address(left, function) || is_address(right, function)
        }
        Value::Select(_, then, otherwise) => {
            is_address(then, function) || is_address(otherwise, function)
        }
        Value::Convert(_, inner) => is_address(inner, function),
        _ => addressed(value).is_some(),
    }
}

/// The variables and elements whose addresses a value is made from, but for those that calls get.
pub fn address_bases<'v>(value: &'v Value, function: &Function, found: &mut Vec<&'v Value>) {
    match value {
        Value::Address { of, .. } => found.push(of),
        Value::Convert(_, inner) => address_bases(inner, function, found),
        Value::Binary(BinaryOp::Add | BinaryOp::Subtract, left, right) => {
            address_bases(left, function, found);
            address_bases(right, function, found);
        }
        Value::Select(_, then, otherwise) => {
            address_bases(then, function, found);
            address_bases(otherwise, function, found);
        }
        Value::Variable(_) | Value::Element { .. } if is_address(value, function) => {
            found.push(value);
        }
        _ => {}
    }
}

/// The same of what a call gets in a place where an address is expected: a scalar stands for its own, `f(&n)`.
pub fn passed_bases<'v>(argument: &'v Value, function: &Function, found: &mut Vec<&'v Value>) {
    match argument {
        Value::Variable(_) => found.push(argument),
        _ => address_bases(argument, function, found),
    }
}

/// The variables and elements whose addresses a statement of C keeps: `p = &n`, `struct s q = {&n}`, `p = dims + 1`,
/// `return &n`.
pub fn kept_addresses<'s>(stmt: &'s Stmt, function: &Function) -> Vec<&'s Value> {
    let mut kept = Vec::new();
    let values = match stmt {
        Stmt::Assign { value, .. } => std::slice::from_ref(value),
        Stmt::Evaluate { values, .. } => values,
        _ => &[],
    };
    if function.conventions.has_pointers() {
        for value in values {
            address_bases(value, function, &mut kept);
        }
    }
    kept
}
