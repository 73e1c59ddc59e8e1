//! Stack distances: how many other lines were touched since a line was touched last.
//!
//! A fully associative LRU cache of n lines holds exactly the n lines touched last, so that an access
//! hits it if and only if its distance is less than n (Mattson, Gecsei, Slutz, Traiger, IBM Systems
//! Journal 9(2), 1970): one pass over a trace answers for every capacity.

use std::ops::RangeInclusive;

use rustc_hash::FxHashMap;

use super::recency_axis::RecencyAxis;
use super::spec::{LineSize, SpecError};

/// The lines touched so far in the order of their last touch. A touch takes O(log n) for n distinct
/// lines, and far less for lines among the last few; memory is O(n): up to some 80 bytes per line where
/// lines lie far apart, some 20 where they are dense.
///
/// The last few lines are kept in a short list that is searched. All others are in `axis`, which counts
/// the ones touched since any of them. A line is written to the axis only when it falls out of the list.
pub struct StackDistances {
    line: LineSize,
    /// The lines touched last, most recent first; free places are at the end.
    recent: [Recent; RECENT],
    used: usize,
    /// First of the ids of 16 lines in a row, by line number divided by 16.
    ids: FxHashMap<u64, u32>,
    /// Block of lines whose id was looked up last.
    last_block: (u64, u32),
    axis: RecencyAxis,
}

#[derive(Clone, Copy)]
struct Recent {
    line: u64,
    id: u32,
}

/// Lines kept in the list.
const RECENT: usize = 8;
/// log₂ of the lines that get ids together.
const BLOCK_BITS: u32 = 4;

impl StackDistances {
    /// Distances between lines of `line_bytes` bytes.
    ///
    /// # Errors
    /// `SpecError::Line` if that is not a length of a line: a power of two from 4 bytes to 1 MiB.
    pub fn new(line_bytes: u64) -> Result<StackDistances, SpecError> {
        Ok(StackDistances {
            line: LineSize::new(line_bytes)?,
            // No line has this number: lines have at least four bytes.
            recent: [Recent {
                line: u64::MAX,
                id: 0,
            }; RECENT],
            used: 0,
            ids: FxHashMap::default(),
            last_block: (u64::MAX, 0),
            axis: RecencyAxis::new(),
        })
    }

    /// Numbers of the lines that hold `bytes` bytes from `address` on; 0 bytes count as 1.
    #[inline]
    pub fn lines(&self, address: u64, bytes: u32) -> RangeInclusive<u64> {
        self.line.numbers(address, bytes)
    }

    /// Touches a line: how many other lines were touched since its last touch, `None` if this is its
    /// first.
    #[inline]
    pub fn touch(&mut self, line: u64) -> Option<u64> {
        if self.recent[0].line == line {
            return Some(0);
        }
        self.touch_other(line)
    }

    /// Distinct lines touched so far.
    pub fn distinct_lines(&self) -> u64 {
        (self.used + self.axis.len()) as u64
    }

    /// The same, with a number for the line: those of all lines are dense.
    #[inline]
    pub(super) fn touch_numbered(&mut self, line: u64) -> (Option<u64>, usize) {
        let distance = self.touch(line);
        (distance, self.recent[0].id as usize)
    }

    fn touch_other(&mut self, line: u64) -> Option<u64> {
        // Lines in front move one place back until the line is found or the last one has fallen out.
        let mut moved = self.recent[0];
        for place in 1..RECENT {
            std::mem::swap(&mut self.recent[place], &mut moved);
            if moved.line == line {
                self.recent[0] = moved;
                return Some(place as u64);
            }
        }
        let id = self.id(line);
        self.recent[0] = Recent { line, id };
        if self.used < RECENT {
            self.used += 1;
            return None;
        }
        let newer = self.axis.remove(id);
        self.axis.push(moved.id);
        newer.map(|newer| newer + RECENT as u64)
    }

    #[inline]
    fn id(&mut self, line: u64) -> u32 {
        let block = line >> BLOCK_BITS;
        if self.last_block.0 != block {
            let axis = &mut self.axis;
            let first = *self
                .ids
                .entry(block)
                .or_insert_with(|| axis.new_ids(1 << BLOCK_BITS));
            self.last_block = (block, first);
        }
        self.last_block.1 + (line & ((1 << BLOCK_BITS) - 1)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// a b c a a b d: the second a has b and c in between, the third nothing, the second b has c and a.
    #[test]
    fn other_lines_are_counted_once() {
        let mut distances = StackDistances::new(64).expect("a line");
        let found: Vec<_> = [1, 2, 3, 1, 1, 2, 4]
            .map(|line| distances.touch(line))
            .to_vec();
        assert_eq!(found, [None, None, None, Some(2), Some(0), Some(2), None]);
        assert_eq!(distances.distinct_lines(), 4);
    }

    #[test]
    fn lines_hold_the_bytes() {
        let distances = StackDistances::new(64).expect("a line");
        assert_eq!(distances.lines(63, 1), 0..=0);
        assert_eq!(distances.lines(63, 2), 0..=1);
        assert_eq!(distances.lines(64, 0), 1..=1);
        assert_eq!(distances.lines(u64::MAX, 8), (1 << 58) - 1..=(1 << 58) - 1);
        assert!(matches!(
            StackDistances::new(48),
            Err(SpecError::Line { line: 48, .. })
        ));
    }
}
