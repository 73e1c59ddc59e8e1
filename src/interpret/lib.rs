//! Runs the loops of a nest literally, for concrete sizes, and reports every access to an array element in
//! program order. It knows nothing of the model's formulas, so that they can be held against it.
//!
//! What is assumed:
//! - Every array element that the source reads or writes is one access of the element's bytes; scalars are
//!   registers and make none. Operands are evaluated from left to right, a value before the element that it is
//!   assigned to, subscripts before their element. Bounds of counted loops are evaluated once.
//! - Integers are exact; data are not computed. A condition on data holds as often as its probability says,
//!   spread evenly; an index that is data is a fixed pseudo-random one within the declared extent; a loop whose
//!   bounds are data runs as often as its parameter says, from where it ended last.
//! - Arrays lie one after another in the order of their first use, each from the beginning of a line on.
//!
//! [`compile`] turns the IR into [`code`], with what [`compiler`] knows, [`layout`] places the arrays, [`run`] runs; [`windows`] says
//! which iterations stand for all where they are too many.

// The layers below, by their names.
use loopsheet_base::{diagnostic, reason};
use loopsheet_cache as cache;
use loopsheet_ir as ir;
use loopsheet_procedures::intrinsics;

mod before;
pub mod blocks;
pub mod code;
pub mod compile;
pub mod compiler;
mod evaluate;
pub mod layout;
mod left_out;
mod loops;
mod probe;
pub mod run;
mod settle;
mod storage;
mod strided;
mod values;
pub mod windows;

use crate::cache::AccessKind;
use crate::reason::ReasonCode;

/// One access to an array element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    pub address: u64,
    pub bytes: u32,
    pub kind: AccessKind,
}

/// What takes the accesses.
pub trait Sink {
    /// The accesses in this order, and the same again until they were made `times` times: each time they are in
    /// the lines of the first time, though at other bytes of them.
    fn take(&mut self, accesses: &[Access], times: u64);

    /// A run of windows comes to one, or to a part of it.
    fn phase(&mut self, _phase: windows::Phase) {}

    /// What follows belongs to another loop.
    fn mark(&mut self, _mark: code::Mark) {}
}

/// Why a nest cannot be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// A stable code in snake case.
    pub code: ReasonCode,
    pub line: u32,
    pub detail: String,
}
