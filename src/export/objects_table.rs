//! What may go to slower memory, as text.

use std::fmt::Write;

use super::columns::grid;
use super::numbers::{number, percent};
use super::table::share;
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
        if placement.confirmed.is_some() {
            heading.push("in the core".to_string());
        }
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
            let mark = match all.is_contradicted(index, placement) {
                true => " *",
                false => "",
            };
            row.push(format!("{}{mark}", share(loss)));
            if placement.confirmed.is_some() {
                let found = all.loss_in_core(index, placement);
                row.push(found.map_or("not tried".to_string(), share));
            }
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
    let contradicted =
        |placement| (0..all.objects.len()).any(|at| all.is_contradicted(at, placement));
    if all.placements.iter().any(contradicted) {
        text.push_str("  * the loss in the core is another one\n");
    }
    if all
        .placements
        .iter()
        .all(|placement| placement.confirmed.is_none())
    {
        text.push_str(
            "  an object whose misses overlap with another's can lose more than its epochs say: --confirm runs the core\n",
        );
    }
    text.push_str(&interleaved(all));
    text
}

/// A row a share of the pages.
fn interleaved(all: &Objects) -> String {
    let own = &all.interleaving;
    let mut heading = vec!["  far pages".to_string()];
    for placement in &all.placements {
        heading.push(format!("loss at {}", placement.latency));
        heading.extend(
            placement
                .confirmed
                .is_some()
                .then(|| "in the core".to_string()),
        );
    }
    let mut rows = vec![heading];
    for (number, percent) in own.shares.iter().enumerate() {
        let mut row = vec![format!("  {percent} %")];
        for placement in &all.placements {
            let loss = own.loss(*percent as f64 / 100.0, placement.latency);
            row.push(share(loss));
            if placement.confirmed.is_some() {
                let found = all.interleaved_loss_in_core(number, placement);
                row.push(found.map_or("not tried".to_string(), share));
            }
        }
        rows.push(row);
    }
    let each = |interval: u64| match interval {
        0 => "no limit of bandwidth".to_string(),
        cycles => format!("a line every {cycles} cycles"),
    };
    let mut text = format!(
        "pages of all objects in turn in RAM ({}) and in far memory ({})\n{}",
        each(own.near_interval),
        each(own.far_interval),
        grid(&rows)
    );
    for placement in &all.placements {
        let latency = placement.latency;
        let largest = own.largest_share(latency, all.budget);
        let _ = write!(
            text,
            "  at {latency} cycles {} of the pages may be far",
            share(largest)
        );
        let fastest = own.fastest_share(latency);
        if fastest > 0.0 {
            let _ = write!(
                text,
                "; with {} there the run is {} shorter",
                share(fastest),
                share(-own.loss(fastest, latency))
            );
        }
        text.push('\n');
    }
    text
}
