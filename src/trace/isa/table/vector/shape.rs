//! Operand shapes of OP-V instructions, and `ops!`, which makes the rows of one `funct6`.
//!
//! A form names `funct3` and where the second source comes from: `ivv ivx ivi` of the integer,
//! `mvv mvx` of the multiply, `fvv fvf` of the floating-point space.

use super::super::Extent;
use super::super::encoding::{Encoding, funct3};
use super::OP_V;

pub const ONE: Extent = Extent::One;
/// LMUL registers.
pub const GROUP: Extent = Extent::Group {
    numerator: 1,
    denominator: 1,
};
/// 2 × LMUL registers: the wide side of widening and narrowing instructions.
pub const WIDE: Extent = Extent::Group {
    numerator: 2,
    denominator: 1,
};
pub const HALF: Extent = Extent::Group {
    numerator: 1,
    denominator: 2,
};
pub const QUARTER: Extent = Extent::Group {
    numerator: 1,
    denominator: 4,
};
pub const EIGHTH: Extent = Extent::Group {
    numerator: 1,
    denominator: 8,
};

/// `funct3`.
pub const IVV: u32 = 0;
pub const FVV: u32 = 1;
pub const MVV: u32 = 2;
pub const IVI: u32 = 3;
pub const IVX: u32 = 4;
pub const FVF: u32 = 5;
pub const MVX: u32 = 6;

pub const fn op(f3: u32, funct6: u32) -> Encoding {
    funct3(OP_V, f3).and(26, 0x3f, funct6)
}

/// The rows of one `funct6`: `ops!("vadd", 0x00, [ivv ivx ivi], GROUP = GROUP, GROUP)` with the extents of
/// `vd`, `vs2` and `vs1`; the suffix of the mnemonic follows from the form.
///
/// Kinds of forms: plain (maskable), `_m` (with `v0` as a carry or selector: vm = 0), `_u` (always
/// unmasked: vm = 1), `_w` (wide `vs2`, suffix `.wv`), `_n` (the same but narrowing), `_a` (multiply-add:
/// `vd` is read, `vs1` stands before `vs2`), `_s` (reductions, suffix `.vs`).
macro_rules! ops {
    ($name:literal, $funct6:literal, [$($form:ident)+], $vd:expr, $vs2:expr, $vs1:expr) => {
        &[$(shape::form!($form, $name, $funct6, $vd, $vs2, $vs1)),+]
    };
}

