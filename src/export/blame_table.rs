//! What hurts, as text: lines, what they access, and instructions, by the time that their misses really cost.

use std::fmt::Write;

use super::columns::{Align, aligned};
use super::numbers::percent;
use crate::metrics::blame::{Blame, BlamedInstruction, Units};
use crate::regions::SourceLine;
use Align::{Left, Right};

/// Lines and what was accessed where the program is known, else instructions; at most `top` rows of each.
pub fn render(blame: &Blame, top: Option<usize>) -> String {
    let mut text = format!(
        "what causes the actual cost of misses: pure miss cycles of the nearest level, and epochs of the caches' misses (window {}, m = {})\n",
        blame.window, blame.slots
    );
    let has_lines = blame.lines.iter().any(|line| line.function.is_some());
    if has_lines {
        let lines = blame.lines.iter().map(|line| {
            let function = line.function.as_deref().unwrap_or("no function known");
            let name = match &line.place {
                Some(SourceLine { file, line }) => format!("{function} {file}:{line}"),
                None => function.to_string(),
            };
            (name, line.units)
        });
        table(&mut text, "by line", lines, blame, top);
        let objects = blame.objects.iter().map(|object| {
            let name = object.name.clone().unwrap_or_else(|| "unknown".to_string());
            (name, object.units)
        });
        table(&mut text, "by what was accessed", objects, blame, top);
    } else {
        let of = |own: &BlamedInstruction| {
            let pc = own.pc.map(|pc| format!("{pc:#x} ")).unwrap_or_default();
            (format!("{pc}{}", own.text), own.units)
        };
        let instructions = blame.instructions.iter().map(of);
        table(&mut text, "by instruction", instructions, blame, top);
    }
    text
}

fn table(
    text: &mut String,
    heading: &str,
    parts: impl Iterator<Item = (String, Units)>,
    blame: &Blame,
    top: Option<usize>,
) {
    let mut rows = vec![
        [
            &format!("  {heading}"),
            "pure miss cycles",
            "share",
            "epochs",
            "share",
        ]
        .map(String::from),
    ];
    let row = |(name, units): (String, Units)| {
        let (cycles, share) = match blame.pure_miss_cycles {
            None => ("unknown".to_string(), String::new()),
            Some(all) => (
                units.pure_miss_cycles.to_string(),
                percent(units.pure_miss_cycles, all),
            ),
        };
        let epochs = units.epochs.to_string();
        [
            format!("  {name}"),
            cycles,
            share,
            epochs,
            percent(units.epochs, blame.epochs),
        ]
    };
    rows.extend(parts.map(row));
    let shown = top.map_or(rows.len(), |top| top + 1).min(rows.len());
    let more = rows.len() - shown;
    rows.truncate(shown);
    let total = (
        String::from("  total"),
        Units {
            pure_miss_cycles: blame.pure_miss_cycles.unwrap_or(0),
            epochs: blame.epochs,
        },
    );
    rows.push(row(total));
    text.push_str(&aligned(&rows, [Left, Right, Right, Right, Right]));
    if more > 0 {
        let _ = writeln!(text, "  … and {more} more (--top)");
    }
}
