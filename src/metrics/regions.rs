//! The eDAG's figures by function, line or loop: of the graph that has only a region's vertices and the
//! edges between them.

use crate::dataflow::{Dataflow, Lanes, Operation, PathLengths, Rules};

use super::ram::RamUse;
use super::report::{Edag, EdagMemory};

/// Number of a region in the order of first execution.
pub type RegionId = u32;

/// Longest paths that stay within the region of the value's producer.
#[derive(Clone, Copy, Debug)]
struct PathInRegion {
    region: RegionId,
    lengths: PathLengths,
}

impl Lanes for PathInRegion {
    const START: PathInRegion = PathInRegion {
        region: RegionId::MAX,
        lengths: PathLengths::START,
    };
    type Kept = (RegionId, [u64; 2]);
    /// The region of the instruction that reads.
    type Viewer = RegionId;

    #[inline(always)]
    fn latest(self, other: PathInRegion) -> PathInRegion {
        PathInRegion {
            region: other.region,
            lengths: self.lengths.latest(other.lengths),
        }
    }

    fn keep(self) -> (RegionId, [u64; 2]) {
        (self.region, self.lengths.keep())
    }

    fn recall((region, lengths): (RegionId, [u64; 2])) -> PathInRegion {
        PathInRegion {
            region,
            lengths: PathLengths::recall(lengths),
        }
    }

    #[inline(always)]
    fn seen_by(self, viewer: RegionId) -> Option<PathInRegion> {
        (self.region == viewer).then_some(self)
    }
}

/// Follows all regions at once: a value carries its region and is seen only there.
pub(super) struct RegionMeter {
    flow: Dataflow<PathInRegion>,
    totals: Vec<Totals>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    vertices: u64,
    edges: u64,
    work: u64,
    memory_work: u64,
    non_memory_cost: u64,
    bytes_moved: u64,
    deepest: PathLengths,
}

impl RegionMeter {
    pub fn new(rules: Rules) -> RegionMeter {
        RegionMeter {
            flow: Dataflow::new(rules),
            totals: Vec::new(),
        }
    }

    pub fn add_hart(&mut self, hart: u16) {
        self.flow.add_hart(hart);
    }

    pub fn add_region(&mut self, region: RegionId) {
        if region as usize >= self.totals.len() {
            self.totals.resize(region as usize + 1, Totals::default());
        }
    }

    pub fn step(
        &mut self,
        region: RegionId,
        operation: &Operation,
        addresses: &[u64],
        cycles: u64,
        ram: RamUse,
    ) {
        let ready = self.flow.ready(operation, addresses, region);
        let lengths = ready.lanes.lengths.then(cycles, ram.accesses > 0);
        self.flow.complete(
            operation,
            addresses,
            ready.lanes,
            PathInRegion { region, lengths },
        );
        let totals = &mut self.totals[region as usize];
        totals.vertices += 1;
        totals.edges += u64::from(ready.edges);
        totals.work += cycles;
        totals.memory_work += ram.accesses;
        totals.non_memory_cost += if ram.accesses > 0 { 0 } else { cycles };
        totals.bytes_moved += ram.bytes;
        totals.deepest = totals.deepest.latest(lengths);
    }

    /// The figures of every region, in the order of their numbers.
    pub fn finish(self, has_addresses: bool) -> Vec<Edag> {
        let edag = |totals: &Totals| Edag {
            vertices: totals.vertices,
            edges: totals.edges,
            work: totals.work,
            depth: totals.deepest.depth,
            memory: has_addresses.then_some(EdagMemory {
                work: totals.memory_work,
                depth: totals.deepest.memory_depth,
                non_memory_cost: totals.non_memory_cost,
                non_memory_span: totals.deepest.non_memory_span,
                bytes_moved: totals.bytes_moved,
            }),
        };
        self.totals.iter().map(edag).collect()
    }
}
