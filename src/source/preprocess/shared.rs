//! Headers that are preprocessed once for all files that begin alike.
//!
//! What a header becomes depends on the macros in force where it is included. At the beginning of a file these
//! follow from the command line and from the directives that stand before it, as long as nothing but `#include`
//! and conditions does: files whose beginnings have the same directives share what their headers became, with
//! the state of the preprocessor behind them.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use super::super::{Language, LineOrigin, SourceText};
use super::Preprocessor;
use super::macros::MacroTable;
use super::token::{Pool, skip_blank};
use super::{Options, tidy};
use crate::diagnostic::Diagnostic;

/// Beginnings are kept until they take so many bytes.
const MOST_BYTES: usize = 1 << 29;

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

/// The beginnings of files that were met so far, shared by all threads.
#[derive(Default)]
pub struct SharedHeaders {
    known: RwLock<Known>,
}

#[derive(Default)]
struct Known {
    beginnings: HashMap<Key, Arc<Beginning>>,
    bytes: usize,
}

/// A shorter beginning, and the directives behind it.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    shorter: usize,
    directives: String,
}

/// A beginning that ends with a header, and the state behind it.
struct Beginning {
    number: usize,
    header: Option<Arc<HeaderText>>,
    /// What the header, and what it includes, was read from: by whom, under which name, and the path.
    reads: Vec<IncludedFile>,
    /// Remarks of preprocessing the header, then those of tidying it.
    diagnostics: Vec<Diagnostic>,
    untidy: Vec<Diagnostic>,
    macros: MacroTable,
    pool: Pool,
    pool_floor: usize,
    once: HashSet<Arc<str>>,
    not_found: HashSet<String>,
    varying: BTreeSet<String>,
    included_files: usize,
    included_bytes: usize,
    tokens_left: u64,
}

/// A file that was read for an `#include`.
#[derive(Clone)]
pub(super) struct IncludedFile {
    pub from: Arc<str>,
    pub name: String,
    pub path: Arc<str>,
}

/// How far a file still is what others may begin with too.
pub(super) struct Sharing<'a> {
    shared: &'a SharedHeaders,
    /// `None` once something else has stood in the file.
    key: Option<Key>,
    /// How much of the file's text has been looked at.
    looked_at: usize,
    /// What was read since the last header was begun.
    pub reads: Vec<IncludedFile>,
    /// Remarks of tidying shared headers.
    pub untidy: Vec<Diagnostic>,
}

impl<'a> Sharing<'a> {
    /// At the first line of a file. What the command line says is part of every beginning.
    pub fn new(
        shared: &'a SharedHeaders,
        options: &Options,
        search: &str,
        varying: &BTreeSet<String>,
    ) -> Sharing<'a> {
        let is_c = options.language == Language::C;
        let directives = format!("{:?}\n{search:?}\n{varying:?}\n", options.defines);
        let key = Key {
            shorter: 0,
            directives,
        };
        Sharing {
            shared,
            key: is_c.then_some(key),
            looked_at: 0,
            reads: Vec::new(),
            untidy: Vec::new(),
        }
    }

    /// A directive of the file itself.
    pub fn directive(&mut self, keyword: &str, rest: &str) {
        let is_followed = matches!(
            keyword,
            "" | "if" | "ifdef" | "ifndef" | "elif" | "else" | "endif" | "include"
        );
        match &mut self.key {
            Some(key) if is_followed => {
                for part in [keyword, rest, "\n"] {
                    key.directives.push_str(part);
                }
            }
            _ => self.key = None,
        }
    }

    /// Something else stands in the file.
    pub fn end(&mut self) {
        self.key = None;
    }

    /// What a directive of the file itself has looked for, if it was found.
    pub fn looked_for(&mut self, path: Option<&str>) {
        if let Some(key) = &mut self.key {
            key.directives.push_str(path.unwrap_or("?"));
            key.directives.push('\n');
        }
    }
}

