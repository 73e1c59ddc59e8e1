//! Dependences, resolved in program order.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::bytes::Bytes;
use super::handles::Handle;
use super::operation::{Operation, Wide};
use super::registers::{FIRST_SHARED, Identity, NOBODY, RegisterFile, SINK, SOMEBODY};
use super::steps::{Overwriting, Registers, Steps};
use crate::trace::InstructionId;
use crate::trace::isa::{Access, Operand};

/// Which dependences count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    pub memory: MemoryRule,
    /// Whether an instruction also waits for those that read or wrote before what it overwrites, in
    /// registers and, if memory counts, in memory: it starts when the last write is done
    /// (write-after-write) and not before the readers since have started (write-after-read; operands
    /// are read at the start). On EDAN's slide "Exposing Potential Parallelism" that gives depth 6.
    pub false_dependences: bool,
}

/// How values are followed through memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryRule {
    /// Byte by byte.
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
}

/// Identities of instructions with several values, from which one reads.
type Seen = SmallVec<[Identity; 16]>;

impl Dependences {
    pub fn new(rules: Rules) -> Dependences {
        Dependences {
            rules,
            harts: Vec::new(),
            memory: Bytes::new(),
            readers: Bytes::new(),
            by_address: FxHashMap::default(),
        }
    }

    /// Makes room for a hart; to be called before its first instruction.
    pub fn add_hart(&mut self, hart: u16) {
        while self.harts.len() <= hart as usize {
            self.harts.push(RegisterFile::new());
        }
    }

    /// Adds the next instruction of the program order to the steps; `used` is asked what else is to be known of its
    /// accesses.
    #[inline(always)]
    pub fn resolve<U: Copy>(
        &mut self,
        instruction: InstructionId,
        operation: &Operation,
        addresses: &[u64],
        used: impl FnOnce(Access) -> U,
        steps: &mut Steps<U>,
    ) {
        let access = self.access(operation);
        let mut seen = Seen::new();
        let mut edges = 0;
        let file = &self.harts[operation.hart as usize];
        let mut listed = operation.wide.is_some().then(|| self.listed(operation));
        match &listed {
            None => {
                let mut is_twice = false;
                for source in operation.sources {
                    match source_of(file.producers[source as usize], &mut seen) {
                        Source::Nobody => {}
                        Source::New => edges += 1,
                        Source::Known => is_twice = true,
                    }
                }
                if is_twice {
                    listed = Some(self.listed(operation));
                }
            }
            Some(listed) => {
                for source in &listed.reads[..listed.sources] {
                    let producer = file.producers[*source as usize];
                    edges += u32::from(source_of(producer, &mut seen) == Source::New);
                }
            }
        }
        let mut identity = SOMEBODY;
        match access {
            None => steps.push(instruction, edges, false),
            Some(access) => {
                let first = steps.sources();
                if access.kind.reads() {
                    self.load(access, addresses, &mut seen, steps);
                    edges += (steps.sources() - first) as u32;
                }
                steps.push(instruction, edges, true);
                if self.rules.false_dependences {
                    let overwriting = self.overwriting(access, addresses);
                    steps.push_overwriting(overwriting);
                }
                let used = used(access);
                if access.kind.writes() {
                    identity = self.store(access, addresses);
                }
                let written = identity.saturating_sub(FIRST_SHARED);
                steps.push_access((access, addresses), first, written, used);
            }
        }
        match &operation.wide {
            None => self.write_register(operation.hart, operation.destination, identity),
            Some(wide) => {
                let writes = listed.as_ref().map_or(&[][..], |listed| &listed.writes);
                self.write_wide(operation.hart, wide, writes, identity);
            }
        }
        if let Some(listed) = listed.take() {
            steps.set_registers(listed);
        }
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
    fn listed(&self, operation: &Operation) -> Registers {
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
        let mut seen = Seen::new();
        let is_source =
            |place: &u8| source_of(file.producers[*place as usize], &mut seen) != Source::Known;
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

    /// Adds the values that an access reads and that are not among the seen ones.
    #[inline(always)]
    fn load<U: Copy>(
        &mut self,
        access: Access,
        addresses: &[u64],
        seen: &mut Seen,
        steps: &mut Steps<U>,
    ) {
        let mut add = |handle: Handle| {
            if source_of(handle + FIRST_SHARED, seen) == Source::New {
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

    /// What an access waits for beside the values that it reads, and what waits for it from now on.
    fn overwriting(&mut self, access: Access, addresses: &[u64]) -> Overwriting {
        let mut overwriting = Overwriting::default();
        if self.rules.memory != MemoryRule::Bytes {
            return overwriting;
        }
        let bytes = u32::from(access.bytes);
        let Overwriting {
            written,
            read,
            readers,
        } = &mut overwriting;
        if access.kind.writes() {
            for &address in addresses {
                self.memory
                    .read(address, bytes, |handle| written.push(handle));
                self.readers
                    .read(address, bytes, |handle| read.push(handle));
            }
        }
        if access.kind.reads() {
            for &address in addresses {
                let change = |before, now| readers.push((before, now));
                self.readers.change(address, bytes, change);
            }
        }
        overwriting
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
        let producers = &mut self.harts[hart as usize].producers;
        let old = std::mem::replace(&mut producers[place as usize], identity);
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

/// What the value in a register or in memory is to an instruction that reads it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    /// It was there before the trace.
    Nobody,
    /// It is of an instruction of which nothing else was read so far.
    New,
    /// It is of an instruction of which another value was read.
    Known,
}

#[inline(always)]
fn source_of(producer: Identity, seen: &mut Seen) -> Source {
    if producer == NOBODY {
        return Source::Nobody;
    }
    if producer >= FIRST_SHARED {
        if seen.contains(&producer) {
            return Source::Known;
        }
        seen.push(producer);
    }
    Source::New
}
