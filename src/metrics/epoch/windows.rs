//! Epochs of every window and capacity at once, as vectors of 16-bit lanes.
//!
//! A window of W instructions keeps, for the last W of them, the epoch from which the result can be used
//! and the epoch of retirement, one lane a capacity. An older producer has retired before the instruction
//! enters and cannot hold it up. Lanes are relative to a base that is moved now and then: an instruction
//! retires at most one epoch after the one before it, so that they stay small.

/// Lanes of one vector.
const LANES: usize = 8;
/// Most capacities.
pub(super) const MOST_CAPACITIES: usize = 8 * LANES;
/// Largest window: with `REBASE` it stays below 2¹⁶.
pub(super) const LARGEST_WINDOW: u32 = 1 << 15;
/// Instructions from one move of the bases to the next.
const REBASE: u32 = 1 << 13;

type Chunk = [u16; LANES];

/// All windows of one hart.
pub(super) struct Windows {
    /// Vectors for the capacities, which ascend.
    chunks: usize,
    windows: Vec<Window>,
    /// A row for each number of capacities that miss: 1 in the lanes of those.
    weights: Vec<Chunk>,
    since_rebase: u32,
}

/// One window; rows of `chunks` vectors, one an instruction, in rings.
struct Window {
    size: usize,
    /// Row of the next instruction; that of the one `size` before it is there until then.
    next: usize,
    /// Epoch from which the result can be used.
    done: Vec<Chunk>,
    retired: Vec<Chunk>,
    bases: Vec<u64>,
}

impl Windows {
    /// Windows from 1 to [`LARGEST_WINDOW`], from 1 to [`MOST_CAPACITIES`] capacities.
    pub fn new(sizes: &[u32], capacities: usize) -> Windows {
        let chunks = capacities.div_ceil(LANES);
        let window = |size: &u32| {
            let rows = vec![[0; LANES]; *size as usize * chunks];
            let bases = vec![0; chunks * LANES];
            Window { size: *size as usize, next: 0, done: rows.clone(), retired: rows, bases }
        };
        let weight = |missing: usize, lane: usize| u16::from(lane < missing);
        let row =
            |missing| (0..chunks).map(move |chunk| std::array::from_fn(|lane| weight(missing, chunk * LANES + lane)));
        let weights = (0..=capacities).flat_map(row).collect();
        Windows { chunks, windows: sizes.iter().map(window).collect(), weights, since_rebase: 0 }
    }

    /// Takes the next instruction: how many instructions before it each of its sources is, and how many of
    /// the capacities, smallest first, have it wait for a miss.
    #[inline]
    pub fn step(&mut self, sources: &[usize], missing: usize) {
        match self.chunks {
            1 => self.advance::<1>(sources, missing),
            2 => self.advance::<2>(sources, missing),
            3 => self.advance::<3>(sources, missing),
            4 => self.advance::<4>(sources, missing),
            5 => self.advance::<5>(sources, missing),
            6 => self.advance::<6>(sources, missing),
            7 => self.advance::<7>(sources, missing),
            _ => self.advance::<8>(sources, missing),
        }
        self.since_rebase += 1;
        if self.since_rebase == REBASE {
            self.since_rebase = 0;
            self.windows.iter_mut().for_each(|window| window.rebase(self.chunks));
        }
    }

    fn advance<const N: usize>(&mut self, sources: &[usize], missing: usize) {
        let weight = *row::<N>(&self.weights, missing);
        for window in &mut self.windows {
            window.advance::<N>(sources, &weight);
        }
    }

    /// Epochs so far, by number of the window and of the capacity.
    pub fn epochs(&self, window: usize, capacity: usize) -> u64 {
        let window = &self.windows[window];
        let last = &window.retired[window.before() * self.chunks..];
        window.bases[capacity] + u64::from(last[capacity / LANES][capacity % LANES])
    }
}

impl Window {
    fn before(&self) -> usize {
        if self.next == 0 { self.size - 1 } else { self.next - 1 }
    }

    /// enter(i) = retire(i−W); issue(i) = max(enter, sources); done(i) = issue + weight;
    /// retire(i) = max(retire(i−1), done).
    #[inline(always)]
    fn advance<const N: usize>(&mut self, sources: &[usize], weight: &[Chunk; N]) {
        let mut done = *row::<N>(&self.retired, self.next);
        for &distance in sources {
            if distance < self.size {
                let place = if distance <= self.next { self.next - distance } else { self.next + self.size - distance };
                later(&mut done, row(&self.done, place));
            }
        }
        for (done, weight) in done.iter_mut().zip(weight) {
            for (done, weight) in done.iter_mut().zip(weight) {
                *done = done.wrapping_add(*weight);
            }
        }
        let mut retired = *row::<N>(&self.retired, self.before());
        later(&mut retired, &done);
        self.done[self.next * N..][..N].copy_from_slice(&done);
        self.retired[self.next * N..][..N].copy_from_slice(&retired);
        self.next += 1;
        if self.next == self.size {
            self.next = 0;
        }
    }

    /// Nothing enters before the oldest of the window has retired: that becomes the base, and what is older
    /// becomes as old.
    fn rebase(&mut self, chunks: usize) {
        let oldest = self.retired[self.next * chunks..][..chunks].to_vec();
        for (base, moved) in self.bases.iter_mut().zip(oldest.iter().flatten()) {
            *base += u64::from(*moved);
        }
        for rows in [&mut self.done, &mut self.retired] {
            for row in rows.chunks_exact_mut(chunks) {
                for (lane, moved) in row.iter_mut().flatten().zip(oldest.iter().flatten()) {
                    *lane = lane.saturating_sub(*moved);
                }
            }
        }
    }
}

#[inline(always)]
fn row<const N: usize>(rows: &[Chunk], place: usize) -> &[Chunk; N] {
    rows[place * N..][..N].try_into().expect("rows are whole")
}

#[inline(always)]
fn later<const N: usize>(lanes: &mut [Chunk; N], others: &[Chunk; N]) {
    for (lanes, others) in lanes.iter_mut().zip(others) {
        for (lane, other) in lanes.iter_mut().zip(others) {
            *lane = (*lane).max(*other);
        }
    }
}
