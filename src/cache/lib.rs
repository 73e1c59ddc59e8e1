//! Caches: set-associative hierarchies that are simulated access by access, and stack distances, which
//! give every capacity of a fully associative LRU cache at once.
//!
//! [`spec`] says what a level is and reads it from text; [`hierarchy`] runs accesses through levels and
//! counts in [`counters`]; a level is in `level`, its policies in a file each. [`stack_distance`] and
//! [`reuse`] are about no cache in particular.

// The layers below, by their names.
use loopsheet_base::quantity;

pub mod counters;
mod every_capacity;
mod fifo;
pub mod hierarchy;
mod level;
mod lru;
mod placed;
mod plru;
mod random;
mod recency_axis;
pub mod reuse;
mod slot;
pub mod spec;
pub mod stack_distance;

pub use counters::{LevelCounters, RamTraffic};
pub use every_capacity::{EveryCapacity, Moved, Seen};
pub use hierarchy::{Hierarchy, Outcome, Served};
pub use random::split_mix;
pub use reuse::ReuseHistogram;
pub use spec::{CacheSpec, LineSize};
pub use stack_distance::StackDistances;

use serde::{Deserialize, Serialize};

/// What an access does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AccessKind {
    Load,
    Store,
    /// Reads and writes in one: an atomic memory operation.
    Atomic,
}

impl AccessKind {
    /// As in JSON.
    pub fn name(self) -> &'static str {
        match self {
            AccessKind::Load => "load",
            AccessKind::Store => "store",
            AccessKind::Atomic => "atomic",
        }
    }

    #[inline]
    pub fn reads(self) -> bool {
        self != AccessKind::Store
    }

    #[inline]
    pub fn writes(self) -> bool {
        self != AccessKind::Load
    }
}
