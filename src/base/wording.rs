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
