//! What gem5 prints of executed RISC-V instructions with `--debug-flags=Exec` (`src/cpu/exetrace.cc` there):
//!
//! ```text
//!    1000: system.cpu: A0 T0 : 0x104be @main+4    : c_lw a4, 0(a5)             : MemRead :  D=0x…2a A=0x800210
//!    2000: system.cpu: T0 : 0x104c0 @main+6    : amoadd_w a4, a1, (a5)     
//!    2000: system.cpu: T0 : 0x104c0 @main+6. 0 : amoadd_w[l] a4, a1, (a5)   : MemRead :  D=0x…2a A=0x800210
//! ```
//!
//! The tick, address space (`A0`), thread (`T0`), symbol, and most of what stands behind the disassembly depend on flags.
//! The name of the object and the thread are the hart. An instruction that is carried out as micro-operations comes
//! without what it did, in a line of its own before theirs; they have its addresses. There is no machine word, so the
//! disassembly says what the instruction is, in a spelling of gem5's own (`assembly`).

mod assembly;
mod line;
mod read;

pub(super) use line::is_line;
pub(super) use read::read;
