//! Instruction traces of RISC-V programs: reading them, and what their instructions are.

// The layers below, by their names.
use loopsheet_cache as cache;

mod ahead;
mod batch;
mod block;
mod champsim;
mod compression;
mod error;
mod expected;
mod format;
mod format_name;
mod gem5;
mod instruction;
pub mod isa;
mod lines;
pub mod native;
mod packer;
mod program;
mod reader;
mod recognised;
mod run_end;
mod stf;
mod stream;
mod whisper;
mod words;
mod write;

pub use batch::{Batch, Piece};
pub use block::Block;
pub use compression::{Compression, decompressed};
pub use error::{LineError, Place, RecordError, TraceError};
pub use format_name::FormatName;
pub use instruction::{Instruction, InstructionId};
pub use packer::Packer;
pub use reader::read;
pub use run_end::RunEnd;
pub use stream::{Consumer, stream};
pub use write::{Target, TraceWriter, WriteError, WriteSummary};

/// What to do with instructions that are not in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownPolicy {
    /// They end the run.
    Refuse,
    /// They are counted, and read and write nothing.
    Warn,
}

/// How a trace is to be read.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// `None`: by the first line.
    pub format: Option<FormatName>,
    pub unknown: UnknownPolicy,
}

/// What was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadSummary {
    pub format: FormatName,
    /// After decompression.
    pub bytes: u64,
    /// Whether executions have the addresses that they access; without them nothing is known of memory.
    pub has_addresses: bool,
    /// Instructions that the trace shows ended by a fault or an interrupt: they were not executed there.
    pub trapped: u64,
    /// Executed instructions.
    pub instructions: u64,
    pub harts: u64,
    /// Where the trace says that it was not an orderly one.
    pub end: Option<RunEnd>,
}
