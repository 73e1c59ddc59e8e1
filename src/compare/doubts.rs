//! What is not certain of the counts of loops: that nothing confirms them, or what contradicts them.
//! `conservation`, `shortfall` and `counted_lines` set doubts; whatever follows from counts asks for them first.

use std::fmt;

/// Why a count is not certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// Nothing but the loops of the machine code shows it.
    Unconfirmed,
    /// Something else shows another number.
    Contradicted { others: u64 },
    /// By its bounds it goes round more often, with sizes that other loops show.
    FewerThanBounds { bounds: u64 },
    /// By its bounds, which the source fixes, it goes round so often.
    OtherThanBounds { bounds: u64 },
    /// By the calls in the source it is executed more often.
    FewerThanCalls { calls: u64 },
    /// A mask may have left out so many operations.
    Masked { operations: u64 },
    /// So many vector instructions were executed whose operations the trace does not show: they depend on their lengths.
    VectorLengths { instructions: u64 },
}

impl Doubt {
    /// Whether there is no number at all, and not one that may be wrong.
    pub fn leaves_none(self) -> bool {
        matches!(self, Doubt::VectorLengths { .. })
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Doubt::Unconfirmed => f.write_str("only the loops of the machine code show it"),
            Doubt::Contradicted { others } => write!(
                f,
                "the loops of the machine code and the statements of the loop do not agree: the statements show {others}"
            ),
            Doubt::FewerThanBounds { bounds } => write!(
                f,
                "by its bounds it iterates {bounds} times; the compiler may have removed iterations that do nothing"
            ),
            Doubt::OtherThanBounds { bounds } => write!(
                f,
                "by its bounds, fixed in the source, it iterates {bounds} times; the compiler may have interchanged loops or merged their iterations"
            ),
            Doubt::FewerThanCalls { calls } => write!(
                f,
                "by the calls in the source it is executed {calls} times; the compiler may have evaluated executions with known operands"
            ),
            Doubt::Masked { operations } => write!(
                f,
                "at most so many: {operations} of the operations are on elements that a mask may have left out"
            ),
            Doubt::VectorLengths { instructions } => write!(
                f,
                "{instructions} vector instructions were executed whose lengths are not shown by the trace"
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
