//! Syntax trees to the language-neutral IR, one file a language, with what the languages
//! have in common beside them: jumps, folding, layouts.

pub mod blas;
pub mod c;
mod draft;
mod flow;
mod fold;
pub mod fortran;
mod intrinsic_types;
mod jumps;
mod layout;
