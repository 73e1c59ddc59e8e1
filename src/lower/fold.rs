//! Integers that are known without running anything.

use crate::ir::{BinaryOp, Function, UnaryOp, Value};

/// Deeper values are not folded.
const DEPTH: u32 = 100;
/// Nor are values of more nodes, counted with the constants they name.
const FUEL: u32 = 20_000;

/// The result of an arithmetic operation on integers; `None` if it has none or does not fit.
pub fn arithmetic(op: BinaryOp, left: i64, right: i64) -> Option<i64> {
    match op {
        BinaryOp::Add => left.checked_add(right),
        BinaryOp::Subtract => left.checked_sub(right),
        BinaryOp::Multiply => left.checked_mul(right),
        BinaryOp::Divide => left.checked_div(right),
        BinaryOp::Remainder => left.checked_rem(right),
        BinaryOp::Power => left.checked_pow(u32::try_from(right).ok()?),
        _ => None,
    }
}

/// The integer that a value of the IR stands for, through named constants.
pub fn value(function: &Function, value: &Value) -> Option<i64> {
    let mut folding = Folding {
        function,
        fuel: FUEL,
    };
    folding.value(value, DEPTH)
}

struct Folding<'f> {
    function: &'f Function,
    fuel: u32,
}

impl Folding<'_> {
    fn value(&mut self, value: &Value, depth: u32) -> Option<i64> {
        let depth = depth.checked_sub(1)?;
        self.fuel = self.fuel.checked_sub(1)?;
        match value {
            Value::Integer(n) => Some(*n),
            Value::Variable(id) => {
                let function = self.function;
                self.value(function.variable(*id).constant.as_ref()?, depth)
            }
            Value::Convert(ty, inner) if !ty.is_floating() => self.value(inner, depth),
            Value::Unary(UnaryOp::Negate, inner) => self.value(inner, depth)?.checked_neg(),
            // A shift by an unknown number of bits; of a known number it is a multiplication.
            Value::Binary(BinaryOp::Power, ..) => None,
            Value::Binary(op, left, right) => {
                let (left, right) = (self.value(left, depth)?, self.value(right, depth)?);
                arithmetic(*op, left, right)
            }
            _ => None,
        }
    }
}
