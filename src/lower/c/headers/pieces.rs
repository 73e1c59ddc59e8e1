//! A preprocessed text as pieces that parse by themselves: declarations up to their semicolon, and what
//! stands between them.

use std::ops::Range;

use super::super::lone_names::{directive_end, find, literal_end};

/// Which rows of a text come from headers.
pub struct Rows {
    of_header: Vec<bool>,
}

impl Rows {
    pub fn new(of_header: Vec<bool>) -> Rows {
        Rows { of_header }
    }

    /// Those of a header itself.
    pub fn all_of_header(count: usize) -> Rows {
        Rows::new(vec![true; count])
    }

    pub fn is_of_header(&self, row: usize) -> bool {
        self.of_header.get(row).copied().unwrap_or(false)
    }

    pub fn all_own(&self) -> bool {
        !self.of_header.contains(&true)
    }

    /// Whether all of these rows come from headers.
    fn are_of_header(&self, rows: Range<usize>) -> bool {
        rows.clone().all(|row| self.is_of_header(row))
    }
}

/// A part of a text that is kept or left out as a whole.
#[derive(Debug, PartialEq, Eq)]
pub struct Piece {
    pub bytes: Range<usize>,
    /// The row that it begins on.
    pub row: usize,
    /// All of it stands in headers and ends with a semicolon outside of braces.
    pub is_declaration: bool,
    /// A line of the preprocessor.
    pub is_directive: bool,
    /// Nothing of it stands behind the text.
    pub is_finished: bool,
}

/// What ends a piece.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Semicolon,
    /// The brace behind the body of a function.
    Body,
    Text,
}

/// The pieces of a text in order; white space and comments between them belong to none.
pub fn split(text: &str, rows: &Rows) -> Vec<Piece> {
    let mut splitter = Splitter {
        bytes: text.as_bytes(),
        at: 0,
        row: 0,
        rows,
        begun: None,
        pieces: Vec::new(),
    };
    splitter.run();
    splitter.pieces
}

struct Splitter<'a> {
    bytes: &'a [u8],
    at: usize,
    row: usize,
    rows: &'a Rows,
    /// Where the present piece begins, byte and row.
    begun: Option<(usize, usize)>,
    pieces: Vec<Piece>,
}

impl Splitter<'_> {
    fn run(&mut self) {
        let (mut braces, mut parentheses) = (0_usize, 0_usize);
        let mut line_start = true;
        // Whether the brace outside of all others opens the body of a function.
        let (mut last, mut is_body) = (b';', false);
        while let Some(&byte) = self.bytes.get(self.at) {
            let comment = match (byte, self.bytes.get(self.at + 1)) {
                (b'/', Some(b'/')) => Some(directive_end(self.bytes, self.at)),
                (b'/', Some(b'*')) => {
                    let close = find(self.bytes, self.at + 2, b"*/") + 2;
                    Some(close.min(self.bytes.len()))
                }
                _ => None,
            };
            if let Some(end) = comment {
                self.comment(end);
                continue;
            }
            if byte == b'\n' {
                self.advance(self.at + 1);
                line_start = true;
                continue;
            }
            if byte.is_ascii_whitespace() {
                self.at += 1;
                continue;
            }
            if byte == b'#' && line_start {
                self.directive();
                continue;
            }
            line_start = false;
            self.begun.get_or_insert((self.at, self.row));
            if matches!(byte, b'"' | b'\'') {
                self.advance(literal_end(self.bytes, self.at, byte));
                last = byte;
                continue;
            }
            self.at += 1;
            match byte {
                b'(' => parentheses += 1,
                b')' => parentheses = parentheses.saturating_sub(1),
                b'{' => {
                    is_body = if braces == 0 { last == b')' } else { is_body };
                    braces += 1;
                }
                b'}' => braces = braces.saturating_sub(1),
                _ => {}
            }
            last = byte;
            let is_outside = braces == 0 && parentheses == 0;
            if is_outside && (byte == b';' || (byte == b'}' && is_body)) {
                let end = if byte == b';' {
                    End::Semicolon
                } else {
                    End::Body
                };
                self.end(end);
                is_body = false;
            }
        }
        self.end(End::Text);
    }

    /// Moves to `end`, counting rows.
    fn advance(&mut self, end: usize) {
        let end = end.min(self.bytes.len());
        let passed = &self.bytes[self.at..end];
        self.row += passed.iter().filter(|byte| **byte == b'\n').count();
        self.at = end;
    }

    /// Passes a comment. One that runs out of a header has taken what follows with it.
    fn comment(&mut self, end: usize) {
        let (start, row) = (self.at, self.row);
        self.advance(end);
        let crosses = self.rows.is_of_header(row) && !self.rows.is_of_header(self.row);
        if self.begun.is_none() && crosses && row != self.row {
            self.pieces.push(Piece {
                bytes: start..self.at,
                row,
                is_declaration: false,
                is_directive: false,
                is_finished: false,
            });
        }
    }

    /// A directive ends the piece that it stands in: what holds one is not looked into.
    fn directive(&mut self) {
        let (start, row) = (self.at, self.row);
        let end = directive_end(self.bytes, self.at);
        self.advance(end);
        if self.begun.is_none() {
            self.pieces.push(Piece {
                bytes: start..self.at,
                row,
                is_declaration: false,
                is_directive: true,
                is_finished: true,
            });
        }
    }

    fn end(&mut self, end: End) {
        if let Some((start, row)) = self.begun.take() {
            let is_of_header = self.rows.are_of_header(row..self.row + 1);
            self.pieces.push(Piece {
                bytes: start..self.at,
                row,
                is_declaration: end == End::Semicolon && is_of_header,
                is_directive: false,
                is_finished: end != End::Text,
            });
        }
    }
}
