//! The deepest chain, by instruction and by source line.

use crate::cache::AccessKind;
use crate::trace::Instruction;
use crate::trace::isa::Register;
use loopsheet_regions::SourceLine;

use crate::profile::Site;

/// The deepest chain: the RAM accesses of one path with most of them; of several such paths that which the program
/// finished first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryChain {
    /// 𝒟: accesses on the chain.
    pub depth: u64,
    /// By source line, the most accesses first; empty if the program is not known.
    pub lines: Vec<ChainLine>,
    /// The most accesses first, then by first execution.
    pub instructions: Vec<ChainInstruction>,
}

/// The part of a source line, or of a function that has no lines. An atomic counts as load and as store, but as one access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainLine {
    pub function: String,
    pub place: Option<SourceLine>,
    pub accesses: u64,
    pub loads: u64,
    pub stores: u64,
    /// Of the accesses, those relative to the stack pointer: values kept there for want of registers, saved
    /// registers, local arrays.
    pub stack: u64,
}

/// The part of one instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainInstruction {
    pub pc: Option<u64>,
    /// As the trace has it.
    pub text: Box<str>,
    pub kind: AccessKind,
    pub is_on_stack: bool,
    pub accesses: u64,
    /// Function and place, as far as they are known.
    pub function: Option<String>,
    pub place: Option<SourceLine>,
}

impl ChainInstruction {
    /// `None` if the instruction accesses no memory, and so is on no chain.
    pub(super) fn new(
        instruction: &Instruction,
        accesses: u64,
        site: Option<&Site>,
    ) -> Option<ChainInstruction> {
        let facts = &instruction.decoded.facts;
        let place = site.and_then(|site| {
            Some(SourceLine {
                file: site.file.clone()?,
                line: site.line?,
            })
        });
        Some(ChainInstruction {
            pc: instruction.pc,
            text: instruction.text.clone(),
            kind: facts.access?.kind,
            is_on_stack: facts
                .reads
                .iter()
                .any(|operand| operand.register == Register::STACK_POINTER),
            accesses,
            function: site.map(|site| site.inlined.last().unwrap_or(&site.function).clone()),
            place,
        })
    }
}

impl MemoryChain {
    /// Adds up instructions, given most accesses first, by source line.
    pub(super) fn of(depth: u64, instructions: Vec<ChainInstruction>) -> MemoryChain {
        let mut lines: Vec<ChainLine> = Vec::new();
        for instruction in &instructions {
            let Some(function) = &instruction.function else {
                continue;
            };
            let is_same =
                |line: &ChainLine| line.function == *function && line.place == instruction.place;
            let at = lines.iter().position(is_same).unwrap_or_else(|| {
                let (function, place) = (function.clone(), instruction.place.clone());
                lines.push(ChainLine {
                    function,
                    place,
                    accesses: 0,
                    loads: 0,
                    stores: 0,
                    stack: 0,
                });
                lines.len() - 1
            });
            let ChainLine {
                accesses,
                loads,
                stores,
                stack,
                ..
            } = &mut lines[at];
            let count = |counts: bool| if counts { instruction.accesses } else { 0 };
            *accesses += instruction.accesses;
            *loads += count(instruction.kind.reads());
            *stores += count(instruction.kind.writes());
            *stack += count(instruction.is_on_stack);
        }
        // Of two that have as many, the one that has the instruction with more stays first.
        lines.sort_by_key(|line| std::cmp::Reverse(line.accesses));
        MemoryChain {
            depth,
            lines,
            instructions,
        }
    }
}
