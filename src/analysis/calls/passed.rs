//! What the calls of a program pass to the dummy arguments of a procedure.

use rustc_hash::FxHashMap;

use crate::ir::VarId;

/// What the calls of the program pass to a dummy argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passed {
    /// The same number everywhere.
    Number(i64),
    /// Numbers, not always the same.
    Numbers,
    /// Something else somewhere.
    Anything,
}

/// By procedure, the scalar integer arguments that some call passes something for.
pub type ByArgument = FxHashMap<VarId, Passed>;
