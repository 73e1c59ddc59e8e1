//! Depth for every latency of RAM, and for every time that a byte takes.

use serde::{Deserialize, Serialize};

use crate::Figure;
use crate::metrics::by_latency::{DepthByLatency, GROWTHS, Piece};
use crate::metrics::report::Inputs;

/// One straight piece: T∞(α) = slope·α + intercept for latencies α from here to where the next piece begins; or the same
/// for β, cycles a byte.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DepthPieceReport {
    /// Cycles, or cycles a byte.
    pub from: Figure,
    /// Accesses that go to RAM on the longest path, or bytes that they move.
    pub slope: u64,
    /// Cycles of everything else on it; by bytes, with the latency of its accesses.
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

/// How long a byte may take until the depth is so much longer than with no limit of bandwidth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BandwidthToleranceReport {
    /// α of the run, cycles.
    pub latency: Figure,
    /// T∞ if bytes take no time, cycles.
    pub depth: Figure,
    /// Bytes on that path.
    pub bytes: u64,
    pub growth: Vec<ByteGrowthReport>,
}

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ByteGrowthReport {
    pub percent: u32,
    /// Cycles that a byte takes when the depth is longer by that; unknown if it never is.
    pub cycles_per_byte: Figure,
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

impl BandwidthToleranceReport {
    pub(super) fn of(depth: &DepthByLatency, inputs: &Inputs) -> BandwidthToleranceReport {
        let growth = |percent: &u32| ByteGrowthReport {
            percent: *percent,
            cycles_per_byte: Figure::from(depth.grown_by(f64::from(*percent), 0.0)),
        };
        BandwidthToleranceReport {
            latency: Figure::from(inputs.latency),
            depth: Figure::from(depth.at(0.0)),
            bytes: depth.slope_at(0.0),
            growth: GROWTHS.iter().map(growth).collect(),
        }
    }
}
