//! What decides that a procedure ends the program (`finishing`).

/// What decides that a procedure ends the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finish {
    /// The positions of the arguments that have a part in it.
    pub arguments: Vec<usize>,
    /// Whether its own loops or counters have.
    pub is_own: bool,
}
