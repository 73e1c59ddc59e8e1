//! Spike's `--log-commits`: hart, privilege, pc, machine word, then what was written to registers and,
//! behind `mem`, the address of the access; a store shows the stored value behind it.

use super::{Format, FormatName, Named, Tail, decimal, hex, text};
use crate::error::{LineError, excerpt};

pub(crate) struct Spike;

/// The fields behind `core`: hart with colon, then for a commit the privilege, the pc and the word.
fn is_commit(line: &[u8]) -> bool {
    let mut fields = line
        .split(u8::is_ascii_whitespace)
        .filter(|field| !field.is_empty());
    fields.next() == Some(b"core")
        && fields.next().is_some_and(|hart| hart.ends_with(b":"))
        && matches!(fields.next(), Some([b'0'..=b'3']))
}

impl Format for Spike {
    const NAME: FormatName = FormatName::Spike;

    /// What `-l` adds: disassembly, symbols and traps beside the commits.
    fn is_remark(line: &[u8]) -> bool {
        line.trim_ascii().is_empty() || (line.starts_with(b"core ") && !is_commit(line))
    }

    fn key_length(line: &[u8]) -> usize {
        line.iter()
            .position(|c| *c == b')')
            .map_or(line.len(), |end| end + 1)
    }

    /// A pc has as many digits as registers have.
    fn is_of_32_bits(key: &[u8]) -> bool {
        let mut fields = key
            .split(u8::is_ascii_whitespace)
            .filter(|field| !field.is_empty());
        fields
            .nth(3)
            .is_some_and(|pc| pc.len() == "0x00000000".len())
    }

    fn name(key: &[u8]) -> Result<Named<'_>, &'static str> {
        let mut fields = text(key)?.split_ascii_whitespace();
        let mut next = || {
            fields
                .next()
                .ok_or("expected core HART: PRIVILEGE 0xPC (0xWORD)")
        };
        if next()? != "core" {
            return Err("it does not begin with `core`");
        }
        let hart = next()?
            .strip_suffix(':')
            .and_then(|hart| decimal(hart.as_bytes()));
        let hart = hart.ok_or("the hart after `core` is not a number with a colon")?;
        next()?;
        let pc = hex::whole(next()?.as_bytes()).ok_or("the pc is not an address")?;
        let word = next()?
            .strip_prefix('(')
            .and_then(|word| word.strip_suffix(')'));
        let word = word
            .and_then(|word| hex::whole(word.as_bytes()))
            .and_then(|word| u32::try_from(word).ok());
        let word = word.ok_or("the machine word in parentheses is not a 32-bit number")?;
        Ok(Named {
            hart,
            pc: Some(pc),
            word: Some(word),
            text: "",
        })
    }

    fn quick_tail(rest: &[u8], addresses: &mut Vec<u64>) -> Option<Tail> {
        let end = memchr::memchr(b'\n', rest)?;
        let before = addresses.len();
        Spike::tail(&rest[..end], addresses).ok()?;
        Some(Tail {
            length: end + 1,
            addresses: (addresses.len() - before) as u32,
        })
    }

    fn tail(tail: &[u8], addresses: &mut Vec<u64>) -> Result<(), LineError> {
        let mut fields = tail
            .split(u8::is_ascii_whitespace)
            .filter(|field| !field.is_empty());
        while let Some(field) = fields.next() {
            if field == b"mem" {
                let address = fields.next().unwrap_or_default();
                addresses
                    .push(hex::whole(address).ok_or_else(|| LineError::Address(excerpt(address)))?);
            } else if !is_register(field) && !is_value(field) {
                return Err(LineError::Address(excerpt(field)));
            }
        }
        Ok(())
    }
}

/// A register, or one of `e32 m1 l4` before vector registers.
fn is_register(field: &[u8]) -> bool {
    matches!(field, [b'x' | b'f' | b'v' | b'c' | b'e' | b'm' | b'l', rest @ ..]
        if rest.iter().all(|c| c.is_ascii_alphanumeric() || *c == b'_'))
}

/// What was written; vector registers are longer than a number of 64 bits.
fn is_value(field: &[u8]) -> bool {
    field
        .strip_prefix(b"0x")
        .is_some_and(|digits| !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit))
}
