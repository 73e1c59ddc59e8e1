//! What is counted of the eDAG beside its longest paths, whoever follows these.

use super::metric::{Program, Run};
use super::movement::MovementMeter;
use super::ram::RamUse;
use super::report::{Edag, EdagMemory, Movement};

#[derive(Default)]
pub(super) struct EdagTotals {
    pub edges: u64,
    memory_work: u64,
    bytes_moved: u64,
    /// Cycles of the vertices that go to RAM, by hart.
    ram_cycles: Vec<u64>,
    movement: MovementMeter,
}

/// The longest paths.
#[derive(Clone, Copy, Debug)]
pub(super) struct Longest {
    /// Cycles of all vertices on the path.
    pub depth: u64,
    /// Cycles of the vertices that do not go to RAM.
    pub non_memory_span: u64,
    /// Vertices that go to RAM.
    pub memory_depth: u64,
}

impl EdagTotals {
    pub fn add_hart(&mut self, hart: u16) {
        let harts = self.ram_cycles.len().max(hart as usize + 1);
        self.ram_cycles.resize(harts, 0);
    }

    /// Counts what an instruction took that started in that cycle. With caches that is seldom, and so is saving registers
    /// for it.
    #[cold]
    #[inline(never)]
    pub fn add(&mut self, (hart, cycles): (u16, u64), start: u64, used: RamUse) {
        if used.accesses > 0 {
            self.ram_cycles[hart as usize] += cycles;
        }
        if used.bytes > 0 {
            self.movement.add(start, used.bytes);
        }
        self.memory_work += u64::from(used.accesses);
        self.bytes_moved += used.bytes;
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
    pub fn edag(&self, run: &Run<'_>, longest: Longest) -> Edag {
        let Program {
            cycles, is_omitted, ..
        } = run.program;
        let vertices = || {
            let counts = run.executions.iter().zip(cycles).zip(is_omitted);
            counts.filter(|(_, is_omitted)| !**is_omitted)
        };
        let work = vertices().map(|((count, cycles), _)| count * cycles).sum();
        let memory = EdagMemory {
            work: self.memory_work,
            depth: longest.memory_depth,
            non_memory_cost: self.non_memory_cost(run),
            non_memory_span: longest.non_memory_span,
            bytes_moved: Some(self.bytes_moved),
        };
        Edag {
            vertices: vertices().map(|((count, _), _)| count).sum(),
            edges: self.edges,
            work,
            depth: longest.depth,
            memory: run.has_addresses.then_some(memory),
        }
    }

    /// When bytes moved, in a schedule of so many cycles.
    pub fn movement(self, run: &Run<'_>, depth: u64) -> Option<Movement> {
        run.has_addresses.then(|| self.movement.finish(depth))
    }
}
