//! Executed instructions in program order, a block at a time.

use super::instruction::{Instruction, InstructionId};

/// What one block of a trace executed.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Instructions that appear for the first time; their numbers go on from those of earlier batches.
    pub instructions: Vec<Instruction>,
    /// Number of the instruction, and in the low two bits its addresses: 0, 1, or `SEVERAL`.
    steps: Vec<u32>,
    /// How many addresses those with `SEVERAL` have.
    counts: Vec<u32>,
    pub(super) addresses: Vec<u64>,
}

const SEVERAL: u32 = 2;

impl Batch {
    /// Adds an execution whose addresses have been added already.
    #[inline(always)]
    pub(super) fn push(&mut self, id: u32, addresses: u32) {
        if addresses >= SEVERAL {
            self.counts.push(addresses);
        }
        self.steps.push(id << 2 | addresses.min(SEVERAL));
    }

    /// Gives what was executed to `sink`, and goes on in what it gives back; `false` if nobody wants more.
    pub(super) fn hand_over(&mut self, sink: &mut dyn FnMut(Batch) -> Option<Batch>) -> bool {
        let Some(mut spare) = sink(std::mem::take(self)) else {
            return false;
        };
        spare.clear();
        *self = spare;
        true
    }

    fn clear(&mut self) {
        let Batch {
            instructions,
            steps,
            counts,
            addresses,
        } = self;
        instructions.clear();
        steps.clear();
        counts.clear();
        addresses.clear();
    }

    /// Executed instructions.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Every execution with the addresses that it accessed.
    #[inline(always)]
    pub fn for_each(&self, mut visit: impl FnMut(InstructionId, &[u64])) {
        let mut rest = &self.addresses[..];
        let mut counts = self.counts.iter();
        for step in &self.steps {
            let count = match step & 3 {
                SEVERAL => counts.next().map_or(0, |count| *count as usize),
                count => count as usize,
            };
            let (addresses, after) = rest.split_at(count);
            rest = after;
            visit(InstructionId(step >> 2), addresses);
        }
    }
}
