//! Calls in which the program ends, as statements that end it: `exit(0);` in C, `call finish()` of a subroutine that stops,
//! `n = usage();`. What is asked of a `stop` is then asked of them: what stands behind does not run.

use rustc_hash::{FxHashMap, FxHashSet};

use super::agreed::plain;
use super::ending::{MOST_CALLS, ends_in};
use super::procedures::Procedures;
use super::target::ProcedureId;
use crate::intrinsics::{IntrinsicKind, Intrinsics};
use crate::ir::visit::{InLoop, statements, sure_calls};
use crate::ir::{Control, Function, Jump, Printed, Stmt, Unit};
use crate::message_passing::Interfaces;
use crate::source::Language;

/// The files with a statement that ends the program behind every call that does.
pub fn with_ends(mut units: Vec<Unit>) -> Vec<Unit> {
    let ending = ending_calls(&units);
    let mut at = 0;
    for unit in &mut units {
        for function in &mut unit.functions {
            if let Some(names) = ending.get(&at) {
                function.body = ended(std::mem::take(&mut function.body), names);
            }
            at += 1;
        }
    }
    units
}

/// By the number of a procedure among all, the names in whose calls there the program ends.
fn ending_calls(units: &[Unit]) -> FxHashMap<usize, FxHashSet<String>> {
    let functions: Vec<&Function> = units.iter().flat_map(|unit| &unit.functions).collect();
    let calls: Vec<FxHashSet<&str>> = functions.iter().map(|function| called(function)).collect();
    let mut found = FxHashMap::default();
    // By their names alone more may end than do.
    let may_end = names_that_may_end(&functions, &calls);
    let callers: Vec<usize> = (0..calls.len())
        .filter(|at| {
            let mut names = calls[*at].iter();
            names.any(|name| may_end.contains(plain(functions[*at], name)))
        })
        .collect();
    if callers.is_empty() {
        return found;
    }
    let known = Procedures::with_targets_of(units, &callers);
    for caller in callers {
        let id = ProcedureId(caller as u32);
        let ends = |name: &&&str| known.ends_program(known.target(id, name));
        let names = calls[caller].iter().filter(ends);
        let names: FxHashSet<String> = names.map(|name| (*name).to_string()).collect();
        if !names.is_empty() {
            found.insert(caller, names);
        }
    }
    found
}

/// The names that statements of a procedure surely call when they begin.
fn called(function: &Function) -> FxHashSet<&str> {
    let mut names = FxHashSet::default();
    statements(&function.body, InLoop::No, &mut |stmt, _| {
        sure_calls(stmt, &mut |name| {
            names.insert(name);
        });
    });
    names
}

/// The names of procedures and of what libraries have in whose calls the program may end, whatever procedure of the name
/// is meant.
fn names_that_may_end<'u>(
    functions: &[&'u Function],
    calls: &[FxHashSet<&'u str>],
) -> FxHashSet<&'u str> {
    let mut found: FxHashSet<&str> = FxHashSet::default();
    for (function, calls) in functions.iter().zip(calls) {
        let language = function.conventions.language;
        found.extend(calls.iter().filter(|name| is_end(language, name)));
    }
    for _ in 0..MOST_CALLS {
        let of = |function: &&&Function| {
            let ends = |name: &str| found.contains(plain(function, name));
            ends_in(&function.body, &ends) == Some(true)
        };
        let ending = functions.iter().filter(of);
        let names: Vec<&str> = ending.map(|function| &*function.name).collect();
        let known = found.len();
        found.extend(names);
        if found.len() == known {
            break;
        }
    }
    found
}

/// Whether a name of a library ends the program.
fn is_end(language: Language, name: &str) -> bool {
    let library = Intrinsics::builtin();
    let known = (library.lookup(language, name)).or_else(|| library.of_headers(language, name));
    known.is_some_and(|known| known.kind == IntrinsicKind::Termination)
        || (Interfaces::builtin().lookup(name)).is_some_and(|known| known.ends_program)
}

/// Statements with an end of the program behind each call of these names.
fn ended(block: Vec<Stmt>, names: &FxHashSet<String>) -> Vec<Stmt> {
    let mut out = Vec::with_capacity(block.len() + 1);
    for stmt in block {
        let mut ends = false;
        sure_calls(&stmt, &mut |name| ends |= names.contains(name));
        if ends {
            let place = stmt.place().clone();
            let kind = Jump::Stop;
            out.extend(beginning(stmt));
            out.push(Stmt::Jump { place, kind });
        } else {
            out.push(with_ended_parts(stmt, names));
        }
    }
    out
}

/// What of a statement is done before a call in its values ends the program: nothing in it.
fn beginning(stmt: Stmt) -> Option<Stmt> {
    let (place, values) = match stmt {
        Stmt::If(branch) => (branch.place, vec![branch.condition]),
        Stmt::Loop(inner) => match inner.control {
            Control::Counted { lower, upper, .. } => (inner.place, vec![lower, upper]),
            Control::Uncounted { .. } => return None,
        },
        Stmt::Assign { place, value, .. } => (place, vec![value]),
        other => return Some(other),
    };
    Some(Stmt::Evaluate {
        place,
        values,
        printed: Printed::No,
    })
}

/// A statement with ends of the program in what stands in it.
fn with_ended_parts(stmt: Stmt, names: &FxHashSet<String>) -> Stmt {
    match stmt {
        Stmt::Loop(mut inner) => {
            inner.body = ended(inner.body, names);
            Stmt::Loop(inner)
        }
        Stmt::If(mut branch) => {
            branch.then = ended(branch.then, names);
            branch.otherwise = ended(branch.otherwise, names);
            Stmt::If(branch)
        }
        Stmt::Opaque {
            place,
            reason,
            inner,
        } => Stmt::Opaque {
            place,
            reason,
            inner: ended(inner, names),
        },
        other => other,
    }
}
