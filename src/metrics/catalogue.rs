//! The metrics that a run may ask for.

use super::entry::{Asked, Entry};
use super::metric::Metric;
use super::settings::SettingsError;
use super::{
    blame, by_latency, edag, epoch, kept, laid_out, memory_chain, other_caches, placed_cores,
    regions, remote, reuse, timed_core, varied_cores,
};

/// All of them. A metric is one file with its entry, a line here, and a test.
pub const METRICS: [Entry; 17] = [
    edag::ENTRY,
    regions::ENTRY,
    reuse::ENTRY,
    remote::ENTRY,
    epoch::ENTRY,
    memory_chain::ENTRY,
    by_latency::ENTRY,
    by_latency::BANDWIDTH,
    other_caches::ENTRY,
    // Before the core, whose part it completes.
    timed_core::PERFECT,
    timed_core::UNLIMITED,
    timed_core::ENTRY,
    varied_cores::ENTRY,
    placed_cores::ENTRY,
    laid_out::ENTRY,
    kept::ENTRY,
    // After the core, which shares its part.
    blame::ENTRY,
];

/// Those that the run asks for.
///
/// # Errors
/// One cannot be made with these settings.
pub(super) fn asked(asked: &Asked<'_>) -> Result<Vec<Box<dyn Metric>>, SettingsError> {
    let made = METRICS.iter().map(|entry| (entry.make)(asked));
    made.filter_map(Result::transpose).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_has_a_name_of_its_own_and_a_meaning() {
        for (number, entry) in METRICS.iter().enumerate() {
            assert!(!entry.name.is_empty() && !entry.meaning.is_empty());
            let is_twice = METRICS[..number]
                .iter()
                .any(|other| other.name == entry.name);
            assert!(!is_twice, "{}", entry.name);
        }
    }
}
