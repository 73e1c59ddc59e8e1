//! Caches: set-associative hierarchies that are simulated access by access, and stack distances, which
//! give every capacity of a fully associative LRU cache at once.

/// What an access does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessKind {
    Load,
    Store,
    /// Reads and writes in one: an atomic memory operation.
    Atomic,
}

impl AccessKind {
    pub fn reads(self) -> bool {
        self != AccessKind::Store
    }

    pub fn writes(self) -> bool {
        self != AccessKind::Load
    }
}
