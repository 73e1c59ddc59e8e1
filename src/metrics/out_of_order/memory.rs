//! The machine's caches with their ports and MSHRs, in time.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::resources::{Registers, Slots, Spaced};
use super::{CoreModel, LevelModel};
use crate::cache::hierarchy::HierarchyError;
use crate::cache::{AccessKind, Hierarchy, Served};
use crate::timeline::{Stay, TimedAccess, TimelineSink, WaitsFor};

/// An access that can start from cycle `ready` on.
#[derive(Clone, Copy)]
pub(super) struct Request {
    pub hart: u16,
    pub address: u64,
    pub bytes: u32,
    pub kind: AccessKind,
    pub ready: u64,
}

impl Request {
    /// What of it is in each line.
    pub fn parts(self, line: u64) -> impl Iterator<Item = Request> {
        let mut left = Some(self);
        std::iter::from_fn(move || {
            let here = left?;
            let room = line - here.address % line;
            let bytes = u64::from(here.bytes).min(room) as u32;
            let beyond = Request {
                address: here.address.wrapping_add(room),
                bytes: here.bytes - bytes,
                ..here
            };
            left = (beyond.bytes > 0).then_some(beyond);
            Some(Request { bytes, ..here })
        })
    }
}

/// All levels of all harts.
pub(super) struct Memory {
    model: CoreModel,
    /// Bytes of a line of the nearest level.
    line: u64,
    /// Caches that are each hart's own; one entry a hart.
    private: Vec<Option<Hierarchy>>,
    shared: Option<Hierarchy>,
    /// By hart and level; shared levels are those of hart 0.
    levels: Vec<Vec<LevelState>>,
    /// When RAM takes up accesses.
    ram: Spaced,
    /// When the memory beside it does.
    far: Spaced,
    settled: u64,
    is_perfect: bool,
}

struct LevelState {
    ports: Slots,
    mshrs: Registers,
    /// Lines that are under way.
    under_way: FxHashMap<u64, UnderWay>,
}

/// A primary miss.
#[derive(Clone, Copy)]
struct UnderWay {
    /// When its look-up began.
    start: u64,
    /// When the line is there.
    there: u64,
}

impl LevelState {
    fn new(level: &LevelModel) -> LevelState {
        LevelState {
            ports: Slots::new(level.ports),
            mshrs: Registers::new(level.mshrs),
            under_way: FxHashMap::default(),
        }
    }
}

impl Memory {
    /// # Errors
    /// The levels are not a cache hierarchy.
    pub fn new(model: &CoreModel) -> Result<Memory, HierarchyError> {
        let specs: Vec<_> = model.levels.iter().map(|level| level.spec).collect();
        // All levels together first, so that what is wrong is found whatever is shared.
        Hierarchy::new(&specs)?;
        let shared = specs
            .get(model.first_shared..)
            .filter(|specs| !specs.is_empty());
        let shared = shared.map(Hierarchy::new).transpose()?;
        Ok(Memory {
            shared,
            is_perfect: false,
            ..Memory::perfect(model)
        })
    }

    /// Every access hits the nearest level.
    pub fn perfect(model: &CoreModel) -> Memory {
        Memory {
            model: model.clone(),
            line: model
                .levels
                .first()
                .map_or(64, |level| u64::from(level.spec.line)),
            private: Vec::new(),
            shared: None,
            levels: Vec::new(),
            ram: Spaced::new(model.ram_interval),
            far: Spaced::new(model.far_interval),
            settled: 0,
            is_perfect: true,
        }
    }

    pub fn settled(&self) -> u64 {
        self.settled
    }

    /// Bytes of a line of the nearest level.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Whether it is plain that the nearest level takes a hit in that cycle.
    #[inline(always)]
    pub fn is_open(&self, hart: u16, cycle: u64) -> bool {
        let owner = match self.model.first_shared {
            0 => 0,
            _ => hart as usize,
        };
        let nearest = self.levels[owner].first();
        nearest.is_none_or(|level| level.mshrs.is_free(cycle))
    }

