//! Walking through [`Steps`]: instruction by instruction, or with blocks of them together.

use std::slice::Iter;

use super::block::{Block, BlockOperation};
use super::handles::Handle;
use super::operation::Operation;
use super::registers::Places;
use super::steps::{PackedAccess, PackedOverwriting, Registers, Steps, What};
use crate::trace::InstructionId;
use crate::trace::isa::Access;

/// One executed instruction.
#[derive(Clone, Copy)]
pub struct Step<'a, U> {
    pub instruction: InstructionId,
    pub operation: &'a Operation,
    /// True dependences: instructions whose values this one reads.
    pub edges: u32,
    /// What it does to memory, if it is one that accesses memory.
    pub accessed: Option<Accessed<'a, U>>,
    pub(super) registers: Option<&'a Registers>,
}

impl<U> Step<'_, U> {
    /// The registers that it writes.
    #[inline(always)]
    pub fn overwritten(&self) -> Places {
        match self.registers {
            None => 1 << self.operation.destination,
            Some(registers) => (registers.writes.iter()).fold(0, |all, place| all | 1 << place),
        }
    }

    /// The bytes where its accesses begin.
    pub fn addresses(&self) -> &[u64] {
        self.accessed
            .as_ref()
            .map_or(&[], |accessed| accessed.addresses)
    }
}

/// The accesses of one executed instruction.
#[derive(Clone, Copy)]
pub struct Accessed<'a, U> {
    /// Elements of indexed vector accesses are as wide as the last configuration instruction says, eight bytes if the
    /// trace did not show it.
    pub access: Access,
    pub addresses: &'a [u64],
    pub used: U,
    pub(super) sources: &'a [Handle],
    pub(super) written: Handle,
    pub(super) overwriting: Option<Overwriting<'a>>,
}

impl<U> Accessed<'_, U> {
    /// Whether memory keeps a value of it.
    #[inline(always)]
    pub fn is_written(&self) -> bool {
        self.written != 0
    }
}

/// What an access waits for because it overwrites something, and what it makes others wait for.
#[derive(Clone, Copy)]
pub(super) struct Overwriting<'a> {
    /// Values that are overwritten.
    pub written: &'a [Handle],
    /// Starts of those who read them.
    pub read: &'a [Handle],
    /// Starts of those who read what this one reads: the handle before, 0 for none, and that from now on.
    pub readers: &'a [(Handle, Handle)],
}

/// Visits what was executed.
pub trait Visitor<U> {
    fn step(&mut self, step: &Step<'_, U>);
    /// All instructions of a block.
    fn block(&mut self, run: BlockRun<'_, '_, U>);
}

/// An execution of a block. Whoever visits it asks for the accesses of all its operations, each once, in their order.
pub struct BlockRun<'a, 'r, U> {
    pub block: &'a Block,
    /// True dependences of all its instructions.
    pub edges: u32,
    rest: &'r mut Rest<'a, U>,
}

impl<'a, U: Copy + Default> BlockRun<'a, '_, U> {
    /// What the next operation does to memory, if it is one that accesses memory.
    #[inline(always)]
    pub fn accessed(&mut self, operation: &BlockOperation) -> Option<Accessed<'a, U>> {
        match operation.has_access {
            true => self.rest.plain_accessed(),
            false => None,
        }
    }
}

/// What of the steps has not been visited, but for the steps themselves.
struct Rest<'a, U> {
    accesses: Iter<'a, PackedAccess>,
    used: Iter<'a, U>,
    addresses: &'a [u64],
    handles: &'a [Handle],
    registers: Iter<'a, Registers>,
    overwriting: Iter<'a, PackedOverwriting>,
    overwritten: &'a [Handle],
    readers: &'a [(Handle, Handle)],
    missing: Iter<'a, Places>,
}

