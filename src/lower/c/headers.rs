//! The declarations of headers that a file uses. What stands in a header is parsed once, declaration by
//! declaration, however many files include it; of a file's preprocessed text only the declarations stay
//! that the file names, directly or through others, so that reading it costs what the file itself costs.
//!
//! What is left is lowered to the same unit as the whole text. Therefore a declaration stays too
//!
//! - if it is anything but plain: a function body, a statement, a place where the grammar has to guess, or
//!   what the grammar cannot read, with what stands around that;
//! - if there is a remark about it, such as a type that nothing declares;
//! - as a witness: the first that shows a name to be a type, or a variable, where that decides how an
//!   expression of the file is read.

mod facts;
mod pieces;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use rustc_hash::{FxHashMap, FxHashSet};

use self::facts::{Facts, Standing, Word, Words};
use self::pieces::{Piece, Rows, split};
use super::lone_names;
use crate::source::{self, LineOrigin, SourceText};

/// So many declarations stay on each side of what the grammar may not read: recovery looks around.
const NEIGHBOURS: usize = 3;

/// The declarations of headers that were met so far, shared by all files and threads.
#[derive(Default)]
pub struct Declarations {
    words: RwLock<Words>,
    known: RwLock<FxHashMap<Box<str>, Arc<Facts>>>,
}

impl Declarations {
    /// The preprocessed text of the file `main` without the declarations of headers that it does not use.
    pub fn without_unused(&self, main: &str, source: SourceText) -> SourceText {
        let rows = rows(main, &source.origins);
        if rows.all_own() {
            return source;
        }
        let pieces = split(&source.text, &rows);
        let facts: Vec<Option<Arc<Facts>>> = pieces
            .iter()
            .map(|piece| {
                piece
                    .is_declaration
                    .then(|| self.facts(&source.text[piece.bytes.clone()]))
            })
            .collect();
        let mut choice = Choice::new(&source, &pieces, &facts);
        choice.keep_what_is_not_plain();
        choice.keep_remarked();
        let words = self.words.read().unwrap_or_else(PoisonError::into_inner);
        choice.keep_used(&words);
        drop(words);
        let (text, origins) = choice.text(&rows);
        // Whether the imaginary unit is one depends on this word, wherever it stands.
        let says_complex = |text: &str| text.contains("omplex");
        let is_imaginary = |word: &str| matches!(word, "I" | "_Complex_I");
        if says_complex(&source.text)
            && !says_complex(&text)
            && lone_names::words(&text).any(is_imaginary)
        {
            return source;
        }
        SourceText {
            text,
            origins,
            ..source
        }
    }

    /// What a declaration says, by its text; parsed when it is met first.
    fn facts(&self, text: &str) -> Arc<Facts> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(facts) = known.get(text) {
            return facts.clone();
        }
        drop(known);
        let read = facts::read(text);
        let mut words = self.words.write().unwrap_or_else(PoisonError::into_inner);
        let facts = Arc::new(read.with_words(&mut words));
        drop(words);
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.entry(text.into()).or_insert(facts).clone()
    }
}

/// Which rows of a text come from headers. A source that another one includes is no header.
fn rows(main: &str, origins: &[LineOrigin]) -> Rows {
    let mut last: Option<(&Arc<str>, bool)> = None;
    let is_header = |origin: &LineOrigin| {
        let path = Path::new(&*origin.file);
        let is_source = path.extension().is_none_or(|extension| extension != "h")
            && source::classify(path).is_some();
        *origin.file != *main && !is_source
    };
    let of_header = origins.iter().map(|origin| match last {
        Some((file, known)) if Arc::ptr_eq(file, &origin.file) => known,
        _ => {
            let found = is_header(origin);
            last = Some((&origin.file, found));
            found
        }
    });
    Rows::new(of_header.collect())
}

/// The pieces of a text that stay.
struct Choice<'a> {
    source: &'a SourceText,
    pieces: &'a [Piece],
    /// What the declarations of headers say; `None` for all else.
    facts: &'a [Option<Arc<Facts>>],
    kept: Vec<bool>,
    /// The words of what stays.
    used: FxHashSet<Word>,
}

