//! Which statements only run where the input of the program says so?
//!
//! `case 'p': verbose = 1` behind `getopt` is not a value of the program as such: without the option the variable
//! keeps what it was set to. A condition is one on the input if it contains a call that reads, or a variable
//! that the procedure reads itself and that may hold an option: a scalar, a text, the words of the command
//! line. `options` uses the answer.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use super::command_line::CommandLine;
use super::inputs::is_input;
use crate::calls::{Outside, ProcedureId, Procedures, Target};
use crate::intrinsics::IntrinsicKind;
use crate::ir::visit::{InLoop, calls_of, each_value, statements, variables_of};
use crate::ir::{Stmt, Type, Value, VarId, addressed};

/// The values that statements assign under conditions on what a procedure reads itself: those behind
/// `case 'p': verbose = 1` of options of the command line.
pub(super) fn under_input<'u>(
    known: &Procedures<'u>,
    command_line: &CommandLine,
    id: ProcedureId,
) -> Vec<&'u Value> {
    let function = known.get(id).function;
    let decides = asks_input(known, command_line, id);
    let mut assigned = Vec::new();
    statements(&function.body, InLoop::No, &mut |stmt, _| {
        if let Stmt::If(branch) = stmt
            && decides(&branch.condition)
        {
            for arm in [&branch.then, &branch.otherwise] {
                statements(arm, InLoop::No, &mut |inner, _| {
                    if let Stmt::Assign { value, .. } = inner {
                        assigned.push(value);
                    }
                });
            }
        }
    });
    assigned
}

/// The values that statements assign under conditions on words of the command line, or on the options among them: those of
/// a run that is given such words.
pub(super) fn under_words<'u>(
    known: &Procedures<'u>,
    command_line: &CommandLine,
    id: ProcedureId,
) -> Vec<&'u Value> {
    let function = known.get(id).function;
    let target = |name: &str| known.target(id, name);
    let outside = Outside::of(function, &target);
    let words = command_line.get(&id);
    let is_word = |value: &Value| {
        let variable = value.variable();
        variable.is_some_and(|id| words.is_some_and(|words| words.contains(&id)))
    };
    // Whether there is a word at all is another question.
    let asks_word = |condition: &Value| {
        let mut found = false;
        each_value(condition, &mut |part| {
            found |= match part {
                Value::Call { arguments, .. } => arguments.iter().any(&is_word),
                Value::Variable(id) => {
                    matches!(function.variable(*id).ty, Type::Character(_)) && is_word(part)
                }
                _ => false,
            };
        });
        found
    };
    let mut assigned = Vec::new();
    statements(&function.body, InLoop::No, &mut |stmt, _| {
        if let Stmt::If(branch) = stmt
            && (asks_word(&branch.condition) || outside.is_option_there(&branch.condition, &target))
        {
            statements(&branch.then, InLoop::No, &mut |inner, _| {
                if let Stmt::Assign { value, .. } = inner {
                    assigned.push(value);
                }
            });
        }
    });
    assigned
}

/// Whether a condition of a procedure is one on what it reads.
pub(super) fn asks_input<'k, 'u>(
    known: &'k Procedures<'u>,
    command_line: &CommandLine,
    id: ProcedureId,
) -> impl Fn(&Value) -> bool + use<'k, 'u> {
    let read = read(known, command_line.get(&id), id);
    move |condition| {
        let mut found = is_input(condition, known, id);
        each_value(condition, &mut |part| {
            if let Value::Variable(variable)
            | Value::Element {
                array: variable, ..
            } = part
            {
                found |= read.contains(variable);
            }
        });
        found
    }
}

/// The values that variables have where they are not read.
#[derive(Default)]
pub(super) struct Instead<'u> {
    /// Somewhere in the other arm of a branch: `if (there) then; read n; else; n = 4`.
    pub all: Vec<&'u Value>,
    /// Those that every run has in which the branch goes that way, unless the variable is set again behind it: whatever it
    /// had before is gone.
    pub always: Vec<&'u Value>,
    /// Those of variables that are set again behind it, whichever way the branch goes.
    pub before: Vec<&'u Value>,
}

