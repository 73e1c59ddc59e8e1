//! A position in one file that is being preprocessed: its lines, where they came from, and the
//! logical lines of its directives.

use std::borrow::Cow;
use std::sync::Arc;

use super::super::{Language, LineOrigin};
use super::token::{
    Kind, Pool, Token, comment_end, find_newline, literal_end, splice_before, token_end,
};
use crate::diagnostic::Place;

/// Where the lines of a file came from.
pub(super) enum Origins<'t> {
    /// As the source text that was handed in says.
    Given(&'t [LineOrigin]),
    /// An included file: its own lines.
    File(Arc<str>),
}

/// Columns are not counted further than this: a file may be one huge line.
const LAST_COLUMN: usize = 10_000;

pub(super) struct Reader<'t> {
    pub text: &'t str,
    pub position: usize,
    /// The line that `position` is on, from zero.
    pub line: usize,
    /// The line on which the present line of output began; behind `line` while a Fortran
    /// invocation or comment joins several.
    pub output_line: usize,
    pub language: Language,
    pub origins: Origins<'t>,
}

/// What stands next in a file while the arguments of a macro are collected.
pub(super) enum Next {
    Token(Token),
    /// A directive begins at the position.
    Directive,
    End,
}

impl<'t> Reader<'t> {
    pub fn new(text: &'t str, language: Language, origins: Origins<'t>) -> Reader<'t> {
        Reader {
            text,
            position: 0,
            line: 0,
            output_line: 0,
            language,
            origins,
        }
    }

    pub fn at_end(&self) -> bool {
        self.position >= self.text.len()
    }

    /// Where a line, counted from zero, came from.
    pub fn origin(&self, line: usize) -> LineOrigin {
        match &self.origins {
            Origins::File(file) => LineOrigin {
                file: file.clone(),
                line: line as u32 + 1,
            },
            Origins::Given(lines) => match lines.get(line).or(lines.last()) {
                Some(origin) => origin.clone(),
                None => LineOrigin {
                    file: "".into(),
                    line: line as u32 + 1,
                },
            },
        }
    }

    /// The place of a byte position on the present line. Columns far out are cut.
    pub fn place(&self, position: usize) -> Place {
        let before = &self.text.as_bytes()[position.saturating_sub(LAST_COLUMN)..position];
        let column = before
            .iter()
            .rev()
            .take_while(|&&byte| byte != b'\n')
            .count();
        let LineOrigin { file, line } = self.origin(self.line);
        Place {
            file,
            line,
            column: column as u32 + 1,
        }
    }

    /// Whether the line that begins at `position` is a directive. In Fortran the `#` must be in
    /// column one: in column six of the fixed form it continues a statement.
    pub fn directive_at(&self, position: usize) -> bool {
        let bytes = self.text.as_bytes();
        let mut at = position;
        if self.language == Language::C {
            while matches!(bytes.get(at), Some(b' ' | b'\t' | 0x0b | 0x0c)) {
                at += 1;
            }
        }
        bytes.get(at) == Some(&b'#')
    }

    /// End of the directive that begins at the position, without its line end: past splices and
    /// past comments that cross lines.
    pub fn directive_end(&self) -> usize {
        let bytes = self.text.as_bytes();
        let mut at = self.position;
        while at < bytes.len() {
            match bytes[at] {
                b'\n' if splice_before(bytes, at).is_none() => return at,
                b'"' | b'\'' => at = literal_end(bytes, at, self.language),
                b'/' => at = comment_end(bytes, at, self.language).unwrap_or(at + 1),
                _ => at += 1,
            }
        }
        bytes.len()
    }

    /// The directive that begins at the position and ends at `end`, splices removed.
    pub fn logical_line(&self, end: usize) -> Cow<'t, str> {
        let raw = &self.text[self.position..end];
        if !raw.contains('\n') {
            return Cow::Borrowed(raw);
        }
        let mut joined = String::with_capacity(raw.len());
        let mut from = 0;
        for (newline, _) in raw.match_indices('\n') {
            let Some(splice) = splice_before(raw.as_bytes(), newline) else {
                continue;
            };
            joined.push_str(&raw[from.min(splice)..splice]);
            from = newline + 1;
        }
        joined.push_str(&raw[from..]);
        Cow::Owned(joined)
    }

    /// Moves to `end`, counting lines.
    pub fn advance(&mut self, end: usize) {
        let passed = &self.text.as_bytes()[self.position..end];
        self.line += passed.iter().filter(|&&byte| byte == b'\n').count();
        self.position = end;
    }

    /// End of the inactive line at the position, its line end included; a comment `/* */` that begins
    /// on it belongs to it.
    pub fn inactive_end(&self) -> usize {
        let bytes = self.text.as_bytes();
        let newline = self.position + find_newline(&bytes[self.position..]);
        if !bytes[self.position..newline].contains(&b'/') {
            return (newline + 1).min(bytes.len());
        }
        let mut at = self.position;
        while at < bytes.len() && bytes[at] != b'\n' {
            at = match bytes[at] {
                b'"' | b'\'' => literal_end(bytes, at, self.language),
                b'/' => comment_end(bytes, at, self.language).unwrap_or(at + 1),
                b'!' if self.language == Language::Fortran => at + find_newline(&bytes[at..]),
                _ => at + 1,
            };
        }
        (at + 1).min(bytes.len())
    }

    /// Whether the next token, on this or a later line, is an opening parenthesis.
    pub fn parenthesis_follows(&self) -> bool {
        let mut probe = Reader {
            origins: Origins::Given(&[]),
            ..*self
        };
        let mut space = false;
        probe.skip_to_token(&mut space) && probe.text.as_bytes().get(probe.position) == Some(&b'(')
    }

    /// The next token for the arguments of a macro. Line ends and comments are white space there;
    /// so are the continuation marks of Fortran.
    pub fn next(&mut self, pool: &mut Pool) -> Next {
        let mut space = false;
        if !self.skip_to_token(&mut space) {
            return if self.at_end() {
                Next::End
            } else {
                Next::Directive
            };
        }
        let (kind, end) = token_end(self.text.as_bytes(), self.position, self.language);
        let token = pool.add(kind, &self.text[self.position..end], space);
        debug_assert!(kind != Kind::Placemarker);
        self.advance(end);
        Next::Token(token)
    }

    /// Moves to the next token; false at the end of the file and before a directive.
    fn skip_to_token(&mut self, space: &mut bool) -> bool {
        let bytes = self.text.as_bytes();
        let fortran = self.language == Language::Fortran;
        let mut line_start = false;
        while let Some(&byte) = bytes.get(self.position) {
            match byte {
                b'\n' => {
                    self.position += 1;
                    self.line += 1;
                    line_start = true;
                    if self.directive_at(self.position) {
                        return false;
                    }
                }
                b'&' if fortran && (line_start || ends_line(&bytes[self.position + 1..])) => {
                    self.position += 1;
                }
                b'!' if fortran => self.position += find_newline(&bytes[self.position..]),
                b'\\' if !fortran && ends_line(&bytes[self.position + 1..]) => self.position += 1,
                b'/' => match comment_end(bytes, self.position, self.language) {
                    Some(end) => self.advance(end),
                    None => return true,
                },
                _ if byte.is_ascii_whitespace() || byte == 0x0b => self.position += 1,
                _ => return true,
            }
            *space = true;
        }
        false
    }
}

/// Whether nothing but white space and a Fortran comment follows on the line.
fn ends_line(rest: &[u8]) -> bool {
    let next = rest
        .iter()
        .find(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
    matches!(next, None | Some(b'\n' | b'!'))
}
