//! V 1.0: configuration, loads and stores, and the OP-V arithmetic by `funct6`.
//!
//! A masked instruction leaves elements of its destination as they are, so it reads the destination
//! too; so do multiply-adds and `vslideup`. That elements behind `vl` may stay is not counted as a read:
//! compilers ask for tail-agnostic nearly always.

mod fixed;
mod float;
mod integer;
mod mask;
mod memory;
mod pseudo;
mod shape;

use super::Field::{Number, Rd, Rs1, Rs2, VectorType, WritesConfig};
use super::base::row;
use super::encoding::funct3;
use super::{Class, Row};
pub use pseudo::PSEUDO;

/// The major opcode of arithmetic and configuration.
const OP_V: u32 = 0x57;

/// Families of rows; `ops!` makes one family for each `funct6`.
type Families = &'static [&'static [Row]];

pub fn rows() -> impl Iterator<Item = &'static Row> {
    let families: [Families; 6] = [
        &[CONFIGURATION],
        integer::INTEGER,
        fixed::FIXED_POINT,
        float::FLOAT,
        mask::MASK,
        memory::MEMORY,
    ];
    families.into_iter().flatten().copied().flatten()
}

#[rustfmt::skip]
const CONFIGURATION: &[Row] = &[
    row("vsetvli",  funct3(OP_V, 7).and(31, 1, 0),    &[Rd, Rs1, VectorType, WritesConfig],    Class::VectorConfig),
    row("vsetivli", funct3(OP_V, 7).and(30, 3, 3),    &[Rd, Number, VectorType, WritesConfig], Class::VectorConfig),
    row("vsetvl",   funct3(OP_V, 7).and(25, 0x7f, 0x40), &[Rd, Rs1, Rs2, WritesConfig],        Class::VectorConfig),
];
