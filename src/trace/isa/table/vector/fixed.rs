//! Fixed-point arithmetic: saturating, averaging, scaling, clipping. `vxrm` and `vxsat` carry no
//! dependence, like the rounding mode and the exception flags of floating-point arithmetic.

use super::super::Class::VectorInteger;
use super::super::Field::*;
use super::super::base::row;
use super::Families;
use super::shape::{self, *};

#[rustfmt::skip]
pub const FIXED_POINT: Families = &[
    //   name     funct6 forms                vd     vs2    vs1
    ops!("vsaddu", 0x20, [ivv ivx ivi],       GROUP, GROUP, GROUP),
    ops!("vsadd",  0x21, [ivv ivx ivi],       GROUP, GROUP, GROUP),
    ops!("vssubu", 0x22, [ivv ivx],           GROUP, GROUP, GROUP),
    ops!("vssub",  0x23, [ivv ivx],           GROUP, GROUP, GROUP),
    ops!("vsmul",  0x27, [ivv ivx],           GROUP, GROUP, GROUP),
    ops!("vssrl",  0x2a, [ivv ivx ivi],       GROUP, GROUP, GROUP),
    ops!("vssra",  0x2b, [ivv ivx ivi],       GROUP, GROUP, GROUP),
    ops!("vnclipu", 0x2e, [ivv_w ivx_w ivi_w], GROUP, WIDE, GROUP),
    ops!("vnclip", 0x2f, [ivv_w ivx_w ivi_w], GROUP, WIDE,  GROUP),
    ops!("vaaddu", 0x08, [mvv mvx],           GROUP, GROUP, GROUP),
    ops!("vaadd",  0x09, [mvv mvx],           GROUP, GROUP, GROUP),
    ops!("vasubu", 0x0a, [mvv mvx],           GROUP, GROUP, GROUP),
    ops!("vasub",  0x0b, [mvv mvx],           GROUP, GROUP, GROUP),
];
