//! The C preprocessor, built in: works without a compiler and keeps the text readable.
//!
//! It differs from a compiler's in what it leaves in the text:
//!
//! - A macro that is a numeric constant (`#define N 128`) keeps its name, because it is a parameter
//!   that a person may change, and is listed in [`SourceText::macros`] when the text uses it. It is
//!   expanded where only its value will do: in `#if`, for `#` and `##`, after a redefinition, or
//!   where its replacement would regroup with its surroundings.
//! - Local files are included, system headers only if the include path leads to them.
//! - What a C parser stumbles over is made readable: see `tidy`.
//!
//! Fortran is preprocessed as traditional preprocessors do: `//` and apostrophes are Fortran's, `#`
//! must be in column one, and lines that are removed vanish, since they may stand inside a continued
//! statement.
//!
//! A second pass is made only if a constant that was left in the text turned out not to be one there:
//! it has two values, its name is a variable's, or its replacement regroups.

mod apart;
mod beginning;
mod case_clash;
mod conditions;
mod constant;
mod directives;
mod expand;
mod include;
mod macros;
mod output;
mod print;
mod reader;
mod shared;
mod substitute;
#[cfg(test)]
mod tests;
mod text;
mod tidy;
mod token;

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

pub use self::apart::{Apart, HeaderText, Placed};
use self::directives::Condition;
use self::macros::{Macro, MacroTable, Meaning};
use self::output::Output;
use self::reader::{Origins, Reader};
pub use self::shared::SharedHeaders;
use self::shared::Sharing;
use self::token::{Pool, Token};
use super::{Language, MacroConstant, Preprocessing, ReadFile, SourceText};
use crate::diagnostic::{Diagnostic, DiagnosticCode, Place, Severity};

/// Tokens that expansion may make for one file.
const MAX_TOKENS: u64 = 10_000_000;
/// Bytes that preprocessing may add to one file.
const MAX_GROWTH: usize = 64 << 20;
/// Passes over a file whose constants vary.
const MAX_PASSES: usize = 4;

/// How a file is preprocessed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// `-D name` and `-D name=value`; a name alone is worth one.
    pub defines: Vec<(String, Option<String>)>,
    pub language: Language,
}

/// Carries out the directives of `source` and expands its macros.
///
/// Every line of the result knows its origin; the lines of an included file are inlined with theirs.
/// The expansion of an invocation stands on the line where that begins. Nothing in the input is an
/// error that stops it: what is malformed is copied as it stands and reported. The work is bounded
/// (10 million tokens, 64 MiB of growth); beyond that macros are left unexpanded, with an error.
pub fn preprocess(source: SourceText, options: &Options, files: &dyn ReadFile) -> SourceText {
    preprocess_apart(source, options, files, &SharedHeaders::default()).joined()
}

/// The same; the text of headers that other files begin with too is made once and stays apart.
pub fn preprocess_apart(
    source: SourceText,
    options: &Options,
    files: &dyn ReadFile,
    shared: &SharedHeaders,
) -> Apart {
    if is_plain(&source.text, options) {
        return tidied(
            SourceText {
                preprocessing: Preprocessing::Builtin,
                ..source
            },
            options.language,
        )
        .into();
    }
    let mut varying = BTreeSet::new();
    let mut passes = 0;
    loop {
        let sharing = Sharing::new(
            shared,
            (options.language, &options.defines),
            &files.search(),
            &varying,
        );
        let mut pass = Preprocessor::new(&source, options, files, varying.clone(), sharing);
        pass.run_main(&source, options);
        pass.find_case_clashes();
        passes += 1;
        if passes == MAX_PASSES || pass.varying.len() == varying.len() {
            return pass.finish(source);
        }
        varying = pass.varying;
    }
}

/// Whether there is nothing to carry out or expand.
fn is_plain(text: &str, options: &Options) -> bool {
    let comments = options.language == Language::Fortran && text.contains("/*");
    options.defines.is_empty()
        && !text.contains('#')
        && !text.contains("__")
        && !text.contains("_Pragma")
        && !comments
}

/// Makes readable what a C parser stumbles over.
pub fn tidy(source: &mut SourceText) {
    tidy::tidy(source);
}

fn tidied(mut text: SourceText, language: Language) -> SourceText {
    if language == Language::C {
        tidy::tidy(&mut text);
    }
    text
}

/// The state of one pass over a file.
struct Preprocessor<'a> {
    language: Language,
    files: &'a dyn ReadFile,
    macros: MacroTable,
    pool: Pool,
    /// The pool must not be cut below this: a definition was made during an expansion.
    pool_floor: usize,
    out: Output,
    conditions: Vec<Condition>,
    /// How many of the open conditions belong to the including files.
    base_conditions: usize,
    /// Files that are not to be included again.
    once: HashSet<Arc<str>>,
    not_found: HashSet<String>,
    /// How many files deep the present one is included.
    depth: usize,
    included_files: usize,
    included_bytes: usize,
    /// Constants that have more than one value and are expanded like other macros.
    varying: BTreeSet<String>,
    tokens_left: u64,
    output_limit: usize,
    /// The limits were reached: nothing is expanded any more.
    exhausted: bool,
    /// Where the directive or invocation being dealt with stands, and how wide its name is.
    present: Place,
    present_width: u32,
    diagnostics: Vec<Diagnostic>,
    /// The file's beginning, as far as others may have it too.
    sharing: Option<Sharing<'a>>,
}

