//! Which arguments of calls are variables of loops around, that their procedure uses for other loops, too?
//!
//! ```text
//! for (i = 0; i < n; i++) x[i] = 0;
//! for (i = 1; i <= bits; i++) stage(i);       up to `bits`, not up to `n`
//! ```

use rustc_hash::FxHashMap;

use super::definition::Definition;
use crate::calls::ProcedureId;
use crate::ir::visit::{InLoop, calls_of, statements};
use crate::ir::{Control, Function, Loop, Stmt, UnaryOp, Value, VarId};

/// Such arguments by where they are, with the control of the innermost loop that counts by them.
pub(super) type CountedArguments<'u> = FxHashMap<*const Value, &'u Control>;

pub(super) fn counted_arguments(function: &Function) -> CountedArguments<'_> {
    let mut loops: Vec<(VarId, &Loop)> = Vec::new();
    let mut given: FxHashMap<VarId, u32> = FxHashMap::default();
    statements(&function.body, InLoop::No, &mut |stmt, _| {
        if let Stmt::Loop(inner) = stmt
            && let Control::Counted { variable, .. } = &inner.control
        {
            loops.push((*variable, inner));
            *given.entry(*variable).or_default() += 1;
        }
        if let Some(id) = assigned(stmt) {
            *given.entry(id).or_default() += 1;
        }
    });
    let mut found = CountedArguments::default();
    // Loops come before those inside of them, which take their place.
    for (variable, inner) in loops.iter().filter(|(id, _)| given[id] > 1) {
        let mut arguments: Vec<*const Value> = Vec::new();
        let mut is_changed = false;
        statements(&inner.body, InLoop::Yes, &mut |stmt, _| {
            is_changed |= assigned(stmt) == Some(*variable);
            calls_of(stmt, &mut |_, values| {
                let own = values
                    .iter()
                    .filter(|value| **value == Value::Variable(*variable));
                arguments.extend(own.map(std::ptr::from_ref));
            });
        });
        for argument in arguments.into_iter().filter(|_| !is_changed) {
            found.insert(argument, &inner.control);
        }
    }
    found
}

fn assigned(stmt: &Stmt) -> Option<VarId> {
    match stmt {
        Stmt::Assign {
            target: Value::Variable(id),
            ..
        } => Some(*id),
        _ => None,
    }
}

/// What a loop gives its variable.
pub(super) fn by_loop(id: ProcedureId, control: &Control) -> Option<Definition<'_>> {
    let Control::Counted {
        lower, upper, step, ..
    } = control
    else {
        return None;
    };
    let ends = match counts_down(step) {
        true => [upper, lower],
        false => [lower, upper],
    };
    Some(Definition::Counted(id, ends))
}

fn counts_down(step: &Value) -> bool {
    match step {
        Value::Integer(n) => *n < 0,
        Value::Unary(UnaryOp::Negate, operand) => matches!(**operand, Value::Integer(1..)),
        _ => false,
    }
}
