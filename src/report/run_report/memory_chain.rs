//! The deepest chain of RAM accesses.

use serde::{Deserialize, Serialize};

use crate::cache::AccessKind;
use crate::metrics::memory_chain::{ChainInstruction, ChainLine, MemoryChain};

/// The chain by source line and by instruction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ChainReport {
    pub depth: u64,
    pub lines: Vec<ChainLineReport>,
    pub instructions: Vec<ChainInstructionReport>,
}

/// The part of one source line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ChainLineReport {
    pub function: String,
    pub file: Option<String>,
    pub line: Option<u32>,
    pub accesses: u64,
    pub loads: u64,
    pub stores: u64,
    /// Of the accesses, those relative to the stack pointer.
    pub stack: u64,
}

/// The part of one instruction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ChainInstructionReport {
    /// In hexadecimal.
    pub pc: Option<String>,
    pub text: String,
    pub kind: AccessKind,
    pub stack: bool,
    pub accesses: u64,
    pub function: Option<String>,
    pub file: Option<String>,
    pub line: Option<u32>,
}

impl ChainReport {
    pub(super) fn of(chain: &MemoryChain) -> ChainReport {
        let MemoryChain {
            depth,
            lines,
            instructions,
        } = chain;
        ChainReport {
            depth: *depth,
            lines: lines.iter().map(ChainLineReport::of).collect(),
            instructions: instructions
                .iter()
                .map(ChainInstructionReport::of)
                .collect(),
        }
    }
}

impl ChainLineReport {
    fn of(part: &ChainLine) -> ChainLineReport {
        let ChainLine {
            function,
            place,
            accesses,
            loads,
            stores,
            stack,
        } = part;
        ChainLineReport {
            function: function.clone(),
            file: place.as_ref().map(|place| place.file.clone()),
            line: place.as_ref().map(|place| place.line),
            accesses: *accesses,
            loads: *loads,
            stores: *stores,
            stack: *stack,
        }
    }
}

impl ChainInstructionReport {
    fn of(part: &ChainInstruction) -> ChainInstructionReport {
        let ChainInstruction {
            pc,
            text,
            kind,
            is_on_stack,
            accesses,
            function,
            place,
        } = part;
        ChainInstructionReport {
            pc: pc.map(|pc| format!("{pc:#x}")),
            text: text.to_string(),
            kind: *kind,
            stack: *is_on_stack,
            accesses: *accesses,
            function: function.clone(),
            file: place.as_ref().map(|place| place.file.clone()),
            line: place.as_ref().map(|place| place.line),
        }
    }
}