    /// Makes an access that goes past so many levels and may start from a cycle on, where nothing but misses takes room: when
    /// it starts, and when its data are there.
    pub fn timed(&mut self, (hart, address, misses): (u16, u64, usize), ready: u64) -> (u64, u64) {
        let mut start = ready;
        loop {
            let path = self.path(hart, address, misses, start);
            match self.delay(hart, &path) {
                0 => {
                    self.reserve(hart, address, &path);
                    return (start, path.end);
                }
                delay => start += delay,
            }
        }
    }

    pub fn add_hart(&mut self, hart: u16) {
        let first_shared = self.model.first_shared.min(self.model.levels.len());
        let specs: Vec<_> = self.model.levels[..first_shared]
            .iter()
            .map(|level| level.spec)
            .collect();
        while self.levels.len() <= hart as usize {
            self.levels
                .push(self.model.levels.iter().map(LevelState::new).collect());
            let caches = (!self.is_perfect).then(|| Hierarchy::new(&specs).ok());
            self.private.push(caches.flatten());
        }
    }

    /// The number of levels that the access goes past: 0 if the nearest has the line.
    pub fn misses(&mut self, hart: u16, address: u64, bytes: u32, kind: AccessKind) -> usize {
        if self.is_perfect {
            return 0;
        }
        let first_shared = self.model.first_shared;
        if let Some(private) = &mut self.private[hart as usize]
            && let Served::Level(level) = private.access(address, bytes, kind).served
        {
            return level as usize;
        }
        match &mut self.shared {
            None => self.model.levels.len(),
            // A private level fetches the line; it writes it back later, which is left out here.
            Some(shared) => {
                let kind = if first_shared == 0 {
                    kind
                } else {
                    AccessKind::Load
                };
                match shared.access(address, bytes, kind).served {
                    Served::Level(level) => first_shared + level as usize,
                    Served::Memory => self.model.levels.len(),
                }
            }
        }
    }

    /// Makes an access: when it starts, and when its data are there. The parts of one that crosses lines of the
    /// nearest level are accesses of their own.
    pub fn access(
        &mut self,
        request: Request,
        issue: &mut Slots,
        sink: &mut impl TimelineSink,
    ) -> (u64, u64) {
        let (mut first, mut last) = (u64::MAX, request.ready);
        for part in request.parts(self.line) {
            let (start, end) = self.access_within_line(part, issue, sink);
            (first, last) = (first.min(start), last.max(end));
        }
        (first, last)
    }

    fn access_within_line(
        &mut self,
        request: Request,
        issue: &mut Slots,
        sink: &mut impl TimelineSink,
    ) -> (u64, u64) {
        let Request {
            hart,
            address,
            bytes,
            kind,
            ready,
        } = request;
        let misses = self.misses(hart, address, bytes, kind);
        let mut start = ready;
        let path = loop {
            start = issue.first_free(start);
            let path = self.path(hart, address, misses, start);
            match self.delay(hart, &path) {
                0 => break path,
                delay => start += delay,
            }
        };
        issue.take(start);
        self.reserve(hart, address, &path);
        let end = path.end;
        // Cycles of a timeline count from one, as in the papers.
        let waits_for = if path.is_secondary {
            WaitsFor::OtherMiss
        } else {
            WaitsFor::Memory
        };
        sink.access(&TimedAccess {
            hart,
            start: start + 1,
            stays: path.stays(),
            waits_for,
        });
        (start, end)
    }

    fn bank(&mut self, bank: Bank) -> &mut Spaced {
        match bank {
            Bank::Ram => &mut self.ram,
            Bank::Far => &mut self.far,
        }
    }

    fn state(&mut self, hart: u16, level: usize) -> &mut LevelState {
        let owner = if level >= self.model.first_shared {
            0
        } else {
            hart as usize
        };
        &mut self.levels[owner][level]
    }

