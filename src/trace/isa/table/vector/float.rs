//! Floating-point arithmetic, comparisons and conversions.

use super::super::Class::VectorFp;
use super::super::Field::*;
use super::super::Row;
use super::super::base::row;
use super::Families;
use super::shape::{self, *};

#[rustfmt::skip]
pub const FLOAT: Families = &[
    //   name           funct6 forms          vd     vs2    vs1
    ops!("vfadd",        0x00, [fvv fvf],     GROUP, GROUP, GROUP),
    ops!("vfsub",        0x02, [fvv fvf],     GROUP, GROUP, GROUP),
    ops!("vfmin",        0x04, [fvv fvf],     GROUP, GROUP, GROUP),
    ops!("vfmax",        0x06, [fvv fvf],     GROUP, GROUP, GROUP),
    ops!("vfsgnj",       0x08, [fvv fvf],     GROUP, GROUP, GROUP),
    ops!("vfsgnjn",      0x09, [fvv fvf],     GROUP, GROUP, GROUP),
    ops!("vfsgnjx",      0x0a, [fvv fvf],     GROUP, GROUP, GROUP),
    ops!("vfslide1up",   0x0e, [fvf],         GROUP, GROUP, GROUP),
    ops!("vfslide1down", 0x0f, [fvf],         GROUP, GROUP, GROUP),
    ops!("vfmerge",      0x17, [fvf_m],       GROUP, GROUP, GROUP),
    ops!("vmfeq",        0x18, [fvv fvf],     ONE,   GROUP, GROUP),
    ops!("vmfle",        0x19, [fvv fvf],     ONE,   GROUP, GROUP),
    ops!("vmflt",        0x1b, [fvv fvf],     ONE,   GROUP, GROUP),
    ops!("vmfne",        0x1c, [fvv fvf],     ONE,   GROUP, GROUP),
    ops!("vmfgt",        0x1d, [fvf],         ONE,   GROUP, GROUP),
    ops!("vmfge",        0x1f, [fvf],         ONE,   GROUP, GROUP),
    ops!("vfdiv",        0x20, [fvv fvf],     GROUP, GROUP, GROUP),
    ops!("vfrdiv",       0x21, [fvf],         GROUP, GROUP, GROUP),
    ops!("vfmul",        0x24, [fvv fvf],     GROUP, GROUP, GROUP),
    ops!("vfrsub",       0x27, [fvf],         GROUP, GROUP, GROUP),
    ops!("vfmadd",       0x28, [fvv_a fvf_a], GROUP, GROUP, GROUP),
    ops!("vfnmadd",      0x29, [fvv_a fvf_a], GROUP, GROUP, GROUP),
    ops!("vfmsub",       0x2a, [fvv_a fvf_a], GROUP, GROUP, GROUP),
    ops!("vfnmsub",      0x2b, [fvv_a fvf_a], GROUP, GROUP, GROUP),
    ops!("vfmacc",       0x2c, [fvv_a fvf_a], GROUP, GROUP, GROUP),
    ops!("vfnmacc",      0x2d, [fvv_a fvf_a], GROUP, GROUP, GROUP),
    ops!("vfmsac",       0x2e, [fvv_a fvf_a], GROUP, GROUP, GROUP),
    ops!("vfnmsac",      0x2f, [fvv_a fvf_a], GROUP, GROUP, GROUP),
    ops!("vfwadd",       0x30, [fvv fvf],     WIDE,  GROUP, GROUP),
    ops!("vfwsub",       0x32, [fvv fvf],     WIDE,  GROUP, GROUP),
    ops!("vfwadd",       0x34, [fvv_w fvf_w], WIDE,  WIDE,  GROUP),
    ops!("vfwsub",       0x36, [fvv_w fvf_w], WIDE,  WIDE,  GROUP),
    ops!("vfwmul",       0x38, [fvv fvf],     WIDE,  GROUP, GROUP),
    ops!("vfwmacc",      0x3c, [fvv_a fvf_a], WIDE,  GROUP, GROUP),
    ops!("vfwnmacc",     0x3d, [fvv_a fvf_a], WIDE,  GROUP, GROUP),
    ops!("vfwmsac",      0x3e, [fvv_a fvf_a], WIDE,  GROUP, GROUP),
    ops!("vfwnmsac",     0x3f, [fvv_a fvf_a], WIDE,  GROUP, GROUP),

    ops!("vfredusum",    0x01, [fvv_s],       ONE,   GROUP, ONE),
    ops!("vfredosum",    0x03, [fvv_s],       ONE,   GROUP, ONE),
    ops!("vfredmin",     0x05, [fvv_s],       ONE,   GROUP, ONE),
    ops!("vfredmax",     0x07, [fvv_s],       ONE,   GROUP, ONE),
    ops!("vfwredusum",   0x31, [fvv_s],       ONE,   GROUP, ONE),
    ops!("vfwredosum",   0x33, [fvv_s],       ONE,   GROUP, ONE),

    UNARY,
    // vs2 or vs1 is part of the opcode.
    &[
        row("vfmv.v.f", op(FVF, 0x17).and(20, 0x3f, 0x20), &[Vd(GROUP), Fs1, ReadsConfig],             VectorFp),
        row("vfmv.f.s", op(FVV, 0x10).and(25, 1, 1).and(15, 0x1f, 0), &[Fd, Vs2(ONE), ReadsConfig],    VectorFp),
        row("vfmv.s.f", op(FVF, 0x10).and(20, 0x3f, 0x20), &[Vd(ONE), Fs1, ReadsConfig],               VectorFp),
    ],
];

