//! The five formats of traces. Each is one file that says how a line is taken apart; the reader does
//! the rest.

mod edan;
mod execlog;
mod gdb;
mod hex;
mod spike;

use std::fmt;

use super::error::LineError;
use super::isa::{self, Decoded, TextError};

pub(super) use edan::Edan;
pub(super) use execlog::Execlog;
pub(super) use gdb::Gdb;
pub(super) use spike::Spike;

/// The formats by name (guide: traces, "Formats").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FormatName {
    /// `0;0x104be;lw a4,0(a5);0x4000800210`, the pc may be absent.
    Edan,
    /// `lw a4,0(a5);0x40080290`
    EdanBare,
    /// `0, 0x104be, 0x4398, "lw a4,0(a5)", load, 0x4000800210`
    Execlog,
    /// `core   0: 3 0x00000000000104be (0x4398) x14 0x… mem 0x4000800210`
    Spike,
    /// `0x10490 <main>: addi sp,sp,-64`, with tabs
    Gdb,
}

impl FormatName {
    pub const ALL: [FormatName; 5] = [
        FormatName::Edan,
        FormatName::EdanBare,
        FormatName::Execlog,
        FormatName::Spike,
        FormatName::Gdb,
    ];

    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            FormatName::Edan => "edan",
            FormatName::EdanBare => "edan-bare",
            FormatName::Execlog => "execlog",
            FormatName::Spike => "spike",
            FormatName::Gdb => "gdb",
        }
    }

    /// Whether lines say which addresses are accessed.
    pub fn has_addresses(self) -> bool {
        self != FormatName::Gdb
    }

    /// The format that a line looks like by how it begins.
    pub fn of_line(line: &[u8]) -> Option<FormatName> {
        let line = line.trim_ascii_start();
        let digits = line.iter().take_while(|c| c.is_ascii_digit()).count();
        match (&line[digits..], digits) {
            ([b';', ..], 1..) => Some(FormatName::Edan),
            ([b',', ..], 1..) => Some(FormatName::Execlog),
            ([b'x', ..], 1) if line.contains(&b':') => Some(FormatName::Gdb),
            _ if line.starts_with(b"core ") => Some(FormatName::Spike),
            _ if line.starts_with(b"=> 0x") => Some(FormatName::Gdb),
            ([b'a'..=b'z' | b'.', ..], 0) => Some(FormatName::EdanBare),
            _ => None,
        }
    }
}

impl fmt::Display for FormatName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

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