    /// Where an access gets and when, if it starts in this cycle.
    fn path(&mut self, hart: u16, address: u64, misses: usize, start: u64) -> Path {
        let mut visits = SmallVec::new();
        let mut at = start;
        for level in 0..self.model.levels.len() {
            let LevelModel { hit, spec, .. } = self.model.levels[level];
            let looked_up = at + hit;
            visits.push(Visit {
                start: at,
                looked_up,
            });
            let line = address / u64::from(spec.line);
            let state = self.state(hart, level);
            let under_way = match state.under_way.is_empty() {
                true => None,
                false => state.under_way.get(&line).copied(),
            };
            match under_way.filter(|line| line.there > looked_up) {
                Some(line) => {
                    // It would have been the primary miss itself, had it not been held up as that one was.
                    let held_up = line.start.saturating_sub(at);
                    return Path {
                        visits,
                        end: line.there,
                        is_secondary: true,
                        held_up,
                        ram: None,
                    };
                }
                None if level >= misses => {
                    return Path {
                        visits,
                        end: looked_up,
                        is_secondary: false,
                        held_up: 0,
                        ram: None,
                    };
                }
                None => at = looked_up,
            }
        }
        let (bank, cycles) = match self.model.place_of(address) {
            None => (Bank::Ram, self.model.ram),
            Some(place) => (Bank::Far, place.cycles),
        };
        let taken_up = self.bank(bank).first_free(at);
        Path {
            visits,
            end: taken_up + cycles,
            is_secondary: false,
            held_up: 0,
            ram: Some((bank, taken_up)),
        }
    }

    /// How much later to try, 0 if there is room everywhere.
    fn delay(&mut self, hart: u16, path: &Path) -> u64 {
        if path.held_up > 0 {
            return path.held_up;
        }
        for (level, visit) in path.visits.iter().enumerate() {
            let is_miss = path.takes_mshr(level);
            let state = self.state(hart, level);
            let port = state.ports.first_free(visit.start) - visit.start;
            if port > 0 {
                return port;
            }
            let full = state.mshrs.first_free(visit.start) - visit.start;
            if full > 0 {
                return full;
            }
            if is_miss {
                let mshr = state.mshrs.wait(visit.start, path.end);
                if mshr > 0 {
                    return mshr;
                }
            }
        }
        0
    }

    fn reserve(&mut self, hart: u16, address: u64, path: &Path) {
        if let Some((bank, taken_up)) = path.ram {
            self.bank(bank).take(taken_up);
        }
        for (level, visit) in path.visits.iter().enumerate() {
            let line = address / u64::from(self.model.levels[level].spec.line);
            let is_miss = path.takes_mshr(level);
            let state = self.state(hart, level);
            state.ports.take(visit.start);
            if is_miss {
                state.mshrs.hold(visit.start, path.end);
                state.under_way.insert(
                    line,
                    UnderWay {
                        start: visit.start,
                        there: path.end,
                    },
                );
            }
        }
    }

    /// Forgets what is over before this cycle; no later access starts before it.
    pub fn settle(&mut self, cycle: u64) {
        self.settled = cycle;
        self.ram.forget_before(cycle);
        self.far.forget_before(cycle);
        for level in self.levels.iter_mut().flatten() {
            level.ports.forget_before(cycle);
            level.mshrs.forget_before(cycle);
            level.under_way.retain(|_, line| line.there > cycle);
        }
    }
}

/// Where what no cache has comes from.
#[derive(Clone, Copy)]
enum Bank {
    Ram,
    /// What is placed elsewhere.
    Far,
}

/// One access's way through the levels.
struct Path {
    visits: SmallVec<[Visit; 4]>,
    /// When the data are there.
    end: u64,
    /// Whether it waits at the last level it visits for a line that is under way.
    is_secondary: bool,
    /// Cycles by which it would start before the miss that it waits for.
    held_up: u64,
    /// When RAM, or the memory beside it, takes it up, if it goes there.
    ram: Option<(Bank, u64)>,
}

#[derive(Clone, Copy)]
struct Visit {
    start: u64,
    looked_up: u64,
}

impl Path {
    /// Whether the access is a primary miss of the level.
    fn takes_mshr(&self, level: usize) -> bool {
        let is_last = level + 1 == self.visits.len();
        self.visits[level].looked_up < self.end && !(is_last && self.is_secondary)
    }

    fn stays(&self) -> SmallVec<[Stay; 4]> {
        let stay = |visit: &Visit| Stay {
            hit: visit.looked_up - visit.start,
            miss: self.end - visit.looked_up,
        };
        self.visits.iter().map(stay).collect()
    }
}
