//! The depth as a function of the latency of RAM: for every latency at once, from one pass (guide: dynamic-model, "Depth
//! for every latency").

mod depth;
mod hulls;

use super::counted::{Counted, RegionId};
use super::entry::Entry;
use super::metric::{Metric, Program, Run, Stretch, ram_use};
use super::ram::RamUse;
use crate::dataflow::{
    Accessed, BlockOperation, BlockRun, Held, Rules, Step, Through, Values, Visitor,
};

pub use depth::{DepthByLatency, GROWTHS, Piece, from, height, reaches};
use hulls::{Envelope, Hulls};

pub(super) const ENTRY: Entry = Entry {
    name: "depth_by_latency",
    meaning: "the depth as a function of the latency of RAM accesses",
    make: |asked| {
        let (rules, by_region) = (asked.settings.rules, asked.by_region);
        let meter = || Box::new(LatencyMeter::new(rules, by_region)) as Box<dyn Metric>;
        Ok(asked.settings.by_latency.then(meter))
    },
};

/// Follows the envelope of all paths, and of those that stay within a region.
struct LatencyMeter {
    hulls: Hulls,
    values: Values<Envelope>,
    deepest: Envelope,
    regions: Option<Regions>,
}

struct Regions {
    values: Values<InRegion>,
    /// By region.
    deepest: Vec<Envelope>,
}

/// The envelope of the paths within the region of the value's producer.
#[derive(Clone, Copy)]
struct InRegion {
    region: RegionId,
    envelope: Envelope,
}

impl Held for InRegion {
    const START: InRegion = InRegion {
        region: RegionId::MAX,
        envelope: Envelope::START,
    };
    type Kept = (RegionId, [u64; 2]);

    #[inline(always)]
    fn keep(self) -> (RegionId, [u64; 2]) {
        (self.region, self.envelope.keep())
    }

    #[inline(always)]
    fn recall((region, envelope): (RegionId, [u64; 2])) -> InRegion {
        InRegion {
            region,
            envelope: Envelope::recall(envelope),
        }
    }
}

impl LatencyMeter {
    fn new(rules: Rules, by_region: bool) -> LatencyMeter {
        LatencyMeter::with(rules, by_region, Hulls::new())
    }

    fn with(rules: Rules, by_region: bool, hulls: Hulls) -> LatencyMeter {
        LatencyMeter {
            hulls,
            values: Values::new(rules),
            deepest: Envelope::START,
            regions: by_region.then(|| Regions {
                values: Values::new(rules),
                deepest: Vec::new(),
            }),
        }
    }

    /// Forgets what no value needs any more.
    #[cold]
    fn forget(&mut self) {
        let mut marks = self.hulls.mark();
        self.for_each_envelope(&mut |envelope| marks.add(*envelope));
        let renamed = self.hulls.forget(&marks);
        self.for_each_envelope(&mut |envelope| renamed.rename(envelope));
    }

    fn for_each_envelope(&mut self, visit: &mut dyn FnMut(&mut Envelope)) {
        self.values.for_each_value(visit);
        visit(&mut self.deepest);
        if let Some(Regions { values, deepest }) = &mut self.regions {
            values.for_each_value(&mut |own| visit(&mut own.envelope));
            deepest.iter_mut().for_each(visit);
        }
    }

    fn depth(&self, envelope: Envelope) -> DepthByLatency {
        let lines = self.hulls.lines(envelope);
        let piece = |line: hulls::Line| Piece {
            slope: line.memory,
            intercept: line.other,
        };
        DepthByLatency {
            pieces: lines.map(piece).collect(),
        }
    }
}

/// Follows all paths through a stretch.
struct Follower<'a> {
    hulls: &'a mut Hulls,
    values: &'a mut Values<Envelope>,
    deepest: &'a mut Envelope,
    cycles: &'a [u64],
}

