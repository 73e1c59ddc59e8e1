//! An order of last touches that knows how many items are newer than any of them.
//!
//! Every item has a position on a time axis, one bit each; sums over groups of bits, and over groups of
//! groups, say how many are set behind a position. Items move by clearing one bit and setting the next
//! free one at the end; at the end of the axis the items are moved together, so that the axis is never
//! longer than a few times the number of items.

/// Items are ids from 0 on, as `new_ids` gives them.
pub(super) struct RecencyAxis {
    /// Position of each item, by id, or `ABSENT`.
    positions: Vec<u32>,
    /// Item at each position; meaningful where the bit is set.
    items: Vec<u32>,
    /// 64 positions a word.
    words: Vec<u64>,
    /// `sums[0]` counts the set bits of each word, every next one the sums of `FAN` entries of the one
    /// before; the last has at most `FAN` entries. Lengths are whole groups of `FAN`.
    sums: Vec<Vec<u32>>,
    /// Items on the axis.
    live: usize,
    /// Next free position.
    end: usize,
}

const ABSENT: u32 = u32::MAX;
const FAN: usize = 16;
/// Positions of the shortest axis.
const SHORTEST: usize = 1 << 14;
/// Positions of any axis end before `ABSENT`.
const LONGEST: usize = 1 << 31;

impl RecencyAxis {
    pub(super) fn new() -> RecencyAxis {
        let mut axis = RecencyAxis {
            positions: Vec::new(),
            items: Vec::new(),
            words: Vec::new(),
            sums: Vec::new(),
            live: 0,
            end: 0,
        };
        axis.clear(SHORTEST);
        axis
    }

    /// Ids for `count` more items, in a row; gives the first. They are not on the axis yet.
    pub(super) fn new_ids(&mut self, count: usize) -> u32 {
        let first = self.positions.len();
        assert!(
            first + count < LONGEST,
            "at most 2³¹ lines can be told apart"
        );
        self.positions.resize(first + count, ABSENT);
        first as u32
    }

    /// Items on the axis.
    pub(super) fn len(&self) -> usize {
        self.live
    }

    /// Takes an item from the axis; gives how many items are newer. `None` if it is not there.
    pub(super) fn remove(&mut self, id: u32) -> Option<u64> {
        let position = std::mem::replace(&mut self.positions[id as usize], ABSENT);
        if position == ABSENT {
            return None;
        }
        let position = position as usize;
        let word = position / 64;
        self.words[word] &= !(1 << (position % 64));
        // Positions from this one on in its word; its own bit is clear by now.
        let mut newer = (self.words[word] >> (position % 64)).count_ones();
        let mut place = word;
        for sums in &mut self.sums {
            sums[place] -= 1;
            let group: &[u32; FAN] = sums[place / FAN * FAN..][..FAN]
                .try_into()
                .expect("groups are whole");
            newer += sum_behind(group, place % FAN);
            place /= FAN;
        }
        self.live -= 1;
        Some(u64::from(newer))
    }

    /// Puts an item that is not on the axis at its newest end.
    pub(super) fn push(&mut self, id: u32) {
        if self.end == self.items.len() {
            self.compact();
        }
        let position = self.end;
        self.end += 1;
        self.live += 1;
        self.items[position] = id;
        self.positions[id as usize] = position as u32;
        self.words[position / 64] |= 1 << (position % 64);
        let mut place = position / 64;
        for sums in &mut self.sums {
            sums[place] += 1;
            place /= FAN;
        }
    }

    /// Moves the items together at the beginning of an axis three times as long as they are many.
    fn compact(&mut self) {
        let mut order = Vec::with_capacity(self.live);
        for (word, items) in self.words.iter().zip(self.items.chunks(64)) {
            let mut rest = *word;
            while rest != 0 {
                order.push(items[rest.trailing_zeros() as usize]);
                rest &= rest - 1;
            }
        }
        self.clear((order.len() * 3).clamp(SHORTEST, LONGEST));
        for (position, id) in order.iter().enumerate() {
            self.positions[*id as usize] = position as u32;
        }
        self.live = order.len();
        self.end = order.len();
        self.items[..order.len()].copy_from_slice(&order);
        for (word, rest) in self
            .words
            .iter_mut()
            .zip((1..=order.len()).rev().step_by(64))
        {
            *word = if rest >= 64 {
                u64::MAX
            } else {
                (1 << rest) - 1
            };
        }
        for (sum, word) in self.sums[0].iter_mut().zip(&self.words) {
            *sum = word.count_ones();
        }
        for level in 1..self.sums.len() {
            let (below, above) = self.sums.split_at_mut(level);
            for (sum, group) in above[0].iter_mut().zip(below[level - 1].chunks(FAN)) {
                *sum = group.iter().sum();
            }
        }
    }

    /// An axis without items, of at least this many positions.
    fn clear(&mut self, positions: usize) {
        let words = positions.div_ceil(64);
        self.items.clear();
        self.items.resize(words * 64, 0);
        self.words.clear();
        self.words.resize(words, 0);
        self.sums.clear();
        let mut entries = words;
        loop {
            self.sums.push(vec![0; entries.next_multiple_of(FAN)]);
            if entries <= FAN {
                break;
            }
            entries = entries.div_ceil(FAN);
        }
        self.live = 0;
        self.end = 0;
    }
}

/// Sum of the entries behind one. Without a branch on `place`, so that it becomes vector code.
#[inline]
fn sum_behind(group: &[u32; FAN], place: usize) -> u32 {
    let place = place as u32;
    (0..FAN as u32)
        .map(|other| {
            if other > place {
                group[other as usize]
            } else {
                0
            }
        })
        .sum()
}
