//! One to four cache levels that are simulated access by access.
//!
//! A load looks up the nearest level first and goes on to the next one after a miss; a miss at a level
//! brings the line into it, and so into every level on the path (guide: dynamic-model, "Caches").
//! Nothing is taken out of a nearer level because a farther one loses it: levels are neither inclusive nor
//! exclusive.
//!
//! - **Write-back** level: a store looks up like a load, brings the line in like one, and makes it dirty.
//!   A dirty line that leaves is written to the next level after the line that takes its place was
//!   fetched: there it makes the line dirty if it is present, without being a use of it; else it is
//!   allocated there, without a fetch unless the lines there are longer.
//! - **Write-through** level: a store goes past it, whole and at once; it neither looks up nor brings in
//!   nor uses a line, and a line that is present stays valid. So do dirty lines of a nearer write-back
//!   level.
//! - A store that passed every level is at RAM. One that comes to a write-back level behind a
//!   write-through one is a store there.
//! - An atomic is a load and a store with one look-up a level: at a write-back level like a store; at a
//!   write-through level its load part looks up and brings in, and its store part goes past.
//!
//! An access that straddles lines of the nearest level is one access per line, in rising order.

use thiserror::Error;

use super::AccessKind;
use super::counters::{LevelCounters, RamTraffic};
use super::level::Level;
use super::slot::{Slot, State};
use super::spec::{CacheSpec, SpecError, WritePolicy};

/// Cache levels, nearest first, with RAM behind them.
pub struct Hierarchy {
    /// log₂ of the bytes of a line of the nearest level.
    line_bits: u32,
    /// By kind of access: whether a hit at the nearest level ends it.
    ends_at_hit: [bool; 3],
    atomics: Atomics,
    levels: Vec<Simulated>,
    ram: RamTraffic,
}

struct Simulated {
    level: Level,
    spec: CacheSpec,
    line_bits: u32,
    counters: LevelCounters,
}

/// What atomics do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Atomics {
    /// A load and a store with one look-up.
    #[default]
    Cached,
    /// Neither look up nor bring in: they read and write their own bytes in RAM, as in EDAN. Copies of
    /// the line, dirty ones too, stay as they are.
    Bypass,
}

impl Atomics {
    /// Those of a run that counts as EDAN does, or not.
    pub fn of_run(like_edan: bool) -> Atomics {
        match like_edan {
            true => Atomics::Bypass,
            false => Atomics::Cached,
        }
    }
}

/// Where what an access asked for was; nearer is less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Served {
    /// The level at this index, the nearest is 0.
    Level(u8),
    Memory,
}

/// What an access took.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Outcome {
    /// The farthest that any part of the access had to go. A store to a write-through hierarchy goes to
    /// memory. Write-backs that the access causes do not count here.
    pub served: Served,
    /// Bytes that it moved from and to RAM, write-backs included.
    pub ram_bytes: u64,
}

/// Why cache levels are not a hierarchy. Levels are counted from one here, nearest first.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum HierarchyError {
    #[error("a hierarchy needs a level")]
    NoLevel,
    #[error(
        "{levels} cache levels were given; at most {} are possible",
        Hierarchy::MOST_LEVELS
    )]
    TooManyLevels { levels: usize },
    #[error("cache level {level}: {error}")]
    Level { level: usize, error: SpecError },
    #[error(
        "cache level {level} ({bytes} bytes) is smaller than level {} ({nearer} bytes); levels are given \
         nearest first", level - 1
    )]
    Shrinks {
        level: usize,
        bytes: u64,
        nearer: u64,
    },
    #[error(
        "lines of cache level {level} ({line} bytes) are shorter than those of level {} ({nearer} bytes); \
         they must be as long or longer", level - 1
    )]
    LineShrinks {
        level: usize,
        line: u32,
        nearer: u32,
    },
}

impl Hierarchy {
    pub const MOST_LEVELS: usize = 4;

    /// Empty caches, nearest first. From one level to the next, sizes and lines may grow or stay.
    ///
    /// # Errors
    /// No level or more than four; a level that is none by itself; a level smaller, or with shorter
    /// lines, than a nearer one.
    pub fn new(specs: &[CacheSpec]) -> Result<Hierarchy, HierarchyError> {
        Hierarchy::validate(specs)?;
        let simulated = |spec: &CacheSpec| Simulated {
            level: Level::new(spec),
            spec: *spec,
            line_bits: spec.line.trailing_zeros(),
            counters: LevelCounters::default(),
        };
        let levels: Vec<_> = specs.iter().map(simulated).collect();
        let stores_end = specs[0].write == WritePolicy::Back;
        let mut ends_at_hit = [stores_end; 3];
        ends_at_hit[AccessKind::Load as usize] = true;
        let line_bits = levels[0].line_bits;
        Ok(Hierarchy {
            line_bits,
            ends_at_hit,
            atomics: Atomics::Cached,
            levels,
            ram: RamTraffic::default(),
        })
    }

