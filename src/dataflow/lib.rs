//! The one engine of the dynamic mode: it walks a program once, in its order, and knows for every
//! register and every byte of memory when its value is available, in as many lanes as a run asks for.
//! The graph is never stored; what is kept grows with registers and written bytes, not with the trace.
//!
//! Invariants:
//!
//! 1. [`Dataflow::ready`] before [`Dataflow::complete`], once each for every instruction, in program order.
//! 2. A byte's value is that of the last instruction that wrote it, whatever the width and alignment of
//!    either. Registers are a hart's own, memory belongs to all.
//! 3. Values that one instruction produced carry one identity, so that an edge is counted once however
//!    many of them another instruction reads.

// The layers below, by their names.
use loopsheet_trace as trace;

mod bytes;
mod engine;
mod lanes;
mod operation;
mod producer;
mod registers;
mod slab;

pub use engine::{Dataflow, MemoryRule, Ready, Rules};
pub use lanes::{Lanes, PathLengths};
pub use operation::Operation;
pub use producer::Producer;
