//! Files as the parsers see them: text in free form and preprocessed, with a map back to the lines
//! that a person wrote.

// The layers below, by their names.
use loopsheet_base::diagnostic;

pub mod fixed_form;
pub mod flags;
pub mod form;
pub mod include;
pub mod line_markers;
pub mod optimisation;
pub mod parallel;
pub mod preprocess;
pub mod spelling;

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::diagnostic::{Diagnostic, Place};
use flags::Kinds;

/// The languages that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    C,
    Fortran,
}

impl Language {
    pub const ALL: [Language; 2] = [Language::C, Language::Fortran];

    /// As people write it.
    pub fn title(self) -> &'static str {
        match self {
            Language::C => "C",
            Language::Fortran => "Fortran",
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Language::C => "c",
            Language::Fortran => "fortran",
        }
    }

    /// Whether names that differ by case only are different.
    pub fn has_case(self) -> bool {
        self == Language::C
    }

    /// The index of the first element of an array that is declared without one.
    pub fn first_index(self) -> f64 {
        match self {
            Language::C => 0.0,
            Language::Fortran => 1.0,
        }
    }

    pub fn parse(text: &str) -> Option<Language> {
        Language::ALL
            .into_iter()
            .find(|known| known.as_str() == text)
    }
}

/// How the lines of a file are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    Free,
    Fixed,
}

impl Form {
    pub const ALL: [Form; 2] = [Form::Free, Form::Fixed];

    pub fn as_str(self) -> &'static str {
        match self {
            Form::Free => "free",
            Form::Fixed => "fixed",
        }
    }

    pub fn parse(text: &str) -> Option<Form> {
        Form::ALL.into_iter().find(|known| known.as_str() == text)
    }
}

/// How macros and conditional compilation were dealt with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Preprocessing {
    /// The file went to the parser as it stands.
    #[serde(rename = "no")]
    None,
    /// Our own preprocessor expanded it.
    Builtin,
    /// An external command such as `cc -E` expanded it.
    External,
}

impl Preprocessing {
    /// Whether and by whom, for people.
    pub fn in_words(self) -> &'static str {
        match self {
            Preprocessing::None => "no",
            Preprocessing::Builtin => "by loopsheet",
            Preprocessing::External => "by a compiler",
        }
    }

    pub const ALL: [Preprocessing; 3] = [
        Preprocessing::None,
        Preprocessing::Builtin,
        Preprocessing::External,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Preprocessing::None => "none",
            Preprocessing::Builtin => "builtin",
            Preprocessing::External => "external",
        }
    }

    pub fn parse(text: &str) -> Option<Preprocessing> {
        Preprocessing::ALL
            .into_iter()
            .find(|known| known.as_str() == text)
    }
}

/// Where one line of a `SourceText` came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineOrigin {
    pub file: Arc<str>,
    /// Counted from one.
    pub line: u32,
}

/// A compile-time constant that the preprocessor saw and left in the text under its own name, so
/// that it stays a parameter a person can change: `#define N 128`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MacroConstant {
    pub name: String,
    /// Replacement text, a constant expression in the language of the file.
    pub text: String,
    pub place: Place,
}

/// Text for a parser, and for each of its lines the line of the file that it came from.
#[derive(Clone, Debug)]
pub struct SourceText {
    pub text: String,
    /// One entry a line of `text`, in order.
    pub origins: Vec<LineOrigin>,
    pub preprocessing: Preprocessing,
    pub macros: Vec<MacroConstant>,
    /// Sizes of Fortran's types without a kind, which flags of the compiler choose.
    pub kinds: Kinds,
    pub diagnostics: Vec<Diagnostic>,
}

impl SourceText {
    /// The text as it stands, every line its own origin.
    pub fn verbatim(file: &Arc<str>, text: String) -> SourceText {
        let lines = text.split('\n').count() as u32;
        let origins = (1..=lines)
            .map(|line| LineOrigin {
                file: file.clone(),
                line,
            })
            .collect();
        SourceText {
            text,
            origins,
            preprocessing: Preprocessing::None,
            macros: Vec::new(),
            kinds: Kinds::default(),
            diagnostics: Vec::new(),
        }
    }

    /// The origin of a zero-based row and column of `text`. A row past the end gives the last line.
    pub fn place(&self, row: usize, column: usize) -> Place {
        let origin = &self.origins[row.min(self.origins.len() - 1)];
        Place {
            file: origin.file.clone(),
            line: origin.line,
            column: column as u32 + 1,
        }
    }
}

/// How the source layer gets at other files (`include`, `#include`). Only `commands/` implements it
/// over the file system.
pub trait ReadFile: Sync {
    /// The text of the file that `from` names as `name`, looked for beside `from` and then along the
    /// include path; with the path under which reports should name it. `None` if there is none.
    fn read_included(&self, from: &str, name: &str) -> Option<(Arc<str>, String)>;

    /// The file from which configuring or building the program makes the one that `from` names as `name`; `None` if there
    /// is none.
    fn template(&self, _from: &str, _name: &str) -> Option<Arc<str>> {
        None
    }

    /// What else than the names decides which file is read: where files are looked for.
    fn search(&self) -> String {
        String::new()
    }

    /// Notes that `from` names the file of this path as `name`, as it did when that was read for another source.
    fn included_again(&self, _from: &str, _name: &str, _path: &Arc<str>) {}
}

/// Whether a file is read by itself, by its extension: no header is.
pub fn is_source(path: &Path) -> bool {
    let is_header = path.extension().is_some_and(|extension| extension == "h");
    !is_header && classify(path).is_some()
}

/// Language, form and need of preprocessing by file extension; `None` for a file that is not read.
pub fn classify(path: &Path) -> Option<(Language, Form, bool)> {
    let extension = path.extension()?.to_str()?;
    let preprocessed = extension.starts_with('F');
    match extension {
        "c" | "h" => Some((Language::C, Form::Free, true)),
        "f" | "for" | "ftn" | "f77" | "F" | "FOR" | "FTN" | "F77" => {
            Some((Language::Fortran, Form::Fixed, preprocessed))
        }
        "f90" | "f95" | "f03" | "f08" | "F90" | "F95" | "F03" | "F08" => {
            Some((Language::Fortran, Form::Free, preprocessed))
        }
        _ => None,
    }
}
