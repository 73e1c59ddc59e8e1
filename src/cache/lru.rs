//! Least recently used: small sets keep their lines in order of use, large ones a list of their ways.

use super::placed::Replacement;
use super::slot::{Slot, State, empty_slots};

/// Lines of each set from the most to the least recently used; free places are last.
pub(super) struct RecencyOrder {
    ways: usize,
    slots: Vec<Slot>,
}

impl RecencyOrder {
    pub(super) fn new(sets: usize, ways: usize) -> RecencyOrder {
        RecencyOrder {
            ways,
            slots: empty_slots(sets * ways),
        }
    }

    #[inline]
    pub(super) fn recent(&mut self, set: usize) -> &mut Slot {
        &mut self.slots[set * self.ways]
    }

    pub(super) fn find(&mut self, set: usize, line: u64) -> Option<&mut Slot> {
        self.set(set).iter_mut().find(|slot| slot.holds(line))
    }

    #[inline]
    fn set(&mut self, set: usize) -> &mut [Slot] {
        let first = set * self.ways;
        &mut self.slots[first..first + self.ways]
    }

    /// Every line in front of the one that is sought moves one place back, so that searching and
    /// reordering are one pass; at the end of it the last one has fallen out.
    #[inline]
    pub(super) fn touch(&mut self, set: usize, line: u64, state: State) -> Option<Slot> {
        let slots = self.set(set);
        let mut moved = Slot::new(line, state);
        for slot in slots.iter_mut() {
            std::mem::swap(slot, &mut moved);
            if moved.holds(line) {
                slots[0].add(if moved.is_dirty() {
                    State::Dirty
                } else {
                    state
                });
                return None;
            }
        }
        Some(moved)
    }

    pub(super) fn slots(&self) -> &[Slot] {
        &self.slots
    }
}

/// The ways of each set in a ring from the most to the least recently used.
pub(super) struct RecencyList {
    ways: usize,
    /// Neighbours of each place, as places.
    links: Vec<Link>,
    /// The most recently used place, by set.
    newest: Vec<u32>,
}

/// Neighbours in the ring. The least recently used place is next to the most recently used one.
#[derive(Clone, Copy, Default)]
struct Link {
    newer: u32,
    older: u32,
}

impl RecencyList {
    pub(super) fn new(sets: usize, ways: usize) -> RecencyList {
        RecencyList {
            ways,
            links: vec![Link::default(); sets * ways],
            newest: vec![0; sets],
        }
    }

    /// Takes a place out of the ring.
    fn unlink(&mut self, place: u32) {
        let Link { newer, older } = self.links[place as usize];
        self.links[newer as usize].older = older;
        self.links[older as usize].newer = newer;
    }

    /// Puts a place that is in no ring in front.
    fn link(&mut self, set: usize, place: u32) {
        let newest = self.newest[set];
        let oldest = self.links[newest as usize].newer;
        self.links[place as usize] = Link {
            newer: oldest,
            older: newest,
        };
        self.links[oldest as usize].older = place;
        self.links[newest as usize].newer = place;
        self.newest[set] = place;
    }
}

impl Replacement for RecencyList {
    #[inline]
    fn used(&mut self, set: usize, way: usize) {
        let place = (set * self.ways + way) as u32;
        self.unlink(place);
        self.link(set, place);
    }

    fn filled(&mut self, set: usize, way: usize) {
        let place = (set * self.ways + way) as u32;
        if way == 0 {
            self.links[place as usize] = Link {
                newer: place,
                older: place,
            };
            self.newest[set] = place;
        } else {
            self.link(set, place);
        }
    }

    /// In a full ring the oldest place becomes the newest one when the ring is turned by one.
    #[inline]
    fn replace(&mut self, set: usize) -> usize {
        let oldest = self.links[self.newest[set] as usize].newer;
        self.newest[set] = oldest;
        oldest as usize - set * self.ways
    }
}
