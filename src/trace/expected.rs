//! How many addresses an execution should have, and whether it has them.

use super::error::LineError;
use super::isa::{AccessCount, Facts};

/// How many addresses an execution of an instruction may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Addresses {
    None,
    One,
    AtMostOne,
    Any,
    /// The facts of the instruction are not known: whatever there is, is passed over.
    Ignored,
}

/// What is expected of an instruction that is known, and the bytes of one access.
pub(super) fn expected_addresses(facts: &Facts, has_addresses: bool) -> (Addresses, u8) {
    match facts.access {
        Some(access) if has_addresses => {
            let addresses = match access.count {
                AccessCount::One => Addresses::One,
                AccessCount::AtMostOne => Addresses::AtMostOne,
                AccessCount::Any => Addresses::Any,
            };
            (addresses, access.bytes)
        }
        _ => (Addresses::None, 0),
    }
}

impl Addresses {
    /// Brings the addresses from `before` on to one per access of so many bytes, and counts them; `text` and
    /// `mnemonic` are for messages.
    pub fn settle(
        self,
        bytes: u8,
        addresses: &mut Vec<u64>,
        before: usize,
        text: impl Fn() -> String,
        mnemonic: &'static str,
    ) -> Result<u32, LineError> {
        match (self, addresses.len() - before) {
            (Addresses::Ignored, _) => addresses.truncate(before),
            (Addresses::None, 1..) => return Err(LineError::UnexpectedAddress(text(), mnemonic)),
            (Addresses::One, 0) => return Err(LineError::NoAddress(text())),
            (Addresses::One | Addresses::AtMostOne, 2..) => {
                // An atomic operation shows its load and its store; an access may be shown in parts.
                let first = addresses[before];
                let last = first.saturating_add(u64::from(bytes));
                if addresses[before..]
                    .iter()
                    .any(|address| !(first..last).contains(address))
                {
                    return Err(LineError::SeveralAddresses(text()));
                }
                addresses.truncate(before + 1);
            }
            _ => {}
        }
        Ok((addresses.len() - before) as u32)
    }
}
