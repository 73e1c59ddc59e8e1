//! The formats of text. Each is one file that says how a line is taken apart; the reader does
//! the rest.

mod edan;
mod execlog;
mod gdb;
mod hex;
mod spike;

use super::error::LineError;
use super::format_name::FormatName;
use super::isa::{self, Decoded, TextError};

pub(super) use edan::Edan;
pub(super) use execlog::Execlog;
pub(super) use gdb::Gdb;
pub(super) use hex::{prefix as hexadecimal, whole as address};
pub(super) use spike::Spike;

/// What the part of a line says that names the instruction.
pub(super) struct Named<'l> {
    /// The hart's number as written.
    pub hart: u64,
    pub pc: Option<u64>,
    pub word: Option<u32>,
    pub text: &'l str,
}

/// A line whose instruction is known already was taken apart without looking for its end.
pub(super) struct Tail {
    /// Bytes up to and with the newline.
    pub length: usize,
    /// Addresses that were added.
    pub addresses: u32,
}

/// How the lines of one format are taken apart. A line is a key, which names the instruction, and the
/// addresses behind it.
pub(super) trait Format {
    const NAME: FormatName;

    /// Whether the line is there for people only: blank, or a remark.
    fn is_remark(line: &[u8]) -> bool {
        line.trim_ascii().is_empty()
    }

    /// Length of the key; the line is without newline.
    fn key_length(line: &[u8]) -> usize;

    /// Whether the key is one of a 32-bit program.
    fn is_of_32_bits(_key: &[u8]) -> bool {
        false
    }

    /// What the key says, or why it is none.
    fn name(key: &[u8]) -> Result<Named<'_>, &'static str>;

    /// Reads from behind the key, adding addresses; `None` if it is not as simple as it mostly is.
    /// `rest` has a newline.
    fn quick_tail(rest: &[u8], addresses: &mut Vec<u64>) -> Option<Tail>;

    /// Adds the addresses between the key and the end of the line.
    fn tail(tail: &[u8], addresses: &mut Vec<u64>) -> Result<(), LineError>;
}

/// The facts of a named instruction: from the machine word where there is one, else from the text.
pub(super) fn decode(named: &Named) -> Result<Decoded, LineError> {
    if let Some(word) = named.word {
        return isa::decode_word(word).ok_or_else(|| LineError::UnknownWord {
            word,
            text: named.text.to_string(),
        });
    }
    let text = || named.text.trim().to_string();
    isa::decode_text(named.text).map_err(|error| match error {
        TextError::UnknownMnemonic { mnemonic } => LineError::UnknownMnemonic {
            mnemonic,
            text: text(),
        },
        error => LineError::Operands {
            text: text(),
            error,
        },
    })
}

/// Whether a compressed instruction is one of RV32: the words that are `c.addiw`, `c.ld` and `c.sd` with their forms for
/// the stack in RV64 jump, or load and store floating-point numbers there, as the text says.
pub(super) fn is_rv32(named: &Named) -> bool {
    /// Quadrant and function of a compressed instruction.
    const OPCODE: u32 = 0xe003;
    let Some(word) = named.word.filter(|word| isa::length(*word) == 2) else {
        return false;
    };
    let mnemonic = named.text.split_ascii_whitespace().next();
    let mnemonic = mnemonic.map(|text| text.strip_prefix("c.").unwrap_or(text));
    match word & OPCODE {
        0x2001 => mnemonic == Some("jal"),
        0x6000 | 0x6002 => matches!(mnemonic, Some("flw" | "flwsp")),
        0xe000 | 0xe002 => matches!(mnemonic, Some("fsw" | "fswsp")),
        _ => false,
    }
}

/// A key as text.
fn text(bytes: &[u8]) -> Result<&str, &'static str> {
    std::str::from_utf8(bytes).map_err(|_| "it has bytes that are not text")
}

/// A decimal number.
fn decimal(bytes: &[u8]) -> Option<u64> {
    if bytes.is_empty() || bytes.len() > 9 {
        return None;
    }
    bytes.iter().try_fold(0, |n, c| {
        c.is_ascii_digit().then(|| n * 10 + u64::from(c - b'0'))
    })
}
