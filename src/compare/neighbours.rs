//! How often were the simple statements beside a loop begun?
//!
//! Those in its block between which and the loop nothing leads elsewhere (`analysis/walk/beside.rs`) are executed as often
//! as the loop. A compiler loses marks of statements, and may move one to the other side of a branch; what a statement before
//! the loop and one behind it agree on is right:
//!
//! ```text
//! n = end - start;                27
//! while (a < n && b < m) { … }    its own marks say 13: 14 executions had nothing to do, which was known in advance
//! copy(…);                        27
//! ```

use std::collections::BTreeSet;

use super::places::{LoopRef, Places};
use crate::report::static_report::LoopReport;

/// How often a loop was executed, as statements before it and behind it agree, by how often a line was begun.
pub fn times(
    places: &Places,
    found: LoopRef,
    begun: &dyn Fn(&str, u32) -> Option<u64>,
) -> Option<u64> {
    let facts: &LoopReport = places.facts(found);
    let file = places.file_of_loop(found);
    let all = |lines: &[u32]| -> BTreeSet<u64> {
        lines.iter().filter_map(|line| begun(file, *line)).collect()
    };
    let (before, behind) = (all(&facts.beside.before), all(&facts.beside.behind));
    before.intersection(&behind).max().copied()
}
