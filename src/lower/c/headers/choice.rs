//! The pieces of a file and its headers that stay, and the text that they make.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::super::lone_names;
use super::facts::{Word, Words};
use super::table::{Table, says_complex};
use crate::source::preprocess::Apart;
use crate::source::{LineOrigin, SourceText};

/// A text, and which of its pieces stay.
struct Part<'a> {
    text: &'a str,
    origins: &'a [LineOrigin],
    table: &'a Table,
    kept: Vec<bool>,
}

/// What stays of a file.
pub struct Choice<'a> {
    own: &'a SourceText,
    /// The headers that it shares with other files, in order, and then its own text.
    parts: Vec<Part<'a>>,
    /// The rows and bytes of its own text before each shared header.
    places: Vec<(usize, usize)>,
}

impl<'a> Choice<'a> {
    pub fn new(apart: &'a Apart, own: &'a Table, headers: &'a [Arc<Table>]) -> Choice<'a> {
        let part = |text: &'a str, origins: &'a [LineOrigin], table: &'a Table| Part {
            text,
            origins,
            table,
            kept: table.always.clone(),
        };
        let shared = apart.headers.iter().zip(headers);
        let shared =
            shared.map(|(placed, table)| part(&placed.header.text, &placed.header.origins, table));
        let own_part = part(&apart.own.text, &apart.own.origins, own);
        let places = apart.headers.iter();
        Choice {
            own: &apart.own,
            parts: shared.chain([own_part]).collect(),
            places: places.map(|placed| (placed.row, placed.byte)).collect(),
        }
    }

    /// Keeps what is used, and what that uses.
    pub fn keep_used(&mut self, words: &Words) {
        let mut todo = Vec::new();
        for part in &self.parts {
            todo.extend_from_slice(&part.table.words);
        }
        for constant in &self.own.macros {
            todo.extend(words.of(&constant.text));
        }
        self.keep_remarked(&mut todo);
        self.keep_witnesses(words, &mut todo);
        let mut used: FxHashSet<Word> = FxHashSet::default();
        while let Some(word) = todo.pop() {
            if !used.insert(word) {
                continue;
            }
            // Of several parts one witness would do; more do no harm.
            for part in &mut self.parts {
                for at in part.table.declaring(word) {
                    part.keep(at, &mut todo);
                }
            }
        }
    }

    /// Keeps declarations of types that no declaration before them makes known.
    fn keep_remarked(&mut self, todo: &mut Vec<Word>) {
        let mut before: Vec<&FxHashSet<Word>> = Vec::new();
        for part in &mut self.parts {
            let table = part.table;
            for (name, at) in &table.needs {
                if !before.iter().any(|typedefs| typedefs.contains(name)) {
                    part.keep(*at, todo);
                }
            }
            before.push(&table.typedefs);
        }
    }

    /// Of names that stand alone in parentheses before an operator: what shows whether they are types or variables.
    fn keep_witnesses(&mut self, words: &Words, todo: &mut Vec<Word>) {
        let suspects: BTreeSet<&str> = (self.parts.iter())
            .flat_map(|part| part.table.suspects.iter().map(String::as_str))
            .collect();
        for name in suspects {
            let Some(word) = words.get(name) else {
                continue;
            };
            for show in [lone_names::shows_type, lone_names::shows_variable] {
                for part in &mut self.parts {
                    let shows = |at: &usize| {
                        let facts = part.table.facts[*at].as_ref();
                        facts.is_some_and(|facts| facts.mentions.contains(&word))
                            && show(part.text_of(*at), name)
                    };
                    if let Some(at) = (0..part.kept.len()).find(shows) {
                        part.keep(at, todo);
                        break;
                    }
                }
            }
        }
    }

