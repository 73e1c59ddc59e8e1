//! What the rows of a comparison are about. Their text is made when they are shown; nothing reads it back.

use std::fmt;

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::formula::{Catalogue, Unit};
use crate::metrics::camat::formulas::LevelFigure;
use crate::metrics::formulas::EdagFigure;
use crate::metrics::profile::Accesses;

/// A quantity of a nest, with what it is of.
#[derive(Clone, Debug, PartialEq)]
pub enum Quantity {
    /// How often the nest was executed.
    Executions,
    /// Of the innermost loop, in all.
    Iterations,
    /// Mean rounds of a loop in one of the loop around it.
    TripCount(LoopName),
    Instructions,
    /// Mean elements of the nest's vector instructions.
    VectorLength,
    /// Floating-point operations in an iteration.
    Operations(Operation),
    /// Loads and stores in an iteration.
    Accesses(AccessCount),
    /// Accesses to one object in the whole run.
    Object(Direction, Object),
    /// Bytes moved behind a cache level of this size.
    Traffic {
        level: String,
        bytes: u64,
    },
    /// What has to stay in a cache for reuse.
    WorkingSet(Reused),
    Footprint,
    TimeEstimate,
    /// A figure of the eDAG of the nest's own instructions.
    Edag(EdagFigure),
    /// At this window, in instructions, and this capacity, in bytes.
    Epochs {
        window: u32,
        capacity: u64,
    },
    /// A figure of the nearest level of the nest's own accesses.
    Camat(LevelFigure),
}

/// A loop of the source. Loops on one line of a function have different ids.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopName {
    pub id: String,
    /// Empty for a loop without a loop variable.
    pub variable: String,
    pub line: u32,
    /// Whether no other loop of the nest has the same variable and line: then they are enough to name it.
    pub is_alone: bool,
}

/// A kind of floating-point operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Adds,
    Multiplies,
    Divides,
    Specials,
}

/// What is counted of accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessCount {
    Loads,
    Stores,
    LoadedBytes,
    StoredBytes,
}

/// From or to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Load,
    Store,
}

/// What accesses go to.
#[derive(Clone, Debug, PartialEq)]
pub enum Object {
    /// Arrays of the source: several where they lie in one range. `range` names that where it has none of their names.
    Arrays {
        names: Vec<String>,
        range: Option<String>,
    },
    /// A range of addresses that is none of the nest's arrays.
    Range { name: String, role: Role },
}

/// What a range is that is none of a nest's arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It has to do with none of them.
    Other,
    /// The structure that some of them are members of.
    Structure,
    /// The variable of an array that lies elsewhere.
    Variable,
    /// The pointer that says where an array lies.
    Pointer,
}

/// What a working set is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reused {
    Planes,
    Pencils,
}

impl Quantity {
    pub fn unit(&self) -> Unit {
        match self {
            Quantity::Operations(_) => Unit::Flops,
            Quantity::Accesses(count) if count.is_bytes() => Unit::Bytes,
            Quantity::Traffic { .. } | Quantity::WorkingSet(_) | Quantity::Footprint => Unit::Bytes,
            Quantity::TimeEstimate => Unit::Seconds,
            Quantity::Edag(figure) => figure.entry().unit,
            Quantity::Camat(figure) => figure.entry().unit,
            _ => Unit::Count,
        }
    }

    /// Its unit as in JSON and tables: one cycle, and nothing for what is a count, whatever is counted.
    pub fn unit_text(&self) -> &'static str {
        match self.unit() {
            Unit::Cycles => "cycle",
            Unit::Accesses | Unit::Instructions => "",
            unit => unit.symbol(),
        }
    }

    /// With its unit in brackets, if it has one.
    pub fn with_unit(&self) -> String {
        match self.unit_text() {
            "" => self.to_string(),
            unit => format!("{self} [{unit}]"),
        }
    }

    /// Whether it counts how often a nest or a loop was executed or went round.
    pub fn is_count_of_rounds(&self) -> bool {
        matches!(
            self,
            Quantity::Executions | Quantity::Iterations | Quantity::TripCount(_)
        )
    }
}

impl Operation {
    pub const ALL: [Operation; 4] = [
        Operation::Adds,
        Operation::Multiplies,
        Operation::Divides,
        Operation::Specials,
    ];

    fn as_str(self) -> &'static str {
        match self {
            Operation::Adds => "adds",
            Operation::Multiplies => "multiplies",
            Operation::Divides => "divides",
            Operation::Specials => "specials",
        }
    }
}

impl AccessCount {
    pub fn direction(self) -> Direction {
        match self {
            AccessCount::Loads | AccessCount::LoadedBytes => Direction::Load,
            AccessCount::Stores | AccessCount::StoredBytes => Direction::Store,
        }
    }

