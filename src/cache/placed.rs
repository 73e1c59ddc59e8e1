//! Lines that stay in the way into which they came, while a policy keeps the order of the ways apart.

use rustc_hash::FxHashMap;

use super::slot::{Slot, State, empty_slots};

/// Sets of up to this many ways are searched from end to end; larger ones have an index.
pub(super) const MOST_SEARCHED_WAYS: u64 = 32;

/// Which way of a full set leaves. A set's ways are filled from 0 on before any leaves, and no line
/// leaves but for another.
pub(super) trait Replacement {
    /// The way was hit, and was not the last one used in its set.
    fn used(&mut self, set: usize, way: usize);

    /// A line came into a way that was free.
    fn filled(&mut self, set: usize, way: usize);

    /// Chooses the way that leaves a full set; a new line has come into it when this returns.
    fn replace(&mut self, set: usize) -> usize;
}

/// `sets` × `ways` places.
pub(super) struct Placed<R> {
    ways: usize,
    /// By set, then by way.
    slots: Vec<Slot>,
    /// The place that was used last, by set.
    recent: Vec<u32>,
    /// Ways in use, by set.
    filled: Vec<u32>,
    /// Place of each line, where sets are too large to be searched.
    index: Option<FxHashMap<u64, u32>>,
    replacement: R,
}

impl<R: Replacement> Placed<R> {
    pub(super) fn new(sets: usize, ways: usize, replacement: R) -> Placed<R> {
        Placed {
            ways,
            slots: empty_slots(sets * ways),
            recent: (0..sets).map(|set| (set * ways) as u32).collect(),
            filled: vec![0; sets],
            index: (ways as u64 > MOST_SEARCHED_WAYS).then(FxHashMap::default),
            replacement,
        }
    }

    #[inline]
    pub(super) fn recent(&mut self, set: usize) -> &mut Slot {
        &mut self.slots[self.recent[set] as usize]
    }

    pub(super) fn find(&mut self, set: usize, line: u64) -> Option<&mut Slot> {
        let place = self.place(set, line)?;
        Some(&mut self.slots[place])
    }

    #[inline]
    fn place(&self, set: usize, line: u64) -> Option<usize> {
        match &self.index {
            Some(index) => index.get(&line).map(|place| *place as usize),
            None => {
                let first = set * self.ways;
                let way = self.slots[first..first + self.ways]
                    .iter()
                    .position(|slot| slot.holds(line))?;
                Some(first + way)
            }
        }
    }

    #[inline]
    pub(super) fn touch(&mut self, set: usize, line: u64, state: State) -> Option<Slot> {
        if let Some(place) = self.place(set, line) {
            self.slots[place].add(state);
            if self.recent[set] as usize != place {
                self.recent[set] = place as u32;
                self.replacement.used(set, place - set * self.ways);
            }
            return None;
        }
        let filled = self.filled[set] as usize;
        let way = if filled < self.ways {
            self.filled[set] += 1;
            self.replacement.filled(set, filled);
            filled
        } else {
            self.replacement.replace(set)
        };
        let place = set * self.ways + way;
        let victim = std::mem::replace(&mut self.slots[place], Slot::new(line, state));
        self.recent[set] = place as u32;
        if let Some(index) = &mut self.index {
            victim.line().map(|line| index.remove(&line));
            index.insert(line, place as u32);
        }
        Some(victim)
    }

    pub(super) fn slots(&self) -> &[Slot] {
        &self.slots
    }
}
