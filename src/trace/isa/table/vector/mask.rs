//! Instructions that compute with masks.

use super::super::Class::VectorInteger;
use super::super::Field::*;
use super::super::base::row;
use super::super::{Field, Row};
use super::Families;
use super::shape::{self, *};

/// The place of `vs1` tells instructions apart.
const fn unary(mnemonic: &'static str, funct6: u32, vs1: u32, operands: &'static [Field]) -> Row {
    row(
        mnemonic,
        op(MVV, funct6).and(15, 0x1f, vs1),
        operands,
        VectorInteger,
    )
}

#[rustfmt::skip]
pub const MASK: Families = &[
    //   name     funct6 forms   vd   vs2  vs1
    ops!("vmandn", 0x18, [mm_u], ONE, ONE, ONE),
    ops!("vmand",  0x19, [mm_u], ONE, ONE, ONE),
    ops!("vmor",   0x1a, [mm_u], ONE, ONE, ONE),
    ops!("vmxor",  0x1b, [mm_u], ONE, ONE, ONE),
    ops!("vmorn",  0x1c, [mm_u], ONE, ONE, ONE),
    ops!("vmnand", 0x1d, [mm_u], ONE, ONE, ONE),
    ops!("vmnor",  0x1e, [mm_u], ONE, ONE, ONE),
    ops!("vmxnor", 0x1f, [mm_u], ONE, ONE, ONE),
    &[
        row("vcompress.vm", op(MVV, 0x17).and(25, 1, 1),
            &[Vd(GROUP), Vs2(GROUP), Vs1(ONE), ReadsConfig], VectorInteger),
        unary("vcpop.m",  0x10, 0x10, &[Rd, Vs2(ONE), Mask, ReadsConfig]),
        unary("vfirst.m", 0x10, 0x11, &[Rd, Vs2(ONE), Mask, ReadsConfig]),
        unary("vmsbf.m",  0x14, 0x01, &[Vd(ONE), Vs2(ONE), Mask, ReadsConfig]),
        unary("vmsof.m",  0x14, 0x02, &[Vd(ONE), Vs2(ONE), Mask, ReadsConfig]),
        unary("vmsif.m",  0x14, 0x03, &[Vd(ONE), Vs2(ONE), Mask, ReadsConfig]),
        unary("viota.m",  0x14, 0x10, &[Vd(GROUP), Vs2(ONE), Mask, ReadsConfig]),
        row("vid.v", op(MVV, 0x14).and(15, 0x1f, 0x11).and(20, 0x1f, 0),
            &[Vd(GROUP), Mask, ReadsConfig], VectorInteger),
    ],
];
