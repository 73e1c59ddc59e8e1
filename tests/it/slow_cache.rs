//! A cache hierarchy as slow and as obvious as can be: a set is a list of lines with times on them, all
//! bytes of a line are known by their addresses, nothing is remembered that could be computed.

use std::collections::{BTreeSet, HashMap};

use loopsheet_cache::AccessKind;
use loopsheet_cache::counters::{LevelCounters, RamTraffic};
use loopsheet_cache::hierarchy::{Atomics, Outcome, Served};
use loopsheet_cache::spec::{CacheSpec, Policy, WritePolicy};

pub struct SlowHierarchy {
    levels: Vec<SlowLevel>,
    atomics: Atomics,
    pub ram: RamTraffic,
}

struct Line {
    first_byte: u64,
    dirty: bool,
    came: u64,
    used: u64,
}

struct SlowLevel {
    spec: CacheSpec,
    sets: Vec<Vec<Line>>,
    /// By set and range of ways: whether the lower half was used last.
    lower_half_used: HashMap<(usize, usize, usize), bool>,
    random: u64,
    time: u64,
    counters: LevelCounters,
}

impl SlowHierarchy {
    pub fn new(specs: &[CacheSpec], atomics: Atomics) -> SlowHierarchy {
        let levels = specs.iter().map(|spec| SlowLevel::new(*spec)).collect();
        SlowHierarchy {
            levels,
            atomics,
            ram: RamTraffic::default(),
        }
    }

    pub fn counters(&self) -> Vec<LevelCounters> {
        self.levels.iter().map(|level| level.counters).collect()
    }

    pub fn dirty_bytes(&self) -> u64 {
        let mut bytes = BTreeSet::new();
        for level in &self.levels {
            for line in level.sets.iter().flatten().filter(|line| line.dirty) {
                bytes.extend(line.first_byte..line.first_byte + u64::from(level.spec.line));
            }
        }
        bytes.len() as u64
    }

    pub fn access(&mut self, address: u64, bytes: u32, kind: AccessKind) -> Outcome {
        let before = self.ram.bytes_read + self.ram.bytes_written;
        let line = u64::from(self.levels[0].spec.line);
        let mut pieces: Vec<(u64, u64)> = Vec::new();
        for byte in address..address + u64::from(bytes) {
            match pieces.last_mut() {
                Some((first, count)) if *first / line == byte / line => *count += 1,
                _ => pieces.push((byte, 1)),
            }
        }
        let depths = pieces.into_iter().map(|(first, count)| match kind {
            AccessKind::Load => self.load(0, first),
            AccessKind::Store => self.store(0, first, count),
            AccessKind::Atomic if self.atomics == Atomics::Cached => self.atomic(0, first, count),
            AccessKind::Atomic => self.bypass(count),
        });
        let deepest = depths.max().expect("an access has bytes");
        let served = if deepest == self.levels.len() {
            Served::Memory
        } else {
            Served::Level(deepest as u8)
        };
        Outcome {
            served,
            ram_bytes: self.ram.bytes_read + self.ram.bytes_written - before,
        }
    }

    fn writes_through(&self, level: usize) -> bool {
        self.levels[level].spec.write == WritePolicy::Through
    }

    /// Level at which the line was; the number of levels for RAM.
    fn load(&mut self, level: usize, byte: u64) -> usize {
        if level == self.levels.len() {
            self.ram.bytes_read += u64::from(self.levels[level - 1].spec.line);
            return level;
        }
        if self.levels[level].hit(byte, false) {
            return level;
        }
        // A longer line behind holds the shorter one whole, so that any byte of it will do.
        let depth = self.load(level + 1, byte);
        self.bring_in(level, byte, false);
        depth
    }

    fn store(&mut self, level: usize, byte: u64, count: u64) -> usize {
        if level == self.levels.len() {
            self.ram.bytes_written += count;
            return level;
        }
        if self.writes_through(level) {
            self.levels[level].counters.bypasses += 1;
            self.levels[level].counters.bytes_out += count;
            return self.store(level + 1, byte, count);
        }
        if self.levels[level].hit(byte, true) {
            return level;
        }
        let depth = self.load(level + 1, byte);
        self.bring_in(level, byte, true);
        depth
    }

    fn atomic(&mut self, level: usize, byte: u64, count: u64) -> usize {
        if level == self.levels.len() {
            return self.load(level, byte).max(self.store(level, byte, count));
        }
        if !self.writes_through(level) {
            return self.store(level, byte, count);
        }
        self.levels[level].counters.bytes_out += count;
        if self.levels[level].hit(byte, false) {
            return self.store(level + 1, byte, count);
        }
        let depth = self.atomic(level + 1, byte, count);
        self.bring_in(level, byte, false);
        depth
    }

    fn bypass(&mut self, count: u64) -> usize {
        for level in &mut self.levels {
            level.counters.bypasses += 1;
            level.counters.bytes_in += count;
            level.counters.bytes_out += count;
        }
        self.ram.bytes_read += count;
        self.ram.bytes_written += count;
        self.levels.len()
    }

