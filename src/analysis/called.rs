//! How many calls does code make that compilers leave as calls?

use crate::facts::{Block, Body, Call};
use crate::intrinsics::{IntrinsicKind, Intrinsics};
use crate::source::Language;

/// Calls that straight-line code makes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Called {
    /// Of procedures that do not stand in place of their calls.
    pub procedures: u64,
    /// Of those that hand out storage and take it back.
    pub allocations: u64,
}

impl Called {
    /// Of a block itself, without its branches and loops.
    pub fn of(block: &Block) -> Called {
        let mut called = Called::default();
        for call in &block.calls {
            match &call.body {
                // Messages have a time of their own, and what the library does besides is not counted.
                Body::Expanded | Body::Communication(_) => {}
                Body::Library => called.allocations += u64::from(is_allocation(call)),
                Body::Unknown | Body::Function(_) | Body::OneOf(_) | Body::Recursive(_) => {
                    called.procedures += 1
                }
            }
        }
        called
    }

    pub fn is_none(self) -> bool {
        self == Called::default()
    }
}

fn is_allocation(call: &Call) -> bool {
    let known = |language| Intrinsics::builtin().lookup(language, &call.name);
    let kinds = [Language::Fortran, Language::C].map(known);
    let mut known = kinds.into_iter().flatten();
    known.any(|found| found.kind == IntrinsicKind::Allocation)
}