    /// Whether they can be caches behind one another, nearest first; nothing is made.
    ///
    /// # Errors
    /// As `new`.
    pub fn validate(specs: &[CacheSpec]) -> Result<(), HierarchyError> {
        if specs.is_empty() {
            return Err(HierarchyError::NoLevel);
        }
        if specs.len() > Hierarchy::MOST_LEVELS {
            return Err(HierarchyError::TooManyLevels {
                levels: specs.len(),
            });
        }
        for (spec, level) in specs.iter().zip(1..) {
            spec.validate()
                .map_err(|error| HierarchyError::Level { level, error })?;
        }
        for (pair, level) in specs.windows(2).zip(2..) {
            let (nearer, spec) = (pair[0], pair[1]);
            if spec.bytes < nearer.bytes {
                return Err(HierarchyError::Shrinks {
                    level,
                    bytes: spec.bytes,
                    nearer: nearer.bytes,
                });
            }
            if spec.line < nearer.line {
                return Err(HierarchyError::LineShrinks {
                    level,
                    line: spec.line,
                    nearer: nearer.line,
                });
            }
        }
        Ok(())
    }

    /// The same caches with another treatment of atomics.
    pub fn with_atomics(mut self, atomics: Atomics) -> Hierarchy {
        self.atomics = atomics;
        self.ends_at_hit[AccessKind::Atomic as usize] =
            atomics == Atomics::Cached && self.levels[0].spec.write == WritePolicy::Back;
        self
    }

    /// Accesses `bytes` bytes from `address` on; 0 bytes count as 1. What lies past the end of the
    /// address space is left out.
    #[inline]
    pub fn access(&mut self, address: u64, bytes: u32, kind: AccessKind) -> Outcome {
        let line = address >> self.line_bits;
        let last = address.saturating_add(u64::from(bytes.max(1) - 1));
        if last >> self.line_bits == line && self.ends_at_hit[kind as usize] {
            let nearest = &mut self.levels[0];
            if let Some(victim) = nearest.level.touch(line, state_after(kind)) {
                return self.missed_nearest(address, victim);
            }
            nearest.counters.hits += 1;
            return Outcome {
                served: Served::Level(0),
                ram_bytes: 0,
            };
        }
        self.access_lines(address, last, kind)
    }

    /// The rest of an access after `victim` has left the nearest level for its line.
    #[inline(never)]
    fn missed_nearest(&mut self, address: u64, victim: Slot) -> Outcome {
        let before = self.ram.bytes();
        let served = self.missed(0, address, 0, AccessKind::Load, victim);
        Outcome {
            served,
            ram_bytes: self.ram.bytes() - before,
        }
    }

    /// Accesses the bytes from `address` to `last`, line by line.
    #[inline(never)]
    fn access_lines(&mut self, address: u64, last: u64, kind: AccessKind) -> Outcome {
        let before = self.ram.bytes();
        let within = (1 << self.line_bits) - 1;
        let mut served = Served::Level(0);
        let mut from = address;
        loop {
            let to = last.min(from | within);
            served = served.max(self.access_line(from, to - from + 1, kind));
            if to == last {
                return Outcome {
                    served,
                    ram_bytes: self.ram.bytes() - before,
                };
            }
            from = to + 1;
        }
    }

    fn access_line(&mut self, address: u64, bytes: u64, kind: AccessKind) -> Served {
        if kind == AccessKind::Atomic && self.atomics == Atomics::Bypass {
            for level in &mut self.levels {
                level.counters.bypasses += 1;
                level.counters.bytes_in += bytes;
                level.counters.bytes_out += bytes;
            }
            self.ram.bytes_read += bytes;
            self.ram.bytes_written += bytes;
            return Served::Memory;
        }
        self.request(0, address, bytes, kind)
    }

    /// Accesses bytes of one line at a level and whatever lies behind it.
    fn request(&mut self, index: usize, address: u64, bytes: u64, kind: AccessKind) -> Served {
        let Some(this) = self.levels.get_mut(index) else {
            return self.request_ram(bytes, kind);
        };
        let through = this.spec.write == WritePolicy::Through;
        if kind == AccessKind::Store && through {
            this.counters.bypasses += 1;
            this.counters.bytes_out += bytes;
            return self.request(index + 1, address, bytes, AccessKind::Store);
        }
        let line = address >> this.line_bits;
        let (state, passed) = if through {
            (State::Clean, kind)
        } else {
            (state_after(kind), AccessKind::Load)
        };
        if passed.writes() {
            this.counters.bytes_out += bytes;
        }
        match this.level.touch(line, state) {
            None => {
                this.counters.hits += 1;
                if passed.writes() {
                    return self.request(index + 1, address, bytes, AccessKind::Store);
                }
                Served::Level(index as u8)
            }
            Some(victim) => self.missed(index, address, bytes, passed, victim),
        }
    }

