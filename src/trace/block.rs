//! Blocks: straight pieces of the program that are executed whole again and again, found while the trace is read, so
//! that what is behind the reader sees one block in place of many executions.
//!
//! A block ends at an instruction after which control may go elsewhere, before one of another hart or with several
//! addresses, or when it is long. It is learnt when its first instruction begins one for the second time. What is
//! executed is compared with it instruction by instruction: if control leaves it early, those before were executed
//! one by one.

use std::sync::Arc;

use super::instruction::{Instruction, InstructionId};
use super::isa::Class;

/// Instructions that are executed one after another, each of them without an address or with one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    steps: Arc<[u32]>,
    addresses: u32,
}

impl Block {
    fn new(steps: &[u32]) -> Block {
        Block {
            steps: steps.into(),
            addresses: steps.iter().map(|step| step & 3).sum(),
        }
    }

    /// How many instructions there are: at least two.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// There is none without instructions.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// How many addresses an execution has.
    pub fn addresses(&self) -> usize {
        self.addresses as usize
    }

    /// Its instructions, and whether each has an address.
    pub fn instructions(&self) -> impl ExactSizeIterator<Item = (InstructionId, bool)> + '_ {
        let steps = self.steps.iter();
        steps.map(|step| (InstructionId(step >> 2), step & 3 == 1))
    }
}

/// Instructions of a block at most.
const MOST: usize = 64;

/// In the list of all blocks' steps: nothing is foreseen. No step is so.
const NOTHING: u32 = u32::MAX;

/// What begins with an instruction.
const NEVER: u32 = u32::MAX;
const ONCE: u32 = u32::MAX - 1;

/// Follows what is executed, and knows the blocks so far.
pub(super) struct Finder {
    /// By instruction: the block that begins with it, `ONCE` if one might, or `NEVER`.
    starts: Vec<u32>,
    ends: Vec<bool>,
    harts: Vec<u16>,
    /// By block, where its steps begin in the list of all.
    firsts: Vec<u32>,
    blocks: Vec<Block>,
    /// Behind one entry of `NOTHING`, the steps of every block, each followed by `NOTHING` and its number.
    steps: Vec<u32>,
    /// What of them is executed next; 0 if nothing is foreseen.
    next: usize,
    /// Where the steps of the block begin that is being executed.
    first: usize,
    learning: Vec<u32>,
}

impl Default for Finder {
    fn default() -> Finder {
        Finder {
            starts: Vec::new(),
            ends: Vec::new(),
            harts: Vec::new(),
            firsts: Vec::new(),
            blocks: Vec::new(),
            steps: vec![NOTHING],
            next: 0,
            first: 0,
            learning: Vec::new(),
        }
    }
}

/// What an execution is part of.
pub(super) enum Found {
    /// Of a block that is not over.
    Part,
    /// It ends a block.
    Whole(u32),
    Other,
}

impl Finder {
    /// Takes note of an instruction; they are numbered in this order.
    pub fn add(&mut self, instruction: &Instruction) {
        let class = instruction.decoded.facts.class;
        self.starts.push(NEVER);
        self.ends.push(matches!(
            class,
            Class::Branch | Class::Jump | Class::System | Class::Unknown
        ));
        self.harts.push(instruction.hart);
    }

    /// Whether a step is the one that is foreseen.
    #[inline(always)]
    pub fn find(&mut self, step: u32) -> Found {
        if self.steps[self.next] != step {
            return Found::Other;
        }
        self.next += 1;
        if self.steps[self.next] != NOTHING {
            return Found::Part;
        }
        let number = self.steps[self.next + 1];
        self.next = 0;
        Found::Whole(number)
    }

    /// The steps of a block that was begun and does not go on.
    pub fn give_up(&mut self) -> &[u32] {
        let begun = match self.next {
            0 => 0..0,
            next => self.first..next,
        };
        self.next = 0;
        &self.steps[begun]
    }

    /// Whether no block is under way.
    pub fn is_idle(&self) -> bool {
        self.next == 0 && self.learning.is_empty()
    }

    /// The block that begins with an instruction.
    #[inline(always)]
    pub fn block_of(&self, id: u32) -> Option<u32> {
        let start = self.starts[id as usize];
        (start < ONCE).then_some(start)
    }

    /// Whether no block goes on behind the instruction.
    pub fn ends(&self, id: u32) -> bool {
        self.ends[id as usize]
    }

    pub fn block(&self, number: u32) -> &Block {
        &self.blocks[number as usize]
    }

    /// Takes a step that was not foreseen, where no block is under way. Whether it begins a block that is known, so that
    /// it is part of that; a block that was learnt meanwhile is put behind `learnt`.
    pub fn surprise(&mut self, step: u32, learnt: &mut Vec<Block>) -> bool {
        let id = (step >> 2) as usize;
        let is_plain = step & 3 < 2;
        if let Some(first) = self.learning.first() {
            let is_same_hart = self.harts[(first >> 2) as usize] == self.harts[id];
            if is_plain && is_same_hart {
                self.learn(step, learnt);
                return false;
            }
            self.learnt(learnt);
        }
        if !is_plain {
            return false;
        }
        match self.starts[id] {
            NEVER => self.starts[id] = ONCE,
            ONCE => self.learn(step, learnt),
            block => {
                let first = self.firsts[block as usize] as usize;
                if self.steps[first] == step {
                    (self.first, self.next) = (first, first + 1);
                    return true;
                }
            }
        }
        false
    }

    fn learn(&mut self, step: u32, learnt: &mut Vec<Block>) {
        self.learning.push(step);
        if self.ends[(step >> 2) as usize] || self.learning.len() == MOST {
            self.learnt(learnt);
        }
    }

    /// What was executed since learning began is a block.
    fn learnt(&mut self, learnt: &mut Vec<Block>) {
        let steps = &self.learning[..];
        let most = (ONCE as usize).min(u32::MAX as usize - 2 * MOST);
        if steps.len() >= 2 && self.blocks.len() < most && self.steps.len() < most {
            let number = self.blocks.len() as u32;
            self.starts[(steps[0] >> 2) as usize] = number;
            self.firsts.push(self.steps.len() as u32);
            self.steps.extend_from_slice(steps);
            self.steps.extend([NOTHING, number]);
            let block = Block::new(steps);
            learnt.push(block.clone());
            self.blocks.push(block);
        }
        self.learning.clear();
    }

    /// Learns no more of what was begun.
    pub fn stop_learning(&mut self) {
        self.learning.clear();
    }
}
