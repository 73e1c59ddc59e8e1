//! Who produced a value, for questions that keep what they want to know of recent instructions themselves.

use super::lanes::{Held, Lanes};

/// The instruction that produced a value: its hart, and its number among the executed instructions of the hart,
/// below 2⁴⁸.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Producer(u64);

const NUMBER_BITS: u32 = 48;

impl Producer {
    /// Numbers count from 0.
    pub fn new(hart: u16, number: u64) -> Producer {
        debug_assert!(number + 1 < 1 << NUMBER_BITS);
        Producer(u64::from(hart) << NUMBER_BITS | (number + 1))
    }

    /// How many instructions before that number the producer is, if it is one of the hart.
    #[inline(always)]
    pub fn distance(self, hart: u16, number: u64) -> Option<u64> {
        let (own, place) = (self.0 >> NUMBER_BITS, self.0 & ((1 << NUMBER_BITS) - 1));
        (own == u64::from(hart) && place != 0).then(|| number + 1 - place)
    }
}

impl Held for Producer {
    /// Nobody.
    const START: Producer = Producer(0);
    type Kept = u64;

    #[inline(always)]
    fn keep(self) -> u64 {
        self.0
    }

    #[inline(always)]
    fn recall(kept: u64) -> Producer {
        Producer(kept)
    }
}

impl Lanes for Producer {
    /// The one with the higher number; of several sources, [`super::Values::sources`] visits each.
    #[inline(always)]
    fn latest(self, other: Producer) -> Producer {
        Producer(self.0.max(other.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_within_a_hart() {
        let third = Producer::new(2, 3);
        assert_eq!(third.distance(2, 10), Some(7));
        assert_eq!(third.distance(1, 10), None);
        assert_eq!(Producer::START.distance(0, 10), None);
        assert_eq!(Producer::recall(third.keep()), third);
    }
}
