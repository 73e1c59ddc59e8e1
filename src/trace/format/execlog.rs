//! QEMU's execlog plugin, and `loopsheet record`: cpu, pc, machine word, disassembly in quotes, then
//! `load` or `store` and an address for every access, perhaps with the name of a device behind it.

use super::{Format, FormatName, Named, Tail, decimal, hex, text};
use crate::error::{LineError, excerpt};

pub(crate) struct Execlog;

impl Format for Execlog {
    const NAME: FormatName = FormatName::Execlog;

    /// How the run ended, behind the last instruction.
    fn is_remark(line: &[u8]) -> bool {
        line.trim_ascii().is_empty() || line.starts_with(b"# ")
    }

    fn key_length(line: &[u8]) -> usize {
        line.iter()
            .rposition(|c| *c == b'"')
            .map_or(line.len(), |quote| quote + 1)
    }

    fn name(key: &[u8]) -> Result<Named<'_>, &'static str> {
        let mut fields = text(key)?.splitn(4, ',').map(str::trim);
        let mut next = || {
            fields
                .next()
                .ok_or("expected cpu, pc, machine word, \"disassembly\"")
        };
        let hart =
            decimal(next()?.as_bytes()).ok_or("the cpu in the first field is not a number")?;
        let pc =
            hex::whole(next()?.as_bytes()).ok_or("the pc in the second field is not an address")?;
        let word = hex::whole(next()?.as_bytes()).and_then(|word| u32::try_from(word).ok());
        let word = word.ok_or("the machine word in the third field is not a 32-bit number")?;
        let quoted = next()?
            .strip_prefix('"')
            .and_then(|text| text.strip_suffix('"'));
        let text = quoted.ok_or("the disassembly in the fourth field is not in quotes")?;
        Ok(Named {
            hart,
            pc: Some(pc),
            word: Some(word),
            text,
        })
    }

    #[inline(always)]
    fn quick_tail(rest: &[u8], addresses: &mut Vec<u64>) -> Option<Tail> {
        let mut length = 0;
        let mut count = 0;
        loop {
            let rest = &rest[length..];
            if rest[0] == b'\n' {
                return Some(Tail {
                    length: length + 1,
                    addresses: count,
                });
            }
            let before = match rest.get(..8) {
                Some(b", load, ") => 8,
                Some(b", store,") => 9,
                _ => return None,
            };
            let (address, digits) = hex::prefix(rest.get(before..)?)?;
            addresses.push(address);
            count += 1;
            length += before + digits;
        }
    }

    fn tail(tail: &[u8], addresses: &mut Vec<u64>) -> Result<(), LineError> {
        let mut fields = tail.split(|c| *c == b',').skip(1).map(<[u8]>::trim_ascii);
        while let Some(field) = fields.next() {
            if field != b"load" && field != b"store" {
                // The device that an access went to.
                let is_device =
                    !addresses.is_empty() && field.first().is_some_and(u8::is_ascii_alphabetic);
                if is_device {
                    continue;
                }
                return Err(LineError::Address(excerpt(field)));
            }
            let address = fields.next().unwrap_or_default();
            addresses
                .push(hex::whole(address).ok_or_else(|| LineError::Address(excerpt(address)))?);
        }
        Ok(())
    }
}
