//! What is reported about the procedures of a file.

use rustc_hash::FxHashSet;

use crate::diagnostic::{Diagnostic, DiagnosticCode, Place, Severity};

/// Diagnostics, each once a file.
#[derive(Debug, Default)]
pub struct Remarks {
    diagnostics: Vec<Diagnostic>,
    /// Code and subject of each.
    known: FxHashSet<String>,
}

impl Remarks {
    /// Adds a remark unless one of that code was made about the same.
    pub fn add(
        &mut self,
        severity: Severity,
        code: DiagnosticCode,
        what: &str,
        place: &Place,
        message: String,
        help: Option<&str>,
    ) {
        if self.known.insert(format!("{code} {what}")) {
            self.diagnostics.push(Diagnostic {
                severity,
                code,
                place: place.clone(),
                width: 1,
                message,
                help: help.map(str::to_string),
            });
        }
    }

    pub fn finish(self) -> Vec<Diagnostic> {
        self.diagnostics
    }
}
