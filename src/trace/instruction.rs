//! One instruction of the program, however often the trace shows it executed.

use super::isa::{Decoded, Register};

/// Number of an [`Instruction`] in the order of first execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstructionId(pub u32);

/// What a trace line says apart from addresses. Lines that say the same share one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Harts are numbered in the order in which they appear.
    pub hart: u16,
    /// Absent in `edan` lines without it and in `edan-bare`.
    pub pc: Option<u64>,
    /// The machine word, where the format has it.
    pub word: Option<u32>,
    /// Disassembly as the trace has it; the mnemonic where it has none.
    pub text: Box<str>,
    pub decoded: Decoded,
}

impl Instruction {
    /// Whether the stack pointer is what an access is relative to, and not what it stores.
    pub fn is_relative_to_stack(&self) -> bool {
        let mut reads = self.decoded.facts.reads.iter();
        // Compressed instructions that read it have it as their base.
        reads.any(|operand| operand.register == Register::STACK_POINTER)
            && match self.word {
                Some(word) if word & 3 == 3 => word >> 15 & 31 == 2,
                Some(_) => true,
                None => {
                    let bases = ["(sp)", "(x2)"];
                    !self.text.contains('(') || bases.iter().any(|base| self.text.contains(base))
                }
            }
    }
}
