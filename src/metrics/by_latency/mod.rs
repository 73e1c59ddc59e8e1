//! The depth as a function of the latency of RAM, or of the time that a byte takes: for all values at once, from one pass
//! (guide: dynamic-model, "Depth for every latency").

mod charge;
mod depth;
mod hulls;

use super::counted::{Counted, RegionId};
use super::edag_totals::{EdagTotals, Longest};
use super::entry::Entry;
use super::metric::{Metric, Program, Run, Stretch, ram_use};
use super::ram::RamUse;
use super::settings::Settings;
use crate::dataflow::{
    Accessed, BlockOperation, BlockRun, Held, Places, Rules, Step, Through, Values, Visitor,
};

use charge::{ByByte, Charge, Each, Sums};
pub use depth::{DepthByLatency, GROWTHS, Piece, from, height, reaches};
use hulls::{Envelope, Hulls};

pub(super) const ENTRY: Entry = Entry {
    name: "depth_by_latency",
    meaning: "the depth as a function of the latency of RAM accesses",
    make: |asked| {
        let (rules, by_region) = (asked.settings.rules, asked.by_region);
        let meter = || {
            let meter = LatencyMeter::new(rules, by_region, Each);
            Box::new(meter.counting(cycles_of_each(asked.settings))) as Box<dyn Metric>
        };
        Ok(asked.settings.by_latency.then(meter))
    },
};

pub(super) const BANDWIDTH: Entry = Entry {
    name: "depth_by_bandwidth",
    meaning: "the depth as a function of the time that a byte takes from or to RAM",
    make: |asked| {
        let (rules, by_region) = (asked.settings.rules, asked.by_region);
        let meter = |latency| {
            let charge = ByByte { latency };
            Box::new(LatencyMeter::new(rules, by_region, charge)) as Box<dyn Metric>
        };
        Ok(asked.settings.by_bandwidth.map(meter))
    },
};

/// A trace whose paths are too long for an [`Envelope`] with so many cycles a vertex would take days.
const MOST_CYCLES: u64 = 1;

/// Whether the depth for every latency comes with all that is counted of the eDAG.
pub(super) fn counts_edag(settings: &Settings) -> bool {
    settings.by_latency && cycles_of_each(settings).is_some()
}

/// What an access to RAM takes on the eDAG, if all vertices take as many cycles: with that latency, the depth is that of the
/// eDAG. `None` also for so many that long paths would have more cycles than an [`Envelope`] holds.
fn cycles_of_each(settings: &Settings) -> Option<u64> {
    let cycles = settings.costs.of_all().map(u64::from);
    cycles.filter(|cycles| *cycles <= MOST_CYCLES)
}

/// Follows the envelope of all paths, and of those that stay within a region.
struct LatencyMeter<C> {
    charge: C,
    sums: Sums,
    hulls: Hulls,
    values: Values<Envelope>,
    /// Of all values but those that are unread.
    deepest: Envelope,
    /// By hart, registers whose values nobody has read: whoever reads one is deeper.
    unread: Vec<Places>,
    regions: Option<Regions>,
    edag: Option<CountedEdag>,
}

/// What else is counted of the eDAG whose accesses to RAM each take so many cycles.
struct CountedEdag {
    cycles: u64,
    totals: EdagTotals,
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

impl<C: Charge> LatencyMeter<C> {
    fn new(rules: Rules, by_region: bool, charge: C) -> LatencyMeter<C> {
        LatencyMeter {
            charge,
            sums: Sums::default(),
            hulls: Hulls::new(),
            values: Values::new(rules),
            deepest: Envelope::START,
            unread: Vec::new(),
            regions: by_region.then(|| Regions {
                values: Values::new(rules),
                deepest: Vec::new(),
            }),
            edag: None,
        }
    }

    /// The same that counts the eDAG too, if each of its vertices takes so many cycles.
    fn counting(self, cycles: Option<u64>) -> LatencyMeter<C> {
        let totals = EdagTotals::default();
        LatencyMeter {
            edag: cycles.map(|cycles| CountedEdag { cycles, totals }),
            ..self
        }
    }

    /// Forgets what no value needs any more.
    #[cold]
    fn forget(&mut self) {
        let mut marks = self.hulls.mark();
        self.for_each_envelope(&mut |envelope| marks.add(*envelope));
        let renamed = self.hulls.forget(marks);
        self.for_each_envelope(&mut |envelope| renamed.rename(envelope));
        self.hulls.take_back(renamed);
    }

    fn for_each_envelope(&mut self, visit: &mut dyn FnMut(&mut Envelope)) {
        self.values.for_each_value(visit);
        visit(&mut self.deepest);
        if let Some(Regions { values, deepest }) = &mut self.regions {
            values.for_each_value(&mut |own| visit(&mut own.envelope));
            deepest.iter_mut().for_each(visit);
        }
    }

