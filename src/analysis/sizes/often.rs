//! How often is something passed, in comparison with what other calls pass?
//!
//! ```text
//! call start(u, .true.)                          1
//! do step = 1, steps                             the loop is taken to run `NOMINAL` times
//!    call advance(u, .false.)                    128
//! ```
//!
//! A call runs as often as its procedure, which the calls of that one say, times what the loops around it make of that.
//! What no call leads to from where runs begin counts once, as nothing else is known of it. Branches are left out.

use rustc_hash::FxHashMap;

use crate::calls::{ProcedureId, Procedures, Target};
use crate::guesses::NOMINAL;
use crate::ir::visit::{calls_of, each_value};
use crate::ir::{Stmt, Value};

/// Calls are followed so deep.
const ROUNDS: usize = 16;
/// More than that is as good as always.
const MOST: f64 = 1e12;

/// How often calls run, by what they pass.
pub(super) struct Often {
    /// Of every procedure.
    runs: Vec<f64>,
    /// Loops around the call that passes a value.
    loops: FxHashMap<*const Value, i32>,
}

impl Often {
    pub fn new(known: &Procedures) -> Often {
        let mut calls = Vec::new();
        let mut loops = FxHashMap::default();
        for id in known.ids() {
            let mut call = |name: &str, arguments: &[Value], depth: i32| {
                let callees = match known.target(id, name) {
                    Target::Body(callee) => vec![callee],
                    Target::Unknown => known.candidates(id, name),
                    Target::Recursive(_) | Target::Library(_) | Target::Communication(_) => {
                        return;
                    }
                };
                calls.extend(callees.into_iter().map(|callee| (id, callee, depth)));
                for argument in arguments {
                    each_value(argument, &mut |part| {
                        loops.insert(std::ptr::from_ref(part), depth);
                    });
                }
            };
            walk(&known.get(id).function.body, 0, &mut call);
        }
        let begin: Vec<f64> = known
            .ids()
            .map(|id| f64::from(u8::from(known.get(id).function.is_main)))
            .collect();
        let mut runs = begin.clone();
        for _ in 0..ROUNDS {
            let mut next = begin.clone();
            for (caller, callee, depth) in &calls {
                let more = runs[caller.at()] * NOMINAL.powi(*depth);
                next[callee.at()] = (next[callee.at()] + more).min(MOST);
            }
            if next == runs {
                break;
            }
            runs = next;
        }
        Often { runs, loops }
    }

    /// How often a procedure passes a value in a call.
    pub fn passes(&self, caller: ProcedureId, value: &Value) -> f64 {
        let depth = self.loops.get(&std::ptr::from_ref(value)).copied();
        let runs = self.runs[caller.at()].max(1.0);
        (runs * NOMINAL.powi(depth.unwrap_or(0))).min(MOST)
    }
}

/// Visits the calls of a block, with the loops around each.
fn walk(block: &[Stmt], depth: i32, call: &mut dyn FnMut(&str, &[Value], i32)) {
    for stmt in block {
        calls_of(stmt, &mut |name, arguments| call(name, arguments, depth));
        match stmt {
            Stmt::Loop(inner) => walk(&inner.body, depth + 1, call),
            Stmt::If(branch) => {
                walk(&branch.then, depth, call);
                walk(&branch.otherwise, depth, call);
            }
            Stmt::Opaque { inner, .. } => walk(inner, depth, call),
            _ => {}
        }
    }
}
