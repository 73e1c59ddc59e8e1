//! Reading a header for all files that begin alike, or going on as if it had been read.

use std::path::Path;
use std::sync::Arc;

use super::super::{Language, LineOrigin, SourceText};
use super::apart::{HeaderText, Placed};
use super::shared::{Beginning, Key};
use super::token::skip_blank;
use super::{Preprocessor, tidy};

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

/// Whether a line comes from a source, which then is not read by itself: that is seen by its lines.
fn is_of_source(origin: &LineOrigin) -> bool {
    super::super::is_source(Path::new(&*origin.file))
}
