//! Which format a trace is in, by its first line.

use super::format_name::FormatName;
use super::{gem5, whisper};

impl FormatName {
    /// The format that a line looks like by how it begins.
    pub fn of_line(line: &[u8]) -> Option<FormatName> {
        if gem5::is_line(line) {
            return Some(FormatName::Gem5);
        }
        if whisper::is_header(line) {
            return Some(FormatName::Whisper);
        }
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
