//! Numbers of a chunk's streams.

use crate::error::RecordError;

/// What is left of a stream.
#[derive(Clone, Copy)]
pub(super) struct Stream<'b>(pub &'b [u8]);

impl<'b> Stream<'b> {
    const SHORT: RecordError = RecordError::Chunk("a stream of the chunk is too short");

    #[inline(always)]
    pub fn number(&mut self) -> Result<u64, RecordError> {
        match self.0 {
            [first @ 0..0x80, rest @ ..] => {
                self.0 = rest;
                Ok(u64::from(*first))
            }
            _ => self.long_number(),
        }
    }

    fn long_number(&mut self) -> Result<u64, RecordError> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.0.split_first().ok_or(Self::SHORT)?;
            self.0 = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(RecordError::Chunk("a number has more than 64 bits"))
    }

    pub fn bytes(&mut self, count: usize) -> Result<&'b [u8], RecordError> {
        let (bytes, rest) = self.0.split_at_checked(count).ok_or(Self::SHORT)?;
        self.0 = rest;
        Ok(bytes)
    }

    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], RecordError> {
        let (bytes, rest) = self.0.split_first_chunk().ok_or(Self::SHORT)?;
        self.0 = rest;
        Ok(*bytes)
    }
}

/// The address so far from another one.
#[inline(always)]
pub(super) fn stepped(address: u64, step: u64) -> u64 {
    address.wrapping_add(step >> 1 ^ 0u64.wrapping_sub(step & 1))
}
