//! The results of a trace as plain values, for any exporter to show.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::blame::Blame;
use super::by_latency::DepthByLatency;
use super::camat::Camat;
pub use crate::cache::reuse::ReuseBin;
use crate::cache::{CacheSpec, LevelCounters};
use crate::expr::{Lookup, Symbol};
use crate::trace::RunEnd;
use crate::trace::isa::Class;

use super::epoch::Stores;
use super::memory_chain::MemoryChain;
use super::objects::Objects;
use super::profile::SourceProfile;
use super::region_details::RegionDetail;
use super::tables;
use super::varied_core::VariedCore;

/// Everything that one run of `loopsheet trace` found.
#[derive(Clone, Debug)]
pub struct TraceReport {
    pub trace: TraceSummary,
    /// Executed instructions of each class; classes that did not occur are absent.
    pub mix: BTreeMap<Class, u64>,
    /// The cache levels, nearest first; empty without a cache model.
    pub cache: Vec<CacheLevel>,
    pub inputs: Inputs,
    pub edag: Edag,
    /// `None` where the trace has no addresses.
    pub movement: Option<Movement>,
    /// Reuse distances, if asked for.
    pub reuse: Option<Reuse>,
    /// The random-delay what-if, if asked for.
    pub remote: Option<RemoteDelay>,
    /// Epochs over windows and capacities, if asked for.
    pub epochs: Option<Epochs>,
    /// The greedy schedule of a small trace's materialised eDAG.
    pub schedule: Option<GreedySchedule>,
    /// The same figures by function, line or loop, if asked for, costliest first.
    pub regions: Vec<Region>,
    /// C-AMAT of a timeline, if there is one.
    pub camat: Option<Camat>,
    /// The core with one parameter varied, if asked for.
    pub varied_cores: Vec<VariedCore>,
    /// What comes of the placement, if there is one.
    pub placed: Option<Placed>,
    /// The deepest chain of RAM accesses, if asked for.
    pub memory_chain: Option<MemoryChain>,
    /// Depth for every latency of RAM, if asked for.
    pub depth_by_latency: Option<DepthByLatency>,
    /// Depth for every number of cycles that a byte takes from or to RAM, at the latency of the inputs, if asked for.
    pub depth_by_bandwidth: Option<DepthByLatency>,
    /// Who causes pure miss cycles and epochs, if asked for.
    pub blame: Option<Blame>,
    /// What may go to slower memory, if asked for.
    pub objects: Option<Objects>,
    /// By source line, if the program is known and has line information.
    pub source: Option<SourceProfile>,
    /// What a reader of the figures has to know: treatment of unknown instructions, missing addresses …
    pub notes: Vec<String>,
}

/// What a timeline without a trace says.
#[derive(Clone, Debug)]
pub struct TimelineReport {
    /// As given on the command line; `-` is standard input.
    pub path: String,
    pub camat: Camat,
}

/// What was read.
#[derive(Clone, Debug)]
pub struct TraceSummary {
    /// As given on the command line; `-` is standard input.
    pub path: String,
    pub format: &'static str,
    /// Executed instructions.
    pub instructions: u64,
    /// Bytes of the trace as text, after decompression.
    pub bytes: u64,
    pub harts: u64,
    /// Executions of mnemonics that are not in the table, where that was allowed.
    pub unknown: BTreeMap<String, u64>,
    /// Instructions of the program that appear in the trace.
    pub distinct_instructions: u64,
    /// How the run ended, if the trace says so.
    pub end: Option<RunEnd>,
}

/// One cache level and what happened in it.
#[derive(Clone, Debug)]
pub struct CacheLevel {
    pub spec: CacheSpec,
    pub counters: LevelCounters,
}

/// The inputs of the formulas, as set on the command line; input cells in the workbook.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inputs {
    /// m: the most RAM accesses outstanding at once.
    pub slots: f64,
    /// α: cycles of a RAM access.
    pub latency: f64,
    /// α₀: the latency at which relative sensitivity is taken, cycles.
    pub base_latency: f64,
    /// Cycles of a nanosecond.
    pub ghz: f64,
    /// p of Brent's bounds.
    pub processors: f64,
}

/// Cycles of the core with what `--place` says in slower memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    pub cycles: u64,
    /// With all in RAM.
    pub in_ram: u64,
    /// With the placement that it is compared with, if there is one.
    pub against: Option<u64>,
}

impl Placed {
    /// By what share so many cycles are more than those with all in RAM.
    pub fn loss(&self, cycles: u64) -> f64 {
        match self.in_ram {
            0 => 0.0,
            in_ram => cycles as f64 / in_ram as f64 - 1.0,
        }
    }
}

/// What was counted on the eDAG (guide: dynamic-model, "Memory work, memory depth and λ").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Edag {
    /// Vertices: executed instructions, without those that `--compat edan` leaves out.
    pub vertices: u64,
    /// Pairs of instructions of which the second uses a value of the first.
    pub edges: u64,
    /// T₁: cycles of all vertices.
    pub work: u64,
    /// T∞: cycles on the longest path.
    pub depth: u64,
    /// `None` where the trace has no addresses.
    pub memory: Option<EdagMemory>,
}

/// The part of the eDAG's figures that needs addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdagMemory {
    /// 𝒲: accesses that go to RAM.
    pub work: u64,
    /// 𝒟: most of such instructions on one path.
    pub depth: u64,
    /// C: cycles of the vertices that do not go to RAM, of the hart with most of them.
    pub non_memory_cost: u64,
    /// The longest path in which vertices that go to RAM cost nothing, cycles.
    pub non_memory_span: u64,
    /// Bytes between the last cache and RAM, both ways; not known without caches if widths of accesses are not.
    pub bytes_moved: Option<u64>,
}