impl<'a, U: Copy + Default> Rest<'a, U> {
    #[inline(always)]
    fn accessed(&mut self) -> Option<Accessed<'a, U>> {
        let accessed = self.plain_accessed()?;
        let overwriting = self.overwriting.next();
        Some(Accessed {
            overwriting: overwriting.map(|packed| self.overwriting(*packed)),
            ..accessed
        })
    }

    /// The same where false dependences do not count.
    #[inline(always)]
    fn plain_accessed(&mut self) -> Option<Accessed<'a, U>> {
        let packed = self.accesses.next()?;
        let (addresses, rest) = self.addresses.split_at(packed.addresses as usize);
        self.addresses = rest;
        let (sources, rest) = self.handles.split_at(packed.sources as usize);
        self.handles = rest;
        let used = match packed.is_used {
            true => self.used.next().copied().unwrap_or_default(),
            false => U::default(),
        };
        Some(Accessed {
            access: packed.access,
            addresses,
            used,
            sources,
            written: packed.written,
            overwriting: None,
        })
    }

    #[inline(never)]
    fn overwriting(&mut self, packed: PackedOverwriting) -> Overwriting<'a> {
        let (written, rest) = self.overwritten.split_at(packed.written as usize);
        let (read, rest) = rest.split_at(packed.read as usize);
        self.overwritten = rest;
        let (readers, rest) = self.readers.split_at(packed.readers as usize);
        self.readers = rest;
        Overwriting {
            written,
            read,
            readers,
        }
    }

    /// The next instruction, with so many edges from registers.
    #[inline(always)]
    fn step<'o>(
        &mut self,
        (instruction, edges): (InstructionId, u32),
        (has_access, has_registers): (bool, bool),
        operations: &'o [Operation],
    ) -> Step<'o, U>
    where
        'a: 'o,
    {
        let accessed = match has_access {
            false => None,
            true => self.accessed(),
        };
        let sources = accessed.as_ref().map_or(0, |own| own.sources.len());
        Step {
            instruction,
            operation: &operations[instruction.0 as usize],
            edges: edges + sources as u32,
            accessed,
            registers: self.registers(has_registers),
        }
    }

    #[inline(always)]
    fn registers(&mut self, has_registers: bool) -> Option<&'a Registers> {
        match has_registers {
            false => None,
            true => self.registers.next(),
        }
    }

    #[inline(always)]
    fn missing(&mut self, has_missing: bool) -> Places {
        match has_missing {
            false => 0,
            true => self.missing.next().copied().unwrap_or(0),
        }
    }
}

impl<U: Copy + Default + PartialEq> Steps<U> {
    /// Every step, of instructions with these operations and of these blocks.
    #[inline(always)]
    pub fn for_each(
        &self,
        operations: &[Operation],
        blocks: &[Block],
        mut visit: impl FnMut(Step<'_, U>),
    ) {
        let mut rest = self.rest();
        let mut packed = self.packed.iter();
        let mut block: Iter<'_, BlockOperation> = [].iter();
        let mut missing = 0;
        loop {
            // One place where steps are visited, so that what visits them is compiled into the loop.
            let (instruction, edges, has_access, has_registers) = match block.next() {
                Some(own) => (own.instruction, own.edges(missing), own.has_access, false),
                None => {
                    let Some(packed) = packed.next() else {
                        return;
                    };
                    match packed.what {
                        What::Block { has_missing } => {
                            block = blocks[packed.number as usize].operations().iter();
                            missing = rest.missing(has_missing);
                            continue;
                        }
                        What::Instruction {
                            has_access,
                            has_registers,
                        } => (
                            InstructionId(packed.number),
                            packed.edges,
                            has_access,
                            has_registers,
                        ),
                    }
                }
            };
            let has = (has_access, has_registers);
            visit(rest.step((instruction, edges), has, operations));
        }
    }

    /// Every step, but those of blocks together.
    #[inline(always)]
    pub fn for_each_piece(
        &self,
        operations: &[Operation],
        blocks: &[Block],
        visitor: &mut impl Visitor<U>,
    ) {
        let mut rest = self.rest();
        for packed in &self.packed {
            match packed.what {
                What::Block { has_missing } => {
                    let _ = rest.missing(has_missing);
                    visitor.block(BlockRun {
                        block: &blocks[packed.number as usize],
                        edges: packed.edges,
                        rest: &mut rest,
                    });
                }
                What::Instruction {
                    has_access,
                    has_registers,
                } => {
                    let own = (InstructionId(packed.number), packed.edges);
                    visitor.step(&rest.step(own, (has_access, has_registers), operations));
                }
            }
        }
    }

    #[inline(always)]
    fn rest(&self) -> Rest<'_, U> {
        Rest {
            accesses: self.accesses.iter(),
            used: self.used.iter(),
            addresses: &self.addresses,
            handles: &self.handles,
            registers: self.registers.iter(),
            overwriting: self.overwriting.iter(),
            overwritten: &self.overwritten,
            readers: &self.readers,
            missing: self.missing.iter(),
        }
    }
}
