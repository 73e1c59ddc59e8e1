//! Integer arithmetic, comparisons, moves and slides.

use super::super::Class::VectorInteger;
use super::super::Field::*;
use super::super::base::row;
use super::super::{Extent, Field, Row};
use super::Families;
use super::shape::{self, *};

/// The place of `vs1` tells extensions apart.
const fn extend(mnemonic: &'static str, vs1: u32, operands: &'static [Field]) -> Row {
    row(
        mnemonic,
        op(MVV, 0x12).and(15, 0x1f, vs1),
        operands,
        VectorInteger,
    )
}

/// `vs1` is the number of registers less one.
const fn whole(mnemonic: &'static str, vs1: u32, operands: &'static [Field]) -> Row {
    row(
        mnemonic,
        op(IVI, 0x27).and(25, 1, 1).and(15, 0x1f, vs1),
        operands,
        VectorInteger,
    )
}

#[rustfmt::skip]
pub const INTEGER: Families = &[
    //   name          funct6 forms               vd     vs2    vs1
    ops!("vadd",        0x00, [ivv ivx ivi],      GROUP, GROUP, GROUP),
    ops!("vsub",        0x02, [ivv ivx],          GROUP, GROUP, GROUP),
    ops!("vrsub",       0x03, [ivx ivi],          GROUP, GROUP, GROUP),
    ops!("vminu",       0x04, [ivv ivx],          GROUP, GROUP, GROUP),
    ops!("vmin",        0x05, [ivv ivx],          GROUP, GROUP, GROUP),
    ops!("vmaxu",       0x06, [ivv ivx],          GROUP, GROUP, GROUP),
    ops!("vmax",        0x07, [ivv ivx],          GROUP, GROUP, GROUP),
    ops!("vand",        0x09, [ivv ivx ivi],      GROUP, GROUP, GROUP),
    ops!("vor",         0x0a, [ivv ivx ivi],      GROUP, GROUP, GROUP),
    ops!("vxor",        0x0b, [ivv ivx ivi],      GROUP, GROUP, GROUP),
    ops!("vrgather",    0x0c, [ivv ivx ivi],      GROUP, GROUP, GROUP),
    ops!("vrgatherei16", 0x0e, [ivv],             GROUP, GROUP, Extent::Elements { bits: 16, fields: 1 }),
    ops!("vslideup",    0x0e, [ivx_up ivi_up],    GROUP, GROUP, GROUP),
    ops!("vslidedown",  0x0f, [ivx ivi],          GROUP, GROUP, GROUP),
    ops!("vadc",        0x10, [ivv_m ivx_m ivi_m], GROUP, GROUP, GROUP),
    ops!("vmadc",       0x11, [ivv_m ivx_m ivi_m], ONE,  GROUP, GROUP),
    ops!("vmadc",       0x11, [ivv_u ivx_u ivi_u], ONE,  GROUP, GROUP),
    ops!("vsbc",        0x12, [ivv_m ivx_m],      GROUP, GROUP, GROUP),
    ops!("vmsbc",       0x13, [ivv_m ivx_m],      ONE,   GROUP, GROUP),
    ops!("vmsbc",       0x13, [ivv_u ivx_u],      ONE,   GROUP, GROUP),
    ops!("vmerge",      0x17, [ivv_m ivx_m ivi_m], GROUP, GROUP, GROUP),
    ops!("vmseq",       0x18, [ivv ivx ivi],      ONE,   GROUP, GROUP),
    ops!("vmsne",       0x19, [ivv ivx ivi],      ONE,   GROUP, GROUP),
    ops!("vmsltu",      0x1a, [ivv ivx],          ONE,   GROUP, GROUP),
    ops!("vmslt",       0x1b, [ivv ivx],          ONE,   GROUP, GROUP),
    ops!("vmsleu",      0x1c, [ivv ivx ivi],      ONE,   GROUP, GROUP),
    ops!("vmsle",       0x1d, [ivv ivx ivi],      ONE,   GROUP, GROUP),
    ops!("vmsgtu",      0x1e, [ivx ivi],          ONE,   GROUP, GROUP),
    ops!("vmsgt",       0x1f, [ivx ivi],          ONE,   GROUP, GROUP),
    ops!("vsll",        0x25, [ivv ivx ivi],      GROUP, GROUP, GROUP),
    ops!("vsrl",        0x28, [ivv ivx ivi],      GROUP, GROUP, GROUP),
    ops!("vsra",        0x29, [ivv ivx ivi],      GROUP, GROUP, GROUP),
    ops!("vnsrl",       0x2c, [ivv_w ivx_w ivi_w], GROUP, WIDE, GROUP),
    ops!("vnsra",       0x2d, [ivv_w ivx_w ivi_w], GROUP, WIDE, GROUP),

    ops!("vslide1up",   0x0e, [mvx],              GROUP, GROUP, GROUP),
    ops!("vslide1down", 0x0f, [mvx],              GROUP, GROUP, GROUP),
    ops!("vdivu",       0x20, [mvv mvx],          GROUP, GROUP, GROUP),
    ops!("vdiv",        0x21, [mvv mvx],          GROUP, GROUP, GROUP),
    ops!("vremu",       0x22, [mvv mvx],          GROUP, GROUP, GROUP),
    ops!("vrem",        0x23, [mvv mvx],          GROUP, GROUP, GROUP),
    ops!("vmulhu",      0x24, [mvv mvx],          GROUP, GROUP, GROUP),
    ops!("vmul",        0x25, [mvv mvx],          GROUP, GROUP, GROUP),
    ops!("vmulhsu",     0x26, [mvv mvx],          GROUP, GROUP, GROUP),
    ops!("vmulh",       0x27, [mvv mvx],          GROUP, GROUP, GROUP),
    ops!("vmadd",       0x29, [mvv_a mvx_a],      GROUP, GROUP, GROUP),
    ops!("vnmsub",      0x2b, [mvv_a mvx_a],      GROUP, GROUP, GROUP),
    ops!("vmacc",       0x2d, [mvv_a mvx_a],      GROUP, GROUP, GROUP),
    ops!("vnmsac",      0x2f, [mvv_a mvx_a],      GROUP, GROUP, GROUP),
    ops!("vwaddu",      0x30, [mvv mvx],          WIDE,  GROUP, GROUP),
    ops!("vwadd",       0x31, [mvv mvx],          WIDE,  GROUP, GROUP),
    ops!("vwsubu",      0x32, [mvv mvx],          WIDE,  GROUP, GROUP),
    ops!("vwsub",       0x33, [mvv mvx],          WIDE,  GROUP, GROUP),
    ops!("vwaddu",      0x34, [mvv_w mvx_w],      WIDE,  WIDE,  GROUP),
    ops!("vwadd",       0x35, [mvv_w mvx_w],      WIDE,  WIDE,  GROUP),
    ops!("vwsubu",      0x36, [mvv_w mvx_w],      WIDE,  WIDE,  GROUP),
    ops!("vwsub",       0x37, [mvv_w mvx_w],      WIDE,  WIDE,  GROUP),
    ops!("vwmulu",      0x38, [mvv mvx],          WIDE,  GROUP, GROUP),
    ops!("vwmulsu",     0x3a, [mvv mvx],          WIDE,  GROUP, GROUP),
    ops!("vwmul",       0x3b, [mvv mvx],          WIDE,  GROUP, GROUP),
    ops!("vwmaccu",     0x3c, [mvv_a mvx_a],      WIDE,  GROUP, GROUP),
    ops!("vwmacc",      0x3d, [mvv_a mvx_a],      WIDE,  GROUP, GROUP),
    ops!("vwmaccus",    0x3e, [mvx_a],            WIDE,  GROUP, GROUP),
    ops!("vwmaccsu",    0x3f, [mvv_a mvx_a],      WIDE,  GROUP, GROUP),

    ops!("vredsum",     0x00, [mvv_s],            ONE,   GROUP, ONE),
    ops!("vredand",     0x01, [mvv_s],            ONE,   GROUP, ONE),
    ops!("vredor",      0x02, [mvv_s],            ONE,   GROUP, ONE),
    ops!("vredxor",     0x03, [mvv_s],            ONE,   GROUP, ONE),
    ops!("vredminu",    0x04, [mvv_s],            ONE,   GROUP, ONE),
    ops!("vredmin",     0x05, [mvv_s],            ONE,   GROUP, ONE),
    ops!("vredmaxu",    0x06, [mvv_s],            ONE,   GROUP, ONE),
    ops!("vredmax",     0x07, [mvv_s],            ONE,   GROUP, ONE),
    ops!("vwredsumu",   0x30, [ivv_s],            ONE,   GROUP, ONE),
    ops!("vwredsum",    0x31, [ivv_s],            ONE,   GROUP, ONE),

    // vs2 or vs1 is part of the opcode.
    &[
        row("vmv.v.v",   op(IVV, 0x17).and(20, 0x3f, 0x20), &[Vd(GROUP), Vs1(GROUP), ReadsConfig], VectorInteger),
        row("vmv.v.x",   op(IVX, 0x17).and(20, 0x3f, 0x20), &[Vd(GROUP), Rs1, ReadsConfig],        VectorInteger),
        row("vmv.v.i",   op(IVI, 0x17).and(20, 0x3f, 0x20), &[Vd(GROUP), Number, ReadsConfig],     VectorInteger),
        row("vmv.x.s",   op(MVV, 0x10).and(25, 1, 1).and(15, 31, 0), &[Rd, Vs2(ONE), ReadsConfig], VectorInteger),
        row("vmv.s.x",   op(MVX, 0x10).and(20, 0x3f, 0x20), &[Vd(ONE), Rs1, ReadsConfig],          VectorInteger),
        extend("vzext.vf8", 2, &[Vd(GROUP), Vs2(EIGHTH), Mask, ReadsConfig]),
        extend("vsext.vf8", 3, &[Vd(GROUP), Vs2(EIGHTH), Mask, ReadsConfig]),
        extend("vzext.vf4", 4, &[Vd(GROUP), Vs2(QUARTER), Mask, ReadsConfig]),
        extend("vsext.vf4", 5, &[Vd(GROUP), Vs2(QUARTER), Mask, ReadsConfig]),
        extend("vzext.vf2", 6, &[Vd(GROUP), Vs2(HALF), Mask, ReadsConfig]),
        extend("vsext.vf2", 7, &[Vd(GROUP), Vs2(HALF), Mask, ReadsConfig]),
    ],
    // Whole registers, whatever the vector type.
    &[
        whole("vmv1r.v", 0, &[Vd(Extent::Fixed(1)), Vs2(Extent::Fixed(1))]),
        whole("vmv2r.v", 1, &[Vd(Extent::Fixed(2)), Vs2(Extent::Fixed(2))]),
        whole("vmv4r.v", 3, &[Vd(Extent::Fixed(4)), Vs2(Extent::Fixed(4))]),
        whole("vmv8r.v", 7, &[Vd(Extent::Fixed(8)), Vs2(Extent::Fixed(8))]),
    ],
];
