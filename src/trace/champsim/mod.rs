//! The traces that ChampSim reads: 64 bytes per instruction with its pc, registers and addresses, and no opcode.
//!
//! `ip` u64, `is_branch` u8, `branch_taken` u8, two destination registers u8, four source registers u8, two addresses
//! that are written u64, four that are read u64; 0 is no register and no address. Registers have the numbers of the
//! tracer for x86: 6 is the stack pointer, 25 the flags, 26 the instruction pointer. What kind a branch is follows from
//! which of these it reads and writes.

mod read;
mod record;
mod registers;
mod write;

pub(super) use read::read;
pub(super) use record::{BYTES, is_record};
pub(super) use write::Writer;
