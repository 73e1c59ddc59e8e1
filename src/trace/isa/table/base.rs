//! RV64I, M, Zicsr, Zifencei and the privileged instructions.

use super::Field::*;
use super::encoding::*;
use super::{Access, Class, Class::*, Field, Row};
use crate::cache::AccessKind;
use crate::isa::AccessCount;

pub(super) const fn row(
    mnemonic: &'static str,
    encoding: Encoding,
    operands: &'static [Field],
    class: Class,
) -> Row {
    Row {
        mnemonic,
        encoding,
        operands,
        class,
        access: None,
    }
}

/// A row with one access of `bytes` bytes.
pub(super) const fn access(row: Row, kind: AccessKind, bytes: u8) -> Row {
    Row {
        access: Some(Access {
            kind,
            bytes,
            count: AccessCount::One,
        }),
        ..row
    }
}

const fn load(mnemonic: &'static str, f3: u32, bytes: u8) -> Row {
    access(
        row(mnemonic, funct3(0x03, f3), &[Rd, Offset], Load),
        AccessKind::Load,
        bytes,
    )
}

const fn store(mnemonic: &'static str, f3: u32, bytes: u8) -> Row {
    access(
        row(mnemonic, funct3(0x23, f3), &[Rs2, Offset], Store),
        AccessKind::Store,
        bytes,
    )
}

/// Register with immediate.
const fn immediate(mnemonic: &'static str, encoding: Encoding) -> Row {
    row(mnemonic, encoding, &[Rd, Rs1, Number], Integer)
}

/// Register with register.
const fn register(mnemonic: &'static str, encoding: Encoding, class: Class) -> Row {
    row(mnemonic, encoding, &[Rd, Rs1, Rs2], class)
}

const fn branch(mnemonic: &'static str, f3: u32) -> Row {
    row(mnemonic, funct3(0x63, f3), &[Rs1, Rs2, Target], Branch)
}

const fn multiply(mnemonic: &'static str, code: u32, f3: u32, class: Class) -> Row {
    register(mnemonic, funct7(code, f3, 0x01), class)
}

#[rustfmt::skip]
pub const BASE: &[Row] = &[
    row("lui",        opcode(0x37),    &[Rd, Number],     Integer),
    row("auipc",      opcode(0x17),    &[Rd, Target],     Integer),
    row("jal",        opcode(0x6f),    &[Rd, Target],     Jump),
    row("jalr",       funct3(0x67, 0), &[Rd, JumpOffset], Jump),

    branch("beq",  0),
    branch("bne",  1),
    branch("blt",  4),
    branch("bge",  5),
    branch("bltu", 6),
    branch("bgeu", 7),

    load("lb",  0, 1),
    load("lh",  1, 2),
    load("lw",  2, 4),
    load("ld",  3, 8),
    load("lbu", 4, 1),
    load("lhu", 5, 2),
    load("lwu", 6, 4),

    store("sb", 0, 1),
    store("sh", 1, 2),
    store("sw", 2, 4),
    store("sd", 3, 8),

    immediate("addi",  funct3(0x13, 0)),
    immediate("slti",  funct3(0x13, 2)),
    immediate("sltiu", funct3(0x13, 3)),
    immediate("xori",  funct3(0x13, 4)),
    immediate("ori",   funct3(0x13, 6)),
    immediate("andi",  funct3(0x13, 7)),
    immediate("slli",  funct6(0x13, 1, 0x00)),
    immediate("srli",  funct6(0x13, 5, 0x00)),
    immediate("srai",  funct6(0x13, 5, 0x10)),
    immediate("addiw", funct3(0x1b, 0)),
    immediate("slliw", funct7(0x1b, 1, 0x00)),
    immediate("srliw", funct7(0x1b, 5, 0x00)),
    immediate("sraiw", funct7(0x1b, 5, 0x20)),

    register("add",  funct7(0x33, 0, 0x00), Integer),
    register("sub",  funct7(0x33, 0, 0x20), Integer),
    register("sll",  funct7(0x33, 1, 0x00), Integer),
    register("slt",  funct7(0x33, 2, 0x00), Integer),
    register("sltu", funct7(0x33, 3, 0x00), Integer),
    register("xor",  funct7(0x33, 4, 0x00), Integer),
    register("srl",  funct7(0x33, 5, 0x00), Integer),
    register("sra",  funct7(0x33, 5, 0x20), Integer),
    register("or",   funct7(0x33, 6, 0x00), Integer),
    register("and",  funct7(0x33, 7, 0x00), Integer),
    register("addw", funct7(0x3b, 0, 0x00), Integer),
    register("subw", funct7(0x3b, 0, 0x20), Integer),
    register("sllw", funct7(0x3b, 1, 0x00), Integer),
    register("srlw", funct7(0x3b, 5, 0x00), Integer),
    register("sraw", funct7(0x3b, 5, 0x20), Integer),

    row("fence",      funct3(0x0f, 0),      &[FenceSet, FenceSet],  Fence),
    row("fence.i",    funct3(0x0f, 1),      &[],                    Fence),

    row("csrrw",      funct3(0x73, 1),      &[Rd, CsrNumber, Rs1],  Csr),
    row("csrrs",      funct3(0x73, 2),      &[Rd, CsrNumber, Rs1],  Csr),
    row("csrrc",      funct3(0x73, 3),      &[Rd, CsrNumber, Rs1],  Csr),
    row("csrrwi",     funct3(0x73, 5),      &[Rd, CsrNumber, Zimm], Csr),
    row("csrrsi",     funct3(0x73, 6),      &[Rd, CsrNumber, Zimm], Csr),
    row("csrrci",     funct3(0x73, 7),      &[Rd, CsrNumber, Zimm], Csr),

    row("ecall",      exact(0x0000_0073),   &[],                    System),
    row("ebreak",     exact(0x0010_0073),   &[],                    System),
    row("sret",       exact(0x1020_0073),   &[],                    System),
    row("mret",       exact(0x3020_0073),   &[],                    System),
    row("wfi",        exact(0x1050_0073),   &[],                    System),
    row("sfence.vma", funct7(0x73, 0, 0x09).and(7, 31, 0), &[Rs1, Rs2], System),
];

#[rustfmt::skip]
pub const MULTIPLY: &[Row] = &[
    multiply("mul",    0x33, 0, Multiply),
    multiply("mulh",   0x33, 1, Multiply),
    multiply("mulhsu", 0x33, 2, Multiply),
    multiply("mulhu",  0x33, 3, Multiply),
    multiply("div",    0x33, 4, Divide),
    multiply("divu",   0x33, 5, Divide),
    multiply("rem",    0x33, 6, Divide),
    multiply("remu",   0x33, 7, Divide),
    multiply("mulw",   0x3b, 0, Multiply),
    multiply("divw",   0x3b, 4, Divide),
    multiply("divuw",  0x3b, 5, Divide),
    multiply("remw",   0x3b, 6, Divide),
    multiply("remuw",  0x3b, 7, Divide),
];
