//! Sums over the program, and how much of it was understood.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::calls::CostsReport;
use crate::Figure;
use crate::analysis::coverage::Coverage;
use crate::expr::FigureId;
use crate::model::{KnownTotals, Model};
use crate::reason::ReasonCode;

/// All nests whose figures are known, each once.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TotalsReport {
    pub nests: usize,
    pub flops: Figure,
    pub weighted_flops: Figure,
    pub bytes: Figure,
    pub seconds: Figure,
    /// The nests that are not in the sums, as a figure of theirs is unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<String>,
    /// All of them as often as they are called; absent where nothing calls anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executed: Option<CostsReport>,
}

impl TotalsReport {
    pub(super) fn of(model: &Model) -> TotalsReport {
        let known = KnownTotals::of(&model.nests, &model.figures);
        let total = |all: FigureId, known_only: f64| match known.unknown.is_empty() {
            true => Figure::of(model, all),
            false => known_only.into(),
        };
        let totals = &model.totals;
        let calls = model.calls.as_ref();
        let id = |nest: &usize| model.nests[*nest].nest.head().id.clone();
        TotalsReport {
            nests: model.nests.len(),
            flops: total(totals.flops, known.flops),
            weighted_flops: total(totals.weighted_flops, known.weighted_flops),
            bytes: total(totals.traffic, known.traffic),
            seconds: total(totals.seconds, known.seconds),
            unknown: known.unknown.iter().map(id).collect(),
            executed: calls.map(|calls| {
                let known = KnownTotals::over_calls(&model.nests, &model.ranking, &model.figures);
                match known.filter(|known| !known.unknown.is_empty()) {
                    None => CostsReport::of(model, &calls.executed),
                    Some(known) => CostsReport::from(&known),
                }
            }),
        }
    }
}

/// Loops by how well they are understood.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CoverageReport {
    pub loops: usize,
    pub understood: usize,
    pub partial: usize,
    /// How many loops have a reason of each code.
    pub reasons: IndexMap<String, usize>,
    /// How many places outside loops have a reason of each code.
    pub outside: IndexMap<String, usize>,
    /// How many loops have an estimated trip count for each code.
    #[serde(default)]
    pub estimated: IndexMap<String, usize>,
}

impl CoverageReport {
    pub(super) fn of(model: &Model) -> CoverageReport {
        let Coverage {
            loops,
            understood,
            partial,
            reasons,
            estimated,
            outside,
        } = model.coverage();
        CoverageReport {
            loops,
            understood,
            partial,
            reasons: by_name(reasons),
            outside: by_name(outside),
            estimated: by_name(estimated),
        }
    }
}

fn by_name(counts: BTreeMap<ReasonCode, usize>) -> IndexMap<String, usize> {
    let counts = counts.into_iter();
    counts
        .map(|(code, count)| (code.to_string(), count))
        .collect()
}

/// What the code of a reason means.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReasonCodeReport {
    pub meaning: String,
    pub effect: String,
    /// What to do about it.
    pub help: String,
}

/// Of the codes that occur.
pub(super) fn reason_codes(model: &Model) -> IndexMap<String, ReasonCodeReport> {
    let entry = |code: ReasonCode| {
        let report = ReasonCodeReport {
            meaning: code.meaning().to_string(),
            effect: code.effect().meaning().to_string(),
            help: code.help().to_string(),
        };
        (code.to_string(), report)
    };
    model.reason_codes().into_iter().map(entry).collect()
}
