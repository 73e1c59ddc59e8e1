//! An out-of-order core on the dataflow engine: window, issue width, ports and MSHRs, hit times and RAM
//! latency make of a program's dependences a timeline of its accesses (guide: dynamic-model, "The core
//! of C-AMAT").
//!
//! Instructions enter in program order, `width` a cycle, when the one a window before has retired. One
//! issues in the first cycle in which its operands are there and a slot is free; older ones choose first.
//! An access also needs a free port at every level it visits in the cycle in which it gets there, and
//! an MSHR at every level it misses, from the beginning of the look-up to the end of the miss; it starts when it
//! gets all of them, so that nothing queues half-way and the stay at one level is the miss of the level before. A
//! level all of whose MSHRs are held takes no access, not even a hit (Wang, Sun 2012, section IV.D). An access to a
//! line that is under way waits for it, a secondary miss, and starts no earlier than the primary one. Loads are done
//! with their data; stores go to a buffer and are done at once, while their access goes on. Retirement is in order.
//!
//! An access across lines of the nearest level is one to each of them; its data are there with the last.
//!
//! The trace passes once and is not held, so what can be used by so many at once is given out in program
//! order, for cycles to come: an older instruction that is ready later keeps its place, even where a younger one
//! would have been done before, and a younger one may slip in before. With ports that is what a core does that looks at one
//! cycle after the other, oldest first; where MSHRs or RAM bind, cycles differ from such a core's by a few per cent, and
//! AMAT, with very few MSHRs, by up to a fifth.
//!
//! Cycles of the timeline count from one.
//!
//! What is not modelled: branch prediction, instruction caches, functional units (each instruction of a class
//! takes its cycles, and all are pipelined), write-backs on their way to RAM, coherence. Which lines a cache holds follows
//! program order.

mod layouts;
mod memory;
mod resources;

use std::collections::VecDeque;

use crate::cache::CacheSpec;
use crate::cache::hierarchy::HierarchyError;
use crate::dataflow::{Accessed, Held, Lanes, Rules, Step, Values};

use super::timeline::TimelineSink;
pub(crate) use layouts::{Layouts, TOGETHER};
use memory::{Memory, Request};
use resources::Slots;

/// The least and the most cycles per instruction of this core over those of ChampSim, of 57 traces (guide: accuracy-traces,
/// "Figures of runs, measured against a core").
pub const CPI_OVER_CHAMPSIM: (f64, f64) = (0.24, 1.8);

/// The same in words, for whoever reads a CPI of `whose`.
pub fn cpi_band(whose: &str) -> String {
    let (least, most) = CPI_OVER_CHAMPSIM;
    format!(
        "over 57 traces its cycles for an instruction were {least} to {most} times those of ChampSim, so read a CPI x of \
         {whose} as x/{most} to x/{least}"
    )
}

/// The machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoreModel {
    /// W: instructions between the oldest that has not retired and the youngest that has entered.
    pub window: usize,
    /// Instructions that enter, and that issue, in a cycle.
    pub width: u32,
    /// Nearest first.
    pub levels: Vec<LevelModel>,
    /// Cycles from the last level's miss to the data.
    pub ram: u64,
    /// Addresses that are farther away, or nearer: ascending, none in two.
    pub places: Vec<Place>,
    /// Cycles between two accesses that RAM takes up: a line over its bandwidth; 0 for as many as come. Waiting
    /// for RAM is part of the miss.
    pub ram_interval: u64,
    /// The same of the memory that `places` are in: a memory of its own, beside RAM.
    pub far_interval: u64,
    /// Levels from this one on, counted from 0, belong to all harts; those before are each hart's own.
    pub first_shared: usize,
    /// Whether a store is done only with its access.
    pub blocking_stores: bool,
}

/// Addresses `low..high`, and cycles from the last level's miss to their data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub low: u64,
    pub high: u64,
    pub cycles: u64,
    /// Which of its pages are there.
    pub pages: Pages,
}

/// Bytes of the pages that are interleaved.
pub const PAGE: u64 = 4096;

/// Of every 100 pages so many, spread evenly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pages {
    percent: u64,
}

