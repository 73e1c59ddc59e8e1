//! Integers and addresses while a nest runs.

use super::code::{Affine, Code, Integer, Intrinsic, Reference, Slot};
use super::run::Run;
use super::{Access, Sink};
use crate::cache::{AccessKind, split_mix};
use crate::ir::{BinaryOp, UnaryOp};

/// An integer; one that is not known has a number that is drawn for it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    pub number: i64,
    pub known: bool,
}

/// The value of an integer over slots that are all known; `None` if it depends on anything else.
pub(super) fn constant(value: &Integer, slots: &[i64]) -> Option<i64> {
    struct Nowhere;
    impl Sink for Nowhere {
        fn take(&mut self, _: &[Access], _: u64) {}
    }
    if !is_pure(value) {
        return None;
    }
    let (body, arrays, notes) = (Vec::new(), Vec::new(), Default::default());
    let code = Code {
        body,
        initial: slots.to_vec(),
        arrays,
        loops: 0,
        branches: 0,
        notes,
        is_outside: false,
        reach: (0, 0),
    };
    let Number { number, known } = Run::new(&code, 64, u64::MAX, &mut Nowhere).integer(value);
    known.then_some(number)
}

fn is_pure(value: &Integer) -> bool {
    match value {
        Integer::Affine(_) => true,
        Integer::Binary(_, left, right) => is_pure(left) && is_pure(right),
        Integer::Unary(_, operand) => is_pure(operand),
        Integer::Intrinsic(_, operands) => operands.iter().all(is_pure),
        Integer::Select(a, b, c) => is_pure(a) && is_pure(b) && is_pure(c),
        Integer::Load(..) | Integer::Address(_) | Integer::Data(_) => false,
    }
}

impl Run<'_> {
    pub fn address(&mut self, reference: &Reference) -> i64 {
        let mut address = self.sum(&reference.start);
        for subscript in &reference.subscripts {
            let Number { number, known } = self.integer(&subscript.value);
            self.draws_places_unless(known);
            let place = match known {
                true => number.wrapping_sub(subscript.lower),
                false if self.corners.is_some() => self.drawn_corner() * (subscript.extent - 1),
                false => number.rem_euclid(subscript.extent),
            };
            if let Some(seen) = &mut self.corners
                && known
                && let Some((least, most)) = seen[reference.array].get_mut(subscript.dimension)
            {
                (*least, *most) = ((*least).min(number), (*most).max(number));
            }
            address = address.wrapping_add(place.wrapping_mul(subscript.stride));
        }
        address
    }

    /// One of the ends of what data may choose, 0 or 1: as evenly as can be, of several subscripts in all ways.
    fn drawn_corner(&mut self) -> i64 {
        self.drawn_corners += 1;
        i64::from(self.drawn_corners.count_ones() & 1)
    }

    #[inline]
    pub fn sum(&self, affine: &Affine) -> i64 {
        let term = |(slot, coefficient): &(Slot, i64)| {
            self.slots[slot.0 as usize].wrapping_mul(*coefficient)
        };
        affine
            .terms
            .iter()
            .map(term)
            .fold(affine.base, i64::wrapping_add)
    }

    pub fn integer(&mut self, value: &Integer) -> Number {
        match value {
            Integer::Affine(affine) => {
                let known = affine
                    .terms
                    .iter()
                    .all(|(slot, _)| self.known[slot.0 as usize]);
                Number {
                    number: self.sum(affine),
                    known,
                }
            }
            Integer::Binary(op, left, right) => {
                let left = self.integer(left);
                // The right side is not evaluated if the left one decides.
                if left.known
                    && ((*op == BinaryOp::And && left.number == 0)
                        || (*op == BinaryOp::Or && left.number != 0))
                {
                    return Number {
                        number: i64::from(left.number != 0),
                        known: true,
                    };
                }
                let right = self.integer(right);
                // What is not known behind a side that decides makes no difference.
                if right.known
                    && ((*op == BinaryOp::And && right.number == 0)
                        || (*op == BinaryOp::Or && right.number != 0))
                {
                    return Number {
                        number: i64::from(right.number != 0),
                        known: true,
                    };
                }
                binary(*op, left, right)
            }
            Integer::Unary(op, operand) => {
                let Number { number, known } = self.integer(operand);
                let number = match op {
                    UnaryOp::Negate => number.wrapping_neg(),
                    UnaryOp::Not => i64::from(number == 0),
                    UnaryOp::Complement => !number,
                };
                Number { number, known }
            }
            Integer::Intrinsic(function, operands) => {
                let mut operands = operands
                    .iter()
                    .map(|operand| self.integer(operand))
                    .collect::<Vec<_>>()
                    .into_iter();
                let first = operands.next().unwrap_or(Number {
                    number: 0,
                    known: false,
                });
                operands.fold(intrinsic_of_one(*function, first), |a, b| {
                    intrinsic(*function, a, b)
                })
            }
            Integer::Select(condition, then, otherwise) => {
                let condition = self.integer(condition);
                self.draws_places_unless(condition.known);
                let chosen = if condition.number != 0 {
                    then
                } else {
                    otherwise
                };
                let Number { number, known } = self.integer(chosen);
                Number {
                    number,
                    known: known && condition.known,
                }
            }
            Integer::Address(reference) => Number {
                number: self.address(reference),
                known: true,
            },
            Integer::Load(reference, given) => {
                let address = self.address(reference);
                if !reference.quiet {
                    self.access(address, reference.bytes, AccessKind::Load);
                }
                // A byte holds no more than a byte does.
                let held = match reference.bytes {
                    bytes @ 1..=2 => (1 << (8 * bytes)) - 1,
                    _ => i64::MAX,
                };
                let drawn = (split_mix(address as u64) >> 2) as i64 & held;
                let unwritten = Number {
                    number: given.unwrap_or(drawn),
                    known: given.is_some(),
                };
                self.memory.get(&address).copied().unwrap_or(unwritten)
            }
            Integer::Data(reads) => {
                self.statements(reads);
                let drawn = (split_mix(self.accesses) >> 2) as i64;
                Number {
                    number: drawn,
                    known: false,
                }
            }
        }
    }
}

