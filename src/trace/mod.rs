//! Instruction traces of RISC-V programs: reading them, and what their instructions are.

pub mod isa;
