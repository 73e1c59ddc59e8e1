//! An instruction as the engine needs it: small, with everything looked up.

use super::registers::SINK;
use crate::trace::Instruction;
use crate::trace::isa::{Access, Extent, Facts, Operands, Register, VectorType};

/// Scalar instructions read at most three registers and write at most one.
const SOURCES: usize = 3;

/// What the engine asks of an instruction at every execution.
#[derive(Clone, Debug)]
pub struct Operation {
    pub hart: u16,
    /// Places in the register file; 0 where there is none, behind all others.
    pub(super) sources: [u8; SOURCES],
    pub(super) destination: u8,
    pub access: Option<Access>,
    /// Operands of an instruction that has more than the above: vectors.
    pub(super) wide: Option<Box<Wide>>,
}

#[derive(Clone, Debug)]
pub(super) struct Wide {
    pub reads: Operands,
    pub writes: Operands,
    pub sets_vector_type: Option<VectorType>,
}

impl Operation {
    pub fn new(instruction: &Instruction) -> Operation {
        Operation::of(&instruction.decoded.facts, instruction.hart)
    }

    /// An instruction with these facts on a hart.
    pub fn of(facts: &Facts, hart: u16) -> Operation {
        let is_scalar = |operands: &Operands, most: usize| {
            operands.iter().count() <= most
                && operands.iter().all(|operand| operand.extent == Extent::One)
        };
        // What may follow a configuration or have other than one access takes the long way.
        let configures = facts
            .writes
            .iter()
            .any(|operand| operand.register == Register::VECTOR_CONFIG);
        let is_narrow =
            is_scalar(&facts.reads, SOURCES) && is_scalar(&facts.writes, 1) && !configures;
        let mut operation = Operation {
            hart,
            sources: [0; SOURCES],
            destination: SINK as u8,
            access: facts.access,
            wide: None,
        };
        if is_narrow {
            for (place, operand) in operation.sources.iter_mut().zip(facts.reads.iter()) {
                *place = operand.register.index() as u8;
            }
            if let Some(operand) = facts.writes.iter().next() {
                operation.destination = operand.register.index() as u8;
            }
        } else {
            let Facts {
                reads,
                writes,
                sets_vector_type,
                ..
            } = *facts;
            operation.wide = Some(Box::new(Wide {
                reads,
                writes,
                sets_vector_type,
            }));
        }
        operation
    }
}
