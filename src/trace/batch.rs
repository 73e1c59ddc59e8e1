//! Executed instructions in program order, a piece of a trace at a time.

use super::block::{Block, Finder, Found};
use super::instruction::{Instruction, InstructionId};

/// What one piece of a trace executed.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Instructions that appear for the first time; their numbers go on from those of earlier batches.
    pub instructions: Vec<Instruction>,
    /// Blocks that appear for the first time; their numbers go on as well.
    pub blocks: Vec<Block>,
    /// Number of the instruction or block, and in the low two bits the instruction's addresses: 0, 1, or `SEVERAL`.
    steps: Vec<u32>,
    /// How many addresses those with `SEVERAL` have.
    counts: Vec<u32>,
    addresses: Vec<u64>,
    executed: usize,
}

const SEVERAL: u32 = 2;
const BLOCK: u32 = 3;

/// What was executed.
#[derive(Clone, Copy, Debug)]
pub enum Piece<'a> {
    /// An instruction and its addresses.
    One(InstructionId, &'a [u64]),
    /// A block by its number, and the addresses of its instructions.
    Block(u32, &'a [u64]),
}

impl Batch {
    fn clear(&mut self) {
        let Batch {
            instructions,
            blocks,
            steps,
            counts,
            addresses,
            executed,
        } = self;
        instructions.clear();
        blocks.clear();
        steps.clear();
        counts.clear();
        addresses.clear();
        *executed = 0;
    }

    /// Executed instructions.
    pub fn len(&self) -> usize {
        self.executed
    }

    pub fn is_empty(&self) -> bool {
        self.executed == 0
    }

    /// Whether an execution accessed an address.
    pub fn has_addresses(&self) -> bool {
        !self.addresses.is_empty()
    }

    /// Everything that was executed. `blocks` are all that appeared so far, those of this batch too.
    #[inline(always)]
    pub fn for_each_piece(&self, blocks: &[Block], mut visit: impl FnMut(Piece<'_>)) {
        let mut rest = &self.addresses[..];
        let mut counts = self.counts.iter();
        for step in &self.steps {
            let number = step >> 2;
            let count = match step & 3 {
                BLOCK => blocks[number as usize].addresses(),
                SEVERAL => counts.next().map_or(0, |count| *count as usize),
                count => count as usize,
            };
            let (addresses, after) = rest.split_at(count);
            rest = after;
            visit(match step & 3 {
                BLOCK => Piece::Block(number, addresses),
                _ => Piece::One(InstructionId(number), addresses),
            });
        }
    }

    /// Every execution with the addresses that it accessed; `blocks` as for [`Batch::for_each_piece`].
    pub fn for_each(&self, blocks: &[Block], mut visit: impl FnMut(InstructionId, &[u64])) {
        self.for_each_piece(blocks, |piece| match piece {
            Piece::One(instruction, addresses) => visit(instruction, addresses),
            Piece::Block(number, mut addresses) => {
                for (instruction, has_address) in blocks[number as usize].instructions() {
                    let (own, rest) = addresses.split_at(usize::from(has_address));
                    addresses = rest;
                    visit(instruction, own);
                }
            }
        });
    }
}

/// A batch that a reader fills.
#[derive(Default)]
pub(super) struct Filling {
    batch: Batch,
    /// Of executions that are pushed next, too.
    pub addresses: Vec<u64>,
    finder: Finder,
}

impl Filling {
    /// Adds an instruction that appears for the first time.
    pub fn add(&mut self, instruction: Instruction) {
        self.finder.add(&instruction);
        self.batch.instructions.push(instruction);
    }

    /// Executed instructions.
    pub fn len(&self) -> usize {
        self.batch.executed
    }

    /// Adds an execution whose addresses have been added already.
    #[inline(always)]
    pub fn push(&mut self, id: u32, addresses: u32) {
        self.batch.executed += 1;
        let step = id << 2 | addresses.min(SEVERAL);
        match self.finder.find(step) {
            Found::Part => {}
            Found::Whole(block) => self.batch.steps.push(block << 2 | BLOCK),
            Found::Other => self.push_other(step, addresses),
        }
    }

    #[inline(never)]
    fn push_other(&mut self, step: u32, addresses: u32) {
        let Batch {
            steps,
            counts,
            blocks,
            ..
        } = &mut self.batch;
        steps.extend_from_slice(self.finder.give_up());
        if addresses >= SEVERAL {
            counts.push(addresses);
        }
        if !self.finder.surprise(step, blocks) {
            steps.push(step);
        }
    }

    /// The block that begins with an instruction, if none is under way.
    #[inline(always)]
    pub fn block_of(&self, id: u32) -> Option<u32> {
        match self.finder.is_idle() {
            true => self.finder.block_of(id),
            false => None,
        }
    }

    /// Whether a block ends behind the instruction, if it is not long.
    pub fn ends_block(&self, id: u32) -> bool {
        self.finder.ends(id)
    }

    pub fn block(&self, number: u32) -> &Block {
        self.finder.block(number)
    }

    /// Adds the execution of a block, with so many instructions, whose addresses have been added already. None may be
    /// under way.
    #[inline(always)]
    pub fn push_block(&mut self, number: u32, instructions: usize) {
        self.batch.executed += instructions;
        self.batch.steps.push(number << 2 | BLOCK);
    }

    /// Gives what was executed to `sink`, and goes on in what it gives back; `false` if nobody wants more.
    pub fn hand_over(&mut self, sink: &mut dyn FnMut(Batch) -> Option<Batch>) -> bool {
        self.batch.steps.extend_from_slice(self.finder.give_up());
        self.finder.stop_learning();
        std::mem::swap(&mut self.batch.addresses, &mut self.addresses);
        let Some(mut spare) = sink(std::mem::take(&mut self.batch)) else {
            return false;
        };
        spare.clear();
        std::mem::swap(&mut spare.addresses, &mut self.addresses);
        self.batch = spare;
        true
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::isa::decode_text;

    /// Instructions of two harts, every fourth of which is a branch.
    fn instruction(number: u32) -> Instruction {
        let text = match number % 4 {
            3 => "bne a0,a1,-6",
            _ => "lw a0,0(a1)",
        };
        Instruction {
            hart: u16::from(number >= 12),
            pc: Some(u64::from(number)),
            word: None,
            text: text.into(),
            decoded: decode_text(text).expect("an instruction"),
        }
    }

    /// What comes out of batches: executions with their addresses, and how many blocks were executed.
    #[derive(Default)]
    struct Out {
        blocks: Vec<Block>,
        executed: Vec<(u32, Vec<u64>)>,
        whole: usize,
    }

    impl Out {
        fn take(&mut self, batch: &Batch) {
            self.blocks.extend_from_slice(&batch.blocks);
            let before = self.executed.len();
            batch.for_each(&self.blocks, |id, addresses| {
                self.executed.push((id.0, addresses.to_vec()));
            });
            assert_eq!(self.executed.len() - before, batch.len());
            batch.for_each_piece(&self.blocks, |piece| {
                self.whole += usize::from(matches!(piece, Piece::Block(..)));
            });
        }
    }

    /// Pushes executions of instructions with so many addresses, and hands over after every so many.
    fn pushed(executed: &[(u32, u32)], every: usize) -> (Out, Vec<(u32, Vec<u64>)>) {
        let mut filling = Filling::default();
        (0..24).for_each(|number| filling.add(instruction(number)));
        let (mut out, mut expected, mut next) = (Out::default(), Vec::new(), 0);
        for (place, (number, count)) in executed.iter().enumerate() {
            let addresses: Vec<u64> = (next..next + u64::from(*count)).collect();
            next += u64::from(*count);
            filling.addresses.extend_from_slice(&addresses);
            filling.push(*number, *count);
            expected.push((*number, addresses));
            if place % every == every - 1 {
                filling.hand_over(&mut |batch| {
                    out.take(&batch);
                    Some(batch)
                });
            }
        }
        filling.hand_over(&mut |batch| {
            out.take(&batch);
            Some(batch)
        });
        (out, expected)
    }

    #[test]
    fn a_loop_is_executed_in_blocks() {
        let body = [(0, 1), (1, 0), (2, 1), (3, 0)];
        let executed = body.repeat(10);
        let (out, expected) = pushed(&executed, 1000);
        assert_eq!(out.executed, expected);
        // Met, learnt, and from then on whole.
        assert_eq!((out.blocks.len(), out.whole), (1, 8));
        assert_eq!((out.blocks[0].len(), out.blocks[0].addresses()), (4, 2));
    }

    proptest! {
        /// Pieces of straight code that are left early, on harts that take turns, with instructions whose addresses
        /// vary: what comes out is what was pushed.
        #[test]
        fn what_is_pushed_comes_out(
            pieces in prop::collection::vec((0u32..24, 1u32..9, prop::bool::weighted(0.1)), 1..120),
            every in 1usize..60,
        ) {
            let mut executed = Vec::new();
            for (first, length, varies) in pieces {
                for number in first..(first + length).min(24) {
                    let count = match varies {
                        true => number % 3,
                        false => u32::from(number % 2 == 0),
                    };
                    executed.push((number, count));
                }
            }
            let (out, expected) = pushed(&executed, every);
            prop_assert_eq!(out.executed, expected);
        }
    }
}
