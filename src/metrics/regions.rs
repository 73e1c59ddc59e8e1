//! The eDAG's figures by function, line or loop: of the graph that has only a region's vertices and the
//! edges between them.

use smallvec::SmallVec;

use super::counted::{Counted, RegionId};
use super::entry::Entry;
use super::metric::{Metric, Program, Run, Stretch, ram_use};
use super::report::{Edag, EdagMemory};
use crate::dataflow::{Held, Lanes, PathLengths, Rules, Values};

pub(super) const ENTRY: Entry = Entry {
    name: "regions",
    meaning: "the figures of the eDAG that has only a region's vertices and the edges between them",
    make: |asked| {
        let meter = || Box::new(RegionMeter::new(asked.settings.rules)) as Box<dyn Metric>;
        Ok(asked.by_region.then(meter))
    },
};

/// Longest paths that stay within the region of the value's producer.
#[derive(Clone, Copy, Debug)]
struct PathInRegion {
    region: RegionId,
    lengths: PathLengths,
}

impl Held for PathInRegion {
    const START: PathInRegion = PathInRegion {
        region: RegionId::MAX,
        lengths: PathLengths::START,
    };
    type Kept = (RegionId, [u64; 2]);

    fn keep(self) -> (RegionId, [u64; 2]) {
        (self.region, self.lengths.keep())
    }

    fn recall((region, lengths): (RegionId, [u64; 2])) -> PathInRegion {
        PathInRegion {
            region,
            lengths: PathLengths::recall(lengths),
        }
    }
}

impl Lanes for PathInRegion {
    #[inline(always)]
    fn latest(self, other: PathInRegion) -> PathInRegion {
        PathInRegion {
            region: other.region,
            lengths: self.lengths.latest(other.lengths),
        }
    }
}

/// Follows all regions at once: a value carries its region and is seen only there.
struct RegionMeter {
    values: Values<PathInRegion>,
    totals: Vec<Totals>,
}

#[derive(Clone, Debug, Default)]
struct Totals {
    vertices: u64,
    edges: u64,
    work: u64,
    memory_work: u64,
    /// By hart.
    non_memory_costs: SmallVec<[u64; 2]>,
    bytes_moved: u64,
    deepest: PathLengths,
}

impl RegionMeter {
    fn new(rules: Rules) -> RegionMeter {
        RegionMeter {
            values: Values::new(rules),
            totals: Vec::new(),
        }
    }
}

impl Metric for RegionMeter {
    fn add(&mut self, program: &Program) {
        let (instruction, region) = program.last();
        self.values.add_hart(instruction.hart);
        if region as usize >= self.totals.len() {
            self.totals.resize(region as usize + 1, Totals::default());
        }
        let costs = &mut self.totals[region as usize].non_memory_costs;
        costs.resize(costs.len().max(instruction.hart as usize + 1), 0);
    }

    fn take(&mut self, stretch: &Stretch<'_>) {
        let RegionMeter { values, totals } = self;
        stretch.for_each(|step| {
            let region = stretch.program.region(step.instruction);
            let cycles = stretch.program.cycles(step.instruction);
            let used = ram_use(&step);
            let (mut ready, mut edges) = (PathInRegion::START, 0);
            values.sources(&step, |source| {
                if source.region == region {
                    ready = ready.latest(source);
                    edges += 1;
                }
            });
            let lengths = ready.lengths.then(cycles, used.accesses > 0);
            values.complete(&step, ready, PathInRegion { region, lengths });
            let totals = &mut totals[region as usize];
            totals.vertices += 1;
            totals.edges += edges;
            totals.work += cycles;
            totals.memory_work += u64::from(used.accesses);
            if used.accesses == 0 {
                totals.non_memory_costs[step.operation.hart as usize] += cycles;
            }
            totals.bytes_moved += used.bytes;
            totals.deepest = totals.deepest.latest(lengths);
        });
    }

    fn finish(self: Box<Self>, run: &Run<'_>, counted: &mut Counted) {
        for (region, totals) in counted.regions.iter_mut().zip(&self.totals) {
            region.edag = totals.edag(run.has_addresses);
        }
    }
}

impl Totals {
    fn edag(&self, has_addresses: bool) -> Edag {
        Edag {
            vertices: self.vertices,
            edges: self.edges,
            work: self.work,
            depth: self.deepest.depth(),
            memory: has_addresses.then_some(EdagMemory {
                work: self.memory_work,
                depth: self.deepest.memory_depth(),
                non_memory_cost: self.non_memory_costs.iter().copied().max().unwrap_or(0),
                non_memory_span: self.deepest.non_memory_span(),
                bytes_moved: Some(self.bytes_moved),
            }),
        }
    }
}
