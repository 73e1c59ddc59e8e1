//! Sums over the program, and how much of it was understood.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::calls::CostsReport;
use crate::analysis::coverage::{Coverage, coverage};
use crate::analysis::facts::Program;
use crate::model::Model;
use crate::report::Figure;

/// All nests, each once.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TotalsReport {
    pub nests: usize,
    pub flops: Figure,
    pub weighted_flops: Figure,
    pub bytes: Figure,
    pub seconds: Figure,
    /// All of them as often as they are called; absent where nothing calls anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executed: Option<CostsReport>,
}

impl TotalsReport {
    pub(super) fn of(model: &Model) -> TotalsReport {
        let totals = &model.totals;
        let calls = model.calls.as_ref();
        TotalsReport {
            nests: model.nests.len(),
            flops: Figure::of(model, totals.flops),
            weighted_flops: Figure::of(model, totals.weighted_flops),
            bytes: Figure::of(model, totals.traffic),
            seconds: Figure::of(model, totals.seconds),
            executed: calls.map(|calls| CostsReport::of(model, &calls.executed)),
        }
    }
}

/// Loops by how well they are understood.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CoverageReport {
    pub loops: usize,
    pub understood: usize,
    pub partial: usize,
    /// How many loops have a reason of each code.
    pub reasons: BTreeMap<String, usize>,
    /// How many places outside of loops have a reason of each code.
    pub outside: BTreeMap<String, usize>,
}

impl CoverageReport {
    pub(super) fn of(program: &Program) -> CoverageReport {
        let Coverage {
            loops,
            understood,
            partial,
            reasons,
            outside,
        } = coverage(program);
        CoverageReport {
            loops,
            understood,
            partial,
            reasons,
            outside,
        }
    }
}
