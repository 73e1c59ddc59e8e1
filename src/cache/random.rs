//! Random replacement, the same in every run: ways are drawn by SplitMix64.

use super::placed::Replacement;

pub(super) struct Random {
    ways: u64,
    state: u64,
}

impl Random {
    pub(super) fn new(seed: u64, ways: usize) -> Random {
        Random {
            ways: ways as u64,
            state: seed,
        }
    }

    fn next(&mut self) -> u64 {
        let draw = split_mix(self.state);
        self.state = self.state.wrapping_add(STEP);
        draw
    }
}

const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// The draw of SplitMix64 from this state (Steele, Lea, Flood, OOPSLA 2014): a good mixing of 64 bits.
pub fn split_mix(state: u64) -> u64 {
    let mut z = state.wrapping_add(STEP);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Replacement for Random {
    fn used(&mut self, _: usize, _: usize) {}

    fn filled(&mut self, _: usize, _: usize) {}

    /// The upper half of draw × ways: without division, and no way is likelier than another by more
    /// than ways / 2⁶⁴.
    #[inline]
    fn replace(&mut self, _: usize) -> usize {
        ((u128::from(self.next()) * u128::from(self.ways)) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first draws from seed 1234567 as listed by Rosetta Code, "Pseudo-random numbers/Splitmix64".
    #[test]
    fn draws_are_those_of_the_reference() {
        let mut random = Random::new(1_234_567, 4);
        let draws: Vec<u64> = (0..3).map(|_| random.next()).collect();
        assert_eq!(
            draws,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423
            ]
        );
    }
}
