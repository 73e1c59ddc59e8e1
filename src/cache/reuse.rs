//! How often each stack distance occurred, and what that says about every capacity.

use serde::{Deserialize, Serialize};

/// Counts of stack distances, exact. Memory is eight bytes times the largest distance, which is less than
/// the number of distinct lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReuseHistogram {
    cold: u64,
    /// Accesses by distance; the last is not zero.
    counts: Vec<u64>,
}

/// Accesses with `lo <= distance < hi`, in lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ReuseBin {
    pub lo: u64,
    pub hi: u64,
    pub count: u64,
}

impl ReuseHistogram {
    /// Counts one access; `None` is the first touch of its line.
    #[inline]
    pub fn record(&mut self, distance: Option<u64>) {
        let Some(distance) = distance else {
            self.cold += 1;
            return;
        };
        let distance = distance as usize;
        if distance >= self.counts.len() {
            self.counts.resize(distance + 1, 0);
        }
        self.counts[distance] += 1;
    }

    /// First touches.
    pub fn cold(&self) -> u64 {
        self.cold
    }

    /// All accesses, first touches too.
    pub fn accesses(&self) -> u64 {
        self.cold + self.counts.iter().sum::<u64>()
    }

    /// Each distance that occurred and how often, rising.
    pub fn exact(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        (0..)
            .zip(self.counts.iter().copied())
            .filter(|(_, count)| *count > 0)
    }

    /// Counts by powers of two: distance 0, 1, 2–3, 4–7 and so on to the largest that occurred, bins
    /// without accesses too. First touches are in none.
    pub fn bins(&self) -> Vec<ReuseBin> {
        let mut bins = Vec::new();
        let (mut lo, mut hi) = (0, 1);
        while lo < self.counts.len() {
            let count = self.counts[lo..hi.min(self.counts.len())].iter().sum();
            bins.push(ReuseBin {
                lo: lo as u64,
                hi: hi as u64,
                count,
            });
            (lo, hi) = (hi, hi * 2);
        }
        bins
    }

    /// Misses of a fully associative LRU cache of so many lines: first touches and every distance of
    /// `capacity_lines` or more.
    pub fn misses_at(&self, capacity_lines: u64) -> u64 {
        let capacity = usize::try_from(capacity_lines)
            .unwrap_or(usize::MAX)
            .min(self.counts.len());
        self.cold + self.counts[capacity..].iter().sum::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_powers_of_two() {
        let mut histogram = ReuseHistogram::default();
        for distance in [
            None,
            Some(0),
            Some(0),
            Some(1),
            Some(3),
            Some(2),
            Some(8),
            None,
        ] {
            histogram.record(distance);
        }
        let bins: Vec<_> = histogram
            .bins()
            .iter()
            .map(|b| (b.lo, b.hi, b.count))
            .collect();
        assert_eq!(
            bins,
            [(0, 1, 2), (1, 2, 1), (2, 4, 2), (4, 8, 0), (8, 16, 1)]
        );
        assert_eq!((histogram.cold(), histogram.accesses()), (2, 8));
        assert_eq!(
            histogram.exact().collect::<Vec<_>>(),
            [(0, 2), (1, 1), (2, 1), (3, 1), (8, 1)]
        );
        let misses: Vec<_> = [0, 1, 2, 3, 4, 8, 9, u64::MAX]
            .map(|c| histogram.misses_at(c))
            .to_vec();
        assert_eq!(misses, [8, 6, 5, 4, 3, 3, 2, 2]);
    }

    #[test]
    fn nothing_recorded_is_nothing_missed() {
        let histogram = ReuseHistogram::default();
        assert_eq!(
            (
                histogram.accesses(),
                histogram.misses_at(0),
                histogram.bins().len()
            ),
            (0, 0, 0)
        );
    }
}
