//! Dependences, resolved in program order.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::block::Block;
use super::bytes::Bytes;
use super::handles::Handle;
use super::operation::{Operation, Wide};
use super::registers::{
    FIRST_SHARED, Identity, NOBODY, PLACES, Places, RegisterFile, SINK, SOMEBODY,
};
use super::steps::{Registers, Steps};
use crate::trace::InstructionId;
use crate::trace::isa::{Access, Operand};

/// Which dependences count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    pub memory: MemoryRule,
    /// Whether an instruction also waits for those that read or wrote before what it overwrites, in
    /// registers and, if memory counts, in memory: it starts when the last write is done
    /// (write-after-write) and not before the readers since have started (write-after-read; operands
    /// are read at the start). On EDAN's slide "Exposing Potential Parallelism" that gives depth 6.
    pub false_dependences: bool,
}

/// How values are followed through memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MemoryRule {
    /// Byte by byte.
    #[default]
    Bytes,
    /// An access depends on the last store whose address begins at the same byte, as in EDAN.
    SameAddress,
    /// Not at all.
    Registers,
}

/// Who produced what registers and memory hold: the one shadow of both.
pub struct Dependences {
    rules: Rules,
    harts: Vec<RegisterFile>,
    memory: Bytes,
    /// Of bytes, who read them since they were written; for false dependences.
    readers: Bytes,
    by_address: FxHashMap<u64, Handle>,
    /// By block, its edges from registers where nobody produced what these held the last time.
    edges: Vec<(Places, u32)>,
}

/// The next instruction of the program order.
#[derive(Clone, Copy)]
pub struct Next<'a> {
    pub instruction: InstructionId,
    pub operation: &'a Operation,
    /// The bytes where its accesses begin.
    pub addresses: &'a [u64],
}

/// Identities of instructions with several values, from which one reads.
type Shared = SmallVec<[Identity; 16]>;

impl Dependences {
    pub fn new(rules: Rules) -> Dependences {
        Dependences {
            rules,
            harts: Vec::new(),
            memory: Bytes::new(),
            readers: Bytes::new(),
            by_address: FxHashMap::default(),
            edges: Vec::new(),
        }
    }

    /// Makes room for a hart; to be called before its first instruction.
    pub fn add_hart(&mut self, hart: u16) {
        while self.harts.len() <= hart as usize {
            self.harts.push(RegisterFile::new());
        }
    }

    /// Adds the next instruction to the steps; `used` is asked what else is to be known of its accesses.
    #[inline(always)]
    pub fn resolve<U: Copy + Default + PartialEq>(
        &mut self,
        next: Next<'_>,
        used: impl FnOnce(Access) -> U,
        steps: &mut Steps<U>,
    ) {
        let Some(edges) = self.plain_edges(next.operation) else {
            return self.resolve_listed(next, used, steps);
        };
        let identity = self.add_step(next, edges, &[], used, steps);
        self.write_register(next.operation.hart, next.operation.destination, identity);
    }

    /// Adds a whole block to the steps, if nothing that it reads from registers was written by an instruction with several
    /// values, so that what depends on what is known; else adds nothing, and the instructions are to be resolved one by
    /// one. `used` is asked of every access, in their order.
    #[inline(always)]
    pub fn resolve_block<U: Copy + Default + PartialEq>(
        &mut self,
        (number, block): (u32, &Block),
        addresses: &[u64],
        mut used: impl FnMut(Access, &[u64]) -> U,
        steps: &mut Steps<U>,
    ) -> bool {
        let file = &mut self.harts[block.hart as usize];
        let is_known = block.is_plain
            && (block.reads | block.writes) & file.shared == 0
            && self.rules.memory == MemoryRule::Bytes
            && !self.rules.false_dependences;
        if !is_known {
            return false;
        }
        let missing = block.reads & !file.plain;
        if block.writes & !file.plain != 0 {
            file.write_plain(block.writes);
        }
        let edges = self.edges_of_block(number, block, missing);
        let before = steps.sources();
        for (access, address) in block.accesses.iter().zip(addresses) {
            let first = steps.sources();
            let bytes = u32::from(access.bytes);
            if access.kind.reads() {
                self.memory.read(*address, bytes, |handle| {
                    if !steps.has_source(first, handle) {
                        steps.push_source(handle);
                    }
                });
            }
            let address = std::slice::from_ref(address);
            let used = used(*access, address);
            let written = match access.kind.writes() {
                true => self.memory.write(address[0], bytes),
                false => 0,
            };
            steps.push_access((*access, address), first, written, used);
        }
        let edges = edges + (steps.sources() - before) as u32;
        steps.push_block((number, block), edges, missing);
        true
    }

