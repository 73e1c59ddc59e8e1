//! How many loops that repeat something until it is done are around all calls of a procedure?
//!
//! ```text
//! while (read(block)) encode(block);                      one around `encode`
//! void encode(…) { while (left > 0) frame(…); }           two around `frame`
//! ```

use std::collections::HashMap;

use super::trips::is_repetition;
use crate::facts::{Block, Body, FunctionKey, Item, Program};

/// For each procedure, the fewest around any of its calls that a run reaches, with those around the calls of its callers;
/// none around one that nobody calls.
pub(super) fn around_calls(program: &Program) -> Vec<u32> {
    let functions = program.functions.iter().enumerate();
    let keys: HashMap<FunctionKey, usize> = functions
        .map(|(number, function)| (function.key(), number))
        .collect();
    let mut calls: Vec<Vec<(usize, u32)>> = vec![Vec::new(); program.functions.len()];
    let mut is_called = vec![false; program.functions.len()];
    for (caller, function) in program.functions.iter().enumerate() {
        each_call(&function.body, 0, &mut |body, around| {
            let callees: &[FunctionKey] = match body {
                Body::Function(callee) => std::slice::from_ref(callee),
                Body::OneOf(callees) => callees,
                _ => &[],
            };
            for callee in callees.iter().filter_map(|callee| keys.get(callee)) {
                calls[caller].push((*callee, around));
                is_called[*callee] = true;
            }
        });
    }
    let mut found: Vec<Option<u32>> = vec![None; program.functions.len()];
    let is_entry = |at: usize| program.functions[at].is_entry;
    // What no run reaches says nothing of what it calls, unless no run does either.
    for starts in [&is_entry as &dyn Fn(usize) -> bool, &|at| !is_called[at]] {
        let reached: Vec<bool> = found.iter().map(Option::is_some).collect();
        let mut todo: Vec<usize> = (0..found.len())
            .filter(|at| !reached[*at] && starts(*at))
            .collect();
        todo.iter().for_each(|at| found[*at] = Some(0));
        while let Some(caller) = todo.pop() {
            let around = found[caller].unwrap_or_default();
            for (callee, own) in calls[caller].iter().filter(|(callee, _)| !reached[*callee]) {
                let all = around.saturating_add(*own);
                if found[*callee].is_none_or(|known| all < known) {
                    found[*callee] = Some(all);
                    todo.push(*callee);
                }
            }
        }
    }
    found.into_iter().map(Option::unwrap_or_default).collect()
}

/// Visits the calls of a block with the number of such loops around them.
fn each_call<'p>(block: &'p Block, around: u32, visit: &mut dyn FnMut(&'p Body, u32)) {
    for call in &block.calls {
        visit(&call.body, around);
    }
    for item in &block.items {
        match item {
            Item::Loop(inner) => {
                let own = u32::from(is_repetition(inner));
                each_call(&inner.body, around + own, visit);
            }
            Item::Branch(branch) => {
                each_call(&branch.then, around, visit);
                if let Some(otherwise) = &branch.otherwise {
                    each_call(otherwise, around, visit);
                }
            }
        }
    }
}