fn intrinsic_of_one(function: Intrinsic, Number { number, known }: Number) -> Number {
    let number = if function == Intrinsic::Absolute {
        number.wrapping_abs()
    } else {
        number
    };
    Number { number, known }
}

fn intrinsic(function: Intrinsic, a: Number, b: Number) -> Number {
    let known = a.known && b.known;
    let (a, b) = (a.number, b.number);
    let number = match function {
        Intrinsic::Min => Some(a.min(b)),
        Intrinsic::Max => Some(a.max(b)),
        Intrinsic::Absolute => Some(a),
        Intrinsic::Remainder => a.checked_rem(b),
        Intrinsic::Modulo => a.checked_rem(b).map(|rest| {
            if rest != 0 && (rest < 0) != (b < 0) {
                rest + b
            } else {
                rest
            }
        }),
    };
    Number {
        number: number.unwrap_or(0),
        known: known && number.is_some(),
    }
}

fn binary(op: BinaryOp, left: Number, right: Number) -> Number {
    let known = left.known && right.known;
    let (a, b) = (left.number, right.number);
    let number = match op {
        BinaryOp::Add => Some(a.wrapping_add(b)),
        BinaryOp::Subtract => Some(a.wrapping_sub(b)),
        BinaryOp::Multiply => Some(a.wrapping_mul(b)),
        // Both languages round towards zero.
        BinaryOp::Divide => a.checked_div(b),
        BinaryOp::ShiftRight => a.checked_div_euclid(b),
        BinaryOp::Remainder => a.checked_rem(b),
        BinaryOp::Power => u32::try_from(b).ok().and_then(|b| a.checked_pow(b)),
        BinaryOp::Less => Some(i64::from(a < b)),
        BinaryOp::LessOrEqual => Some(i64::from(a <= b)),
        BinaryOp::Greater => Some(i64::from(a > b)),
        BinaryOp::GreaterOrEqual => Some(i64::from(a >= b)),
        BinaryOp::Equal => Some(i64::from(a == b)),
        BinaryOp::NotEqual => Some(i64::from(a != b)),
        BinaryOp::And => Some(i64::from(a != 0 && b != 0)),
        BinaryOp::Or => Some(i64::from(a != 0 || b != 0)),
        BinaryOp::BitAnd => Some(a & b),
        BinaryOp::BitOr => Some(a | b),
        BinaryOp::BitExclusiveOr => Some(a ^ b),
        // Which one it is is not known.
        BinaryOp::Other => None,
    };
    Number {
        number: number.unwrap_or(a ^ b.rotate_left(32)),
        known: known && number.is_some(),
    }
}