    /// What is left at the end nobody reads.
    fn deepen_by_unread(&mut self) {
        let LatencyMeter {
            hulls,
            values,
            deepest,
            unread,
            ..
        } = self;
        let harts = (0..).zip(unread.iter());
        let registers = harts.flat_map(|(hart, unread)| values.registers(hart, *unread));
        let memory = values.memory().filter_map(Envelope::unread);
        *deepest =
            (registers.chain(memory)).fold(*deepest, |deepest, own| hulls.latest(own, deepest));
    }

    /// The longest paths where an access to RAM takes so many cycles.
    fn longest(&self, cycles: u64) -> Longest {
        let LatencyMeter { hulls, deepest, .. } = self;
        Longest {
            depth: hulls.height(*deepest, cycles),
            non_memory_span: hulls.height(*deepest, 0),
            memory_depth: hulls.lines(*deepest).last().map_or(0, |line| line.memory),
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

impl CountedEdag {
    /// Counts what an instruction took whose operands were there then.
    #[cold]
    #[inline(never)]
    fn add(&mut self, hart: u16, hulls: &Hulls, ready: Envelope, used: RamUse) {
        let start = hulls.height(ready, self.cycles);
        self.totals.add((hart, self.cycles), start, used);
    }
}

/// Follows all paths through a stretch.
struct Follower<'a, C> {
    charge: C,
    sums: &'a mut Sums,
    hulls: &'a mut Hulls,
    values: &'a mut Values<Envelope>,
    deepest: &'a mut Envelope,
    unread: &'a mut [Places],
    cycles: &'a [u64],
    edag: Option<&'a mut CountedEdag>,
    edges: u64,
}

impl<C: Charge> Visitor<RamUse> for Follower<'_, C> {
    #[inline(always)]
    fn step(&mut self, step: &Step<'_, RamUse>) {
        let cycles = self.cycles[step.instruction.0 as usize];
        let used = ram_use(step);
        let ready = (self.values).ready_by(step, &mut |a, b| self.hulls.latest(a, b));
        let ready = self.hulls.merged(ready);
        self.edges += u64::from(step.edges);
        if used != RamUse::default()
            && let Some(edag) = &mut self.edag
        {
            edag.add(step.operation.hart, self.hulls, ready, used);
        }
        let done = self.charge.then(ready, cycles, used, self.sums);
        let mut latest = |a, b| self.hulls.latest(a, b);
        // Nobody may have read what it overwrites.
        let unread = &mut self.unread[step.operation.hart as usize];
        let overwritten = step.overwritten();
        let lost = self
            .values
            .registers(step.operation.hart, *unread & overwritten);
        let lost = lost.chain(self.values.overwritten(step).and_then(Envelope::unread));
        *self.deepest = lost.fold(*self.deepest, &mut latest);
        *unread &= !overwritten;
        self.values.complete_by(step, ready, done, &mut latest);
        *self.deepest = latest(done, *self.deepest);
    }

    #[inline(always)]
    fn block(&mut self, mut run: BlockRun<'_, '_, RamUse>) {
        if self.hulls.has_many_unions() {
            merge_unions(self.values, self.hulls);
        }
        let hart = run.block.hart();
        let unread = &mut self.unread[hart as usize];
        let (lost, left) = run.block.pass_unread(*unread);
        *unread = left;
        let mut paths = Paths {
            charge: self.charge,
            sums: self.sums,
            hulls: self.hulls,
            deepest: *self.deepest,
            cycles: self.cycles,
            hart,
            edag: self.edag.as_deref_mut(),
        };
        self.edges += u64::from(run.edges);
        for lost in self.values.registers(hart, lost) {
            paths.deepen(lost);
        }
        self.values.run(&mut run, &mut paths);
        *self.deepest = paths.deepest;
    }
}

/// Gives every register a shape of its own; memory has no others.
#[cold]
#[inline(never)]
fn merge_unions(values: &mut Values<Envelope>, hulls: &mut Hulls) {
    values.for_each_register(|own| *own = hulls.merged(*own));
    hulls.forget_unions();
}

/// All paths through a block.
struct Paths<'a, C> {
    charge: C,
    sums: &'a mut Sums,
    hulls: &'a mut Hulls,
    deepest: Envelope,
    cycles: &'a [u64],
    hart: u16,
    edag: Option<&'a mut CountedEdag>,
}

impl<C: Charge> Paths<'_, C> {
    #[inline(always)]
    fn then(&mut self, operation: &BlockOperation, ready: Envelope, used: RamUse) -> Envelope {
        let cycles = self.cycles[operation.instruction.0 as usize];
        self.charge.then(ready, cycles, used, self.sums)
    }

