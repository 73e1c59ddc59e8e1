//! C-AMAT, APC and layered performance matching of a timeline: how concurrency hides the time of
//! accesses, level by level (Liu, Espina, Sun 2021, JCST 36(1), cited as "L n"; Wang, Sun 2012,
//! IIT/CS-SCS2012-05).
//!
//! [`meter`] counts cycles while a timeline streams past; [`formulas`] says what follows from the counts;
//! [`identities`] says what has to agree; [`matching`] compares levels with a target; [`mod@file`] reads timelines
//! of other simulators; [`cells`] is a short timeline cycle by cycle, to be drawn.

pub mod cells;
mod cycles;
pub mod file;
pub mod formulas;
pub mod identities;
pub mod matching;
pub mod meter;
mod moments;

use super::timeline::TimedAccess;

pub use formulas::Figures;
pub use meter::{CamatMeter, MeterSettings};

/// What was counted on a timeline, and the inputs that go with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Camat {
    pub program: Program,
    /// Nearest first.
    pub levels: Vec<LevelCounts>,
    /// From the first cycle of the run to its last.
    pub run: (u64, u64),
    /// Harts with accesses.
    pub harts: u64,
    /// Level from which on harts share the levels, counted from zero; `None` if all levels are private.
    pub first_shared: Option<usize>,
    /// The accesses of a short timeline, in the order in which they came.
    pub accesses: Option<Vec<NamedAccess>>,
}

/// What a timeline does not show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Program {
    /// IC: executed instructions of all harts.
    pub instructions: Option<u64>,
    /// Cycles per instruction if memory never stalled.
    pub cpi_exe: Option<f64>,
    /// Cycles that all harts took, each from its first instruction to its last.
    pub hart_cycles: Option<u64>,
    /// Δ that is aimed at: stall time as a share of compute time.
    pub stall_target: f64,
}

/// An access and what it is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedAccess {
    pub id: String,
    pub access: TimedAccess,
}

/// What was counted at one level. Levels that are private are counted hart by hart and added, so that cycles
/// are cycles of a hart; a level that harts share is counted once for all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LevelCounts {
    /// `L1` …
    pub name: String,
    /// Harts of a run of which each cycle counts: 1 for a private level.
    pub sharers: u64,
    /// α: accesses that look up here.
    pub alpha: u64,
    /// α_m: accesses with miss cycles here, secondary misses included.
    pub alpha_m: u64,
    /// α_M: accesses with a pure miss cycle.
    pub alpha_pure: u64,
    /// Misses that wait for an earlier one of the same line and are not accesses of the next level (L, footnote 3).
    pub secondary: u64,
    /// Misses of which it is not known whether they are secondary ones or accesses of RAM: those of the last level in
    /// another simulator's log.
    pub untold: u64,
    /// Cycles of the run.
    pub n: u64,
    /// e: cycles without activity.
    pub e: u64,
    /// h: cycles with hit activity only.
    pub h: u64,
    /// m: cycles with miss activity only, the pure miss cycles.
    pub m: u64,
    /// x: cycles with both.
    pub x: u64,
    /// ω: cycles with any activity.
    pub omega: u64,
    /// Cycles in which a miss waits that goes on to the next level.
    pub onward: u64,
    /// Σ c_i^(h): hit cycles of all accesses.
    pub hit_cycles: u64,
    /// Σ c_i^(m): miss cycles of all accesses.
    pub miss_cycles: u64,
    /// Σ c_i^(m) over the pure miss cycles.
    pub pure_miss_cycles: u64,
    /// Miss cycles of secondary misses.
    pub secondary_cycles: u64,
    /// Cycles of all stays, added access by access.
    pub stay_cycles: u64,
}

impl LevelCounts {
    /// Adds what another hart did at the same private level.
    pub fn combine(&mut self, other: LevelCounts) {
        let LevelCounts {
            name,
            sharers,
            alpha,
            alpha_m,
            alpha_pure,
            secondary,
            untold,
            n,
            e,
            h,
            m,
            x,
            omega,
            onward,
            hit_cycles,
            miss_cycles,
            pure_miss_cycles,
            secondary_cycles,
            stay_cycles,
        } = other;
        self.name = name;
        self.sharers = sharers;
        let sums = [
            (&mut self.alpha, alpha),
            (&mut self.alpha_m, alpha_m),
            (&mut self.alpha_pure, alpha_pure),
            (&mut self.secondary, secondary),
            (&mut self.untold, untold),
            (&mut self.n, n),
            (&mut self.e, e),
            (&mut self.h, h),
            (&mut self.m, m),
            (&mut self.x, x),
            (&mut self.omega, omega),
            (&mut self.onward, onward),
            (&mut self.hit_cycles, hit_cycles),
            (&mut self.miss_cycles, miss_cycles),
            (&mut self.pure_miss_cycles, pure_miss_cycles),
            (&mut self.secondary_cycles, secondary_cycles),
            (&mut self.stay_cycles, stay_cycles),
        ];
        for (sum, count) in sums {
            *sum += count;
        }
    }
}

impl Program {
    /// Nothing is known.
    pub const UNKNOWN: Program = Program {
        instructions: None,
        cpi_exe: None,
        hart_cycles: None,
        stall_target: 0.1,
    };
}

impl Camat {
    /// Whether what misses at a level is all of what the next one sees: no secondary misses, and the same
    /// harts. Then the recursions of L 38, 39, 41 hold as printed. Levels count from zero.
    pub fn passes_on(&self, level: usize) -> bool {
        let (Some(here), Some(next)) = (self.levels.get(level), self.levels.get(level + 1)) else {
            return false;
        };
        here.secondary == 0 && here.sharers == next.sharers
    }
}
