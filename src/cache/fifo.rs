//! First in, first out: ways are replaced in turn, whatever is used in between.

use super::placed::Replacement;

pub(super) struct Fifo {
    ways: u32,
    /// The way whose line came first, by set.
    oldest: Vec<u32>,
}

impl Fifo {
    pub(super) fn new(sets: usize, ways: usize) -> Fifo {
        Fifo {
            ways: ways as u32,
            oldest: vec![0; sets],
        }
    }
}

impl Replacement for Fifo {
    fn used(&mut self, _: usize, _: usize) {}

    fn filled(&mut self, _: usize, _: usize) {}

    #[inline]
    fn replace(&mut self, set: usize) -> usize {
        let way = self.oldest[set];
        self.oldest[set] = if way + 1 == self.ways { 0 } else { way + 1 };
        way as usize
    }
}

#[cfg(test)]
mod tests {
    use crate::cache::level::Level;
    use crate::cache::slot::State;

    /// Belady, Nelson, Shedler (CACM 12(6), 1969): on this string FIFO has 9 faults with three places and
    /// 10 with four.
    #[test]
    fn more_places_can_mean_more_misses() {
        let string = [1, 2, 3, 4, 1, 2, 5, 1, 2, 3, 4, 5];
        for (lines, faults) in [(3, 9), (4, 10)] {
            let spec = format!("{},full,fifo", lines * 64).parse().expect("legal");
            let mut level = Level::new(&spec);
            let misses = string
                .iter()
                .filter(|line| level.touch(**line, State::Clean).is_some())
                .count();
            assert_eq!(misses, faults, "{lines} places");
        }
    }
}
