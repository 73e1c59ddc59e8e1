//! Cache levels.

use serde::{Deserialize, Serialize};

use crate::metrics::report::CacheLevel;

/// A cache level and what happened in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CacheLevelReport {
    /// Bytes.
    pub size: u64,
    #[serde(default)]
    pub line: u32,
    #[serde(default)]
    pub ways: u64,
    #[serde(default)]
    pub policy: String,
    #[serde(default)]
    pub write: String,
    #[serde(default)]
    pub latency_cycles: Option<u32>,
    #[serde(default)]
    pub accesses: u64,
    #[serde(default)]
    pub hits: u64,
    #[serde(default)]
    pub misses: u64,
    #[serde(default)]
    pub bypasses: u64,
    #[serde(default)]
    pub evictions: u64,
    #[serde(default)]
    pub write_backs: u64,
    #[serde(default)]
    pub bytes_in: u64,
    #[serde(default)]
    pub bytes_out: u64,
}

impl CacheLevelReport {
    pub(super) fn of(level: &CacheLevel) -> CacheLevelReport {
        let CacheLevel { spec, counters } = level;
        CacheLevelReport {
            size: spec.bytes,
            line: spec.line,
            ways: spec.set_lines(),
            policy: spec.policy.to_string(),
            write: spec.write.to_string(),
            latency_cycles: spec.latency_cycles,
            accesses: counters.accesses(),
            hits: counters.hits,
            misses: counters.misses,
            bypasses: counters.bypasses,
            evictions: counters.evictions,
            write_backs: counters.write_backs,
            bytes_in: counters.bytes_in,
            bytes_out: counters.bytes_out,
        }
    }
}
