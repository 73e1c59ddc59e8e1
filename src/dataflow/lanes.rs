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

/// Longest paths of the eDAG up to a value (guide: dynamic-model, "One idea carries the whole mode"): cycles of all vertices
/// on the path and of those that do not go to RAM, each below 2⁴⁴, and vertices that go to RAM, below 2⁴⁰.
///
/// They are whole numbers, as floating point because processors find the larger of several at once only of that.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathLengths([f64; LENGTHS]);

/// The last is there to make whole vectors, and always 0.
const LENGTHS: usize = 4;

impl Default for PathLengths {
    fn default() -> PathLengths {
        PathLengths::START
    }
}

impl PathLengths {
    /// The lengths behind a vertex of so many cycles, below 2³².
    #[inline(always)]
    pub fn then(self, cycles: u64, to_ram: bool) -> PathLengths {
        let [depth, span, accesses, rest] = self.0;
        let cycles = cycles as f64;
        match to_ram {
            true => PathLengths([depth + cycles, span, accesses + 1.0, rest]),
            false => self.pass(cycles),
        }
    }

    /// The lengths behind a vertex of so many cycles, a whole number, that does not go to RAM.
    #[inline(always)]
    pub fn pass(self, cycles: f64) -> PathLengths {
        let [depth, span, accesses, rest] = self.0;
        PathLengths([depth + cycles, span + cycles, accesses, rest])
    }

    /// Cycles of all vertices on the path.
    pub fn depth(self) -> u64 {
        whole(self.0[0])
    }

    /// Cycles of the vertices that do not go to RAM.
    pub fn non_memory_span(self) -> u64 {
        whole(self.0[1])
    }

    /// Vertices that go to RAM.
    pub fn memory_depth(self) -> u64 {
        whole(self.0[2])
    }
}

/// Of 2⁵² and a whole number below, the number is the fraction's bits.
const WHOLE: f64 = 4_503_599_627_370_496.0;

#[inline(always)]
fn whole(number: f64) -> u64 {
    (number + WHOLE).to_bits() & (WHOLE as u64 - 1)
}

#[inline(always)]
fn float(number: u64) -> f64 {
    f64::from_bits(WHOLE.to_bits() | number) - WHOLE
}

const CYCLE_BITS: u32 = 44;
const CYCLES: u64 = (1 << CYCLE_BITS) - 1;
const UPPER_BITS: u32 = 64 - CYCLE_BITS;

impl Held for PathLengths {
    const START: PathLengths = PathLengths([0.0; LENGTHS]);
    /// 44 bits a length of cycles, 40 the number of accesses, 20 of them in each word: 16 bytes for 8
    /// or 4 of the program.
    type Kept = [u64; 2];

    #[inline(always)]
    fn keep(self) -> [u64; 2] {
        let [depth, span, accesses, _] = self.0.map(whole);
        debug_assert!(depth <= CYCLES && accesses >> (2 * UPPER_BITS) == 0);
        let upper = accesses >> UPPER_BITS;
        [depth | accesses << CYCLE_BITS, span | upper << CYCLE_BITS]
    }

    #[inline(always)]
    fn recall(kept: [u64; 2]) -> PathLengths {
        let accesses = kept[0] >> CYCLE_BITS | (kept[1] >> CYCLE_BITS) << UPPER_BITS;
        let lengths = [kept[0] & CYCLES, kept[1] & CYCLES, accesses, 0];
        PathLengths(lengths.map(float))
    }
}

impl Lanes for PathLengths {
    #[inline(always)]
    fn latest(self, other: PathLengths) -> PathLengths {
        // As the instruction for it compares; none is not a number.
        let later = |own: f64, other: f64| if own > other { own } else { other };
        PathLengths(std::array::from_fn(|place| {
            later(self.0[place], other.0[place])
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_recalled() {
        for (depth, span, accesses) in [
            (0, 0, 0),
            (1, 2, 3),
            (CYCLES, CYCLES, (1 << 40) - 1),
            (1 << 43, 5, 1 << 20),
        ] {
            let lengths = PathLengths([depth as f64, span as f64, accesses as f64, 0.0]);
            let recalled = PathLengths::recall(lengths.keep());
            assert_eq!(recalled, lengths);
            let own = [
                recalled.depth(),
                recalled.non_memory_span(),
                recalled.memory_depth(),
            ];
            assert_eq!(own, [depth, span, accesses]);
        }
    }

    #[test]
    fn paths_go_on_through_vertices() {
        let vertices = [(3, false), (5, true), (0, false), (100_000, false)];
        let then = |path: PathLengths, (cycles, to_ram)| path.then(cycles, to_ram);
        let path = vertices.into_iter().fold(PathLengths::START, then);
        let lengths = (path.depth(), path.non_memory_span(), path.memory_depth());
        assert_eq!(lengths, (100_008, 100_003, 1));
        let other = PathLengths::START.then(100_006, false);
        let latest = path.latest(other);
        let lengths = (
            latest.depth(),
            latest.non_memory_span(),
            latest.memory_depth(),
        );
        assert_eq!(lengths, (100_008, 100_006, 1));
    }
}
