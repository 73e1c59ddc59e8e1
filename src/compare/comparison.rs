//! What a comparison comes to: by nest the rows of both sides, and what could not be joined.

use std::fmt;

use serde::{Serialize, Serializer};

use super::causes::{Reason, State};
use super::quantity::Quantity;
use crate::trace::RunEnd;

/// The whole comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// As the reports name them.
    pub machine: String,
    pub trace: String,
    /// How the run ended, if not in an orderly way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_end: Option<RunEnd>,
    /// Executed instructions.
    pub instructions: u64,
    /// Share of them that was joined to a loop of the static report, called code without lines included.
    pub joined_share: f64,
    /// Functions of the static report of which something was executed, by name.
    pub functions: Vec<FunctionShare>,
    /// In the order of the static report; only those of which something was executed.
    pub nests: Vec<NestComparison>,
    /// Nests of the static report of which nothing was executed.
    pub not_executed: Vec<String>,
    pub unjoined: Vec<Unjoined>,
    /// Parameters whose values do not fit the run, with the values that would.
    pub parameters: Vec<Suggestion>,
    pub notes: Vec<String>,
}

/// How much of a function was joined; what lies outside its loops is not.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FunctionShare {
    pub name: String,
    /// Executed instructions that belong to its lines, and of code without lines that its loops called.
    pub instructions: u64,
    /// Those of them that lie in its loops.
    pub joined: u64,
}

/// One nest of the source on both sides.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NestComparison {
    /// The loop that stands for it.
    pub id: String,
    pub function: String,
    pub file: String,
    pub line: u32,
    /// Executed instructions that belong to its lines, and of code without lines that was called from there.
    pub instructions: u64,
    pub rows: Vec<Row>,
}

/// One quantity.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    #[serde(flatten)]
    pub quantity: Quantity,
    /// `None` where it is not known, or the side has no such quantity.
    #[serde(rename = "static")]
    pub predicted: Option<f64>,
    pub traced: Option<f64>,
    /// Traced / static.
    pub ratio: Option<f64>,
    pub state: State,
    /// Of operations as written: how many of them repeat others of the same iteration, if any do. A compiler may do them
    /// once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeated: Option<f64>,
    /// Why they differ, from what was seen.
    pub reason: Option<String>,
    /// What the difference, traced less static, consists of; empty where a side has no number.
    pub reasons: Vec<Reason>,
    /// Why the traced side is not certain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unsure: Option<String>,
}

/// Instructions that belong to no loop of the static report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Unjoined {
    /// A function or file.
    pub what: String,
    pub instructions: u64,
    pub reason: Apart,
}

/// Why instructions belong to no loop of the static report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Apart {
    /// Several files have the name of theirs.
    Ambiguous,
    /// They have no line, and were not executed on behalf of a nest.
    NoLines,
    /// They are around loops.
    StraightLine,
    UnknownFile,
}

impl fmt::Display for Apart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Apart::Ambiguous => {
                "several files of the static report or of the program have this name"
            }
            Apart::NoLines => "no line information, and not called from a nest",
            Apart::StraightLine => "straight-line code, in no loop of the report",
            Apart::UnknownFile => "the static report does not have this file",
        })
    }
}

impl Serialize for Apart {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A parameter whose value does not fit the run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Suggestion {
    /// Its name for `--set`.
    pub parameter: String,
    /// In the static report.
    pub value: Option<f64>,
    /// What the run says.
    pub fits: f64,
    /// Loops or branches that say so.
    pub seen_in: Vec<String>,
    pub is_probability: bool,
    /// The loops did not go round equally often each time: what fits is a mean.
    pub is_mean: bool,
    /// It is the number of rounds of a loop whose source does not give any, for which a mean will do.
    #[serde(skip)]
    pub is_trip_count: bool,
    /// Only sums over several calls show it, which all fit if it is the same in each.
    #[serde(skip)]
    pub is_of_sums: bool,
}

impl Suggestion {
    /// As a sentence.
    pub fn in_words(&self) -> String {
        let value = self
            .value
            .map_or_else(|| "unknown".to_string(), |value| value.to_string());
        match self.is_mean {
            true => {
                format!(
                    "{} is {value} in the report; in the run it varied, {} on average",
                    self.parameter, self.fits
                )
            }
            false => format!(
                "{} is {value} in the report; {} would fit the run",
                self.parameter, self.fits
            ),
        }
    }
}
