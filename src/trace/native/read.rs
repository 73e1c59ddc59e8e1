//! Reading the compact format.

use std::io::Read;

use super::stream::{Stream, stepped};
use super::{
    BEGINNING, CHUNK, FIRST, HART, HAS_PC, HAS_WORD, HEADER, KIND, Kind, LAST, LONGEST, MAGIC, NEW,
    VERSION, checksum,
};
use crate::batch::{Batch, Filling};
use crate::error::{LineError, Place, RecordError, TraceError};
use crate::expected::Addresses;
use crate::format::Named;
use crate::format_name::FormatName;
use crate::program::{MOST_HARTS, Program};
use crate::run_end::RunEnd;
use crate::{Options, ReadSummary};

/// Executions of a batch.
pub(super) const BATCH: usize = 1 << 14;
pub(super) const NONE: u32 = u32::MAX;

/// Reads a whole trace and hands over batches.
///
/// # Errors
/// The first chunk that is wrong. What was executed before it has been handed over.
pub fn read(
    mut input: impl Read,
    options: Options,
    sink: &mut dyn FnMut(Batch) -> Option<Batch>,
) -> Result<ReadSummary, TraceError> {
    let mut state = State::new(options, sink);
    let mut offset = 0;
    let done = read_chunks(&mut input, &mut state, &mut offset);
    let end = done.map_err(|error| TraceError {
        place: Place::Byte {
            offset,
            instructions: state.instructions,
        },
        error,
    })?;
    Ok(ReadSummary {
        format: FormatName::Native,
        bytes: offset,
        has_addresses: true,
        trapped: 0,
        instructions: state.instructions,
        harts: state.program.harts() as u64,
        end,
    })
}

/// Reads all chunks; `offset` is where the one begins that is wrong.
fn read_chunks(
    input: &mut impl Read,
    state: &mut State<'_>,
    offset: &mut u64,
) -> Result<Option<RunEnd>, LineError> {
    let mut bytes = Vec::new();
    take(input, BEGINNING, &mut bytes)?;
    if bytes[..MAGIC.len()] != MAGIC[..] {
        return Err(
            RecordError::Chunk("the trace does not begin like one in the compact format").into(),
        );
    }
    if bytes[MAGIC.len()] != VERSION {
        return Err(RecordError::NativeVersion(bytes[MAGIC.len()]).into());
    }
    *offset = BEGINNING as u64;
    for number in 0.. {
        let mut header = Vec::with_capacity(HEADER);
        take(input, HEADER, &mut header)?;
        let (words, _) = header.as_chunks::<4>();
        let [kind, control, addresses, run, low, high] =
            [0, 1, 2, 3, 4, 5].map(|place: usize| u32::from_le_bytes(words[place]));
        if !matches!(kind, CHUNK | LAST) || control.max(addresses) > LONGEST {
            return Err(RecordError::Chunk("no chunk begins here").into());
        }
        take(input, control as usize + addresses as usize, &mut bytes)?;
        let (in_control, in_addresses) = bytes.split_at(control as usize);
        let fields = [kind, control, addresses, run];
        let sum = u64::from(low) | u64::from(high) << 32;
        if checksum(number, fields, in_control, in_addresses) != sum {
            return Err(RecordError::Checksum.into());
        }
        if kind == LAST {
            let end = RunEnd::of_line(in_control.trim_ascii_end());
            last(input, state)?;
            *offset += (HEADER + bytes.len()) as u64;
            return Ok(end);
        }
        if !state.chunk(Stream(in_control), Stream(in_addresses), run)? {
            return Ok(None);
        }
        *offset += (HEADER + bytes.len()) as u64;
    }
    unreachable!("there are not so many chunks")
}

/// What is checked at the end.
fn last(input: &mut impl Read, state: &mut State<'_>) -> Result<(), LineError> {
    if input.read(&mut [0]).map_err(LineError::of_io)? != 0 {
        return Err(RecordError::Chunk("there is data after the last chunk").into());
    }
    if state.instructions == 0 {
        return Err(LineError::Empty);
    }
    if !state.program.knows_any() {
        return Err(LineError::NothingKnown(FormatName::Native));
    }
    state.batch.hand_over(state.sink);
    Ok(())
}

