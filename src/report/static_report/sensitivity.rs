//! Times over a range of single inputs.

use serde::{Deserialize, Serialize};

use crate::Figure;
use crate::expr::FigureId;
use crate::model::{Model, Sweep};

/// One input, its values, and the seconds of the nests with the most work for each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SweepReport {
    pub input: String,
    pub label: String,
    /// Machine parameters without which it changes nothing.
    pub needs: Vec<String>,
    pub values: Vec<Figure>,
    pub nests: Vec<SweptNestReport>,
    /// Of these nests together.
    pub seconds: Vec<Figure>,
}

/// Seconds of a nest for every value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SweptNestReport {
    pub id: String,
    pub function: String,
    pub seconds: Vec<Figure>,
}

pub(super) fn sweeps(model: &Model) -> Vec<SweepReport> {
    let figures =
        |ids: &[FigureId]| -> Vec<Figure> { ids.iter().map(|id| Figure::of(model, *id)).collect() };
    let nest = |(index, seconds): &(usize, Vec<FigureId>)| {
        let nest = &model.nests[*index].nest;
        SweptNestReport {
            id: nest.head().id.clone(),
            function: model.program.functions[nest.function].name.clone(),
            seconds: figures(seconds),
        }
    };
    let sweep = |sweep: &Sweep| SweepReport {
        input: sweep.symbol.name().to_string(),
        label: sweep.label.clone(),
        needs: sweep.needs.iter().map(ToString::to_string).collect(),
        values: figures(&sweep.values),
        nests: sweep.nests.iter().map(nest).collect(),
        seconds: figures(&sweep.totals),
    };
    model.sensitivity.iter().map(sweep).collect()
}
