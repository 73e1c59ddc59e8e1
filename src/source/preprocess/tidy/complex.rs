//! Complex types of C, which the parser does not know, as single names.

use super::super::token::{is_name_part, is_name_start, name_end};
use super::{Before, Tidier};

/// A real type that `_Complex` may follow.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RealType {
    Float,
    Double,
    LongDouble,
}

/// The real type that the name at `start..end` completes, and where that type begins.
pub(super) fn real_type(bytes: &[u8], start: usize, end: usize) -> Option<(usize, RealType)> {
    match &bytes[start..end] {
        b"float" => Some((start, RealType::Float)),
        b"double" => {
            let long = bytes[..start].trim_ascii_end().strip_suffix(b"long");
            match long.filter(|before| before.last().is_none_or(|&byte| !is_name_part(byte))) {
                Some(before) => Some((before.len(), RealType::LongDouble)),
                None => Some((start, RealType::Double)),
            }
        }
        _ => None,
    }
}

impl Tidier {
    /// Writes a complex type as one name; `end` is where the present name ends. `complex` is the
    /// macro of `<complex.h>`, but may also be a variable.
    pub(super) fn complex_type(&mut self, end: usize) -> bool {
        let name = &self.bytes[self.at..end];
        let keyword = name == b"_Complex" || name == b"__complex__";
        if !keyword && name != b"complex" {
            return false;
        }
        let next = self.skip_blank(end);
        let next_end = name_end(&self.bytes, next.min(self.bytes.len()));
        let follows = self
            .bytes
            .get(next)
            .is_some_and(|&byte| is_name_start(byte) || byte == b'*');
        let (start, real, end) = match (self.real_type, &self.bytes[next.min(next_end)..next_end]) {
            (Some((start, real)), _) if keyword || follows => (start, real, end),
            (None, b"double") => (self.at, RealType::Double, next_end),
            (None, b"float") => (self.at, RealType::Float, next_end),
            _ => return false,
        };
        let text: &[u8] = match real {
            RealType::Float => b"float_Complex",
            RealType::Double => b"double_Complex",
            RealType::LongDouble => b"long_double_Complex",
        };
        if start < self.line_start
            || end - start < text.len()
            || self.bytes[start..end].contains(&b'\n')
        {
            return false;
        }
        self.bytes[start..end].fill(b' ');
        self.bytes[start..start + text.len()].copy_from_slice(text);
        self.at = end;
        self.saw(Before::Other);
        true
    }
}
