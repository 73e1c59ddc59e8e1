//! What the program has to say about its input: where, how grave, what, and what to do about it.
//!
//! A diagnostic is a value. Parsing and lowering return it beside their result; only `commands/`
//! prints it and only `export/` writes it.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A position in a file as the user knows it: path as given, line and column counted from one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    pub file: Arc<str>,
    pub line: u32,
    pub column: u32,
}

impl Place {
    /// The place of a byte of a file's text.
    pub fn at(file: &Arc<str>, text: &str, offset: usize) -> Place {
        let before = text.get(..offset).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Place {
            file: Arc::clone(file),
            line: before.matches('\n').count() as u32 + 1,
            column: before[line_start..].chars().count() as u32 + 1,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// How grave a diagnostic is. Only `Error` changes the exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; nothing is missing from the result.
    Note,
    /// Something was taken as unknown; the affected loops carry a reason code.
    Warning,
    /// A region could not be read at all.
    Error,
}

impl Severity {
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }

    pub fn parse(text: &str) -> Option<Severity> {
        [Severity::Note, Severity::Warning, Severity::Error]
            .into_iter()
            .find(|s| s.as_str() == text)
    }
}

/// One remark about the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub severity: Severity,
    /// A stable, machine-readable code such as `syntax-error`.
    pub code: Arc<str>,
    pub place: Place,
    /// Width of the underlined region in characters, at least one; it never crosses a line end.
    pub width: u32,
    pub message: String,
    /// What to do about it, if anything can be done.
    pub help: Option<String>,
}
