//! Arrays of a program, by what owns them.

use std::sync::Arc;

use strum::{EnumDiscriminants, EnumString, IntoStaticStr, VariantNames};

use crate::ir::Name;

/// An array of the program: one name in what owns it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Object {
    pub name: String,
    pub owner: Owner,
}

/// An array of the program that a name of a function stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedObject {
    pub name: Name,
    pub object: Object,
    /// Whether it stands for the whole of it all the time, as far as is known: not for a part that calls pass, and not for a
    /// pointer that is given other arrays.
    pub is_whole: bool,
    /// Whether compilers lay it out: an array of its own with constant extents. They let those begin where a vector may.
    pub is_laid_out: bool,
}

/// What an array belongs to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, EnumDiscriminants)]
#[strum_discriminants(
    name(OwnerKind),
    derive(EnumString, IntoStaticStr, VariantNames),
    strum(serialize_all = "snake_case"),
    doc = "What an array belongs to, by the word that reports have for it."
)]
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

impl Owner {
    /// Its own name, where the kind does not say all.
    pub fn name(&self) -> Option<&str> {
        match self {
            Owner::Scope { name, .. }
            | Owner::Common(name)
            | Owner::Structure(name)
            | Owner::Procedure { name, .. } => Some(name),
            Owner::Program | Owner::File(_) => None,
        }
    }

    /// The file that it is in, where others may have one of that name.
    pub fn file(&self) -> Option<&str> {
        match self {
            Owner::File(file) | Owner::Scope { file, .. } | Owner::Procedure { file, .. } => {
                Some(file)
            }
            Owner::Program | Owner::Common(_) | Owner::Structure(_) => None,
        }
    }

    pub fn kind(&self) -> OwnerKind {
        self.into()
    }
}
