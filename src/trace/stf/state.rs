//! What the records up to here say: where the next instruction is, and what belongs to it.

use super::record::{Kind, LONG_EVENTS, Lengths, array};
use crate::batch::Batch;
use crate::error::{LineError, RecordError};
use crate::expected::Addresses;
use crate::format_name::FormatName;
use crate::isa;
use crate::run_end::RunEnd;
use crate::words::{Site, Words};
use crate::{ReadSummary, UnknownPolicy};

const RISC_V: u16 = 1;
const RV32: u16 = 1;
const RV64: u16 = 2;
/// Bits of an event's number that say that it is an interrupt, or none of the architecture.
const INTERRUPT: u64 = 1 << 63;
const SPECIAL: u64 = 1 << 62;
/// Environment calls, which are executed though they trap.
const CALLS: std::ops::RangeInclusive<u64> = 8..=11;

/// What the sizes of accesses are in: some writers take bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Bytes,
    Bits,
}

/// What the header has said.
#[derive(Clone, Copy, Debug, Default)]
struct Header {
    is_identified: bool,
    has_encoding: bool,
    is_over: bool,
}

/// The state between two records.
pub struct State<'s> {
    words: Words<'s>,
    header: Header,
    lengths: Lengths,
    hart: u32,
    /// Where the next instruction is, once it is known.
    pc: Option<u64>,
    /// Where the one after it is, if that does not follow.
    target: Option<u64>,
    /// Sizes of the accesses of the next instruction, as written.
    sizes: Vec<u16>,
    unit: Option<Unit>,
    /// The next instruction ends with a trap: it is not executed here.
    traps: bool,
    trapped: u64,
    end: Option<RunEnd>,
}

