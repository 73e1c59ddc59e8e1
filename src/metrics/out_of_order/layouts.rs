//! The same machine with its memory laid out in many ways, all at once, and nearly: without ports, and without a limit of
//! how many instructions issue in a cycle. What is left differs between layouts by when values are there alone, so one walk
//! serves all, and an access that hits while nothing is under way costs each an addition.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::memory::{Memory, Request};
use super::{ASLEEP, CoreModel, Place, ROUND};
use crate::cache::hierarchy::HierarchyError;
use crate::dataflow::{Held, Lanes, Rules, Step, Values};

/// Layouts of one walk.
pub(crate) const TOGETHER: usize = 16;

/// A cycle in each layout: whole numbers, as floating point because processors find the larger of several at once only of
/// that.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cycles([f64; TOGETHER]);

impl Held for Cycles {
    const START: Cycles = Cycles([0.0; TOGETHER]);
    type Kept = [f64; TOGETHER];

    #[inline(always)]
    fn keep(self) -> [f64; TOGETHER] {
        self.0
    }

    #[inline(always)]
    fn recall(kept: [f64; TOGETHER]) -> Cycles {
        Cycles(kept)
    }
}

impl Lanes for Cycles {
    #[inline(always)]
    fn latest(self, other: Cycles) -> Cycles {
        let later = |lane: usize| {
            let (own, other) = (self.0[lane], other.0[lane]);
            if own > other { own } else { other }
        };
        Cycles(std::array::from_fn(later))
    }
}

impl Cycles {
    #[inline(always)]
    fn after(self, cycles: u64) -> Cycles {
        Cycles(self.0.map(|own| own + cycles as f64))
    }

    fn each(of: impl FnMut(usize) -> u64) -> Cycles {
        let mut of = of;
        Cycles(std::array::from_fn(|lane| of(lane) as f64))
    }

    /// Whether it is later in some layout.
    #[inline(always)]
    fn is_after_some(self, other: Cycles) -> bool {
        (self.0.iter().zip(other.0)).any(|(own, other)| *own > other)
    }

    #[inline(always)]
    fn at(self, lane: usize) -> u64 {
        self.0[lane] as u64
    }
}

/// The machines at work.
pub(crate) struct Layouts {
    model: CoreModel,
    /// How many of the lanes are layouts; the others do as the first does.
    count: usize,
    values: Values<Cycles>,
    harts: Vec<Hart>,
    /// Says which level has a line: the same in all layouts.
    caches: Memory,
    /// By layout, what of its memory is in use and when.
    memories: Vec<Memory>,
    /// Lines of the nearest level that are under way in some layout, until then.
    under_way: FxHashMap<u64, Cycles>,
    settled: Cycles,
    executed: u64,
}

/// One hart's pipeline in all layouts.
struct Hart {
    entered: VecDeque<Cycles>,
    retired: VecDeque<Cycles>,
    settled: Cycles,
    /// Number of the last executed instruction.
    last: u64,
}

/// Lines that are remembered before those that have arrived are forgotten.
const LINES: usize = 256;

impl Layouts {
    /// Of no more than [`TOGETHER`].
    ///
    /// # Errors
    /// The levels are not a cache hierarchy.
    pub fn new(
        model: &CoreModel,
        layouts: &[Vec<Place>],
        rules: Rules,
    ) -> Result<Layouts, HierarchyError> {
        let memory = |places: &Vec<Place>| {
            let mut own = CoreModel {
                places: places.clone(),
                ..model.clone()
            };
            own.levels
                .iter_mut()
                .for_each(|level| level.ports = u32::MAX);
            Memory::perfect(&own)
        };
        Ok(Layouts {
            model: model.clone(),
            count: layouts.len(),
            values: Values::new(rules),
            harts: Vec::new(),
            caches: Memory::new(model)?,
            memories: layouts.iter().map(memory).collect(),
            under_way: FxHashMap::default(),
            settled: Cycles::START,
            executed: 0,
        })
    }

    pub fn add_hart(&mut self, hart: u16) {
        self.values.add_hart(hart);
        while self.harts.len() <= hart as usize {
            self.harts.push(Hart {
                entered: VecDeque::new(),
                retired: VecDeque::new(),
                settled: self.settled,
                last: 0,
            });
        }
        self.caches.add_hart(hart);
        self.memories.iter_mut().for_each(|own| own.add_hart(hart));
    }

