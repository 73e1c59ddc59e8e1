//! The machine code of a program, by address as linked.

use std::ops::Range;

use object::Endianness;
use object::elf;
use object::read::elf::{ElfFile64, ProgramHeader};

use crate::trace::isa::length;

/// Bytes of a page: bases of loading are multiples of it.
pub const PAGE: u64 = 4096;

/// The bytes of the executable segments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// First address and bytes of each segment, ascending.
    segments: Vec<(u64, Vec<u8>)>,
}

impl Code {
    /// Bytes that lie from an address on.
    pub fn new(mut segments: Vec<(u64, Vec<u8>)>) -> Code {
        segments.sort();
        Code { segments }
    }

    /// # Errors
    /// A segment is not inside the file.
    pub(super) fn read(file: &ElfFile64<'_, Endianness>, data: &[u8]) -> Result<Code, String> {
        let endian = file.endian();
        let mut segments = Vec::new();
        for segment in file.elf_program_headers() {
            if segment.p_type(endian) == elf::PT_LOAD && segment.p_flags(endian).contains(elf::PF_X)
            {
                let bytes = segment
                    .data(endian, data)
                    .map_err(|()| "a segment lies outside the file".to_string())?;
                segments.push((segment.p_vaddr(endian), bytes.to_vec()));
            }
        }
        Ok(Code::new(segments))
    }

    /// From the first to the one after the last; `None` of no code.
    pub fn addresses(&self) -> Option<Range<u64>> {
        let ((first, _), (last, bytes)) = (self.segments.first()?, self.segments.last()?);
        Some(*first..last + bytes.len() as u64)
    }

    pub fn contains(&self, address: u64) -> bool {
        self.half(address).is_some()
    }

    /// The machine word of the instruction at this address: 16 bits if it is compressed, else 32.
    pub fn word(&self, address: u64) -> Option<u32> {
        let low = u32::from(self.half(address)?);
        if length(low) == 2 {
            return Some(low);
        }
        Some(low | u32::from(self.half(address + 2)?) << 16)
    }

    /// All addresses at this place of their page, ascending.
    pub fn at_page_offset(&self, offset: u64) -> impl Iterator<Item = u64> + '_ {
        self.segments.iter().flat_map(move |(low, bytes)| {
            let first = low + (offset.wrapping_sub(*low) & (PAGE - 1));
            (first..low + bytes.len() as u64).step_by(PAGE as usize)
        })
    }

    fn half(&self, address: u64) -> Option<u16> {
        let after = self.segments.partition_point(|(low, _)| *low <= address);
        let (low, bytes) = &self.segments[after.checked_sub(1)?];
        let at = (address - low) as usize;
        let pair = bytes.get(at..at.checked_add(2)?)?;
        Some(u16::from_le_bytes([pair[0], pair[1]]))
    }
}
