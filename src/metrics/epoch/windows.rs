//! Epochs of every window and capacity at once, as vectors of 16-bit lanes. An instruction retires at most
//! one epoch after the one before it, so that lanes stay small when the bases move in time.

use super::rings::{LANES, Ring, Row, with_chunks};

/// Most capacities.
pub(super) const MOST_CAPACITIES: usize = 8 * LANES;
/// Largest window: half of what a lane can count is left for the time between two moves of the bases.
pub(super) const LARGEST_WINDOW: u32 = 1 << 14;

/// All windows of one hart.
pub(super) struct Windows {
    /// Vectors for the capacities, which ascend.
    chunks: usize,
    rings: Vec<Ring<i16>>,
    /// A row for each number of capacities that miss: 1 in the lanes of those.
    weights: Vec<[i16; LANES]>,
    /// Instructions from one move of the bases to the next, and left until then.
    interval: u32,
    left: u32,
}

impl Windows {
    /// Windows from 1 to [`LARGEST_WINDOW`], from 1 to [`MOST_CAPACITIES`] capacities.
    pub fn new(sizes: &[u32], capacities: usize) -> Windows {
        let chunks = capacities.div_ceil(LANES);
        let weight = |missing: usize, lane: usize| i16::from(lane < missing);
        let row = |missing| {
            (0..chunks)
                .map(move |chunk| std::array::from_fn(|lane| weight(missing, chunk * LANES + lane)))
        };
        // Behind a move, the last retirement is less than W epochs from the base.
        let interval = i16::MAX as u32 - sizes.iter().copied().max().unwrap_or(0);
        Windows {
            chunks,
            rings: sizes.iter().map(|size| Ring::new(*size, chunks)).collect(),
            weights: (0..=capacities).flat_map(row).collect(),
            interval,
            left: interval,
        }
    }

    /// Takes the next instruction: how many instructions before it each of its sources is, and how many of
    /// the capacities, smallest first, have it wait for a miss.
    #[inline]
    pub fn step(&mut self, sources: &[usize], missing: usize) {
        with_chunks!(self.chunks, self.advance(sources, missing));
        self.left -= 1;
        if self.left == 0 {
            self.left = self.interval;
            self.rings.iter_mut().for_each(Ring::rebase);
        }
    }

    fn advance<const N: usize>(&mut self, sources: &[usize], missing: usize) {
        let weight: &Row<i16, N> = self.weights[missing * N..][..N]
            .try_into()
            .expect("rows are whole");
        for ring in &mut self.rings {
            let mut done = ring.issued::<N>(sources);
            for (done, weight) in done.iter_mut().zip(weight) {
                for (done, weight) in done.iter_mut().zip(weight) {
                    *done = done.wrapping_add(*weight);
                }
            }
            ring.retire(&done);
        }
    }

    /// Epochs so far, by number of the window and of the capacity.
    pub fn epochs(&self, window: usize, capacity: usize) -> u64 {
        self.rings[window].last(capacity)
    }
}
