//! Texts of headers that are kept apart from the text of the file that includes them.

use std::sync::Arc;

use super::super::{LineOrigin, SourceText};

/// What a header became, tidied: whole lines.
#[derive(Debug)]
pub struct HeaderText {
    pub text: String,
    /// One entry a line of `text`, in order.
    pub origins: Vec<LineOrigin>,
}

/// A preprocessed text, the headers that it shares with others apart from it.
#[derive(Debug)]
pub struct Apart {
    pub own: SourceText,
    pub headers: Vec<Placed>,
}

/// A header's text and where it belongs in the text of a file.
#[derive(Clone, Debug)]
pub struct Placed {
    pub header: Arc<HeaderText>,
    /// Lines of the file's own text before it.
    pub row: usize,
    /// Bytes of the file's own text before it.
    pub byte: usize,
}

impl From<SourceText> for Apart {
    fn from(own: SourceText) -> Apart {
        Apart {
            own,
            headers: Vec::new(),
        }
    }
}

impl Apart {
    /// The whole text.
    pub fn joined(self) -> SourceText {
        let Apart { own, headers } = self;
        if headers.is_empty() {
            return own;
        }
        let (mut text, mut origins) = (String::new(), Vec::new());
        let (mut byte, mut row) = (0, 0);
        for placed in headers {
            text.push_str(&own.text[byte..placed.byte]);
            origins.extend_from_slice(&own.origins[row..placed.row]);
            text.push_str(&placed.header.text);
            origins.extend_from_slice(&placed.header.origins);
            (byte, row) = (placed.byte, placed.row);
        }
        text.push_str(&own.text[byte..]);
        origins.extend_from_slice(&own.origins[row..]);
        SourceText {
            text,
            origins,
            ..own
        }
    }
}
