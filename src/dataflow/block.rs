//! A block of the program with the dependences within it: resolved once, not at every execution.

use super::operation::Operation;
use super::registers::{Places, SINK};
use crate::trace::InstructionId;
use crate::trace::isa::Access;

/// Instructions of one hart that are executed one after another.
#[derive(Clone, Debug)]
pub struct Block {
    pub(super) hart: u16,
    /// Whether its dependences are known, given those of the registers that it reads: its instructions are narrow,
    /// each access has one address and a width of its own, and none writes memory and a register.
    pub(super) is_plain: bool,
    /// Registers that it reads before it writes them, and those that it writes.
    pub(super) reads: Places,
    pub(super) writes: Places,
    pub(super) accesses: Vec<Access>,
    /// Registers that hold what it wrote and has not read, when it ends.
    unread: Places,
    operations: Vec<BlockOperation>,
}

/// An instruction of a block.
#[derive(Clone, Copy, Debug)]
pub struct BlockOperation {
    pub instruction: InstructionId,
    pub(super) sources: [u8; 3],
    pub(super) destination: u8,
    /// How many of its sources come first, as they are from outside of the block, and how many from within.
    outer: u8,
    inner: u8,
    pub has_access: bool,
    /// Whether another instruction of the block reads its register, which so is available as late or later.
    pub is_read: bool,
    /// Whether its register holds its value when the block ends.
    pub is_kept: bool,
}

impl Block {
    /// Instructions with these operations, of which each has an address or none. Those that are not to be in the steps
    /// are not in a block.
    pub fn new(
        instructions: impl Iterator<Item = (InstructionId, bool)>,
        operations: &[Operation],
        is_omitted: &[bool],
    ) -> Block {
        let mut block = Block {
            hart: 0,
            is_plain: true,
            reads: 0,
            writes: 0,
            accesses: Vec::new(),
            unread: 0,
            operations: Vec::new(),
        };
        for (instruction, has_address) in instructions {
            let number = instruction.0 as usize;
            block.is_plain &= !is_omitted[number];
            block.add(instruction, &operations[number], has_address);
        }
        block.find_kept();
        block
    }

    fn add(&mut self, instruction: InstructionId, operation: &Operation, has_address: bool) {
        let Operation {
            hart,
            sources,
            destination,
            access,
            ref wide,
        } = *operation;
        self.hart = hart;
        let writes_register = destination as usize != SINK;
        self.is_plain &= wide.is_none()
            && access.is_some() == has_address
            && access.is_none_or(|access| {
                access.bytes != 0 && !(access.kind.writes() && writes_register)
            });
        // Absent ones stay behind the others, and the order of these does not matter.
        let mut sources = sources;
        sources.sort_by_key(|place| (*place == 0, self.writes >> place & 1));
        let (mut outer, mut inner) = (0, 0);
        for place in sources.into_iter().filter(|place| *place != 0) {
            if self.writes >> place & 1 == 0 {
                self.reads |= 1 << place;
                outer += 1;
            } else {
                inner += 1;
            }
            let before = self.operations.iter_mut().rev();
            let mut producer = before.filter(|own| own.destination == place);
            if let Some(producer) = producer.next() {
                producer.is_read = true;
            }
        }
        if writes_register {
            self.writes |= 1 << destination;
        }
        self.accesses.extend(access);
        self.operations.push(BlockOperation {
            instruction,
            sources,
            destination,
            outer,
            inner,
            has_access: access.is_some(),
            is_read: false,
            is_kept: false,
        });
    }

    fn find_kept(&mut self) {
        let mut later = 1 << SINK;
        for operation in self.operations.iter_mut().rev() {
            let own = 1 << operation.destination;
            operation.is_kept = later & own == 0;
            if operation.is_kept && !operation.is_read {
                self.unread |= own;
            }
            later |= own;
        }
    }

    /// Of these registers, whose values nobody has read, those that it overwrites without having read them; and those whose
    /// values still nobody has read when it ends.
    pub fn pass_unread(&self, unread: Places) -> (Places, Places) {
        let lost = unread & self.writes & !self.reads;
        let left = unread & !self.writes & !self.reads;
        (lost, left | self.unread)
    }

    pub fn operations(&self) -> &[BlockOperation] {
        &self.operations
    }

    pub fn hart(&self) -> u16 {
        self.hart
    }

    /// Edges from registers, if nobody produced what these hold.
    pub(super) fn edges(&self, missing: Places) -> u32 {
        let edges = self.operations.iter().map(|own| own.edges(missing));
        edges.sum()
    }
}

impl BlockOperation {
    /// Edges from registers, if nobody produced what these hold before the block.
    #[inline(always)]
    pub(super) fn edges(&self, missing: Places) -> u32 {
        let mut edges = u32::from(self.outer + self.inner);
        if missing != 0 {
            let outer = &self.sources[..self.outer as usize];
            edges -= outer
                .iter()
                .filter(|place| missing >> **place & 1 != 0)
                .count() as u32;
        }
        edges
    }
}
