//! What a name that is called stands for: a body, one that leads back to the caller, the library,
//! communication, or nothing that is known.

use crate::intrinsics::{Intrinsic, Meaning};
use crate::message_passing::Interface;

/// Index into the procedures of all units, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProcedureId(pub u32);

impl ProcedureId {
    pub fn at(self) -> usize {
        self.0 as usize
    }
}

/// What a name that is called stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Body(ProcedureId),
    /// A body that leads back to the caller.
    Recursive(ProcedureId),
    /// What the language brings along.
    Library(&'static Intrinsic),
    /// Moves data between processes.
    Communication(&'static Interface),
    Unknown,
}

impl Target {
    /// What it computes, where that is a function of the language that sizes are made of.
    pub fn meaning(self) -> Option<Meaning> {
        match self {
            Target::Library(intrinsic) => intrinsic.meaning,
            _ => None,
        }
    }
}