/// Bytes to and from RAM over the as-soon-as-possible schedule, in which every instruction starts when
/// its operands are there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Movement {
    /// Cycles of one interval, a power of two.
    pub interval: u64,
    /// Bytes moved by the instructions that start in each interval.
    pub bytes: Vec<u64>,
}

/// Reuse distances in lines: different other lines touched between two touches of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reuse {
    /// Bytes.
    pub line: u64,
    /// First touches.
    pub cold: u64,
    /// Bins that double: distances from `lo` to below `hi`.
    pub histogram: Vec<ReuseBin>,
    /// Every distance that occurred, ascending, with how often.
    pub exact: Vec<(u64, u64)>,
}

/// The distribution of T∞ when a share of the RAM accesses costs more: RAM accesses cost the latency,
/// remote ones the delay on top.
#[derive(Clone, Debug, PartialEq)]
pub struct RemoteDelay {
    /// Share of RAM accesses that are remote, 0 to 1.
    pub share: f64,
    /// Extra cycles.
    pub delay: u64,
    pub seed: u64,
    /// T∞ of every trial in cycles, ascending.
    pub depths: Vec<u64>,
    /// T∞ with no access remote, cycles.
    pub local: u64,
    /// T∞ with every access remote, cycles.
    pub all_remote: u64,
}

impl RemoteDelay {
    /// The least T∞ in cycles that at least this share of the trials (0 to 1) does not exceed; `None`
    /// without trials.
    pub fn quantile(&self, share: f64) -> Option<u64> {
        let rank = (share * self.depths.len() as f64).ceil() as usize;
        self.depths.get(rank.saturating_sub(1)).copied()
    }
}

impl Reuse {
    /// All touches of lines, first ones too.
    pub fn touches(&self) -> u64 {
        self.cold + self.histogram.iter().map(|bin| bin.count).sum::<u64>()
    }
}

/// Epochs of every window and capacity (guide: dynamic-model, "Epochs"). Tables are indexed capacity first, then window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Epochs {
    /// W: instructions, ascending.
    pub windows: Vec<u32>,
    /// C: bytes, ascending.
    pub capacities: Vec<u64>,
    /// e: epochs, of all harts together.
    pub epochs: Vec<Vec<u64>>,
    /// E_m: epochs when at most m misses start in one, by m.
    pub slots: BTreeMap<u32, Vec<Vec<u64>>>,
    /// Of the misses of the run's own caches, if it has any.
    pub caches: Option<CacheEpochs>,
    /// I: executed instructions.
    pub instructions: u64,
    /// Lines fetched from outside of each capacity, for stores too.
    pub off_chip: Vec<u64>,
    /// Bytes.
    pub line: u64,
    pub stores: Stores,
}

/// Epochs of the accesses that the caches of the run sent to RAM, by window; hits wait for outstanding lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheEpochs {
    pub epochs: Vec<u64>,
    /// By m.
    pub slots: BTreeMap<u32, Vec<u64>>,
}

impl CacheEpochs {
    /// Without a limit of misses in an epoch, then with each, ascending.
    pub fn rows(&self) -> impl Iterator<Item = (Option<u32>, &[u64])> {
        let limited = self
            .slots
            .iter()
            .map(|(slots, row)| (Some(*slots), row.as_slice()));
        std::iter::once((None, self.epochs.as_slice())).chain(limited)
    }
}

impl Epochs {
    /// Epochs per 1,000 instructions, of [`Epochs::epochs`] or a table of [`Epochs::slots`]; not a number if
    /// nothing was executed.
    pub fn per_thousand(&self, table: &[Vec<u64>]) -> Vec<Vec<f64>> {
        let [part, whole] = ["epochs", "instructions"].map(Symbol::source);
        let rate = tables::per_thousand(part.name(), whole.name());
        let value = |epochs: u64| {
            let known = |symbol: &Symbol| {
                Some(match *symbol == part {
                    true => epochs,
                    false => self.instructions,
                } as f64)
            };
            rate.evaluate(&known as &dyn Lookup).unwrap_or(f64::NAN)
        };
        table
            .iter()
            .map(|row| row.iter().map(|epochs| value(*epochs)).collect())
            .collect()
    }

    /// EPKI of every window and capacity.
    pub fn epki(&self) -> Vec<Vec<f64>> {
        self.per_thousand(&self.epochs)
    }
}

/// A greedy schedule of the RAM accesses alone: every one that is ready takes a free slot for the
/// latency, everything else takes no time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GreedySchedule {
    /// Cycles.
    pub time: u64,
}

/// One function, source line or loop.
#[derive(Clone, Debug)]
pub struct Region {
    pub kind: RegionKind,
    pub name: String,
    pub file: Option<String>,
    pub line: Option<u32>,
    pub instructions: u64,
    pub mix: BTreeMap<Class, u64>,
    /// Of the part of the eDAG that has only this region's vertices and the edges between them.
    pub edag: Edag,
    pub detail: RegionDetail,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RegionKind {
    Function,
    Line,
    Loop,
    /// A loop nest of the source, as a static report has it.
    Nest,
}

impl RegionKind {
    /// As in JSON and `--by`.
    pub fn name(self) -> &'static str {
        match self {
            RegionKind::Function => "function",
            RegionKind::Line => "line",
            RegionKind::Loop => "loop",
            RegionKind::Nest => "nest",
        }
    }
}
