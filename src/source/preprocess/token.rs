//! What the preprocessor calls a token, and where one ends in a text.
//!
//! Tokens are ranges of one growing string, the pool, so that they are small and can be copied
//! freely. Bytes outside ASCII count as letters: a token never begins or ends inside a character.

use super::super::Language;

/// In Fortran `/*` begins a comment only if that ends within so many bytes.
const LONGEST_COMMENT: usize = 1 << 16;

/// What a token is to the preprocessor. Keywords are names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Name,
    Number,
    Literal,
    Punctuator,
    /// An empty argument beside `##`.
    Placemarker,
}

/// A piece of text in the pool.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub start: u32,
    pub length: u32,
    pub kind: Kind,
    /// White space or a comment stood before it.
    pub space: bool,
    /// A macro name met inside its own expansion; it is never expanded again.
    pub painted: bool,
    /// The name of a numeric constant that stays in the text under its name.
    pub kept: bool,
}

/// The text of all tokens.
#[derive(Clone, Default)]
pub(super) struct Pool {
    text: String,
}

impl Pool {
    /// Stores `text` as one token.
    pub fn add(&mut self, kind: Kind, text: &str, space: bool) -> Token {
        let start = self.text.len() as u32;
        self.text.push_str(text);
        Token {
            start,
            length: text.len() as u32,
            kind,
            space,
            painted: false,
            kept: false,
        }
    }

    pub fn text(&self, token: Token) -> &str {
        &self.text[token.start as usize..(token.start + token.length) as usize]
    }

    /// The tokens as text, white space where it was.
    pub fn spelling(&self, tokens: &[Token]) -> String {
        let mut text = String::new();
        for (index, &token) in tokens.iter().enumerate() {
            if index > 0 && token.space {
                text.push(' ');
            }
            text.push_str(self.text(token));
        }
        text
    }

    /// Whether two replacement lists are the same token for token.
    pub fn same_text(&self, left: &[Token], right: &[Token]) -> bool {
        left.len() == right.len()
            && left
                .iter()
                .zip(right)
                .all(|(&a, &b)| self.text(a) == self.text(b))
    }

    /// Bytes stored.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Forgets what was stored after the pool was `length` bytes long.
    pub fn truncate(&mut self, length: usize) {
        self.text.truncate(length);
    }

    /// Splits one logical line without splices into tokens. In Fortran a comment that touches what
    /// stands on both its sides pastes them, as traditional preprocessors do, and becomes `##`.
    pub fn add_line(&mut self, line: &str, language: Language) -> Vec<Token> {
        let bytes = line.as_bytes();
        let (mut tokens, mut position) = (Vec::new(), 0);
        loop {
            let (start, blank) = skip_blank(bytes, position, language);
            if start >= bytes.len() {
                return tokens;
            }
            if blank == Blank::Comment && language == Language::Fortran && !tokens.is_empty() {
                tokens.push(self.add(Kind::Punctuator, "##", false));
            }
            let (kind, end) = token_end(bytes, start, language);
            let space =
                blank == Blank::Space || (blank == Blank::Comment && language == Language::C);
            tokens.push(self.add(kind, &line[start..end], space));
            position = end;
        }
    }
}

/// What separates two tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Blank {
    Nothing,
    /// Only comments.
    Comment,
    Space,
}

/// Skips white space and comments of a directive from `position` on.
pub(super) fn skip_blank(bytes: &[u8], mut position: usize, language: Language) -> (usize, Blank) {
    let mut blank = Blank::Nothing;
    while let Some(&byte) = bytes.get(position) {
        if byte.is_ascii_whitespace() || byte == 0x0b {
            position += 1;
            blank = Blank::Space;
        } else if let Some(end) = comment_end(bytes, position, language) {
            position = end;
            blank = if blank == Blank::Space {
                blank
            } else {
                Blank::Comment
            };
        } else {
            break;
        }
    }
    (position, blank)
}

/// Where a comment of the preprocessor that begins at `position` ends: `/* */`, and in C `//` too
/// (in Fortran that concatenates). A comment that is never closed runs to the end in C, and is none
/// in Fortran.
pub(super) fn comment_end(bytes: &[u8], position: usize, language: Language) -> Option<usize> {
    if bytes.get(position) != Some(&b'/') {
        return None;
    }
    match (bytes.get(position + 1)?, language) {
        (b'*', _) => {
            let rest = &bytes[position + 2..];
            let rest = if language == Language::Fortran {
                &rest[..rest.len().min(LONGEST_COMMENT)]
            } else {
                rest
            };
            let close = rest.windows(2).position(|pair| pair == b"*/");
            match (close, language) {
                (Some(offset), _) => Some(position + 2 + offset + 2),
                (None, Language::C) => Some(bytes.len()),
                (None, Language::Fortran) => None,
            }
        }
        (b'/', Language::C) => {
            let mut end = position;
            loop {
                end += find_newline(&bytes[end..]);
                if end >= bytes.len() || splice_before(bytes, end).is_none() {
                    return Some(end);
                }
                end += 1;
            }
        }
        _ => None,
    }
}

