//! One run of a nest through all caches at once.

use crate::cache::spec::Ways;
use crate::cache::{CacheSpec, EveryCapacity, Hierarchy, Seen};
use crate::interpret::code::Mark;
use crate::interpret::windows::Phase;
use crate::interpret::{Access, Sink};

/// Capacities that are looked at for each level: its own, and that by which a tenth less and more is meant.
pub const FACTORS: [f64; 3] = [1.0 / 1.1, 1.0, 1.1];

/// Caches that take the accesses of a nest.
pub struct Simulation<'s> {
    levels: &'s [CacheSpec],
    /// Fully associative LRU caches of every capacity, by length of the line.
    capacities: Vec<(u32, EveryCapacity)>,
    /// The levels as given, unless all are fully associative.
    hierarchy: Option<Hierarchy>,
    /// By part of the program.
    accesses: Vec<u64>,
    /// Bytes that the levels as given had moved when the window was measured from.
    before: Vec<u64>,
    /// Lines that were known then, by length of the line.
    warm: Vec<u64>,
    windows: Vec<Measured>,
    /// Parts of the program around the one that runs, and that one.
    parts: Vec<usize>,
}

/// What was moved in a run or a window.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    pub accesses: u64,
    pub levels: Vec<LevelMeasured>,
}

/// Bytes at one level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelMeasured {
    /// A fully associative LRU cache of the level's capacity times [`FACTORS`].
    pub bytes: [u64; 3],
    /// The level as it is.
    pub given: Option<u64>,
    /// Lines touched for the first time.
    pub cold: u64,
    /// Bytes of lines that the cache may have had if it had been warmed up longer.
    pub uncertain: u64,
    /// Bytes that the cache holds at the end, at most: by so much a run that begins elsewhere may differ.
    pub filled: u64,
}

