//! How near two numbers have to be for what a comparison says of them.

use std::ops::RangeInclusive;

/// Figures of the two sides agree that differ by no more than this share of the larger: what rounding does to sums.
pub const EQUAL: f64 = 1e-9;

/// An explanation accounts for a figure if what it comes to differs by no more than this share of the larger: beside the
/// main cause, compilers leave out or add single accesses and operations at the ends of loops.
pub const NEAR: f64 = 0.02;

/// Counts of an iteration are the same, and parameters fit, up to this share: they are quotients of whole numbers.
pub const SAME_RATE: f64 = 1e-6;

/// A quotient of counts that is so near to a whole number is one.
pub const WHOLE: f64 = 1e-6;

/// What rounding may take from a whole number before its fraction is cut off.
pub const ROUNDING: f64 = 1e-9;

/// The same of a large one, as a share.
pub const ROUNDING_SHARE: f64 = 1e-12;

/// A step of the reuse curve has at least this share of the touches that are not the first of their line.
pub const REUSE_STEP: f64 = 0.02;

/// Bins of the reuse curve double, so a step over the working set that lies in here may be that one.
pub const REUSE_BIN: RangeInclusive<f64> = 0.5..=2.0;

/// Lengths of arrays are compared in steps of this share: footprints are in lines, lengths in bytes.
pub const LENGTH_STEP: f64 = 0.05;

/// Whether figures of the two sides agree.
pub fn are_equal(one: f64, other: f64) -> bool {
    differ_by_at_most(EQUAL, one, other)
}

/// Whether an explanation accounts for a figure.
pub fn are_near(one: f64, other: f64) -> bool {
    differ_by_at_most(NEAR, one, other)
}

/// Whether two counts of an iteration are the same, or a value fits.
pub fn are_same_rate(one: f64, other: f64) -> bool {
    differ_by_at_most(SAME_RATE, one, other)
}

/// Whether a quotient of counts is a whole number.
pub fn is_whole(value: f64) -> bool {
    (value - value.round()).abs() < WHOLE
}

fn differ_by_at_most(share: f64, one: f64, other: f64) -> bool {
    (one - other).abs() <= share * one.abs().max(other.abs())
}
