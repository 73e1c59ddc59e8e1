//! Work, depth and memory of the eDAG, and its data movement over the as-soon-as-possible schedule (dynamic.md
//! section 3).

use super::analysis::Counted;
use super::catalogue::Entry;
use super::metric::{Metric, Program, Run, Stretch, ram_use};
use super::movement::MovementMeter;
use super::report::{Edag, EdagMemory};
use crate::dataflow::{Lanes, PathLengths, Rules, Values};

pub(super) const ENTRY: Entry = Entry {
    name: "edag",
    meaning: "work, depth and RAM accesses of the execution DAG, and bytes moved over its schedule",
    make: |asked| Ok(Some(Box::new(EdagMeter::new(asked.settings.rules)))),
};

/// Follows the longest paths.
struct EdagMeter {
    values: Values<PathLengths>,
    edges: u64,
    memory_work: u64,
    /// Cycles of the vertices that go to RAM.
    ram_cycles: u64,
    bytes_moved: u64,
    deepest: PathLengths,
    movement: MovementMeter,
}

impl EdagMeter {
    fn new(rules: Rules) -> EdagMeter {
        EdagMeter {
            values: Values::new(rules),
            edges: 0,
            memory_work: 0,
            ram_cycles: 0,
            bytes_moved: 0,
            deepest: PathLengths::default(),
            movement: MovementMeter::default(),
        }
    }
}

impl Metric for EdagMeter {
    fn add(&mut self, program: &Program) {
        self.values.add_hart(program.last().0.hart);
    }

    fn take(&mut self, stretch: &Stretch<'_>) {
        let EdagMeter {
            values,
            edges,
            memory_work,
            ram_cycles,
            bytes_moved,
            deepest,
            movement,
        } = self;
        let cycles = &stretch.program.cycles[..];
        stretch.for_each(|step| {
            let cycles = cycles[step.instruction.0 as usize];
            let used = ram_use(&step);
            let ready = values.ready(&step);
            let done = ready.then(cycles, used.accesses > 0);
            values.complete(&step, ready, done);
            *edges += u64::from(step.edges);
            *deepest = deepest.latest(done);
            if used.accesses > 0 {
                *memory_work += u64::from(used.accesses);
                *ram_cycles += cycles;
            }
            if used.bytes > 0 {
                *bytes_moved += used.bytes;
                movement.add(ready.depth, used.bytes);
            }
        });
    }

    fn finish(self: Box<Self>, run: &Run<'_>, counted: &mut Counted) {
        let Program {
            executions,
            cycles,
            is_omitted,
            ..
        } = run.program;
        let vertices = || {
            let counts = executions.iter().zip(cycles).zip(is_omitted);
            counts.filter(|(_, is_omitted)| !**is_omitted)
        };
        let work = vertices().map(|((count, cycles), _)| count * cycles).sum();
        let memory = EdagMemory {
            work: self.memory_work,
            depth: self.deepest.memory_depth,
            non_memory_cost: work - self.ram_cycles,
            non_memory_span: self.deepest.non_memory_span,
            bytes_moved: self.bytes_moved,
        };
        counted.edag = Edag {
            vertices: vertices().map(|((count, _), _)| count).sum(),
            edges: self.edges,
            work,
            depth: self.deepest.depth,
            memory: run.has_addresses.then_some(memory),
        };
        counted.movement = run
            .has_addresses
            .then(|| self.movement.finish(self.deepest.depth));
    }
}
