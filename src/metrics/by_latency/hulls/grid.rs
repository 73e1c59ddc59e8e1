//! The upper envelope of many lines of nearby slopes, without sorting them.

use super::envelope::{Line, is_highest_between};

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

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: α + 9 and 3·α + 3 cross at 3, where both are 12; 2·α + 6 is there too, and nowhere above both.
    #[test]
    fn a_grid_keeps_what_is_highest_somewhere_and_is_empty_then() {
        let mut grid = Grid::new();
        let line = |(memory, other)| Line { memory, other };
        for _ in 0..2 {
            assert!(grid.begin(1, 512) && !grid.begin(0, 512) && grid.begin(1, 3));
            let lines = [(3, 3), (1, 9), (2, 6), (1, 2), (3, 1)].map(line);
            lines.into_iter().for_each(|own| grid.add(own));
            assert_eq!(grid.take_hull(), [(3, 3), (1, 9)].map(line));
        }
        assert!(grid.take_hull().is_empty());
    }
}
