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
