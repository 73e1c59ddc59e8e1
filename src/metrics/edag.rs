//! Work, depth and memory of the eDAG, and its data movement over the as-soon-as-possible schedule (guide:
//! dynamic-model, "Work and depth", "Data movement").

use super::counted::Counted;
use super::entry::Entry;
use super::metric::{Metric, Program, Run, Stretch, ram_use};
use super::movement::MovementMeter;
use super::ram::RamUse;
use super::report::{Edag, EdagMemory};
use crate::dataflow::{Lanes, PathLengths, Rules, Step, Values};

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
}

#[derive(Clone, Copy, Default)]
struct Totals {
    edges: u64,
    memory_work: u64,
    bytes_moved: u64,
    deepest: PathLengths,
}

impl EdagMeter {
    pub fn new(rules: Rules) -> EdagMeter {
        EdagMeter {
            values: Values::new(rules),
            totals: Totals::default(),
            ram_cycles: Vec::new(),
            movement: MovementMeter::default(),
        }
    }

    /// Takes the next stretch; `used` says what the accesses of a step took.
    #[inline(always)]
    pub fn follow(
        &mut self,
        stretch: &Stretch<'_>,
        mut used: impl FnMut(&Step<'_, RamUse>) -> RamUse,
    ) {
        let EdagMeter {
            values,
            totals,
            ram_cycles,
            movement,
        } = self;
        // A copy, so that it stays in registers.
        let mut sums = *totals;
        let cycles = &stretch.program.cycles[..];
        stretch.for_each(|step| {
            let cycles = cycles[step.instruction.0 as usize];
            let used = used(&step);
            let ready = values.ready(&step);
            let done = ready.then(cycles, used.accesses > 0);
            values.complete(&step, ready, done);
            sums.edges += u64::from(step.edges);
            sums.deepest = sums.deepest.latest(done);
            if used.accesses > 0 {
                sums.memory_work += u64::from(used.accesses);
                ram_cycles[step.operation.hart as usize] += cycles;
            }
            if used.bytes > 0 {
                sums.bytes_moved += used.bytes;
                movement.add(ready.depth, used.bytes);
            }
        });
        *totals = sums;
    }

    /// Makes room for a hart; to be called before its first instruction.
    pub fn add_hart(&mut self, hart: u16) {
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
            depth: totals.deepest.memory_depth,
            non_memory_cost: self.non_memory_cost(run),
            non_memory_span: totals.deepest.non_memory_span,
            bytes_moved: Some(totals.bytes_moved),
        };
        Edag {
            vertices: vertices().map(|((count, _), _)| count).sum(),
            edges: totals.edges,
            work,
            depth: totals.deepest.depth,
            memory: run.has_addresses.then_some(memory),
        }
    }
}

impl Metric for EdagMeter {
    fn add(&mut self, program: &Program) {
        self.add_hart(program.last().0.hart);
    }

    fn take(&mut self, stretch: &Stretch<'_>) {
        self.follow(stretch, ram_use);
    }

    fn finish(self: Box<Self>, run: &Run<'_>, counted: &mut Counted) {
        counted.edag = self.edag(run);
        counted.movement = run
            .has_addresses
            .then(|| self.movement.finish(self.totals.deepest.depth));
    }
}
