//! Which variables hold the command line, or a word of it?
//!
//! The language gives it to the main program; from there it goes on as an argument, and words are kept in names of
//! their own.
//!
//! ```text
//! int main(int argc, char **argv) { read_options(argc, argv); }       argc, argv of both procedures
//! void read_options(int argc, char **argv) { char *word = argv[1]; }  word
//! ```

use rustc_hash::{FxHashMap, FxHashSet};

use crate::calls::{ProcedureId, Procedures, Target};
use crate::ir::visit::{InLoop, calls_of, each_value, statements};
use crate::ir::{Stmt, Type, VarId, Variable, addressed};

/// The variables of each procedure; none of a procedure that is not here.
pub type CommandLine = FxHashMap<ProcedureId, FxHashSet<VarId>>;

/// Follows the command line from where runs begin.
pub fn command_line(known: &Procedures) -> CommandLine {
    let mut holds = CommandLine::default();
    let mut todo: Vec<ProcedureId> = Vec::new();
    for id in known.ids().filter(|id| known.get(*id).function.is_main) {
        let formals = known.formals(id);
        if !formals.is_empty() {
            holds.insert(id, formals.into_iter().collect());
            todo.push(id);
        }
    }
    while let Some(id) = todo.pop() {
        let mut own = holds[&id].clone();
        keep_words(known, id, &mut own);
        statements(&known.get(id).function.body, InLoop::No, &mut |stmt, _| {
            calls_of(stmt, &mut |name, arguments| {
                let Target::Body(callee) = known.target(id, name) else {
                    return;
                };
                for (formal, argument) in known.formals(callee).into_iter().zip(arguments) {
                    let passed = argument
                        .variable()
                        .or_else(|| addressed(argument)?.variable());
                    if passed.is_some_and(|passed| own.contains(&passed))
                        && holds.entry(callee).or_default().insert(formal)
                    {
                        todo.push(callee);
                    }
                }
            });
        });
        holds.insert(id, own);
    }
    holds
}

/// Adds the texts that are made from words: `char *word = argv[i]`.
fn keep_words(known: &Procedures, id: ProcedureId, own: &mut FxHashSet<VarId>) {
    let function = known.get(id).function;
    loop {
        let before = own.len();
        statements(&function.body, InLoop::No, &mut |stmt, _| {
            if let Stmt::Assign { target, value, .. } = stmt
                && let Some(target) = target.variable()
                && is_text(function.variable(target))
            {
                let mut is_word = false;
                each_value(value, &mut |part| {
                    is_word |= part.variable().is_some_and(|part| own.contains(&part));
                });
                if is_word {
                    own.insert(target);
                }
            }
        });
        if own.len() == before {
            return;
        }
    }
}

/// Texts of Fortran, and strings of C.
fn is_text(variable: &Variable) -> bool {
    match variable.ty {
        Type::Character(_) => true,
        Type::Integer(1, _) => !variable.dimensions.is_empty(),
        _ => false,
    }
}
