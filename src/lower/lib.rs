//! Syntax trees to the language-neutral IR, one file per language, with what the languages
//! have in common beside them: jumps, folding, layouts.

// The layers below, by their names.
use loopsheet_base::{attempt, diagnostic, interned, interned_as_they_are, reason};
use loopsheet_ir as ir;
use loopsheet_ir::{fold, stored};
use loopsheet_procedures::intrinsics;
use loopsheet_source as source;
use loopsheet_syntax as syntax;

pub mod blas;
pub mod c;
mod draft;
mod flow;
pub mod fortran;
mod intrinsic_types;
mod jumps;
mod layout;
mod lost;

pub use lost::unit as lost_unit;
