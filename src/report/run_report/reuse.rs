//! Reuse distances in lines.

use serde::{Deserialize, Serialize};

use crate::cache::reuse::ReuseBin;
use crate::metrics::region_details::RegionReuse;
use crate::metrics::report::Reuse;

/// Of the whole run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReuseReport {
    /// Bytes of a line.
    pub line: u64,
    /// First touches.
    pub cold: u64,
    /// Bins that double.
    pub histogram: Vec<ReuseBin>,
    /// Every distance that occurred, with how often.
    pub exact: Vec<(u64, u64)>,
}

/// Of the touches that a region made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RegionReuseReport {
    pub line: u64,
    #[serde(default)]
    pub cold: u64,
    pub histogram: Vec<ReuseBin>,
}

impl ReuseReport {
    pub(super) fn of(reuse: &Reuse) -> ReuseReport {
        let Reuse {
            line,
            cold,
            histogram,
            exact,
        } = reuse.clone();
        ReuseReport {
            line,
            cold,
            histogram,
            exact,
        }
    }
}

impl RegionReuseReport {
    pub(super) fn of(reuse: &RegionReuse) -> RegionReuseReport {
        RegionReuseReport {
            line: reuse.line,
            cold: reuse.cold,
            histogram: reuse.bins.clone(),
        }
    }
}