    /// Edges from registers to the instructions of a block, if nobody produced what these hold.
    #[inline(always)]
    fn edges_of_block(&mut self, number: u32, block: &Block, missing: Places) -> u32 {
        if let Some(known) = self.edges.get(number as usize)
            && known.0 == missing
        {
            return known.1;
        }
        if self.edges.len() <= number as usize {
            self.edges.resize(number as usize + 1, (Places::MAX, 0));
        }
        let edges = block.edges(missing);
        self.edges[number as usize] = (missing, edges);
        edges
    }

    /// Edges from registers to an instruction that has few, each with a value of its own instruction: of nearly all.
    #[inline(always)]
    fn plain_edges(&self, operation: &Operation) -> Option<u32> {
        let file = &self.harts[operation.hart as usize];
        let producers = operation
            .sources
            .map(|source| file.producers[source as usize % PLACES]);
        let is_plain = operation.wide.is_none() && producers.iter().all(|own| *own < FIRST_SHARED);
        is_plain.then(|| producers.iter().map(|own| u32::from(*own != NOBODY)).sum())
    }

    /// Adds an instruction that has many registers, or some with values of one instruction.
    #[inline(never)]
    fn resolve_listed<U: Copy + Default + PartialEq>(
        &mut self,
        next: Next<'_>,
        used: impl FnOnce(Access) -> U,
        steps: &mut Steps<U>,
    ) {
        let operation = next.operation;
        let registers = self.registers(operation);
        let file = &self.harts[operation.hart as usize];
        let sources = registers.reads[..registers.sources].iter();
        let producers = sources.map(|place| file.producers[*place as usize]);
        let edges = producers.clone().filter(|own| *own != NOBODY).count() as u32;
        let shared: Shared = producers.filter(|own| *own >= FIRST_SHARED).collect();
        let identity = self.add_step(next, edges, &shared, used, steps);
        match &operation.wide {
            None => self.write_register(operation.hart, operation.destination, identity),
            Some(wide) => self.write_wide(operation.hart, wide, &registers.writes, identity),
        }
        steps.set_registers(registers);
    }

    /// Adds an instruction with so many edges from registers, some of them from instructions with several values.
    /// Returns the identity of what it produces.
    #[inline(always)]
    fn add_step<U: Copy + Default + PartialEq>(
        &mut self,
        next: Next<'_>,
        edges: u32,
        shared: &[Identity],
        used: impl FnOnce(Access) -> U,
        steps: &mut Steps<U>,
    ) -> Identity {
        let Some(access) = self.access(next.operation) else {
            steps.push(next.instruction, edges, false);
            return SOMEBODY;
        };
        let addresses = next.addresses;
        let first = steps.sources();
        if access.kind.reads() {
            self.load(access, addresses, shared, steps);
        }
        steps.push(next.instruction, edges, true);
        if self.rules.false_dependences {
            self.overwrite(access, addresses, steps);
        }
        let used = used(access);
        let identity = match access.kind.writes() {
            true => self.store(access, addresses),
            false => SOMEBODY,
        };
        let written = identity.saturating_sub(FIRST_SHARED);
        steps.push_access((access, addresses), first, written, used);
        identity
    }

    /// What an instruction does to memory, with the width of its elements.
    #[inline(always)]
    fn access(&self, operation: &Operation) -> Option<Access> {
        let access = operation.access?;
        if access.bytes != 0 {
            return Some(access);
        }
        let set = self.harts[operation.hart as usize].vector_type;
        Some(Access {
            bytes: set.map_or(8, |set| set.sew / 8),
            ..access
        })
    }

    /// The registers of an instruction, one by one.
    fn registers(&self, operation: &Operation) -> Registers {
        let file = &self.harts[operation.hart as usize];
        let (reads, writes): (SmallVec<[u8; 32]>, SmallVec<[u8; 16]>) = match &operation.wide {
            None => (
                operation
                    .sources
                    .into_iter()
                    .filter(|place| *place != 0)
                    .collect(),
                [operation.destination].into_iter().collect(),
            ),
            Some(wide) => {
                let places = |operand: Operand| file.places(operand).map(|place| place as u8);
                (
                    wide.reads.iter().flat_map(places).collect(),
                    wide.writes.iter().flat_map(places).collect(),
                )
            }
        };
        let mut seen = Shared::new();
        let is_source = |place: &u8| {
            let producer = file.producers[*place as usize];
            let is_seen = producer >= FIRST_SHARED && seen.contains(&producer);
            seen.push(producer);
            !is_seen
        };
        let (mut reads, twice): (SmallVec<[u8; 32]>, SmallVec<[u8; 32]>) =
            reads.into_iter().partition(is_source);
        let sources = reads.len();
        reads.extend(twice);
        Registers {
            reads,
            sources,
            writes,
        }
    }

