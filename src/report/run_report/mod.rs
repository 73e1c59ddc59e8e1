//! The report of a trace, schema `loopsheet/trace/1`, and of epochs of several, `loopsheet/epochs/1`.

mod blame;
mod by_latency;
mod caches;
mod camat;
mod edag;
mod epochs;
mod memory_chain;
mod objects;
mod placed;
mod regions;
mod remote;
mod reuse;
mod varied_cores;

use std::collections::BTreeMap;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::{ReadError, read};
use crate::metrics::profile::SourceProfile;
use crate::metrics::report::{GreedySchedule, Movement, TraceReport, TraceSummary};
use crate::trace::RunEnd;
use crate::trace::isa::Class;

pub use blame::{BlameReport, BlamedLineReport, BlamedObjectReport, BlamedReport, UnitsReport};
pub use by_latency::{
    BandwidthToleranceReport, ByteGrowthReport, DepthPieceReport, GrowthReport, ToleranceReport,
};
pub use caches::CacheLevelReport;
pub use camat::{
    CamatLevelReport, CamatProgramReport, CamatReport, IdentityReport, TimelineFileReport,
    TimelineRunReport,
};
pub use edag::{BrentReport, EdagReport};
pub use epochs::{CacheEpochsReport, EpochsReport, ProfiledTraceReport, ProfilesReport};
pub use memory_chain::{ChainInstructionReport, ChainLineReport, ChainReport};
pub use objects::{FarReport, InterleavedReport, InterleavingReport, ObjectReport, ShareReport};
pub use placed::{AgainstReport, PlacedReport};
pub use regions::RegionReport;
pub use remote::{QUANTILES, RemoteReport};
pub use reuse::{RegionReuseReport, ReuseReport};
pub use varied_cores::VariedCoreReport;

/// Of the reports of `loopsheet trace`.
pub const SCHEMA: &str = "loopsheet/trace/1";

/// Everything that was found in a trace. Bytes, cycles and seconds are plain numbers in base units; what was not asked
/// for is absent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunReport {
    pub schema: String,
    pub trace: SummaryReport,
    #[serde(default)]
    pub program: ProgramReport,
    /// Executed instructions by class.
    #[serde(default)]
    pub mix: IndexMap<String, u64>,
    /// Nearest first.
    #[serde(default)]
    pub cache: Vec<CacheLevelReport>,
    #[serde(default)]
    pub edag: EdagReport,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub movement: Option<MovementReport>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reuse: Option<ReuseReport>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<RemoteReport>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epochs: Option<EpochsReport>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_chain: Option<ChainReport>,
    /// Depth for every latency of RAM, by ascending latency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth_by_latency: Option<Vec<DepthPieceReport>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_tolerance: Option<ToleranceReport>,
    /// Depth for every number of cycles that a byte takes, at the latency of the inputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth_by_bandwidth: Option<Vec<DepthPieceReport>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bandwidth_tolerance: Option<BandwidthToleranceReport>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blame: Option<BlameReport>,
    /// What may go to slower memory, those that may go first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objects: Option<Vec<ObjectReport>>,
    /// What comes of pages of all objects in RAM and far memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interleaving: Option<InterleavingReport>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<ScheduleReport>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub camat: Option<CamatReport>,
    /// The core with one parameter varied.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub varied_cores: Vec<VariedCoreReport>,
    /// What comes of the placement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placed: Option<PlacedReport>,
    /// Costliest first.
    #[serde(default)]
    pub regions: Vec<RegionReport>,
    /// By source line, if the program is known and has line information.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceProfile>,
    #[serde(default)]
    pub notes: Vec<String>,
}

/// What was read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SummaryReport {
    pub path: String,
    #[serde(default)]
    pub format: String,
    pub instructions: u64,
    #[serde(default)]
    pub bytes: u64,
    #[serde(default)]
    pub harts: u64,
    /// Executions of mnemonics that are not in the table.
    #[serde(default)]
    pub unknown: BTreeMap<String, u64>,
    #[serde(default)]
    pub distinct_instructions: u64,
    /// How the run ended, if not in an orderly way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<RunEnd>,
}

/// What became of the program that was traced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProgramReport {
    pub status: ProgramStatus,
    /// The exit status of one that exited.
    pub code: Option<i32>,
    /// The number, on Linux, of the signal that ended it.
    pub signal: Option<i32>,
}

