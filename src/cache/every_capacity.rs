//! What fully associative LRU write-back caches of every capacity move, from one pass over the accesses.
//!
//! An access with stack distance d misses in caches of at most d lines, and fetches its line there. A line
//! that was written stays dirty in a cache of n lines until a distance of n or more says that it left in
//! between: the largest distance since its last write, its *dirty level*, tells for all n at once which caches
//! still hold it dirty (Thompson and Smith, ACM TOCS 7(1), 1989).

use super::spec::SpecError;
use super::stack_distance::StackDistances;

/// Lines moved by write-back, write-allocate caches of every capacity, cold at the beginning.
pub struct EveryCapacity {
    distances: StackDistances,
    /// What was moved, by part of the program.
    moved: Vec<Moved>,
    /// The part that accesses belong to.
    part: usize,
    /// By number of the line.
    lines: Vec<Line>,
}

/// What is known of a line.
#[derive(Clone, Copy)]
struct Line {
    /// Caches of more than so many lines hold it dirty.
    dirty_above: u32,
    /// The part that wrote it last.
    writer: u32,
}

/// Lines moved for one part of a program: fetched for its accesses, and written back after it changed them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    cold: u64,
    /// Accesses by stack distance.
    fetched: Vec<u64>,
    /// Lines written back, as differences: entry n is what caches of n lines write more than those of n − 1.
    written: Vec<i64>,
}

/// No cache holds the line dirty.
const CLEAN: u32 = u32::MAX;

impl EveryCapacity {
    /// Caches with lines of `line_bytes` bytes.
    ///
    /// # Errors
    /// `SpecError::Line` if that is no length of a line.
    pub fn new(line_bytes: u64) -> Result<EveryCapacity, SpecError> {
        let distances = StackDistances::new(line_bytes)?;
        Ok(EveryCapacity { distances, moved: vec![Moved::default()], part: 0, lines: Vec::new() })
    }

    /// Accesses from here on belong to this part of the program; at the beginning it is part 0.
    pub fn attribute(&mut self, part: usize) {
        self.part = part;
        if part >= self.moved.len() {
            self.moved.resize(part + 1, Moved::default());
        }
    }

    /// What was moved for a part.
    pub fn moved(&self, part: usize) -> &Moved {
        const NOTHING: &Moved = &Moved { cold: 0, fetched: Vec::new(), written: Vec::new() };
        self.moved.get(part).unwrap_or(NOTHING)
    }

    /// Forgets what was moved so far, but not what the caches hold.
    pub fn count_from_here(&mut self) {
        self.moved.iter_mut().for_each(|moved| *moved = Moved::default());
    }

    /// Accesses every line that holds some of `bytes` bytes from `address` on, and counts that `weight`
    /// times: an access that is repeated so often with nothing changing any more.
    #[inline]
    pub fn access(&mut self, address: u64, bytes: u32, writes: bool, weight: u64) {
        for line in self.distances.lines(address, bytes) {
            self.access_line(line, writes, weight);
        }
    }

    #[inline]
    fn access_line(&mut self, line: u64, writes: bool, weight: u64) {
        let (distance, number) = self.distances.touch_numbered(line);
        let moved = &mut self.moved[self.part];
        let written = Line { dirty_above: 0, writer: self.part as u32 };
        let Some(distance) = distance else {
            moved.cold += weight;
            if number >= self.lines.len() {
                let clean = Line { dirty_above: CLEAN, writer: 0 };
                self.lines.resize((number + 1).next_multiple_of(1 << 10).max(2 * self.lines.len()), clean);
            }
            if writes {
                self.lines[number] = written;
            }
            return;
        };
        let place = distance as usize;
        if place >= moved.fetched.len() {
            moved.fetched.resize((place + 1).max(2 * moved.fetched.len()), 0);
        }
        moved.fetched[place] += weight;
        let line = &mut self.lines[number];
        let distance = distance as u32;
        if line.dirty_above < distance {
            // Caches of more than the dirty level and at most `distance` lines wrote it back.
            let from = std::mem::replace(&mut line.dirty_above, distance);
            self.moved[line.writer as usize].write(from, Some(distance), weight as i64);
        }
        if writes {
            *line = written;
        }
    }

    /// Writes back every dirty line of every cache.
    pub fn flush(&mut self) {
        for line in &mut self.lines {
            let level = std::mem::replace(&mut line.dirty_above, CLEAN);
            if level != CLEAN {
                self.moved[line.writer as usize].write(level, None, 1);
            }
        }
    }