/// Offset of the first line end, or the length.
pub(super) fn find_newline(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .position(|&byte| byte == b'\n')
        .unwrap_or(bytes.len())
}

/// If the line that ends at `newline` is continued by a backslash: where that stands.
pub(super) fn splice_before(bytes: &[u8], newline: usize) -> Option<usize> {
    let mut position = newline;
    while position > 0 && matches!(bytes[position - 1], b' ' | b'\t' | b'\r') {
        position -= 1;
    }
    (position > 0 && bytes[position - 1] == b'\\').then(|| position - 1)
}

/// Kind and end of the token at `position`, where neither white space nor a comment stands.
pub(super) fn token_end(bytes: &[u8], position: usize, language: Language) -> (Kind, usize) {
    let byte = bytes[position];
    let next_is_digit = bytes.get(position + 1).is_some_and(u8::is_ascii_digit);
    if is_name_start(byte) {
        (Kind::Name, name_end(bytes, position))
    } else if byte.is_ascii_digit() || (byte == b'.' && next_is_digit) {
        (Kind::Number, number_end(bytes, position, language))
    } else if byte == b'"' || byte == b'\'' {
        (Kind::Literal, literal_end(bytes, position, language))
    } else {
        (Kind::Punctuator, punctuator_end(bytes, position))
    }
}

pub(super) fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80
}

pub(super) fn is_name_part(byte: u8) -> bool {
    is_name_start(byte) || byte.is_ascii_digit()
}

pub(super) fn name_end(bytes: &[u8], position: usize) -> usize {
    let length = bytes[position..]
        .iter()
        .position(|&byte| !is_name_part(byte));
    length.map_or(bytes.len(), |length| position + length)
}

/// A preprocessing number in C; in Fortran a literal with exponent and kind, so that `1.and.n` ends
/// after the `1`.
pub(super) fn number_end(bytes: &[u8], position: usize, language: Language) -> usize {
    let at = |index: usize| bytes.get(index).copied().unwrap_or(b' ');
    let mut end = position;
    if language == Language::C {
        while is_name_part(at(end))
            || at(end) == b'.'
            || (matches!(at(end), b'+' | b'-')
                && end > position
                && matches!(at(end - 1), b'e' | b'E' | b'p' | b'P'))
        {
            end += 1;
        }
        return end;
    }
    while at(end).is_ascii_digit() {
        end += 1;
    }
    if at(end) == b'.' {
        let word = name_end(bytes, (end + 1).min(bytes.len()));
        if !(word > end + 1 && at(end + 1).is_ascii_alphabetic() && at(word) == b'.') {
            end += 1;
            while at(end).is_ascii_digit() {
                end += 1;
            }
        }
    }
    let signed = matches!(at(end), b'e' | b'E' | b'd' | b'D' | b'q' | b'Q')
        && matches!(at(end + 1), b'+' | b'-')
        && at(end + 2).is_ascii_digit();
    name_end(bytes, if signed { end + 2 } else { end })
}

/// A string or character literal; one that is not closed ends with its line.
pub(super) fn literal_end(bytes: &[u8], position: usize, language: Language) -> usize {
    let quote = bytes[position];
    let mut end = position + 1;
    while let Some(&byte) = bytes.get(end) {
        match byte {
            b'\n' => return end,
            b'\\' if language == Language::C => {
                let carriage =
                    bytes.get(end + 1) == Some(&b'\r') && bytes.get(end + 2) == Some(&b'\n');
                end += if carriage { 3 } else { 2 };
            }
            _ if byte == quote => return end + 1,
            _ => end += 1,
        }
    }
    // An escape may have stepped into a character: back to the end of the text.
    bytes.len()
}

fn punctuator_end(bytes: &[u8], position: usize) -> usize {
    let rest = &bytes[position..];
    if [b"...".as_slice(), b"<<=", b">>="]
        .iter()
        .any(|long| rest.starts_with(long))
    {
        return position + 3;
    }
    let pair = rest.len() > 1 && joins(rest[0], rest[1]) && !(rest[0] == b'/' && rest[1] == b'*');
    position + if pair { 2 } else { 1 }
}

/// Whether two punctuation characters side by side read as one token.
fn joins(first: u8, second: u8) -> bool {
    match second {
        b'=' => b"+-*/%&|^<>!=".contains(&first),
        b'>' => first == b'>' || first == b'-',
        b'*' => first == b'/',
        _ => first == second && b"+-&|<#:/".contains(&first),
    }
}

/// Whether two C tokens would read differently without a space between them, given the last byte of
/// the first and the first byte of the second.
pub(super) fn need_space(last: u8, first: u8) -> bool {
    let word = |byte: u8| is_name_part(byte);
    (word(last) && (word(first) || first == b'"' || first == b'\''))
        || (last == b'.' && (first.is_ascii_digit() || first == b'.'))
        || (last.is_ascii_digit() && first == b'.')
        || joins(last, first)
}