/// Replaces the bytes by the next ones.
fn take(input: &mut impl Read, count: usize, bytes: &mut Vec<u8>) -> Result<(), LineError> {
    bytes.clear();
    let read = input.by_ref().take(count as u64).read_to_end(bytes);
    match read.map_err(LineError::of_io)? {
        read if read < count => Err(RecordError::Cut.into()),
        _ => Ok(()),
    }
}

/// An instruction as it is described.
struct Described {
    kind: Kind,
    pc: Option<u64>,
    word: Option<u32>,
    text: Box<str>,
}

/// How an instruction is read that a hart executes.
#[derive(Clone, Copy)]
pub(super) struct Slot {
    /// The last address.
    pub address: u64,
    pub follower: u32,
    /// Its number, `NONE` until the hart executes it.
    pub id: u32,
    pub plain: Plain,
}

/// Whether nothing is to be checked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Plain {
    NoAddress,
    OneAddress,
    Checked,
}

const UNKNOWN: Slot = Slot {
    address: 0,
    follower: NONE,
    id: NONE,
    plain: Plain::Checked,
};

/// What one hart has executed.
pub(super) struct Hart {
    pub slots: Vec<Slot>,
    pub last: u32,
}

impl Hart {
    fn new() -> Hart {
        Hart {
            slots: Vec::new(),
            last: NONE,
        }
    }
}

/// A block as its hart's slots have it.
#[derive(Clone, Default)]
pub(super) struct Plan {
    /// Slots of instructions with an address, in their order.
    pub addressed: Box<[u32]>,
    pub last: u32,
    pub length: u32,
    /// The number of [`State::changes`] when its slots were seen to follow each other; 0 if they never were.
    pub seen: u64,
}

pub(super) struct State<'s> {
    program: Program,
    described: Vec<Described>,
    pub harts: Vec<(u64, Hart)>,
    pub hart: usize,
    pub batch: Filling,
    /// By number of the block.
    pub plans: Vec<Plan>,
    /// How often an instruction that is not the last of a block was followed by another one than before, and one.
    pub changes: u64,
    pub instructions: u64,
    pub sink: &'s mut dyn FnMut(Batch) -> Option<Batch>,
}

