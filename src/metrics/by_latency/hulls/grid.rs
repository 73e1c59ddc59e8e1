//! The upper envelope of many lines of nearby slopes, without sorting them.

use super::{Line, is_highest_between};

/// Slopes, at most.
const SLOPES: usize = 512;
const WORD: usize = u64::BITS as usize;

pub(super) struct Grid {
    /// By slope, one more than the largest intercept; 0 for none.
    heights: [u64; SLOPES],
    /// Slopes that there are.
    slopes: [u64; SLOPES / WORD],
    flattest: u64,
    hull: [Line; SLOPES],
}

impl Grid {
    pub fn new() -> Grid {
        Grid {
            heights: [0; SLOPES],
            slopes: [0; SLOPES / WORD],
            flattest: 0,
            hull: [Line::default(); SLOPES],
        }
    }

    /// Begins with lines of slopes from one to another; returns whether there is room for them.
    pub fn begin(&mut self, flattest: u64, steepest: u64) -> bool {
        self.flattest = flattest;
        steepest - flattest < SLOPES as u64
    }

    #[inline(always)]
    pub fn add(&mut self, line: Line) {
        let place = (line.memory - self.flattest) as usize % SLOPES;
        let height = &mut self.heights[place];
        *height = (*height).max(line.other + 1);
        self.slopes[place / WORD] |= 1 << (place % WORD);
    }

    /// Takes all lines off; gives those that are the highest somewhere, by descending slope.
    pub fn take_hull(&mut self) -> &[Line] {
        let Grid {
            heights,
            slopes,
            flattest,
            hull,
        } = self;
        let mut count = 0;
        for (word, slopes) in slopes.iter_mut().enumerate().rev() {
            while *slopes != 0 {
                let bit = WORD - 1 - slopes.leading_zeros() as usize;
                *slopes ^= 1 << bit;
                let place = (word * WORD + bit) % SLOPES;
                let line = Line {
                    memory: *flattest + place as u64,
                    other: std::mem::take(&mut heights[place]) - 1,
                };
                if count > 0 && hull[count - 1].other >= line.other {
                    continue;
                }
                while count > 1 && !is_highest_between(line, hull[count - 1], hull[count - 2]) {
                    count -= 1;
                }
                hull[count] = line;
                count += 1;
            }
        }
        &hull[..count]
    }
}
