//! What the catalogue says of a metric.

use super::metric::Metric;
use super::settings::{Settings, SettingsError};

/// One metric.
pub struct Entry {
    pub name: &'static str,
    /// What it counts, in a few words.
    pub meaning: &'static str,
    /// Makes it, if the run asks for it.
    pub(super) make: fn(&Asked<'_>) -> Made,
}

/// A metric, if the run asks for it, or why it cannot be made with these settings.
pub(super) type Made = Result<Option<Box<dyn Metric>>, SettingsError>;

/// What a run asks for.
pub(super) struct Asked<'a> {
    pub settings: &'a Settings,
    /// Whether instructions have regions.
    pub by_region: bool,
}
