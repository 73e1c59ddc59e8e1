//! From records to executions.
//!
//! The width of an access is not in a record: an access is one byte, so that a load depends on a store to the address
//! that it begins at, and neighbours of any width are told apart. An instruction that loads from one place and stores
//! to another counts as two, with the value between them.

use std::io::Read;

use rustc_hash::FxHashMap;

use super::record::{BYTES, INSTRUCTION_POINTER, Record, STACK_POINTER};
use super::registers::Registers;
use crate::ReadSummary;
use crate::batch::{Batch, Filling};
use crate::cache::AccessKind;
use crate::error::{LineError, Place, RecordError, TraceError};
use crate::format_name::FormatName;
use crate::instruction::Instruction;
use crate::isa::{Access, AccessCount, Class, Decoded, Extent, Facts, Operand, Operands, Register};

/// Bytes that are read at once.
const BLOCK: usize = 1 << 18;
/// Bytes of one access, as far as dependences are concerned.
const WIDTH: u8 = 1;

/// What an execution does to memory, which belongs to the instruction as its registers do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Memory {
    None,
    Loads(u8),
    Stores(u8),
    /// It stores where it loads.
    Updates,
    /// Loads, and stores elsewhere.
    Moves {
        loads: u8,
        stores: u8,
    },
}

/// What an instruction is recognised by.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Site {
    pc: u64,
    is_branch: bool,
    writes: [u8; 2],
    reads: [u8; 4],
    memory: Memory,
}

/// Reads a whole trace and hands over batches.
///
/// # Errors
/// The first record that is wrong. What was executed before it has been handed over.
pub fn read(
    mut input: impl Read,
    sink: &mut dyn FnMut(Batch) -> Option<Batch>,
) -> Result<ReadSummary, TraceError> {
    let mut reader = Reader::new();
    let mut bytes: Vec<u8> = Vec::with_capacity(BLOCK);
    let mut records: u64 = 0;
    let mut at_end = false;
    while !at_end {
        let mut wanted = input.by_ref().take((BLOCK - bytes.len()) as u64);
        let failed = wanted.read_to_end(&mut bytes).err();
        at_end = failed.is_none() && bytes.len() < BLOCK;
        let at = |records: u64, error| TraceError {
            place: Place::Byte {
                offset: records * BYTES as u64,
                instructions: records,
            },
            error,
        };
        let (whole, rest) = bytes.as_chunks::<BYTES>();
        for record in whole {
            reader
                .record(record)
                .map_err(|error| at(records, error.into()))?;
            records += 1;
        }
        if let Some(error) = failed {
            return Err(at(records, LineError::of_io(error)));
        }
        if at_end && !rest.is_empty() {
            return Err(at(records, RecordError::Cut.into()));
        }
        if at_end && records == 0 {
            return Err(at(0, LineError::Empty));
        }
        let left = rest.len();
        bytes.drain(..bytes.len() - left);
        if !reader.batch.hand_over(sink) {
            break;
        }
    }
    Ok(ReadSummary {
        format: FormatName::Champsim,
        bytes: records * BYTES as u64,
        has_addresses: true,
        trapped: 0,
        instructions: reader.instructions,
        harts: 1,
        end: None,
    })
}

/// What was read so far.
struct Reader {
    registers: Registers,
    /// Numbers of the instructions of a site: two where it loads and stores.
    ids: FxHashMap<Site, (u32, Option<u32>)>,
    known: u32,
    batch: Filling,
    instructions: u64,
}

impl Reader {
    fn new() -> Reader {
        Reader {
            registers: Registers::new(),
            ids: FxHashMap::default(),
            known: 0,
            batch: Filling::default(),
            instructions: 0,
        }
    }

    fn record(&mut self, bytes: &[u8; BYTES]) -> Result<(), RecordError> {
        let record = Record::of(bytes).ok_or(RecordError::Branch)?;
        let site = Site {
            pc: record.pc,
            is_branch: record.is_branch,
            writes: record.writes,
            reads: record.reads,
            memory: Memory::of(&record),
        };
        let (first, second) = match self.ids.get(&site) {
            Some(ids) => *ids,
            None => self.add(site)?,
        };
        let present = |address: &&u64| **address != 0;
        let loads = record.loads.iter().filter(present);
        let stores = record.stores.iter().filter(present);
        match (site.memory, second) {
            (
                Memory::Moves {
                    loads: l,
                    stores: s,
                },
                Some(second),
            ) => {
                self.execute(first, loads, u32::from(l));
                self.execute(second, stores, u32::from(s));
            }
            (Memory::Stores(count), _) => self.execute(first, stores, u32::from(count)),
            (Memory::Loads(count), _) => self.execute(first, loads, u32::from(count)),
            (Memory::Updates, _) => self.execute(first, loads, 1),
            _ => self.execute(first, loads, 0),
        }
        Ok(())
    }

