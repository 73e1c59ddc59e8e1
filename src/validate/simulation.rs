//! One run of a nest through all caches at once.

use crate::cache::spec::Ways;
use crate::cache::{CacheSpec, EveryCapacity, Hierarchy};
use crate::interpret::{Access, Sink};

/// Caches that take the accesses of a nest.
pub struct Simulation {
    /// Fully associative LRU caches of every capacity, by length of the line.
    capacities: Vec<(u32, EveryCapacity)>,
    /// The levels as given, unless all are fully associative.
    hierarchy: Option<Hierarchy>,
}

impl Simulation {
    /// Cold caches. The levels must be a hierarchy.
    pub fn new(levels: &[CacheSpec]) -> Simulation {
        let mut capacities: Vec<(u32, EveryCapacity)> = Vec::new();
        for level in levels {
            if capacities.iter().all(|(line, _)| *line != level.line) {
                capacities.extend(EveryCapacity::new(u64::from(level.line)).ok().map(|all| (level.line, all)));
            }
        }
        let all_full = levels.iter().all(|level| level.ways == Ways::Full);
        let hierarchy = if all_full { None } else { Hierarchy::new(levels).ok() };
        Simulation { capacities, hierarchy }
    }

    /// Writes all dirty lines back.
    pub fn finish(&mut self) {
        self.capacities.iter_mut().for_each(|(_, all)| all.flush());
    }

    /// Bytes that a fully associative LRU cache of `bytes` bytes moved.
    pub fn fully_associative(&self, line: u32, bytes: u64) -> u64 {
        let lines = bytes / u64::from(line);
        let found = self.capacities.iter().find(|(known, _)| *known == line);
        found.map_or(0, |(_, all)| (all.fetched(lines) + all.written(lines)) * u64::from(line))
    }

    /// Bytes of the lines that were touched.
    pub fn cold(&self, line: u32) -> u64 {
        let found = self.capacities.iter().find(|(known, _)| *known == line);
        found.map_or(0, |(_, all)| all.cold() * u64::from(line))
    }

    /// Bytes that the level at this index moved, as it is.
    pub fn as_given(&self, level: usize) -> Option<u64> {
        let hierarchy = self.hierarchy.as_ref()?;
        let counters = hierarchy.counters().nth(level)?;
        Some(counters.bytes_in + counters.bytes_out + hierarchy.dirty_bytes_of(level + 1))
    }
}

impl Sink for Simulation {
    fn take(&mut self, accesses: &[Access], times: u64) {
        for (_, all) in &mut self.capacities {
            // From the third time on nothing changes any more.
            for weight in [1, 1, times.saturating_sub(2)].into_iter().take(times.min(3) as usize) {
                for access in accesses {
                    all.access(access.address, access.bytes, access.kind.writes(), weight);
                }
            }
        }
        let Some(hierarchy) = &mut self.hierarchy else { return };
        let misses = |hierarchy: &Hierarchy| hierarchy.counters().next().map_or(0, |c| c.misses + c.bypasses);
        for _ in 0..times {
            let before = misses(hierarchy);
            for access in accesses {
                hierarchy.access(access.address, access.bytes, access.kind);
            }
            // Only hits at the nearest level: so it stays until other lines are touched.
            if misses(hierarchy) == before {
                break;
            }
        }
    }
}
