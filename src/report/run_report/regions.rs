//! Functions, source lines, loops and nests of a run.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::by_latency::{self, DepthPieceReport};
use super::camat::CamatReport;
use super::classes;
use super::edag::EdagReport;
use super::epochs::EpochsReport;
use super::reuse::RegionReuseReport;
use crate::metrics::region_details::RegionDetail;
use crate::metrics::report::{Inputs, Region, RegionKind};

/// One of them. The figures of the eDAG of its own instructions stand beside its name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RegionReport {
    pub kind: RegionKind,
    pub name: String,
    #[serde(default)]
    pub file: Option<String>,
    #[serde(default)]
    pub line: Option<u32>,
    #[serde(default)]
    pub instructions: u64,
    #[serde(default)]
    pub mix: IndexMap<String, u64>,
    #[serde(flatten)]
    pub edag: EdagReport,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reuse: Option<RegionReuseReport>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epochs: Option<EpochsReport>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub camat: Option<CamatReport>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth_by_latency: Option<Vec<DepthPieceReport>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth_by_bandwidth: Option<Vec<DepthPieceReport>>,
}

impl RegionReport {
    pub(super) fn of(region: &Region, inputs: &Inputs) -> RegionReport {
        let Region {
            kind,
            name,
            file,
            line,
            instructions,
            mix,
            edag,
            detail,
        } = region;
        let RegionDetail {
            reuse,
            epochs,
            camat,
            depth_by_latency,
            depth_by_bandwidth,
        } = detail;
        RegionReport {
            kind: *kind,
            name: name.clone(),
            file: file.clone(),
            line: *line,
            instructions: *instructions,
            mix: classes(mix),
            edag: EdagReport::of(edag, inputs),
            reuse: reuse.as_ref().map(RegionReuseReport::of),
            epochs: epochs.as_ref().map(EpochsReport::of),
            camat: camat.as_ref().map(CamatReport::of),
            depth_by_latency: depth_by_latency.as_ref().map(by_latency::pieces),
            depth_by_bandwidth: depth_by_bandwidth.as_ref().map(by_latency::pieces),
        }
    }
}
