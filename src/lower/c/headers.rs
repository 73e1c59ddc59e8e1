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

mod choice;
mod facts;
mod pieces;
mod table;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use rustc_hash::FxHashMap;

use self::choice::Choice;
use self::facts::{Facts, Words};
use self::pieces::Rows;
use self::table::{Service, Table};
use crate::source::preprocess::{Apart, HeaderText};
use crate::source::{self, LineOrigin, SourceText};

/// The declarations of headers that were met so far, shared by all files and threads.
#[derive(Default)]
pub struct Declarations {
    words: RwLock<Words>,
    known: RwLock<FxHashMap<Box<str>, Arc<Facts>>>,
    /// Of the headers that files share, by their address.
    tables: RwLock<FxHashMap<usize, Shared>>,
}

/// A header that files share, kept so that nothing else takes its address, and what it says.
struct Shared {
    _header: Arc<HeaderText>,
    table: Arc<Table>,
}

impl Declarations {
    /// The preprocessed text of the file `main` without the declarations of headers that it does not use.
    pub fn without_unused(&self, main: &str, apart: Apart) -> SourceText {
        let tables: Vec<Arc<Table>> = (apart.headers.iter())
            .map(|placed| self.table_of(&placed.header))
            .collect();
        if !tables.iter().all(|table| table.is_finished) {
            // A header ends amid something that goes on behind it.
            return self.without_unused(main, apart.joined().into());
        }
        let rows = rows(main, &apart.own.origins);
        if rows.all_own() && tables.is_empty() {
            return apart.own;
        }
        let own = Table::new(self, &apart.own.text, rows, Service::OneFile);
        let mut choice = Choice::new(&apart, &own, &tables);
        choice.keep_used(&self.words());
        match choice.text() {
            Some((text, origins)) => SourceText {
                text,
                origins,
                ..apart.own
            },
            None => apart.joined(),
        }
    }

    /// What a shared header says; read when it is met first.
    fn table_of(&self, header: &Arc<HeaderText>) -> Arc<Table> {
        let address = Arc::as_ptr(header) as usize;
        let tables = self.tables.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = tables.get(&address) {
            return known.table.clone();
        }
        drop(tables);
        let rows = Rows::all_of_header(header.origins.len());
        let table = Arc::new(Table::new(self, &header.text, rows, Service::Shared));
        let mut tables = self.tables.write().unwrap_or_else(PoisonError::into_inner);
        let known = tables.entry(address).or_insert_with(|| Shared {
            _header: header.clone(),
            table,
        });
        known.table.clone()
    }

    fn words(&self) -> RwLockReadGuard<'_, Words> {
        self.words.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn words_to_add(&self) -> RwLockWriteGuard<'_, Words> {
        self.words.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a declaration says, by its text; parsed when it is met first.
    fn facts(&self, text: &str) -> Arc<Facts> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(facts) = known.get(text) {
            return facts.clone();
        }
        drop(known);
        let read = facts::read(text);
        let facts = Arc::new(read.with_words(&mut self.words_to_add()));
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.entry(text.into()).or_insert(facts).clone()
    }
}

/// Which rows of a text come from headers. A source that another one includes is not a header.
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
