//! Several traces side by side, schema `loopsheet/rank/1`.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::Figure;
use crate::formula::Catalogue;
use crate::metrics::rank::{Rank, RankFigure, RankedTrace};

/// Of the reports of `loopsheet rank`.
pub const SCHEMA: &str = "loopsheet/rank/1";

/// The traces, the most sensitive to latency first, and what they were counted with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RankReport {
    pub schema: String,
    /// Instructions of the reorder window.
    pub window: u32,
    /// m of E_m and of λ.
    pub slots: u32,
    /// Cycles of a RAM access.
    pub latency: Figure,
    /// Nearest first.
    pub cache: Vec<String>,
    pub traces: Vec<RankedReport>,
    #[serde(default)]
    pub notes: Vec<String>,
}

/// One trace: every figure of the table under its name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RankedReport {
    pub path: String,
    pub rank: usize,
    #[serde(flatten)]
    pub figures: IndexMap<String, Figure>,
    #[serde(default)]
    pub notes: Vec<String>,
}

impl RankReport {
    pub fn of(rank: &Rank) -> RankReport {
        let Rank {
            inputs,
            window,
            slots,
            caches,
            traces,
            notes,
        } = rank;
        let trace = |(number, trace): (usize, &RankedTrace)| RankedReport {
            path: trace.path.clone(),
            rank: number,
            figures: figures(trace),
            notes: trace.notes.clone(),
        };
        RankReport {
            schema: SCHEMA.to_string(),
            window: *window,
            slots: *slots,
            latency: Figure::from(inputs.latency),
            cache: caches.clone(),
            traces: (1..).zip(traces).map(trace).collect(),
            notes: notes.clone(),
        }
    }
}

fn figures(trace: &RankedTrace) -> IndexMap<String, Figure> {
    let figure = |figure: &RankFigure| {
        let name = figure.entry().name.to_string();
        (name, Figure::from(trace.get(*figure)))
    };
    RankFigure::ALL.iter().map(figure).collect()
}
