//! Heat maps of the page: times over a range of one input, live, and epochs of a run over windows and capacities.

use serde_json::{Value, json};

use super::Study;
use super::figures::Figures;
use crate::expr::FigureId;
use crate::metrics::report::Epochs;
use crate::model::{Model, Sweep};
use crate::quantity::binary_size;

/// The sections with maps. A cell is the position of a figure, or `[number]`.
pub(super) fn build(model: &Model, study: Option<Study>, figures: &mut Figures) -> Value {
    let sweeps: Vec<Value> = model
        .sensitivity
        .iter()
        .filter_map(|sweep| sensitivity(model, sweep, figures))
        .collect();
    let mut sections = Vec::new();
    if !sweeps.is_empty() {
        sections.push(json!({
            "id": "sensitivity",
            "title": "Sensitivity",
            "remark": "Times of the nests with the most work for a range of one input at a time, all others as in force. The deeper \
                       the colour of a row, the longer; the shortest time of a row is framed.",
            "maps": sweeps,
        }));
    }
    if let Some(epochs) = study.and_then(|study| study.run.epochs.as_ref()) {
        sections.push(json!({
            "id": "epochs",
            "title": "Epochs",
            "remark": "Misses of the run that have to wait for each other, per 1,000 instructions, by the reorder window and the capacity \
                       of a fully associative cache. The deeper the colour, the more.",
            "maps": self::epochs(epochs),
        }));
    }
    json!(sections)
}

/// Times over a range of an input; the nests that do not follow inputs are left out.
fn sensitivity(model: &Model, sweep: &Sweep, figures: &mut Figures) -> Option<Value> {
    let live: Vec<&(usize, Vec<FigureId>)> = sweep
        .nests
        .iter()
        .filter(|(nest, _)| figures.live()[*nest])
        .collect();
    let is_whole = live.len() == sweep.nests.len();
    let mut row = |name: &str, ids: &[FigureId]| json!({ "name": name, "cells": ids.iter().map(|id| figures.position(*id)).collect::<Vec<u32>>() });
    let mut rows: Vec<Value> = live
        .iter()
        .map(|(nest, seconds)| row(&model.nests[*nest].nest.head().id, seconds))
        .collect();
    if is_whole && rows.len() > 1 {
        rows.push(row("together", &sweep.totals));
    }
    let across: Vec<u32> = sweep
        .values
        .iter()
        .map(|id| figures.position(*id))
        .collect();
    (!rows.is_empty()).then(|| {
        json!({
            "title": sweep.label, "down": "Nest", "across": across, "rows": rows, "each": true,
            "needs": sweep.needs, "unit": "s", "look": "seconds",
        })
    })
}

/// One map for any number of misses at once, and one for each number that was asked for; the largest capacity on top.
fn epochs(epochs: &Epochs) -> Vec<Value> {
    let windows: Vec<String> = epochs.windows.iter().map(u32::to_string).collect();
    let map = |title: String, table: &[Vec<u64>]| {
        let rates = epochs.per_thousand(table);
        let rows = epochs
            .capacities
            .iter()
            .zip(rates)
            .rev()
            .map(|(capacity, rates)| {
                let cells: Vec<[f64; 1]> = rates.into_iter().map(|rate| [rate]).collect();
                json!({ "name": binary_size(*capacity), "cells": cells })
            });
        json!({
            "title": title, "down": "Capacity", "across": windows, "rows": rows.collect::<Vec<Value>>(), "each": false,
            "needs": [], "unit": "", "look": "ratio",
        })
    };
    let any = map(
        "Window in instructions, any number of misses at once".to_string(),
        &epochs.epochs,
    );
    let limited = epochs.slots.iter().map(|(slots, table)| {
        map(
            format!("Window in instructions, at most {slots} misses start in one epoch"),
            table,
        )
    });
    std::iter::once(any).chain(limited).collect()
}
