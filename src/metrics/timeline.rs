//! When every access of a program started and how long it stayed at each memory level: what C-AMAT is
//! computed from, whether it comes from the engine or from another simulator's log.

use smallvec::SmallVec;

/// An access's stay at one level (Liu, Espina, Sun 2021, equations 36 and 37).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stay {
    /// H(l): cycles of looking up.
    pub hit: u64,
    /// Cycles of waiting behind them; 0 if the level had the line. They are the whole stay at the next
    /// level, or the wait for an earlier miss of the same line (a secondary miss, which is not an access of
    /// the next level), or the latency of RAM.
    pub miss: u64,
}

/// One access: its stays are at the levels from the nearest on, each begins when the look-up before is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimedAccess {
    /// The hart that made it; its private levels are its own.
    pub hart: u16,
    /// First cycle of the look-up at the nearest level.
    pub start: u64,
    pub stays: SmallVec<[Stay; 4]>,
    /// What its last miss cycles wait for, if it has any there.
    pub waits_for: WaitsFor,
}

/// What an access that misses the last level it visits waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitsFor {
    /// An earlier miss of the same line: a secondary miss.
    OtherMiss,
    /// What is behind: RAM.
    Memory,
    /// One of the two at the last level, which a log does not show; before that, an earlier miss.
    Untold,
}

/// Takes accesses as they come, in any order within what `settled` allows.
pub trait TimelineSink {
    fn access(&mut self, access: &TimedAccess);
    /// No later access begins before this cycle.
    fn settled(&mut self, cycle: u64);
}