impl<'s> State<'s> {
    fn new(options: Options, sink: &'s mut dyn FnMut(Batch) -> Option<Batch>) -> State<'s> {
        State {
            program: Program::new(options.unknown),
            described: Vec::new(),
            harts: vec![(0, Hart::new())],
            hart: 0,
            batch: Filling::default(),
            plans: Vec::new(),
            changes: 1,
            instructions: 0,
            sink,
        }
    }

    /// Takes a chunk; `false` if nobody wants more.
    fn chunk(
        &mut self,
        mut control: Stream<'_>,
        mut addresses: Stream<'_>,
        run: u32,
    ) -> Result<bool, LineError> {
        while !control.0.is_empty() {
            let run = control.number()?;
            if !self.foreseen(run, &mut addresses)? {
                return Ok(false);
            }
            let number = match control.number()? {
                HART => {
                    self.change_hart(control.number()?)?;
                    continue;
                }
                NEW => self.describe(&mut control)?,
                code => code - FIRST,
            };
            self.surprise(number, &mut addresses)?;
        }
        let goes_on = self.foreseen(u64::from(run), &mut addresses)?;
        if goes_on && !addresses.0.is_empty() {
            return Err(RecordError::Chunk("the chunk has addresses of no instruction").into());
        }
        Ok(goes_on)
    }

    /// Takes the execution of an instruction that was not foreseen.
    fn surprise(&mut self, number: u64, addresses: &mut Stream<'_>) -> Result<(), LineError> {
        if number >= self.described.len() as u64 {
            return Err(RecordError::Chunk("an instruction is not described").into());
        }
        let number = number as u32;
        let hart = &mut self.harts[self.hart].1;
        if number as usize >= hart.slots.len() {
            hart.slots.resize(number as usize + 1, UNKNOWN);
        }
        if hart.slots[number as usize].id == NONE {
            self.meet(number)?;
        }
        let hart = &mut self.harts[self.hart].1;
        if let Some(last) = hart.slots.get_mut(hart.last as usize) {
            let is_within = last.id != NONE && !self.batch.ends_block(last.id);
            if is_within && last.follower != NONE && last.follower != number {
                self.changes += 1;
            }
            last.follower = number;
        }
        self.checked(number, addresses)
    }

    /// Decodes an instruction that the hart executes for the first time.
    fn meet(&mut self, number: u32) -> Result<(), LineError> {
        let (name, hart) = &mut self.harts[self.hart];
        let Described {
            kind,
            pc,
            word,
            text,
        } = &self.described[number as usize];
        let named = Named {
            hart: *name,
            pc: *pc,
            word: *word,
            text,
        };
        let (id, instruction) = self.program.add(&named, true)?;
        self.batch.add(instruction);
        let slot = &mut hart.slots[number as usize];
        slot.id = id;
        slot.plain = match (kind, self.program.key(id).addresses) {
            (Kind::None, Addresses::None | Addresses::Ignored) => Plain::NoAddress,
            (Kind::One, Addresses::One) => Plain::OneAddress,
            _ => Plain::Checked,
        };
        Ok(())
    }

    /// Takes an execution of an instruction that the hart has met, and checks its addresses.
    pub fn checked(&mut self, number: u32, addresses: &mut Stream<'_>) -> Result<(), LineError> {
        let hart = &mut self.harts[self.hart].1;
        let slot = &mut hart.slots[number as usize];
        let described = &self.described[number as usize];
        let before = self.batch.addresses.len();
        let count = match described.kind {
            Kind::None => 0,
            Kind::One => 1,
            Kind::Counted => addresses.number()?,
        };
        for _ in 0..count {
            slot.address = stepped(slot.address, addresses.number()?);
            self.batch.addresses.push(slot.address);
        }
        let key = self.program.key(slot.id);
        let count = key.addresses.settle(
            key.bytes,
            &mut self.batch.addresses,
            before,
            || described.in_words(),
            key.mnemonic,
        )?;
        self.batch.push(slot.id, count);
        hart.last = number;
        self.instructions += 1;
        Ok(())
    }

    /// Takes note of an instruction; its number.
    fn describe(&mut self, control: &mut Stream<'_>) -> Result<u64, RecordError> {
        let [flags] = control.array()?;
        let kind = match flags & KIND {
            0 => Kind::None,
            1 => Kind::One,
            2 => Kind::Counted,
            _ => return Err(RecordError::Chunk("an instruction is of no known kind")),
        };
        let has = |flag: u8| flags & flag != 0;
        let pc = has(HAS_PC).then(|| control.array()).transpose()?;
        let word = has(HAS_WORD).then(|| control.array()).transpose()?;
        let length = usize::try_from(control.number()?).unwrap_or(usize::MAX);
        let text = std::str::from_utf8(control.bytes(length)?);
        let number = self.described.len() as u64;
        if number >= u64::from(NONE >> 2) {
            return Err(RecordError::Chunk("there are too many instructions"));
        }
        self.described.push(Described {
            kind,
            pc: pc.map(u64::from_le_bytes),
            word: word.map(u32::from_le_bytes),
            text: text
                .map_err(|_| RecordError::Chunk("the text of an instruction is not text"))?
                .into(),
        });
        Ok(number)
    }

    fn change_hart(&mut self, name: u64) -> Result<(), LineError> {
        let known = self.harts.iter().position(|(known, _)| *known == name);
        if known.is_none() && self.harts.len() > MOST_HARTS {
            return Err(LineError::TooManyHarts { limit: MOST_HARTS });
        }
        self.hart = known.unwrap_or(self.harts.len());
        if known.is_none() {
            self.harts.push((name, Hart::new()));
        }
        Ok(())
    }
}

impl Described {
    fn in_words(&self) -> String {
        match self.pc {
            Some(pc) => format!("{} at {pc:#x}", self.text),
            None => self.text.to_string(),
        }
    }
}
