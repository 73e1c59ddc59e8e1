//! Pseudo-instructions and older names of vector instructions. Fields say which registers stand where; the
//! extents come from the row.

use super::super::Field::*;
use super::super::{Field, Spelling};
use super::shape::GROUP;

const fn alias(mnemonic: &'static str, operands: &'static [Field], of: &'static str) -> Spelling {
    Spelling {
        mnemonic,
        operands,
        of,
        fixed: &[],
    }
}

#[rustfmt::skip]
pub const PSEUDO: &[Spelling] = &[
    alias("vneg.v",        &[Vd(GROUP), Vs2(GROUP), Mask],             "vrsub.vx"),
    alias("vnot.v",        &[Vd(GROUP), Vs2(GROUP), Mask],             "vxor.vi"),
    alias("vwcvt.x.x.v",   &[Vd(GROUP), Vs2(GROUP), Mask],             "vwadd.vx"),
    alias("vwcvtu.x.x.v",  &[Vd(GROUP), Vs2(GROUP), Mask],             "vwaddu.vx"),
    alias("vncvt.x.x.w",   &[Vd(GROUP), Vs2(GROUP), Mask],             "vnsrl.wx"),
    alias("vfneg.v",       &[Vd(GROUP), Vs1Vs2, Mask],                 "vfsgnjn.vv"),
    alias("vfabs.v",       &[Vd(GROUP), Vs1Vs2, Mask],                 "vfsgnjx.vv"),
    alias("vmsgt.vv",      &[Vd(GROUP), Vs1(GROUP), Vs2(GROUP), Mask], "vmslt.vv"),
    alias("vmsgtu.vv",     &[Vd(GROUP), Vs1(GROUP), Vs2(GROUP), Mask], "vmsltu.vv"),
    alias("vmsge.vv",      &[Vd(GROUP), Vs1(GROUP), Vs2(GROUP), Mask], "vmsle.vv"),
    alias("vmsgeu.vv",     &[Vd(GROUP), Vs1(GROUP), Vs2(GROUP), Mask], "vmsleu.vv"),
    alias("vmslt.vi",      &[Vd(GROUP), Vs2(GROUP), Number, Mask],     "vmsle.vi"),
    alias("vmsltu.vi",     &[Vd(GROUP), Vs2(GROUP), Number, Mask],     "vmsleu.vi"),
    alias("vmsge.vi",      &[Vd(GROUP), Vs2(GROUP), Number, Mask],     "vmsgt.vi"),
    alias("vmsgeu.vi",     &[Vd(GROUP), Vs2(GROUP), Number, Mask],     "vmsgtu.vi"),
    alias("vmfgt.vv",      &[Vd(GROUP), Vs1(GROUP), Vs2(GROUP), Mask], "vmflt.vv"),
    alias("vmfge.vv",      &[Vd(GROUP), Vs1(GROUP), Vs2(GROUP), Mask], "vmfle.vv"),

    alias("vmmv.m",        &[Vd(GROUP), Vs1Vs2],                       "vmand.mm"),
    alias("vmcpy.m",       &[Vd(GROUP), Vs1Vs2],                       "vmand.mm"),
    alias("vmnot.m",       &[Vd(GROUP), Vs1Vs2],                       "vmnand.mm"),
    alias("vmclr.m",       &[VdVs1Vs2],                                "vmxor.mm"),
    alias("vmset.m",       &[VdVs1Vs2],                                "vmxnor.mm"),
    alias("vmandnot.mm",   &[Vd(GROUP), Vs2(GROUP), Vs1(GROUP)],       "vmandn.mm"),
    alias("vmornot.mm",    &[Vd(GROUP), Vs2(GROUP), Vs1(GROUP)],       "vmorn.mm"),
    alias("vpopc.m",       &[Rd, Vs2(GROUP), Mask],                    "vcpop.m"),
    alias("vfredsum.vs",   &[Vd(GROUP), Vs2(GROUP), Vs1(GROUP), Mask], "vfredusum.vs"),
    alias("vfwredsum.vs",  &[Vd(GROUP), Vs2(GROUP), Vs1(GROUP), Mask], "vfwredusum.vs"),

    alias("vl1r.v",        &[Vd(GROUP), Base],                         "vl1re8.v"),
    alias("vl2r.v",        &[Vd(GROUP), Base],                         "vl2re8.v"),
    alias("vl4r.v",        &[Vd(GROUP), Base],                         "vl4re8.v"),
    alias("vl8r.v",        &[Vd(GROUP), Base],                         "vl8re8.v"),
    alias("vle1.v",        &[Vd(GROUP), Base],                         "vlm.v"),
    alias("vse1.v",        &[Vs3(GROUP), Base],                        "vsm.v"),
];
