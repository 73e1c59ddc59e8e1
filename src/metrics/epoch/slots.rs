//! Epochs when no more than m misses start in one: the same recurrence, with a miss put off to the next
//! epoch that has room.
//!
//! Stores that wait for nobody may be put off far beyond the last retirement, and a load behind them then
//! jumps as far. So epochs are whole numbers of 64 bits here, and a lane keeps only those with room.

use std::collections::VecDeque;

/// Whether an instruction waits for its misses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wait {
    ForMisses,
    /// A store into a buffer: it takes slots, its value is there at once.
    ForNothing,
}

/// All windows and capacities of one hart and one m.
pub(super) struct SlottedWindows {
    slots: u32,
    windows: Vec<Window>,
}

/// One window; rows of one lane a capacity, in rings as in [`super::windows`].
struct Window {
    size: usize,
    next: usize,
    done: Vec<u64>,
    retired: Vec<u64>,
    rooms: Vec<Rooms>,
    row: Vec<u64>,
}

impl SlottedWindows {
    pub fn new(slots: u32, sizes: &[u32], capacities: usize) -> SlottedWindows {
        let window = |size: &u32| {
            let rows = vec![0; *size as usize * capacities];
            Window {
                size: *size as usize,
                next: 0,
                done: rows.clone(),
                retired: rows,
                rooms: vec![Rooms::default(); capacities],
                row: vec![0; capacities],
            }
        };
        SlottedWindows { slots, windows: sizes.iter().map(window).collect() }
    }

    /// Takes the next instruction: how many instructions before it each of its sources is, and for each of
    /// its accesses how many of the capacities, smallest first, it misses.
    pub fn step(&mut self, sources: &[usize], misses: &[usize], wait: Wait) {
        for window in &mut self.windows {
            window.advance(sources, misses, wait, self.slots);
        }
    }

    /// Epochs so far, by number of the window and of the capacity.
    pub fn epochs(&self, window: usize, capacity: usize) -> u64 {
        let window = &self.windows[window];
        window.retired[window.before() + capacity]
    }
}

impl Window {
    /// First lane of the row of the instruction before.
    fn before(&self) -> usize {
        (if self.next == 0 { self.size - 1 } else { self.next - 1 }) * self.row.len()
    }

    fn advance(&mut self, sources: &[usize], misses: &[usize], wait: Wait, slots: u32) {
        let lanes = self.row.len();
        let own = self.next * lanes;
        self.row.copy_from_slice(&self.retired[own..][..lanes]);
        for &distance in sources.iter().filter(|distance| **distance < self.size) {
            let place = if distance <= self.next { self.next - distance } else { self.next + self.size - distance };
            for (issue, done) in self.row.iter_mut().zip(&self.done[place * lanes..][..lanes]) {
                *issue = (*issue).max(*done);
            }
        }
        for &missing in misses {
            for lane in 0..missing {
                let (entered, issue) = (self.retired[own + lane], self.row[lane]);
                let start = self.rooms[lane].take(entered, issue, slots);
                // Other accesses of the instruction that have to wait start later, never earlier.
                self.row[lane] = if wait == Wait::ForMisses { start } else { issue };
            }
        }
        if wait == Wait::ForMisses {
            let most = misses.iter().copied().max().unwrap_or(0);
            self.row[..most].iter_mut().for_each(|start| *start += 1);
        }
        let before = self.before();
        for lane in 0..lanes {
            self.done[own + lane] = self.row[lane];
            self.retired[own + lane] = self.retired[before + lane].max(self.row[lane]);
        }
        self.next = (self.next + 1) % self.size;
    }
}

/// Which epochs have room.
#[derive(Clone, Debug, Default)]
struct Rooms {
    /// Epochs before `untouched` in which fewer than m misses start, ascending, with how many do.
    open: VecDeque<(u64, u32)>,
    /// From this epoch on no miss starts.
    untouched: u64,
}

impl Rooms {
    /// Starts a miss in the first epoch with room from `issue` on, and tells which that is. No later miss
    /// issues before `entered`.
    ///
    /// At most one epoch is untouched below any issue: an epoch is reached only by a miss in the one before.
    fn take(&mut self, entered: u64, issue: u64, slots: u32) -> u64 {
        while self.open.front().is_some_and(|(epoch, _)| *epoch < entered) {
            self.open.pop_front();
        }
        let mut place = self.open.partition_point(|(epoch, _)| *epoch < issue);
        if place == self.open.len() {
            let first = self.untouched.max(entered);
            let last = self.untouched.max(issue);
            self.open.extend((first..=last).map(|epoch| (epoch, 0)));
            self.untouched = last + 1;
            place = self.open.len() - 1;
        }
        let (epoch, started) = &mut self.open[place];
        *started += 1;
        let epoch = *epoch;
        if *started == slots {
            self.open.remove(place);
        }
        epoch
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misses_are_put_off_to_the_next_room() {
        let mut rooms = Rooms::default();
        let mut take = |entered, issue| rooms.take(entered, issue, 2);
        assert_eq!([take(0, 0), take(0, 0), take(0, 0)], [0, 0, 1]);
        // Epoch 1 has room for one more, although 2 has been asked for.
        assert_eq!([take(0, 2), take(0, 0), take(0, 0), take(0, 1)], [2, 1, 2, 3]);
        assert_eq!([take(3, 3), take(3, 3)], [3, 4]);
    }
}