    /// Of a value that nobody reads.
    #[inline(always)]
    fn deepen(&mut self, value: Envelope) {
        self.deepest = self.hulls.latest(value, self.deepest);
    }
}

impl<C: Charge> Through<Envelope, RamUse> for Paths<'_, C> {
    #[inline(always)]
    fn latest(&mut self, own: Envelope, other: Envelope) -> Envelope {
        self.hulls.unite(own, other)
    }

    #[inline(always)]
    fn operation(&mut self, operation: &BlockOperation, ready: Envelope) -> Envelope {
        let done = self.then(operation, ready, RamUse::default());
        if !operation.is_read && !operation.is_kept {
            self.deepen(done);
        }
        done
    }

    #[inline(always)]
    fn access(
        &mut self,
        operation: &BlockOperation,
        accessed: &Accessed<'_, RamUse>,
        mut ready: Envelope,
    ) -> Envelope {
        if accessed.used != RamUse::default()
            && let Some(edag) = &mut self.edag
        {
            ready = self.hulls.merged(ready);
            edag.add(self.hart, self.hulls, ready, accessed.used);
        }
        let done = self.then(operation, ready, accessed.used);
        if !operation.is_read && !operation.is_kept && !accessed.is_written() {
            self.deepen(done);
        }
        done
    }

    #[inline(always)]
    fn read(&mut self, kept: &mut [u64; 2]) -> Envelope {
        Envelope::read(kept)
    }

    #[inline(always)]
    fn write(&mut self, kept: &mut [u64; 2], done: Envelope) {
        if let Some(lost) = Envelope::unread(kept) {
            self.deepen(lost);
        }
        *kept = self.hulls.merged(done).keep();
    }
}

impl<C: Charge> Metric for LatencyMeter<C> {
    fn add(&mut self, program: &Program) {
        let (instruction, region) = program.last();
        self.values.add_hart(instruction.hart);
        if let Some(edag) = &mut self.edag {
            edag.totals.add_hart(instruction.hart);
        }
        while self.unread.len() <= instruction.hart as usize {
            self.unread.push(0);
        }
        if let Some(Regions { values, deepest }) = &mut self.regions {
            values.add_hart(instruction.hart);
            if deepest.len() <= region as usize {
                deepest.resize(region as usize + 1, Envelope::START);
            }
        }
    }

    fn take(&mut self, stretch: &Stretch<'_>) {
        if !C::fits(&self.sums) {
            return;
        }
        let LatencyMeter {
            charge,
            sums,
            hulls,
            values,
            deepest,
            unread,
            regions,
            edag,
        } = self;
        let mut follower = Follower {
            charge: *charge,
            sums,
            hulls,
            values,
            deepest,
            unread,
            cycles: &stretch.program.cycles,
            edag: edag.as_mut(),
            edges: 0,
        };
        stretch.for_each_piece(&mut follower);
        let edges = follower.edges;
        merge_unions(values, hulls);
        hulls.next_stretch();
        if let Some(edag) = edag {
            edag.totals.edges += edges;
        }
        if let Some(regions) = regions {
            regions.take(stretch, hulls, *charge);
        }
        if self.hulls.is_full() {
            self.forget();
        }
    }

    fn finish(mut self: Box<Self>, run: &Run<'_>, counted: &mut Counted) {
        if !C::fits(&self.sums) {
            return;
        }
        self.deepen_by_unread();
        if let Some(CountedEdag { cycles, totals }) = self.edag.take() {
            let longest = self.longest(cycles);
            counted.edag = totals.edag(run, longest);
            counted.movement = totals.movement(run, longest.depth);
        }
        if !run.has_addresses {
            return;
        }
        *C::of_trace(counted) = Some(self.depth(self.deepest));
        let own = self.regions.iter().flat_map(|regions| &regions.deepest);
        for (region, deepest) in counted.regions.iter_mut().zip(own) {
            *C::of_region(&mut region.detail) = Some(self.depth(*deepest));
        }
    }
}

impl Regions {
    fn take(&mut self, stretch: &Stretch<'_>, hulls: &mut Hulls, charge: impl Charge) {
        let Regions { values, deepest } = self;
        stretch.for_each(|step| {
            let region = stretch.program.region(step.instruction);
            let cycles = stretch.program.cycles(step.instruction);
            let mut ready = Envelope::START;
            values.sources(&step, |source| {
                if source.region == region {
                    ready = hulls.latest(ready, source.envelope);
                }
            });
            // The walk over the whole trace has counted it.
            let mut counted = Sums::default();
            let envelope = charge.then(ready, cycles, ram_use(&step), &mut counted);
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
