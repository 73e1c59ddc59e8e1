//! Which functions give back what they read, or else one of their arguments?
//!
//! ```text
//! int get(int argc, char **argv, const char *key, int other) {
//!   for (int i = 1; i < argc; i++) if (strcmp(argv[i], key) == 0) return atoi(argv[i + 1]);
//!   return other;                                              the fourth argument
//! }
//! int n = get(argc, argv, "-n", 700);                          700, unless the user says otherwise
//! ```

use rustc_hash::FxHashMap;

use super::inputs::is_input;
use crate::calls::{ProcedureId, Procedures, Target};
use crate::ir::visit::{InLoop, assigned_to, calls_of, statements};
use crate::ir::{Jump, Stmt, Value, VarId};

/// The number of that argument, by function.
#[derive(Clone, Default)]
pub(super) struct OwnReaders(FxHashMap<ProcedureId, usize>);

impl OwnReaders {
    pub fn of(known: &Procedures) -> OwnReaders {
        let readers = known.ids().filter_map(|id| Some((id, instead(known, id)?)));
        OwnReaders(readers.collect())
    }

    /// What a call of such a function gives where nothing is read.
    pub fn default_of<'v>(
        &self,
        known: &Procedures,
        id: ProcedureId,
        value: &'v Value,
    ) -> Option<&'v Value> {
        if self.0.is_empty() {
            return None;
        }
        let Value::Call {
            name, arguments, ..
        } = value.unconverted()
        else {
            return None;
        };
        match known.target(id, name) {
            Target::Body(callee) => arguments.get(*self.0.get(&callee)?),
            _ => None,
        }
    }

    /// The names by which procedures call such functions, with the number of the argument.
    pub fn by_name(&self, known: &Procedures) -> FxHashMap<(ProcedureId, String), usize> {
        let mut found = FxHashMap::default();
        if self.0.is_empty() {
            return found;
        }
        for id in known.ids() {
            statements(&known.get(id).function.body, InLoop::No, &mut |stmt, _| {
                calls_of(stmt, &mut |name, _| {
                    if let Target::Body(callee) = known.target(id, name)
                        && let Some(position) = self.0.get(&callee)
                    {
                        found.insert((id, name.to_string()), *position);
                    }
                });
            });
        }
        found
    }
}

/// What a function may give back.
#[derive(Default)]
struct Given {
    reads: bool,
    /// Dummy arguments, each time one is given back.
    dummies: Vec<usize>,
}

/// The dummy argument that a function gives back where it gives nothing that it reads.
fn instead(known: &Procedures, id: ProcedureId) -> Option<usize> {
    let function = known.get(id).function;
    let formals = known.formals(id);
    if formals.is_empty() {
        return None;
    }
    let mut given = Given::default();
    let returned: Vec<&Value> = match function.result {
        Some(result) => assigned_to(&function.body, result),
        None => {
            let mut found = Vec::new();
            returns(&function.body, &mut found);
            found
        }
    };
    for value in returned {
        let value = value.unconverted();
        match value {
            Value::Variable(variable) if !formals.contains(variable) => {
                for value in assigned_to(&function.body, *variable) {
                    note(known, id, (value, &formals), &mut given)?;
                }
            }
            value => note(known, id, (value, &formals), &mut given)?,
        }
    }
    let first = *given.dummies.first()?;
    let is_one = given.dummies.iter().all(|dummy| *dummy == first);
    (given.reads && is_one).then_some(first)
}

/// Notes what a value is: something that is read, or a dummy argument that nothing but what is read is assigned to.
fn note(
    known: &Procedures,
    id: ProcedureId,
    (value, formals): (&Value, &[VarId]),
    given: &mut Given,
) -> Option<()> {
    let function = known.get(id).function;
    if is_input(value, known, id) {
        given.reads = true;
        return Some(());
    }
    let Value::Variable(variable) = value.unconverted() else {
        return None;
    };
    let position = formals.iter().position(|formal| formal == variable)?;
    if !function.variable(*variable).dimensions.is_empty() {
        return None;
    }
    for value in assigned_to(&function.body, *variable) {
        if !is_input(value, known, id) {
            return None;
        }
        given.reads = true;
    }
    given.dummies.push(position);
    Some(())
}

/// What a function of C returns.
fn returns<'u>(block: &'u [Stmt], found: &mut Vec<&'u Value>) {
    for pair in block.windows(2) {
        if let [Stmt::Evaluate { values, .. }, Stmt::Jump { kind, .. }] = pair
            && *kind == Jump::Return
            && let [value] = &values[..]
        {
            found.push(value);
        }
    }
    for stmt in block {
        match stmt {
            Stmt::Loop(inner) => returns(&inner.body, found),
            Stmt::If(branch) => {
                returns(&branch.then, found);
                returns(&branch.otherwise, found);
            }
            Stmt::Opaque { inner, .. } => returns(inner, found),
            _ => {}
        }
    }
}