/// The values that variables of a procedure have where they are not read.
pub(super) fn instead_of_input<'u>(known: &Procedures<'u>, id: ProcedureId) -> Instead<'u> {
    let function = known.get(id).function;
    let mut found = Instead::default();
    statements(&function.body, InLoop::No, &mut |stmt, _| {
        let Stmt::If(branch) = stmt else {
            return;
        };
        // Of a branch that nothing is around.
        let behind = || {
            let at = (function.body.iter()).position(|own| std::ptr::eq(own, stmt))?;
            Some(&function.body[at + 1..])
        };
        for (asking, other) in [
            (&branch.then, &branch.otherwise),
            (&branch.otherwise, &branch.then),
        ] {
            if other.is_empty() {
                continue;
            }
            let read = read_in(known, id, asking);
            statements(other, InLoop::No, &mut |inner, _| {
                if let Stmt::Assign { target, value, .. } = inner
                    && target
                        .variable()
                        .is_some_and(|target| read.contains(&target))
                {
                    found.all.push(value);
                    let is_own = || other.iter().any(|own| std::ptr::eq(own, inner));
                    match behind().map(|behind| sets(behind, target)) {
                        Some(true) => found.before.push(value),
                        Some(false) if is_own() => found.always.push(value),
                        Some(false) | None => {}
                    }
                }
            });
        }
    });
    found
}

/// Whether one of these statements gives a variable another value, whatever it has.
fn sets(statements: &[Stmt], variable: &Value) -> bool {
    statements.iter().any(|stmt| match stmt {
        Stmt::Assign { target, value, .. } if target == variable => {
            let mut used = BTreeSet::new();
            variables_of(value, &mut used);
            !variable.variable().is_some_and(|id| used.contains(&id))
        }
        _ => false,
    })
}

/// The variables that statements read from outside.
pub(super) fn read_in(known: &Procedures, id: ProcedureId, block: &[Stmt]) -> FxHashSet<VarId> {
    let mut found: FxHashSet<VarId> = FxHashSet::default();
    statements(block, InLoop::No, &mut |stmt, _| {
        found.extend(read_by(known, id, stmt))
    });
    found
}

/// The variables that one statement reads from outside, without those inside it.
pub(super) fn read_by(known: &Procedures, id: ProcedureId, stmt: &Stmt) -> Vec<VarId> {
    let passes_places = known.get(id).function.conventions.passes_places();
    let mut found = Vec::new();
    if let Stmt::Assign { target, value, .. } = stmt
        && is_input(value, known, id)
    {
        found.extend(target.variable());
    }
    calls_of(stmt, &mut |name, arguments| {
        if let Target::Library(called) = known.target(id, name)
            && called.kind.gives_from_outside()
        {
            // A language that passes places has no addresses to tell what is filled from what is not.
            let is_list = called.kind == IntrinsicKind::Input
                || called.kind == IntrinsicKind::System && passes_places;
            found.extend(
                arguments
                    .iter()
                    .filter_map(|argument| written(argument, is_list)),
            );
        }
    });
    found
}

/// The variables of a procedure that it reads and that may hold options: scalars, texts, the words of the command line.
/// Arrays of numbers and real numbers are data.
fn read(known: &Procedures, words: Option<&FxHashSet<VarId>>, id: ProcedureId) -> FxHashSet<VarId> {
    let function = known.get(id).function;
    let mut found = read_in(known, id, &function.body);
    found.retain(|id| {
        let variable = function.variable(*id);
        match variable.ty {
            Type::Character(_) => true,
            Type::Real(_) | Type::Complex(_) => false,
            _ => variable.dimensions.is_empty(),
        }
    });
    found.extend(words.into_iter().flatten());
    found
}

/// The variable that a library function gives a value; what a list names is read as it stands.
fn written(argument: &Value, is_list: bool) -> Option<VarId> {
    match addressed(argument) {
        None if is_list => argument.variable(),
        target => target?.variable(),
    }
}
