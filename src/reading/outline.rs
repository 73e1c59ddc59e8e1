//! What of a program stays known without its loop nests: files with remarks, names of functions, what it opens. A cache
//! keeps it under a digest of all that decides what is read, so that figures of the same program can be found again.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::cache::{Cache, Key};
use super::opened::Opened;
use crate::analysis::facts::Program;
use crate::cores;
use crate::diagnostic::Diagnostic;
use crate::interned;

/// A program without what it does.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Outline {
    pub files: Vec<FileOutline>,
    /// Names of the functions that are to be listed.
    pub functions: Vec<String>,
    /// Whether nothing in it runs in parallel.
    pub is_serial: bool,
    opened: Opened,
}

/// A file of a program.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FileOutline {
    #[serde(with = "interned")]
    pub path: Arc<str>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Where what is made of one program is kept.
#[derive(Clone, Debug)]
pub struct Shelf {
    cache: Arc<Cache>,
    key: Key,
    /// What names of files begin with that another run has something else for.
    hidden: String,
}

impl Outline {
    pub fn of(program: &Program, opened: Opened) -> Outline {
        let files = program.files.iter().map(|file| FileOutline {
            path: file.path.clone(),
            diagnostics: file.diagnostics.clone(),
        });
        let functions = program.functions.iter().filter(|one| one.is_shown);
        Outline {
            files: files.collect(),
            functions: functions.map(|function| function.name.clone()).collect(),
            is_serial: cores::is_serial(program),
            opened,
        }
    }
}

impl Shelf {
    pub(super) fn new(cache: &Arc<Cache>, key: Key, hidden: Option<&Path>) -> Shelf {
        Shelf {
            cache: cache.clone(),
            key,
            hidden: hidden.map_or_else(String::new, |path| path.display().to_string()),
        }
    }

    /// The outline of the program that is read from these paths, if it is there and what the program opens is as it was.
    pub fn outline(&self, paths: &[PathBuf]) -> Option<Outline> {
        let bytes = self.cache.load(&self.key)?;
        let read = || postcard::from_bytes::<Outline>(&bytes).ok();
        let outline = interned::fresh(&self.hidden, read)?;
        outline.opened.is_as_it_was(paths).then_some(outline)
    }

    pub fn keep_outline(&self, outline: &Outline) {
        let written = interned::fresh(&self.hidden, || postcard::to_stdvec(outline).ok());
        if let Some(bytes) = written {
            self.cache.store(&self.key, &bytes);
        }
    }

    /// What was made of the program with these options.
    pub fn load(&self, outline: &Outline, options: &str) -> Option<Vec<u8>> {
        self.cache.load(&self.key_of(outline, options))
    }

    pub fn store(&self, outline: &Outline, options: &str, bytes: &[u8]) {
        self.cache.store(&self.key_of(outline, options), bytes);
    }

    /// Removes what was not used for the longest time, if there is too much.
    pub fn tidy(&self) {
        self.cache.tidy();
    }

    fn key_of(&self, outline: &Outline, options: &str) -> Key {
        let mut sum = Sha256::new();
        sum.update(self.key);
        sum.update(outline.opened.digest());
        match &*self.hidden {
            "" => sum.update(options),
            hidden => sum.update(options.replace(hidden, "")),
        }
        sum.finalize().into()
    }
}
