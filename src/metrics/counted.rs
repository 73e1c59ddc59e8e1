//! What a run over a trace counts.

use std::collections::BTreeMap;

use crate::trace::isa::{Access, Class};
use crate::trace::{Instruction, InstructionId};
use loopsheet_regions::RegionError;

use super::blame::{Blame, Causes};
use super::by_latency::DepthByLatency;
use super::camat::CamatMeter;
use super::memory_chain::MemoryChain;
use super::objects::Object;
use super::out_of_order::CoreCycles;
use super::profile::{DataAccesses, SourceProfile};
use super::region_details::RegionDetail;
use super::report::{CacheLevel, Edag, Epochs, Movement, RemoteDelay, Reuse};
use super::varied_core::VariedCore;

/// What was counted.
#[derive(Default)]
pub struct Counted {
    pub instructions: Vec<Instruction>,
    /// Executions of each instruction.
    pub executions: Vec<u64>,
    pub mix: BTreeMap<Class, u64>,
    pub edag: Edag,
    /// With each of the other caches that were asked for.
    pub other_edags: Vec<Edag>,
    pub cache: Vec<CacheLevel>,
    /// Bytes in dirty lines of the caches at the end, which have not been moved.
    pub dirty_bytes: u64,
    pub movement: Option<Movement>,
    pub reuse: Option<Reuse>,
    pub remote: Option<RemoteDelay>,
    pub epochs: Option<Epochs>,
    pub memory_chain: Option<MemoryChain>,
    pub depth_by_latency: Option<DepthByLatency>,
    /// Over the cycles that a byte takes.
    pub depth_by_bandwidth: Option<DepthByLatency>,
    pub core: Option<CountedCore>,
    /// Cycles of the core's harts if every access hit the nearest level.
    pub(super) perfect_cycles: u64,
    /// Cycles of the core with no limit of bandwidth, if asked for; `None` if it has none.
    pub unlimited_cycles: Option<u64>,
    /// In the order in which they were asked for.
    pub varied_cores: Vec<VariedCore>,
    /// Cycles of the core with each of the other placements.
    pub placed_cycles: Vec<u64>,
    /// Cycles of the machines nearly like the core, by layout.
    pub layout_cycles: Vec<u64>,
    /// Pure miss cycles of the core, by who causes them.
    pub(super) pure_misses: Option<Causes>,
    pub blame: Option<Blame>,
    /// By object, if asked for, without their epochs.
    pub objects: Option<Vec<Object>>,
    /// By source line; an error if the trace is not one of the program.
    pub profile: Option<Result<SourceProfile, RegionError>>,
    /// By instruction, its index in [`SourceProfile::sites`]; empty without a profile.
    pub(super) sites_of_instructions: Vec<u32>,
    /// By instruction, what it accessed; empty without a profile.
    pub(super) data_of_instructions: Vec<Vec<DataAccesses>>,
    /// By number of the region.
    pub regions: Vec<CountedRegion>,
    /// All executions in program order, if there were not too many.
    pub kept: Option<Vec<Execution>>,
}

impl Counted {
    /// Forgets bytes that rest on the widths of accesses, where these are not known.
    pub fn forget_bytes(&mut self) {
        self.movement = None;
        self.depth_by_bandwidth = None;
        let regions = self.regions.iter_mut().map(|region| {
            region.detail.depth_by_bandwidth = None;
            &mut region.edag
        });
        for edag in regions.chain([&mut self.edag]) {
            if let Some(memory) = &mut edag.memory {
                memory.bytes_moved = None;
            }
        }
    }
}

/// What the out-of-order core took, and its timeline's counts so far.
pub struct CountedCore {
    pub cycles: CoreCycles,
    pub meter: CamatMeter,
}

/// One region's part.
#[derive(Default)]
pub struct CountedRegion {
    pub instructions: u64,
    pub mix: BTreeMap<Class, u64>,
    pub edag: Edag,
    pub detail: RegionDetail,
}

/// Number of a region in the order of first execution.
pub type RegionId = u32;

/// One execution, kept for drawing.
#[derive(Clone, Debug)]
pub struct Execution {
    pub instruction: InstructionId,
    pub access: Option<Access>,
    pub addresses: Vec<u64>,
    pub to_ram: bool,
    pub cycles: u64,
}
