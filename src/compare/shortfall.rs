//! Loops that went round less often than their bounds say, with sizes that other loops of the run show.
//!
//! ```text
//! for (i = 0; i < n; i++)             40 rounds: n = 40
//!   for (j = i; j < n; j++)          780 rounds, 40 · 41 / 2 = 820 by the bounds
//!     for (k = 0; k < i; k++)        with i = 0 the 40 rounds of j do nothing, and a compiler leaves them out
//! ```
//!
//! What the machine did and what the source says differ, and nothing shows that only rounds are missing that do nothing:
//! such a count stays in doubt.

use super::comparison::Suggestion;
use super::doubts::Doubt;
use super::joined::Joined;
use super::parameters::{self, Observed};
use crate::report::StaticReport;

/// Marks them. `all` is what the run shows about parameters.
pub(super) fn mark(report: &StaticReport, joined: &mut Joined, all: &[Suggestion]) {
    let observed = Observed {
        loops: &joined.join.loops,
        frequency: &|_, _| None,
    };
    for (found, bounds) in parameters::short_triangles(report, &joined.places, observed, all) {
        if let Some(counts) = joined.join.loops.get_mut(&found) {
            counts.doubts.rounds = Some(Doubt::FewerThanBounds { bounds });
        }
    }
}