impl Pages {
    pub const ALL: Pages = Pages { percent: 100 };

    /// `None` where it is more than all.
    pub fn percent(percent: u64) -> Option<Pages> {
        (percent <= 100).then_some(Pages { percent })
    }

    /// The share in percent.
    pub fn in_percent(self) -> u64 {
        self.percent
    }

    /// Whether the page of an address is one of them.
    fn hold(self, address: u64) -> bool {
        // A page is one where the whole number of those so far grows.
        let before = address / PAGE % 100 * self.percent;
        before % 100 + self.percent >= 100
    }
}

impl Place {
    fn holds(&self, address: u64) -> bool {
        address < self.high && self.pages.hold(address)
    }
}

impl CoreModel {
    /// The place that an address is in, if it is not RAM.
    fn place_of(&self, address: u64) -> Option<&Place> {
        let after = self.places.partition_point(|place| place.low <= address);
        let place = after.checked_sub(1).map(|number| &self.places[number]);
        place.filter(|place| place.holds(address))
    }
}

/// One cache level of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LevelModel {
    pub spec: CacheSpec,
    /// H: cycles of a look-up; look-ups are pipelined.
    pub hit: u64,
    /// Accesses that can start in a cycle.
    pub ports: u32,
    /// Misses that can be under way.
    pub mshrs: u32,
}

/// What a run took.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct CoreCycles {
    pub instructions: u64,
    /// Until the last instruction of the slowest hart has retired.
    pub cycles: u64,
    /// Cycles of all harts, each from its first instruction to its last.
    pub hart_cycles: u64,
    /// The same if every access hit the nearest level.
    pub perfect_cycles: u64,
}

/// The cycle from which a value can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cycle(u64);

impl Held for Cycle {
    const START: Cycle = Cycle(0);
    type Kept = u64;

    #[inline(always)]
    fn keep(self) -> u64 {
        self.0
    }

    #[inline(always)]
    fn recall(kept: u64) -> Cycle {
        Cycle(kept)
    }
}

impl Lanes for Cycle {
    #[inline(always)]
    fn latest(self, other: Cycle) -> Cycle {
        Cycle(self.0.max(other.0))
    }
}

impl CoreCycles {
    /// Of a machine, beside which its perfect twin took so many cycles.
    pub(crate) fn of(machine: &Machine, perfect_cycles: u64) -> CoreCycles {
        CoreCycles {
            instructions: machine.executed,
            cycles: machine.cycles(),
            hart_cycles: machine.hart_cycles(),
            perfect_cycles,
        }
    }
}

/// For the machine whose timeline nobody asks for.
pub(crate) struct Nobody;

impl TimelineSink for Nobody {
    fn access(&mut self, _: &super::timeline::TimedAccess) {}
    fn settled(&mut self, _: u64) {}
}

/// The machine at work.
pub(crate) struct Machine {
    model: CoreModel,
    values: Values<Cycle>,
    cores: Vec<Core>,
    memory: Memory,
    executed: u64,
}

/// One hart's pipeline.
struct Core {
    /// Cycles in which the last instructions entered, `width` of them.
    entered: VecDeque<u64>,
    /// Cycles in which the last instructions retired, a window of them.
    retired: VecDeque<u64>,
    issue: Slots,
    /// The cycle from which it runs.
    from: u64,
    /// Number of the last executed instruction.
    last: u64,
    /// No later instruction of it enters before.
    settled: u64,
}

impl Core {
    fn new(model: &CoreModel, from: u64) -> Core {
        let (entered, retired) = (VecDeque::new(), VecDeque::new());
        Core {
            entered,
            retired,
            issue: Slots::new(model.width),
            from,
            last: 0,
            settled: from,
        }
    }

    /// The cycle in which the next instruction enters.
    fn enter(&mut self, model: &CoreModel) -> u64 {
        let mut enter = self.settled;
        if self.retired.len() == model.window {
            enter = enter.max(self.retired.pop_front().unwrap_or(0));
        }
        if self.entered.len() == model.width as usize {
            enter = enter.max(self.entered.pop_front().unwrap_or(0) + 1);
        }
        self.entered.push_back(enter);
        self.settled = enter;
        enter
    }

