//! What changes in which cycle, where most of what changes is near.

use std::collections::BTreeMap;

/// Cycles that are near.
const NEAR: usize = 1 << 12;
const WORD: usize = 64;

/// How many more accesses look up, wait, and wait for what is behind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Change {
    pub hits: i32,
    pub misses: i32,
    pub onward: i32,
    /// Waits that end.
    pub ended: u32,
}

/// Changes by cycle. Cycles before `first` are over.
#[derive(Clone, Debug)]
pub(super) struct Moments {
    first: u64,
    /// Nothing near is left before this cycle.
    seen: u64,
    /// Of the cycles from `first` to before `first + NEAR`, by their low bits.
    near: Vec<Change>,
    /// A bit for each of those that is not empty.
    is_used: [u64; NEAR / WORD],
    far: BTreeMap<u64, Change>,
}

impl Default for Moments {
    fn default() -> Moments {
        Moments {
            first: 0,
            seen: 0,
            near: vec![Change::default(); NEAR],
            is_used: [0; NEAR / WORD],
            far: BTreeMap::new(),
        }
    }
}

impl Moments {
    /// What changes in a cycle that is not over.
    #[inline]
    pub fn at(&mut self, cycle: u64) -> &mut Change {
        debug_assert!(cycle >= self.first);
        if cycle - self.first >= NEAR as u64 {
            return self.far.entry(cycle).or_default();
        }
        let place = cycle as usize % NEAR;
        self.is_used[place / WORD] |= 1 << (place % WORD);
        &mut self.near[place]
    }

    /// Takes what changes next, up to that cycle; to be called until nothing is left, and then `end`.
    #[inline]
    pub fn next_to(&mut self, cycle: u64) -> Option<(u64, Change)> {
        if let Some(next) = self.next_near(self.seen).filter(|next| *next <= cycle) {
            let place = next as usize % NEAR;
            self.is_used[place / WORD] &= !(1 << (place % WORD));
            self.seen = next;
            return Some((next, std::mem::take(&mut self.near[place])));
        }
        self.seen = cycle;
        let entry = self.far.first_entry().filter(|own| *own.key() <= cycle)?;
        Some(entry.remove_entry())
    }

    /// Everything before that cycle is over.
    pub fn end(&mut self, cycle: u64) {
        self.first = self.first.max(cycle);
        self.seen = self.first;
        let near = self.first.saturating_add(NEAR as u64);
        while let Some(entry) = self.far.first_entry().filter(|own| *own.key() < near) {
            let (moment, change) = entry.remove_entry();
            *self.at(moment) = change;
        }
    }

    /// The first near cycle from `from` on in which something changes.
    fn next_near(&self, from: u64) -> Option<u64> {
        let end = self.first.saturating_add(NEAR as u64);
        let mut cycle = from;
        while cycle < end {
            let place = cycle as usize % NEAR;
            let word = self.is_used[place / WORD] >> (place % WORD);
            if word != 0 {
                let found = cycle + u64::from(word.trailing_zeros());
                return Some(found).filter(|found| *found < end);
            }
            cycle += (WORD - place % WORD) as u64;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_come_in_order_wherever_they_are() {
        let mut moments = Moments::default();
        let cycles = [5_u64, 4095, 4096, 4097, 9000, 8191, 100_000, 5, 70, 64];
        for cycle in cycles {
            moments.at(cycle).hits += 1;
        }
        let mut seen = Vec::new();
        for end in [0, 64, 4096, 4096, 5000, 9000, u64::MAX] {
            while let Some((cycle, change)) = moments.next_to(end) {
                seen.push((cycle, change.hits));
            }
            moments.end(end);
            if end < 9000 {
                moments.at(end + 1).hits += 0;
            }
        }
        seen.retain(|(_, hits)| *hits > 0);
        let expected = [
            (5, 2),
            (64, 1),
            (70, 1),
            (4095, 1),
            (4096, 1),
            (4097, 1),
            (8191, 1),
            (9000, 1),
            (100_000, 1),
        ];
        assert_eq!(seen, expected);
    }
}
