//! Which statements change what has been read?
//!
//! ```text
//! read (1, nml=run)
//! if (n > 5) n = 5000        with n = 40 in the input, the program goes on with 5000
//! if (mode < 1) n = n/2      unless the mode is known, with one of two numbers
//! ```
//!
//! Procedures that do not read the variable count where the condition asks for its own value: these check what others have
//! read, or will read.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use super::asked::{read_by, read_in};
use super::inputs::is_input;
use crate::calls::{ProcedureId, Procedures};
use crate::ir::visit::variables_of;
use crate::ir::{Stmt, Value, VarId};

/// A statement that gives a variable a value after it has been read.
#[derive(Clone, Debug)]
pub struct Amended<'u> {
    pub procedure: ProcedureId,
    pub target: &'u Value,
    pub value: &'u Value,
    /// The conditions around it, and whether each has to be true.
    pub conditions: Vec<(&'u Value, bool)>,
    /// A loop is around it, or something else that is not followed.
    pub is_open: bool,
    /// The procedure has read the variable before.
    pub is_behind: bool,
}

/// What an input comes to in a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Amendment {
    /// What was read.
    Kept,
    To(f64),
    /// Something decides it that is not known.
    Open,
}

/// The statements of a procedure that change what has been read, in the order of the source.
pub(super) fn amended<'u>(known: &Procedures<'u>, id: ProcedureId) -> Vec<Amended<'u>> {
    let mut walk = Walk {
        known,
        id,
        all: read_in(known, id, &known.get(id).function.body),
        read: FxHashSet::default(),
        conditions: Vec::new(),
        is_open: false,
        found: Vec::new(),
    };
    walk.block(&known.get(id).function.body);
    walk.found
}

struct Walk<'k, 'u> {
    known: &'k Procedures<'u>,
    id: ProcedureId,
    /// What the procedure reads somewhere.
    all: FxHashSet<VarId>,
    /// What it has read so far.
    read: FxHashSet<VarId>,
    conditions: Vec<(&'u Value, bool)>,
    is_open: bool,
    found: Vec<Amended<'u>>,
}

impl<'u> Walk<'_, 'u> {
    fn block(&mut self, block: &'u [Stmt]) {
        for stmt in block {
            self.read.extend(read_by(self.known, self.id, stmt));
            match stmt {
                Stmt::Assign { target, value, .. } if !is_input(value, self.known, self.id) => {
                    self.assigned(target, value);
                }
                Stmt::If(branch) => {
                    for (arm, is_true) in [(&branch.then, true), (&branch.otherwise, false)] {
                        self.conditions.push((&branch.condition, is_true));
                        self.block(arm);
                        self.conditions.pop();
                    }
                }
                Stmt::Loop(inner) => self.open(&inner.body),
                Stmt::Opaque { inner, .. } => self.open(inner),
                _ => {}
            }
        }
    }

    fn open(&mut self, block: &'u [Stmt]) {
        let before = std::mem::replace(&mut self.is_open, true);
        self.block(block);
        self.is_open = before;
    }

    fn assigned(&mut self, target: &'u Value, value: &'u Value) {
        let Some(variable) = target.variable() else {
            return;
        };
        let is_behind = self.read.contains(&variable);
        let asks_itself = || {
            self.conditions
                .iter()
                .any(|(condition, _)| mentions(condition, variable))
        };
        if is_behind || !self.all.contains(&variable) && asks_itself() {
            self.found.push(Amended {
                procedure: self.id,
                target,
                value,
                conditions: self.conditions.clone(),
                is_open: self.is_open,
                is_behind,
            });
        }
    }
}

fn mentions(value: &Value, variable: VarId) -> bool {
    let mut used = BTreeSet::new();
    variables_of(value, &mut used);
    used.contains(&variable)
}