/// One source; the place of `vs1` tells operations apart. A macro because extents of operands must be
/// constants.
macro_rules! unary {
    ($mnemonic:literal, $funct6:literal, $vs1:literal, $vd:expr, $vs2:expr) => {
        row(
            $mnemonic,
            op(FVV, $funct6).and(15, 0x1f, $vs1),
            &[Vd($vd), Vs2($vs2), Mask, ReadsConfig],
            VectorFp,
        )
    };
}

#[rustfmt::skip]
const UNARY: &[Row] = &[
    //     name              funct6 vs1   vd     vs2
    unary!("vfcvt.xu.f.v",      0x12, 0x00, GROUP, GROUP),
    unary!("vfcvt.x.f.v",       0x12, 0x01, GROUP, GROUP),
    unary!("vfcvt.f.xu.v",      0x12, 0x02, GROUP, GROUP),
    unary!("vfcvt.f.x.v",       0x12, 0x03, GROUP, GROUP),
    unary!("vfcvt.rtz.xu.f.v",  0x12, 0x06, GROUP, GROUP),
    unary!("vfcvt.rtz.x.f.v",   0x12, 0x07, GROUP, GROUP),
    unary!("vfwcvt.xu.f.v",     0x12, 0x08, WIDE,  GROUP),
    unary!("vfwcvt.x.f.v",      0x12, 0x09, WIDE,  GROUP),
    unary!("vfwcvt.f.xu.v",     0x12, 0x0a, WIDE,  GROUP),
    unary!("vfwcvt.f.x.v",      0x12, 0x0b, WIDE,  GROUP),
    unary!("vfwcvt.f.f.v",      0x12, 0x0c, WIDE,  GROUP),
    unary!("vfwcvt.rtz.xu.f.v", 0x12, 0x0e, WIDE,  GROUP),
    unary!("vfwcvt.rtz.x.f.v",  0x12, 0x0f, WIDE,  GROUP),
    unary!("vfncvt.xu.f.w",     0x12, 0x10, GROUP, WIDE),
    unary!("vfncvt.x.f.w",      0x12, 0x11, GROUP, WIDE),
    unary!("vfncvt.f.xu.w",     0x12, 0x12, GROUP, WIDE),
    unary!("vfncvt.f.x.w",      0x12, 0x13, GROUP, WIDE),
    unary!("vfncvt.f.f.w",      0x12, 0x14, GROUP, WIDE),
    unary!("vfncvt.rod.f.f.w",  0x12, 0x15, GROUP, WIDE),
    unary!("vfncvt.rtz.xu.f.w", 0x12, 0x16, GROUP, WIDE),
    unary!("vfncvt.rtz.x.f.w",  0x12, 0x17, GROUP, WIDE),
    unary!("vfsqrt.v",          0x13, 0x00, GROUP, GROUP),
    unary!("vfrsqrt7.v",        0x13, 0x04, GROUP, GROUP),
    unary!("vfrec7.v",          0x13, 0x05, GROUP, GROUP),
    unary!("vfclass.v",         0x13, 0x10, GROUP, GROUP),
];
