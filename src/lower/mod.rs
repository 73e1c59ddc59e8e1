//! Syntax trees to the language-neutral IR, one file a language.

pub mod c;
pub mod fortran;
