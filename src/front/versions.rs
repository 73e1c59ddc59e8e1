//! Two reports to what differs.

use super::Error;
use crate::diff::{Difference, Function, Limits, Place, Side, compare, same_machine};
use crate::report::StaticReport;

/// Effect of a change in the source in the figures, nest by nest (`loopsheet diff`). Nests are matched by what they do,
/// not by lines; `limits` say what is too much ([`Difference::exceeded`]).
///
/// Both reports have to be for the same machine and sizes: set what is guessed.
///
/// ```
/// let options = loopsheet::Options::default();
/// let old = loopsheet::analyze(&["samples/changes/old"], &options)?;
/// let new = loopsheet::analyze(&["samples/changes/new"], &options)?;
/// let difference = loopsheet::diff(old, new, &Default::default())?;
/// assert!(difference.nests.iter().any(|nest| !nest.rows.is_empty()));
/// # Ok::<(), loopsheet::Error>(())
/// ```
///
/// # Errors
/// The reports are for different machines, or a budget bounds a level that the machine lacks.
pub fn diff(old: StaticReport, new: StaticReport, limits: &Limits) -> Result<Difference, Error> {
    let side = |report: StaticReport, name: &str| {
        Side::of(report.map_functions(Function::from), name, &Place::Common)
    };
    let (old, new) = (side(old, "old"), side(new, "new"));
    same_machine(&old, &new).map_err(anyhow::Error::from)?;
    limits.fit(&new).map_err(anyhow::Error::from)?;
    Ok(compare(&old, &new, limits))
}
