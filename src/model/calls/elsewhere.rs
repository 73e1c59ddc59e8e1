//! Calls of a run that cannot be followed: of procedures without a body here, which may call what they are given, and any
//! function that they know by its name.

use std::collections::BTreeSet;

use super::each_call;
use crate::analysis::facts::{Body, Call, Function, Program};
use crate::analysis::function_index::FunctionIndex;
use crate::nest::Weight;
use crate::reason::{Effect, ReasonCode};

/// What a run comes to, bodies in place of their calls included, and what it may come to beside that.
pub(super) struct Elsewhere {
    /// By function: whether the run comes to it.
    pub met: Vec<bool>,
    /// Functions that are handed to procedures without a body here, or to the library: they may be called from there.
    pub handed: BTreeSet<usize>,
    /// By function: whether the run does not come to it, but may: to all if a call may lead anywhere, else to those that
    /// are handed over, with what they call.
    pub possible: Vec<bool>,
}

impl Elsewhere {
    /// Of the runs that begin with these functions.
    pub fn of(program: &Program, entries: &[usize]) -> Elsewhere {
        let index = FunctionIndex::of(&program.functions);
        let Run {
            met,
            handed,
            is_open,
        } = Run::of(program, &index, entries.to_vec());
        let beyond = Run::of(program, &index, handed.iter().copied().collect());
        let is_open = is_open || beyond.is_open;
        let may =
            |function: usize| is_open || beyond.met[function] || beyond.handed.contains(&function);
        let possible = met.iter().enumerate();
        let possible = possible.map(|(function, is_met)| !is_met && may(function));
        Elsewhere {
            possible: possible.collect(),
            met,
            handed,
        }
    }
}

/// What calls lead to from some functions.
struct Run {
    met: Vec<bool>,
    handed: BTreeSet<usize>,
    /// Whether there is a call that may lead anywhere.
    is_open: bool,
}

impl Run {
    fn of(program: &Program, index: &FunctionIndex, mut pending: Vec<usize>) -> Run {
        let mut run = Run {
            met: vec![false; program.functions.len()],
            handed: BTreeSet::new(),
            is_open: false,
        };
        while let Some(function) = pending.pop() {
            if std::mem::replace(&mut run.met[function], true) {
                continue;
            }
            let body = &program.functions[function].body;
            each_call(body, None, &Weight::new(), &mut |call, _, _| {
                run.call((function, call), index, &mut pending);
            });
        }
        run
    }

    fn call(
        &mut self,
        (caller, call): (usize, &Call),
        index: &FunctionIndex,
        pending: &mut Vec<usize>,
    ) {
        match &call.body {
            Body::Function(key) | Body::Recursive(Some(key)) => pending.extend(index.keyed(key)),
            Body::OneOf(keys) => pending.extend(keys.iter().flat_map(|key| index.keyed(key))),
            // In place of the call, wherever that is.
            Body::Expanded | Body::Recursive(None) => pending.extend(index.named(&call.name)),
            Body::Unknown | Body::Library => {
                self.is_open |= call.body == Body::Unknown;
                // In a function of Fortran its own name is its result.
                let handed = index.handed(call).filter(|handed| *handed != caller);
                self.handed.extend(handed);
            }
            Body::Communication(_) => {}
        }
    }
}

/// Codes of what code outside loops leaves out of the figures, of some functions.
pub(crate) fn left_out<'p>(functions: impl Iterator<Item = &'p Function>) -> BTreeSet<ReasonCode> {
    let mut found = BTreeSet::new();
    for function in functions {
        function.body.with_branches(&mut |block| {
            let codes = block.reasons.iter().map(|reason| reason.code);
            found.extend(codes.filter(|code| code.effect() == Effect::LeavesOut));
        });
    }
    found
}
