//! Functions on bits as operators, and questions about the model of numbers as literals.
//!
//! ```text
//! iand(n, 6)        ►    n & 6
//! ishft(n, -1)      ►    n / 2        of what is not negative
//! btest(n, 0)       ►    (n & 1) != 0
//! huge(n)           ►    2147483647
//! kind(1.0d0)       ►    8
//! ```

use super::procedure::Lowering;
use crate::ir::{BinaryOp, Type, UnaryOp, Value};

impl Lowering<'_> {
    /// What such a function of whole numbers is; `None` of any other.
    pub fn of_bits(&self, name: &str, arguments: &[Value]) -> Option<Value> {
        let function = self.draft.function();
        let bytes = match (arguments.first()?.ty(function), name) {
            (Type::Integer(bytes, _), _) => bytes,
            (Type::Real(bytes) | Type::Logical(bytes), "kind") => {
                return Some(Value::Integer(i64::from(bytes)));
            }
            (Type::Real(4), "digits") => return Some(Value::Integer(24)),
            (Type::Real(8), "digits") => return Some(Value::Integer(53)),
            _ => return None,
        };
        if arguments.iter().any(|one| self.rank(one) != Some(0)) {
            return None;
        }
        let binary = |op, left: &Value, right: Value| Value::binary(op, left.clone(), right);
        let complement = |of: Value| Value::Unary(UnaryOp::Complement, Box::new(of));
        let bit = |at: &Value| match at {
            Value::Integer(at @ 0..=62) => Some(Value::Integer(1 << at)),
            _ => None,
        };
        Some(match (name, arguments) {
            ("iand", [a, b]) => binary(BinaryOp::BitAnd, a, b.clone()),
            ("ior", [a, b]) => binary(BinaryOp::BitOr, a, b.clone()),
            ("ieor", [a, b]) => binary(BinaryOp::BitExclusiveOr, a, b.clone()),
            ("not", [a]) => complement(a.clone()),
            ("ibset", [a, at]) => binary(BinaryOp::BitOr, a, bit(at)?),
            ("ibclr", [a, at]) => binary(BinaryOp::BitAnd, a, complement(bit(at)?)),
            ("btest", [a, at]) => Value::binary(
                BinaryOp::NotEqual,
                binary(BinaryOp::BitAnd, a, bit(at)?),
                Value::Integer(0),
            ),
            ("ishft" | "shiftl", [a, Value::Integer(by @ 0..=62)]) => Value::Convert(
                a.ty(function),
                Box::new(binary(BinaryOp::Multiply, a, Value::Integer(1 << by))),
            ),
            ("ishft", [a, by]) => {
                let by = self.literal(by)?;
                let factor = 1_i64.checked_shl(u32::try_from(by.checked_neg()?).ok()?)?;
                binary(BinaryOp::Divide, a, Value::Integer(factor))
            }
            ("shiftr", [a, by @ Value::Integer(_)]) => binary(BinaryOp::Divide, a, bit(by)?),
            ("huge", [_]) if bytes < 8 => Value::Integer((1_i64 << (8 * bytes - 1)) - 1),
            ("kind", [_]) => Value::Integer(i64::from(bytes)),
            ("bit_size", [_]) => Value::Integer(8 * i64::from(bytes)),
            ("digits", [_]) => Value::Integer(8 * i64::from(bytes) - 1),
            _ => return None,
        })
    }

    fn literal(&self, value: &Value) -> Option<i64> {
        match value {
            Value::Integer(number) => Some(*number),
            Value::Unary(UnaryOp::Negate, inner) => self.literal(inner)?.checked_neg(),
            _ => None,
        }
    }
}
