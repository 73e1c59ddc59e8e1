//! A run by the loops of a static report: the profile with every round once, places, and what was done where.

use std::borrow::Cow;

use super::places::Places;
use super::{continued, traced};
use crate::metrics::profile::SourceProfile;
use crate::report::StaticReport;

/// With what was executed in each.
pub struct Joined<'r> {
    /// With every round and execution counted once.
    pub profile: Cow<'r, SourceProfile>,
    pub places: Places<'r>,
    pub join: traced::Join,
}

impl<'r> Joined<'r> {
    pub fn of(predicted: &'r StaticReport, profile: &'r SourceProfile) -> Joined<'r> {
        let profile = continued::settled(predicted, profile);
        let places = Places::of_run(predicted, &profile);
        let join = traced::join(predicted, &places, &profile);
        Joined {
            profile,
            places,
            join,
        }
    }
}