macro_rules! form {
    (ivv, $n:literal, $f:literal, $d:expr, $a:expr, $b:expr) => {
        row(
            concat!($n, ".vv"),
            op(IVV, $f),
            &[Vd($d), Vs2($a), Vs1($b), Mask, ReadsConfig],
            VectorInteger,
        )
    };
    (ivx, $n:literal, $f:literal, $d:expr, $a:expr, $b:expr) => {
        row(
            concat!($n, ".vx"),
            op(IVX, $f),
            &[Vd($d), Vs2($a), Rs1, Mask, ReadsConfig],
            VectorInteger,
        )
    };
    (ivi, $n:literal, $f:literal, $d:expr, $a:expr, $b:expr) => {
        row(
            concat!($n, ".vi"),
            op(IVI, $f),
            &[Vd($d), Vs2($a), Number, Mask, ReadsConfig],
            VectorInteger,
        )
    };
    (mvv, $n:literal, $f:literal, $d:expr, $a:expr, $b:expr) => {
        row(
            concat!($n, ".vv"),
            op(MVV, $f),
            &[Vd($d), Vs2($a), Vs1($b), Mask, ReadsConfig],
            VectorInteger,
        )
    };
    (mvx, $n:literal, $f:literal, $d:expr, $a:expr, $b:expr) => {
        row(
            concat!($n, ".vx"),
            op(MVX, $f),
            &[Vd($d), Vs2($a), Rs1, Mask, ReadsConfig],
            VectorInteger,
        )
    };
    (fvv, $n:literal, $f:literal, $d:expr, $a:expr, $b:expr) => {
        row(
            concat!($n, ".vv"),
            op(FVV, $f),
            &[Vd($d), Vs2($a), Vs1($b), Mask, ReadsConfig],
            VectorFp,
        )
    };
    (fvf, $n:literal, $f:literal, $d:expr, $a:expr, $b:expr) => {
        row(
            concat!($n, ".vf"),
            op(FVF, $f),
            &[Vd($d), Vs2($a), Fs1, Mask, ReadsConfig],
            VectorFp,
        )
    };
    // A carry, or a choice of elements, in v0.
    (ivv_m, $n:literal, $f:literal, $d:expr, $a:expr, $b:expr) => {
        row(
            concat!($n, ".vvm"),
            op(IVV, $f).and(25, 1, 0),
            &[Vd($d), Vs2($a), Vs1($b), V0, ReadsConfig],
            VectorInteger,
        )
    };
    (ivx_m, $n:literal, $f:literal, $d:expr, $a:expr, $b:expr) => {
        row(
            concat!($n, ".vxm"),
            op(IVX, $f).and(25, 1, 0),
            &[Vd($d), Vs2($a), Rs1, V0, ReadsConfig],
            VectorInteger,
        )
    };
    (ivi_m, $n:literal, $f:literal, $d:expr, $a:expr, $b:expr) => {
        row(
            concat!($n, ".vim"),
            op(IVI, $f).and(25, 1, 0),
            &[Vd($d), Vs2($a), Number, V0, ReadsConfig],
            VectorInteger,
        )
    };
    (fvf_m, $n:literal, $f:literal, $d:expr, $a:expr, $b:expr) => {
        row(
            concat!($n, ".vfm"),
            op(FVF, $f).and(25, 1, 0),
            &[Vd($d), Vs2($a), Fs1, V0, ReadsConfig],
            VectorFp,
        )
    };
    // Never masked.
    (ivv_u, $n:literal, $f:literal, $d:expr, $a:expr, $b:expr) => {
        row(
            concat!($n, ".vv"),
            op(IVV, $f).and(25, 1, 1),
            &[Vd($d), Vs2($a), Vs1($b), ReadsConfig],
            VectorInteger,
        )
    };
    (ivx_u, $n:literal, $f:literal, $d:expr, $a:expr, $b:expr) => {
        row(
            concat!($n, ".vx"),
            op(IVX, $f).and(25, 1, 1),
            &[Vd($d), Vs2($a), Rs1, ReadsConfig],
            VectorInteger,
        )
    };
    (ivi_u, $n:literal, $f:literal, $d:expr, $a:expr, $b:expr) => {
        row(
            concat!($n, ".vi"),
            op(IVI, $f).and(25, 1, 1),
            &[Vd($d), Vs2($a), Number, ReadsConfig],
            VectorInteger,
        )
    };
    (mm_u, $n:literal, $f:literal, $d:expr, $a:expr, $b:expr) => {
        row(
            concat!($n, ".mm"),
            op(MVV, $f).and(25, 1, 1),
            &[Vd($d), Vs2($a), Vs1($b), ReadsConfig],
            VectorInteger,
        )
    };
    // A wide second operand: widening from it, narrowing it.
    (mvv_w, $n:literal, $f:literal, $d:expr, $a:expr, $b:expr) => {
        row(
            concat!($n, ".wv"),
            op(MVV, $f),
            &[Vd($d), Vs2($a), Vs1($b), Mask, ReadsConfig],
            VectorInteger,
        )
    };
    (mvx_w, $n:literal, $f:literal, $d:expr, $a:expr, $b:expr) => {
        row(
            concat!($n, ".wx"),
            op(MVX, $f),
            &[Vd($d), Vs2($a), Rs1, Mask, ReadsConfig],
            VectorInteger,
        )
    };
    (ivv_w, $n:literal, $f:literal, $d:expr, $a:expr, $b:expr) => {
        row(
            concat!($n, ".wv"),
            op(IVV, $f),
            &[Vd($d), Vs2($a), Vs1($b), Mask, ReadsConfig],
            VectorInteger,
        )
    };
    (ivx_w, $n:literal, $f:literal, $d:expr, $a:expr, $b:expr) => {
        row(
            concat!($n, ".wx"),
            op(IVX, $f),
            &[Vd($d), Vs2($a), Rs1, Mask, ReadsConfig],
            VectorInteger,
        )
    };
    (ivi_w, $n:literal, $f:literal, $d:expr, $a:expr, $b:expr) => {
        row(
            concat!($n, ".wi"),
            op(IVI, $f),
            &[Vd($d), Vs2($a), Number, Mask, ReadsConfig],
            VectorInteger,
        )
    };
    (fvv_w, $n:literal, $f:literal, $d:expr, $a:expr, $b:expr) => {
        row(
            concat!($n, ".wv"),
            op(FVV, $f),
            &[Vd($d), Vs2($a), Vs1($b), Mask, ReadsConfig],
            VectorFp,
        )
    };
    (fvf_w, $n:literal, $f:literal, $d:expr, $a:expr, $b:expr) => {
        row(
            concat!($n, ".wf"),
            op(FVF, $f),
            &[Vd($d), Vs2($a), Fs1, Mask, ReadsConfig],
            VectorFp,
        )
    };
    // Multiply-adds.
    (mvv_a, $n:literal, $f:literal, $d:expr, $a:expr, $b:expr) => {
        row(
            concat!($n, ".vv"),
            op(MVV, $f),
            &[VdAlso($d), Vs1($b), Vs2($a), Mask, ReadsConfig],
            VectorInteger,
        )
    };
    (mvx_a, $n:literal, $f:literal, $d:expr, $a:expr, $b:expr) => {
        row(
            concat!($n, ".vx"),
            op(MVX, $f),
            &[VdAlso($d), Rs1, Vs2($a), Mask, ReadsConfig],
            VectorInteger,
        )
    };
    (fvv_a, $n:literal, $f:literal, $d:expr, $a:expr, $b:expr) => {
        row(
            concat!($n, ".vv"),
            op(FVV, $f),
            &[VdAlso($d), Vs1($b), Vs2($a), Mask, ReadsConfig],
            VectorFp,
        )
    };
    (fvf_a, $n:literal, $f:literal, $d:expr, $a:expr, $b:expr) => {
        row(
            concat!($n, ".vf"),
            op(FVF, $f),
            &[VdAlso($d), Fs1, Vs2($a), Mask, ReadsConfig],
            VectorFp,
        )
    };
    // Slides up: elements below the offset stay.
    (ivx_up, $n:literal, $f:literal, $d:expr, $a:expr, $b:expr) => {
        row(
            concat!($n, ".vx"),
            op(IVX, $f),
            &[VdAlso($d), Vs2($a), Rs1, Mask, ReadsConfig],
            VectorInteger,
        )
    };
    (ivi_up, $n:literal, $f:literal, $d:expr, $a:expr, $b:expr) => {
        row(
            concat!($n, ".vi"),
            op(IVI, $f),
            &[VdAlso($d), Vs2($a), Number, Mask, ReadsConfig],
            VectorInteger,
        )
    };
    // Reductions.
    (ivv_s, $n:literal, $f:literal, $d:expr, $a:expr, $b:expr) => {
        row(
            concat!($n, ".vs"),
            op(IVV, $f),
            &[Vd($d), Vs2($a), Vs1($b), Mask, ReadsConfig],
            VectorInteger,
        )
    };
    (mvv_s, $n:literal, $f:literal, $d:expr, $a:expr, $b:expr) => {
        row(
            concat!($n, ".vs"),
            op(MVV, $f),
            &[Vd($d), Vs2($a), Vs1($b), Mask, ReadsConfig],
            VectorInteger,
        )
    };
    (fvv_s, $n:literal, $f:literal, $d:expr, $a:expr, $b:expr) => {
        row(
            concat!($n, ".vs"),
            op(FVV, $f),
            &[Vd($d), Vs2($a), Vs1($b), Mask, ReadsConfig],
            VectorFp,
        )
    };
}

pub(super) use {form, ops};
