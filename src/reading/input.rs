//! A file to read.

use std::path::PathBuf;
use std::sync::Arc;

use crate::source::{Form, Language};

/// One file to read.
pub(super) struct Input {
    pub path: PathBuf,
    /// As reports name it.
    pub name: Arc<str>,
    pub kind: Kind,
    /// Whether it was named, not found in a directory.
    pub is_named: bool,
}

impl Input {
    pub fn is_in(&self, wanted: Language) -> bool {
        matches!(self.kind, Kind::Source { language, .. } if language == wanted)
    }
}

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Source {
        language: Language,
        form: Form,
        preprocessed: bool,
    },
    Model,
}
