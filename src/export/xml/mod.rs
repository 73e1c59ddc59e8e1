//! A [`Program`](crate::analysis::facts::Program) as XML and back.
//!
//! We write the elements and attributes of the newer ExaSAT generation, so that programs made for it
//! can read ours. What its vocabulary cannot say stands beside it in a namespace of our own, and only
//! where the ExaSAT part would not be read back as it was: a file that somebody writes by hand or
//! changes needs no more than that vocabulary.
//!
//! Files of both ExaSAT generations are read too. What has no place in a `Program` is a remark among
//! the diagnostics of the XML file; nothing is dropped in silence.

mod datatype;
mod fields;
mod parse;
mod parts;
mod read;
mod recover;
mod remarks;
mod streams;
mod tree;
mod tuple;
mod write;

pub use read::read;
pub use write::{write, write_measured};

use crate::diagnostic::Place;
use crate::expr::ParseError;

/// The namespace of what ExaSAT's vocabulary cannot say; its prefix in our files is `ls`.
pub const NAMESPACE: &str = "urn:loopsheet:xml:1";

/// Why a text could not be read as a program; every variant says where.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum XmlError {
    /// Not well-formed XML.
    #[error("{place}: malformed XML: {what}; {help}")]
    Malformed {
        place: Place,
        what: String,
        help: &'static str,
    },
    /// Entities could stand for anything, and of any size; nothing that we read needs them.
    #[error(
        "{place}: a document type declaration is not read; delete it and write out the entities that it defines"
    )]
    DocumentType { place: Place },
    /// Elements nested more deeply than any code; the limit keeps the stack safe.
    #[error("{place}: elements are nested more than {limit} deep; split the function")]
    TooDeep { place: Place, limit: usize },
    /// XML, but no description of a program.
    #[error(
        "{place}: the outermost element is `{name}`; a description of loops starts with `<program>`"
    )]
    UnknownRoot { place: Place, name: String },
    /// An attribute without which an element says nothing.
    #[error("{place}: `<{element}>` has no attribute `{attribute}`; add {attribute}=\"…\"")]
    MissingAttribute {
        place: Place,
        element: String,
        attribute: String,
    },
    /// A number, word or tuple that is none of those that may stand there.
    #[error("{place}: {attribute}=\"{text}\" of `<{element}>` cannot be read; write {expected}")]
    BadValue {
        place: Place,
        element: String,
        attribute: String,
        text: String,
        expected: Box<str>,
    },
    /// An expression of ours that is not one.
    #[error(
        "{place}: {attribute} of `<{element}>`: {error}; names that are not identifiers go in backticks"
    )]
    BadExpression {
        place: Place,
        element: String,
        attribute: String,
        error: Box<ParseError>,
    },
    /// An `else` that follows no `if` of its line.
    #[error(
        "{place}: this `<else>` follows no `<if linenum=\"{line}\">` of the same block; put it after its `if`"
    )]
    ElseWithoutIf { place: Place, line: u32 },
}

impl XmlError {
    /// Where it is.
    pub fn place(&self) -> &Place {
        match self {
            XmlError::Malformed { place, .. }
            | XmlError::DocumentType { place }
            | XmlError::TooDeep { place, .. }
            | XmlError::UnknownRoot { place, .. }
            | XmlError::MissingAttribute { place, .. }
            | XmlError::BadValue { place, .. }
            | XmlError::BadExpression { place, .. }
            | XmlError::ElseWithoutIf { place, .. } => place,
        }
    }
}
