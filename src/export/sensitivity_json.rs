//! JSON of the times over a range of single inputs.

use serde_json::{Value, json};

use super::json::number;
use crate::expr::FigureId;
use crate::model::{Model, Sweep};

/// One object a swept input: what it is called, its values, and the seconds of the nests with the most work for each.
pub(super) fn sweeps(model: &Model) -> Value {
    let numbers = |ids: &[FigureId]| {
        ids.iter()
            .map(|id| number(model.value(*id)))
            .collect::<Vec<Value>>()
    };
    let nest = |(index, seconds): &(usize, Vec<FigureId>)| {
        let nest = &model.nests[*index].nest;
        let function = &model.program.functions[nest.function].name;
        json!({ "id": nest.head().id, "function": function, "seconds": numbers(seconds) })
    };
    let sweep = |sweep: &Sweep| {
        json!({
            "input": sweep.symbol.name(),
            "label": sweep.label,
            // Machine parameters without which it changes nothing.
            "needs": sweep.needs,
            "values": numbers(&sweep.values),
            "nests": sweep.nests.iter().map(nest).collect::<Vec<Value>>(),
            "seconds": numbers(&sweep.totals),
        })
    };
    model.sensitivity.iter().map(sweep).collect()
}
