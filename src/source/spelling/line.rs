//! One line of free form, in small letters and without what its strings hold, so that words in it are words.

use std::borrow::Cow;
use std::ops::Range;

pub(super) struct Line<'t> {
    /// As it is written.
    text: Cow<'t, str>,
    /// As long: small letters, blanks in strings and comments.
    mask: Vec<u8>,
    /// The strings that begin and end in it, with their quotes.
    strings: Vec<Range<usize>>,
    is_changed: bool,
}

pub(super) fn is_in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

impl<'t> Line<'t> {
    /// Reads a line; `quote` is that of a string that goes on from the line before, and then into the next. `None` for
    /// lines that no statement is in, and those with letters that no name has.
    pub fn read(text: &'t str, quote: &mut Option<u8>) -> Option<Line<'t>> {
        let code = text.trim_start();
        if quote.is_none() && (code.is_empty() || code.starts_with(['!', '#'])) {
            return None;
        }
        let mut mask = text.as_bytes().to_ascii_lowercase();
        let (mut strings, mut start) = (Vec::new(), None);
        for at in 0..mask.len() {
            let byte = mask[at];
            match *quote {
                Some(open) => {
                    mask[at] = b' ';
                    if byte == open {
                        *quote = None;
                        strings.extend(start.take().map(|start| start..at + 1));
                    }
                }
                None if matches!(byte, b'\'' | b'"') => {
                    *quote = Some(byte);
                    start = Some(at);
                    mask[at] = b' ';
                }
                None if byte == b'!' => {
                    mask[at..].fill(b' ');
                    break;
                }
                None => {}
            }
        }
        // A string goes on only where its line does.
        if !text.trim_end().ends_with('&') {
            *quote = None;
        }
        text.is_ascii().then_some(Line {
            text: Cow::Borrowed(text),
            mask,
            strings,
            is_changed: false,
        })
    }

    /// The line, if anything in it was respelled.
    pub fn changed(self) -> Option<String> {
        self.is_changed.then(|| self.text.into_owned())
    }

    pub fn len(&self) -> usize {
        self.mask.len()
    }

    pub fn byte(&self, at: usize) -> Option<u8> {
        self.mask.get(at).copied()
    }

    pub fn holds(&self, byte: u8) -> bool {
        match byte {
            b'\'' | b'"' => !self.strings.is_empty(),
            _ => self.mask.contains(&byte),
        }
    }

    pub fn has_pair(&self, pair: &[u8]) -> bool {
        self.mask.windows(pair.len()).any(|window| window == pair)
    }

    /// The strings that begin and end in the line, the last first.
    pub fn strings(&self) -> Vec<Range<usize>> {
        self.strings.iter().rev().cloned().collect()
    }

    pub fn text(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or("")
    }

    pub fn lower(&self, range: Range<usize>) -> &str {
        let bytes = self.mask.get(range).unwrap_or(&[]);
        std::str::from_utf8(bytes).unwrap_or("")
    }

    pub fn starts_with(&self, at: usize, word: &str) -> bool {
        self.mask
            .get(at..)
            .is_some_and(|rest| rest.starts_with(word.as_bytes()))
    }

    pub fn is_blank(&self, range: Range<usize>) -> bool {
        self.mask[range].iter().all(|byte| *byte == b' ')
    }

    /// The first of a byte from a place on.
    pub fn find(&self, byte: u8, from: usize) -> Option<usize> {
        let rest = self.mask.get(from..)?;
        Some(from + rest.iter().position(|other| *other == byte)?)
    }

    pub fn skip_blanks(&self, from: usize) -> usize {
        let rest = self.mask.get(from..).unwrap_or(&[]);
        from + rest.iter().take_while(|byte| **byte == b' ').count()
    }

    /// The place after the last byte before `to` that is not a blank.
    pub fn skip_blanks_back(&self, to: usize) -> usize {
        let before = self.mask.get(..to).unwrap_or(&[]);
        to - before
            .iter()
            .rev()
            .take_while(|byte| **byte == b' ')
            .count()
    }

    /// The word that begins at a place.
    pub fn word_at(&self, at: usize) -> Range<usize> {
        let rest = self.mask.get(at..).unwrap_or(&[]);
        at..at + rest.iter().take_while(|byte| is_in_name(**byte)).count()
    }

    /// The first word of the statement, without a label and the name of a construct.
    pub fn first_word(&self) -> Range<usize> {
        let mut at = self.skip_blanks(0);
        while self.byte(at).is_some_and(|byte| byte.is_ascii_digit()) {
            at += 1;
        }
        let word = self.word_at(self.skip_blanks(at));
        let colon = self.skip_blanks(word.end);
        match (self.byte(colon), self.byte(colon + 1)) {
            (Some(b':'), next) if next != Some(b':') => self.word_at(self.skip_blanks(colon + 1)),
            _ => word,
        }
    }

    /// The parenthesis that closes the one at a place.
    pub fn closing(&self, open: usize) -> Option<usize> {
        let mut depth = 0;
        for (at, byte) in self.mask.iter().enumerate().skip(open) {
            match byte {
                b'(' => depth += 1,
                b')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return (at > open).then_some(at);
            }
        }
        None
    }

    /// The parenthesis that the one at a place closes.
    pub fn opening(&self, close: usize) -> Option<usize> {
        let mut depth = 0;
        for at in (0..=close).rev() {
            match self.mask[at] {
                b')' => depth += 1,
                b'(' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Some(at);
            }
        }
        None
    }

    /// Where a byte stands in a range, outside of parentheses that open there.
    pub fn at_depth(&self, range: Range<usize>, byte: u8) -> Vec<usize> {
        let (mut depth, mut found) = (0, Vec::new());
        for at in range {
            match self.mask[at] {
                b'(' | b'[' => depth += 1,
                b')' | b']' => depth -= 1,
                other if other == byte && depth == 0 => found.push(at),
                _ => {}
            }
        }
        found
    }

    pub fn blank(&mut self, range: Range<usize>) {
        let blanks = " ".repeat(range.len());
        self.replace(range, &blanks);
    }

    pub fn set(&mut self, at: usize, byte: u8) {
        self.replace(at..at + 1, &char::from(byte).to_string());
    }

    /// Puts other text in place of a range. Strings behind it that were asked for keep their places only if it is as long.
    pub fn replace(&mut self, range: Range<usize>, text: &str) {
        self.is_changed = true;
        self.mask
            .splice(range.clone(), text.to_ascii_lowercase().into_bytes());
        self.text.to_mut().replace_range(range, text);
    }
}