impl<'s> State<'s> {
    pub fn new(
        unknown: UnknownPolicy,
        sink: &'s mut dyn FnMut(Batch) -> Option<Batch>,
    ) -> State<'s> {
        State {
            words: Words::new(unknown, sink),
            header: Header::default(),
            lengths: Lengths {
                vector_bits: 0,
                long_events: false,
            },
            hart: 0,
            pc: None,
            target: None,
            sizes: Vec::new(),
            unit: None,
            traps: false,
            trapped: 0,
            end: None,
        }
    }

    pub fn instructions(&self) -> u64 {
        self.words.instructions
    }

    /// Whether there are records of an instruction that did not come.
    pub fn is_within(&self) -> bool {
        self.target.is_some() || self.traps || self.words.has_addresses()
    }

    /// Takes whole records; how many bytes, and whether more are wanted.
    pub fn take(&mut self, bytes: &[u8]) -> (usize, Result<bool, LineError>) {
        let mut taken = 0;
        while let Some((number, rest)) = bytes[taken..].split_first() {
            let kind = match Kind::of(*number) {
                Ok(kind) => kind,
                Err(error) => return (taken, Err(error.into())),
            };
            let length = match kind.length(rest, &self.lengths) {
                Ok(Some(length)) if length <= rest.len() => length,
                Ok(_) => break,
                Err(error) => return (taken, Err(error.into())),
            };
            match self.record(kind, &rest[..length]) {
                Ok(true) => taken += 1 + length,
                Ok(false) => return (taken, Ok(false)),
                Err(error) => return (taken, Err(error)),
            }
        }
        (taken, Ok(true))
    }

    #[inline(always)]
    fn record(&mut self, kind: Kind, payload: &[u8]) -> Result<bool, LineError> {
        match kind {
            Kind::HalfWord => return self.instruction(u32::from(u16_at(payload, 0)), 2),
            Kind::Word => return self.instruction(u32_at(payload, 0), 4),
            Kind::Access => {
                if !matches!(payload[12], 1 | 2) {
                    return Err(RecordError::AccessKind(payload[12]).into());
                }
                self.words.address(u64_at(payload, 0));
                self.sizes.push(u16_at(payload, 8));
            }
            Kind::PcTarget | Kind::EventPcTarget => {
                self.target = Some(pc(u64_at(payload, 0))?);
            }
            Kind::Content => {}
            other => self.rare_record(other, payload)?,
        }
        Ok(true)
    }

    #[inline(never)]
    fn rare_record(&mut self, kind: Kind, payload: &[u8]) -> Result<(), RecordError> {
        if !self.header.is_identified && kind != Kind::Identifier {
            return Err(RecordError::NotIdentified);
        }
        match kind {
            Kind::Identifier if payload == b"STF" && !self.header.is_identified => {
                self.header.is_identified = true;
            }
            Kind::Identifier => return Err(RecordError::NotIdentified),
            Kind::Version => match (u32_at(payload, 0), u32_at(payload, 4)) {
                (1, 2..=6) => {}
                (major, minor) => return Err(RecordError::Version(major, minor)),
            },
            Kind::Isa => match u16_at(payload, 0) {
                RISC_V => {}
                2 => return Err(RecordError::Isa("ARM")),
                3 => return Err(RecordError::Isa("x86")),
                4 => return Err(RecordError::Isa("Power")),
                _ => return Err(RecordError::Isa("an unknown architecture")),
            },
            Kind::Encoding => match u16_at(payload, 0) {
                RV64 => self.header.has_encoding = true,
                RV32 => return Err(RecordError::Bits32),
                other => return Err(RecordError::Encoding(other)),
            },
            Kind::Features => {
                self.lengths.long_events = u64_at(payload, 0) & LONG_EVENTS != 0;
            }
            Kind::VectorLength => self.lengths.vector_bits = u32_at(payload, 0).min(1 << 16),
            Kind::EndHeader => self.header.is_over = true,
            Kind::ProcessId => self.hart = u32_at(payload, 0),
            Kind::ForcePc => self.pc = Some(pc(u64_at(payload, 0))?),
            Kind::Comment => self.end = RunEnd::of_line(&payload[4..]).or(self.end),
            Kind::Event => self.event(payload),
            // Register values, page tables, other masters, and what is there for people.
            _ => {}
        }
        Ok(())
    }

    fn event(&mut self, payload: &[u8]) {
        let number = match self.lengths.long_events {
            true => u64_at(payload, 0),
            // The two highest bits of either say the same.
            false => {
                let number = u64::from(u32_at(payload, 0));
                number & 0x3fff_ffff | (number & 0xc000_0000) << 32
            }
        };
        self.traps |=
            number & SPECIAL == 0 && (number & INTERRUPT != 0 || !CALLS.contains(&number));
    }

    #[inline(always)]
    fn instruction(&mut self, word: u32, bytes: u64) -> Result<bool, LineError> {
        let Some(pc) = self.pc.filter(|_| self.header.is_over) else {
            return Err(self.missing().into());
        };
        if u64::from(isa::length(word)) != bytes {
            return Err(RecordError::Length { word, bytes }.into());
        }
        self.pc = Some(self.target.take().unwrap_or(pc.wrapping_add(bytes)));
        if self.traps {
            self.trapped += 1;
            self.traps = false;
            self.sizes.clear();
            self.words.forget();
            return Ok(true);
        }
        let hart = self.hart;
        let id = self.words.find(Site { hart, pc, word }, String::new)?;
        if !self.sizes.is_empty() {
            self.sizes(id);
        }
        self.words.execute(id)
    }

    /// What the header lacks when an instruction comes.
    fn missing(&self) -> RecordError {
        match self.header {
            Header {
                is_identified: false,
                ..
            } => RecordError::NotIdentified,
            Header {
                has_encoding: false,
                ..
            } => RecordError::TooEarly("the instruction encoding"),
            Header { is_over: false, .. } => RecordError::TooEarly("the end of the header"),
            _ => RecordError::TooEarly("the first pc"),
        }
    }

    /// Makes of a vector access that is written as one the accesses of its elements. What sizes are in is learned
    /// from accesses whose bytes are known.
    #[inline(always)]
    fn sizes(&mut self, id: u32) {
        if self.unit.is_none() || self.sizes.len() > 1 {
            self.unusual_sizes(id);
        } else if let (Addresses::Any, bytes @ 1..) = self.words.expects(id)
            && self.size_in_bytes(self.sizes[0]) != u64::from(bytes)
        {
            self.unusual_sizes(id);
        }
        self.sizes.clear();
    }

    fn size_in_bytes(&self, size: u16) -> u64 {
        match self.unit {
            Some(Unit::Bits) => u64::from(size / 8),
            _ => u64::from(size),
        }
    }

    #[inline(never)]
    fn unusual_sizes(&mut self, id: u32) {
        let (expected, bytes) = self.words.expects(id);
        if expected == Addresses::One && self.sizes.len() == 1 {
            if self.sizes[0] == u16::from(bytes) {
                self.unit = Some(Unit::Bytes);
            } else if self.sizes[0] == 8 * u16::from(bytes) {
                self.unit = Some(Unit::Bits);
            }
        }
        if expected != Addresses::Any || bytes == 0 {
            return;
        }
        let elements: Vec<u64> = (self.sizes.iter())
            .map(|size| (self.size_in_bytes(*size) / u64::from(bytes)).max(1))
            .collect();
        let before = self.words.first_address();
        let addresses = self.words.addresses();
        let starts: Vec<u64> = addresses.drain(before..).collect();
        for (start, elements) in starts.into_iter().zip(elements) {
            addresses.extend((0..elements).map(|i| start.wrapping_add(i * u64::from(bytes))));
        }
    }

    /// Hands over the rest, and says what was read.
    ///
    /// # Errors
    /// As [`Words::ended`].
    pub fn finish(mut self, bytes: u64) -> Result<ReadSummary, LineError> {
        self.words
            .ended(FormatName::Stf, bytes, (self.trapped, self.end))
    }
}

/// A pc, which is even.
fn pc(pc: u64) -> Result<u64, RecordError> {
    match pc & 1 {
        0 => Ok(pc),
        _ => Err(RecordError::Pc(pc)),
    }
}

fn u16_at(payload: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(array(payload, at).unwrap_or_default())
}

fn u32_at(payload: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(array(payload, at).unwrap_or_default())
}

fn u64_at(payload: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(array(payload, at).unwrap_or_default())
}