/// How far a trace follows its program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProgramStatus {
    Exited,
    Signalled,
    /// The recording ended it.
    Limit,
    /// The trace does not say that it has ended: where the trace ends, it was under way.
    #[default]
    Running,
}

/// Bytes to and from RAM, by interval of cycles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MovementReport {
    pub interval: u64,
    pub bytes: Vec<u64>,
}

/// The greedy schedule of a small trace, in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ScheduleReport {
    pub time: u64,
}

impl RunReport {
    /// Of everything that was found.
    pub fn of(report: &TraceReport) -> RunReport {
        let TraceReport {
            trace,
            mix,
            cache,
            inputs,
            edag,
            movement,
            reuse,
            remote,
            epochs,
            memory_chain,
            depth_by_latency,
            depth_by_bandwidth,
            blame,
            objects,
            schedule,
            regions,
            camat,
            varied_cores,
            placed,
            source,
            notes,
        } = report;
        RunReport {
            schema: SCHEMA.to_string(),
            trace: SummaryReport::of(trace),
            program: ProgramReport::of(trace.end),
            mix: classes(mix),
            cache: cache.iter().map(CacheLevelReport::of).collect(),
            edag: EdagReport::of(edag, inputs),
            movement: movement.as_ref().map(MovementReport::of),
            reuse: reuse.as_ref().map(ReuseReport::of),
            remote: remote.as_ref().map(RemoteReport::of),
            epochs: epochs.as_ref().map(EpochsReport::of),
            memory_chain: memory_chain.as_ref().map(ChainReport::of),
            depth_by_latency: depth_by_latency.as_ref().map(by_latency::pieces),
            latency_tolerance: depth_by_latency
                .as_ref()
                .map(|depth| ToleranceReport::of(depth, inputs)),
            depth_by_bandwidth: depth_by_bandwidth.as_ref().map(by_latency::pieces),
            bandwidth_tolerance: depth_by_bandwidth
                .as_ref()
                .map(|depth| BandwidthToleranceReport::of(depth, inputs)),
            blame: blame.as_ref().map(BlameReport::of),
            objects: objects.as_ref().map(self::objects::objects),
            interleaving: objects.as_ref().map(self::objects::interleaving),
            schedule: schedule
                .as_ref()
                .map(|GreedySchedule { time }| ScheduleReport { time: *time }),
            camat: camat.as_ref().map(CamatReport::of),
            varied_cores: self::varied_cores::varied(varied_cores),
            placed: placed.as_ref().map(PlacedReport::of),
            regions: regions
                .iter()
                .map(|region| RegionReport::of(region, inputs))
                .collect(),
            source: source.clone(),
            notes: notes.clone(),
        }
    }

    /// # Errors
    /// The text is not what `loopsheet trace --json` writes.
    pub fn parse(text: &str) -> Result<RunReport, ReadError> {
        read(
            text,
            SCHEMA,
            "it must come from `loopsheet trace --elf PROGRAM --json`",
        )
    }
}

impl SummaryReport {
    fn of(trace: &TraceSummary) -> SummaryReport {
        let TraceSummary {
            path,
            format,
            instructions,
            bytes,
            harts,
            unknown,
            distinct_instructions,
            end,
        } = trace.clone();
        SummaryReport {
            path,
            format: format.to_string(),
            instructions,
            bytes,
            harts,
            unknown,
            distinct_instructions,
            end: end.filter(|end| !end.is_orderly()),
        }
    }
}

impl ProgramReport {
    fn of(end: Option<RunEnd>) -> ProgramReport {
        let (status, code, signal) = match end {
            Some(RunEnd::ExitStatus(code)) => (ProgramStatus::Exited, Some(code), None),
            Some(RunEnd::Signal(signal)) => (ProgramStatus::Signalled, None, Some(signal)),
            Some(RunEnd::Limit(_)) => (ProgramStatus::Limit, None, None),
            None => (ProgramStatus::Running, None, None),
        };
        ProgramReport {
            status,
            code,
            signal,
        }
    }
}

impl MovementReport {
    fn of(movement: &Movement) -> MovementReport {
        let Movement { interval, bytes } = movement;
        MovementReport {
            interval: *interval,
            bytes: bytes.clone(),
        }
    }
}

fn classes(mix: &BTreeMap<Class, u64>) -> IndexMap<String, u64> {
    mix.iter()
        .map(|(class, count)| (class.name().to_string(), *count))
        .collect()
}
