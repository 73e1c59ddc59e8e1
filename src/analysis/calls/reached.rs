//! Which procedures may a run of the program get to?
//!
//! All that calls lead to from a main program. Where it is not known which of several a call means, all of them
//! are reached: what is left out here gets no size, no calls and no time, so that a doubt counts as a yes.

use super::procedures::Procedures;
use super::target::{ProcedureId, Target};
use crate::ir::visit::{InLoop, calls_of, statements};

/// By procedure, whether calls lead to it from a main program; `None` where there is none.
pub fn reached(known: &Procedures) -> Option<Vec<bool>> {
    let mut pending: Vec<ProcedureId> = known
        .ids()
        .filter(|id| known.get(*id).function.is_main)
        .collect();
    if pending.is_empty() {
        return None;
    }
    let mut reached = vec![false; known.all.len()];
    while let Some(caller) = pending.pop() {
        if std::mem::replace(&mut reached[caller.at()], true) {
            continue;
        }
        let mut call = |name: &str| match known.target(caller, name) {
            Target::Body(callee) | Target::Recursive(callee) => pending.push(callee),
            Target::Unknown => pending.extend(known.candidates(caller, name)),
            Target::Library(_) => pending.extend(known.handed(caller, name)),
            Target::Communication(_) => {}
        };
        statements(
            &known.get(caller).function.body,
            InLoop::No,
            &mut |stmt, _| {
                calls_of(stmt, &mut |name, _| call(name));
            },
        );
    }
    Some(reached)
}
