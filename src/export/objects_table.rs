//! What may go to slower memory, as text.

use std::fmt::Write;

use super::columns::grid;
use super::numbers::{number, percent};
use crate::metrics::objects::Objects;
use crate::quantity::Bytes;

/// A row an object, those that may go first; at most `top`.
pub fn render(all: &Objects, top: Option<usize>) -> String {
    let epochs: u64 = all.objects.iter().map(|object| object.epochs).sum();
    let mut heading = [
        "  object", "bytes", "accesses", "misses", "𝒟", "epochs", "share",
    ]
    .map(String::from)
    .to_vec();
    for placement in &all.placements {
        heading.push(format!("loss at {}", placement.latency));
        heading.push("far?".to_string());
    }
    let mut rows = vec![heading];
    for (index, object) in all.objects.iter().enumerate() {
        let mut row = vec![
            format!("  {}", object.name.as_deref().unwrap_or("unknown")),
            Bytes(object.bytes as f64).to_string(),
            object.accesses.to_string(),
            object.misses.to_string(),
            (object.memory_depth).map_or_else(|| "unknown".to_string(), |depth| depth.to_string()),
            object.epochs.to_string(),
            percent(object.epochs, epochs),
        ];
        for placement in &all.placements {
            let loss = all.loss(object, placement.latency);
            row.push(format!("{:.1} %", 100.0 * loss));
            let best = placement.best.as_ref().map(|best| best[index]);
            row.push(
                match (placement.greedy[index], best) {
                    (true, None | Some(true)) => "yes",
                    (true, Some(false)) => "greedy only",
                    (false, Some(true)) => "best set",
                    (false, _) => "no",
                }
                .to_string(),
            );
        }
        rows.push(row);
    }
    let shown = top.map_or(rows.len(), |top| top + 1).min(rows.len());
    let more = rows.len() - shown;
    rows.truncate(shown);
    let mut text = format!(
        "objects in far memory: estimated by epochs, at most {} % of {} cycles longer (RAM is at {} cycles)\n",
        number(100.0 * all.budget),
        all.cycles,
        all.near
    );
    text.push_str(&grid(&rows));
    if more > 0 {
        let _ = writeln!(text, "  … and {more} more (--top)");
    }
    text
}
