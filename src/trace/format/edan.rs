//! EDAN's formats: fields between semicolons, `cpu;pc;disassembly;address`. The address is there if
//! memory is accessed, the pc may be absent, and bare lines have neither cpu nor pc.

use super::{Format, FormatName, Named, Tail, decimal, hex, text};
use crate::error::{LineError, excerpt};

/// `BARE` lines begin with the disassembly.
pub(crate) struct Edan<const BARE: bool>;

impl<const BARE: bool> Format for Edan<BARE> {
    const NAME: FormatName = if BARE {
        FormatName::EdanBare
    } else {
        FormatName::Edan
    };

    fn key_length(line: &[u8]) -> usize {
        // The address is the field behind the disassembly, and disassembly never begins with a digit.
        let mut fields = line.split(|c| *c == b';');
        let mut length = 0;
        for field in fields.by_ref() {
            length += field.len() + 1;
            if field
                .trim_ascii_start()
                .first()
                .is_none_or(|c| !c.is_ascii_digit())
            {
                break;
            }
        }
        (length - 1).min(line.len())
    }

    fn name(key: &[u8]) -> Result<Named<'_>, &'static str> {
        let key = text(key)?;
        if BARE {
            return Ok(Named {
                hart: 0,
                pc: None,
                word: None,
                text: key,
            });
        }
        let (hart, rest) = key
            .split_once(';')
            .ok_or("expected cpu;pc;disassembly;address")?;
        let hart =
            decimal(hart.trim().as_bytes()).ok_or("the cpu in the first field is not a number")?;
        match rest.split_once(';') {
            Some((pc, text)) => {
                let pc = hex::whole(pc.trim().as_bytes())
                    .ok_or("the pc in the second field is not an address")?;
                Ok(Named {
                    hart,
                    pc: Some(pc),
                    word: None,
                    text,
                })
            }
            None if rest.starts_with("0x") || rest.is_empty() => Err("it has no disassembly"),
            None => Ok(Named {
                hart,
                pc: None,
                word: None,
                text: rest,
            }),
        }
    }

    #[inline(always)]
    fn quick_tail(rest: &[u8], addresses: &mut Vec<u64>) -> Option<Tail> {
        if rest[0] == b'\n' {
            return Some(Tail {
                length: 1,
                addresses: 0,
            });
        }
        if rest[0] != b';' {
            return None;
        }
        let (address, length) = hex::prefix(&rest[1..])?;
        if rest[1 + length] != b'\n' {
            return None;
        }
        addresses.push(address);
        Some(Tail {
            length: length + 2,
            addresses: 1,
        })
    }

    fn tail(tail: &[u8], addresses: &mut Vec<u64>) -> Result<(), LineError> {
        for field in tail.split(|c| *c == b';').skip(1) {
            let address =
                hex::whole(field.trim_ascii()).ok_or_else(|| LineError::Address(excerpt(field)))?;
            addresses.push(address);
        }
        Ok(())
    }
}
