//! Writing the compact format.

use std::io::{self, Write};

use super::{FIRST, HART, HAS_PC, HAS_WORD, Kind, NEW, beginning, chunk, last};
use crate::expected::{Addresses, expected_addresses};
use crate::format::{self, Named};
use crate::instruction::Instruction;
use crate::run_end::RunEnd;
use crate::write::WriteError;

/// Bytes of a stream after which a chunk is written.
const FULL: usize = 1 << 18;
const NONE: u32 = u32::MAX;

/// Takes executions in program order.
pub struct Writer<W> {
    out: W,
    instructions: Vec<Known>,
    /// How many of them have been executed.
    executed: u32,
    /// The last execution of each hart.
    last: Vec<u32>,
    hart: u16,
    control: Vec<u8>,
    addresses: Vec<u8>,
    /// Executions that were foreseen since the last code.
    run: u32,
    chunks: u64,
}

/// An instruction; those of several harts are several.
struct Known {
    hart: u16,
    kind: Kind,
    needs_address: bool,
    follower: u32,
    address: u64,
    /// In the order of first execution, once it is executed.
    place: Option<u32>,
    description: Vec<u8>,
}

impl<W: Write> Writer<W> {
    /// # Errors
    /// Writing failed.
    pub fn new(mut out: W) -> io::Result<Writer<W>> {
        out.write_all(&beginning())?;
        Ok(Writer {
            out,
            instructions: Vec::new(),
            executed: 0,
            last: vec![NONE],
            hart: 0,
            control: Vec::new(),
            addresses: Vec::new(),
            run: 0,
            chunks: 0,
        })
    }

    /// Takes note of an instruction.
    ///
    /// # Errors
    /// What it does cannot be told from its word or text.
    pub fn add(&mut self, instruction: &Instruction) -> Result<(), WriteError> {
        let Instruction {
            hart,
            pc,
            word,
            text,
            decoded,
        } = instruction;
        let named = Named {
            hart: u64::from(*hart),
            pc: *pc,
            word: *word,
            text,
        };
        // What is not in the table is as unknown when it is read again.
        let says_it = match format::decode(&named) {
            Ok(read) => read.facts == decoded.facts,
            Err(_) => decoded.facts == crate::isa::unknown(),
        };
        if !says_it {
            return Err(WriteError::NoOpcodes);
        }
        let (addresses, _) = expected_addresses(&decoded.facts, true);
        let kind = match addresses {
            Addresses::None | Addresses::Ignored => Kind::None,
            Addresses::One => Kind::One,
            Addresses::AtMostOne | Addresses::Any => Kind::Counted,
        };
        if *hart as usize >= self.last.len() {
            self.last.resize(*hart as usize + 1, NONE);
        }
        self.instructions.push(Known {
            hart: *hart,
            kind,
            needs_address: addresses == Addresses::One,
            follower: NONE,
            address: 0,
            place: None,
            description: description(&named, kind),
        });
        Ok(())
    }

    /// # Errors
    /// An address is missing, or writing failed.
    pub fn execute(&mut self, number: usize, addresses: &[u64]) -> Result<(), WriteError> {
        let Known {
            hart,
            needs_address,
            ..
        } = self.instructions[number];
        if needs_address && addresses.is_empty() {
            return Err(WriteError::NoAddresses);
        }
        if hart != self.hart {
            self.code(HART);
            put(&mut self.control, u64::from(hart));
            self.hart = hart;
        }
        let last = std::mem::replace(&mut self.last[hart as usize], number as u32);
        let foreseen = match self.instructions.get_mut(last as usize) {
            Some(last) => std::mem::replace(&mut last.follower, number as u32),
            None => NONE,
        };
        if foreseen == number as u32 {
            self.run += 1;
        } else {
            self.surprise(number);
        }
        let known = &mut self.instructions[number];
        if known.kind == Kind::Counted {
            put(&mut self.addresses, addresses.len() as u64);
        }
        for address in addresses {
            let step = address.wrapping_sub(known.address) as i64;
            put(&mut self.addresses, (step << 1 ^ step >> 63) as u64);
            known.address = *address;
        }
        let is_full =
            self.control.len().max(self.addresses.len()) >= FULL || self.run == u32::MAX >> 8;
        if is_full {
            self.write_chunk()?;
        }
        Ok(())
    }

    /// Names what was executed.
    fn surprise(&mut self, number: usize) {
        let known = &mut self.instructions[number];
        if let Some(place) = known.place {
            return self.code(u64::from(place) + FIRST);
        }
        known.place = Some(self.executed);
        self.executed += 1;
        let description = std::mem::take(&mut known.description);
        self.code(NEW);
        self.control.extend_from_slice(&description);
    }

    fn code(&mut self, code: u64) {
        put(&mut self.control, u64::from(std::mem::take(&mut self.run)));
        put(&mut self.control, code);
    }

    fn write_chunk(&mut self) -> io::Result<()> {
        let bytes = chunk(self.chunks, &self.control, &self.addresses, self.run);
        self.out.write_all(&bytes)?;
        self.chunks += 1;
        self.run = 0;
        self.control.clear();
        self.addresses.clear();
        Ok(())
    }

    /// # Errors
    /// Writing failed.
    pub fn finish(mut self, end: Option<RunEnd>) -> io::Result<W> {
        if self.run > 0 || !self.control.is_empty() {
            self.write_chunk()?;
        }
        self.out.write_all(&last(self.chunks, end))?;
        Ok(self.out)
    }
}

/// What names an instruction for those who read.
fn description(named: &Named, kind: Kind) -> Vec<u8> {
    let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
    let flags = flag(named.pc.is_some(), HAS_PC) | flag(named.word.is_some(), HAS_WORD);
    let mut bytes = vec![kind as u8 | flags];
    bytes.extend(named.pc.into_iter().flat_map(u64::to_le_bytes));
    bytes.extend(named.word.into_iter().flat_map(u32::to_le_bytes));
    put(&mut bytes, named.text.len() as u64);
    bytes.extend_from_slice(named.text.as_bytes());
    bytes
}

/// A number in as few bytes as it takes.
#[inline(always)]
pub(super) fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}
