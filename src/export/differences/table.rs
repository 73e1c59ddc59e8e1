//! A difference as a table for people: one block a nest, those first that cost the most time more or less.

use std::fmt::Write;

use super::{cells, heading, remarks, rows, summary};
use crate::columns::{Align, aligned, visible};
use crate::diff::{Difference, Direction, Row};
use crate::wording::counted;

const COLUMNS: [Align; 4] = [Align::Left, Align::Right, Align::Right, Align::Right];

/// At most `top` nests.
pub fn render(difference: &Difference, top: usize) -> String {
    let mut text = String::new();
    let Difference { old, new, .. } = difference;
    let sides = format!("{old} -> {new}, machine {}", difference.machine);
    let _ = writeln!(text, "{}", visible(&sides));
    let _ = writeln!(text, "{}", summary(difference));
    for nest in difference.differing().take(top) {
        let _ = writeln!(text, "\n{}", visible(&heading(nest)));
        let rows: Vec<&Row> = rows(nest).collect();
        if !rows.is_empty() {
            block(&mut text, &rows);
        }
        for flip in &nest.flipped {
            let mark = match flip.direction() {
                Direction::Worse => '!',
                Direction::Better => '+',
            };
            let _ = writeln!(text, "  {mark} {}", visible(&flip.to_string()));
        }
        for mark in nest.marks() {
            let _ = writeln!(text, "  * {}", visible(&mark));
        }
    }
    let more = difference.differing().count().saturating_sub(top);
    if more > 0 {
        let _ = writeln!(
            text,
            "\n{} more (--top N shows more, --json has all)",
            counted(more, "nest")
        );
    }
    text.push_str("\nin total\n");
    block(&mut text, &difference.totals.iter().collect::<Vec<&Row>>());
    for remark in remarks(difference) {
        let _ = writeln!(text, "\nnote: {}", visible(&remark));
    }
    if !difference.exceeded.is_empty() {
        text.push_str("\nexceeded:\n");
    }
    for exceeded in &difference.exceeded {
        let _ = writeln!(text, "  {}", visible(&exceeded.to_string()));
    }
    text
}

fn block(text: &mut String, rows: &[&Row]) {
    let headings = ["  quantity", "old", "new", "change"].map(str::to_string);
    let cells = rows.iter().map(|row| {
        let [quantity, old, new, change] = cells(row);
        [format!("  {quantity}"), old, new, change]
    });
    let cells: Vec<[String; 4]> = std::iter::once(headings).chain(cells).collect();
    text.push_str(&aligned(&cells, COLUMNS));
}
