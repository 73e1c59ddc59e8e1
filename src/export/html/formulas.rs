//! The formulas of a page as bytes, which `templates/report/evaluate.js` reads and runs.
//!
//! Numbers are in groups of seven bits, the lowest first, all but the last with the eighth bit set. First comes how many
//! inputs there are; then two lists of steps, that of inputs that follow from others and that of figures; then the inputs
//! that follow from others: how many, and of each its position, the end of its steps after that of the one before, and
//! its operand; then how many figures there are, and the operand of each, as its distance from the one before.
//!
//! A list of steps has how many constants and steps there are; the constants, the first byte of all, then the second of
//! all, to the eighth; a byte for the operation of every step; the first operands of all steps, the second ones of those
//! that have two, the third ones. Operands of steps are twice the distance to an earlier step less one, or twice the
//! number of a leaf and one; leaves are the inputs, then the constants. Other operands count steps behind the leaves.

use crate::expr::{Operand, Operations, Step};

/// An input that follows from others.
pub(super) struct Definition {
    pub input: u32,
    pub value: Operand,
    /// How many steps there are up to it.
    pub end: u32,
}

/// Everything that a page computes.
pub(super) struct Formulas {
    pub inputs: u32,
    pub following: Operations,
    pub definitions: Vec<Definition>,
    pub operations: Operations,
    /// Where the value of each figure is.
    pub positions: Vec<Operand>,
}

impl Formulas {
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        number(u64::from(self.inputs), &mut bytes);
        steps(&self.following, self.inputs, &mut bytes);
        steps(&self.operations, self.inputs, &mut bytes);
        number(self.definitions.len() as u64, &mut bytes);
        let mut start = 0;
        for Definition { input, value, end } in &self.definitions {
            let place = place(*value, self.inputs, &self.following);
            for value in [*input, end - start, place] {
                number(u64::from(value), &mut bytes);
            }
            start = *end;
        }
        number(self.positions.len() as u64, &mut bytes);
        let mut before = 0;
        for value in &self.positions {
            let place = i64::from(place(*value, self.inputs, &self.operations));
            let distance = place - before;
            number(((distance << 1) ^ (distance >> 63)) as u64, &mut bytes);
            before = place;
        }
        bytes
    }
}

fn steps(operations: &Operations, inputs: u32, bytes: &mut Vec<u8>) {
    let Operations {
        constants, steps, ..
    } = operations;
    number(constants.len() as u64, bytes);
    number(steps.len() as u64, bytes);
    // What is alike in all of them stands together, so that it takes less room.
    for at in 0..size_of::<f64>() {
        bytes.extend(constants.iter().map(|value| value.to_le_bytes()[at]));
    }
    bytes.extend(steps.iter().map(|step| step.operation as u8));
    for operand in 0..3 {
        let has_it = |(_, step): &(u32, &Step)| step.operation.operands() > operand;
        for (at, step) in (0u32..).zip(steps).filter(has_it) {
            let value = match step.operands[operand] {
                Operand::Step(earlier) => 2 * (at - earlier - 1),
                leaf => 2 * place(leaf, inputs, operations) + 1,
            };
            number(u64::from(value), bytes);
        }
    }
}

/// The position of a value: inputs, constants, steps.
fn place(operand: Operand, inputs: u32, operations: &Operations) -> u32 {
    match operand {
        Operand::Input(at) => at,
        Operand::Constant(at) => inputs + at,
        Operand::Step(at) => inputs + operations.constants.len() as u32 + at,
    }
}

fn number(mut value: u64, bytes: &mut Vec<u8>) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}
