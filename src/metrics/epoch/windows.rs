//! Epochs of every window and capacity at once, as vectors of 16-bit lanes. An instruction retires at most
//! one epoch after the one before it, so that lanes stay small when the bases move in time.

use super::rings::{LANES, OnRows, Ring, Widest};
use super::stretch::{HartStretch, Task};

/// Most capacities.
pub(super) const MOST_CAPACITIES: usize = 8 * LANES;
/// Largest window: half of what a lane can count is left for the time between two moves of the bases.
pub(super) const LARGEST_WINDOW: u32 = 1 << 14;

/// All windows of one hart.
pub(super) struct Windows {
    /// Vectors for the capacities, which ascend.
    chunks: usize,
    windows: Vec<Window>,
    /// A row for each number of capacities that miss: 1 in the lanes of those.
    weights: Vec<[i16; LANES]>,
}

struct Window {
    ring: Ring<i16>,
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
        let window = |size: &u32| {
            // Behind a move, the last retirement is less than W epochs from the base.
            let interval = i16::MAX as u32 - size;
            Window {
                ring: Ring::new(*size, chunks),
                interval,
                left: interval,
            }
        };
        Windows {
            chunks,
            windows: sizes.iter().map(window).collect(),
            weights: (0..=capacities).flat_map(row).collect(),
        }
    }

    /// What is left to do for the next instructions, a task a window: how many instructions before each its sources
    /// are, and how many of the capacities, smallest first, have it wait for a miss.
    pub fn tasks<'t>(&'t mut self, stretch: &'t HartStretch, tasks: &mut Vec<Task<'t>>) {
        let Windows {
            chunks,
            windows,
            weights,
        } = self;
        let (chunks, weights) = (*chunks, &weights[..]);
        for window in windows {
            let work = Advance {
                window,
                weights,
                stretch,
            };
            tasks.push(Box::new(move || Widest { chunks, work }.run()));
        }
    }

    /// Epochs so far, by number of the window and of the capacity.
    pub fn epochs(&self, window: usize, capacity: usize) -> u64 {
        self.windows[window].ring.last(capacity)
    }
}

/// A window that goes on.
struct Advance<'t> {
    window: &'t mut Window,
    weights: &'t [[i16; LANES]],
    stretch: &'t HartStretch,
}

impl OnRows for Advance<'_> {
    #[inline(always)]
    fn run<const N: usize>(self) {
        self.window.advance::<N>(self.weights, self.stretch);
    }
}

impl Window {
    #[inline(always)]
    fn advance<const N: usize>(&mut self, weights: &[[i16; LANES]], stretch: &HartStretch) {
        let (weights, _) = weights.as_chunks::<N>();
        let mut from = 0;
        while from < stretch.len() {
            let to = stretch.len().min(from + self.left as usize);
            let mut rows = self.ring.rows::<N>();
            for (sources, missing) in stretch.waits(from, to) {
                rows.advance(sources, |mut done, _| {
                    for (done, weight) in done.iter_mut().zip(&weights[missing]) {
                        for (done, weight) in done.iter_mut().zip(weight) {
                            *done = done.wrapping_add(*weight);
                        }
                    }
                    done
                });
            }
            self.left -= (to - from) as u32;
            from = to;
            if self.left == 0 {
                self.left = self.interval;
                self.ring.rebase();
            }
        }
    }
}
