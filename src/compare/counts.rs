//! What a run did of a loop of the source.

use super::doubts::Doubts;

/// How often a loop of the source was executed and went round.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LoopCounts {
    /// Those with a round in a machine loop.
    pub entries: u64,
    /// The test before the first round: all executions, where it is known.
    pub tests: u64,
    pub rounds: u64,
    /// Loops of the machine code that it became.
    pub machine_loops: usize,
    /// The most rounds of the source that one of the machine does.
    pub unrolled: u64,
    /// It did not go round equally often each time.
    pub varies: bool,
    /// Only sums of several executions are known, which may have gone round differently often.
    pub are_sums: bool,
    /// It has one machine loop, whose next around is one of the loop around it.
    pub mirrors: bool,
    /// How often its machine loops were left by a branch on the line of its head.
    pub left_by_test: u64,
    /// Of the rounds, those that were done outside of the machine loops.
    pub peeled: u64,
    /// Of the rounds, those that a function of the C library did in their place.
    pub replaced: u64,
    /// Additions, multiplications, divisions and square roots on its lines that its machine loops do not have.
    pub outside: [f64; 4],
    /// The rounds as the loops of the machine code have them, with those outside of them.
    pub by_machine: u64,
    /// Vectors went over as many elements as so many rounds do.
    pub by_elements: bool,
    /// A function of the C library stored all that so many rounds do, and nothing else did.
    pub by_call: bool,
    /// The compiler divided it, each part with some of its stores.
    pub is_divided: bool,
    /// All that it does is in one machine loop, one round in each of its own.
    pub is_single: bool,
    /// What of these is not certain.
    pub doubts: Doubts,
}

impl LoopCounts {
    /// Executions, as far as they were counted.
    pub fn executions(&self) -> u64 {
        self.entries.max(self.tests)
    }

    /// Whether these are all: rounds outside machine loops may be of executions that enter none.
    pub fn has_executions(&self) -> bool {
        self.tests > 0 || self.entries > 0 && self.peeled == 0 && self.replaced == 0
    }
}
