//! What else is said of regions when they are nests of the source: reuse distances, epochs and C-AMAT of a region's
//! own accesses.

use super::by_latency::DepthByLatency;
use super::camat::Camat;
use super::report::{Epochs, ReuseBin};

/// Of one region. What was not asked of the whole trace is absent here too.
#[derive(Clone, Debug, Default)]
pub struct RegionDetail {
    /// Distances over the whole trace, of the touches that the region made.
    pub reuse: Option<RegionReuse>,
    /// Of the region's instructions alone, one after the other.
    pub epochs: Option<Epochs>,
    /// Of the region's accesses on the core's timeline.
    pub camat: Option<Camat>,
    /// Of the paths that stay within the region; with the figures of its eDAG, whatever the kind of region.
    pub depth_by_latency: Option<DepthByLatency>,
    /// The same over the cycles that a byte takes.
    pub depth_by_bandwidth: Option<DepthByLatency>,
}

/// Reuse distances of a region's touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionReuse {
    /// Bytes of a line.
    pub line: u64,
    pub cold: u64,
    pub bins: Vec<ReuseBin>,
}
