//! Who depends on whom, resolved once for every question of a run: [`Dependences`] walks a program in its order
//! and knows for every register and every byte of memory which instruction's value it holds. What it finds goes into
//! [`Steps`], a stretch of the program order at a time; a question keeps what it wants to know of these values in
//! [`Values`], in as many lanes as it asks for. The graph is never stored; what is kept grows with registers and
//! written bytes, not with the trace.
//!
//! Invariants:
//!
//! 1. Every instruction is resolved once, in program order; a question takes the steps in that order, and of each
//!    [`Values::ready`] before [`Values::complete`].
//! 2. A byte's value is that of the last instruction that wrote it, whatever the width and alignment of
//!    either. Registers are a hart's own, memory belongs to all.
//! 3. Values that one instruction produced carry one identity, so that an edge is counted once however
//!    many of them another instruction reads.

// The layers below, by their names.
use loopsheet_trace as trace;

mod block;
mod bytes;
mod dependences;
mod handles;
mod lanes;
mod operation;
mod producer;
mod registers;
mod steps;
mod values;
mod walk;

pub use block::{Block, BlockOperation};
pub use dependences::{Dependences, MemoryRule, Next, Rules};
pub use lanes::{Held, Lanes, PathLengths};
pub use operation::Operation;
pub use producer::Producer;
pub use registers::Places;
pub use steps::Steps;
pub use values::{Through, Values};
pub use walk::{Accessed, BlockRun, Step, Visitor};
