//! Epochs of the accesses that the run's own caches sent to RAM, one window and one m at a time.
//!
//! The recurrence is that of the capacities, but for one thing that they leave out: an access that waits also waits
//! for a line that an earlier miss is still fetching. A loop that stores an element and loads its neighbour waits for
//! the store's line, which the store itself does not.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::settings::EpochSettings;
use super::slots::{Rooms, Wait};
use super::stretch::{HartStretch, Task};

/// What an instruction did in memory.
pub(crate) struct Accesses<'a> {
    /// Lines that it touched.
    pub lines: &'a [u64],
    /// How many of its accesses went to RAM.
    pub to_ram: u32,
    pub wait: Wait,
}

/// All windows of one hart, without a limit of misses in an epoch and with each.
pub(crate) struct OwnCaches {
    /// As many as there are windows for each limit.
    windows: Vec<Window>,
    sizes: usize,
}

impl OwnCaches {
    pub fn new(settings: &EpochSettings) -> OwnCaches {
        let limits = std::iter::once(None).chain(settings.slots.iter().copied().map(Some));
        let windows = limits.flat_map(|slots| {
            settings
                .windows
                .iter()
                .map(move |size| Window::new(*size, slots))
        });
        OwnCaches {
            windows: windows.collect(),
            sizes: settings.windows.len(),
        }
    }

    /// What is left to do for the next instructions, a task a window.
    pub(super) fn tasks<'t>(&'t mut self, stretch: &'t HartStretch, tasks: &mut Vec<Task<'t>>) {
        for window in &mut self.windows {
            let task = move || {
                for executed in stretch.iter() {
                    let accesses = Accesses {
                        lines: executed.lines,
                        to_ram: executed.to_ram,
                        wait: executed.wait,
                    };
                    window.step(executed.sources, &accesses);
                }
            };
            tasks.push(Box::new(task));
        }
    }

    /// Takes the next instruction: how many instructions before it each of its sources is, and its accesses.
    pub fn step(&mut self, sources: &[u32], accesses: &Accesses<'_>) {
        for window in &mut self.windows {
            window.step(sources, accesses);
        }
    }

    /// Epochs so far, by number of the limit, the first of which is none, and of the window.
    pub fn epochs(&self, limit: usize, window: usize) -> u64 {
        self.windows[limit * self.sizes + window]
            .retired
            .back()
            .copied()
            .unwrap_or(0)
    }
}

struct Window {
    size: usize,
    slots: Option<u32>,
    /// Of the last instructions, as many as the window holds: the epoch from which the result can be used.
    done: VecDeque<u64>,
    /// The epoch in which they retire.
    retired: VecDeque<u64>,
    rooms: Rooms,
    /// Epochs from which fetched lines are there.
    there: FxHashMap<u64, u64>,
}

/// Lines that are remembered before those that have arrived are forgotten.
const LINES: usize = 4096;

impl Window {
    fn new(size: u32, slots: Option<u32>) -> Window {
        let (done, retired) = (VecDeque::new(), VecDeque::new());
        Window {
            size: size as usize,
            slots,
            done,
            retired,
            rooms: Rooms::default(),
            there: FxHashMap::default(),
        }
    }

    fn step(&mut self, sources: &[u32], accesses: &Accesses<'_>) {
        let is_full = self.retired.len() == self.size;
        let entered = if is_full { self.retired[0] } else { 0 };
        let known = |distance: &usize| *distance < self.size;
        let available = (sources.iter().map(|distance| *distance as usize))
            .filter(known)
            .map(|distance| self.done[self.done.len() - distance]);
        let issued = available.fold(entered, u64::max);
        let mut done = issued;
        if accesses.wait == Wait::ForMisses {
            let there = accesses
                .lines
                .iter()
                .filter_map(|line| self.there.get(line));
            done = there.copied().fold(done, u64::max);
        }
        let mut start = issued;
        for _ in 0..accesses.to_ram {
            start = self
                .slots
                .map_or(start, |slots| self.rooms.take(entered, start, slots));
            if accesses.wait == Wait::ForMisses {
                done = done.max(start + 1);
            }
        }
        if accesses.to_ram > 0 {
            self.there
                .extend(accesses.lines.iter().map(|line| (*line, start + 1)));
        }
        if self.there.len() > LINES {
            self.there.retain(|_, epoch| *epoch > entered);
        }
        if is_full {
            self.done.pop_front();
        }
        let before = self.retired.back().copied().unwrap_or(0);
        self.done.push_back(done);
        if is_full {
            self.retired.pop_front();
        }
        self.retired.push_back(done.max(before));
    }
}
