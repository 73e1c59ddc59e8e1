//! A procedure whose analysis fails by a defect of ours leaves the others theirs.

use crate::attempt::attempt;
use crate::diagnostic::Diagnostic;
use crate::facts::Function;
use crate::ir::{self, is_lost, with_lost_loops};

/// What the analysis makes of the function; if it panics, what it makes of its loops alone, and a remark.
pub(super) fn unless_lost(
    function: &ir::Function,
    analyze: impl Fn(&ir::Function) -> Function,
) -> (Function, Option<Diagnostic>) {
    match attempt(|| analyze(function)) {
        Ok(facts) => (facts, None),
        Err(defect) => {
            let what = format!("`{}`", function.name);
            let remark = is_lost(&what, function.place.clone(), &defect);
            (analyze(&with_lost_loops(function)), Some(remark))
        }
    }
}
