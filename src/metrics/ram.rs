//! Which accesses go to RAM.

use crate::cache::hierarchy::{Atomics, HierarchyError};
use crate::cache::{AccessKind, CacheSpec, Hierarchy, Served};
use crate::trace::isa::Access;

use super::profile::Moved;

/// What an instruction's accesses took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RamUse {
    /// Accesses that went to RAM.
    pub accesses: u32,
    /// Bytes between the last cache and RAM, write-backs included.
    pub bytes: u64,
    /// Whether a level other than the nearest was asked.
    pub left_nearest: bool,
}

/// The memory model of a run.
pub(super) enum Ram {
    /// Every access goes to RAM and moves its own bytes, an atomic one both ways.
    Uncached,
    Cached(Box<Hierarchy>),
}

impl Ram {
    /// Without levels nothing is cached. EDAN sends every atomic to RAM.
    ///
    /// # Errors
    /// The levels are not a hierarchy.
    pub fn new(levels: &[CacheSpec], atomics: Atomics) -> Result<Ram, HierarchyError> {
        if levels.is_empty() {
            return Ok(Ram::Uncached);
        }
        Ok(Ram::Cached(Box::new(
            Hierarchy::new(levels)?.with_atomics(atomics),
        )))
    }

    /// How many levels there are before RAM.
    pub fn levels(&self) -> usize {
        match self {
            Ram::Uncached => 0,
            Ram::Cached(hierarchy) => hierarchy.counters().len(),
        }
    }

    #[inline(always)]
    pub fn access(&mut self, access: Access, addresses: &[u64]) -> RamUse {
        let bytes = u32::from(access.bytes);
        let mut used = RamUse::default();
        for address in addresses {
            let (served, moved) = match self {
                // An atomic operation reads and writes.
                Ram::Uncached => (
                    Served::Memory,
                    u64::from(bytes)
                        * if access.kind == AccessKind::Atomic {
                            2
                        } else {
                            1
                        },
                ),
                Ram::Cached(hierarchy) => {
                    let outcome = hierarchy.access(*address, bytes, access.kind);
                    (outcome.served, outcome.ram_bytes)
                }
            };
            used.accesses += u32::from(served == Served::Memory);
            used.left_nearest |= served != Served::Level(0);
            used.bytes += moved;
        }
        used
    }

    /// What each level has moved from and to what is behind it, nearest first.
    pub fn moved(&self) -> impl Iterator<Item = Moved> + '_ {
        let counters = match self {
            Ram::Uncached => None,
            Ram::Cached(hierarchy) => Some(hierarchy.counters()),
        };
        counters.into_iter().flatten().map(|level| Moved {
            bytes_in: level.bytes_in,
            bytes_out: level.bytes_out,
        })
    }
}