    fn retire(&mut self, done: u64) {
        let retire = self.retired.back().map_or(done, |last| done.max(*last));
        self.retired.push_back(retire);
    }
}

/// A hart that has executed nothing for so many instructions of the program does not hold up what is settled.
const ASLEEP: u64 = 100_000;
/// How often what is settled is looked at, in instructions.
const ROUND: u64 = 256;

impl Machine {
    /// # Errors
    /// The levels are not a cache hierarchy.
    pub fn real(model: &CoreModel, rules: Rules) -> Result<Machine, HierarchyError> {
        Ok(Machine::new(model, rules, Memory::new(model)?))
    }

    /// The same with a perfect nearest level.
    pub fn perfect(model: &CoreModel, rules: Rules) -> Machine {
        Machine::new(model, rules, Memory::perfect(model))
    }

    fn new(model: &CoreModel, rules: Rules, memory: Memory) -> Machine {
        Machine {
            model: model.clone(),
            values: Values::new(rules),
            cores: Vec::new(),
            memory,
            executed: 0,
        }
    }

    pub fn add_hart(&mut self, hart: u16) {
        self.values.add_hart(hart);
        while self.cores.len() <= hart as usize {
            self.cores
                .push(Core::new(&self.model, self.memory.settled()));
        }
        self.memory.add_hart(hart);
    }

    /// Executes the next instruction of the program order.
    pub fn step<U: Copy>(&mut self, step: &Step<'_, U>, cycles: u64, sink: &mut impl TimelineSink) {
        let hart = step.operation.hart;
        let core = &mut self.cores[hart as usize];
        // One that slept wakes up no earlier than what the others have settled.
        core.settled = core.settled.max(self.memory.settled());
        let enter = core.enter(&self.model);
        let ready = self.values.ready(step).0.max(enter);
        let accessed = step.accessed.filter(|own| !own.addresses.is_empty());
        let (started, available, done) = match accessed {
            None => {
                let issue = core.issue.first_free(ready);
                core.issue.take(issue);
                (issue, issue + cycles, issue + cycles)
            }
            Some(Accessed {
                access, addresses, ..
            }) => {
                let waits = access.kind.reads() || self.model.blocking_stores;
                let (mut first, mut last) = (u64::MAX, ready);
                for address in addresses {
                    let bytes = u32::from(access.bytes);
                    let request = Request {
                        hart,
                        address: *address,
                        bytes,
                        kind: access.kind,
                        ready,
                    };
                    let (start, end) = self.memory.access(request, &mut core.issue, sink);
                    first = first.min(start);
                    last = last.max(if waits { end } else { start + 1 });
                }
                (first, last, last)
            }
        };
        self.values.complete(step, Cycle(started), Cycle(available));
        core.retire(done);
        self.executed += 1;
        core.last = self.executed;
        if self.executed.is_multiple_of(ROUND) {
            self.settle(sink);
        }
    }

    /// Forgets what no later instruction can meet.
    fn settle(&mut self, sink: &mut impl TimelineSink) {
        let awake = self
            .cores
            .iter()
            .filter(|core| core.last > 0 && core.last + ASLEEP >= self.executed);
        let settled = awake.map(|core| core.settled).min().unwrap_or(0);
        for core in &mut self.cores {
            core.issue.forget_before(settled);
        }
        self.memory.settle(settled);
        sink.settled(settled + 1);
    }

    /// Until the last instruction of the slowest hart has retired.
    pub fn cycles(&self) -> u64 {
        self.cores
            .iter()
            .filter_map(|core| core.retired.back())
            .copied()
            .max()
            .unwrap_or(0)
    }

    /// Instructions so far.
    pub fn executed(&self) -> u64 {
        self.executed
    }

    /// Cycles of all harts.
    pub fn hart_cycles(&self) -> u64 {
        self.cores
            .iter()
            .filter_map(|core| Some(core.retired.back()? - core.from))
            .sum()
    }
}

#[cfg(test)]
mod tests;