    /// Adds the values that an access reads, each once, but for those of the instructions that share.
    #[inline(always)]
    fn load<U: Copy + Default + PartialEq>(
        &mut self,
        access: Access,
        addresses: &[u64],
        shared: &[Identity],
        steps: &mut Steps<U>,
    ) {
        let first = steps.sources();
        let mut add = |handle: Handle| {
            if !shared.contains(&(handle + FIRST_SHARED)) && !steps.has_source(first, handle) {
                steps.push_source(handle);
            }
        };
        match self.rules.memory {
            MemoryRule::Bytes => {
                for &address in addresses {
                    self.memory.read(address, u32::from(access.bytes), &mut add);
                }
            }
            MemoryRule::SameAddress => addresses
                .iter()
                .filter_map(|address| self.by_address.get(address))
                .for_each(|handle| add(*handle)),
            MemoryRule::Registers => {}
        }
    }

    /// Adds what an access waits for beside the values that it reads, and what waits for it from now on.
    fn overwrite<U: Copy + Default + PartialEq>(
        &mut self,
        access: Access,
        addresses: &[u64],
        steps: &mut Steps<U>,
    ) {
        steps.push_overwriting();
        if self.rules.memory != MemoryRule::Bytes {
            return;
        }
        let bytes = u32::from(access.bytes);
        let Dependences {
            memory, readers, ..
        } = self;
        if access.kind.writes() {
            for &address in addresses {
                memory.read(address, bytes, |value| steps.push_written(value));
            }
            for &address in addresses {
                readers.read(address, bytes, |start| steps.push_read(start));
            }
        }
        if access.kind.reads() {
            for &address in addresses {
                readers.change(address, bytes, |before, now| steps.push_reader(before, now));
            }
        }
    }

    /// Stores a new value, and returns its identity.
    #[inline(always)]
    fn store(&mut self, access: Access, addresses: &[u64]) -> Identity {
        let bytes = u32::from(access.bytes);
        let mut identity = SOMEBODY;
        match self.rules.memory {
            MemoryRule::Bytes => {
                for (index, &address) in addresses.iter().enumerate() {
                    if self.rules.false_dependences {
                        self.readers.place(address, bytes, 0);
                    }
                    if index == 0 {
                        identity = self.memory.write(address, bytes) + FIRST_SHARED;
                    } else {
                        self.memory.place(address, bytes, identity - FIRST_SHARED);
                    }
                }
            }
            MemoryRule::SameAddress => {
                for address in addresses {
                    if identity == SOMEBODY {
                        identity = self.memory.values.take() + FIRST_SHARED;
                    }
                    let handle = identity - FIRST_SHARED;
                    self.memory.values.add_places(handle, 1);
                    let old = self.by_address.insert(*address, handle);
                    self.memory.values.release(old.unwrap_or(0));
                }
            }
            MemoryRule::Registers => {}
        }
        identity
    }

    #[inline(always)]
    fn write_register(&mut self, hart: u16, place: u8, identity: Identity) {
        // Written by whatever has no result, and read by nobody.
        if place as usize == SINK {
            return;
        }
        let old = self.harts[hart as usize].write(place, identity);
        if old >= FIRST_SHARED || identity >= FIRST_SHARED {
            self.memory
                .values
                .add_places(identity.saturating_sub(FIRST_SHARED), 1);
            self.memory.values.release(old.saturating_sub(FIRST_SHARED));
        }
    }

    fn write_wide(&mut self, hart: u16, wide: &Wide, places: &[u8], identity: Identity) {
        if let Some(set) = wide.sets_vector_type {
            self.harts[hart as usize].vector_type = Some(set);
        }
        let identity = match identity {
            SOMEBODY if places.len() > 1 => self.memory.values.take() + FIRST_SHARED,
            identity => identity,
        };
        for place in places {
            self.write_register(hart, *place, identity);
        }
    }
}
