//! What is known of a value: when it is available, in every configuration at once.

/// What a question keeps of one value.
pub trait Held: Copy {
    /// Of values that were there before the trace began.
    const START: Self;
    /// How memory keeps it; there are many more bytes than registers.
    type Kept: Copy;

    fn keep(self) -> Self::Kept;
    fn recall(kept: Self::Kept) -> Self;
}

/// The availability of one value in all configurations of a run, of which two say by themselves which is the later.
pub trait Lanes: Held {
    /// The later of both, lane by lane.
    fn latest(self, other: Self) -> Self;
}

/// Longest paths of the eDAG up to a value (guide: dynamic-model, "One idea carries the whole mode").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct PathLengths {
    /// Cycles of all vertices on the path, below 2⁴⁴.
    pub depth: u64,
    /// Cycles of the vertices that do not go to RAM, below 2⁴⁴.
    pub non_memory_span: u64,
    /// Vertices that go to RAM, below 2⁴⁰.
    pub memory_depth: u64,
}

impl PathLengths {
    /// The lengths behind a vertex of so many cycles.
    #[inline(always)]
    pub fn then(self, cycles: u64, to_ram: bool) -> PathLengths {
        PathLengths {
            depth: self.depth + cycles,
            non_memory_span: self.non_memory_span + if to_ram { 0 } else { cycles },
            memory_depth: self.memory_depth + u64::from(to_ram),
        }
    }
}

const CYCLE_BITS: u32 = 44;
const CYCLES: u64 = (1 << CYCLE_BITS) - 1;
const UPPER_BITS: u32 = 64 - CYCLE_BITS;

impl Held for PathLengths {
    const START: PathLengths = PathLengths {
        depth: 0,
        non_memory_span: 0,
        memory_depth: 0,
    };
    /// 44 bits a length of cycles, 40 the number of accesses, 20 of them in each word: 16 bytes for 8
    /// or 4 of the program.
    type Kept = [u64; 2];

    #[inline(always)]
    fn keep(self) -> [u64; 2] {
        debug_assert!(self.depth <= CYCLES && self.memory_depth >> (2 * UPPER_BITS) == 0);
        let upper = self.memory_depth >> UPPER_BITS;
        [
            self.depth | self.memory_depth << CYCLE_BITS,
            self.non_memory_span | upper << CYCLE_BITS,
        ]
    }

    #[inline(always)]
    fn recall(kept: [u64; 2]) -> PathLengths {
        PathLengths {
            depth: kept[0] & CYCLES,
            non_memory_span: kept[1] & CYCLES,
            memory_depth: kept[0] >> CYCLE_BITS | (kept[1] >> CYCLE_BITS) << UPPER_BITS,
        }
    }
}

impl Lanes for PathLengths {
    #[inline(always)]
    fn latest(self, other: PathLengths) -> PathLengths {
        PathLengths {
            depth: self.depth.max(other.depth),
            non_memory_span: self.non_memory_span.max(other.non_memory_span),
            memory_depth: self.memory_depth.max(other.memory_depth),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_recalled() {
        for lengths in [
            (0, 0, 0),
            (1, 2, 3),
            (CYCLES, CYCLES, (1 << 40) - 1),
            (1 << 43, 5, 1 << 20),
        ] {
            let lengths = PathLengths {
                depth: lengths.0,
                non_memory_span: lengths.1,
                memory_depth: lengths.2,
            };
            assert_eq!(PathLengths::recall(lengths.keep()), lengths);
        }
    }
}