    /// What follows a look-up that missed: the line is fetched, and then `victim` is disposed of.
    fn missed(
        &mut self,
        index: usize,
        address: u64,
        bytes: u64,
        passed: AccessKind,
        victim: Slot,
    ) -> Served {
        self.levels[index].counters.misses += 1;
        let served = self.fetch(index, address, bytes, passed);
        self.evict(index, victim);
        served
    }

    /// Brings the line at `address` to a level from behind it; an atomic also writes its bytes there.
    fn fetch(&mut self, index: usize, address: u64, bytes: u64, kind: AccessKind) -> Served {
        let this = &mut self.levels[index];
        let line_bytes = u64::from(this.spec.line);
        this.counters.bytes_in += line_bytes;
        match kind {
            AccessKind::Load => {
                self.request(index + 1, address & !(line_bytes - 1), line_bytes, kind)
            }
            _ => self.request(index + 1, address, bytes, kind),
        }
    }

    /// RAM gives what is loaded; an atomic that comes so far is the load of a line of the last level and
    /// the store of its own bytes.
    fn request_ram(&mut self, bytes: u64, kind: AccessKind) -> Served {
        let line = self
            .levels
            .last()
            .map_or(bytes, |last| u64::from(last.spec.line));
        match kind {
            AccessKind::Load => self.ram.bytes_read += bytes,
            AccessKind::Store => self.ram.bytes_written += bytes,
            AccessKind::Atomic => {
                self.ram.bytes_read += line;
                self.ram.bytes_written += bytes;
            }
        }
        Served::Memory
    }

    /// Counts what left a level, and writes it behind the level if it is dirty.
    fn evict(&mut self, index: usize, victim: Slot) {
        let Some(line) = victim.line() else { return };
        let this = &mut self.levels[index];
        this.counters.evictions += 1;
        if victim.is_dirty() {
            let bytes = u64::from(this.spec.line);
            this.counters.write_backs += 1;
            this.counters.bytes_out += bytes;
            let address = line << this.line_bits;
            self.write_back(index + 1, address, bytes);
        }
    }

    /// Takes in a dirty line of a nearer level.
    fn write_back(&mut self, index: usize, address: u64, bytes: u64) {
        let Some(this) = self.levels.get_mut(index) else {
            self.ram.bytes_written += bytes;
            return;
        };
        if this.spec.write == WritePolicy::Through {
            this.counters.bypasses += 1;
            this.counters.bytes_out += bytes;
            return self.write_back(index + 1, address, bytes);
        }
        let line = address >> this.line_bits;
        if this.level.mark_dirty(line) {
            return;
        }
        let victim = this.level.touch(line, State::Dirty).unwrap_or(Slot::EMPTY);
        if u64::from(this.spec.line) > bytes {
            self.fetch(index, address, bytes, AccessKind::Load);
        }
        self.evict(index, victim);
    }

    /// What each level is, nearest first.
    pub fn specs(&self) -> impl ExactSizeIterator<Item = &CacheSpec> {
        self.levels.iter().map(|level| &level.spec)
    }

    /// Counts since the beginning, nearest level first.
    pub fn counters(&self) -> impl ExactSizeIterator<Item = &LevelCounters> {
        self.levels.iter().map(|level| &level.counters)
    }

    pub fn ram(&self) -> RamTraffic {
        self.ram
    }

    /// Bytes that caches hold and RAM does not have yet: the dirty lines of all levels, each byte counted
    /// once. They are in no counter of traffic.
    pub fn dirty_bytes(&self) -> u64 {
        self.dirty_bytes_of(self.levels.len())
    }

    /// The same of so many nearest levels: what passes the last of them when they are emptied.
    pub fn dirty_bytes_of(&self, levels: usize) -> u64 {
        let mut spans: Vec<(u64, u64)> = Vec::new();
        for this in self.levels.iter().take(levels) {
            let past = u64::from(this.spec.line) - 1;
            spans.extend(this.level.dirty_lines().map(|line| {
                let first = line << this.line_bits;
                (first, first + past)
            }));
        }
        spans.sort_unstable();
        let mut bytes = 0;
        let mut covered = None;
        for (first, last) in spans {
            // Lines are aligned powers of two: one span lies within another or apart from it, and the
            // longer of two that begin together is sorted last.
            match covered {
                Some((from, to)) if first == from => bytes += last - to,
                Some((_, to)) if first <= to => continue,
                _ => bytes += last - first + 1,
            }
            covered = Some((first, last));
        }
        bytes
    }
}

#[inline]
fn state_after(kind: AccessKind) -> State {
    if kind.writes() {
        State::Dirty
    } else {
        State::Clean
    }
}
