//! Operations on whole numbers that wait for those of an earlier iteration.

use super::integer_divisions::{division, is_fixed};
use super::{Done, Walk, Ways, longest, stepped};
use crate::ir::{BinaryOp, Type, Value};
use crate::literal::{DEPTH, literal};

impl Walk<'_> {
    pub(super) fn is_whole(&self, value: &Value) -> bool {
        matches!(value.ty(self.function), Type::Integer(..))
    }

    /// One operation of a cycle more.
    pub(super) fn integer(&self, ways: Ways, done: Done) -> Ways {
        stepped(ways, |steps| steps.integer_adds += 1, done)
    }

    /// The larger of two values, or one of them by a condition: of whole numbers, a comparison and a move.
    pub(super) fn chosen(&self, ways: Ways, value: &Value, done: Done) -> Ways {
        match self.is_whole(value) {
            true => stepped(ways, |steps| steps.integer_adds += 2, done),
            false => stepped(ways, |steps| steps.selections += 1, done),
        }
    }

    /// What is not real and no comparison, of two sides.
    pub(super) fn whole(&self, ways: Ways, op: BinaryOp, sides: [&Value; 2]) -> Ways {
        use BinaryOp::{Add, And, BitAnd, BitExclusiveOr, BitOr, Multiply, Or, Other, Subtract};
        let number = |side| literal(self.function, side, DEPTH);
        let is_shift = || sides.into_iter().filter_map(number).any(is_power_of_two);
        match op {
            And | Or => stepped(ways, |_| {}, Done::Compared),
            Add | Subtract => self.integer(ways, Done::Added),
            Multiply if is_shift() => self.integer(ways, Done::Multiplied),
            Multiply => stepped(
                ways,
                |steps| steps.integer_multiplies += 1,
                Done::Multiplied,
            ),
            Other => self.integer(ways, Done::Compared),
            BitAnd | BitOr | BitExclusiveOr => self.integer(ways, Done::Bits(op)),
            BinaryOp::Power => stepped(ways, |steps| steps.integer_multiplies += 1, Done::More),
            _ => self.integer(ways, Done::More),
        }
    }

    /// What a quotient or remainder of whole numbers waits for; `None` of what is none.
    pub(super) fn divided(&mut self, value: &Value) -> Option<Ways> {
        let (divided, divisor) = division(self.function, value)?;
        let ways = longest(self.value(divided), self.value(divisor));
        let remainders = match value {
            Value::Binary(BinaryOp::Divide, ..) => 0,
            // What the quotient leaves.
            _ => 1,
        };
        let ways = match literal(self.function, divisor, DEPTH) {
            Some(by) if is_power_of_two(by) => self.integer(ways, Done::More),
            None if !is_fixed(self.function, divisor) => {
                stepped(ways, |steps| steps.integer_divides += 1, Done::More)
            }
            // A product of which the upper half is taken, and shifts.
            _ => stepped(
                ways,
                |steps| {
                    steps.integer_multiplies += 1 + remainders;
                    steps.integer_adds += 2 + remainders;
                },
                Done::More,
            ),
        };
        Some(ways)
    }
}

fn is_power_of_two(number: i64) -> bool {
    number.unsigned_abs().is_power_of_two()
}
