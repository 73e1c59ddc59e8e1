//! What comes of a placement.

use serde::{Deserialize, Serialize};

use crate::metrics::report::Placed;

/// Cycles of the core with what `--place` says in slower memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PlacedReport {
    pub cycles: u64,
    pub in_ram_cycles: u64,
    /// By what share of the cycles with all in RAM it takes longer.
    pub loss: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<AgainstReport>,
}

/// The same of the placement that it is compared with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AgainstReport {
    pub cycles: u64,
    pub loss: f64,
}

impl PlacedReport {
    pub(super) fn of(placed: &Placed) -> PlacedReport {
        let against = |cycles| AgainstReport {
            cycles,
            loss: placed.loss(cycles),
        };
        PlacedReport {
            cycles: placed.cycles,
            in_ram_cycles: placed.in_ram,
            loss: placed.loss(placed.cycles),
            against: placed.against.map(against),
        }
    }
}