    /// Executes the next instruction of the program order.
    pub fn step<U: Copy>(&mut self, step: &Step<'_, U>, cycles: u64) {
        let number = step.operation.hart;
        let hart = &mut self.harts[number as usize];
        hart.settled = hart.settled.latest(self.settled);
        let enter = hart.enter(&self.model);
        let ready = self.values.ready(step).latest(enter);
        let accessed = step.accessed.filter(|own| !own.addresses.is_empty());
        let (started, done) = match accessed {
            None => (ready, ready.after(cycles)),
            Some(accessed) => {
                let waits = accessed.access.kind.reads() || self.model.blocking_stores;
                let (mut first, mut last) = (None, ready);
                for address in accessed.addresses {
                    let request = Request {
                        hart: number,
                        address: *address,
                        bytes: u32::from(accessed.access.bytes),
                        kind: accessed.access.kind,
                        ready: 0,
                    };
                    let (start, end) = self.access(request, ready);
                    first = Some(first.map_or(start, |first| earliest(first, start)));
                    last = last.latest(if waits { end } else { start.after(1) });
                }
                (first.unwrap_or(ready), last)
            }
        };
        self.values.complete(step, started, done);
        let hart = &mut self.harts[number as usize];
        hart.retire(done);
        self.executed += 1;
        hart.last = self.executed;
        if self.executed.is_multiple_of(ROUND) {
            self.settle();
        }
    }

    /// Makes an access whose operands are there then: when it starts, and when its data are there.
    fn access(&mut self, request: Request, ready: Cycles) -> (Cycles, Cycles) {
        let (mut first, mut last) = (None, ready);
        let line = self.caches.line();
        for part in request.parts(line) {
            let (start, end) = self.access_within_line(part, part.address / line, ready);
            first = Some(first.map_or(start, |first| earliest(first, start)));
            last = last.latest(end);
        }
        (first.unwrap_or(ready), last)
    }

    fn access_within_line(
        &mut self,
        Request {
            hart,
            address,
            bytes,
            kind,
            ..
        }: Request,
        line: u64,
        ready: Cycles,
    ) -> (Cycles, Cycles) {
        let misses = self.caches.misses(hart, address, bytes, kind);
        let is_plain = misses == 0
            && !(self.under_way.get(&line)).is_some_and(|there| there.is_after_some(ready))
            && (self.memories.iter().enumerate())
                .all(|(lane, memory)| memory.is_open(hart, ready.at(lane)));
        if is_plain {
            let hit = self.model.levels.first().map_or(0, |level| level.hit);
            return (ready, ready.after(hit));
        }
        let (mut start, mut end) = ([0; TOGETHER], [0; TOGETHER]);
        for lane in 0..self.count {
            let request = (hart, address, misses);
            (start[lane], end[lane]) = self.memories[lane].timed(request, ready.at(lane));
        }
        let in_use =
            |of: &[u64; TOGETHER], lane: usize| of[if lane < self.count { lane } else { 0 }];
        let start = Cycles::each(|lane| in_use(&start, lane));
        let end = Cycles::each(|lane| in_use(&end, lane));
        if misses > 0 {
            let there = self.under_way.entry(line).or_insert(end);
            *there = there.latest(end);
        }
        (start, end)
    }

    /// Forgets what no later instruction can meet.
    fn settle(&mut self) {
        let awake = self
            .harts
            .iter()
            .filter(|hart| hart.last > 0 && hart.last + ASLEEP >= self.executed);
        let settled = awake.map(|hart| hart.settled).reduce(earliest);
        let settled = settled.unwrap_or(Cycles::START);
        self.settled = settled;
        for (lane, memory) in self.memories.iter_mut().enumerate() {
            memory.settle(settled.at(lane));
        }
        if self.under_way.len() > LINES {
            self.under_way
                .retain(|_, there| there.is_after_some(settled));
        }
    }

    /// Of each layout, until the last instruction of the slowest hart has retired.
    pub fn cycles(&self) -> Vec<u64> {
        let last = self.harts.iter().filter_map(|hart| hart.retired.back());
        let last = last
            .copied()
            .reduce(Cycles::latest)
            .unwrap_or(Cycles::START);
        (0..self.count).map(|lane| last.at(lane)).collect()
    }
}

impl Hart {
    /// The cycle in which the next instruction enters.
    #[inline(always)]
    fn enter(&mut self, model: &CoreModel) -> Cycles {
        let mut enter = self.settled;
        if self.retired.len() == model.window {
            enter = enter.latest(self.retired.pop_front().unwrap_or(Cycles::START));
        }
        if self.entered.len() == model.width as usize {
            let before = self.entered.pop_front().unwrap_or(Cycles::START);
            enter = enter.latest(before.after(1));
        }
        self.entered.push_back(enter);
        self.settled = enter;
        enter
    }

    #[inline(always)]
    fn retire(&mut self, done: Cycles) {
        let retire = self.retired.back().map_or(done, |last| done.latest(*last));
        self.retired.push_back(retire);
    }
}

#[inline(always)]
fn earliest(a: Cycles, b: Cycles) -> Cycles {
    Cycles(std::array::from_fn(|lane| a.0[lane].min(b.0[lane])))
}
