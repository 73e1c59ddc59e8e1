//! Figures of a nest that only the run tells and that do not add up from lines: the eDAG of its instructions, steps
//! of its reuse curve, epochs, C-AMAT.

use serde_json::Value;

use super::Row;
use super::reports::{Region, TraceReport};

/// A step of the reuse curve has at least this share of the touches that are not the first of their line.
const STEP: f64 = 0.02;
/// Window at which epochs are shown, if it was asked for; else the nearest.
const WINDOW: f64 = 64.0;

/// Key, quantity and unit of what the eDAG of the nest's own instructions tells.
const EDAG: [(&str, &str, &str); 6] = [
    ("memory_work", "memory work W", ""),
    ("memory_depth", "memory depth D", ""),
    ("lambda", "sensitivity lambda", ""),
    ("parallelism", "parallelism", ""),
    ("time_lower", "time, lower bound", "cycle"),
    ("time_upper", "time, upper bound", "cycle"),
];

/// Whether a quantity is of the nest's own instructions alone, without those of functions that it calls.
pub fn is_of_own_instructions(quantity: &str) -> bool {
    EDAG.iter().any(|(_, name, _)| *name == quantity)
}

/// Rows without a static side.
pub fn rows(region: &Region, run: &TraceReport) -> Vec<Row> {
    const CAMAT: [(&str, &str, &str); 4] = [
        ("AMAT", "AMAT", "cycle"),
        ("CAMAT", "C-AMAT", "cycle"),
        ("C", "memory concurrency C", ""),
        ("APC", "APC", "1/cycle"),
    ];
    let mut rows = Vec::new();
    for (key, quantity, unit) in EDAG {
        rows.extend(
            region
                .metrics
                .get(key)
                .and_then(Value::as_f64)
                .map(|value| seen(quantity, unit, value)),
        );
    }
    if let Some(epochs) = region.metrics.get("epochs") {
        rows.extend(epochs_at(epochs, run));
    }
    let nearest = region
        .metrics
        .get("camat")
        .and_then(|camat| camat.get("levels")?.get(0));
    for (key, quantity, unit) in CAMAT {
        rows.extend(
            nearest
                .and_then(|level| level.get(key)?.as_f64())
                .map(|value| seen(quantity, unit, value)),
        );
    }
    rows
}

fn seen(quantity: &str, unit: &'static str, value: f64) -> Row {
    Row {
        quantity: quantity.to_string(),
        unit,
        promised: None,
        traced: Some(value),
        ratio: None,
        repeated: None,
        reason: None,
    }
}

/// Epochs at the window and the capacity that are nearest to a usual core and the nearest cache.
fn epochs_at(epochs: &Value, run: &TraceReport) -> Option<Row> {
    let list = |key: &str| -> Option<Vec<f64>> {
        epochs
            .get(key)?
            .as_array()?
            .iter()
            .map(Value::as_f64)
            .collect()
    };
    let (windows, capacities) = (list("windows")?, list("capacities")?);
    let wanted = run
        .cache
        .first()
        .map_or(32.0 * 1024.0, |cache| cache.size as f64);
    let nearest = |values: &[f64], wanted: f64| {
        let distance = |value: f64| (value / wanted).ln().abs();
        (0..values.len()).min_by(|a, b| distance(values[*a]).total_cmp(&distance(values[*b])))
    };
    let (window, capacity) = (nearest(&windows, WINDOW)?, nearest(&capacities, wanted)?);
    let value = epochs.get("epochs")?.get(capacity)?.get(window)?.as_f64()?;
    Some(seen(
        &format!(
            "epochs, window {}, {} B",
            windows[window], capacities[capacity]
        ),
        "",
        value,
    ))
}

/// Bytes at the step of the region's reuse curve that is nearest to a working set: a cache of that size holds what
/// the step's touches need. The mean of the step's distances; bins double, so it is known to within them.
pub fn step_near(region: &Region, working_set: f64) -> Option<f64> {
    let reuse = region.metrics.get("reuse")?;
    let line = reuse.get("line")?.as_f64()?;
    let bins: Vec<(f64, f64, f64)> = reuse
        .get("histogram")?
        .as_array()?
        .iter()
        .map(|bin| {
            Some((
                bin.get("lo")?.as_f64()?,
                bin.get("hi")?.as_f64()?,
                bin.get("count")?.as_f64()?,
            ))
        })
        .collect::<Option<_>>()?;
    let touches: f64 = bins.iter().map(|bin| bin.2).sum();
    let steps = bins
        .iter()
        .filter(|bin| bin.2 >= STEP * touches && bin.0 >= 1.0);
    // A cache holds a touch if it has more lines than the distance.
    let bytes = steps.map(|(low, high, _)| (low * high).sqrt() * line);
    bytes.min_by(|a, b| {
        (a / working_set)
            .ln()
            .abs()
            .total_cmp(&(b / working_set).ln().abs())
    })
}