    /// The count of these accesses.
    pub fn of(self, accesses: &Accesses) -> f64 {
        (match self {
            AccessCount::Loads => accesses.loads,
            AccessCount::Stores => accesses.stores,
            AccessCount::LoadedBytes => accesses.loaded_bytes,
            AccessCount::StoredBytes => accesses.stored_bytes,
        }) as f64
    }

    pub fn is_load(self) -> bool {
        self.direction() == Direction::Load
    }

    pub fn is_bytes(self) -> bool {
        matches!(self, AccessCount::LoadedBytes | AccessCount::StoredBytes)
    }

    fn as_str(self) -> &'static str {
        match self {
            AccessCount::Loads => "loads",
            AccessCount::Stores => "stores",
            AccessCount::LoadedBytes => "bytes loaded",
            AccessCount::StoredBytes => "bytes stored",
        }
    }
}

impl Direction {
    pub const BOTH: [Direction; 2] = [Direction::Load, Direction::Store];

    /// Accesses in this direction.
    pub fn accesses(self) -> AccessCount {
        match self {
            Direction::Load => AccessCount::Loads,
            Direction::Store => AccessCount::Stores,
        }
    }

    /// Their bytes.
    pub fn bytes(self) -> AccessCount {
        match self {
            Direction::Load => AccessCount::LoadedBytes,
            Direction::Store => AccessCount::StoredBytes,
        }
    }
}

/// What a comparison calls a figure of an eDAG.
fn edag_name(figure: EdagFigure) -> &'static str {
    match figure {
        EdagFigure::MemoryWork => "memory work W",
        EdagFigure::MemoryDepth => "memory depth D",
        EdagFigure::Lambda => "sensitivity lambda",
        EdagFigure::Parallelism => "parallelism",
        EdagFigure::TimeLower => "time, lower bound",
        EdagFigure::TimeUpper => "time, upper bound",
        other => other.entry().meaning,
    }
}

/// What a comparison calls a figure of C-AMAT.
fn camat_name(figure: LevelFigure) -> &'static str {
    match figure {
        LevelFigure::Concurrency => "memory concurrency C",
        other => other.entry().printed(),
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Quantity::Executions => f.write_str("executions"),
            Quantity::Iterations => f.write_str("iterations"),
            Quantity::TripCount(name) => write!(f, "mean trip count of {name}"),
            Quantity::Instructions => f.write_str("instructions"),
            Quantity::VectorLength => f.write_str("elements per vector instruction"),
            Quantity::Operations(operation) => write!(f, "{} per iteration", operation.as_str()),
            Quantity::Accesses(count) => write!(f, "{} per iteration", count.as_str()),
            Quantity::Object(Direction::Load, object) => write!(f, "loads of {object}"),
            Quantity::Object(Direction::Store, object) => write!(f, "stores to {object}"),
            Quantity::Traffic { level, bytes } => write!(f, "bytes behind {level}, {bytes} B"),
            Quantity::WorkingSet(Reused::Planes) => f.write_str("working set, planes"),
            Quantity::WorkingSet(Reused::Pencils) => f.write_str("working set, pencils"),
            Quantity::Footprint => f.write_str("footprint"),
            Quantity::TimeEstimate => f.write_str("time estimate"),
            Quantity::Edag(figure) => f.write_str(edag_name(*figure)),
            Quantity::Epochs { window, capacity } => {
                write!(f, "epochs, window {window}, {capacity} B")
            }
            Quantity::Camat(figure) => f.write_str(camat_name(*figure)),
        }
    }
}

impl fmt::Display for LoopName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.variable.as_str() {
            "" => "the loop",
            variable => variable,
        };
        write!(f, "{name}, line {}", self.line)?;
        match self.is_alone {
            true => Ok(()),
            false => write!(f, " ({})", self.id),
        }
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Object::Arrays { names, range } => {
                f.write_str(&names.join(", "))?;
                match range {
                    Some(range) => write!(f, " ({range})"),
                    None => Ok(()),
                }
            }
            Object::Range { name, role } => {
                let what = match role {
                    Role::Other => "",
                    Role::Structure => ", the structure itself",
                    Role::Variable => ", the variable",
                    Role::Pointer => ", the pointer itself",
                };
                write!(f, "{name}{what}")
            }
        }
    }
}

/// As the keys `quantity` and `unit`.
impl Serialize for Quantity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut keys = serializer.serialize_struct("Quantity", 2)?;
        keys.serialize_field("quantity", &self.to_string())?;
        keys.serialize_field("unit", self.unit_text())?;
        keys.end()
    }
}

/// A number as sentences have it.
pub fn short(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}