    fn execute<'a>(&mut self, id: u32, addresses: impl Iterator<Item = &'a u64>, count: u32) {
        self.batch.addresses.extend(addresses);
        self.batch.push(id, count);
        self.instructions += 1;
    }

    fn add(&mut self, site: Site) -> Result<(u32, Option<u32>), RecordError> {
        let (reads, writes) = self.operands(&site)?;
        let kind = |kind, count| {
            Some(Access {
                kind,
                bytes: WIDTH,
                count: match count {
                    1 => AccessCount::One,
                    _ => AccessCount::Any,
                },
            })
        };
        let between = operands(&[Registers::between()]);
        let ids = match site.memory {
            Memory::None => (self.push(&site, reads, writes, None), None),
            Memory::Loads(n) => (
                self.push(&site, reads, writes, kind(AccessKind::Load, n)),
                None,
            ),
            Memory::Stores(n) => (
                self.push(&site, reads, writes, kind(AccessKind::Store, n)),
                None,
            ),
            Memory::Updates => (
                self.push(&site, reads, writes, kind(AccessKind::Atomic, 1)),
                None,
            ),
            Memory::Moves { loads, stores } => {
                let first = self.push(&site, reads, between, kind(AccessKind::Load, loads));
                let second = self.push(&site, between, writes, kind(AccessKind::Store, stores));
                (first, Some(second))
            }
        };
        self.ids.insert(site, ids);
        Ok(ids)
    }

    /// Registers that are read and written. The instruction pointer carries no value, and the stack pointer of a branch
    /// is known without waiting: of calls and returns that touch no memory it only says that they are such.
    fn operands(&mut self, site: &Site) -> Result<(Operands, Operands), RecordError> {
        let is_mark =
            site.is_branch && site.memory == Memory::None && site.writes.contains(&STACK_POINTER);
        let mut registers = |numbers: &[u8], without_stack: bool| {
            let kept = numbers.iter().filter(|number| match **number {
                0 | INSTRUCTION_POINTER => false,
                STACK_POINTER => !without_stack,
                _ => true,
            });
            let kept: Result<Vec<Register>, RecordError> =
                kept.map(|number| self.registers.get(*number)).collect();
            kept.map(|kept| operands(&kept))
        };
        Ok((
            registers(&site.reads, is_mark)?,
            registers(&site.writes, site.is_branch)?,
        ))
    }

    fn push(
        &mut self,
        site: &Site,
        reads: Operands,
        writes: Operands,
        access: Option<Access>,
    ) -> u32 {
        let (class, mnemonic) = match access.map(|access| access.kind) {
            _ if site.is_branch => (Class::Branch, "branch"),
            Some(AccessKind::Load) => (Class::Load, "load"),
            Some(AccessKind::Store) => (Class::Store, "store"),
            Some(AccessKind::Atomic) => (Class::Unclassified, "update"),
            None => (Class::Unclassified, "operation"),
        };
        self.batch.add(Instruction {
            hart: 0,
            pc: Some(site.pc),
            word: None,
            text: mnemonic.into(),
            decoded: Decoded {
                mnemonic,
                facts: Facts {
                    class,
                    reads,
                    writes,
                    access,
                    sets_vector_type: None,
                    edan_omits: false,
                },
                has_opcode: false,
            },
        });
        self.known += 1;
        self.known - 1
    }
}

impl Memory {
    fn of(record: &Record) -> Memory {
        let count =
            |addresses: &[u64]| addresses.iter().filter(|address| **address != 0).count() as u8;
        match (count(&record.loads), count(&record.stores)) {
            (0, 0) => Memory::None,
            (loads, 0) => Memory::Loads(loads),
            (0, stores) => Memory::Stores(stores),
            (1, 1) if record.loads.iter().max() == record.stores.iter().max() => Memory::Updates,
            (loads, stores) => Memory::Moves { loads, stores },
        }
    }
}

fn operands(registers: &[Register]) -> Operands {
    let mut operands = Operands::default();
    for register in registers {
        operands.insert(Operand {
            register: *register,
            extent: Extent::One,
        });
    }
    operands
}
