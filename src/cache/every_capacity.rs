//! What fully associative LRU write-back caches of every capacity move, from one pass over the accesses.
//!
//! An access with stack distance d misses in caches of at most d lines, and fetches its line there. A line
//! that was written stays dirty in a cache of n lines until a distance of n or more says that it left in
//! between: the largest distance since its last write, its *dirty level*, shows for all n at once which caches
//! still hold it dirty (Thompson and Smith, ACM TOCS 7(1), 1989). A write to a line makes it dirty in all others,
//! and each of these writes it back once: counted when it becomes dirty, so that lines that are dirty at the
//! end are in, and a part of a run has the write-backs that it causes.

use rustc_hash::FxHashSet;

use super::spec::SpecError;
use super::stack_distance::StackDistances;

/// Lines moved by write-back, write-allocate caches of every capacity, cold at the beginning.
pub struct EveryCapacity {
    distances: StackDistances,
    /// What was moved, by part of the program.
    moved: Vec<Moved>,
    /// The part that accesses belong to.
    part: usize,
    /// Caches of more than so many lines hold the line dirty, by its number.
    dirty_above: Vec<u32>,
    /// Lines by their numbers, where they are to be remembered.
    seen: Option<Seen>,
}

/// Lines that were touched and those that were written, also before caches became cold again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    pub touched: FxHashSet<u64>,
    pub written: FxHashSet<u64>,
}

/// Lines moved for one part of a program: fetched for its accesses, and written back because it changed them.
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
    /// `SpecError::Line` if that is not a length of a line.
    pub fn new(line_bytes: u64) -> Result<EveryCapacity, SpecError> {
        let distances = StackDistances::new(line_bytes)?;
        Ok(EveryCapacity {
            distances,
            moved: vec![Moved::default()],
            part: 0,
            dirty_above: Vec::new(),
            seen: None,
        })
    }

    /// Remembers from here on which lines are seen, beside these.
    pub fn remember(&mut self, seen: Seen) {
        self.seen = Some(seen);
    }

    /// The lines seen, if they were to be remembered.
    pub fn take_seen(&mut self) -> Option<Seen> {
        self.seen.take()
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
        const NOTHING: &Moved = &Moved {
            cold: 0,
            fetched: Vec::new(),
            written: Vec::new(),
        };
        self.moved.get(part).unwrap_or(NOTHING)
    }

    /// Forgets what was moved so far, but not what the caches hold.
    pub fn count_from_here(&mut self) {
        self.moved
            .iter_mut()
            .for_each(|moved| *moved = Moved::default());
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
        if let Some(distance) = distance {
            let place = distance as usize;
            if place >= moved.fetched.len() {
                moved
                    .fetched
                    .resize((place + 1).max(2 * moved.fetched.len()), 0);
            }
            moved.fetched[place] += weight;
        } else {
            moved.cold += weight;
            self.seen.iter_mut().for_each(|seen| {
                seen.touched.insert(line);
            });
            if number >= self.dirty_above.len() {
                let lines = (number + 1)
                    .next_multiple_of(1 << 10)
                    .max(2 * self.dirty_above.len());
                self.dirty_above.resize(lines, CLEAN);
            }
        }
        let level = &mut self.dirty_above[number];
        *level = (*level).max(distance.map_or(0, |distance| distance as u32));
        if writes {
            if *level == CLEAN
                && let Some(seen) = &mut self.seen
            {
                seen.written.insert(line);
            }
            // Clean for caches of up to `level` lines.
            moved.write(std::mem::replace(level, 0), weight as i64);
        }
    }

    /// Lines touched so far.
    pub fn distinct_lines(&self) -> u64 {
        self.distances.distinct_lines()
    }
}

impl Moved {
    /// Counts a line that caches of up to `level` lines will write back.
    #[inline]
    fn write(&mut self, level: u32, weight: i64) {
        if level == 0 {
            return;
        }
        if self.written.len() < 2 {
            self.written.resize(16, 0);
        }
        self.written[1] += weight;
        if level != CLEAN {
            let place = level as usize + 1;
            if place >= self.written.len() {
                self.written
                    .resize((place + 1).max(2 * self.written.len()), 0);
            }
            self.written[place] -= weight;
        }
    }

    /// Lines touched for the first time.
    pub fn cold(&self) -> u64 {
        self.cold
    }

    /// Lines that a cache of `lines` lines fetched.
    pub fn fetched(&self, lines: u64) -> u64 {
        let from = usize::try_from(lines)
            .unwrap_or(usize::MAX)
            .min(self.fetched.len());
        self.cold + self.fetched[from..].iter().sum::<u64>()
    }

    /// Lines that a cache of `lines` lines wrote back, or has to.
    pub fn written(&self, lines: u64) -> u64 {
        let last = usize::try_from(lines)
            .unwrap_or(usize::MAX)
            .saturating_add(1)
            .min(self.written.len());
        self.written[..last].iter().sum::<i64>() as u64
    }
}
