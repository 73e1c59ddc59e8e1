//! Words that follow a number, and lists that end before all are named.

use std::borrow::Borrow;

/// `1 nest`, `2 nests`.
pub fn counted(count: usize, what: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {what}{ending}")
}

/// The first `most` of some names, and how many more there are: `a, b and 3 more`.
pub fn some<S: Borrow<str>>(names: &[S], most: usize) -> String {
    match names.len().saturating_sub(most) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names[..most].join(", ")),
    }
}

/// How much longer a run takes, as a share of its time; shorter where it is negative.
pub fn longer(share: f64) -> String {
    // What rounds to nothing has no sign.
    let share = if rounds_to_nothing(share) { 0.0 } else { share };
    let word = if share < 0.0 { "less time" } else { "longer" };
    format!("{:.1} % {word}", 100.0 * share.abs())
}

/// The same beside something else: `3.1 % longer than the other one`, `as long as the other one`.
pub fn longer_than(share: f64, other: &str) -> String {
    match rounds_to_nothing(share) {
        true => format!("as long as {other}"),
        false => format!("{} than {other}", longer(share)),
    }
}

/// Whether a share is shown as `0.0 %`.
fn rounds_to_nothing(share: f64) -> bool {
    share.abs() < 0.0005
}
