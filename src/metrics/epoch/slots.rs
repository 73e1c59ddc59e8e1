//! Epochs when no more than m misses start in one: the same recurrence, with a miss put off to the next
//! epoch that has room.
//!
//! Stores that wait for nobody may be put off far beyond the last retirement, and a load behind them then
//! jumps as far. So lanes are wider here, and each keeps the epochs with room.

use std::collections::VecDeque;

use super::rings::{LANES, OnRows, Ring, Row, Rows, Widest};
use super::stretch::{Executed, HartStretch, Task};

/// Whether an instruction waits for its misses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    ForMisses,
    /// A store into a buffer: it takes slots, its value is there at once.
    ForNothing,
}

/// All windows and capacities of one hart and one m.
pub(super) struct SlottedWindows {
    slots: u32,
    chunks: usize,
    windows: Vec<Window>,
}

struct Window {
    ring: Ring<i32>,
    rooms: Vec<Rooms>,
}

/// Epochs from a base at which the bases move.
const FAR: u64 = 1 << 30;

impl SlottedWindows {
    pub fn new(slots: u32, sizes: &[u32], capacities: usize) -> SlottedWindows {
        let chunks = capacities.div_ceil(LANES);
        let window = |size: &u32| Window {
            ring: Ring::new(*size, chunks),
            rooms: vec![Rooms::default(); capacities],
        };
        SlottedWindows {
            slots,
            chunks,
            windows: sizes.iter().map(window).collect(),
        }
    }

    /// What is left to do for the next instructions, a task a window.
    pub fn tasks<'t>(&'t mut self, stretch: &'t HartStretch, tasks: &mut Vec<Task<'t>>) {
        let (chunks, slots) = (self.chunks, self.slots);
        for window in &mut self.windows {
            let work = Advance {
                window,
                stretch,
                slots,
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
    stretch: &'t HartStretch,
    slots: u32,
}

impl OnRows for Advance<'_> {
    #[inline(always)]
    fn run<const N: usize>(self) {
        self.window.advance_all::<N>(self.stretch, self.slots);
    }
}

impl Window {
    #[inline(always)]
    fn advance_all<const N: usize>(&mut self, stretch: &HartStretch, slots: u32) {
        let Window { ring, rooms } = self;
        let mut executed = stretch.iter();
        loop {
            let mut rows = ring.rows::<N>();
            let mut is_far = false;
            for executed in executed.by_ref() {
                // Of most nothing misses.
                if executed.misses.iter().all(|missing| *missing == 0) {
                    rows.advance(executed.sources, |issued, _| issued);
                    continue;
                }
                let mut farthest = 0;
                rows.advance(executed.sources, |issued, rows| {
                    let mut done = issued;
                    farthest = start::<N>(&executed, rows, (rooms, slots), &mut done);
                    done
                });
                if farthest >= FAR {
                    is_far = true;
                    break;
                }
            }
            if !is_far {
                return;
            }
            ring.rebase();
        }
    }
}

/// Starts the misses of an instruction that is issued then, and finds when it is done. Returns how far from its base a
/// lane got.
#[inline(never)]
fn start<const N: usize>(
    executed: &Executed<'_>,
    rows: &Rows<'_, i32, N>,
    (rooms, slots): (&mut [Rooms], u32),
    done: &mut Row<i32, N>,
) -> u64 {
    let wait = executed.wait;
    let entered = rows.entered();
    let mut farthest = 0;
    let mut most = 0;
    for &missing in executed.misses {
        let missing = usize::from(missing);
        most = most.max(missing);
        for lane in 0..missing {
            let (base, own) = (rows.bases[lane], &mut done[lane / LANES][lane % LANES]);
            let entered = base + u64::from(entered[lane / LANES][lane % LANES].unsigned_abs());
            let issued = base + u64::from(own.unsigned_abs());
            let start = rooms[lane].take(entered, issued, slots) - base;
            // Other accesses of the instruction that have to wait start later, never earlier.
            if wait == Wait::ForMisses {
                farthest = farthest.max(start);
                *own = i32::try_from(start).expect("fewer than 2³⁰ stores in a row miss");
            }
        }
    }
    if wait == Wait::ForMisses {
        (0..most).for_each(|lane| done[lane / LANES][lane % LANES] += 1);
    }
    farthest
}

/// Which epochs have room.
#[derive(Clone, Debug, Default)]
pub(super) struct Rooms {
    /// Epochs before `untouched` in which fewer than m misses start, ascending, with how many do.
    open: VecDeque<(u64, u32)>,
    /// From this epoch on no miss starts.
    untouched: u64,
}

impl Rooms {
    /// Starts a miss in the first epoch with room from `issue` on, and returns which that is. No later miss
    /// issues before `entered`.
    pub fn take(&mut self, entered: u64, issue: u64, slots: u32) -> u64 {
        while self.open.front().is_some_and(|(epoch, _)| *epoch < entered) {
            self.open.pop_front();
        }
        // Most misses start as late as the last one, or later.
        let mut place = match self.open.back() {
            Some((last, _)) if *last > issue => {
                self.open.partition_point(|(epoch, _)| *epoch < issue)
            }
            Some((last, _)) if *last == issue => self.open.len() - 1,
            _ => self.open.len(),
        };
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
        assert_eq!(
            [take(0, 2), take(0, 0), take(0, 0), take(0, 1)],
            [2, 1, 2, 3]
        );
        assert_eq!([take(3, 3), take(3, 3)], [3, 4]);
    }
}
