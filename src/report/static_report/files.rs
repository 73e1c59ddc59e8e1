//! Files that were read, with remarks about them.

use serde::{Deserialize, Serialize};

use crate::analysis::facts::File;
use crate::diagnostic::{Diagnostic, Severity};
use crate::source::{Form, Language, Preprocessing};

/// A file of the program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FileReport {
    pub path: String,
    pub language: Language,
    pub form: Form,
    pub lines: usize,
    pub preprocessed: Preprocessing,
    pub diagnostics: Vec<DiagnosticReport>,
}

impl FileReport {
    pub(super) fn of(file: &File) -> FileReport {
        FileReport {
            path: file.path.to_string(),
            language: file.language,
            form: file.form,
            lines: file.lines,
            preprocessed: file.preprocessing,
            diagnostics: file.diagnostics.iter().map(DiagnosticReport::of).collect(),
        }
    }
}

/// A remark about a place of the source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DiagnosticReport {
    pub severity: Severity,
    pub code: String,
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub message: String,
    pub help: Option<String>,
}

impl DiagnosticReport {
    fn of(diagnostic: &Diagnostic) -> DiagnosticReport {
        DiagnosticReport {
            severity: diagnostic.severity,
            code: diagnostic.code.to_string(),
            file: diagnostic.place.file.to_string(),
            line: diagnostic.place.line,
            column: diagnostic.place.column,
            message: diagnostic.message.clone(),
            help: diagnostic.help.clone(),
        }
    }
}
