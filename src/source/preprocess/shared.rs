//! Headers that are preprocessed once for all files that begin alike.
//!
//! What a header becomes depends on the macros in force where it is included. At the beginning of a file these
//! follow from the command line and from the directives that stand before it, as long as nothing but `#include`
//! and conditions does: files whose beginnings have the same directives share what their headers became, with
//! the state of the preprocessor behind them.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, PoisonError, RwLock};

use super::super::{Language, LineOrigin};
use super::apart::HeaderText;
use super::macros::MacroTable;
use super::token::Pool;
use crate::diagnostic::Diagnostic;

/// Beginnings are kept until they take so many bytes.
const MOST_BYTES: usize = 1 << 29;

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
pub(super) struct Key {
    pub shorter: usize,
    pub directives: String,
}

/// A beginning that ends with a header, and the state behind it.
pub(super) struct Beginning {
    pub number: usize,
    pub header: Option<Arc<HeaderText>>,
    /// What the header, and what it includes, was read from: by whom, under which name, and the path.
    pub reads: Vec<IncludedFile>,
    /// Remarks of preprocessing the header, then those of tidying it.
    pub diagnostics: Vec<Diagnostic>,
    pub untidy: Vec<Diagnostic>,
    pub macros: MacroTable,
    pub pool: Pool,
    pub pool_floor: usize,
    pub once: HashSet<Arc<str>>,
    pub not_found: HashSet<String>,
    pub varying: BTreeSet<String>,
    pub included_files: usize,
    pub included_bytes: usize,
    pub tokens_left: u64,
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
    pub shared: &'a SharedHeaders,
    /// `None` once something else has stood in the file.
    pub key: Option<Key>,
    /// How much of the file's text has been looked at.
    pub looked_at: usize,
    /// What was read since the last header was begun.
    pub reads: Vec<IncludedFile>,
    /// Remarks of tidying shared headers.
    pub untidy: Vec<Diagnostic>,
}

impl<'a> Sharing<'a> {
    /// At the first line of a file. What the command line says is part of every beginning.
    pub fn new(
        shared: &'a SharedHeaders,
        (language, defines): (Language, &[(String, Option<String>)]),
        search: &str,
        varying: &BTreeSet<String>,
    ) -> Sharing<'a> {
        let is_c = language == Language::C;
        let directives = format!("{defines:?}\n{search:?}\n{varying:?}\n");
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

impl SharedHeaders {
    pub(super) fn get(&self, key: &Key) -> Option<Arc<Beginning>> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.beginnings.get(key).cloned()
    }

    /// Keeps a beginning, unless another thread has; `None` if there is no more room.
    pub(super) fn insert(
        &self,
        key: Key,
        make: impl FnOnce(usize) -> Beginning,
    ) -> Option<Arc<Beginning>> {
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
