//! Executed instructions with what each depends on, packed, for every question of a run to walk through.

use smallvec::SmallVec;

use super::block::Block;
use super::handles::Handle;
use super::registers::Places;
use crate::trace::InstructionId;
use crate::trace::isa::Access;

/// A stretch of the program order. `U` is what else is known of an access.
#[derive(Debug)]
pub struct Steps<U> {
    pub(super) packed: Vec<Packed>,
    /// Executed instructions.
    executed: usize,
    pub(super) accesses: Vec<PackedAccess>,
    /// Of accesses that took something.
    pub(super) used: Vec<U>,
    pub(super) addresses: Vec<u64>,
    pub(super) handles: Vec<Handle>,
    /// Of instructions that have them in place of those of their operation.
    pub(super) registers: Vec<Registers>,
    /// One for each access, where false dependences count.
    pub(super) overwriting: Vec<PackedOverwriting>,
    pub(super) overwritten: Vec<Handle>,
    pub(super) readers: Vec<(Handle, Handle)>,
    /// Of blocks that read registers which nobody wrote, which these are.
    pub(super) missing: Vec<Places>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Packed {
    /// Of the instruction or block.
    pub number: u32,
    /// Of a block all, else those from registers.
    pub edges: u32,
    pub what: What,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum What {
    Block {
        /// Whether some registers that it reads hold what was there before the trace.
        has_missing: bool,
    },
    Instruction {
        has_access: bool,
        has_registers: bool,
    },
}

#[derive(Clone, Copy, Debug)]
pub(super) struct PackedAccess {
    pub addresses: u32,
    pub sources: u32,
    /// 0 if nothing is written, or nobody follows it.
    pub written: Handle,
    pub access: Access,
    /// Whether it has an entry of its own in [`Steps::used`].
    pub is_used: bool,
}

/// Registers of an instruction that has more than a narrow operation, or of whose operands several hold values of one
/// instruction.
#[derive(Clone, Debug, Default)]
pub(super) struct Registers {
    /// Places that are read, those whose value is one of another place's instruction behind the others.
    pub reads: SmallVec<[u8; 32]>,
    /// How many have an instruction of their own.
    pub sources: usize,
    pub writes: SmallVec<[u8; 16]>,
}

/// How many of [`Overwriting`] there are.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PackedOverwriting {
    pub written: u32,
    pub read: u32,
    pub readers: u32,
}

impl<U> Default for Steps<U> {
    fn default() -> Steps<U> {
        Steps {
            packed: Vec::new(),
            executed: 0,
            accesses: Vec::new(),
            used: Vec::new(),
            addresses: Vec::new(),
            handles: Vec::new(),
            registers: Vec::new(),
            overwriting: Vec::new(),
            overwritten: Vec::new(),
            readers: Vec::new(),
            missing: Vec::new(),
        }
    }
}

impl<U: Copy + Default + PartialEq> Steps<U> {
    /// Executed instructions.
    pub fn len(&self) -> usize {
        self.executed
    }

    pub fn is_empty(&self) -> bool {
        self.packed.is_empty()
    }

    pub fn clear(&mut self) {
        let Steps {
            packed,
            executed,
            accesses,
            used,
            addresses,
            handles,
            registers,
            overwriting,
            overwritten,
            readers,
            missing,
        } = self;
        packed.clear();
        *executed = 0;
        accesses.clear();
        used.clear();
        addresses.clear();
        handles.clear();
        registers.clear();
        overwriting.clear();
        overwritten.clear();
        readers.clear();
        missing.clear();
    }

    /// Adds a block, with so many edges, whose accesses have been added; nobody produced what these places hold that it
    /// reads.
    #[inline(always)]
    pub(super) fn push_block(
        &mut self,
        (number, block): (u32, &Block),
        edges: u32,
        missing: Places,
    ) {
        self.executed += block.operations().len();
        let has_missing = missing != 0;
        if has_missing {
            self.missing.push(missing);
        }
        self.packed.push(Packed {
            number,
            edges,
            what: What::Block { has_missing },
        });
    }

    #[inline(always)]
    pub(super) fn push(&mut self, instruction: InstructionId, edges: u32, access: bool) {
        self.executed += 1;
        self.packed.push(Packed {
            number: instruction.0,
            edges,
            what: What::Instruction {
                has_access: access,
                has_registers: false,
            },
        });
    }

    /// The step that was added last has these registers in place of those of its operation.
    pub(super) fn set_registers(&mut self, registers: Registers) {
        if let Some(Packed {
            what: What::Instruction { has_registers, .. },
            ..
        }) = self.packed.last_mut()
        {
            *has_registers = true;
            self.registers.push(registers);
        }
    }

    /// Adds a source in memory of the access that is added next.
    #[inline(always)]
    pub(super) fn push_source(&mut self, handle: Handle) {
        self.handles.push(handle);
    }

    /// Whether one of the sources in memory from that one on is the value.
    #[inline(always)]
    pub(super) fn has_source(&self, first: usize, handle: Handle) -> bool {
        self.handles[first..].contains(&handle)
    }

    /// How many sources in memory there are so far.
    #[inline(always)]
    pub(super) fn sources(&self) -> usize {
        self.handles.len()
    }

    #[inline(always)]
    pub(super) fn push_access(
        &mut self,
        (access, addresses): (Access, &[u64]),
        first_source: usize,
        written: Handle,
        used: U,
    ) {
        let is_used = used != U::default();
        if is_used {
            self.used.push(used);
        }
        self.addresses.extend_from_slice(addresses);
        self.accesses.push(PackedAccess {
            access,
            addresses: addresses.len() as u32,
            sources: (self.handles.len() - first_source) as u32,
            written,
            is_used,
        });
    }

    /// Adds what the last access overwrites.
    pub(super) fn push_overwriting(&mut self) {
        self.overwriting.push(PackedOverwriting::default());
    }

    /// The last access overwrites a value.
    pub(super) fn push_written(&mut self, value: Handle) {
        if let Some(last) = self.overwriting.last_mut() {
            last.written += 1;
            self.overwritten.push(value);
        }
    }

    /// The last access overwrites what others read; called when all values that it overwrites are known.
    pub(super) fn push_read(&mut self, start: Handle) {
        if let Some(last) = self.overwriting.last_mut() {
            last.read += 1;
            self.overwritten.push(start);
        }
    }

    /// The last access reads what others have read, and those after it.
    pub(super) fn push_reader(&mut self, before: Handle, now: Handle) {
        if let Some(last) = self.overwriting.last_mut() {
            last.readers += 1;
            self.readers.push((before, now));
        }
    }
}
