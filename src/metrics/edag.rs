//! Work, depth and memory of the eDAG, and its data movement over the as-soon-as-possible schedule (guide:
//! dynamic-model, "Work and depth", "Data movement").

use super::counted::Counted;
use super::entry::Entry;
use super::metric::{Metric, Program, Run, Stretch};
use super::movement::MovementMeter;
use super::ram::RamUse;
use super::report::{Edag, EdagMemory};
use crate::dataflow::{
    Accessed, BlockOperation, BlockRun, Lanes, PathLengths, Rules, Step, Through, Values, Visitor,
};
use crate::trace::InstructionId;

pub(super) const ENTRY: Entry = Entry {
    name: "edag",
    meaning: "work, depth and RAM accesses of the execution DAG, and bytes moved over its schedule",
    make: |asked| Ok(Some(Box::new(EdagMeter::new(asked.settings.rules)))),
};

/// Follows the longest paths.
pub(super) struct EdagMeter {
    values: Values<PathLengths>,
    totals: Totals,
    /// Cycles of the vertices that go to RAM, by hart.
    ram_cycles: Vec<u64>,
    movement: MovementMeter,
    /// Cycles of each instruction, a whole number.
    costs: Vec<f64>,
}

#[derive(Clone, Copy, Default)]
struct Totals {
    edges: u64,
    memory_work: u64,
    bytes_moved: u64,
    deepest: PathLengths,
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
            totals: Totals::default(),
            ram_cycles: Vec::new(),
            movement: MovementMeter::default(),
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
            totals,
            ram_cycles,
            movement,
            costs,
        } = self;
        let mut ram = RamFollower {
            ram_cycles,
            movement,
            cycles: &stretch.program.cycles,
            memory_work: 0,
            bytes_moved: 0,
        };
        let mut follower = Follower {
            values,
            sums: totals,
            ram: &mut ram,
            costs,
            used,
        };
        stretch.for_each_piece(&mut follower);
        totals.memory_work += ram.memory_work;
        totals.bytes_moved += ram.bytes_moved;
    }

    /// Makes room for an instruction.
    pub fn add_instruction(&mut self, program: &Program) {
        let (instruction, _) = program.last();
        self.add_hart(instruction.hart);
        let cycles = program.cycles.last().copied().unwrap_or(0);
        self.costs.push(cycles as f64);
    }

    fn add_hart(&mut self, hart: u16) {
        self.values.add_hart(hart);
        let harts = self.ram_cycles.len().max(hart as usize + 1);
        self.ram_cycles.resize(harts, 0);
    }

    /// C: cycles of the vertices that do not go to RAM, of the hart with most of them; harts run side by side.
    fn non_memory_cost(&self, run: &Run<'_>) -> u64 {
        let Program {
            cycles,
            is_omitted,
            instructions,
            ..
        } = run.program;
        let mut costs = vec![0; self.ram_cycles.len()];
        for (number, count) in run.executions.iter().enumerate() {
            if !is_omitted[number] {
                costs[instructions[number].hart as usize] += count * cycles[number];
            }
        }
        let costs = costs.iter().zip(&self.ram_cycles);
        costs.map(|(all, ram)| all - ram).max().unwrap_or(0)
    }

    /// The graph once the run is over.
    pub fn edag(&self, run: &Run<'_>) -> Edag {
        let Program {
            cycles, is_omitted, ..
        } = run.program;
        let vertices = || {
            let counts = run.executions.iter().zip(cycles).zip(is_omitted);
            counts.filter(|(_, is_omitted)| !**is_omitted)
        };
        let work = vertices().map(|((count, cycles), _)| count * cycles).sum();
        let totals = self.totals;
        let memory = EdagMemory {
            work: totals.memory_work,
            depth: totals.deepest.memory_depth(),
            non_memory_cost: self.non_memory_cost(run),
            non_memory_span: totals.deepest.non_memory_span(),
            bytes_moved: Some(totals.bytes_moved),
        };
        Edag {
            vertices: vertices().map(|((count, _), _)| count).sum(),
            edges: totals.edges,
            work,
            depth: totals.deepest.depth(),
            memory: run.has_addresses.then_some(memory),
        }
    }
}

/// Follows the paths through a stretch.
struct Follower<'a, 'r, F> {
    values: &'a mut Values<PathLengths>,
    sums: &'a mut Totals,
    ram: &'a mut RamFollower<'r>,
    costs: &'a [f64],
    used: F,
}

/// Counts what went to RAM.
struct RamFollower<'a> {
    ram_cycles: &'a mut [u64],
    movement: &'a mut MovementMeter,
    cycles: &'a [u64],
    memory_work: u64,
    bytes_moved: u64,
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
        let to_ram = used.accesses > 0;
        if to_ram {
            self.ram_cycles[hart as usize] += cycles;
        }
        if used.bytes > 0 {
            self.movement.add(ready.depth(), used.bytes);
        }
        self.memory_work += u64::from(used.accesses);
        self.bytes_moved += used.bytes;
        ready.then(cycles, to_ram)
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
        self.sums.edges += u64::from(step.edges);
        self.sums.deepest = self.sums.deepest.latest(done);
    }

    #[inline(always)]
    fn block(&mut self, mut run: BlockRun<'_, '_, RamUse>) {
        let mut paths = Paths {
            deepest: self.sums.deepest,
            hart: run.block.hart(),
            ram: self.ram,
            costs: self.costs,
            used: &mut self.used,
        };
        self.values.run(&mut run, &mut paths);
        self.sums.deepest = paths.deepest;
        self.sums.edges += u64::from(run.edges);
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
        counted.movement = run
            .has_addresses
            .then(|| self.movement.finish(self.totals.deepest.depth()));
    }
}
