//! The lines that one level holds: which set a line belongs to, and the sets under any policy.

use super::fifo::Fifo;
use super::lru::{RecencyList, RecencyOrder};
use super::placed::{MOST_SEARCHED_WAYS, Placed};
use super::plru::Tree;
use super::random::Random;
use super::slot::{Slot, State};
use super::spec::{CacheSpec, Policy};

/// The lines of one level.
pub(super) struct Level {
    sets: Sets,
    lines: Lines,
}

/// How the set of a line is found.
enum Sets {
    Mask(u64),
    Modulo(u64),
}

enum Lines {
    Lru(RecencyOrder),
    LargeLru(Placed<RecencyList>),
    Fifo(Placed<Fifo>),
    Plru(Placed<Tree>),
    Random(Placed<Random>),
}

/// Calls the same method whatever the policy is.
macro_rules! each {
    ($lines:expr, $these:ident => $call:expr) => {
        match $lines {
            Lines::Lru($these) => $call,
            Lines::LargeLru($these) => $call,
            Lines::Fifo($these) => $call,
            Lines::Plru($these) => $call,
            Lines::Random($these) => $call,
        }
    };
}

impl Level {
    /// An empty level of a shape that has been checked.
    pub(super) fn new(spec: &CacheSpec) -> Level {
        let (sets, ways) = (spec.sets() as usize, spec.set_lines() as usize);
        let lines = match spec.policy {
            Policy::Lru if ways as u64 <= MOST_SEARCHED_WAYS => {
                Lines::Lru(RecencyOrder::new(sets, ways))
            }
            Policy::Lru => Lines::LargeLru(Placed::new(sets, ways, RecencyList::new(sets, ways))),
            Policy::Fifo => Lines::Fifo(Placed::new(sets, ways, Fifo::new(sets, ways))),
            Policy::Plru => Lines::Plru(Placed::new(sets, ways, Tree::new(sets, ways))),
            Policy::Random { seed } => {
                Lines::Random(Placed::new(sets, ways, Random::new(seed, ways)))
            }
        };
        let count = sets as u64;
        Level {
            sets: if count.is_power_of_two() {
                Sets::Mask(count - 1)
            } else {
                Sets::Modulo(count)
            },
            lines,
        }
    }

    #[inline]
    fn set(&self, line: u64) -> usize {
        match self.sets {
            Sets::Mask(mask) => (line & mask) as usize,
            Sets::Modulo(count) => (line % count) as usize,
        }
    }

    /// Uses `line`, which is brought in unless it is there. `None` is a hit; else what had to leave, or
    /// `Slot::EMPTY`. The line used last in its set is looked at first: using it again changes no order
    /// under any policy.
    #[inline]
    pub(super) fn touch(&mut self, line: u64, state: State) -> Option<Slot> {
        let set = self.set(line);
        each!(&mut self.lines, these => {
            let recent = these.recent(set);
            if recent.holds(line) {
                recent.add(state);
                return None;
            }
            these.touch(set, line, state)
        })
    }

    /// Marks `line` dirty, without using it, if it is there; says whether it was.
    pub(super) fn mark_dirty(&mut self, line: u64) -> bool {
        let set = self.set(line);
        let slot = each!(&mut self.lines, these => these.find(set, line));
        slot.map(|slot| slot.add(State::Dirty)).is_some()
    }

    /// Numbers of the dirty lines, in no particular order.
    pub(super) fn dirty_lines(&self) -> impl Iterator<Item = u64> + '_ {
        let slots = each!(&self.lines, these => these.slots());
        slots
            .iter()
            .filter(|slot| slot.is_dirty())
            .filter_map(|slot| slot.line())
    }
}
