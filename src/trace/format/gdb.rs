//! What gdb's `x/i $pc` prints at every step: `0x10490 <main>: addi sp,sp,-64`, with tabs. No addresses of accesses.

use super::{Format, FormatName, Named, Tail, hex, text};
use crate::error::LineError;

pub(crate) struct Gdb;

impl Format for Gdb {
    const NAME: FormatName = FormatName::Gdb;

    fn key_length(line: &[u8]) -> usize {
        line.len()
    }

    fn name(key: &[u8]) -> Result<Named<'_>, &'static str> {
        let key = text(key)?;
        let line = key.strip_prefix("=> ").unwrap_or(key).trim_start();
        let (place, text) = line
            .split_once(":\t")
            .or_else(|| line.split_once(": "))
            .ok_or("it has no `:` and tab")?;
        let pc = place.split_ascii_whitespace().next().unwrap_or_default();
        let pc = hex::whole(pc.as_bytes()).ok_or("it does not begin with the pc")?;
        Ok(Named {
            hart: 0,
            pc: Some(pc),
            word: None,
            text: text.trim(),
        })
    }

    fn quick_tail(rest: &[u8], _: &mut Vec<u64>) -> Option<Tail> {
        (rest[0] == b'\n').then_some(Tail {
            length: 1,
            addresses: 0,
        })
    }

    fn tail(_: &[u8], _: &mut Vec<u64>) -> Result<(), LineError> {
        Ok(())
    }
}
