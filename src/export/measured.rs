//! Measured times beside the estimates, as text.

use std::fmt::Write;

use crate::model::{Measured, MeasuredFigures, Model};
use crate::quantity::{Seconds, significant};

/// So many measurements are listed, and so many times that belong to no nest.
const MOST: usize = 5;

/// What of the measured time is that of nests, in a sentence.
pub(crate) fn total(measured: &Measured) -> String {
    let (all, _) = measured.all.seconds();
    let share = match measured.all.joined_share() {
        Some(share) => format!("{:.1} % of it in nests", 100.0 * share),
        None => "none of it in nests".to_string(),
    };
    let left = match measured.all.unjoined.len() {
        0 => String::new(),
        1 => "; 1 row belongs to no nest".to_string(),
        rows => format!("; {rows} rows belong to no nest"),
    };
    format!("Measured: {} in all, {share}{left}", Seconds(all))
}

/// The nests whose estimates are farthest from what was measured, and what was not joined.
pub(crate) fn list(text: &mut String, model: &Model) {
    let Some(measured) = &model.measured else {
        return;
    };
    let _ = writeln!(text, "\n{}", total(measured));
    let worst = measured.worst(&model.figures);
    if !worst.is_empty() {
        text.push_str("estimate / measured, largest discrepancy first:\n");
    }
    for (one, ratio) in worst.iter().take(MOST) {
        let _ = writeln!(
            text,
            "  {:>8}  {} (measured {})",
            significant(*ratio),
            names(model, one),
            Seconds(one.amounts.seconds)
        );
    }
    for one in measured.all.inlined.iter().take(MOST) {
        let _ = writeln!(text, "  {one}");
    }
    if let Some(more) = measured.all.inlined.len().checked_sub(MOST + 1) {
        let _ = writeln!(
            text,
            "  … and {} more such functions (--json has them)",
            more + 1
        );
    }
    for one in measured.all.unjoined.iter().take(MOST) {
        let _ = writeln!(
            text,
            "  not joined: {} with {} ({}): {}",
            one.what,
            Seconds(one.seconds),
            one.place,
            one.reason
        );
    }
    if let Some(more) = measured.all.unjoined.len().checked_sub(MOST + 1) {
        let _ = writeln!(text, "  … and {} more (--json has them)", more + 1);
    }
}

/// The nests of a measurement.
fn names(model: &Model, measured: &MeasuredFigures) -> String {
    let ids = measured
        .nests
        .iter()
        .map(|nest| model.nests[*nest].nest.head().id.as_str());
    ids.collect::<Vec<&str>>().join(", ")
}

/// Measured time and ratio of a nest as cells of a table: the time has a `+` where it is that of several nests.
pub(crate) fn cells(model: &Model, measured: &Measured, nest: usize) -> [String; 2] {
    let Some(found) = measured.of(nest) else {
        return Default::default();
    };
    let mark = if found.nests.len() > 1 { " +" } else { "" };
    let ratio = found.ratio.map(|ratio| model.value(ratio));
    let ratio = ratio.filter(|ratio| ratio.is_finite());
    [
        format!("{}{mark}", Seconds(found.amounts.seconds)),
        ratio.map_or_else(|| "unknown".to_string(), significant),
    ]
}