    /// Lines touched so far.
    pub fn distinct_lines(&self) -> u64 {
        self.distances.distinct_lines()
    }
}

impl Moved {
    /// Counts lines written by caches of more than `from` and at most `to` lines.
    fn write(&mut self, from: u32, to: Option<u32>, weight: i64) {
        let last = to.unwrap_or(from) as usize + 1;
        if last >= self.written.len() {
            self.written.resize((last + 1).max(2 * self.written.len()), 0);
        }
        self.written[from as usize + 1] += weight;
        if let Some(to) = to {
            self.written[to as usize + 1] -= weight;
        }
    }

    /// Lines touched for the first time.
    pub fn cold(&self) -> u64 {
        self.cold
    }

    /// Lines that a cache of `lines` lines fetched.
    pub fn fetched(&self, lines: u64) -> u64 {
        let from = usize::try_from(lines).unwrap_or(usize::MAX).min(self.fetched.len());
        self.cold + self.fetched[from..].iter().sum::<u64>()
    }

    /// Lines that a cache of `lines` lines wrote back.
    pub fn written(&self, lines: u64) -> u64 {
        let last = usize::try_from(lines).unwrap_or(usize::MAX).saturating_add(1).min(self.written.len());
        self.written[..last].iter().sum::<i64>() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::{AccessKind, CacheSpec, Hierarchy, split_mix};

    /// Every capacity by itself: the simulator of one level, emptied at the end.
    fn simulated(accesses: &[(u64, bool)], lines: u64) -> (u64, u64) {
        let spec: CacheSpec = format!("{},full", lines * 64).parse().expect("a cache");
        let mut cache = Hierarchy::new(&[spec]).expect("one level");
        for (line, writes) in accesses {
            let kind = if *writes { AccessKind::Store } else { AccessKind::Load };
            cache.access(line * 64, 8, kind);
        }
        (cache.ram().bytes_read / 64, (cache.ram().bytes_written + cache.dirty_bytes()) / 64)
    }

    #[test]
    fn equals_a_simulation_of_each_capacity() {
        for seed in 0..200 {
            let mut state = seed;
            let mut next = |below: u64| {
                state += 1;
                split_mix(state * 7919 + seed) % below
            };
            let (count, distinct) = (next(400), 1 + next(40));
            let accesses: Vec<(u64, bool)> = (0..count).map(|_| (next(distinct), next(4) == 0)).collect();
            let mut all = EveryCapacity::new(64).expect("a line");
            accesses.iter().for_each(|(line, writes)| all.access(line * 64, 8, *writes, 1));
            all.flush();
            for lines in 1..45 {
                assert_eq!(
                    (all.moved(0).fetched(lines), all.moved(0).written(lines)),
                    simulated(&accesses, lines),
                    "seed {seed}, {lines}"
                );
            }
        }
    }

    #[test]
    fn lines_are_fetched_for_who_needs_them_and_written_for_who_changed_them() {
        let mut all = EveryCapacity::new(64).expect("a line");
        for (part, line, writes) in [(0, 1, true), (0, 2, false), (1, 1, false), (1, 2, true), (2, 1, false)] {
            all.attribute(part);
            all.access(line * 64, 8, writes, 1);
        }
        all.flush();
        let moved =
            |lines: u64| [0, 1, 2, 3].map(|part| (all.moved(part).fetched(lines), all.moved(part).written(lines)));
        assert_eq!(moved(1), [(2, 1), (2, 1), (1, 0), (0, 0)]);
        assert_eq!(moved(2), [(2, 1), (0, 1), (0, 0), (0, 0)]);
    }

    /// a b c, thrice in all, b written: the third round counts for all later ones.
    #[test]
    fn later_rounds_of_the_same_lines_can_be_counted_at_once() {
        let round = [(5, false), (9, true), (2, false), (9, false)];
        let mut all = EveryCapacity::new(64).expect("a line");
        for weight in [1, 1, 6] {
            round.iter().for_each(|(line, writes)| all.access(line * 64, 8, *writes, weight));
        }
        all.flush();
        let accesses: Vec<(u64, bool)> = (0..8).flat_map(|_| round).collect();
        for lines in 1..5 {
            assert_eq!(
                (all.moved(0).fetched(lines), all.moved(0).written(lines)),
                simulated(&accesses, lines),
                "{lines} lines"
            );
        }
    }
}