    /// Puts in a line that was fetched; what leaves for it goes on to the next level.
    fn bring_in(&mut self, level: usize, byte: u64, dirty: bool) {
        self.levels[level].counters.bytes_in += u64::from(self.levels[level].spec.line);
        self.put(level, byte, dirty);
    }

    fn put(&mut self, level: usize, byte: u64, dirty: bool) {
        let bytes = u64::from(self.levels[level].spec.line);
        if let Some(leaving) = self.levels[level].put(byte, dirty) {
            self.levels[level].counters.evictions += 1;
            if leaving.dirty {
                self.levels[level].counters.write_backs += 1;
                self.levels[level].counters.bytes_out += bytes;
                self.write_back(level + 1, leaving.first_byte, bytes);
            }
        }
    }

    fn write_back(&mut self, level: usize, byte: u64, count: u64) {
        if level == self.levels.len() {
            self.ram.bytes_written += count;
        } else if self.writes_through(level) {
            self.levels[level].counters.bypasses += 1;
            self.levels[level].counters.bytes_out += count;
            self.write_back(level + 1, byte, count);
        } else if let Some(line) = self.levels[level].find(byte) {
            line.dirty = true;
        } else if u64::from(self.levels[level].spec.line) > count {
            self.load(level + 1, byte);
            self.bring_in(level, byte, true);
        } else {
            self.put(level, byte, true);
        }
    }
}

impl SlowLevel {
    fn new(spec: CacheSpec) -> SlowLevel {
        let sets = (0..spec.sets()).map(|_| Vec::new()).collect();
        let random = if let Policy::Random { seed } = spec.policy {
            seed
        } else {
            0
        };
        let counters = LevelCounters::default();
        SlowLevel {
            spec,
            sets,
            lower_half_used: HashMap::new(),
            random,
            time: 0,
            counters,
        }
    }

    fn set(&self, byte: u64) -> usize {
        (byte / u64::from(self.spec.line) % self.sets.len() as u64) as usize
    }

    fn first_byte(&self, byte: u64) -> u64 {
        byte / u64::from(self.spec.line) * u64::from(self.spec.line)
    }

    fn find(&mut self, byte: u64) -> Option<&mut Line> {
        let (set, first) = (self.set(byte), self.first_byte(byte));
        self.sets[set]
            .iter_mut()
            .find(|line| line.first_byte == first)
    }

    /// Looks up and counts.
    fn hit(&mut self, byte: u64, dirties: bool) -> bool {
        self.time += 1;
        let time = self.time;
        let Some(line) = self.find(byte) else {
            self.counters.misses += 1;
            return false;
        };
        line.used = time;
        line.dirty |= dirties;
        self.counters.hits += 1;
        let (set, first) = (self.set(byte), self.first_byte(byte));
        let way = self.sets[set]
            .iter()
            .position(|line| line.first_byte == first)
            .expect("it was found");
        self.turn_tree(set, way);
        true
    }

    /// Puts in a line that is not there; gives the one that had to leave.
    fn put(&mut self, byte: u64, dirty: bool) -> Option<Line> {
        self.time += 1;
        let line = Line {
            first_byte: self.first_byte(byte),
            dirty,
            came: self.time,
            used: self.time,
        };
        let set = self.set(byte);
        if (self.sets[set].len() as u64) < self.spec.set_lines() {
            self.sets[set].push(line);
            self.turn_tree(set, self.sets[set].len() - 1);
            return None;
        }
        let ways = 0..self.sets[set].len();
        let way = match self.spec.policy {
            Policy::Lru => ways.min_by_key(|way| self.sets[set][*way].used),
            Policy::Fifo => ways.min_by_key(|way| self.sets[set][*way].came),
            Policy::Plru => Some(self.follow_tree(set)),
            Policy::Random { .. } => Some(self.draw(ways.len())),
        };
        let way = way.expect("a set has ways");
        self.turn_tree(set, way);
        Some(std::mem::replace(&mut self.sets[set][way], line))
    }

    fn turn_tree(&mut self, set: usize, way: usize) {
        let (mut from, mut to) = (0, self.spec.set_lines() as usize);
        while to - from > 1 {
            let middle = (from + to) / 2;
            self.lower_half_used.insert((set, from, to), way < middle);
            if way < middle {
                to = middle
            } else {
                from = middle
            }
        }
    }

    fn follow_tree(&self, set: usize) -> usize {
        let (mut from, mut to) = (0, self.spec.set_lines() as usize);
        while to - from > 1 {
            let middle = (from + to) / 2;
            if self.lower_half_used[&(set, from, to)] {
                from = middle
            } else {
                to = middle
            }
        }
        from
    }

    /// SplitMix64, scaled to the ways.
    fn draw(&mut self, ways: usize) -> usize {
        self.random = self.random.wrapping_add(0x9e3779b97f4a7c15);
        let z = (self.random ^ (self.random >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d049bb133111eb);
        ((z ^ (z >> 31)) as u128 * ways as u128 / (1 << 64)) as usize
    }
}
