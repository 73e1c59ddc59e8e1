//! The upper envelope of many lines of nearby slopes: without sorting them, and mostly without branches.

use super::{Line, add_steepest};

/// Slopes, at most, and for each line.
const SLOPES: usize = 256;
const FOR_EACH: usize = 4;

#[derive(Default)]
pub(super) struct Grid {
    flattest: u64,
    /// By slope, one more than the largest intercept; 0 for none.
    heights: Vec<u64>,
    front: Vec<Line>,
    hull: Vec<Line>,
}

impl Grid {
    /// Makes room for so many lines of slopes from one to another; returns whether they are dense enough.
    pub fn clear(&mut self, flattest: u64, steepest: u64, lines: usize) -> bool {
        let slopes = (steepest - flattest).saturating_add(1);
        let most = SLOPES.min(FOR_EACH * lines);
        if slopes > most as u64 {
            return false;
        }
        self.flattest = flattest;
        self.heights.clear();
        self.heights.resize(slopes as usize, 0);
        true
    }

    #[inline(always)]
    pub fn add(&mut self, line: Line) {
        let height = &mut self.heights[(line.memory - self.flattest) as usize];
        *height = (*height).max(line.other + 1);
    }

    /// The lines that are the highest somewhere, by ascending slope.
    pub fn hull(&mut self) -> &[Line] {
        self.front.clear();
        self.front.resize(self.heights.len(), Line::default());
        // A line that is neither steeper nor higher than another one is nowhere above it.
        let (mut count, mut highest) = (0, 0);
        for (slope, height) in self.heights.iter().enumerate().rev() {
            self.front[count] = Line {
                memory: self.flattest + slope as u64,
                other: height.wrapping_sub(1),
            };
            count += usize::from(*height > highest);
            highest = highest.max(*height);
        }
        self.hull.clear();
        for line in self.front[..count].iter().rev() {
            add_steepest(&mut self.hull, *line);
        }
        &self.hull
    }
}
