//! How often loops of the machine code are entered and go round, from the order in which a function's instructions
//! are executed.

use crate::regions::Spot;

/// Counts of every loop.
#[derive(Default)]
pub struct RoundsMeter {
    /// By number of the loop: the loop around it.
    parents: Vec<Option<u32>>,
    loops: Vec<Rounds>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Rounds {
    entries: u64,
    /// Executions of the first instruction of the header.
    begun: u64,
    /// Left by the test at the top, before the round.
    refused: u64,
}

impl RoundsMeter {
    /// Loops known so far.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// More loops, by the loops around them.
    pub fn add(&mut self, parents: impl Iterator<Item = Option<u32>>) {
        self.parents.extend(parents);
        self.loops.resize(self.parents.len(), Rounds::default());
    }

    /// An instruction is executed; `before` is what its function executed last in the same call.
    #[inline]
    pub fn step(&mut self, spot: &Spot, before: Option<&Spot>) {
        if let Some(opened) = spot.opens {
            let was_inside = before.is_some_and(|before| self.is_inside(before.innermost, opened));
            let rounds = &mut self.loops[opened as usize];
            rounds.begun += 1;
            rounds.entries += u64::from(!was_inside);
        }
        if let Some(tested) = before.and_then(|before| before.tests)
            && !self.is_inside(spot.innermost, tested)
        {
            self.loops[tested as usize].refused += 1;
        }
    }

    /// Entries and rounds begun so far of a loop.
    #[inline]
    pub fn round(&self, number: u32) -> (u64, u64) {
        let rounds = &self.loops[number as usize];
        (rounds.entries, rounds.begun)
    }

    /// Entries, rounds that were begun and not refused, and those refused, by number of the loop.
    pub fn finish(&self) -> impl Iterator<Item = [u64; 3]> + '_ {
        self.loops.iter().map(|rounds| [rounds.entries, rounds.begun - rounds.refused, rounds.refused])
    }

    fn is_inside(&self, innermost: Option<u32>, outer: u32) -> bool {
        let mut place = innermost;
        while let Some(number) = place {
            if number == outer {
                return true;
            }
            place = self.parents[number as usize];
        }
        false
    }
}
