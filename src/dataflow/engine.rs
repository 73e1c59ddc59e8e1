//! Dependences, followed in program order.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::bytes::Bytes;
use super::lanes::Lanes;
use super::operation::{Operation, Wide};
use super::registers::{FIRST_SHARED, Identity, NOBODY, RegisterFile, SINK, SOMEBODY};
use super::slab::Handle;
use crate::trace::isa::Access;

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

/// When an instruction can start.
#[derive(Clone, Copy, Debug)]
pub struct Ready<L> {
    pub lanes: L,
    /// True dependences: instructions whose values this one reads.
    pub edges: u32,
}

/// The state of the engine: what is available when.
pub struct Dataflow<L: Lanes> {
    rules: Rules,
    harts: Vec<RegisterFile<L>>,
    memory: Bytes<L::Kept>,
    readers: Bytes<L::Kept>,
    by_address: FxHashMap<u64, (L, Handle)>,
}

/// Identities of instructions with several values, from which one reads.
type Seen = SmallVec<[Identity; 16]>;

impl<L: Lanes> Dataflow<L> {
    pub fn new(rules: Rules) -> Dataflow<L> {
        Dataflow {
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

    /// What an instruction does to memory; elements of indexed vector accesses are as wide as the last
    /// configuration instruction says, eight bytes if the trace did not show it.
    #[inline(always)]
    pub fn access(&self, operation: &Operation) -> Option<Access> {
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

    /// When the operands of an instruction are there, and how many instructions they come from.
    #[inline(always)]
    pub fn ready(
        &mut self,
        operation: &Operation,
        addresses: &[u64],
        viewer: L::Viewer,
    ) -> Ready<L> {
        let mut gathered = Gathered {
            lanes: L::START,
            edges: 0,
            seen: Seen::new(),
            viewer,
        };
        self.read(operation, addresses, &mut gathered);
        if self.rules.false_dependences {
            self.wait_to_overwrite(operation, addresses, &mut gathered.lanes);
        }
        Ready {
            lanes: gathered.lanes,
            edges: gathered.edges,
        }
    }

    /// Visits every value that an instruction reads and another one of the trace produced, some perhaps more than
    /// once. True dependences only.
    #[inline(always)]
    pub fn sources(&mut self, operation: &Operation, addresses: &[u64], visit: impl FnMut(L)) {
        self.read(operation, addresses, &mut Each(visit));
    }

    /// Visits everything that is known of any value, to look at it or to change it: of registers, of memory, and of
    /// readers where these count.
    pub fn for_each_value(&mut self, visit: &mut dyn FnMut(&mut L)) {
        let Dataflow {
            rules: _,
            harts,
            memory,
            readers,
            by_address,
        } = self;
        for RegisterFile { lanes, readers, .. } in harts {
            lanes
                .iter_mut()
                .chain(readers.iter_mut())
                .for_each(&mut *visit);
        }
        by_address.values_mut().for_each(|(lanes, _)| visit(lanes));
        for kept in memory
            .values
            .in_use_mut()
            .chain(readers.values.in_use_mut())
        {
            let mut lanes = L::recall(*kept);
            visit(&mut lanes);
            *kept = lanes.keep();
        }
    }

    /// Adds every value that an instruction reads, with who produced it.
    #[inline(always)]
    fn read(&mut self, operation: &Operation, addresses: &[u64], values: &mut impl Values<L>) {
        let file = &self.harts[operation.hart as usize];
        match &operation.wide {
            None => {
                for source in operation.sources {
                    values.add(file.lanes[source as usize], file.producers[source as usize]);
                }
            }
            Some(wide) => {
                for place in wide.reads.iter().flat_map(|operand| file.places(operand)) {
                    values.add(file.lanes[place], file.producers[place]);
                }
            }
        }
        let Some(access) = self.access(operation).filter(|access| access.kind.reads()) else {
            return;
        };
        match self.rules.memory {
            MemoryRule::Bytes => {
                for &address in addresses {
                    self.memory
                        .read(address, u32::from(access.bytes), |handle, kept| {
                            values.add(L::recall(kept), handle + FIRST_SHARED);
                        });
                }
            }
            MemoryRule::SameAddress => {
                for address in addresses {
                    if let Some((lanes, handle)) = self.by_address.get(address) {
                        values.add(*lanes, handle + FIRST_SHARED);
                    }
                }
            }
            MemoryRule::Registers => {}
        }
    }

    /// Waits for the last writer of everything that an instruction overwrites, and for those who read it since.
    fn wait_to_overwrite(&mut self, operation: &Operation, addresses: &[u64], lanes: &mut L) {
        let file = &self.harts[operation.hart as usize];
        let mut wait_for =
            |place: usize| *lanes = lanes.latest(file.lanes[place]).latest(file.readers[place]);
        match &operation.wide {
            None if operation.destination as usize == SINK => {}
            None => wait_for(operation.destination as usize),
            Some(wide) => wide
                .writes
                .iter()
                .flat_map(|operand| file.places(operand))
                .for_each(wait_for),
        }
        if let Some(access) = self.access(operation).filter(|access| access.kind.writes())
            && self.rules.memory == MemoryRule::Bytes
        {
            let bytes = u32::from(access.bytes);
            for &address in addresses {
                self.memory.read(address, bytes, |_, kept| {
                    *lanes = lanes.latest(L::recall(kept))
                });
                self.readers.read(address, bytes, |_, kept| {
                    *lanes = lanes.latest(L::recall(kept))
                });
            }
        }
    }

    /// Makes the results available of an instruction that started when its operands were there.
    #[inline(always)]
    pub fn complete(&mut self, operation: &Operation, addresses: &[u64], started: L, done: L) {
        if self.rules.false_dependences {
            self.note_reads(operation, addresses, started);
        }
        let mut identity = SOMEBODY;
        if let Some(access) = self.access(operation)
            && access.kind.writes()
        {
            identity = self.store(access, addresses, done, identity);
        }
        match &operation.wide {
            None => self.write_register(
                operation.hart,
                operation.destination as usize,
                done,
                identity,
            ),
            Some(wide) => self.write_wide(operation.hart, wide, done, identity),
        }
    }

    /// Stores the value, and tells under which identity.
    #[inline(always)]
    fn store(
        &mut self,
        access: Access,
        addresses: &[u64],
        done: L,
        mut identity: Identity,
    ) -> Identity {
        let bytes = u32::from(access.bytes);
        match self.rules.memory {
            MemoryRule::Bytes => {
                for (index, &address) in addresses.iter().enumerate() {
                    if self.rules.false_dependences {
                        self.readers.place(address, bytes, 0);
                    }
                    if index == 0 {
                        identity = self.memory.write(address, bytes, done.keep()) + FIRST_SHARED;
                    } else {
                        self.memory.place(address, bytes, identity - FIRST_SHARED);
                    }
                }
            }
            MemoryRule::SameAddress => {
                for address in addresses {
                    if identity == SOMEBODY {
                        let handle = self.memory.values.insert(done.keep());
                        self.memory.values.add_places(handle, 1);
                        identity = handle + FIRST_SHARED;
                    } else {
                        self.memory.values.add_places(identity - FIRST_SHARED, 1);
                    }
                    let old = self
                        .by_address
                        .insert(*address, (done, identity - FIRST_SHARED));
                    self.memory
                        .values
                        .release(old.map_or(0, |(_, handle)| handle));
                }
            }
            MemoryRule::Registers => {}
        }
        identity
    }

    #[inline(always)]
    fn write_register(&mut self, hart: u16, place: usize, done: L, identity: Identity) {
        // Written by whatever has no result, and read by nobody.
        if place == SINK {
            return;
        }
        let file = &mut self.harts[hart as usize];
        let old = std::mem::replace(&mut file.producers[place], identity);
        file.lanes[place] = done;
        if self.rules.false_dependences {
            file.readers[place] = L::START;
        }
        if old >= FIRST_SHARED || identity >= FIRST_SHARED {
            self.memory
                .values
                .add_places(identity.saturating_sub(FIRST_SHARED), 1);
            self.memory.values.release(old.saturating_sub(FIRST_SHARED));
        }
    }

    fn write_wide(&mut self, hart: u16, wide: &Wide, done: L, identity: Identity) {
        if let Some(set) = wide.sets_vector_type {
            self.harts[hart as usize].vector_type = Some(set);
        }
        let file = &self.harts[hart as usize];
        let places: SmallVec<[usize; 16]> = wide
            .writes
            .iter()
            .flat_map(|operand| file.places(operand))
            .collect();
        let identity = match identity {
            SOMEBODY if places.len() > 1 => self.memory.values.insert(done.keep()) + FIRST_SHARED,
            identity => identity,
        };
        for place in places {
            self.write_register(hart, place, done, identity);
        }
    }

    /// Remembers when operands were read, for those that will overwrite them.
    fn note_reads(&mut self, operation: &Operation, addresses: &[u64], started: L) {
        let access = self.access(operation);
        let file = &mut self.harts[operation.hart as usize];
        let mut note = |place: usize| file.readers[place] = file.readers[place].latest(started);
        match &operation.wide {
            None => operation
                .sources
                .iter()
                .filter(|place| **place != 0)
                .for_each(|place| note(*place as usize)),
            Some(wide) => {
                let places: SmallVec<[usize; 32]> =
                    wide.reads.iter().flat_map(|o| file.places(o)).collect();
                places
                    .into_iter()
                    .for_each(|place| file.readers[place] = file.readers[place].latest(started));
            }
        }
        if let Some(access) = access
            && access.kind.reads()
            && self.rules.memory == MemoryRule::Bytes
        {
            for &address in addresses {
                let later = |old: Option<L::Kept>| {
                    old.map_or(started, |old| L::recall(old).latest(started))
                        .keep()
                };
                self.readers.change(address, u32::from(access.bytes), later);
            }
        }
    }
}

/// Takes the values that an instruction reads. A trait and no closure, so that it is inlined wherever a value is read.
trait Values<L> {
    fn add(&mut self, lanes: L, producer: Identity);
}

/// Shows each value that has a producer.
struct Each<F>(F);

impl<L, F: FnMut(L)> Values<L> for Each<F> {
    #[inline(always)]
    fn add(&mut self, lanes: L, producer: Identity) {
        if producer != NOBODY {
            self.0(lanes);
        }
    }
}

/// What an instruction's operands come to.
struct Gathered<L: Lanes> {
    lanes: L,
    edges: u32,
    seen: Seen,
    viewer: L::Viewer,
}

impl<L: Lanes> Values<L> for Gathered<L> {
    #[inline(always)]
    fn add(&mut self, lanes: L, producer: Identity) {
        if producer == NOBODY {
            return;
        }
        let Some(lanes) = lanes.seen_by(self.viewer) else {
            return;
        };
        self.lanes = self.lanes.latest(lanes);
        if producer >= FIRST_SHARED {
            if self.seen.contains(&producer) {
                return;
            }
            self.seen.push(producer);
        }
        self.edges += 1;
    }
}
