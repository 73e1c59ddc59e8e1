//! Sources that other sources include: they are read there, and not by themselves.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::compile_commands::Flags;
use super::files::name;
use super::prepare::Prepared;
use crate::diagnostic::{Diagnostic, DiagnosticCode, Severity};
use crate::source::{self, SourceText};

/// Leaves out what other sources include, unless it was named or a database says how it is compiled by itself.
pub fn left_out<'a>(prepared: Vec<Prepared<'a>>, flags: &[Flags]) -> Vec<Prepared<'a>> {
    let included = included(&prepared);
    let each = prepared.into_iter().zip(flags);
    each.map(|(prepared, flags)| {
        let by = included.get(&prepared.input.path);
        match by.filter(|_| !prepared.input.is_named && !flags.is_listed) {
            Some(by) => left_to(prepared, by),
            None => prepared,
        }
    })
    .collect()
}

/// Nothing of a source: another one includes it.
fn left_to<'a>(prepared: Prepared<'a>, by: &str) -> Prepared<'a> {
    let mut source = SourceText::verbatim(&prepared.input.name, String::new());
    source.diagnostics.push(Diagnostic {
        severity: Severity::Note,
        code: DiagnosticCode::IncludedSource,
        place: source.place(0, 0),
        width: 1,
        message: format!("read where {by} includes it, not on its own"),
        help: None,
    });
    Prepared { source, ..prepared }
}

/// The sources, headers apart, that other sources include, with one that does: by themselves they lack what is defined
/// before they are included.
fn included(prepared: &[Prepared]) -> BTreeMap<PathBuf, Arc<str>> {
    let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let mut found = BTreeMap::new();
    let mut files: BTreeMap<PathBuf, &Path> = BTreeMap::new();
    for file in prepared.iter().map(|prepared| &prepared.input.path) {
        files.insert(whole(file), file);
    }
    for Prepared { input, source, .. } in prepared {
        let mut last: Option<&Arc<str>> = None;
        for origin in &source.origins {
            if last.is_some_and(|last| Arc::ptr_eq(last, &origin.file)) {
                continue;
            }
            last = Some(&origin.file);
            let path = Path::new(&*origin.file);
            if origin.file == input.name || !source::is_source(path) {
                continue;
            }
            let file = files.get(&whole(path));
            let Some(file) = file.filter(|file| **file != input.path) else {
                continue;
            };
            // Of two that include each other, one is read.
            if found.get(&input.path) != Some(&name(file)) {
                let by = || input.name.clone();
                found.entry(file.to_path_buf()).or_insert_with(by);
            }
        }
    }
    found
}
