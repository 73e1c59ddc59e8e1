//! How often is something passed, in comparison with what other calls pass?
//!
//! ```text
//! call start(u, .true.)                          1
//! do step = 1, steps                             the loop is taken to run `NOMINAL` times
//!    call advance(u, .false.)                    128
//! end do
//! do k = 1, 10                                   ten times
//!    call smooth(u, .false.)                     10
//! ```
//!
//! A call runs as often as its procedure, which the calls of that one say, times what the loops around it make of that.
//! What no call leads to from where runs begin counts once, as nothing else is known of it. Branches are left out.

use rustc_hash::FxHashMap;

use crate::calls::{ProcedureId, Procedures, Target};
use crate::guesses::NOMINAL;
use crate::ir::visit::{calls_of, each_value};
use crate::ir::{Control, Function, Loop, Stmt, Value};

use crate::literal::{DEPTH, literal};

/// Calls are followed so deep.
const ROUNDS: usize = 16;
/// More than that is as good as always.
const MOST: f64 = 1e12;

/// How often calls run, by what they pass.
pub(super) struct Often {
    /// Of every procedure.
    runs: Vec<f64>,
    /// How often the loops around the call that passes a value run it.
    rounds: FxHashMap<*const Value, f64>,
}

impl Often {
    pub fn new(known: &Procedures) -> Often {
        let mut calls = Vec::new();
        let mut all_rounds = FxHashMap::default();
        for id in known.ids() {
            let mut call = |name: &str, arguments: &[Value], rounds: f64| {
                let callees = match known.target(id, name) {
                    Target::Body(callee) => vec![callee],
                    Target::Unknown => known.candidates(id, name),
                    Target::Recursive(_) | Target::Library(_) | Target::Communication(_) => {
                        return;
                    }
                };
                calls.extend(callees.into_iter().map(|callee| (id, callee, rounds)));
                for argument in arguments {
                    each_value(argument, &mut |part| {
                        all_rounds.insert(std::ptr::from_ref(part), rounds);
                    });
                }
            };
            let function = known.get(id).function;
            walk(function, &function.body, 1.0, &mut call);
        }
        let begin: Vec<f64> = known
            .ids()
            .map(|id| f64::from(u8::from(known.get(id).function.is_main)))
            .collect();
        let mut runs = begin.clone();
        for _ in 0..ROUNDS {
            let mut next = begin.clone();
            for (caller, callee, rounds) in &calls {
                let more = runs[caller.at()] * rounds;
                next[callee.at()] = (next[callee.at()] + more).min(MOST);
            }
            if next == runs {
                break;
            }
            runs = next;
        }
        Often {
            runs,
            rounds: all_rounds,
        }
    }

    /// How often a procedure passes a value in a call.
    pub fn passes(&self, caller: ProcedureId, value: &Value) -> f64 {
        let rounds = self.rounds.get(&std::ptr::from_ref(value)).copied();
        let runs = self.runs[caller.at()].max(1.0);
        (runs * rounds.unwrap_or(1.0)).min(MOST)
    }
}

/// Visits the calls of a block, with how often the loops around each run it.
fn walk(
    function: &Function,
    block: &[Stmt],
    rounds: f64,
    call: &mut dyn FnMut(&str, &[Value], f64),
) {
    for stmt in block {
        calls_of(stmt, &mut |name, arguments| call(name, arguments, rounds));
        match stmt {
            Stmt::Loop(inner) => {
                let rounds = rounds * rounds_of(function, inner).unwrap_or(NOMINAL);
                walk(function, &inner.body, rounds.min(MOST), call);
            }
            Stmt::If(branch) => {
                walk(function, &branch.then, rounds, call);
                walk(function, &branch.otherwise, rounds, call);
            }
            Stmt::Opaque { inner, .. } => walk(function, inner, rounds, call),
            _ => {}
        }
    }
}

/// Of a loop between literals or named constants.
fn rounds_of(function: &Function, inner: &Loop) -> Option<f64> {
    let Control::Counted {
        lower, upper, step, ..
    } = &inner.control
    else {
        return None;
    };
    let number = |value| literal(function, value, DEPTH);
    let (first, last, step) = (number(lower)?, number(upper)?, number(step)?);
    let rounds = last.checked_sub(first)?.checked_div(step)?.checked_add(1)?;
    Some(rounds.max(0) as f64)
}
