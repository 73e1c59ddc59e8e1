//! Pseudo-LRU by a binary tree over the ways of a set, a power of two of them. A node's bit names the
//! half that was used less recently, 0 the lower ways; following the bits from the root gives the way
//! that leaves. A use turns every bit on its way to the other half.

use super::placed::Replacement;

pub(super) struct Tree {
    /// The levels of the tree.
    depth: u32,
    /// 64-bit words per set.
    words: usize,
    /// Bit n of a set is node n, the root is 1, the children of n are 2n and 2n+1.
    bits: Vec<u64>,
}

impl Tree {
    pub(super) fn new(sets: usize, ways: usize) -> Tree {
        debug_assert!(ways.is_power_of_two());
        let words = ways.div_ceil(64);
        Tree {
            depth: ways.trailing_zeros(),
            words,
            bits: vec![0; sets * words],
        }
    }
}

impl Replacement for Tree {
    #[inline]
    fn used(&mut self, set: usize, way: usize) {
        let bits = &mut self.bits[set * self.words..][..self.words];
        let mut node = 1;
        for level in (0..self.depth).rev() {
            let half = way >> level & 1;
            let word = &mut bits[node / 64];
            *word = *word & !(1 << (node % 64)) | ((half ^ 1) as u64) << (node % 64);
            node = node * 2 + half;
        }
    }

    fn filled(&mut self, set: usize, way: usize) {
        self.used(set, way);
    }

    #[inline]
    fn replace(&mut self, set: usize) -> usize {
        let bits = &self.bits[set * self.words..][..self.words];
        let mut node = 1;
        for _ in 0..self.depth {
            node = node * 2 + (bits[node / 64] >> (node % 64) & 1) as usize;
        }
        let way = node - (1 << self.depth);
        self.used(set, way);
        way
    }
}

#[cfg(test)]
mod tests {
    use crate::level::Level;
    use crate::slot::State;

    /// Four ways, worked by hand. The bits are root, left, right; arrows show where they point.
    ///
    /// | line | way | root left right after it |
    /// |---|---|---|
    /// | A fills | 0 | → → ← |
    /// | B fills | 1 | → ← ← |
    /// | C fills | 2 | ← ← → |
    /// | D fills | 3 | ← ← ← |
    /// | A hits | 0 | → → ← |
    /// | E: root right, right ←: C leaves, where LRU would take B | 2 | ← → → |
    /// | F: root left, left →: B leaves | 1 | → ← → |
    /// | G: root right, right →: D leaves | 3 | ← ← ← |
    /// | H: root left, left ←: A leaves | 0 | → → ← |
    #[test]
    fn four_ways_by_hand() {
        let mut level = Level::new(&"256,4way,plru".parse().expect("legal"));
        let (a, b, c, d) = (10, 11, 12, 13);
        let mut leaves = |line| {
            level
                .touch(line, State::Clean)
                .map(super::super::slot::Slot::line)
        };
        for line in [a, b, c, d] {
            assert_eq!(leaves(line), Some(None));
        }
        assert_eq!(leaves(a), None);
        for (line, victim) in [(14, c), (15, b), (16, d), (17, a)] {
            assert_eq!(leaves(line), Some(Some(victim)));
        }
    }
}
