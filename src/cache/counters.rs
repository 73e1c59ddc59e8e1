//! What is counted while accesses run through a hierarchy.

/// One level. What crosses the boundary to the next level, or to RAM from the last one, is
/// `bytes_in + bytes_out`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LevelCounters {
    /// Look-ups that found their line. Write-backs from a nearer level are not look-ups.
    pub hits: u64,
    /// Look-ups that did not.
    pub misses: u64,
    /// Stores, atomics and write-backs that went past the level without a look-up.
    pub bypasses: u64,
    /// Lines, dirty or not, that left for another line.
    pub evictions: u64,
    /// Dirty lines among them.
    pub write_backs: u64,
    /// Bytes that came from the next level or from RAM: lines filled, and atomics that bypass.
    pub bytes_in: u64,
    /// Bytes that went to the next level or to RAM: write-backs, and stores that pass.
    pub bytes_out: u64,
}

impl LevelCounters {
    /// Look-ups.
    pub fn accesses(&self) -> u64 {
        self.hits + self.misses
    }
}

/// Bytes moved between the last level and RAM.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RamTraffic {
    pub bytes_read: u64,
    pub bytes_written: u64,
}

impl RamTraffic {
    pub fn bytes(&self) -> u64 {
        self.bytes_read + self.bytes_written
    }
}
