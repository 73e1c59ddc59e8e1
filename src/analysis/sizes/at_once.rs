//! Which procedures does every run call, whatever it is given?
//!
//! Those that the main program calls under no condition and in no loop, and those that these call so: what they set are
//! defaults, where `if (is_small) set_small(&input)` sets another value on demand.

use rustc_hash::FxHashSet;

use crate::calls::{ProcedureId, Procedures, Target};
use crate::ir::visit::calls_of;

/// None where there is no main program.
pub fn run_at_once(known: &Procedures) -> FxHashSet<ProcedureId> {
    let is_main = |id: &ProcedureId| known.get(*id).function.is_main;
    let mut todo: Vec<ProcedureId> = known.ids().filter(is_main).collect();
    let mut found: FxHashSet<ProcedureId> = todo.iter().copied().collect();
    while let Some(id) = todo.pop() {
        for stmt in &known.get(id).function.body {
            calls_of(stmt, &mut |name, _| {
                if let Target::Body(callee) = known.target(id, name)
                    && found.insert(callee)
                {
                    todo.push(callee);
                }
            });
        }
    }
    found
}
