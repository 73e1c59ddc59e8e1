//! The compact format of this program: what an execution has in common with the last one is not written.
//!
//! A trace is the magic number with the version, chunks, and a last chunk that says how the run ended. A chunk has a
//! header of 24 bytes (all numbers with the low byte first): its kind, the bytes of its two streams, a number of
//! executions, and a checksum over these and both streams, which begins with the number of the chunk modulo 64.
//!
//! - **Control** is a sequence of (run, code), both variable-length numbers of seven bits per byte, the low ones first. Run:
//!   so many executions are what followed the one before last time, on the same hart. Code: what came then. 0: an
//!   instruction that is new, described behind it, and executed; 1: another hart goes on, its number is behind it;
//!   2 and more: the instruction of this number less 2. Behind the last pair the header's number of executions follows
//!   as foreseen.
//! - **Addresses** has, for every access in program order, how far its address is from the last one of the same
//!   instruction on the same hart, as a variable-length number whose lowest bit says that it is less. Before them stands
//!   how many there are, where the instruction does not say.
//!
//! The description of an instruction is a byte of `Kind` and flags, its pc and machine word if flagged, the length of
//! its text, and the text. `templates/tracer/tracer.c` writes the same.

mod follow;
mod read;
mod stream;
mod write;

#[cfg(test)]
mod tests;

use super::run_end::RunEnd;

pub(super) use read::read;
pub(super) use write::Writer;

/// How a trace begins; the version is behind it.
const MAGIC: &[u8; 7] = b"LSTRACE";
const VERSION: u8 = 1;
const BEGINNING: usize = MAGIC.len() + 1;

/// Bytes of a chunk's header.
const HEADER: usize = 24;
const CHUNK: u32 = u32::from_le_bytes(*b"CHNK");
const LAST: u32 = u32::from_le_bytes(*b"LAST");
/// Chunks are numbered modulo this.
const NUMBERS: u64 = 64;
/// No writer makes a stream of a chunk longer.
const LONGEST: u32 = 1 << 24;

const NEW: u64 = 0;
const HART: u64 = 1;
const FIRST: u64 = 2;

/// How many addresses an execution has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    None = 0,
    One = 1,
    Counted = 2,
}

const KIND: u8 = 3;
const HAS_PC: u8 = 4;
const HAS_WORD: u8 = 8;

/// Whether a trace that begins so is one.
pub(super) fn is_native(start: &[u8]) -> bool {
    start.starts_with(MAGIC)
}

/// What a trace begins with.
pub fn beginning() -> [u8; BEGINNING] {
    let mut bytes = [VERSION; BEGINNING];
    bytes[..MAGIC.len()].copy_from_slice(MAGIC);
    bytes
}

/// The chunk of that number, counted from 0, with its streams and so many foreseen executions at its end.
pub fn chunk(number: u64, control: &[u8], addresses: &[u8], run: u32) -> Vec<u8> {
    framed(CHUNK, number, (control, addresses), run)
}

/// The chunk that ends a trace; its number is that of the next one.
pub fn last(number: u64, end: Option<RunEnd>) -> Vec<u8> {
    let text = end.map(RunEnd::line).unwrap_or_default();
    framed(LAST, number, (text.as_bytes(), &[]), 0)
}

fn framed(kind: u32, number: u64, (control, addresses): (&[u8], &[u8]), run: u32) -> Vec<u8> {
    let fields = [kind, control.len() as u32, addresses.len() as u32, run];
    let mut bytes = Vec::with_capacity(HEADER + control.len() + addresses.len());
    for field in fields {
        bytes.extend_from_slice(&field.to_le_bytes());
    }
    bytes.extend_from_slice(&checksum(number, fields, control, addresses).to_le_bytes());
    bytes.extend_from_slice(control);
    bytes.extend_from_slice(addresses);
    bytes
}

/// The checksum of a chunk. Every step is reversible, so what differs in one word only has another checksum always.
fn checksum(number: u64, fields: [u32; 4], control: &[u8], addresses: &[u8]) -> u64 {
    let pair = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
    let mut sum = number % NUMBERS;
    sum = mixed(sum, pair(fields[0], fields[1]));
    sum = mixed(sum, pair(fields[2], fields[3]));
    for stream in [control, addresses] {
        let (words, rest) = stream.as_chunks::<8>();
        for word in words {
            sum = mixed(sum, u64::from_le_bytes(*word));
        }
        let mut word = [0; 8];
        word[..rest.len()].copy_from_slice(rest);
        sum = mixed(sum, u64::from_le_bytes(word));
    }
    sum
}

#[inline(always)]
fn mixed(sum: u64, word: u64) -> u64 {
    (sum ^ word)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .rotate_left(29)
}
