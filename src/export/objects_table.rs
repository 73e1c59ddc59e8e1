//! What may go to slower memory, as text.

use std::fmt::Write;

use super::columns::grid;
use super::listings::placement::goes;
use super::numbers::{number, percent};
use super::table::share;
use crate::metrics::objects::{Object, Objects, Placement};
use crate::quantity::Bytes;
use crate::wording;

/// A row an object, the costliest first; at most `top`.
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
    let (listed, never) = costliest(all);
    for index in listed {
        let object = &all.objects[index];
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
            let loss = all.loss(index, placement);
            let mark = match all.is_contradicted(index, placement) {
                true => " *",
                false if all.is_guessed(index, placement) => " ↓",
                false if all.is_by_epochs_alone(index, placement) => " °",
                false => "",
            };
            row.push(format!("{}{mark}", share(loss)));
            if placement.confirmed.is_some() {
                let found = all.loss_in_core(index, placement);
                row.push(found.map_or("not tried".to_string(), share));
            }
            let best = placement.best.as_ref().map(|best| best[index]);
            row.push(goes(placement.greedy[index], best).to_string());
        }
        rows.push(row);
    }
    let shown = top.map_or(rows.len(), |top| top + 1).min(rows.len());
    let more = rows.len() - shown;
    rows.truncate(shown);
    let mut text = format!(
        "objects in far memory: estimated {}, at most {} % of {} cycles longer (RAM is at {} cycles)\n",
        match all.is_estimated() {
            true => "in machines nearly like the core",
            false => "by epochs",
        },
        number(100.0 * all.budget),
        all.times().cycles,
        all.times().near
    );
    text.push_str(&grid(&rows));
    if more > 0 {
        let _ = writeln!(text, "  … and {more} more (--top)");
    }
    if !never.is_empty() {
        let bytes: u64 = never.iter().map(|at| all.objects[*at].bytes).sum();
        let _ = writeln!(
            text,
            "  … and {} of {} that never went to RAM, and may be anywhere (JSON and the workbook have them)",
            wording::counted(never.len(), "object"),
            Bytes(bytes as f64)
        );
    }
    let contradicted =
        |placement| (0..all.objects.len()).any(|at| all.is_contradicted(at, placement));
    if all.placements.iter().any(contradicted) {
        text.push_str("  * the loss in the core is another one\n");
    }
    let is_confirmed = |placement: &Placement| placement.confirmed.is_some();
    if !all.is_estimated() && !all.placements.iter().any(is_confirmed) {
        text.push_str(
            "  an object whose misses overlap with another's can lose more than its epochs say: --confirm runs the core\n",
        );
    }
    let is_guess =
        |placement: &Placement| (0..all.objects.len()).any(|at| all.is_guessed(at, placement));
    if all.placements.iter().any(is_guess) {
        text.push_str(
            "  ↓ only stored to: stores wait in a buffer, so no epoch waits for it, and what a full buffer or bandwidth costs is not \
             estimated: --confirm runs the core, --blocking-stores counts stores as loads\n",
        );
    }
    let is_by_epochs = |placement: &Placement| {
        (0..all.objects.len()).any(|at| all.is_by_epochs_alone(at, placement))
    };
    if all.placements.iter().any(is_by_epochs) {
        text.push_str(
            "  ° by its epochs alone, as its addresses are not known or others have more misses: with misses that overlap with others' \
             it can lose several times as much\n",
        );
    }
    text.push_str(&interleaved(all));
    text
}

/// Objects that went to RAM, by position: those that the run waits for most first, then those with most misses; and all others.
fn costliest(all: &Objects) -> (Vec<usize>, Vec<usize>) {
    let waits = |at: usize| {
        let Object { epochs, misses, .. } = all.objects[at];
        (epochs, misses)
    };
    let (mut listed, never): (Vec<usize>, Vec<usize>) =
        (0..all.objects.len()).partition(|at| waits(*at) > (0, 0));
    listed.sort_by_key(|at| std::cmp::Reverse(waits(*at)));
    (listed, never)
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
            let loss = all.interleaved_loss(number, placement);
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
        each(own.times.near_interval),
        each(own.times.far_interval),
        grid(&rows)
    );
    for placement in &all.placements {
        let latency = placement.latency;
        let largest = all.largest_share(placement);
        let _ = write!(
            text,
            "  at {latency} cycles {} of the pages may be far",
            share(largest)
        );
        let (fastest, loss) = all.fastest_share(placement);
        if fastest > 0.0 && loss < 0.0 {
            let _ = write!(
                text,
                "; with {} there the run is {} shorter",
                share(fastest),
                share(-loss)
            );
        }
        text.push('\n');
    }
    text
}
