//! A difference of two analyses, one rendering a file.

pub mod json;
pub mod markdown;
pub mod sarif;
pub mod table;

use crate::diff::{Cost, Difference, NestDifference, Quantity, Row, Status};
use crate::quantity::significant;
use crate::report::Figure;
use crate::table::share;
use crate::wording::counted;

/// A smaller share of the time, which would be shown as nothing, is not worth a remark.
const LEAST_SHARE: f64 = 0.0005;

/// The cells of a row: what, old, new, change.
fn cells(row: &Row) -> [String; 4] {
    let shown = |figure: Figure| {
        let value = figure.known();
        value.map_or_else(|| "-".to_string(), |value| row.quantity.shown(value))
    };
    [
        row.quantity.to_string(),
        shown(row.old),
        shown(row.new),
        row.change.known().map_or_else(String::new, percent),
    ]
}

/// `0.327` is `+32.7 %`.
fn percent(change: f64) -> String {
    let percent = 100.0 * change;
    match percent.abs() {
        0.0 => "0 %".to_string(),
        size if size < 0.05 => format!("{percent:+.1e} %"),
        size if size < 1000.0 => format!("{percent:+.1} %"),
        _ => format!("x {}", significant(change + 1.0)),
    }
}

/// The rows that people see: of a nest that is on one side only, what it costs.
fn rows(nest: &NestDifference) -> impl Iterator<Item = &Row> {
    let is_on_both = nest.status == Status::Changed;
    let is_cost = |row: &&Row| {
        let quantity = &row.quantity;
        let is_cost = matches!(
            quantity,
            Quantity::Iterations | Quantity::Flops | Quantity::Seconds
        );
        is_cost || quantity.is_memory_bytes() || *quantity == Quantity::AllCalls(Cost::Seconds)
    };
    let rows = nest.rows.iter();
    rows.filter(move |row| is_on_both || is_cost(row))
}

/// How many nests became what.
fn summary(difference: &Difference) -> String {
    let nests = |status| difference.count(status);
    format!(
        "{} changed, {} added, {} removed, {} moved, {} the same",
        counted(nests(Status::Changed), "nest"),
        nests(Status::Added),
        nests(Status::Removed),
        nests(Status::Moved),
        nests(Status::Same)
    )
}

/// How many warnings there are, with some that only the new side has, or else some of any.
fn warnings(difference: &Difference) -> Option<String> {
    const SHOWN: usize = 3;
    let (old, new) = (&difference.warnings.old, &difference.warnings.new);
    let gained = difference.gained_warnings();
    let (what, shown) = match gained.is_empty() {
        false => ("new", gained),
        true => ("such as", new.iter().chain(old).collect()),
    };
    let mut texts: Vec<String> = Vec::new();
    for found in shown {
        let text = format!("{}:{}: {}", found.file, found.line, found.message);
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    let left = texts.len().saturating_sub(SHOWN);
    texts.truncate(SHOWN);
    let more = match left {
        0 => String::new(),
        left => format!("; and {left} more, which --json has"),
    };
    (!texts.is_empty()).then(|| {
        format!(
            "warnings, after which figures may differ from what a compiler reads: {} in {}, {} in {}; {what}: {}{more}",
            old.len(),
            difference.old,
            new.len(),
            difference.new,
            texts.join("; ")
        )
    })
}

/// What became of a nest, with its place, and where it was.
fn heading(nest: &NestDifference) -> String {
    let status = nest.status.as_str();
    let place = nest.place().map_or_else(String::new, ToString::to_string);
    match (&nest.old, &nest.new) {
        (Some(old), Some(new)) if old != new => format!("{status}  {place}, was {old}"),
        _ => format!("{status}  {place}"),
    }
}

/// Remarks about the whole: sizes that differ, budgets of nothing, regions that could not be read.
pub(crate) fn remarks(difference: &Difference) -> Vec<String> {
    let mut found = Vec::new();
    let value = |figure: Figure| {
        let value = figure.known();
        value.map_or_else(|| "unknown".to_string(), |value| value.to_string())
    };
    for change in &difference.parameters {
        let what = match change.is_of_source() {
            true => "the source changes it",
            false => "the figures are for different sizes; --set gives both sides the same one",
        };
        found.push(format!(
            "{} is {} in {} and {} in {}: {what}",
            change.name,
            value(change.old),
            difference.old,
            value(change.new),
            difference.new
        ));
    }
    found.extend(difference.notes.iter().cloned());
    for pattern in &difference.unused_budgets {
        found.push(format!("no nest matches the budget for `{pattern}`"));
    }
    let on_guesses = &difference.on_guesses;
    let shares = [on_guesses.old, on_guesses.new].map(|share| share.known().unwrap_or(0.0));
    if shares.iter().any(|share| *share >= LEAST_SHARE) {
        found.push(format!(
            "guessed sizes and trip counts: {} of the time of {} depends on them, {} of that of {}",
            share(shares[0]),
            difference.old,
            share(shares[1]),
            difference.new
        ));
    }
    found.extend(warnings(difference));
    if !difference.unread.is_empty() {
        found.push(format!(
            "regions that could not be read: {} in {}, {} in {}",
            difference.unread.len(),
            difference.new,
            difference.old_unread,
            difference.old
        ));
    }
    found
}
