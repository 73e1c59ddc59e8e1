//! What can be used by so many at once: slots of a cycle, and registers that are held for a while.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Cycles that are near: most of what is looked at.
const NEAR: usize = 1 << 12;

/// So many uses in every cycle: issue slots, ports.
pub(super) struct Slots {
    limit: u32,
    /// Uses of the cycles from `first` to before `first + NEAR`, by their low bits.
    near: Box<[u32; NEAR]>,
    /// Uses of later cycles that have some.
    far: FxHashMap<u64, u32>,
    /// Nothing is used before.
    first: u64,
}

impl Slots {
    pub fn new(limit: u32) -> Slots {
        Slots {
            limit,
            near: Box::new([0; NEAR]),
            far: FxHashMap::default(),
            first: 0,
        }
    }

    /// The first cycle from `cycle` on that has room.
    #[inline]
    pub fn first_free(&self, cycle: u64) -> u64 {
        let mut free = cycle.max(self.first);
        while free - self.first < NEAR as u64 {
            if self.near[free as usize % NEAR] < self.limit {
                return free;
            }
            free += 1;
        }
        while self.far.get(&free).is_some_and(|used| *used >= self.limit) {
            free += 1;
        }
        free
    }

    /// Uses one slot of a cycle that has room.
    #[inline]
    pub fn take(&mut self, cycle: u64) {
        if cycle - self.first < NEAR as u64 {
            self.near[cycle as usize % NEAR] += 1;
        } else {
            *self.far.entry(cycle).or_default() += 1;
        }
    }

    pub fn forget_before(&mut self, cycle: u64) {
        if cycle <= self.first {
            return;
        }
        let over = (self.first..cycle).take(NEAR);
        over.for_each(|over| self.near[over as usize % NEAR] = 0);
        self.first = cycle;
        let near = self.far.extract_if(|far, _| *far < cycle + NEAR as u64);
        for (own, used) in near {
            if own >= cycle {
                self.near[own as usize % NEAR] = used;
            }
        }
    }
}

/// Uses that keep a distance from each other: lines that RAM delivers.
pub(super) struct Spaced {
    /// Cycles from one to the next, at least; 0 is not a distance.
    interval: u64,
    taken: BTreeSet<u64>,
}

impl Spaced {
    pub fn new(interval: u64) -> Spaced {
        Spaced {
            interval,
            taken: BTreeSet::new(),
        }
    }

    /// The first cycle from `cycle` on that keeps the distance from all others.
    pub fn first_free(&self, cycle: u64) -> u64 {
        let mut free = cycle;
        for taken in self
            .taken
            .range((cycle + 1).saturating_sub(self.interval)..)
        {
            if *taken >= free + self.interval {
                break;
            }
            free = free.max(taken + self.interval);
        }
        free
    }

    pub fn take(&mut self, cycle: u64) {
        if self.interval > 0 {
            self.taken.insert(cycle);
        }
    }

    pub fn forget_before(&mut self, cycle: u64) {
        self.taken = self.taken.split_off(&cycle.saturating_sub(self.interval));
    }
}

/// Registers of which each is held from one cycle to before another: miss status holding registers.
pub(super) struct Registers {
    limit: u32,
    held: Vec<(u64, u64)>,
    /// None is held from this cycle on.
    last: u64,
}

impl Registers {
    pub fn new(limit: u32) -> Registers {
        Registers {
            limit,
            held: Vec::new(),
            last: 0,
        }
    }

    /// 0 if one is free all the time from `from` to before `until`; else how much later to try again:
    /// behind the last stretch in which all are held then, as until there so long a time meets it.
    pub fn wait(&self, from: u64, until: u64) -> u64 {
        if self.is_free(from) {
            return 0;
        }
        let overlapping = || {
            self.held
                .iter()
                .filter(|(start, end)| *start < until && from < *end)
        };
        if (overlapping().count() as u32) < self.limit {
            return 0;
        }
        // One more or one less is held; where both happen, less first.
        let mut changes: SmallVec<[(u64, i32); 64]> = SmallVec::new();
        for (start, end) in overlapping() {
            changes.extend([((*start).max(from), 1), (*end, -1)]);
        }
        changes.sort_unstable();
        let (mut held, mut full_until) = (0, 0);
        let mut is_full = false;
        for (cycle, change) in changes {
            held += change;
            if is_full && held < self.limit as i32 {
                full_until = cycle;
            }
            is_full = held >= self.limit as i32;
            if !is_full && cycle >= until {
                break;
            }
        }
        full_until.saturating_sub(from)
    }

    /// The first cycle from `cycle` on in which not all are held.
    #[inline]
    pub fn first_free(&self, cycle: u64) -> u64 {
        if self.is_free(cycle) {
            return cycle;
        }
        self.first_of_held(cycle)
    }

    /// Whether one is free from that cycle on, as is plain without looking at each.
    #[inline]
    pub fn is_free(&self, cycle: u64) -> bool {
        self.last <= cycle || (self.held.len() as u64) < u64::from(self.limit)
    }

    #[inline(never)]
    fn first_of_held(&self, cycle: u64) -> u64 {
        let mut free = cycle;
        loop {
            let held = self
                .held
                .iter()
                .filter(|(start, end)| *start <= free && free < *end);
            let (count, next) = held.fold((0, u64::MAX), |(count, next), (_, end)| {
                (count + 1, next.min(*end))
            });
            if count < self.limit {
                return free;
            }
            free = next;
        }
    }

    pub fn hold(&mut self, from: u64, until: u64) {
        self.held.push((from, until));
        self.last = self.last.max(until);
    }

    pub fn forget_before(&mut self, cycle: u64) {
        self.held.retain(|(_, end)| *end > cycle);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_cycles_are_skipped() {
        let mut slots = Slots::new(2);
        for expected in [5, 5, 6, 6, 7] {
            let cycle = slots.first_free(5);
            assert_eq!(cycle, expected);
            slots.take(cycle);
        }
        slots.forget_before(6);
        assert_eq!(
            (
                slots.first_free(0),
                slots.first_free(6),
                slots.first_free(9)
            ),
            (7, 7, 9)
        );
    }

    #[test]
    fn a_distance_is_kept_from_both_sides() {
        let mut spaced = Spaced::new(4);
        assert_eq!(spaced.first_free(3), 3);
        spaced.take(3);
        assert_eq!(
            (
                spaced.first_free(0),
                spaced.first_free(3),
                spaced.first_free(7)
            ),
            (7, 7, 7)
        );
        spaced.take(11);
        assert_eq!((spaced.first_free(5), spaced.first_free(8)), (7, 15));
        spaced.take(7);
        assert_eq!(spaced.first_free(5), 15);
        spaced.forget_before(12);
        assert_eq!(spaced.first_free(12), 15);
    }

    #[test]
    fn registers_are_free_when_too_few_are_held_at_once() {
        let mut registers = Registers::new(2);
        registers.hold(0, 10);
        registers.hold(20, 30);
        assert_eq!(registers.wait(5, 25), 0);
        registers.hold(5, 25);
        assert_eq!(registers.wait(6, 8), 4);
        assert_eq!(registers.wait(10, 20), 0);
        // All are held from 20 to 25: later, one is free from 25 on.
        assert_eq!(registers.wait(12, 21), 13);
        registers.hold(40, 50);
        registers.hold(40, 50);
        assert_eq!((registers.wait(26, 40), registers.wait(26, 41)), (0, 24));
    }
}