impl<'a> Choice<'a> {
    fn new(
        source: &'a SourceText,
        pieces: &'a [Piece],
        facts: &'a [Option<Arc<Facts>>],
    ) -> Choice<'a> {
        Choice {
            source,
            pieces,
            facts,
            kept: facts.iter().map(Option::is_none).collect(),
            used: FxHashSet::default(),
        }
    }

    fn text_of(&self, at: usize) -> &'a str {
        &self.source.text[self.pieces[at].bytes.clone()]
    }

    fn keep_what_is_not_plain(&mut self) {
        let mut around = BTreeSet::new();
        for (at, facts) in self.facts.iter().enumerate() {
            match facts.as_deref().map(|facts| facts.standing) {
                Some(Standing::Plain) => {}
                // Perhaps the body of a function whose parameters are declared before it.
                Some(Standing::Bound) if self.text_of(at).starts_with('{') => {
                    around.insert(at);
                }
                Some(Standing::Bound) => self.kept[at] = true,
                // A directive is read by itself.
                None if self.pieces[at].is_directive => {}
                Some(Standing::Unread) | None => {
                    around.insert(at);
                }
            }
        }
        for at in around {
            let end = (at + NEIGHBOURS + 1).min(self.kept.len());
            self.kept[at.saturating_sub(NEIGHBOURS)..end].fill(true);
        }
    }

    /// Keeps declarations of types that no declaration before them makes known.
    fn keep_remarked(&mut self) {
        let mut typedefs: FxHashSet<Word> = FxHashSet::default();
        for (at, facts) in self.facts.iter().enumerate() {
            let Some(facts) = facts else { continue };
            self.kept[at] |= facts.needs.iter().any(|name| !typedefs.contains(name));
            typedefs.extend(&facts.typedefs);
        }
    }

    /// Keeps what is used, and what that uses.
    fn keep_used(&mut self, words: &Words) {
        let mut by_name: FxHashMap<Word, Vec<usize>> = FxHashMap::default();
        let mut by_type: FxHashMap<Word, usize> = FxHashMap::default();
        let mut todo = Vec::new();
        for (at, facts) in self.facts.iter().enumerate() {
            match facts {
                Some(facts) if !self.kept[at] => {
                    let provided = facts.provides.iter();
                    provided.for_each(|name| by_name.entry(*name).or_default().push(at));
                    for name in &facts.shows_as_type {
                        by_type.entry(*name).or_insert(at);
                    }
                }
                Some(facts) => todo.extend_from_slice(&facts.mentions),
                None => todo.extend(words.of(self.text_of(at))),
            }
        }
        for constant in &self.source.macros {
            todo.extend(words.of(&constant.text));
        }
        self.keep_witnesses(words, &mut todo);
        while let Some(word) = todo.pop() {
            if !self.used.insert(word) {
                continue;
            }
            let provided = by_name.get(&word).into_iter().flatten();
            for at in provided.chain(by_type.get(&word)) {
                self.keep(*at, &mut todo);
            }
        }
    }

    fn keep(&mut self, at: usize, todo: &mut Vec<Word>) {
        if let (false, Some(facts)) = (self.kept[at], &self.facts[at]) {
            self.kept[at] = true;
            todo.extend_from_slice(&facts.mentions);
        }
    }

    /// Of names that stand alone in parentheses before an operator: what shows whether they are types or variables.
    fn keep_witnesses(&mut self, words: &Words, todo: &mut Vec<Word>) {
        let mut text = String::new();
        for at in (0..self.pieces.len()).filter(|at| self.kept[*at]) {
            text.push_str(self.text_of(at));
            text.push('\n');
        }
        for name in lone_names::suspects(&text) {
            let Some(word) = words.get(name) else {
                continue;
            };
            for show in [lone_names::shows_type, lone_names::shows_variable] {
                let shows = |at: &usize| {
                    let facts = self.facts[*at].as_ref();
                    facts.is_some_and(|facts| facts.mentions.contains(&word))
                        && show(self.text_of(*at), name)
                };
                if let Some(at) = (0..self.pieces.len()).find(shows) {
                    self.keep(at, todo);
                }
            }
        }
    }

    /// The text of what stays, every character in its column, with the origins of its lines.
    fn text(&self, rows: &Rows) -> (String, Vec<LineOrigin>) {
        let (source, kept) = (&self.source.text, self.kept_bytes());
        let mut kept = &kept[..];
        let (mut text, mut origins) = (String::new(), Vec::new());
        let last = self.source.origins.len() - 1;
        let mut start = 0;
        for (row, origin) in self.source.origins.iter().enumerate() {
            let end = start + source[start..].find('\n').unwrap_or(source.len() - start);
            let is_of_header = rows.is_of_header(row);
            let begun = text.len();
            let mut stays = !is_of_header || row == 0 || row == last;
            if !is_of_header {
                text.push_str(&source[start..end]);
            }
            while let Some((bytes, rest)) = kept.split_first()
                && bytes.start <= end
            {
                stays = true;
                if is_of_header {
                    let from = bytes.start.max(start);
                    let blank = (from - start) - (text.len() - begun);
                    text.extend(std::iter::repeat_n(' ', blank));
                    text.push_str(&source[from..bytes.end.min(end)]);
                }
                if bytes.end > end {
                    // It goes on on the next line.
                    break;
                }
                kept = rest;
            }
            if stays {
                origins.push(origin.clone());
                if row < last {
                    text.push('\n');
                }
            }
            start = (end + 1).min(source.len());
        }
        (text, origins)
    }

    /// The bytes that stay; what stands between two pieces of which both stay does too.
    fn kept_bytes(&self) -> Vec<Range<usize>> {
        let mut kept: Vec<Range<usize>> = Vec::new();
        let mut before = None;
        for at in (0..self.pieces.len()).filter(|at| self.kept[*at]) {
            let bytes = self.pieces[at].bytes.clone();
            match kept.last_mut().filter(|_| before == Some(at)) {
                Some(last) => last.end = bytes.end,
                None => kept.push(bytes),
            }
            before = Some(at + 1);
        }
        kept
    }
}
