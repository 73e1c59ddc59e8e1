//! `#include`: which file is meant, whether it is read, and its text in place of the directive.

use std::sync::Arc;

use super::Preprocessor;
use super::expand::{Constants, Scan};
use super::reader::{Origins, Reader};
use super::shared::IncludedFile;
use crate::diagnostic::{DiagnosticCode, Severity};
use crate::include::made_of;

/// Files nested deeper than this are not included.
const MAX_DEPTH: usize = 200;
/// Files included beyond this many, or this many bytes, are not read.
const MAX_INCLUDED_FILES: usize = 20_000;
const MAX_INCLUDED_BYTES: usize = 64 << 20;

impl Preprocessor<'_> {
    /// The file named by an `#include`, if it can and should be read.
    pub(super) fn include(&mut self, keyword: &str, rest: &str) -> Option<(Arc<str>, String)> {
        let name = header_name(rest).or_else(|| {
            let tokens = self.pool.add_line(rest, self.language);
            let tokens = self.expand(Scan::new(tokens, None, Constants::Expand));
            let text: String = tokens.iter().map(|&token| self.pool.text(token)).collect();
            header_name(&text)
        });
        let Some((name, system)) = name else {
            let help = Some("expected \"FILE\" or <FILE>");
            self.report_here(
                Severity::Warning,
                DiagnosticCode::IncludeNotFound,
                "this `#include` names no file",
                help,
            );
            return None;
        };
        let limits = self.depth < MAX_DEPTH
            && self.included_files < MAX_INCLUDED_FILES
            && self.included_bytes < MAX_INCLUDED_BYTES;
        if !limits || self.exhausted {
            let message = format!("`{name}` is not included: files include each other too deeply");
            self.report_here(
                Severity::Warning,
                DiagnosticCode::IncludeDepth,
                message,
                None,
            );
            return None;
        }
        let Some((path, text)) = self.read_file(&name) else {
            if !system && self.not_found.insert(name.clone()) {
                let template = self.files.template(&self.present.file, &name);
                let message = format!("`{name}` was not found{}", made_of(template));
                self.report_here(
                    Severity::Warning,
                    DiagnosticCode::IncludeNotFound,
                    message,
                    Some("pass -I DIR"),
                );
            }
            return None;
        };
        if keyword == "import" {
            self.once.insert(path.clone());
        } else if self.once.contains(&path) {
            return None;
        }
        self.included_files += 1;
        self.included_bytes += text.len();
        Some((path, text))
    }

    /// Reads the file that the present one names.
    pub(super) fn read_file(&mut self, name: &str) -> Option<(Arc<str>, String)> {
        let from = &self.present.file;
        let found = self.files.read_included(from, name);
        let path = found.as_ref().map(|(path, _)| path);
        if let Some(sharing) = &mut self.sharing {
            match (self.depth, path) {
                (0, path) => sharing.looked_for(path.map(|path| &**path)),
                (_, Some(path)) => sharing.reads.push(IncludedFile {
                    from: from.clone(),
                    name: name.to_string(),
                    path: path.clone(),
                }),
                (_, None) => {}
            }
        }
        found
    }

    /// Preprocesses an included file in the place of its `#include`.
    pub(super) fn read_included_text(&mut self, path: Arc<str>, text: &str) {
        let base = std::mem::replace(&mut self.base_conditions, self.conditions.len());
        self.depth += 1;
        let mut reader = Reader::new(text, self.language, Origins::File(path));
        self.run(&mut reader);
        if !self.out.open_line().is_empty() {
            let line = reader.output_line;
            self.out.end_line(reader.origin(line));
        }
        self.depth -= 1;
        self.base_conditions = base;
    }
}

/// The name in `"name"` or `<name>`, with the brackets if it has them, and whether it has them.
fn header_name(text: &str) -> Option<(String, bool)> {
    let text = text.trim_start();
    if let Some(rest) = text.strip_prefix('"').or_else(|| text.strip_prefix('\'')) {
        let quote = text.chars().next()?;
        return Some((rest[..rest.find(quote)?].to_string(), false));
    }
    text.strip_prefix('<')?;
    Some((text[..=text.find('>')?].to_string(), true))
}
