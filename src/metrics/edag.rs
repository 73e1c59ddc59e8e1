//! Work, depth and memory of the eDAG, and its data movement over the as-soon-as-possible schedule (guide:
//! dynamic-model, "Work and depth", "Data movement").

use super::by_latency;
use super::counted::Counted;
use super::edag_totals::{EdagTotals, Longest};
use super::entry::Entry;
use super::metric::{Metric, Program, Run, Stretch};
use super::ram::RamUse;
use super::report::Edag;
use crate::dataflow::{
    Accessed, BlockOperation, BlockRun, Lanes, PathLengths, Rules, Step, Through, Values, Visitor,
};
use crate::trace::InstructionId;

pub(super) const ENTRY: Entry = Entry {
    name: "edag",
    meaning: "work, depth and RAM accesses of the execution DAG, and bytes moved over its schedule",
    make: |asked| {
        let meter = || Box::new(EdagMeter::new(asked.settings.rules)) as Box<dyn Metric>;
        Ok((!by_latency::counts_edag(asked.settings)).then(meter))
    },
};

/// Follows the longest paths.
pub(super) struct EdagMeter {
    values: Values<PathLengths>,
    deepest: PathLengths,
    totals: EdagTotals,
    /// Cycles of each instruction, a whole number.
    costs: Vec<f64>,
}

const NOTHING: RamUse = RamUse {
    accesses: 0,
    bytes: 0,
    left_nearest: false,
};

impl EdagMeter {
    pub fn new(rules: Rules) -> EdagMeter {
        EdagMeter {
            values: Values::new(rules),
            deepest: PathLengths::default(),
            totals: EdagTotals::default(),
            costs: Vec::new(),
        }
    }

    /// Takes the next stretch; `used` says what the accesses of a step took.
    #[inline(always)]
    pub fn follow(
        &mut self,
        stretch: &Stretch<'_>,
        used: impl FnMut(&Accessed<'_, RamUse>) -> RamUse,
    ) {
        let EdagMeter {
            values,
            deepest,
            totals,
            costs,
        } = self;
        let mut ram = RamFollower {
            totals,
            cycles: &stretch.program.cycles,
        };
        let mut follower = Follower {
            values,
            deepest,
            edges: 0,
            ram: &mut ram,
            costs,
            used,
        };
        stretch.for_each_piece(&mut follower);
        let edges = follower.edges;
        totals.edges += edges;
    }

    /// Makes room for an instruction.
    pub fn add_instruction(&mut self, program: &Program) {
        let (instruction, _) = program.last();
        self.values.add_hart(instruction.hart);
        self.totals.add_hart(instruction.hart);
        let cycles = program.cycles.last().copied().unwrap_or(0);
        self.costs.push(cycles as f64);
    }

    fn longest(&self) -> Longest {
        Longest {
            depth: self.deepest.depth(),
            non_memory_span: self.deepest.non_memory_span(),
            memory_depth: self.deepest.memory_depth(),
        }
    }

    /// The graph once the run is over.
    pub fn edag(&self, run: &Run<'_>) -> Edag {
        self.totals.edag(run, self.longest())
    }
}

/// Follows the paths through a stretch.
struct Follower<'a, 'r, F> {
    values: &'a mut Values<PathLengths>,
    deepest: &'a mut PathLengths,
    edges: u64,
    ram: &'a mut RamFollower<'r>,
    costs: &'a [f64],
    used: F,
}

/// Counts what went to RAM.
struct RamFollower<'a> {
    totals: &'a mut EdagTotals,
    cycles: &'a [u64],
}

impl RamFollower<'_> {
    /// Counts what an instruction took whose operands were there then; returns the paths behind it. With caches that is
    /// seldom, and so is saving registers for it.
    #[cold]
    #[inline(never)]
    fn add(
        &mut self,
        (instruction, hart): (InstructionId, u16),
        ready: PathLengths,
        used: RamUse,
    ) -> PathLengths {
        let cycles = self.cycles[instruction.0 as usize];
        self.totals.add((hart, cycles), ready.depth(), used);
        ready.then(cycles, used.accesses > 0)
    }
}

impl<F: FnMut(&Accessed<'_, RamUse>) -> RamUse> Visitor<RamUse> for Follower<'_, '_, F> {
    #[inline(always)]
    fn step(&mut self, step: &Step<'_, RamUse>) {
        let used = step.accessed.as_ref().map_or(NOTHING, &mut self.used);
        let ready = self.values.ready(step);
        let done = if used == NOTHING {
            ready.pass(self.costs[step.instruction.0 as usize])
        } else {
            let own = (step.instruction, step.operation.hart);
            self.ram.add(own, ready, used)
        };
        self.values.complete(step, ready, done);
        self.edges += u64::from(step.edges);
        *self.deepest = self.deepest.latest(done);
    }

    #[inline(always)]
    fn block(&mut self, mut run: BlockRun<'_, '_, RamUse>) {
        let mut paths = Paths {
            deepest: *self.deepest,
            hart: run.block.hart(),
            ram: self.ram,
            costs: self.costs,
            used: &mut self.used,
        };
        self.values.run(&mut run, &mut paths);
        *self.deepest = paths.deepest;
        self.edges += u64::from(run.edges);
    }
}

/// The paths through a block.
struct Paths<'a, 'f, F> {
    deepest: PathLengths,
    hart: u16,
    ram: &'a mut RamFollower<'f>,
    costs: &'a [f64],
    used: &'a mut F,
}

impl<F> Paths<'_, '_, F> {
    #[inline(always)]
    fn note(&mut self, operation: &BlockOperation, done: PathLengths) -> PathLengths {
        if !operation.is_read {
            self.deepest = self.deepest.latest(done);
        }
        done
    }
}

impl<F: FnMut(&Accessed<'_, RamUse>) -> RamUse> Through<PathLengths, RamUse> for Paths<'_, '_, F> {
    #[inline(always)]
    fn latest(&mut self, own: PathLengths, other: PathLengths) -> PathLengths {
        own.latest(other)
    }

    #[inline(always)]
    fn operation(&mut self, operation: &BlockOperation, ready: PathLengths) -> PathLengths {
        let done = ready.pass(self.costs[operation.instruction.0 as usize]);
        self.note(operation, done)
    }

    #[inline(always)]
    fn access(
        &mut self,
        operation: &BlockOperation,
        accessed: &Accessed<'_, RamUse>,
        ready: PathLengths,
    ) -> PathLengths {
        let used = (self.used)(accessed);
        if used == NOTHING {
            return self.operation(operation, ready);
        }
        let done = self
            .ram
            .add((operation.instruction, self.hart), ready, used);
        self.note(operation, done)
    }
}

impl Metric for EdagMeter {
    fn add(&mut self, program: &Program) {
        self.add_instruction(program);
    }

    fn take(&mut self, stretch: &Stretch<'_>) {
        self.follow(stretch, |accessed| accessed.used);
    }

    fn finish(self: Box<Self>, run: &Run<'_>, counted: &mut Counted) {
        counted.edag = self.edag(run);
        counted.movement = self.totals.movement(run, self.deepest.depth());
    }
}
