//! How far the addresses of an instruction move from one round of its loop to the next.

/// Strides of instructions in loops.
#[derive(Default)]
pub struct StrideMeter {
    instructions: Vec<Walk>,
}

/// A round of a loop: how often the loop was entered so far, and how many rounds were begun.
pub type Round = (u64, u64);

/// What one instruction did.
#[derive(Clone, Copy, Default)]
struct Walk {
    last: Option<(u64, Round)>,
    /// The distance that may be that of most rounds, and how many rounds more had it than not, by Boyer's and Moore's
    /// majority vote.
    likeliest: i64,
    lead: u64,
    distances: u64,
}

/// Fewer distances do not make a stride.
const FEWEST: u64 = 2;

impl StrideMeter {
    /// One more instruction.
    pub fn add_instruction(&mut self) {
        self.instructions.push(Walk::default());
    }

    /// An access, in a round of the innermost loop around the instruction.
    #[inline]
    pub fn step(&mut self, index: usize, addresses: &[u64], round: Round) {
        let Some(&address) = addresses.first() else {
            return;
        };
        let walk = &mut self.instructions[index];
        let before = walk.last.replace((address, round));
        let Some((from, (entries, begun))) = before else {
            return;
        };
        if round == (entries, begun + 1) {
            walk.vote(address.wrapping_sub(from) as i64);
        }
    }

    /// By number of the instruction; `None` where no distance is that of at least three rounds in four.
    pub fn finish(&self) -> impl Iterator<Item = Option<i64>> + '_ {
        let stride = |walk: &Walk| {
            (walk.distances >= FEWEST && 2 * walk.lead >= walk.distances).then_some(walk.likeliest)
        };
        self.instructions.iter().map(stride)
    }
}

impl Walk {
    fn vote(&mut self, distance: i64) {
        self.distances += 1;
        match distance == self.likeliest {
            true => self.lead += 1,
            false if self.lead == 0 => (self.likeliest, self.lead) = (distance, 1),
            false => self.lead -= 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strides(rounds: &[(Round, u64)]) -> Option<i64> {
        let mut meter = StrideMeter::default();
        meter.add_instruction();
        for (round, address) in rounds {
            meter.step(0, &[*address], *round);
        }
        meter.finish().next().flatten()
    }

    #[test]
    fn distances_count_within_an_execution_of_the_loop_and_between_neighbouring_rounds() {
        // Two executions of three rounds each, the second elsewhere.
        let walk = [
            ((1, 1), 80),
            ((1, 2), 96),
            ((1, 3), 112),
            ((2, 4), 800),
            ((2, 5), 816),
            ((2, 6), 832),
        ];
        assert_eq!(strides(&walk), Some(16));
        // Backwards.
        assert_eq!(
            strides(&[((1, 1), 80), ((1, 2), 72), ((1, 3), 64)]),
            Some(-8)
        );
        // Not in every round.
        assert_eq!(strides(&[((1, 1), 80), ((1, 3), 96), ((1, 5), 112)]), None);
        // Anywhere.
        assert_eq!(
            strides(&[((1, 1), 80), ((1, 2), 8), ((1, 3), 112), ((1, 4), 16)]),
            None
        );
        // Too few.
        assert_eq!(strides(&[((1, 1), 80), ((1, 2), 96)]), None);
    }
}