impl Preprocessor<'_> {
    /// Puts the text of an included file in the place of its `#include`, from a file that began alike if there
    /// was one.
    pub(super) fn include_shared(&mut self, path: Arc<str>, text: &str) {
        let Some(key) = self.beginning() else {
            return self.read_included_text(path, text);
        };
        let shared = self.sharing.as_ref().map(|sharing| sharing.shared);
        let known = shared.and_then(|shared| shared.get(&key));
        let beginning = match known {
            Some(known) => {
                self.restore(&known);
                known
            }
            None => match self.begin(key, path, text) {
                Some(begun) => begun,
                None => return,
            },
        };
        if let Some(header) = &beginning.header {
            self.out.headers.push(Placed {
                header: header.clone(),
                row: self.out.origins.len(),
                byte: self.out.text.len(),
            });
            self.out.apart += header.text.len();
        }
        if let Some(sharing) = &mut self.sharing {
            sharing.untidy.extend(beginning.untidy.iter().cloned());
            sharing.key = Some(Key {
                shorter: beginning.number,
                directives: String::new(),
            });
        }
    }

    /// The beginning that ends with this header, if nothing else has stood in the file.
    fn beginning(&mut self) -> Option<Key> {
        let is_outermost = self.depth == 0 && !self.exhausted;
        let sharing = self.sharing.as_mut().filter(|_| is_outermost)?;
        let passed = &self.out.text.as_bytes()[sharing.looked_at..];
        if skip_blank(passed, 0, Language::C).0 < passed.len() {
            sharing.key = None;
        }
        sharing.looked_at = self.out.text.len();
        sharing.key.take()
    }

    /// Preprocesses a header for this file and for others; `None` if it has to stay in the text of this one.
    fn begin(&mut self, key: Key, path: Arc<str>, text: &str) -> Option<Arc<Beginning>> {
        let (byte, row) = (self.out.text.len(), self.out.origins.len());
        let remarks = self.diagnostics.len();
        self.read_included_text(path, text);
        let sharing = self.sharing.as_mut()?;
        // What included the header itself has read for this file before.
        let reads = std::mem::take(&mut sharing.reads);
        let shared = sharing.shared;
        if self.exhausted || self.out.origins[row..].iter().any(is_of_source) {
            return None;
        }
        let mut header = SourceText {
            text: self.out.text[byte..].to_string(),
            origins: self.out.origins[row..].to_vec(),
            ..SourceText::verbatim(&"".into(), String::new())
        };
        if !tidy::tidy_part(&mut header) {
            return None;
        }
        let SourceText {
            text,
            origins,
            diagnostics: untidy,
            ..
        } = header;
        let header = (!text.is_empty()).then(|| Arc::new(HeaderText { text, origins }));
        let begun = shared.insert(key, |number| Beginning {
            number,
            header,
            reads,
            diagnostics: self.diagnostics[remarks..].to_vec(),
            untidy,
            macros: self.macros.clone(),
            pool: self.pool.clone(),
            pool_floor: self.pool_floor,
            once: self.once.clone(),
            not_found: self.not_found.clone(),
            varying: self.varying.clone(),
            included_files: self.included_files,
            included_bytes: self.included_bytes,
            tokens_left: self.tokens_left,
        })?;
        self.out.text.truncate(byte);
        self.out.origins.truncate(row);
        Some(begun)
    }

    /// Goes on as if the header of a beginning had been read.
    fn restore(&mut self, beginning: &Beginning) {
        for file in &beginning.reads {
            self.files
                .included_again(&file.from, &file.name, &file.path);
        }
        self.diagnostics
            .extend(beginning.diagnostics.iter().cloned());
        self.macros.clone_from(&beginning.macros);
        self.pool.clone_from(&beginning.pool);
        self.pool_floor = beginning.pool_floor;
        self.once.clone_from(&beginning.once);
        self.not_found.clone_from(&beginning.not_found);
        self.varying.clone_from(&beginning.varying);
        self.included_files = beginning.included_files;
        self.included_bytes = beginning.included_bytes;
        self.tokens_left = beginning.tokens_left;
    }
}

impl SharedHeaders {
    fn get(&self, key: &Key) -> Option<Arc<Beginning>> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.beginnings.get(key).cloned()
    }

    /// Keeps a beginning, unless another thread has; `None` if there is no more room.
    fn insert(&self, key: Key, make: impl FnOnce(usize) -> Beginning) -> Option<Arc<Beginning>> {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(beginning) = known.beginnings.get(&key) {
            return Some(beginning.clone());
        }
        if known.bytes > MOST_BYTES {
            return None;
        }
        let beginning = Arc::new(make(known.beginnings.len() + 1));
        known.bytes += beginning.bytes();
        known.beginnings.insert(key, beginning.clone());
        Some(beginning)
    }
}

impl Beginning {
    /// About how much memory it takes.
    fn bytes(&self) -> usize {
        let header = self.header.as_ref().map_or(0, |header| {
            header.text.len() + header.origins.len() * size_of::<LineOrigin>()
        });
        header + self.pool.len() + self.macros.bytes()
    }
}

/// Whether a line comes from a source, which then is not read by itself: that is seen by its lines.
fn is_of_source(origin: &LineOrigin) -> bool {
    let path = Path::new(&*origin.file);
    let is_header = path.extension().is_some_and(|extension| extension == "h");
    !is_header && super::super::classify(path).is_some()
}
