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
    cold: u64,
    /// Accesses by stack distance.
    fetched: Vec<u64>,
    /// Lines written back by caches of n lines and less than n + 1, as differences: entry n is what caches of
    /// n lines write more than those of n − 1.
    written: Vec<i64>,
    /// Caches of more than so many lines hold the line dirty, by number of the line.
    dirty_above: Vec<u32>,
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
        Ok(EveryCapacity { distances, cold: 0, fetched: Vec::new(), written: Vec::new(), dirty_above: Vec::new() })
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
        let Some(distance) = distance else {
            self.cold += weight;
            if number >= self.dirty_above.len() {
                self.dirty_above.resize((number + 1).next_multiple_of(1 << 10), CLEAN);
            }
            self.dirty_above[number] = if writes { 0 } else { CLEAN };
            return;
        };
        let place = distance as usize;
        if place >= self.fetched.len() {
            self.fetched.resize((place + 1).max(2 * self.fetched.len()), 0);
        }
        self.fetched[place] += weight;
        let level = &mut self.dirty_above[number];
        let distance = distance as u32;
        if *level < distance {
            // Caches of more than `level` lines and at most `distance` wrote it back.
            let (from, to) = (*level, distance);
            *level = distance;
            self.count_written(from, Some(to), weight as i64);
        }
        if writes {
            self.dirty_above[number] = 0;
        }
    }

    /// Counts lines written by caches of more than `from` and at most `to` lines.
    fn count_written(&mut self, from: u32, to: Option<u32>, weight: i64) {
        let last = to.unwrap_or(from) as usize + 1;
        if last >= self.written.len() {
            self.written.resize((last + 1).max(2 * self.written.len()), 0);
        }
        self.written[from as usize + 1] += weight;
        if let Some(to) = to {
            self.written[to as usize + 1] -= weight;
        }
    }

    /// Writes back every dirty line of every cache, at the end. The lines stay where they are.
    pub fn flush(&mut self) {
        for number in 0..self.dirty_above.len() {
            let level = std::mem::replace(&mut self.dirty_above[number], CLEAN);
            if level != CLEAN {
                self.count_written(level, None, 1);
            }
        }
    }

    /// Lines touched for the first time.
    pub fn cold(&self) -> u64 {
        self.cold
    }

    /// Lines that a cache of `lines` lines fetched so far.
    pub fn fetched(&self, lines: u64) -> u64 {
        let from = usize::try_from(lines).unwrap_or(usize::MAX).min(self.fetched.len());
        self.cold + self.fetched[from..].iter().sum::<u64>()
    }

    /// Lines that a cache of `lines` lines wrote back so far.
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
                    (all.fetched(lines), all.written(lines)),
                    simulated(&accesses, lines),
                    "seed {seed}, {lines}"
                );
            }
        }
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
            assert_eq!((all.fetched(lines), all.written(lines)), simulated(&accesses, lines), "{lines} lines");
        }
    }
}
