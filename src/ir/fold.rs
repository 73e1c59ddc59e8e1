//! Integers that are known without running anything.

use super::{BinaryOp, Function, Type, UnaryOp, Value};

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
        // The divisor is a power of two.
        BinaryOp::ShiftRight => left.checked_div_euclid(right),
        BinaryOp::Remainder => left.checked_rem(right),
        BinaryOp::Power => power(left, right),
        BinaryOp::BitAnd => Some(left & right),
        BinaryOp::BitOr => Some(left | right),
        BinaryOp::BitExclusiveOr => Some(left ^ right),
        _ => None,
    }
}

/// A whole number to the power of another; one over a whole number is cut off.
fn power(base: i64, exponent: i64) -> Option<i64> {
    match (base, u32::try_from(exponent)) {
        (_, Ok(exponent)) => base.checked_pow(exponent),
        (0, Err(_)) => None,
        (1, Err(_)) => Some(1),
        (-1, Err(_)) => Some(if exponent % 2 == 0 { 1 } else { -1 }),
        (_, Err(_)) => Some(0),
    }
}

/// Whole numbers beyond that have no exact real one.
const LARGEST: f64 = 9e15;

/// The whole number that is left of a real one.
pub fn truncated(number: f64) -> Option<i64> {
    (number.abs() < LARGEST).then_some(number.trunc() as i64)
}

/// What arithmetic of nothing but literals with a real one among them gives, rounded as the language does it; `None` of
/// anything else, and of whole numbers alone.
pub fn literal(value: &Value) -> Option<f64> {
    literal_within(value, DEPTH).map(|(number, _)| number)
}

/// What is left of a real number in four bytes.
pub fn in_single(number: f64) -> f64 {
    f64::from(number as f32)
}

/// The value of a literal, and the bytes of its type.
fn literal_within(value: &Value, depth: u32) -> Option<(f64, u32)> {
    let depth = depth.checked_sub(1)?;
    let again = |value: &Value| match value {
        Value::Integer(number) if number.unsigned_abs() < 1 << 24 => Some((*number as f64, 0)),
        value => literal_within(value, depth),
    };
    let rounded = |number: f64, bytes: u32| match bytes {
        4 => Some((in_single(number), 4)),
        8 => Some((number, 8)),
        _ => None,
    };
    match value {
        Value::Real(number, bytes) => rounded(*number, *bytes),
        Value::Unary(UnaryOp::Negate, inner) => {
            let (number, bytes) = literal_within(inner, depth)?;
            Some((-number, bytes))
        }
        Value::Convert(Type::Real(bytes), inner) => rounded(again(inner)?.0, *bytes),
        Value::Binary(op, left, right) => {
            let ((a, own), (b, other)) = (again(left)?, again(right)?);
            let number = match op {
                BinaryOp::Add => a + b,
                BinaryOp::Subtract => a - b,
                BinaryOp::Multiply => a * b,
                BinaryOp::Divide => a / b,
                _ => return None,
            };
            rounded(number, own.max(other)).filter(|(number, _)| number.is_finite())
        }
        _ => None,
    }
}

/// A comparison of a whole number with a literal that is none, as one with a whole number: `j < 10.5` is `j < 11`.
pub fn compared_with_whole(
    function: &Function,
    op: BinaryOp,
    sides: (Value, Value),
) -> (BinaryOp, Value, Value) {
    let (left, right) = sides;
    let is_whole = |value: &Value| matches!(value.ty(function), Type::Integer(..));
    let end = |op: BinaryOp, number: f64| {
        let whole = match op {
            BinaryOp::Less | BinaryOp::GreaterOrEqual => number.ceil(),
            BinaryOp::LessOrEqual | BinaryOp::Greater => number.floor(),
            BinaryOp::Equal | BinaryOp::NotEqual if number.fract() == 0.0 => number,
            _ => return None,
        };
        truncated(whole).map(Value::Integer)
    };
    if is_whole(&left)
        && let Some(end) = literal(&right).and_then(|number| end(op, number))
    {
        return (op, left, end);
    }
    if is_whole(&right)
        && let Some(end) = literal(&left).and_then(|number| end(op.mirrored(), number))
    {
        return (op, end, right);
    }
    (op, left, right)
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
            Value::Convert(ty, inner) if !ty.is_floating() => {
                let number = match literal(inner) {
                    Some(number) => truncated(number)?,
                    None => self.value(inner, depth)?,
                };
                match ty {
                    Type::Integer(..) => ty.wrapped(number),
                    _ => Some(number),
                }
            }
            Value::Unary(op @ (UnaryOp::Negate | UnaryOp::Complement), inner) => {
                let number = self.value(inner, depth)?;
                let result = match op {
                    UnaryOp::Negate => number.checked_neg()?,
                    _ => !number,
                };
                value.ty(self.function).computed(result)
            }
            // A shift by an unknown number of bits; of a known number it is a multiplication.
            Value::Binary(BinaryOp::Power, ..) => None,
            Value::Binary(op, left, right) => {
                let (left, right) = (self.value(left, depth)?, self.value(right, depth)?);
                let result = arithmetic(*op, left, right)?;
                value.ty(self.function).computed(result)
            }
            _ => None,
        }
    }
}
