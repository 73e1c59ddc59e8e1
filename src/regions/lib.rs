//! Regions of a program: from the instructions of a trace to functions, source lines and loops.
//!
//! A function is what the symbol table names so. A line is where an instruction was written, by the program's DWARF
//! line table. Loops are not in the file: they are found in the machine code of each function, as the natural loops
//! of its control flow, and named by the lines of the instructions that decide on another round.

// The layers below, by their names.
use loopsheet_binary as binary;
use loopsheet_trace as trace;

mod base;
mod code;
mod common_blocks;
mod continued;
mod debug;
mod error;
mod fit;
mod flow_graph;
mod libraries;
mod loops;
mod map;
mod names;
mod placement;
mod sites;
mod statements;
#[cfg(test)]
mod tests;

pub use base::QEMU_BASE;
pub use code::Code;
pub use debug::{Debug, Frame, SourceLine};
pub use error::{LikelyBase, RegionError};
pub use fit::Difference;
pub use flow_graph::{Block, FlowGraph, Step};
pub use libraries::{BaseFinder, Library};
pub use loops::Loop;
pub use map::{Nest, RegionMap};
pub use names::LoopName;
pub use placement::{Granularity, Place, Placement};
pub use sites::{BegunPlace, CallKind, LoopPlace, Places, SitePlace, Sites, Spot};
pub use statements::{Statement, Statements};
