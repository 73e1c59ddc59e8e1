//! A difference as Markdown, as a comment on a merge request: what exceeds limits, totals, then nest by nest.

use std::fmt::Write;

use super::{cells, heading, remarks, rows, summary};
use crate::diff::{Difference, Direction, Row};
use crate::wording::counted;

/// At most `top` nests.
pub fn render(difference: &Difference, top: usize) -> String {
    let mut text = String::new();
    let Difference { old, new, .. } = difference;
    let (old, new) = (escaped(old), escaped(new));
    let _ = writeln!(text, "## loopsheet: {old} → {new}\n");
    let machine = escaped(&difference.machine);
    let _ = writeln!(text, "{}; machine {machine}.", summary(difference));
    if !difference.exceeded.is_empty() {
        text.push_str("\n**Exceeded**\n\n");
    }
    for exceeded in &difference.exceeded {
        let _ = writeln!(text, "- {}", escaped(&exceeded.to_string()));
    }
    text.push_str("\n**In total**\n\n");
    block(&mut text, difference.totals.iter());
    for nest in difference.differing().take(top) {
        let _ = writeln!(text, "\n**{}**\n", escaped(&heading(nest)));
        let rows: Vec<&Row> = rows(nest).collect();
        block(&mut text, rows.iter().copied());
        let marks: Vec<String> = nest.marks().collect();
        let has_remarks = !nest.flipped.is_empty() || !marks.is_empty();
        if !rows.is_empty() && has_remarks {
            text.push('\n');
        }
        for flip in &nest.flipped {
            let mark = match flip.direction() {
                Direction::Worse => "worse",
                Direction::Better => "better",
            };
            let _ = writeln!(text, "- {mark}: {}", escaped(&flip.to_string()));
        }
        for mark in &marks {
            let _ = writeln!(text, "- note: {}", escaped(mark));
        }
    }
    let more = difference.differing().count().saturating_sub(top);
    if more > 0 {
        let _ = writeln!(text, "\n{} not shown.", counted(more, "more nest"));
    }
    let remarks = remarks(difference);
    if !remarks.is_empty() {
        text.push_str("\n**Notes**\n\n");
    }
    for remark in remarks {
        let _ = writeln!(text, "- {}", escaped(&remark));
    }
    text
}

fn block<'d>(text: &mut String, rows: impl Iterator<Item = &'d Row>) {
    let mut rows = rows.peekable();
    if rows.peek().is_none() {
        return;
    }
    text.push_str("| quantity | old | new | change |\n|---|--:|--:|--:|\n");
    for row in rows {
        let _ = writeln!(
            text,
            "| {} |",
            cells(row).map(|cell| escaped(&cell)).join(" | ")
        );
    }
}

/// Names may hold what Markdown or HTML takes for a mark.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '&' => escaped.push_str("&amp;"),
            c if c.is_control() => escaped.push(char::REPLACEMENT_CHARACTER),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' => {
                escaped.push('\\');
                escaped.push(c);
            }
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_are_no_marks() {
        assert_eq!(super::escaped("a_b|<i>\n"), "a\\_b\\|&lt;i>\u{fffd}");
    }
}