impl Visitor<RamUse> for Follower<'_> {
    #[inline(always)]
    fn step(&mut self, step: &Step<'_, RamUse>) {
        let cycles = self.cycles[step.instruction.0 as usize];
        let to_ram = ram_use(step).accesses > 0;
        let hulls = &mut *self.hulls;
        let mut latest = |a, b| hulls.latest(a, b);
        let ready = self.values.ready_by(step, &mut latest);
        let done = ready.then(cycles, to_ram);
        self.values.complete_by(step, ready, done, &mut latest);
        *self.deepest = latest(done, *self.deepest);
    }

    #[inline(always)]
    fn block(&mut self, mut run: BlockRun<'_, '_, RamUse>) {
        let mut paths = Paths {
            hulls: self.hulls,
            deepest: *self.deepest,
            cycles: self.cycles,
        };
        self.values.run(&mut run, &mut paths);
        *self.deepest = paths.deepest;
    }
}

/// All paths through a block.
struct Paths<'a> {
    hulls: &'a mut Hulls,
    deepest: Envelope,
    cycles: &'a [u64],
}

impl Paths<'_> {
    #[inline(always)]
    fn then(&mut self, operation: &BlockOperation, ready: Envelope, to_ram: bool) -> Envelope {
        let done = ready.then(self.cycles[operation.instruction.0 as usize], to_ram);
        if !operation.is_read {
            self.deepest = self.hulls.latest(done, self.deepest);
        }
        done
    }
}

impl Through<Envelope, RamUse> for Paths<'_> {
    #[inline(always)]
    fn latest(&mut self, own: Envelope, other: Envelope) -> Envelope {
        self.hulls.latest(own, other)
    }

    #[inline(always)]
    fn operation(&mut self, operation: &BlockOperation, ready: Envelope) -> Envelope {
        self.then(operation, ready, false)
    }

    #[inline(always)]
    fn access(
        &mut self,
        operation: &BlockOperation,
        accessed: &Accessed<'_, RamUse>,
        ready: Envelope,
    ) -> Envelope {
        self.then(operation, ready, accessed.used.accesses > 0)
    }
}

impl Metric for LatencyMeter {
    fn add(&mut self, program: &Program) {
        let (instruction, region) = program.last();
        self.values.add_hart(instruction.hart);
        if let Some(Regions { values, deepest }) = &mut self.regions {
            values.add_hart(instruction.hart);
            if deepest.len() <= region as usize {
                deepest.resize(region as usize + 1, Envelope::START);
            }
        }
    }

    fn take(&mut self, stretch: &Stretch<'_>) {
        let LatencyMeter {
            hulls,
            values,
            deepest,
            regions,
        } = self;
        stretch.for_each_piece(&mut Follower {
            hulls,
            values,
            deepest,
            cycles: &stretch.program.cycles,
        });
        if let Some(regions) = regions {
            regions.take(stretch, hulls);
        }
        if self.hulls.is_full() {
            self.forget();
        }
    }

    fn finish(self: Box<Self>, run: &Run<'_>, counted: &mut Counted) {
        if !run.has_addresses {
            return;
        }
        counted.depth_by_latency = Some(self.depth(self.deepest));
        let own = self.regions.iter().flat_map(|regions| &regions.deepest);
        for (region, deepest) in counted.regions.iter_mut().zip(own) {
            region.detail.depth_by_latency = Some(self.depth(*deepest));
        }
    }
}

impl Regions {
    fn take(&mut self, stretch: &Stretch<'_>, hulls: &mut Hulls) {
        let Regions { values, deepest } = self;
        stretch.for_each(|step| {
            let region = stretch.program.region(step.instruction);
            let cycles = stretch.program.cycles(step.instruction);
            let to_ram = ram_use(&step).accesses > 0;
            let mut ready = Envelope::START;
            values.sources(&step, |source| {
                if source.region == region {
                    ready = hulls.latest(ready, source.envelope);
                }
            });
            let envelope = ready.then(cycles, to_ram);
            let started = InRegion {
                region,
                envelope: ready,
            };
            let done = InRegion { region, envelope };
            // By region, dependences are true ones: no start is ever compared with another.
            values.complete_by(&step, started, done, &mut |_, later| later);
            let deepest = &mut deepest[region as usize];
            *deepest = hulls.latest(envelope, *deepest);
        });
    }
}
