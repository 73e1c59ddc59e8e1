//! Where a program was loaded, and whether the trace is one of it.

use super::code::Code;
use super::error::{LikelyBase, RegionError};
use super::fit::{Fit, Verdict};

/// Where QEMU 7.2's user-mode emulation loads position-independent RISC-V programs.
pub const QEMU_BASE: u64 = 0x40_0000_0000;

/// Where a program was loaded, if it is said or can only be one place.
pub(super) fn load_base(is_movable: bool, base: Option<u64>) -> Result<u64, RegionError> {
    match (is_movable, base) {
        (true, base) => Ok(base.unwrap_or(QEMU_BASE)),
        (false, None | Some(0)) => Ok(0),
        (false, Some(_)) => Err(RegionError::FixedBase),
    }
}

/// Whether the instructions that were looked at are those of this program at this base.
pub(super) fn judge(
    fit: &Fit,
    (code, is_movable): (&Code, bool),
    base: u64,
) -> Result<(), RegionError> {
    let likely_base = || match is_movable {
        false => LikelyBase::Fixed,
        true => fit
            .likely_base(code)
            .map_or(LikelyBase::Unknown, LikelyBase::At),
    };
    match fit.verdict() {
        Verdict::Fits => Ok(()),
        Verdict::NothingInside => Err(RegionError::NothingInside {
            base,
            likely_base: likely_base(),
        }),
        Verdict::Differs(difference) => Err(RegionError::Differs {
            base,
            difference,
            likely_base: likely_base(),
        }),
    }
}
