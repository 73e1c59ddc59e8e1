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
const BATCH: usize = 1 << 14;
const NONE: u32 = u32::MAX;

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
struct Slot {
    /// The last address.
    address: u64,
    follower: u32,
    /// Its number, `NONE` until the hart executes it.
    id: u32,
    plain: Plain,
}

/// Whether nothing is to be checked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Plain {
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
struct Hart {
    slots: Vec<Slot>,
    last: u32,
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
struct Plan {
    /// Slots of instructions with an address, in their order.
    addressed: Box<[u32]>,
    last: u32,
    length: u32,
    /// The number of [`State::changes`] when its slots were seen to follow each other; 0 if they never were.
    seen: u64,
}

struct State<'s> {
    program: Program,
    described: Vec<Described>,
    harts: Vec<(u64, Hart)>,
    hart: usize,
    batch: Filling,
    /// By number of the block.
    plans: Vec<Plan>,
    /// How often an instruction that is not the last of a block was followed by another one than before, and one.
    changes: u64,
    instructions: u64,
    sink: &'s mut dyn FnMut(Batch) -> Option<Batch>,
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

    /// Takes executions that are what followed last time; `false` if nobody wants more.
    fn foreseen(&mut self, run: u64, addresses: &mut Stream<'_>) -> Result<bool, LineError> {
        let mut left = run;
        while left > 0 {
            let room = (BATCH - self.batch.len().min(BATCH)) as u64;
            let now = left.min(room);
            self.follow(now, addresses)?;
            left -= now;
            if self.batch.len() >= BATCH && !self.batch.hand_over(self.sink) {
                return Ok(false);
            }
        }
        Ok(self.batch.len() < BATCH || self.batch.hand_over(self.sink))
    }

    fn follow(&mut self, run: u64, addresses: &mut Stream<'_>) -> Result<(), LineError> {
        let mut left = run;
        while left > 0 {
            let blocks = self.follow_blocks(left, addresses)?;
            left -= blocks;
            if left > 0 {
                self.follow_one(addresses)?;
                left -= 1;
            }
        }
        Ok(())
    }

    /// Takes whole blocks of at most so many executions, as long as they are foreseen; how many executions these were.
    #[inline(always)]
    fn follow_blocks(&mut self, most: u64, addresses: &mut Stream<'_>) -> Result<u64, LineError> {
        let mut left = most;
        while let Some(block) = self.foreseen_block() {
            let plan = &self.plans[block as usize];
            if u64::from(plan.length) > left {
                break;
            }
            let hart = &mut self.harts[self.hart].1;
            for (place, number) in plan.addressed.iter().enumerate() {
                let slot = &mut hart.slots[*number as usize];
                match addresses.number() {
                    Ok(step) => slot.address = stepped(slot.address, step),
                    Err(error) => {
                        let before = self.batch.block(block).instructions();
                        let mut addressed = before.enumerate().filter(|(_, (_, has))| *has);
                        let before = addressed.nth(place).map_or(0, |(before, _)| before);
                        self.instructions += before as u64;
                        return Err(error.into());
                    }
                }
                self.batch.addresses.push(slot.address);
            }
            hart.last = plan.last;
            self.batch.push_block(block, plan.length as usize);
            self.instructions += u64::from(plan.length);
            left -= u64::from(plan.length);
        }
        Ok(most - left)
    }

    /// The block that is foreseen, where one begins whose instructions are all foreseen one after another.
    #[inline(always)]
    fn foreseen_block(&mut self) -> Option<u32> {
        let hart = &self.harts[self.hart].1;
        let next = hart.slots.get(hart.last as usize)?.follower;
        let id = hart.slots.get(next as usize)?.id;
        let block = self.batch.block_of(id)?;
        let is_seen = (self.plans.get(block as usize)).is_some_and(|own| own.seen == self.changes);
        (is_seen || self.plan(block, next)).then_some(block)
    }

    /// Looks whether the instructions of a block are foreseen one after another from that slot on.
    #[inline(never)]
    fn plan(&mut self, block: u32, first: u32) -> bool {
        let slots = &self.harts[self.hart].1.slots;
        let (mut addressed, mut last) = (Vec::new(), NONE);
        let instructions = self.batch.block(block).instructions();
        let length = instructions.len() as u32;
        let mut next = first;
        for (instruction, has_address) in instructions {
            let plain = match has_address {
                true => Plain::OneAddress,
                false => Plain::NoAddress,
            };
            match slots.get(next as usize) {
                Some(slot) if slot.id == instruction.0 && slot.plain == plain => {
                    (last, next) = (next, slot.follower);
                }
                _ => return false,
            }
            if has_address {
                addressed.push(last);
            }
        }
        if self.plans.len() <= block as usize {
            self.plans.resize(block as usize + 1, Plan::default());
        }
        self.plans[block as usize] = Plan {
            addressed: addressed.into(),
            last,
            length,
            seen: self.changes,
        };
        true
    }

    /// Takes one execution that is what followed last time.
    #[inline(always)]
    fn follow_one(&mut self, addresses: &mut Stream<'_>) -> Result<(), LineError> {
        let none = || RecordError::Chunk("an instruction is predicted where nothing predicts one");
        let hart = &mut self.harts[self.hart].1;
        let last = hart.slots.get(hart.last as usize);
        let next = last.ok_or_else(none)?.follower;
        let slot = hart.slots.get_mut(next as usize).ok_or_else(none)?;
        let count = match slot.plain {
            Plain::NoAddress => 0,
            Plain::OneAddress => {
                slot.address = stepped(slot.address, addresses.number()?);
                self.batch.addresses.push(slot.address);
                1
            }
            Plain::Checked => return self.checked(next, addresses),
        };
        hart.last = next;
        self.batch.push(slot.id, count);
        self.instructions += 1;
        Ok(())
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
    fn checked(&mut self, number: u32, addresses: &mut Stream<'_>) -> Result<(), LineError> {
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
