//! What a run does first with a variable.

use crate::diagnostic::Place;

/// What a run does first with a variable that has a value before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum First {
    /// Something asks for it; in most cases a branch, the one at that place if it is the same in all runs.
    Read {
        by: Option<Place>,
        /// Whether a statement that may run or not may have given it a value before.
        may_be_written: bool,
    },
    Written,
}
