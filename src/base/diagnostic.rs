//! Remarks about the input: where, how severe, what, and what to do about it.
//!
//! A diagnostic is a value. Parsing and lowering return it beside their result; only `commands/`
//! prints it and only `export/` writes it.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use strum::{Display, EnumMessage, EnumString, IntoStaticStr, VariantArray};

use crate::interned;

/// A position in a file as the user knows it: path as given, line and column counted from one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Place {
    #[serde(with = "interned")]
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

/// The severity of a diagnostic. Only `Error` changes the exit status.
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

/// What a remark about the input is about. Each comment is the meaning that people are shown, each message what they can
/// do.
#[derive(
    Clone,
    Copy,
    Debug,
    Display,
    EnumMessage,
    EnumString,
    Eq,
    Hash,
    IntoStaticStr,
    PartialEq,
    VariantArray,
    Serialize,
    Deserialize,
)]
#[strum(serialize_all = "kebab-case")]
pub enum DiagnosticCode {
    /// The condition of an `#if` cannot be evaluated and counts as false.
    #[strum(message = "Give the macros that it needs with -D or -I, or use --cpp with a compiler.")]
    BadCondition,
    /// A `#define` is not in a form that a preprocessor accepts.
    #[strum(
        message = "Check the text if a compiler refuses it, too; else use --cpp with a compiler."
    )]
    BadDefinition,
    /// Procedures of BLAS are called whose source is not among the inputs; their work is that of the reference implementation.
    #[strum(message = "Add the source of the library to have its own loops analysed.")]
    Blas,
    /// Two attributes of a model contradict each other, and one of them takes precedence.
    #[strum(message = "Correct or delete the one that is wrong.")]
    Contradiction,
    /// The command of --cpp failed on the file, so that the built-in preprocessor read it.
    #[strum(message = "Run the command on its own to see why, or leave --cpp out.")]
    CppFailed,
    /// The command of --cpp printed nothing for the file, so that the built-in preprocessor read it.
    #[strum(
        message = "Name a command that writes what it preprocesses to standard output, such as --cpp 'cc -E'."
    )]
    CppNoOutput,
    /// Two loops of a model have one id, so that the later one gets another.
    #[strum(message = "Delete the attribute `ls:id` of all loops but one.")]
    DuplicateId,
    /// Variables share storage: dependences follow that, footprints count each variable separately.
    #[strum(
        message = "No action is needed unless the footprints matter; then take away what is counted twice by hand."
    )]
    Equivalence,
    /// The preprocessor reached an `#error`, or reads the first of several groups because otherwise only an `#error` would be left.
    #[strum(message = "Define what it asks for with -D.")]
    ErrorDirective,
    /// A fixed-form file has code past column 72; its lines are read to their ends.
    #[strum(
        message = "No action is needed if a compiler reads it with long lines; else break the lines."
    )]
    FixedFormLongLines,
    /// A compiler flag changes sizes, offsets of members or columns in a way that is not known here.
    #[strum(
        message = "Figures are as without it: compare sizes of elements with the compiler's, or leave the flag out."
    )]
    FlagNotHeeded,
    /// A header holds Fortran declarations and is read where a source includes it.
    #[strum(message = "No action is needed: name the sources that include it.")]
    FortranHeader,
    /// A subscript of a model is not affine in the loop variables and is taken as a gather.
    #[strum(
        message = "Write loop variables times factors plus what stays the same in the nest, unless it is a gather."
    )]
    Gather,
    /// A file is included from within itself, and is left out there.
    #[strum(message = "Check the include path: another file of that name may be meant.")]
    IncludeCycle,
    /// Files include each other too deeply, and the innermost is left out.
    #[strum(message = "Check the include path, or use --cpp with a compiler.")]
    IncludeDepth,
    /// An included file is not on the include path; the only one of its name among the inputs is read.
    #[strum(message = "Give its directory with -I if another one is meant.")]
    IncludeGuessed,
    /// Too many files are included, or too deeply in each other, and one is left out.
    #[strum(message = "Check the include path, or use --cpp with a compiler.")]
    IncludeLimit,
    /// An included file was not found, so that what it declares is unknown.
    #[strum(message = "Give the directory that holds it with -I.")]
    IncludeNotFound,
    /// Other sources include the file, which is read there and not on its own.
    #[strum(message = "Name the file itself if it is also compiled on its own.")]
    IncludedSource,
    /// No size or option takes a value from a file that the program opens by name.
    #[strum(
        message = "Set what it says with --set or in loopsheet.toml; `loopsheet parameters` lists the program's inputs."
    )]
    InputNotTaken,
    /// A defect of loopsheet stopped the work on a file or procedure, whose loops are listed without figures.
    #[strum(
        message = "Leave the file out with --ignore, and report the message with the file if you may."
    )]
    InternalError,
    /// A macro is used with a different number of arguments than it takes, and is left as it is.
    #[strum(message = "Check which definition is in force; -D and -I choose it.")]
    MacroArguments,
    /// Expanding macros makes too much text; from there on they are left as they are.
    #[strum(message = "Use --cpp to run a compiler's preprocessor.")]
    MacroLimit,
    /// An array of a model has no accesses and is left out.
    #[strum(message = "Add an element `access` to it.")]
    NoAccess,
    /// An index of a model is relative to more loops than there are around it.
    #[strum(message = "Write isRelative=\"false\" for fixed subscripts.")]
    NoSuchLoop,
    /// An element or attribute of ExaSAT has no counterpart in the model and was not read.
    #[strum(message = "No action is needed unless the figures should depend on it.")]
    NotModelled,
    /// A file or directory was not read, so that nothing of it is in the figures.
    #[strum(message = "Check that it is readable text, or leave it out.")]
    NotRead,
    /// A main program lies among procedures that another one further up calls: as an example or a test of these it does not run.
    #[strum(message = "Analyse its directory by itself, if you mean its run.")]
    OtherProgram,
    /// A Fortran file has directives of a preprocessor and is preprocessed, though its extension does not ask for it.
    #[strum(
        message = "No action is needed; --cpp never, or -nocpp among its flags, reads it as it stands."
    )]
    Preprocessed,
    /// A part of a model does not follow the format, and is read as it is most likely meant.
    #[strum(message = "Correct the file, if it means something else.")]
    Repaired,
    /// What `--input` gave, and which of its names no variable of the program took a value from.
    #[strum(
        message = "Set what is missing with --set; `loopsheet parameters` lists the program's inputs."
    )]
    RunInput,
    /// A statement function is expanded where it is used.
    #[strum(message = "No action is needed.")]
    StatementFunction,
    /// The parser does not understand a region of the text; loops outside of it are analysed.
    #[strum(
        message = "Preprocess the file first or give the macros with -D; check the text if a compiler refuses it, too."
    )]
    SyntaxError,
    /// An `#if` and its `#endif` or `#else` do not match.
    #[strum(message = "Check the text, and the files that it includes.")]
    UnbalancedConditional,
    /// An `#if` stands in the text and was decided without a preprocessor.
    #[strum(message = "Let a preprocessor run (--cpp auto), or give -D options.")]
    UndecidedBranch,
    /// An attribute of a model is unknown and was not read.
    #[strum(message = "Check its spelling against loopsheet.xsd.")]
    UnknownAttribute,
    /// An element of a model is unknown where it stands and was not read.
    #[strum(message = "Check its spelling and its place against loopsheet.xsd.")]
    UnknownElement,
    /// The kind of a number is not known, so that its bytes are assumed.
    #[strum(message = "Name the file of the module that defines it as well.")]
    UnknownKind,
    /// What looks like a macro has no definition and is left out.
    #[strum(message = "Give its definition with -D or -I.")]
    UnknownMacro,
    /// A module is not among the files, so that what it declares is unknown.
    #[strum(message = "Name the file that defines it as well.")]
    UnknownModule,
    /// Text between the elements of a model was not read.
    #[strum(message = "Use attributes instead; a comment may hold text.")]
    UnknownText,
    /// A type is not declared in the file or in what it includes.
    #[strum(message = "Give the include path with -I, or a compile_commands.json with -p.")]
    UnknownType,
    /// A text of a model cannot be read as an expression; it becomes a parameter of that name.
    #[strum(
        message = "Give the parameter a value, or write the expression with + - * / ^ min max."
    )]
    UnreadExpression,
    /// A file ends in zero bytes, which were left out.
    #[strum(message = "No action is needed unless the file was cut off when it was written.")]
    ZeroBytes,
}

impl DiagnosticCode {
    /// The code as reports print it: `syntax-error`.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// What it means, in one sentence.
    pub fn meaning(self) -> &'static str {
        self.get_documentation().unwrap_or_default()
    }

    /// What a user can do about it.
    pub fn advice(self) -> &'static str {
        self.get_message().unwrap_or_default()
    }
}

/// One remark about the input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    pub severity: Severity,
    pub code: DiagnosticCode,
    pub place: Place,
    /// Width of the underlined region in characters, at least one; it never crosses a line end.
    pub width: u32,
    pub message: String,
    /// What to do about it, if anything can be done.
    pub help: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_meaning_and_advice_and_is_in_its_order() {
        for code in DiagnosticCode::VARIANTS {
            for text in [code.meaning(), code.advice()] {
                let is_sentence =
                    text.starts_with(|c: char| c.is_uppercase()) && text.ends_with('.');
                assert!(is_sentence && text.len() > 15, "{code}: {text}");
            }
            assert_eq!(code.as_str().parse(), Ok(*code));
        }
        assert!(DiagnosticCode::VARIANTS.is_sorted_by_key(|code| code.as_str()));
    }
}
