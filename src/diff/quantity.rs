//! What the rows of a difference are about.

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

use crate::units::{Bytes, Flops, Seconds, significant};

/// A quantity of a nest, or of all of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Quantity {
    /// How deep it is.
    Loops,
    /// Of the innermost loop, in all.
    Iterations,
    Flops,
    /// With divisions and special functions as often as they weigh.
    WeightedFlops,
    /// Bytes that a level of the memory hierarchy serves.
    Bytes(String),
    Seconds,
    /// How often the function of the nest is called in a run.
    Calls,
    /// The same of all calls from where a run begins.
    AllCalls(Cost),
    /// Executions, of all calls, that are shown to find all data in a level of the memory hierarchy or before it.
    Warm(String),
    IntegerRegisters,
    FloatingRegisters,
    SpilledRegisters,
    /// Elements that the innermost loop does at once.
    Lanes,
    Nests,
    /// Nests that the sums leave out.
    UnknownNests,
}

/// What a run spends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cost {
    Flops,
    Bytes,
    Seconds,
}

/// How the level is called that serves what no cache holds.
const MEMORY: &str = "DRAM";

impl Quantity {
    /// Bytes to and from memory.
    pub fn memory_bytes() -> Quantity {
        Quantity::Bytes(MEMORY.to_string())
    }

    /// Whether it is bytes to and from memory.
    pub fn is_memory_bytes(&self) -> bool {
        matches!(self, Quantity::Bytes(level) if level == MEMORY)
    }

    /// The key in JSON.
    pub fn key(&self) -> String {
        match self {
            Quantity::Loops => "loops".to_string(),
            Quantity::Iterations => "iterations".to_string(),
            Quantity::Flops => "flops".to_string(),
            Quantity::WeightedFlops => "weighted_flops".to_string(),
            Quantity::Bytes(level) => format!("{}_bytes", level.to_lowercase()),
            Quantity::Seconds => "seconds".to_string(),
            Quantity::Calls => "calls".to_string(),
            Quantity::AllCalls(Cost::Flops) => "all_calls_flops".to_string(),
            Quantity::AllCalls(Cost::Bytes) => "all_calls_bytes".to_string(),
            Quantity::AllCalls(Cost::Seconds) => "all_calls_seconds".to_string(),
            Quantity::Warm(level) => format!("{}_warm_executions", level.to_lowercase()),
            Quantity::IntegerRegisters => "integer_registers".to_string(),
            Quantity::FloatingRegisters => "floating_registers".to_string(),
            Quantity::SpilledRegisters => "spilled_registers".to_string(),
            Quantity::Lanes => "lanes".to_string(),
            Quantity::Nests => "nests".to_string(),
            Quantity::UnknownNests => "unknown_nests".to_string(),
        }
    }

    /// A value of it with its unit, as people read it.
    pub fn shown(&self, value: f64) -> String {
        match self {
            Quantity::Flops | Quantity::WeightedFlops | Quantity::AllCalls(Cost::Flops) => {
                Flops(value).to_string()
            }
            Quantity::Bytes(_) | Quantity::AllCalls(Cost::Bytes) => Bytes(value).to_string(),
            Quantity::Seconds | Quantity::AllCalls(Cost::Seconds) => Seconds(value).to_string(),
            _ if value.fract() == 0.0 && value.abs() < 1e15 => format!("{value:.0}"),
            _ => significant(value),
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Quantity::Loops => f.write_str("loops"),
            Quantity::Iterations => f.write_str("iterations"),
            Quantity::Flops => f.write_str("flops"),
            Quantity::WeightedFlops => f.write_str("weighted flops"),
            Quantity::Bytes(level) => write!(f, "{level} bytes"),
            Quantity::Seconds => f.write_str("time"),
            Quantity::Calls => f.write_str("calls"),
            Quantity::AllCalls(Cost::Flops) => f.write_str("flops of all calls"),
            Quantity::AllCalls(Cost::Bytes) => write!(f, "{MEMORY} bytes of all calls"),
            Quantity::AllCalls(Cost::Seconds) => f.write_str("time of all calls"),
            Quantity::Warm(level) => write!(f, "executions warm in {level}"),
            Quantity::IntegerRegisters => f.write_str("integer registers"),
            Quantity::FloatingRegisters => f.write_str("floating-point registers"),
            Quantity::SpilledRegisters => f.write_str("spilled registers"),
            Quantity::Lanes => f.write_str("elements at once"),
            Quantity::Nests => f.write_str("nests"),
            Quantity::UnknownNests => f.write_str("nests with unknown figures"),
        }
    }
}

/// As reports write it.
pub(crate) fn as_key<S: Serializer>(quantity: &Quantity, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&quantity.key())
}
