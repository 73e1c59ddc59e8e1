//! What decides that a procedure ends the program (`finishing`).

/// What decides that a procedure ends the program, where it is done, and where something is wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finishes {
    pub regular: Option<Finish>,
    pub failing: Option<Finish>,
}

/// What decides that a procedure ends the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finish {
    /// The positions of the arguments that have a part in it.
    pub arguments: Vec<usize>,
    /// Whether its own loops or counters have.
    pub is_own: bool,
    /// Whether data have.
    pub is_of_data: bool,
}
