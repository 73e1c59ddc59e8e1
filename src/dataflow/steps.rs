//! Executed instructions with what each depends on, packed, for every question of a run to walk through.

use smallvec::SmallVec;

use super::handles::Handle;
use super::operation::Operation;
use crate::trace::InstructionId;
use crate::trace::isa::Access;

/// A stretch of the program order. `U` is what else is known of an access.
#[derive(Debug)]
pub struct Steps<U> {
    packed: Vec<Packed>,
    accesses: Vec<PackedAccess<U>>,
    addresses: Vec<u64>,
    handles: Vec<Handle>,
    /// Of instructions that have them in place of those of their operation.
    registers: Vec<Registers>,
    /// One for each access, where false dependences count.
    overwriting: Vec<PackedOverwriting>,
    overwritten: Vec<Handle>,
    readers: Vec<(Handle, Handle)>,
}

#[derive(Clone, Copy, Debug)]
struct Packed {
    instruction: InstructionId,
    edges: u32,
    has_access: bool,
    has_registers: bool,
}

#[derive(Clone, Copy, Debug)]
struct PackedAccess<U> {
    access: Access,
    addresses: u32,
    sources: u32,
    /// 0 if nothing is written, or nobody follows it.
    written: Handle,
    used: U,
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
struct PackedOverwriting {
    written: u32,
    read: u32,
    readers: u32,
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

impl<U> Default for Steps<U> {
    fn default() -> Steps<U> {
        Steps {
            packed: Vec::new(),
            accesses: Vec::new(),
            addresses: Vec::new(),
            handles: Vec::new(),
            registers: Vec::new(),
            overwriting: Vec::new(),
            overwritten: Vec::new(),
            readers: Vec::new(),
        }
    }
}

impl<U: Copy> Steps<U> {
    pub fn len(&self) -> usize {
        self.packed.len()
    }

    pub fn is_empty(&self) -> bool {
        self.packed.is_empty()
    }

    pub fn clear(&mut self) {
        let Steps {
            packed,
            accesses,
            addresses,
            handles,
            registers,
            overwriting,
            overwritten,
            readers,
        } = self;
        packed.clear();
        accesses.clear();
        addresses.clear();
        handles.clear();
        registers.clear();
        overwriting.clear();
        overwritten.clear();
        readers.clear();
    }

    /// Every step, of instructions with these operations.
    #[inline(always)]
    pub fn for_each(&self, operations: &[Operation], mut visit: impl FnMut(Step<'_, U>)) {
        let mut accesses = self.accesses.iter();
        let mut addresses = &self.addresses[..];
        let mut handles = &self.handles[..];
        let mut registers = self.registers.iter();
        let mut overwriting = self.overwriting();
        for packed in &self.packed {
            let accessed = match packed.has_access {
                false => None,
                true => accesses.next().map(|access| {
                    let (own, rest) = addresses.split_at(access.addresses as usize);
                    addresses = rest;
                    let (sources, rest) = handles.split_at(access.sources as usize);
                    handles = rest;
                    Accessed {
                        access: access.access,
                        addresses: own,
                        used: access.used,
                        sources,
                        written: access.written,
                        overwriting: overwriting.next(),
                    }
                }),
            };
            let registers = match packed.has_registers {
                false => None,
                true => registers.next(),
            };
            visit(Step {
                instruction: packed.instruction,
                operation: &operations[packed.instruction.0 as usize],
                edges: packed.edges,
                accessed,
                registers,
            });
        }
    }

    #[inline(always)]
    pub(super) fn push(&mut self, instruction: InstructionId, edges: u32, access: bool) {
        self.packed.push(Packed {
            instruction,
            edges,
            has_access: access,
            has_registers: false,
        });
    }

    /// The step that was added last has these registers in place of those of its operation.
    pub(super) fn set_registers(&mut self, registers: Registers) {
        if let Some(last) = self.packed.last_mut() {
            last.has_registers = true;
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
        self.addresses.extend_from_slice(addresses);
        self.accesses.push(PackedAccess {
            access,
            addresses: addresses.len() as u32,
            sources: (self.handles.len() - first_source) as u32,
            written,
            used,
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

    fn overwriting(&self) -> impl Iterator<Item = Overwriting<'_>> {
        let (mut overwritten, mut pairs) = (&self.overwritten[..], &self.readers[..]);
        self.overwriting.iter().map(move |packed| {
            let (written, rest) = overwritten.split_at(packed.written as usize);
            let (read, rest) = rest.split_at(packed.read as usize);
            overwritten = rest;
            let (readers, rest) = pairs.split_at(packed.readers as usize);
            pairs = rest;
            Overwriting {
                written,
                read,
                readers,
            }
        })
    }
}
