//! A comparison as a table for people: one block a nest, the ones with the most instructions first.

use std::fmt::Write;

use super::columns::{Align, aligned};
use crate::compare::{Comparison, NestComparison, Row, Suggestion, Unjoined};

/// Entries of the list of what was not joined.
const MOST_UNJOINED: usize = 20;

/// At most `top` nests.
pub fn render(comparison: &Comparison, top: Option<usize>) -> String {
    let mut text = String::new();
    let share = 100.0 * comparison.joined_share;
    let _ = writeln!(
        text,
        "{}: {} instructions, {share:.2} % in loops of the report",
        comparison.trace, comparison.instructions
    );
    if let Some(end) = comparison.run_end {
        let _ = writeln!(text, "THE RUN ENDED {end}");
    }
    let mut nests: Vec<&NestComparison> = comparison.nests.iter().collect();
    nests.sort_by_key(|nest| std::cmp::Reverse(nest.instructions));
    let shown = top.unwrap_or(nests.len());
    for nest in nests.iter().take(shown) {
        let _ = writeln!(
            text,
            "\n{}  ({}:{})  {} instructions",
            nest.id, nest.file, nest.line, nest.instructions
        );
        let headings = ["quantity", "static", "traced", "ratio", "reason"]
            .map(str::to_string)
            .to_vec();
        let rows: Vec<Vec<String>> = std::iter::once(headings)
            .chain(nest.rows.iter().map(cells))
            .collect();
        text.push_str(&aligned(
            &rows,
            [
                Align::Left,
                Align::Right,
                Align::Right,
                Align::Right,
                Align::Left,
            ],
        ));
    }
    if nests.len() > shown {
        let _ = writeln!(text, "\n{} more nests: --top", nests.len() - shown);
    }
    for Suggestion {
        parameter,
        value,
        fits,
        seen_in,
        ..
    } in &comparison.parameters
    {
        let value = value.map_or_else(|| "unknown".to_string(), |value| value.to_string());
        let _ = writeln!(
            text,
            "\nparameter {parameter} is {value}; the run fits {fits} (seen in {})",
            seen_in.join(", ")
        );
    }
    if !comparison.unjoined.is_empty() {
        text.push_str("\nnot in a loop of the report:\n");
        let cells = |left: &Unjoined| {
            [
                left.what.clone(),
                left.instructions.to_string(),
                left.reason.to_string(),
            ]
        };
        let rows: Vec<[String; 3]> = comparison
            .unjoined
            .iter()
            .take(MOST_UNJOINED)
            .map(cells)
            .collect();
        text.push_str(&aligned(&rows, [Align::Left, Align::Right, Align::Left]));
        let rest = &comparison.unjoined[rows.len()..];
        if !rest.is_empty() {
            let instructions: u64 = rest.iter().map(|left| left.instructions).sum();
            let _ = writeln!(
                text,
                "{} more with {instructions} instructions: --json",
                rest.len()
            );
        }
    }
    if !comparison.not_executed.is_empty() {
        let _ = writeln!(
            text,
            "\nnot executed: {}",
            comparison.not_executed.join(", ")
        );
    }
    for note in &comparison.notes {
        let _ = writeln!(text, "\nnote: {note}");
    }
    text
}

fn cells(row: &Row) -> Vec<String> {
    let number = |value: Option<f64>| value.map_or_else(|| "-".to_string(), shown);
    vec![
        row.quantity.with_unit(),
        number(row.predicted),
        number(row.traced) + if row.unsure.is_some() { "*" } else { "" },
        row.ratio
            .map_or_else(String::new, |ratio| format!("{ratio:.3}")),
        row.reason.clone().unwrap_or_default(),
    ]
}

/// Whole numbers in full, others with four digits.
fn shown(value: f64) -> String {
    match value {
        _ if value.fract() == 0.0 && value.abs() < 1e15 => format!("{value:.0}"),
        _ if value.abs() >= 1e-3 && value.abs() < 1e9 => format!("{value:.4}"),
        _ => format!("{value:.4e}"),
    }
}
