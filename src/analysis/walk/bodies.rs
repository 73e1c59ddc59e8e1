//! The statements that the facts of a function come from, for those who run them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::assignments::Effects;
use crate::calls::{Origins, ProcedureId, Procedures, Target, expand};
use crate::ir::visit::{InLoop, calls_of, statements};
use crate::ir::{self, Stmt};

/// A function with the bodies that stand in place of calls. Its loops are those of the facts, in the
/// same order, each before the loops inside it.
#[derive(Clone, Debug)]
pub struct ProcedureBody {
    pub function: ir::Function,
    /// What calls do with an element that they get the place of, by name and position: whether it is read, and whether it is
    /// written. Neither where it says where an array begins.
    passed: BTreeMap<(String, usize), (bool, bool)>,
}

/// The statements that the facts of functions come from. They take more room than the facts, so that calls are replaced by
/// bodies only where someone asks.
#[derive(Debug)]
pub struct Statements {
    units: Vec<ir::Unit>,
    ids: Vec<ProcedureId>,
}

impl Statements {
    pub(super) fn new(units: Vec<ir::Unit>, ids: Vec<ProcedureId>) -> Statements {
        Statements { units, ids }
    }

    /// How many functions there are.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The bodies of functions by their positions in the program.
    pub fn bodies(&self, functions: impl IntoIterator<Item = usize>) -> Vec<ProcedureBody> {
        let known = Procedures::new(&self.units);
        let body = |function: usize| ProcedureBody::of(&known, self.ids[function]);
        functions.into_iter().map(body).collect()
    }
}

impl ProcedureBody {
    pub(super) fn of(known: &Procedures, id: ProcedureId) -> ProcedureBody {
        let Some(expansion) = expand::in_loops(known, id, known.get(id).function) else {
            let function = known.get(id).function.clone();
            let effects = Effects::new(known, id, &function, Origins::default());
            let passed = passed(&effects, &function);
            return ProcedureBody { function, passed };
        };
        let mut function = expansion.function;
        remove_replaced(&mut function.body, &expansion.origins);
        let effects = Effects::new(known, id, &function, expansion.origins);
        let passed = passed(&effects, &function);
        ProcedureBody { function, passed }
    }

    /// Whether a call reads the element that it gets the place of, and whether it writes it; `None` where the value is passed.
    pub fn passed(&self, procedure: &str, position: usize) -> Option<(bool, bool)> {
        let place = (procedure.to_string(), position);
        self.passed.get(&place).copied()
    }

    /// All loops, each before the loops inside it.
    pub fn loops(&self) -> Vec<&ir::Loop> {
        let mut found = Vec::new();
        collect(&self.function.body, &mut found);
        found
    }
}

/// What the calls of a function do with elements of which they get the place.
fn passed(effects: &Effects, function: &ir::Function) -> BTreeMap<(String, usize), (bool, bool)> {
    let mut found = BTreeMap::new();
    if !function.conventions.passes_places() {
        return found;
    }
    statements(&function.body, InLoop::No, &mut |statement, _| {
        calls_of(statement, &mut |name, arguments| {
            for at in 0..arguments.len() {
                let uses = || match effects.target(name) {
                    Target::Body(_) | Target::Recursive(_) => {
                        Some(effects.uses(name, at).unwrap_or((true, false)))
                    }
                    _ => None,
                };
                let passed = match effects.begins_array(name, at) {
                    true => Some((false, false)),
                    false => uses(),
                };
                found.extend(passed.map(|passed| ((name.to_string(), at), passed)));
            }
        });
    });
    found
}

fn collect<'a>(statements: &'a [Stmt], found: &mut Vec<&'a ir::Loop>) {
    for statement in statements {
        match statement {
            Stmt::Loop(inner) => {
                found.push(inner);
                collect(&inner.body, found);
            }
            Stmt::If(branch) => {
                collect(&branch.then, found);
                collect(&branch.otherwise, found);
            }
            Stmt::Opaque { inner, .. } => collect(inner, found),
            Stmt::Assign { .. }
            | Stmt::Call { .. }
            | Stmt::Jump { .. }
            | Stmt::Mark { .. }
            | Stmt::Evaluate { .. } => {}
        }
    }
}

/// A loop without the call statements that only stand for the body after them.
pub(super) fn without_replaced<'l>(inner: &'l ir::Loop, origins: &Origins) -> Cow<'l, ir::Loop> {
    let mut has_replaced = false;
    if origins.any_expanded() {
        statements(&inner.body, InLoop::Yes, &mut |statement, _| {
            has_replaced |= matches!(statement, Stmt::Call { place, name, .. } if origins.is_expanded(place, name));
        });
    }
    if !has_replaced {
        return Cow::Borrowed(inner);
    }
    let mut inner = inner.clone();
    remove_replaced(&mut inner.body, origins);
    Cow::Owned(inner)
}

/// Removes call statements that only stand for the body after them.
fn remove_replaced(statements: &mut Vec<Stmt>, origins: &Origins) {
    statements.retain(
        |s| !matches!(s, Stmt::Call { place, name, .. } if origins.is_expanded(place, name)),
    );
    for statement in statements {
        match statement {
            Stmt::Loop(inner) => remove_replaced(&mut inner.body, origins),
            Stmt::If(branch) => {
                remove_replaced(&mut branch.then, origins);
                remove_replaced(&mut branch.otherwise, origins);
            }
            Stmt::Opaque { inner, .. } => remove_replaced(inner, origins),
            Stmt::Assign { .. }
            | Stmt::Call { .. }
            | Stmt::Jump { .. }
            | Stmt::Mark { .. }
            | Stmt::Evaluate { .. } => {}
        }
    }
}
