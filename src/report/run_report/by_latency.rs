//! Depth for every latency of RAM.

use serde::{Deserialize, Serialize};

use crate::Figure;
use crate::metrics::by_latency::{DepthByLatency, GROWTHS, Piece};
use crate::metrics::report::Inputs;

/// One straight piece: T∞(α) = slope·α + intercept for latencies α from here to where the next piece begins.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DepthPieceReport {
    /// Cycles.
    pub from: Figure,
    /// Accesses that go to RAM on the longest path.
    pub slope: u64,
    /// Cycles of everything else on it.
    pub intercept: u64,
}

/// How much longer the latency may be until the depth is so much longer than at this one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToleranceReport {
    /// α of the run, cycles.
    pub latency: Figure,
    /// T∞(α), cycles.
    pub depth: Figure,
    /// 𝒟 of the longest path at α.
    pub memory_depth: u64,
    pub growth: Vec<GrowthReport>,
}

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GrowthReport {
    pub percent: u32,
    /// The latency at which the depth is longer by that; unknown if it never is.
    pub latency: Figure,
}

/// The pieces by ascending latency.
pub(super) fn pieces(depth: &DepthByLatency) -> Vec<DepthPieceReport> {
    let piece = |(number, piece): (usize, &Piece)| DepthPieceReport {
        from: Figure::from(depth.from(number)),
        slope: piece.slope,
        intercept: piece.intercept,
    };
    depth.pieces.iter().enumerate().map(piece).collect()
}

impl ToleranceReport {
    pub(super) fn of(depth: &DepthByLatency, inputs: &Inputs) -> ToleranceReport {
        let latency = inputs.latency;
        let growth = |percent: &u32| GrowthReport {
            percent: *percent,
            latency: Figure::from(depth.grown_by(f64::from(*percent), latency)),
        };
        ToleranceReport {
            latency: Figure::from(latency),
            depth: Figure::from(depth.at(latency)),
            memory_depth: depth.slope_at(latency),
            growth: GROWTHS.iter().map(growth).collect(),
        }
    }
}
