//! The envelope of one value, in two words.

use crate::dataflow::Held;

/// m·α + c: of a path with m vertices that go to RAM, and so many cycles in the others. For the time that a byte takes, m
/// are bytes, and the latency is part of c.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Line {
    pub memory: u64,
    pub other: u64,
}

/// From the first line of a shape to another one: so much steeper, and so much lower at α = 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Offset {
    pub steeper: u64,
    pub lower: u64,
}

/// The envelope of the paths up to a value: the line with the smallest slope, and the shape of the rest.
///
/// Two words go from function to function in registers. The first has 40 bits of the slope above 24 bits of the shape, the
/// second 44 bits of the intercept above [`READ`] and the 8 other bits of the shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope {
    steep: u64,
    high: u64,
}

pub(super) type ShapeId = u32;

/// The shape of a single line.
pub(super) const SINGLE: ShapeId = 0;

/// Of a shape, that it is a union that has not been merged.
pub(super) const UNION: ShapeId = 1 << 31;

const MEMORY_SHIFT: u32 = 24;
const OTHER_SHIFT: u32 = 20;
const LOW_SHAPE: u64 = (1 << MEMORY_SHIFT) - 1;
const HIGH_SHAPE: u64 = (1 << (ShapeId::BITS - MEMORY_SHIFT)) - 1;

/// Of an envelope in memory: somebody has read it since it was kept there.
const READ: u64 = 1 << (OTHER_SHIFT - 1);

impl Held for Envelope {
    const START: Envelope = Envelope { steep: 0, high: 0 };
    type Kept = [u64; 2];

    #[inline(always)]
    fn keep(self) -> [u64; 2] {
        debug_assert!(self.is_merged());
        [self.steep, self.high]
    }

    #[inline(always)]
    fn recall([steep, high]: [u64; 2]) -> Envelope {
        let high = high & !READ;
        Envelope { steep, high }
    }
}

impl Envelope {
    #[inline(always)]
    pub fn at(first: Line, shape: ShapeId) -> Envelope {
        debug_assert!(Envelope::holds(first.memory, first.other));
        let shape = u64::from(shape);
        Envelope {
            steep: first.memory << MEMORY_SHIFT | shape & LOW_SHAPE,
            high: first.other << OTHER_SHIFT | shape >> MEMORY_SHIFT,
        }
    }

    /// Reads one that memory keeps, which takes note of it.
    #[inline(always)]
    pub fn read(kept: &mut [u64; 2]) -> Envelope {
        kept[1] |= READ;
        Envelope::recall(*kept)
    }

    /// One that memory keeps, if nobody has read it.
    #[inline(always)]
    pub fn unread(kept: &[u64; 2]) -> Option<Envelope> {
        (kept[1] & READ == 0).then(|| Envelope::recall(*kept))
    }

    /// Whether an envelope can have so large a slope and intercept.
    pub fn holds(memory: u64, other: u64) -> bool {
        memory < 1 << (u64::BITS - MEMORY_SHIFT) && other < 1 << (u64::BITS - OTHER_SHIFT)
    }

    /// The smallest slope.
    #[inline(always)]
    pub fn memory(self) -> u64 {
        self.steep >> MEMORY_SHIFT
    }

    /// The largest intercept, of the same line.
    #[inline(always)]
    pub fn other(self) -> u64 {
        self.high >> OTHER_SHIFT
    }

    #[inline(always)]
    pub fn shape(self) -> ShapeId {
        (self.steep & LOW_SHAPE | (self.high & HIGH_SHAPE) << MEMORY_SHIFT) as ShapeId
    }

    /// Whether it has a shape of its own.
    #[inline(always)]
    pub fn is_merged(self) -> bool {
        self.shape() & UNION == 0
    }

    #[inline(always)]
    pub fn with_shape(self, shape: ShapeId) -> Envelope {
        Envelope::at(self.first_line(), shape)
    }

    /// The paths go on through a vertex that makes them so much steeper and so much longer.
    #[inline(always)]
    pub fn then(self, memory: u64, other: u64) -> Envelope {
        Envelope {
            steep: self.steep + (memory << MEMORY_SHIFT),
            high: self.high + (other << OTHER_SHIFT),
        }
    }

    /// The line with the smallest slope.
    #[inline(always)]
    pub fn first_line(self) -> Line {
        Line {
            memory: self.memory(),
            other: self.other(),
        }
    }

    #[inline(always)]
    pub(super) fn line(self, offset: &Offset) -> Line {
        Line {
            memory: self.memory() + offset.steeper,
            other: self.other() - offset.lower,
        }
    }

    /// Whether it is plain that the envelope is nowhere below another one: that has the same shape, or a single line.
    #[inline(always)]
    pub fn covers_plainly(self, other: Envelope) -> bool {
        (other.shape() == SINGLE || other.shape() == self.shape())
            && self.memory() >= other.memory()
            && self.other() >= other.other()
    }
}

/// Whether the middle one of three lines of ascending slope and descending intercept is above both others somewhere:
/// it overtakes the one before before the one behind overtakes it.
pub(super) fn is_highest_between(before: Line, middle: Line, behind: Line) -> bool {
    let product = |lower: u64, steeper: u64| u128::from(lower) * u128::from(steeper);
    let first = product(before.other - middle.other, behind.memory - middle.memory);
    let second = product(middle.other - behind.other, middle.memory - before.memory);
    first < second
}