impl<'a> Preprocessor<'a> {
    fn new(
        source: &SourceText,
        options: &Options,
        files: &'a dyn ReadFile,
        varying: BTreeSet<String>,
        sharing: Sharing<'a>,
    ) -> Preprocessor<'a> {
        let mut out = Output::default();
        out.text.reserve(source.text.len());
        out.origins.reserve(source.origins.len());
        Preprocessor {
            language: options.language,
            files,
            macros: MacroTable::default(),
            pool: Pool::default(),
            pool_floor: 0,
            out,
            conditions: Vec::new(),
            base_conditions: 0,
            once: HashSet::new(),
            not_found: HashSet::new(),
            depth: 0,
            included_files: 0,
            included_bytes: 0,
            varying,
            tokens_left: MAX_TOKENS,
            output_limit: source.text.len() + MAX_GROWTH,
            exhausted: false,
            present: Place {
                file: "<command line>".into(),
                line: 1,
                column: 1,
            },
            present_width: 1,
            diagnostics: Vec::new(),
            sharing: Some(sharing),
        }
    }

    /// Defines what the command line says and what every compiler predefines, and reads the file.
    fn run_main(&mut self, source: &SourceText, options: &Options) {
        let place = self.present.clone();
        for (name, meaning) in [
            ("__LINE__", Meaning::Line),
            ("__FILE__", Meaning::File),
            ("_Pragma", Meaning::Pragma),
        ] {
            self.macros.define(name.to_string(), meaning, place.clone());
        }
        let standard: &[&str] = match self.language {
            Language::C => &[
                "__STDC__ (1)",
                "__STDC_HOSTED__ (1)",
                "__STDC_VERSION__ (201112L)",
            ],
            Language::Fortran => &["__STDC__ (1)"],
        };
        for definition in standard {
            self.define(definition);
        }
        for (name, value) in &options.defines {
            self.define(&format!("{name} {}", value.as_deref().unwrap_or("1")));
        }
        let mut reader = Reader::new(&source.text, self.language, Origins::Given(&source.origins));
        self.run(&mut reader);
        let origin = reader.origin(reader.output_line);
        self.out.origins.push(origin);
    }

    /// Reads one file to its end.
    fn run(&mut self, reader: &mut Reader) {
        while !reader.at_end() {
            if reader.directive_at(reader.position) {
                self.directive(reader);
            } else if self.is_active() {
                self.copy_text(reader);
            } else {
                self.remove_until(reader, reader.inactive_end());
            }
        }
        self.close_conditions(reader);
    }

    /// Takes the budget for some tokens; false, and an error once, if there is none left.
    fn spend(&mut self, tokens: u64) -> bool {
        if self.exhausted {
            return false;
        }
        if tokens <= self.tokens_left
            && self.pool.len() < MAX_GROWTH
            && self.out.text.len() + self.out.apart < self.output_limit
        {
            self.tokens_left -= tokens;
            return true;
        }
        self.exhausted = true;
        let message =
            "expanding macros makes too much text; from here on they are left as they are";
        self.report_here(
            Severity::Error,
            DiagnosticCode::MacroLimit,
            message,
            Some("use --cpp to run a compiler's preprocessor"),
        );
        false
    }

    fn report_here(
        &mut self,
        severity: Severity,
        code: DiagnosticCode,
        message: impl Into<String>,
        help: Option<&str>,
    ) {
        self.diagnostics.push(Diagnostic {
            severity,
            code,
            place: self.present.clone(),
            width: self.present_width.max(1),
            message: message.into(),
            help: help.map(str::to_string),
        });
    }

    /// The constants whose names are in the text, with their replacement, as defined in order.
    fn kept_constants(&self) -> impl Iterator<Item = (&Macro, &[Token])> {
        self.macros
            .history()
            .filter_map(|definition| match &definition.meaning {
                Meaning::Constant(body, _) if definition.used => {
                    Some((definition, body.as_slice()))
                }
                _ => None,
            })
    }

    /// In Fortran a constant that would be taken for a variable is expanded too.
    fn find_case_clashes(&mut self) {
        if self.language == Language::Fortran {
            let names: Vec<&str> = self
                .kept_constants()
                .map(|(definition, _)| definition.name.as_str())
                .collect();
            if !names.is_empty() {
                let clashes = case_clash::case_clashes(&self.out.text, &names);
                self.varying.extend(clashes);
            }
        }
    }

    /// The finished text, with the constants that it names.
    fn finish(self, source: SourceText) -> Apart {
        let constant = |(definition, body): (&Macro, &[Token])| MacroConstant {
            name: definition.name.clone(),
            text: self.pool.spelling(body),
            place: definition.place.clone(),
        };
        let mut macros = source.macros;
        macros.extend(self.kept_constants().map(constant));
        let mut diagnostics = source.diagnostics;
        diagnostics.extend(self.diagnostics);
        diagnostics.extend(self.sharing.into_iter().flat_map(|sharing| sharing.untidy));
        let Output {
            text,
            origins,
            headers,
            apart: _,
        } = self.out;
        let result = SourceText {
            text,
            origins,
            preprocessing: Preprocessing::Builtin,
            macros,
            kinds: source.kinds,
            diagnostics,
        };
        Apart {
            own: tidied(result, self.language),
            headers,
        }
    }
}