    /// The text of what stays, every character in its column, with the origins of its lines; `None` if what
    /// goes would be missed.
    pub fn text(&self) -> Option<(String, Vec<LineOrigin>)> {
        let (mut text, mut origins) = (String::new(), Vec::new());
        let (own, headers) = self.parts.split_last()?;
        let (mut row, mut byte) = (0, 0);
        for (header, place) in headers.iter().zip(&self.places) {
            own.write(row..place.0, byte, &mut text, &mut origins);
            (row, byte) = *place;
            header.write_pieces(&mut text, &mut origins);
        }
        own.write(row..own.origins.len(), byte, &mut text, &mut origins);
        let said = self.parts.iter().any(|part| part.table.says_complex);
        let is_imaginary = |word: &str| matches!(word, "I" | "_Complex_I");
        let is_missed = said && !says_complex(&text) && lone_names::words(&text).any(is_imaginary);
        (!is_missed).then_some((text, origins))
    }
}

impl<'a> Part<'a> {
    fn text_of(&self, at: usize) -> &'a str {
        &self.text[self.table.pieces[at].bytes.clone()]
    }

    fn keep(&mut self, at: usize, todo: &mut Vec<Word>) {
        if let (false, Some(facts)) = (self.kept[at], &self.table.facts[at]) {
            self.kept[at] = true;
            todo.extend_from_slice(&facts.mentions);
        }
    }

    /// Appends what stays of a shared header.
    fn write_pieces(&self, text: &mut String, origins: &mut Vec<LineOrigin>) {
        let mut line = None;
        for (first, bytes) in self.kept_bytes() {
            for (row, part) in (first..).zip(lines(self.text, bytes)) {
                let start = self.text[..part.start].rfind('\n').map_or(0, |at| at + 1);
                if line != Some(row) {
                    if line.is_some() {
                        text.push('\n');
                    }
                    line = Some(row);
                    origins.push(self.origins[row].clone());
                }
                let column = text.len() - text.rfind('\n').map_or(0, |at| at + 1);
                text.extend(std::iter::repeat_n(' ', part.start - start - column));
                text.push_str(&self.text[part]);
            }
        }
        if line.is_some() {
            text.push('\n');
        }
    }

    /// Appends what stays of some rows of the file's own text; the first begins at the byte `start`.
    fn write(
        &self,
        rows: Range<usize>,
        mut start: usize,
        text: &mut String,
        origins: &mut Vec<LineOrigin>,
    ) {
        let kept = self.kept_bytes();
        let mut kept = &kept[kept.partition_point(|(_, bytes)| bytes.end <= start)..];
        for row in rows {
            let rest = &self.text[start..];
            let end = start + rest.find('\n').unwrap_or(rest.len());
            let is_of_header = self.table.rows.is_of_header(row);
            let begun = text.len();
            // The first and the last place of a file stay.
            let mut stays = !is_of_header || origins.is_empty() || end == self.text.len();
            if !is_of_header {
                text.push_str(&self.text[start..end]);
            }
            while let Some(((_, bytes), rest)) = kept.split_first()
                && bytes.start <= end
            {
                stays = true;
                if is_of_header {
                    let from = bytes.start.max(start);
                    let blank = (from - start) - (text.len() - begun);
                    text.extend(std::iter::repeat_n(' ', blank));
                    text.push_str(&self.text[from..bytes.end.min(end)]);
                }
                if bytes.end > end {
                    // It goes on on the next line.
                    break;
                }
                kept = rest;
            }
            if stays {
                origins.push(self.origins[row].clone());
                if end < self.text.len() {
                    text.push('\n');
                }
            }
            start = (end + 1).min(self.text.len());
        }
    }

    /// The bytes that stay, with the row that they begin on; what stands between two pieces of which both stay
    /// does too.
    fn kept_bytes(&self) -> Vec<(usize, Range<usize>)> {
        let mut kept: Vec<(usize, Range<usize>)> = Vec::new();
        let mut before = None;
        for at in (0..self.kept.len()).filter(|at| self.kept[*at]) {
            let piece = &self.table.pieces[at];
            match kept.last_mut().filter(|_| before == Some(at)) {
                Some((_, last)) => last.end = piece.bytes.end,
                None => kept.push((piece.row, piece.bytes.clone())),
            }
            before = Some(at + 1);
        }
        kept
    }
}

/// The parts of some bytes of a text, one per line, without line ends.
fn lines(text: &str, bytes: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut start = bytes.start;
    text[bytes].split('\n').map(move |line| {
        let part = start..start + line.len();
        start = part.end + 1;
        part
    })
}
