//! Zba, Zbb and Zbs.

use super::Field::*;
use super::base::row;
use super::encoding::*;
use super::{Class::Integer, Row};

const fn register(mnemonic: &'static str, code: u32, f3: u32, f7: u32) -> Row {
    row(mnemonic, funct7(code, f3, f7), &[Rd, Rs1, Rs2], Integer)
}

const fn unary(mnemonic: &'static str, code: u32, f3: u32, f12: u32) -> Row {
    row(mnemonic, funct12(code, f3, f12), &[Rd, Rs1], Integer)
}

const fn immediate(mnemonic: &'static str, encoding: Encoding) -> Row {
    row(mnemonic, encoding, &[Rd, Rs1, Number], Integer)
}

#[rustfmt::skip]
pub const BITMANIP: &[Row] = &[
    register("sh1add",    0x33, 2, 0x10),
    register("sh2add",    0x33, 4, 0x10),
    register("sh3add",    0x33, 6, 0x10),
    register("add.uw",    0x3b, 0, 0x04),
    register("sh1add.uw", 0x3b, 2, 0x10),
    register("sh2add.uw", 0x3b, 4, 0x10),
    register("sh3add.uw", 0x3b, 6, 0x10),
    immediate("slli.uw",  funct6(0x1b, 1, 0x02)),

    register("andn", 0x33, 7, 0x20),
    register("orn",  0x33, 6, 0x20),
    register("xnor", 0x33, 4, 0x20),
    register("min",  0x33, 4, 0x05),
    register("minu", 0x33, 5, 0x05),
    register("max",  0x33, 6, 0x05),
    register("maxu", 0x33, 7, 0x05),
    register("rol",  0x33, 1, 0x30),
    register("ror",  0x33, 5, 0x30),
    register("rolw", 0x3b, 1, 0x30),
    register("rorw", 0x3b, 5, 0x30),
    immediate("rori",  funct6(0x13, 5, 0x18)),
    immediate("roriw", funct7(0x1b, 5, 0x30)),
    unary("clz",    0x13, 1, 0x600),
    unary("ctz",    0x13, 1, 0x601),
    unary("cpop",   0x13, 1, 0x602),
    unary("clzw",   0x1b, 1, 0x600),
    unary("ctzw",   0x1b, 1, 0x601),
    unary("cpopw",  0x1b, 1, 0x602),
    unary("sext.b", 0x13, 1, 0x604),
    unary("sext.h", 0x13, 1, 0x605),
    unary("zext.h", 0x3b, 4, 0x080),
    unary("orc.b",  0x13, 5, 0x287),
    unary("rev8",   0x13, 5, 0x6b8),

    register("bclr", 0x33, 1, 0x24),
    register("bext", 0x33, 5, 0x24),
    register("binv", 0x33, 1, 0x34),
    register("bset", 0x33, 1, 0x14),
    immediate("bclri", funct6(0x13, 1, 0x12)),
    immediate("bexti", funct6(0x13, 5, 0x12)),
    immediate("binvi", funct6(0x13, 1, 0x1a)),
    immediate("bseti", funct6(0x13, 1, 0x0a)),
];
