//! What is not certain of the counts of loops.

use std::fmt;

/// Why a count is not certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// Nothing but the loops of the machine code tells it.
    Unconfirmed,
    /// Something else tells another number.
    Contradicted { others: u64 },
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Doubt::Unconfirmed => f.write_str("only the loops of the machine code tell it"),
            Doubt::Contradicted { others } => write!(
                f,
                "the loops of the machine code and the statements of the loop do not agree: these tell {others}"
            ),
        }
    }
}

/// What is not certain of a loop's counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Doubts {
    pub executions: Option<Doubt>,
    pub rounds: Option<Doubt>,
}
