//! Places for lines in a level.

/// Whether a line differs from what the next level has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Clean = 0,
    Dirty = 2,
}

/// A place for a line: its number and state, or nothing. The number of a line is its address divided by
/// the bytes of a line, which are at least four, so that two bits are free; nothing is all zeros, so
/// that the memory of large caches is not touched before it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot(pub(super) u64);

impl Slot {
    pub(super) const EMPTY: Slot = Slot(0);

    #[inline]
    pub(super) fn new(line: u64, state: State) -> Slot {
        Slot(line << 2 | state as u64 | 1)
    }

    #[inline]
    pub(super) fn holds(self, line: u64) -> bool {
        self.0 | State::Dirty as u64 == line << 2 | 3
    }

    #[inline]
    pub(super) fn add(&mut self, state: State) {
        self.0 |= state as u64;
    }

    #[inline]
    pub(super) fn line(self) -> Option<u64> {
        (self != Slot::EMPTY).then_some(self.0 >> 2)
    }

    #[inline]
    pub(super) fn is_dirty(self) -> bool {
        self.0 & State::Dirty as u64 != 0
    }
}

/// Empty places, in memory that the system hands out when it is first written.
pub(super) fn empty_slots(count: usize) -> Vec<Slot> {
    vec![Slot::EMPTY; count]
}
