//! F and D. None of these rows names `fcsr`: arithmetic neither reads the rounding mode nor accrues
//! exceptions as far as dependences go.

use super::Field::*;
use super::base::{access, row};
use super::encoding::*;
use super::{Class, Class::*, Field, Row};
use crate::cache::AccessKind;

const OP_FP: u32 = 0x53;
const THREE: &[Field] = &[Fd, Fs1, Fs2, Rounding];
const COMPARISON: &[Field] = &[Rd, Fs1, Fs2];

/// The rounding mode takes the place of `funct3`.
const fn rounded(mnemonic: &'static str, funct7: u32, class: Class) -> Row {
    row(mnemonic, opcode(OP_FP).and(25, 0x7f, funct7), THREE, class)
}

/// The same, and `rs2` is part of the opcode: square roots and conversions.
const fn unary(
    mnemonic: &'static str,
    funct7: u32,
    rs2: u32,
    operands: &'static [Field],
    class: Class,
) -> Row {
    row(
        mnemonic,
        opcode(OP_FP).and(25, 0x7f, funct7).and(20, 0x1f, rs2),
        operands,
        class,
    )
}

/// `funct3` tells operations apart: signs, minima, comparisons.
const fn plain(mnemonic: &'static str, funct7: u32, f3: u32, operands: &'static [Field]) -> Row {
    row(
        mnemonic,
        funct3(OP_FP, f3).and(25, 0x7f, funct7),
        operands,
        FpOther,
    )
}

/// Moves between register files, and classification.
const fn moved(mnemonic: &'static str, funct7: u32, f3: u32, operands: &'static [Field]) -> Row {
    row(
        mnemonic,
        funct3(OP_FP, f3).and(25, 0x7f, funct7).and(20, 0x1f, 0),
        operands,
        FpOther,
    )
}

/// `format` is 0 for single and 1 for double precision.
const fn fused(mnemonic: &'static str, code: u32, format: u32) -> Row {
    row(
        mnemonic,
        opcode(code).and(25, 3, format),
        &[Fd, Fs1, Fs2, Fs3, Rounding],
        FpFma,
    )
}

#[rustfmt::skip]
pub const SINGLE: &[Row] = &[
    access(row("flw", funct3(0x07, 2), &[Fd, Offset],  FpLoad),  AccessKind::Load,  4),
    access(row("fsw", funct3(0x27, 2), &[Fs2, Offset], FpStore), AccessKind::Store, 4),
    fused("fmadd.s",  0x43, 0),
    fused("fmsub.s",  0x47, 0),
    fused("fnmsub.s", 0x4b, 0),
    fused("fnmadd.s", 0x4f, 0),
    rounded("fadd.s", 0x00, FpAdd),
    rounded("fsub.s", 0x04, FpAdd),
    rounded("fmul.s", 0x08, FpMultiply),
    rounded("fdiv.s", 0x0c, FpDivide),
    unary("fsqrt.s",  0x2c, 0, &[Fd, Fs1, Rounding], FpSqrt),
    plain("fsgnj.s",  0x10, 0, &[Fd, Fs1, Fs2]),
    plain("fsgnjn.s", 0x10, 1, &[Fd, Fs1, Fs2]),
    plain("fsgnjx.s", 0x10, 2, &[Fd, Fs1, Fs2]),
    plain("fmin.s",   0x14, 0, &[Fd, Fs1, Fs2]),
    plain("fmax.s",   0x14, 1, &[Fd, Fs1, Fs2]),
    plain("fle.s",    0x50, 0, COMPARISON),
    plain("flt.s",    0x50, 1, COMPARISON),
    plain("feq.s",    0x50, 2, COMPARISON),
    unary("fcvt.w.s",  0x60, 0, &[Rd, Fs1, Rounding], FpOther),
    unary("fcvt.wu.s", 0x60, 1, &[Rd, Fs1, Rounding], FpOther),
    unary("fcvt.l.s",  0x60, 2, &[Rd, Fs1, Rounding], FpOther),
    unary("fcvt.lu.s", 0x60, 3, &[Rd, Fs1, Rounding], FpOther),
    unary("fcvt.s.w",  0x68, 0, &[Fd, Rs1, Rounding], FpOther),
    unary("fcvt.s.wu", 0x68, 1, &[Fd, Rs1, Rounding], FpOther),
    unary("fcvt.s.l",  0x68, 2, &[Fd, Rs1, Rounding], FpOther),
    unary("fcvt.s.lu", 0x68, 3, &[Fd, Rs1, Rounding], FpOther),
    moved("fmv.x.w",   0x70, 0, &[Rd, Fs1]),
    moved("fclass.s",  0x70, 1, &[Rd, Fs1]),
    moved("fmv.w.x",   0x78, 0, &[Fd, Rs1]),
];

#[rustfmt::skip]
pub const DOUBLE: &[Row] = &[
    access(row("fld", funct3(0x07, 3), &[Fd, Offset],  FpLoad),  AccessKind::Load,  8),
    access(row("fsd", funct3(0x27, 3), &[Fs2, Offset], FpStore), AccessKind::Store, 8),
    fused("fmadd.d",  0x43, 1),
    fused("fmsub.d",  0x47, 1),
    fused("fnmsub.d", 0x4b, 1),
    fused("fnmadd.d", 0x4f, 1),
    rounded("fadd.d", 0x01, FpAdd),
    rounded("fsub.d", 0x05, FpAdd),
    rounded("fmul.d", 0x09, FpMultiply),
    rounded("fdiv.d", 0x0d, FpDivide),
    unary("fsqrt.d",  0x2d, 0, &[Fd, Fs1, Rounding], FpSqrt),
    plain("fsgnj.d",  0x11, 0, &[Fd, Fs1, Fs2]),
    plain("fsgnjn.d", 0x11, 1, &[Fd, Fs1, Fs2]),
    plain("fsgnjx.d", 0x11, 2, &[Fd, Fs1, Fs2]),
    plain("fmin.d",   0x15, 0, &[Fd, Fs1, Fs2]),
    plain("fmax.d",   0x15, 1, &[Fd, Fs1, Fs2]),
    plain("fle.d",    0x51, 0, COMPARISON),
    plain("flt.d",    0x51, 1, COMPARISON),
    plain("feq.d",    0x51, 2, COMPARISON),
    unary("fcvt.s.d",  0x20, 1, &[Fd, Fs1, Rounding], FpOther),
    unary("fcvt.d.s",  0x21, 0, &[Fd, Fs1, Rounding], FpOther),
    unary("fcvt.w.d",  0x61, 0, &[Rd, Fs1, Rounding], FpOther),
    unary("fcvt.wu.d", 0x61, 1, &[Rd, Fs1, Rounding], FpOther),
    unary("fcvt.l.d",  0x61, 2, &[Rd, Fs1, Rounding], FpOther),
    unary("fcvt.lu.d", 0x61, 3, &[Rd, Fs1, Rounding], FpOther),
    unary("fcvt.d.w",  0x69, 0, &[Fd, Rs1, Rounding], FpOther),
    unary("fcvt.d.wu", 0x69, 1, &[Fd, Rs1, Rounding], FpOther),
    unary("fcvt.d.l",  0x69, 2, &[Fd, Rs1, Rounding], FpOther),
    unary("fcvt.d.lu", 0x69, 3, &[Fd, Rs1, Rounding], FpOther),
    moved("fmv.x.d",   0x71, 0, &[Rd, Fs1]),
    moved("fclass.d",  0x71, 1, &[Rd, Fs1]),
    moved("fmv.d.x",   0x79, 0, &[Fd, Rs1]),
];
