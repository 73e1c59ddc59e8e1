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
pub struct Rounds {
    pub entries: u64,
    /// Executions of the first instruction of the header.
    pub begun: u64,
    /// Left by the test at the top, before the round.
    pub refused: u64,
    /// Rounds since the last entry.
    current: u64,
    /// The fewest and the most of an entry.
    pub range: Option<(u64, u64)>,
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
            if !was_inside {
                rounds.enter();
            }
            rounds.begun += 1;
            rounds.current += 1;
        }
        if let Some(tested) = before.and_then(|before| before.tests)
            && !self.is_inside(spot.innermost, tested)
        {
            let rounds = &mut self.loops[tested as usize];
            rounds.refused += 1;
            rounds.current = rounds.current.saturating_sub(1);
        }
    }

    /// Entries and rounds begun so far of a loop.
    #[inline]
    pub fn round(&self, number: u32) -> (u64, u64) {
        let rounds = &self.loops[number as usize];
        (rounds.entries, rounds.begun)
    }

    /// By number of the loop.
    pub fn finish(self) -> impl Iterator<Item = Rounds> {
        self.loops.into_iter().map(|mut rounds| {
            rounds.close();
            rounds
        })
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

impl Rounds {
    fn enter(&mut self) {
        self.close();
        self.entries += 1;
        self.current = 0;
    }

    /// The rounds since the last entry were all of it.
    fn close(&mut self) {
        if self.entries > 0 {
            let (fewest, most) = self.range.unwrap_or((self.current, self.current));
            self.range = Some((fewest.min(self.current), most.max(self.current)));
        }
    }
}