impl<'s> Simulation<'s> {
    /// Cold caches. The levels must be a hierarchy.
    pub fn new(levels: &'s [CacheSpec]) -> Simulation<'s> {
        let mut simulation = Simulation {
            levels,
            capacities: Vec::new(),
            hierarchy: None,
            accesses: Vec::new(),
            before: Vec::new(),
            warm: Vec::new(),
            windows: Vec::new(),
            parts: vec![0],
        };
        simulation.chill();
        simulation
    }

    /// Makes all caches cold.
    fn chill(&mut self) {
        self.capacities.clear();
        for level in self.levels {
            if self.capacities.iter().all(|(line, _)| *line != level.line) {
                self.capacities.extend(
                    EveryCapacity::new(u64::from(level.line))
                        .ok()
                        .map(|all| (level.line, all)),
                );
            }
        }
        let all_full = self.levels.iter().all(|level| level.ways == Ways::Full);
        self.hierarchy = if all_full {
            None
        } else {
            Hierarchy::new(self.levels).ok()
        };
        self.before = vec![0; self.levels.len()];
        self.warm = vec![u64::MAX; self.capacities.len()];
        self.accesses = vec![0];
    }

    /// Everything since the beginning, all dirty lines written back at the end.
    pub fn finish(&self) -> Measured {
        self.measured(0, true)
    }

    /// What the run moved for a part of the program.
    pub fn part(&self, part: usize) -> Measured {
        self.measured(part, false)
    }

    /// The windows of a run of windows, and the bytes of the lines that all of them together touched and wrote, level
    /// by level.
    pub fn windows(mut self) -> (Vec<Measured>, Vec<(u64, u64)>) {
        let seen: Vec<(u32, Seen)> = self.seen().collect();
        let of = |level: &CacheSpec| {
            let line = u64::from(level.line);
            let lines = seen.iter().find(|(length, _)| *length == level.line);
            lines.map_or((0, 0), |(_, s)| {
                (s.touched.len() as u64 * line, s.written.len() as u64 * line)
            })
        };
        let seen = self.levels.iter().map(of).collect();
        (self.windows, seen)
    }

    /// The lines seen so far, by length of the line.
    fn seen(&mut self) -> impl Iterator<Item = (u32, Seen)> {
        self.capacities
            .iter_mut()
            .map(|(line, all)| (*line, all.take_seen().unwrap_or_default()))
    }

    fn measured(&self, part: usize, with_given: bool) -> Measured {
        let level = |(index, spec): (usize, &CacheSpec)| {
            let Some(position) = self
                .capacities
                .iter()
                .position(|(line, _)| *line == spec.line)
            else {
                return LevelMeasured {
                    bytes: [0; 3],
                    given: None,
                    cold: 0,
                    uncertain: 0,
                    filled: 0,
                };
            };
            let moved = self.capacities[position].1.moved(part);
            let line = u64::from(spec.line);
            let bytes = FACTORS.map(|factor| {
                let lines = (spec.bytes as f64 * factor) as u64 / line;
                (moved.fetched(lines) + moved.written(lines)) * line
            });
            let cold = moved.cold() * line;
            // A cache that was not full yet may have had these lines, or not have had those of the warm-up.
            let warm = self.warm[position];
            let uncertain = if spec.bytes / line > warm {
                cold + warm * line
            } else {
                0
            };
            let filled = spec
                .bytes
                .min(self.capacities[position].1.distinct_lines() * line);
            let given = if with_given { self.given(index) } else { None };
            LevelMeasured {
                bytes,
                given: given.map(|all| all.saturating_sub(self.before[index])),
                cold,
                uncertain,
                filled,
            }
        };
        let accesses = self.accesses.get(part).copied().unwrap_or(0);
        Measured {
            accesses,
            levels: self.levels.iter().enumerate().map(level).collect(),
        }
    }

    /// Bytes that the level at this index moved so far, its dirty lines included.
    fn given(&self, level: usize) -> Option<u64> {
        let hierarchy = self.hierarchy.as_ref()?;
        let counters = hierarchy.counters().nth(level)?;
        Some(counters.bytes_in + counters.bytes_out + hierarchy.dirty_bytes_of(level + 1))
    }
}

impl Sink for Simulation<'_> {
    fn take(&mut self, accesses: &[Access], times: u64) {
        let part = self.parts.last().copied().unwrap_or(0);
        self.accesses[part] += accesses.len() as u64 * times;
        for (_, all) in &mut self.capacities {
            // From the third time on nothing changes any more.
            for weight in [1, 1, times.saturating_sub(2)]
                .into_iter()
                .take(times.min(3) as usize)
            {
                for access in accesses {
                    all.access(access.address, access.bytes, access.kind.writes(), weight);
                }
            }
        }
        let Some(hierarchy) = &mut self.hierarchy else {
            return;
        };
        let misses = |hierarchy: &Hierarchy| {
            hierarchy
                .counters()
                .next()
                .map_or(0, |c| c.misses + c.bypasses)
        };
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

    fn phase(&mut self, phase: Phase) {
        match phase {
            Phase::WarmUp => {
                let seen: Vec<(u32, Seen)> = self.seen().collect();
                self.chill();
                for ((_, all), (_, seen)) in self.capacities.iter_mut().zip(seen) {
                    all.remember(seen);
                }
            }
            Phase::Measured => {
                self.capacities
                    .iter_mut()
                    .for_each(|(_, all)| all.count_from_here());
                self.warm = self
                    .capacities
                    .iter()
                    .map(|(_, all)| all.distinct_lines())
                    .collect();
                self.before = (0..self.levels.len())
                    .map(|level| self.given(level).unwrap_or(0))
                    .collect();
                self.accesses = vec![0];
            }
            Phase::End => self.windows.push(self.measured(0, true)),
        }
    }

    /// Part 0 is what belongs to no nest.
    fn mark(&mut self, mark: Mark) {
        match mark {
            Mark::Enter(number) => self.parts.push(number.map_or(0, |number| number + 1)),
            Mark::Leave => {
                self.parts.pop();
            }
        }
        let part = self.parts.last().copied().unwrap_or(0);
        self.accesses.resize(self.accesses.len().max(part + 1), 0);
        self.capacities
            .iter_mut()
            .for_each(|(_, all)| all.attribute(part));
    }
}
