//! Syntax trees to the language-neutral IR, one file a language.

pub mod blas;
pub mod c;
mod flow;
pub mod fortran;
mod jumps;
