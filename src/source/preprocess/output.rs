//! The text that is being made, and the origin of each of its lines.

use super::super::LineOrigin;
use super::apart::Placed;

#[derive(Default)]
pub(super) struct Output {
    pub text: String,
    /// One entry a finished line.
    pub origins: Vec<LineOrigin>,
    /// What stays apart from the text, in order.
    pub headers: Vec<Placed>,
    /// Bytes of that.
    pub apart: usize,
}

impl Output {
    pub fn end_line(&mut self, origin: LineOrigin) {
        self.text.push('\n');
        self.origins.push(origin);
    }

    /// The unfinished line.
    pub fn open_line(&self) -> &str {
        &self.text[self.text.rfind('\n').map_or(0, |newline| newline + 1)..]
    }

    /// Whether nothing but white space stands on the unfinished line.
    pub fn at_line_start(&self) -> bool {
        let mut before = self.text.bytes().rev();
        matches!(
            before.find(|byte| !matches!(byte, b' ' | b'\t' | b'\r')),
            None | Some(b'\n')
        )
    }

    /// Empties the unfinished line.
    pub fn clear_line(&mut self) {
        let open = self.open_line().len();
        self.text.truncate(self.text.len() - open);
    }

    pub fn last_byte(&self) -> Option<u8> {
        self.text.as_bytes().last().copied()
    }
}
