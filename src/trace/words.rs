//! Executions of a binary trace that names instructions by hart, pc and machine word.
//!
//! An instruction is recognised by what followed the last one before, as lines are: most executions need no table.

use rustc_hash::FxHashMap;

use super::batch::{Batch, Filling};
use super::error::{LineError, RecordError};
use super::expected::Addresses;
use super::format::Named;
use super::format_name::FormatName;
use super::isa::Facts;
use super::program::Program;
use super::run_end::RunEnd;
use super::{ReadSummary, UnknownPolicy};

/// Executions of a batch.
const BATCH: usize = 1 << 14;
const NONE: u32 = u32::MAX;

/// What an execution is recognised by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Site {
    pub hart: u32,
    pub pc: u64,
    pub word: u32,
}

/// An instruction that was met.
struct Known {
    site: Site,
    addresses: Addresses,
    /// What followed last time, and the time before that something else followed.
    followers: [u32; 2],
}

/// Whether accesses come with addresses: as it was with the first that has to have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Given {
    Unseen,
    Present,
    Absent,
}

/// What was executed so far.
pub(super) struct Words<'s> {
    program: Program,
    known: Vec<Known>,
    ids: FxHashMap<Site, u32>,
    last: u32,
    given: Given,
    batch: Filling,
    /// Where the addresses of the next execution begin.
    before: usize,
    pub instructions: u64,
    sink: &'s mut dyn FnMut(Batch) -> Option<Batch>,
}

impl<'s> Words<'s> {
    pub fn new(
        unknown: UnknownPolicy,
        sink: &'s mut dyn FnMut(Batch) -> Option<Batch>,
    ) -> Words<'s> {
        Words {
            program: Program::new(unknown),
            known: Vec::new(),
            ids: FxHashMap::default(),
            last: NONE,
            given: Given::Unseen,
            batch: Filling::default(),
            before: 0,
            instructions: 0,
            sink,
        }
    }

    /// Adds an address of the next execution.
    #[inline(always)]
    pub fn address(&mut self, address: u64) {
        self.batch.addresses.push(address);
    }

    /// Addresses of the next execution, as far as they are known.
    pub fn addresses(&mut self) -> &mut Vec<u64> {
        &mut self.batch.addresses
    }

    /// Where they begin.
    pub fn first_address(&self) -> usize {
        self.before
    }

    /// Whether there are any.
    #[inline(always)]
    pub fn has_addresses(&self) -> bool {
        self.batch.addresses.len() > self.before
    }

    /// Forgets the addresses of an execution that did not take place.
    pub fn forget(&mut self) {
        self.batch.addresses.truncate(self.before);
    }

    /// The instruction of a site, decoded if it is new; the trace may have a disassembly, which is empty where it has none.
    #[inline(always)]
    pub fn find(&mut self, site: Site, text: impl Fn() -> String) -> Result<u32, LineError> {
        if let Some(known) = self.known.get(self.last as usize) {
            for id in known.followers {
                if self
                    .known
                    .get(id as usize)
                    .is_some_and(|next| next.site == site)
                {
                    return Ok(id);
                }
            }
        }
        self.look_up(site, &text)
    }

    /// Adds an instruction that was not met before.
    pub fn add(&mut self, named: &Named) -> Result<(u32, Facts), LineError> {
        let (id, instruction) = self.program.add(named, true)?;
        let facts = instruction.decoded.facts;
        self.batch.add(instruction);
        self.known.push(Known {
            site: Site {
                hart: named.hart as u32,
                pc: named.pc.unwrap_or_default(),
                word: named.word.unwrap_or_default(),
            },
            addresses: self.program.key(id).addresses,
            followers: [NONE; 2],
        });
        Ok((id, facts))
    }

    #[inline(never)]
    fn look_up(&mut self, site: Site, text: &dyn Fn() -> String) -> Result<u32, LineError> {
        let id = match self.ids.get(&site) {
            Some(id) => *id,
            None => {
                let named = Named {
                    hart: u64::from(site.hart),
                    pc: Some(site.pc),
                    word: Some(site.word),
                    text: &text(),
                };
                let (id, _) = self.add(&named)?;
                self.ids.insert(site, id);
                id
            }
        };
        if let Some(last) = self.known.get_mut(self.last as usize) {
            last.followers = [id, last.followers[0]];
        }
        Ok(id)
    }

    /// How many addresses an execution of it may have, and the bytes of one access.
    pub fn expects(&self, id: u32) -> (Addresses, u8) {
        let key = self.program.key(id);
        (key.addresses, key.bytes)
    }

    /// Adds an execution with the addresses that were added; `false` if nobody wants more.
    #[inline(always)]
    pub fn execute(&mut self, id: u32) -> Result<bool, LineError> {
        let count = self.batch.addresses.len() - self.before;
        let count = match (self.known[id as usize].addresses, count) {
            (Addresses::None, 0) => 0,
            (Addresses::One, 1) if self.given == Given::Present => 1,
            _ => self.settle(id)?,
        };
        self.batch.push(id, count);
        self.before = self.batch.addresses.len();
        self.instructions += 1;
        self.last = id;
        if self.batch.len() >= BATCH {
            return Ok(self.hand_over());
        }
        Ok(true)
    }

    #[inline(never)]
    fn settle(&mut self, id: u32) -> Result<u32, LineError> {
        let key = self.program.key(id);
        let site = self.known[id as usize].site;
        let text = || format!("{} at {:#x}", key.mnemonic, site.pc);
        let accesses = !matches!(key.addresses, Addresses::None | Addresses::Ignored);
        match (self.given, key.addresses, self.has_addresses()) {
            (Given::Unseen, Addresses::One, false) => self.given = Given::Absent,
            (Given::Unseen, _, true) if accesses => self.given = Given::Present,
            (Given::Absent, _, true) if accesses => {
                return Err(RecordError::LateAddress.into());
            }
            _ => {}
        }
        if self.given == Given::Absent && !self.has_addresses() {
            return Ok(0);
        }
        key.addresses.settle(
            key.bytes,
            &mut self.batch.addresses,
            self.before,
            text,
            key.mnemonic,
        )
    }

    /// Hands over what was executed; `false` if nobody wants more. There is no address of the next execution.
    pub fn hand_over(&mut self) -> bool {
        self.before = 0;
        self.batch.hand_over(self.sink)
    }

    /// Hands over the rest, and says what was read, with the instructions that were trapped.
    ///
    /// # Errors
    /// There was no instruction, or none that is known.
    pub fn ended(
        &mut self,
        format: FormatName,
        bytes: u64,
        (trapped, end): (u64, Option<RunEnd>),
    ) -> Result<ReadSummary, LineError> {
        if self.instructions == 0 {
            return Err(LineError::Empty);
        }
        if !self.program.knows_any() {
            return Err(LineError::NothingKnown(format));
        }
        self.hand_over();
        Ok(ReadSummary {
            format,
            bytes,
            has_addresses: self.given != Given::Absent,
            trapped,
            instructions: self.instructions,
            harts: self.program.harts() as u64,
            end,
        })
    }
}
