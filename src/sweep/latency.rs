//! Latencies of memory: of numbers, which every machine has, and of the machines themselves.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::ranges::plain;

/// What of `trace.latencies` asks for a latency. A machine's own may be the same as a number: then it is compared with both,
/// the other machines at that number and the other machines at theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LatencyOf {
    /// A number of cycles.
    Number,
    /// The word `machine`.
    Machine,
    Both,
}

impl LatencyOf {
    pub fn is_number(self) -> bool {
        self != LatencyOf::Machine
    }

    pub fn is_machine(self) -> bool {
        self != LatencyOf::Number
    }

    /// In column `latency_from`.
    pub fn name(self) -> &'static str {
        match self {
            LatencyOf::Number => "number",
            LatencyOf::Machine => "machine",
            LatencyOf::Both => "number, machine",
        }
    }
}

/// A latency of a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct RunLatency {
    pub cycles: f64,
    pub of: LatencyOf,
}

/// As it stands in the manifest: numbers, of which there may be many, without more.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Number(f64),
    Other { cycles: f64, of: LatencyOf },
}

impl From<Written> for RunLatency {
    fn from(written: Written) -> RunLatency {
        match written {
            Written::Number(cycles) => RunLatency::number(cycles),
            Written::Other { cycles, of } => RunLatency { cycles, of },
        }
    }
}

impl From<RunLatency> for Written {
    fn from(RunLatency { cycles, of }: RunLatency) -> Written {
        match of {
            LatencyOf::Number => Written::Number(cycles),
            of => Written::Other { cycles, of },
        }
    }
}

impl RunLatency {
    /// One of a number.
    pub fn number(cycles: f64) -> RunLatency {
        RunLatency {
            cycles,
            of: LatencyOf::Number,
        }
    }
}

/// A latency of memory that configurations have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Latency {
    /// Of every machine.
    Cycles(f64),
    /// Every machine has its own.
    OfMachine,
}

impl Latency {
    /// Those that a latency of a run is compared at.
    pub fn of(latency: RunLatency) -> impl Iterator<Item = Latency> {
        let number = latency.of.is_number();
        let number = number.then_some(Latency::Cycles(latency.cycles));
        let own = latency.of.is_machine().then_some(Latency::OfMachine);
        number.into_iter().chain(own)
    }

    /// In a few letters.
    pub fn short(self) -> String {
        match self {
            Latency::Cycles(cycles) => format!("α = {}", plain(cycles)),
            Latency::OfMachine => "α of each machine".to_string(),
        }
    }

    /// What it is the same by.
    pub(crate) fn key(self) -> u64 {
        match self {
            Latency::Cycles(cycles) => (cycles + 0.0).to_bits(),
            // No number of cycles.
            Latency::OfMachine => u64::MAX,
        }
    }
}

impl fmt::Display for Latency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Latency::Cycles(cycles) => write!(f, "a latency of {cycles} cycles"),
            Latency::OfMachine => f.write_str("the latency of each machine"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_numbers() {
        let both = RunLatency {
            cycles: 294.5,
            of: LatencyOf::Both,
        };
        let all = [RunLatency::number(50.0), both];
        let text = serde_json::to_string(&all).expect("JSON");
        assert_eq!(text, "[50.0,{\"cycles\":294.5,\"of\":\"both\"}]");
        let read: Vec<RunLatency> = serde_json::from_str(&text).expect("its own text");
        assert_eq!(read, all);
        let compared: Vec<Latency> = Latency::of(both).collect();
        assert_eq!(compared, [Latency::Cycles(294.5), Latency::OfMachine]);
    }
}
