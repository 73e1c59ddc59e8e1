//! An array of the caller under the subscripts of a dummy argument.
//!
//! Each dimension of the caller's array is at a fixed place or moves with one subscript of the dummy argument:
//!
//! ```text
//! q(2:n:2, j) passed for y, y(k) with bounds from 1:   q( 2 + (k − 1)·2, j )
//!                                                         │   │ origin
//!                                                         │ start
//! ```
//!
//! Differences of equal terms are left out at once, since most views begin where the array does and subscripts
//! have to stay readable as the source has them.

use crate::ir::{Value, VarId};

/// What a dummy argument stands for.
pub enum Binding {
    Value(Value),
    View(View),
}

/// An array of the caller under the subscripts of a dummy argument.
pub struct View {
    pub array: VarId,
    pub dimensions: Vec<Dimension>,
}

/// One dimension of the caller's array.
pub enum Dimension {
    Fixed(Value),
    /// `start + (subscript − origin)·step` with the subscript at `position` of the dummy argument.
    Along {
        position: usize,
        start: Value,
        origin: Value,
        step: Value,
    },
}

impl View {
    /// The subscripts of the caller's array, given those of the dummy argument.
    pub fn subscripts(&self, given: &[Value]) -> Option<Vec<Value>> {
        let subscript = |dimension: &Dimension| match dimension {
            Dimension::Fixed(value) => Some(value.clone()),
            Dimension::Along {
                position,
                start,
                origin,
                step,
            } => Some(mapped(given.get(*position)?.clone(), start, origin, step)),
        };
        self.dimensions.iter().map(subscript).collect()
    }
}

pub fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Integer(a), Value::Integer(b)) => a == b,
        (Value::Variable(a), Value::Variable(b)) => a == b,
        _ => false,
    }
}

pub fn sum(a: Value, b: Value) -> Value {
    use crate::ir::BinaryOp::Add;
    match (a, b) {
        (Value::Integer(0), other) | (other, Value::Integer(0)) => other,
        (Value::Integer(a), Value::Integer(b)) => a.checked_add(b).map_or_else(
            || Value::binary(Add, Value::Integer(a), Value::Integer(b)),
            Value::Integer,
        ),
        (a, b) => Value::binary(Add, a, b),
    }
}

/// `start + (subscript − origin)·step`
fn mapped(subscript: Value, start: &Value, origin: &Value, step: &Value) -> Value {
    use crate::ir::BinaryOp::{Multiply, Subtract};
    let unit = matches!(step, Value::Integer(1));
    if unit && same(start, origin) {
        return subscript;
    }
    let distance = match (subscript, origin) {
        (subscript, Value::Integer(0)) => subscript,
        (subscript, origin) if same(&subscript, origin) => Value::Integer(0),
        (Value::Integer(a), Value::Integer(b)) if a.checked_sub(*b).is_some() => {
            Value::Integer(a - b)
        }
        (subscript, origin) => Value::binary(Subtract, subscript, origin.clone()),
    };
    let moved = if unit {
        distance
    } else {
        Value::binary(Multiply, distance, step.clone())
    };
    sum(start.clone(), moved)
}
