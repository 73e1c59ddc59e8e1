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
                // Messages have a time of their own.
                Body::Expanded | Body::Communication(_) => {}
                Body::Library => match kind(call) {
                    Some(IntrinsicKind::Allocation) => called.allocations += 1,
                    // Such as random numbers.
                    Some(
                        IntrinsicKind::Options
                        | IntrinsicKind::System
                        | IntrinsicKind::Lock
                        | IntrinsicKind::Termination,
                    ) => called.procedures += 1,
                    _ => {}
                },
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

/// Whether a call of a procedure of the library touches little memory.
pub fn touches_little(call: &Call) -> bool {
    kind(call).is_some_and(IntrinsicKind::touches_little)
}

/// What a procedure of the library does.
fn kind(call: &Call) -> Option<IntrinsicKind> {
    let known = |language| Intrinsics::builtin().lookup(language, &call.name);
    let mut known = [Language::C, Language::Fortran].map(known).into_iter();
    known.find_map(|found| Some(found?.kind))
}
