//! The statements that the facts of a function come from, for those who run them.

use std::borrow::Cow;

use crate::calls::{Origins, ProcedureId, Procedures, expand};
use crate::ir::visit::{InLoop, statements};
use crate::ir::{self, Stmt};

/// A function with the bodies that stand in place of calls. Its loops are those of the facts, in the
/// same order, each before the loops inside it.
#[derive(Clone, Debug)]
pub struct ProcedureBody {
    pub function: ir::Function,
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
            return ProcedureBody {
                function: known.get(id).function.clone(),
            };
        };
        let mut function = expansion.function;
        remove_replaced(&mut function.body, &expansion.origins);
        ProcedureBody { function }
    }

    /// All loops, each before the loops inside it.
    pub fn loops(&self) -> Vec<&ir::Loop> {
        let mut found = Vec::new();
        collect(&self.function.body, &mut found);
        found
    }
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
