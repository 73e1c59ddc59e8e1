//! Why the regions of a trace are not known.

use super::fit::Difference;
use crate::binary::BinaryError;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegionError {
    #[error(transparent)]
    Binary(#[from] BinaryError),
    #[error("it has no symbols, so functions and loops are not known: link it without -s")]
    NoSymbols,
    #[error("it has no line information: compile it with -g")]
    NoLines,
    #[error("it is always loaded where it was linked: a base is for position-independent programs")]
    FixedBase,
    #[error(
        "it is not the program that was traced, or it was not loaded at {base:#x}: at {:#x} the trace has {}, the file \
         has {}; {}",
        .difference.pc, .difference.traced, .difference.in_file, advice(.likely_base)
    )]
    Differs {
        base: u64,
        difference: Difference,
        likely_base: LikelyBase,
    },
    #[error(
        "it is not the library that was traced, or it was not loaded at {base:#x}: at {:#x} the trace has {}, the file \
         has {}",
        .difference.pc, .difference.traced, .difference.in_file
    )]
    LibraryDiffers {
        library: String,
        base: u64,
        difference: Difference,
    },
    #[error(
        "no instruction of the trace lies in it if it is loaded at {base:#x}: is it the program that was traced? {}",
        advice(.likely_base)
    )]
    NothingInside { base: u64, likely_base: LikelyBase },
}

/// Where a program seems to have been loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LikelyBase {
    /// It is not position-independent.
    Fixed,
    Unknown,
    At(u64),
}

fn advice(likely_base: &LikelyBase) -> String {
    match likely_base {
        LikelyBase::Fixed => "give the one that was".to_string(),
        LikelyBase::Unknown => {
            "give --elf-base, which loopsheet record --verbose reports".to_string()
        }
        LikelyBase::At(base) => format!("the trace fits --elf-base {base:#x}"),
    }
}
