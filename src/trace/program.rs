//! The distinct instructions of a trace: each line's key is decoded once and found again by its bytes.

use rustc_hash::FxHashMap;

use super::UnknownPolicy;
use super::error::{LineError, RecordError, excerpt};
use super::expected::{Addresses, expected_addresses};
use super::format::{self, Format, Named};
use super::instruction::{Instruction, InstructionId};
use super::isa::{self, Decoded};

pub(super) const MOST_HARTS: usize = 4096;
const NO_INSTRUCTION: u32 = u32::MAX;

/// What the reader needs to recognise a line by comparing bytes.
#[derive(Clone, Copy)]
pub(super) struct Key {
    start: u32,
    length: u32,
    pub addresses: Addresses,
    /// Bytes of one access.
    pub bytes: u8,
    pub mnemonic: &'static str,
    /// What followed last time, and the time before that something else followed.
    followers: [u32; 2],
}

/// The distinct instructions, with the keys of those that come as lines.
pub(super) struct Program {
    keys: Vec<Key>,
    /// All keys one behind the other.
    text: Vec<u8>,
    ids: FxHashMap<Box<[u8]>, u32>,
    harts: Vec<u64>,
    unknown: UnknownPolicy,
}

impl Program {
    pub fn new(unknown: UnknownPolicy) -> Program {
        Program {
            keys: Vec::new(),
            text: Vec::new(),
            ids: FxHashMap::default(),
            harts: Vec::new(),
            unknown,
        }
    }

    pub fn harts(&self) -> usize {
        self.harts.len()
    }

    /// Whether an instruction was met that the table has.
    pub fn knows_any(&self) -> bool {
        self.keys
            .iter()
            .any(|key| key.addresses != Addresses::Ignored)
    }

    pub fn key(&self, id: u32) -> Key {
        self.keys[id as usize]
    }

    /// An instruction that follows `last` often and whose key the bytes begin with. The byte behind the
    /// key has to end it, for the caller to see.
    #[inline(always)]
    pub fn follower(&self, last: u32, bytes: &[u8]) -> Option<(u32, usize)> {
        let followers = self.keys.get(last as usize)?.followers;
        followers.into_iter().find_map(|id| {
            let key = self.keys.get(id as usize)?;
            let text = &self.text[key.start as usize..][..key.length as usize];
            begins_with(bytes, text).then_some((id, text.len()))
        })
    }

    /// Remembers that `next` came after `last`.
    pub fn follows(&mut self, last: u32, next: u32) {
        if let Some(key) = self.keys.get_mut(last as usize) {
            key.followers = [next, key.followers[0]];
        }
    }

    pub fn find(&self, key: &[u8]) -> Option<u32> {
        self.ids.get(key).copied()
    }

    /// Decodes a key that was not seen before.
    pub fn insert<F: Format>(&mut self, key: &[u8]) -> Result<(u32, Instruction), LineError> {
        let other = |reason| LineError::OtherFormat {
            text: excerpt(key),
            format: F::NAME,
            reason,
        };
        if F::is_of_32_bits(key) {
            return Err(RecordError::Bits32.into());
        }
        let named = F::name(key).map_err(other)?;
        let (id, instruction) = self.add(&named, F::NAME.lines_have_addresses())?;
        let known = &mut self.keys[id as usize];
        known.start = self.text.len() as u32;
        known.length = key.len() as u32;
        self.text.extend_from_slice(key);
        self.ids.insert(key.into(), id);
        Ok((id, instruction))
    }

    /// Decodes an instruction that was not seen before.
    pub fn add(
        &mut self,
        named: &Named,
        has_addresses: bool,
    ) -> Result<(u32, Instruction), LineError> {
        if format::is_rv32(named) {
            return Err(RecordError::Bits32.into());
        }
        let (decoded, is_known) = self.decode(named)?;
        let hart = self.hart(named.hart)?;
        let text = match (named.text.trim(), named.word) {
            ("", Some(word)) if !is_known => format!("{word:#010x}").into(),
            ("", _) => decoded.mnemonic.into(),
            (text, _) => text.into(),
        };
        let instruction = Instruction {
            hart,
            pc: named.pc,
            word: named.word,
            text,
            decoded,
        };
        let id = InstructionId(self.keys.len() as u32).0;
        let (addresses, bytes) = match is_known {
            true => expected_addresses(&decoded.facts, has_addresses),
            false => (Addresses::Ignored, 0),
        };
        let (mnemonic, followers) = (decoded.mnemonic, [NO_INSTRUCTION; 2]);
        self.keys.push(Key {
            start: 0,
            length: 0,
            addresses,
            bytes,
            mnemonic,
            followers,
        });
        Ok((id, instruction))
    }

    fn decode(&self, named: &Named) -> Result<(Decoded, bool), LineError> {
        match format::decode(named) {
            Ok(decoded) => Ok((decoded, true)),
            Err(LineError::UnknownMnemonic { .. } | LineError::UnknownWord { .. })
                if self.unknown == UnknownPolicy::Warn =>
            {
                Ok((
                    Decoded {
                        mnemonic: "unknown",
                        facts: isa::unknown(),
                        has_opcode: true,
                    },
                    false,
                ))
            }
            Err(error) => Err(error),
        }
    }

    fn hart(&mut self, number: u64) -> Result<u16, LineError> {
        if let Some(place) = self.harts.iter().position(|known| *known == number) {
            return Ok(place as u16);
        }
        if self.harts.len() == MOST_HARTS {
            return Err(LineError::TooManyHarts { limit: MOST_HARTS });
        }
        self.harts.push(number);
        Ok(self.harts.len() as u16 - 1)
    }
}

/// Whether bytes begin with some that are few: without a call.
#[inline(always)]
fn begins_with(bytes: &[u8], few: &[u8]) -> bool {
    let Some(bytes) = bytes.get(..few.len()) else {
        return false;
    };
    let differs = match (bytes.last_chunk::<8>(), few.last_chunk::<8>()) {
        // Words, and the last eight bytes, which may overlap with the last word.
        (Some(end), Some(few_end)) => {
            let words = bytes.as_chunks::<8>().0.iter().zip(few.as_chunks::<8>().0);
            words
                .chain([(end, few_end)])
                .fold(0, |differs, (own, few)| {
                    differs | (u64::from_le_bytes(*own) ^ u64::from_le_bytes(*few))
                })
        }
        _ => u64::from(bytes != few),
    };
    differs == 0
}
