//! Arrays of a program, by what owns them.

use std::sync::Arc;

/// An array of the program: one name in what owns it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Object {
    pub name: String,
    pub owner: Owner,
}

/// What an array belongs to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Owner {
    /// All files share it.
    Program,
    /// Only this file knows it.
    File(Arc<str>),
    /// A module, or a procedure with procedures in it.
    Scope { name: String, file: Arc<str> },
    /// A common block.
    Common(String),
    /// All structures of a type.
    Structure(String),
    /// A procedure has it for itself, or nobody is known to pass it anything.
    Procedure { name: String, file: Arc<str> },
}
