//! Functions on bits as operators, and questions about the model of numbers as literals.
//!
//! ```text
//! iand(n, 6)        ►    n & 6
//! ishft(n, -1)      ►    n / 2        of what is not negative
//! btest(n, 0)       ►    (n & 1) != 0
//! huge(n)           ►    2147483647
//! kind(1.0d0)       ►    8
//! ```

use super::super::fold;
use super::procedure::Lowering;
use crate::ir::{BinaryOp, Type, UnaryOp, Value};

impl Lowering<'_> {
    /// What such a function of whole numbers is; `None` of any other. `kind` is that of the first one, where its literals have
    /// one of their own.
    pub fn of_bits(&self, name: &str, arguments: &[Value], kind: Option<u32>) -> Option<Value> {
        let function = self.draft.function();
        let bytes = match (arguments.first()?.ty(function), name) {
            (Type::Integer(..) | Type::Real(_), "radix") => return Some(Value::Integer(2)),
            (Type::Integer(bytes, _), _) => kind.unwrap_or(bytes),
            (Type::Real(bytes) | Type::Logical(bytes), "kind") => {
                return Some(Value::Integer(i64::from(bytes)));
            }
            (Type::Character(_), "kind") => return Some(Value::Integer(1)),
            (Type::Complex(bytes), "kind") => return Some(Value::Integer(i64::from(bytes / 2))),
            (Type::Real(4), "digits") => return Some(Value::Integer(24)),
            (Type::Real(8), "digits") => return Some(Value::Integer(53)),
            _ => return None,
        };
        if arguments.iter().any(|one| self.rank(one) != Some(0)) {
            return None;
        }
        if let Some(number) = self.of_known_bits(name, arguments, bytes) {
            return Some(Value::Integer(number));
        }
        let known = |value: &Value| fold::value(function, value);
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
            // Of what is negative, other bits come in from the left.
            ("ishft" | "shiftr", [a, _]) if known(a).is_some_and(|number| number < 0) => {
                return None;
            }
            ("ishft", [a, by]) => {
                let by = self.literal(by)?;
                let factor = 1_i64.checked_shl(u32::try_from(by.checked_neg()?).ok()?)?;
                binary(BinaryOp::Divide, a, Value::Integer(factor))
            }
            ("shiftr", [a, by @ Value::Integer(_)]) => binary(BinaryOp::Divide, a, bit(by)?),
            ("huge", [_]) if bytes == 8 => Value::Integer(i64::MAX),
            ("huge", [_]) if bytes < 8 => Value::Integer((1_i64 << (8 * bytes - 1)) - 1),
            ("kind", [_]) => Value::Integer(i64::from(bytes)),
            ("bit_size", [_]) => Value::Integer(8 * i64::from(bytes)),
            ("digits", [_]) => Value::Integer(8 * i64::from(bytes) - 1),
            _ => return None,
        })
    }

    /// What bits of a number that is known give.
    fn of_known_bits(&self, name: &str, arguments: &[Value], bytes: u32) -> Option<i64> {
        let all = Some(8 * bytes).filter(|all| *all <= 64)?;
        let known = |value: &Value| fold::value(self.draft.function(), value);
        let low = |count: u32| u64::MAX.checked_shr(64 - count).unwrap_or(0);
        let of = |value: &Value| Some(known(value)? as u64 & low(all));
        let count = match (name, arguments) {
            ("popcnt", [a]) => of(a)?.count_ones(),
            ("poppar", [a]) => of(a)?.count_ones() % 2,
            ("leadz", [a]) => of(a)?.leading_zeros() - (64 - all),
            ("ishft" | "shiftr" | "shiftl", [a, by]) => {
                let by = known(by)?;
                let left = match name {
                    "shiftr" => by.checked_neg()?,
                    _ => by,
                };
                let (to, bits) = (u32::try_from(left.unsigned_abs()).ok()?, of(a)?);
                let moved = match left >= 0 {
                    true => bits.checked_shl(to).unwrap_or(0) & low(all),
                    false => bits.checked_shr(to).unwrap_or(0),
                };
                // The highest of all bits is the sign.
                let unused = 64 - all;
                return Some((moved << unused) as i64 >> unused);
            }
            ("trailz", [a]) => of(a)?.trailing_zeros().min(all),
            ("ibits", [a, at, length]) => {
                let number = |value: &Value| u32::try_from(known(value)?).ok();
                let (at, length) = (number(at)?, number(length)?);
                let is_inside = at + length <= all && length < 64;
                let bits = of(a)?.checked_shr(at).unwrap_or(0) & low(length);
                return is_inside.then_some(bits as i64);
            }
            _ => return None,
        };
        Some(i64::from(count))
    }

    /// The one of two values that a condition chooses which is known.
    pub fn of_literals(&self, name: &str, arguments: &[Value]) -> Option<Value> {
        match (name, arguments) {
            ("merge", [yes, no, mask]) if [yes, no].map(|one| self.rank(one)) == [Some(0); 2] => {
                match self.holds(mask)? {
                    true => Some(yes.clone()),
                    false => Some(no.clone()),
                }
            }
            _ => None,
        }
    }

    /// Whether a condition of literals and constants holds.
    fn holds(&self, condition: &Value) -> Option<bool> {
        let known = |value: &Value| fold::value(self.draft.function(), value);
        match condition {
            Value::Logical(holds) => Some(*holds),
            Value::Unary(UnaryOp::Not, inner) => Some(!self.holds(inner)?),
            Value::Binary(op, left, right) if op.is_comparison() => {
                Some(op.holds_of(known(left)?.cmp(&known(right)?)))
            }
            _ => None,
        }
    }

    fn literal(&self, value: &Value) -> Option<i64> {
        match value {
            Value::Integer(number) => Some(*number),
            Value::Unary(UnaryOp::Negate, inner) => self.literal(inner)?.checked_neg(),
            _ => None,
        }
    }
}
