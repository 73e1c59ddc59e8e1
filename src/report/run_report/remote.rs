//! The what-if of accesses that are remote.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::Figure;
use crate::metrics::report::RemoteDelay;

/// Shares of trials at which the distribution of remote delays is given.
pub const QUANTILES: [(&str, f64); 7] = [
    ("min", 0.0),
    ("p05", 0.05),
    ("p25", 0.25),
    ("p50", 0.5),
    ("p75", 0.75),
    ("p95", 0.95),
    ("max", 1.0),
];

/// The distribution of the longest path when a share of the RAM accesses costs more, in cycles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RemoteReport {
    pub share: Figure,
    pub delay: u64,
    pub seed: u64,
    pub trials: usize,
    /// With no access remote.
    pub local: u64,
    pub all_remote: u64,
    /// By the names of [`QUANTILES`].
    pub quantiles: IndexMap<String, Option<u64>>,
}

impl RemoteReport {
    pub(super) fn of(remote: &RemoteDelay) -> RemoteReport {
        let quantiles = QUANTILES
            .iter()
            .map(|(name, share)| (name.to_string(), remote.quantile(*share)));
        let RemoteDelay {
            share,
            delay,
            seed,
            depths,
            local,
            all_remote,
        } = remote;
        RemoteReport {
            share: (*share).into(),
            delay: *delay,
            seed: *seed,
            trials: depths.len(),
            local: *local,
            all_remote: *all_remote,
            quantiles: quantiles.collect(),
        }
    }
}
