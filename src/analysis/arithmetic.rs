//! Arithmetic of real numbers as a program does it: each operation is rounded to its type.

use std::collections::BTreeMap;

use crate::ir::{BinaryOp, Function, Type, UnaryOp, Value, VarId, fold, wider};

/// Deeper values are not followed.
pub const DEPTH: u32 = 24;

/// Numbers that variables have.
pub type Numbers = BTreeMap<VarId, f64>;

/// Whether a product is rounded before something is added to it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Products {
    Rounded,
    Fused,
}

/// Arithmetic as a program does it.
pub struct Compute<'c> {
    pub function: &'c Function,
    /// The number of a variable that `numbers` leave out.
    pub known: &'c dyn Fn(&Value) -> Option<f64>,
    pub products: Products,
}

impl Compute<'_> {
    pub fn holds(&self, part: &Value, numbers: &Numbers) -> Option<bool> {
        let Value::Binary(op, left, right) = part.unconverted() else {
            return None;
        };
        let both = wider(left.ty(self.function), right.ty(self.function));
        let side = |value: &Value| stored(&both, self.number(value, numbers, DEPTH)?);
        let order = side(left)?.partial_cmp(&side(right)?)?;
        op.is_comparison().then(|| op.holds_of(order))
    }

    pub fn number(&self, value: &Value, numbers: &Numbers, depth: u32) -> Option<f64> {
        let depth = depth.checked_sub(1)?;
        let ty = value.ty(self.function);
        match value {
            Value::Integer(number) => Some(*number as f64),
            Value::Real(number, _) => stored(&ty, *number),
            Value::Variable(id) => match numbers.get(id) {
                Some(number) => Some(*number),
                None => (self.known)(value),
            },
            Value::Convert(Type::Real(_) | Type::Integer(..), inner) => {
                stored(&ty, self.number(inner, numbers, depth)?)
            }
            Value::Unary(UnaryOp::Negate, inner) => Some(-self.number(inner, numbers, depth)?),
            Value::Binary(op, left, right) => {
                let side = |value: &Value| stored(&ty, self.number(value, numbers, depth)?);
                let (a, b) = (side(left)?, side(right)?);
                let is_real = matches!(ty, Type::Real(_));
                if self.products == Products::Fused
                    && is_real
                    && let Some(fused) = self.fused(*op, (left, right), (a, b), numbers)
                {
                    return stored(&ty, fused);
                }
                let result = match op {
                    BinaryOp::Add => a + b,
                    BinaryOp::Subtract => a - b,
                    BinaryOp::Multiply => a * b,
                    BinaryOp::Divide if b != 0.0 && is_real => a / b,
                    _ => return None,
                };
                stored(&ty, result)
            }
            _ => None,
        }
    }

    /// A sum with a product in it that is not rounded before.
    fn fused(
        &self,
        op: BinaryOp,
        (left, right): (&Value, &Value),
        (a, b): (f64, f64),
        numbers: &Numbers,
    ) -> Option<f64> {
        let factors = |value: &Value| match value {
            Value::Binary(BinaryOp::Multiply, x, y) => {
                let factor = |value: &Value| self.number(value, numbers, DEPTH);
                Some((factor(x)?, factor(y)?))
            }
            _ => None,
        };
        let sign = match op {
            BinaryOp::Add => 1.0,
            BinaryOp::Subtract => -1.0,
            _ => return None,
        };
        match (factors(left), factors(right)) {
            (_, Some((x, y))) => Some((sign * x).mul_add(y, a)),
            (Some((x, y)), None) => Some(x.mul_add(y, sign * b)),
            (None, None) => None,
        }
    }
}

/// What is left of a number in a type; `None` where the type does not hold it, or is no number.
pub fn stored(ty: &Type, number: f64) -> Option<f64> {
    let left = match ty {
        Type::Real(4) => fold::in_single(number),
        Type::Real(8) => number,
        Type::Integer(..) => {
            let whole = fold::truncated(number)?;
            ty.wrapped(whole).filter(|left| *left == whole)? as f64
        }
        _ => return None,
    };
    left.is_finite().then_some(left)
}
