//! Measured times for the nests of a model: read, joined, and what belongs to no nest said.

use crate::reading::files;
use std::path::PathBuf;

use anyhow::Context;

use super::Voice;
use crate::compare::{StaticReport, Timing, measurements, timings};
use crate::model::{Detail, Measurements, Model};
use crate::quantity::Seconds;

/// So many rows that belong to no nest are named.
const MOST_NAMED: usize = 5;

/// The model with the times of these tables beside its estimates.
///
/// # Errors
/// A table cannot be read.
pub fn beside<'p>(model: Model<'p>, paths: &[PathBuf], voice: Voice) -> anyhow::Result<Model<'p>> {
    if paths.is_empty() {
        return Ok(model);
    }
    let mut tables: Vec<(String, Vec<Timing>)> = Vec::new();
    for (index, path) in paths.iter().enumerate() {
        anyhow::ensure!(
            !paths[..index].contains(path),
            "--measured {}: it is given twice, so its times would be added twice",
            path.display()
        );
        let what = || format!("--measured {}", path.display());
        let rows = timings::read(&files::read_text(path).with_context(what)?).with_context(what)?;
        tables.push((path.display().to_string(), rows));
    }
    let rows: Vec<(&str, Timing)> = tables
        .iter()
        .flat_map(|(name, rows)| rows.iter().map(|row| (name.as_str(), row.clone())))
        .collect();
    let report = match model.figures.detail() {
        Detail::Values => StaticReport::from_model(&model),
        _ => StaticReport::from_model(&model.for_numbers()),
    };
    let found = measurements(&model, &report, &rows);
    if !voice.quiet {
        remark(&found, rows.len());
    }
    Ok(model.with_measured(found))
}

/// Says which rows belong to no nest.
fn remark(found: &Measurements, rows: usize) {
    let left = &found.unjoined;
    if left.is_empty() {
        return;
    }
    let seconds: f64 = left.iter().map(|one| one.seconds).sum();
    eprintln!(
        "loopsheet: --measured: {} of {rows} rows, with {} of {}, belong to no nest:",
        left.len(),
        Seconds(seconds),
        Seconds(found.seconds().0)
    );
    for one in left.iter().take(MOST_NAMED) {
        eprintln!("loopsheet:   {}: {}: {}", one.place, one.what, one.reason);
    }
    if let Some(more) = left.len().checked_sub(MOST_NAMED + 1) {
        eprintln!("loopsheet:   and {} more", more + 1);
    }
}
