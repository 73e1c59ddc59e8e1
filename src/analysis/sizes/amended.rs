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
use std::rc::Rc;
use std::slice;

use rustc_hash::{FxHashMap, FxHashSet};

use super::asked::{read_by, read_in};
use super::inputs::is_input;
use crate::calls::{ProcedureId, Procedures, Target};
use crate::ir::visit::{InLoop, calls_of, mentions, statements, values_of, variables_of};
use crate::ir::{If, Stmt, Value, VarId, passed_by_address};

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
    /// What it leaves is not followed: something has used it before, or a procedure changes it.
    pub is_unclear: bool,
    /// It makes the next value of the last one.
    pub is_of_itself: bool,
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
pub(super) fn amended<'u>(
    known: &Procedures<'u>,
    id: ProcedureId,
    reads: &mut Reads,
) -> Vec<Amended<'u>> {
    let mut walk = Walk {
        known,
        id,
        all: reads.of(known, id),
        reads,
        read: FxHashSet::default(),
        used: FxHashSet::default(),
        conditions: Vec::new(),
        is_open: false,
        found: Vec::new(),
    };
    walk.block(&known.get(id).function.body);
    walk.found
}

/// What each procedure reads somewhere, of those that were asked for.
#[derive(Default)]
pub(super) struct Reads(FxHashMap<ProcedureId, Rc<FxHashSet<VarId>>>);

impl Reads {
    /// What a procedure reads, itself or by those that it calls.
    fn of(&mut self, known: &Procedures, id: ProcedureId) -> Rc<FxHashSet<VarId>> {
        if let Some(found) = self.0.get(&id) {
            return found.clone();
        }
        // Procedures that call each other end here.
        self.0.insert(id, Rc::default());
        let function = known.get(id).function;
        let mut all = read_in(known, id, &function.body);
        statements(&function.body, InLoop::No, &mut |stmt, _| {
            calls_of(stmt, &mut |name, arguments| {
                all.extend(self.read_by_call(known, id, (name, arguments)));
            });
        });
        let all = Rc::new(all);
        self.0.insert(id, all.clone());
        all
    }

    /// The variables of a procedure that a call reads.
    fn read_by_call(
        &mut self,
        known: &Procedures,
        id: ProcedureId,
        (name, arguments): (&str, &[Value]),
    ) -> Vec<VarId> {
        let Target::Body(callee) = known.target(id, name) else {
            return Vec::new();
        };
        let read_there = self.of(known, callee);
        let function = known.get(id).function;
        let by_place = function.conventions.passes_places();
        let pairs = known.formals(callee).into_iter().zip(arguments);
        pairs
            .filter(|(formal, _)| read_there.contains(formal))
            .filter_map(
                |(_, argument)| match passed_by_address(argument, function) {
                    Some(given) => given.variable(),
                    None => argument.variable().filter(|_| by_place),
                },
            )
            .collect()
    }
}

struct Walk<'k, 'u> {
    known: &'k Procedures<'u>,
    id: ProcedureId,
    reads: &'k mut Reads,
    /// What the procedure reads somewhere.
    all: Rc<FxHashSet<VarId>>,
    /// What it has read so far.
    read: FxHashSet<VarId>,
    /// What has been used since.
    used: FxHashSet<VarId>,
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
                    match self.is_made_of_read(target, value) {
                        true => self.read.extend(target.variable()),
                        false => self.assigned(target, value),
                    }
                    self.use_up(&mut |used| variables_of(value, used), target.variable());
                }
                Stmt::If(branch) => self.branch(branch),
                Stmt::Loop(inner) => {
                    self.open(&inner.body);
                    let of_loop = &mut |used: &mut BTreeSet<VarId>| {
                        statements(
                            slice::from_ref(stmt),
                            InLoop::No,
                            &mut |inner, _| match inner {
                                // What it only gives a value does not count.
                                Stmt::Assign {
                                    target: Value::Variable(_),
                                    value,
                                    ..
                                } => variables_of(value, used),
                                inner => values_of(inner, &mut |value| variables_of(value, used)),
                            },
                        );
                    };
                    self.use_up(of_loop, None);
                }
                Stmt::Opaque { inner, .. } => self.open(inner),
                Stmt::Call {
                    name, arguments, ..
                } => self.called(name, arguments),
                _ => {}
            }
            if !matches!(stmt, Stmt::If(_) | Stmt::Loop(_) | Stmt::Opaque { .. }) {
                calls_of(stmt, &mut |name, arguments| {
                    let call = (name, arguments);
                    let read = self.reads.read_by_call(self.known, self.id, call);
                    self.read.extend(read);
                });
            }
        }
    }

    fn branch(&mut self, branch: &'u If) {
        for (arm, is_true) in [(&branch.then, true), (&branch.otherwise, false)] {
            self.conditions.push((&branch.condition, is_true));
            self.block(arm);
            self.conditions.pop();
        }
    }

    /// Loops and other values have used what was read as it was; what gives a variable its next value does not count.
    fn use_up(&mut self, by: &mut dyn FnMut(&mut BTreeSet<VarId>), except: Option<VarId>) {
        if self.read.is_empty() {
            return;
        }
        let mut used = BTreeSet::new();
        by(&mut used);
        used.retain(|used| self.read.contains(used) && Some(*used) != except);
        self.used.extend(used);
    }

    /// A body that is given what has been read, or reads it, may give it another value: how, is not followed.
    fn called(&mut self, name: &str, arguments: &'u [Value]) {
        let Target::Body(callee) = self.known.target(self.id, name) else {
            return;
        };
        let read_there = self.reads.of(self.known, callee);
        if self.read.is_empty() && read_there.is_empty() {
            return;
        }
        let function = self.known.get(self.id).function;
        let formals = self.known.formals(callee);
        let writes = &self.known.summary(callee).writes;
        for (position, argument) in arguments.iter().enumerate() {
            let given = passed_by_address(argument, function).unwrap_or(argument);
            let (Some(variable), Some(dummy)) = (given.variable(), formals.get(position).copied())
            else {
                continue;
            };
            let is_read = self.read.contains(&variable) || read_there.contains(&dummy);
            if !is_read || writes.get(position) == Some(&false) {
                continue;
            }
            let Some(is_of_itself) = changes(self.known, callee, dummy) else {
                continue;
            };
            self.found.push(Amended {
                procedure: self.id,
                target: given,
                value: given,
                conditions: self.conditions.clone(),
                is_open: self.is_open,
                is_unclear: true,
                is_of_itself,
                is_behind: true,
            });
        }
    }

    fn open(&mut self, block: &'u [Stmt]) {
        let before = std::mem::replace(&mut self.is_open, true);
        self.block(block);
        self.is_open = before;
    }

    /// Whether a statement makes a variable's value of what was read for it: what changes it behind that changes this.
    fn is_made_of_read(&self, target: &Value, value: &Value) -> bool {
        let function = self.known.get(self.id).function;
        let mut made = function
            .as_read
            .iter()
            .filter(|(read, of)| target.variable() == Some(**of) && mentions(value, **read));
        made.next().is_some()
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
        let is_of_others = !self.all.contains(&variable);
        let is_of_itself = mentions(value, variable);
        if is_behind || is_of_others && (is_of_itself || asks_itself()) {
            self.found.push(Amended {
                procedure: self.id,
                target,
                value,
                conditions: self.conditions.clone(),
                is_open: self.is_open,
                is_unclear: !self.conditions.is_empty() && self.used.contains(&variable),
                is_of_itself,
                is_behind,
            });
        }
    }
}

/// Whether a procedure that gives an argument a value which it does not read makes that of the one that it had.
fn changes(known: &Procedures, id: ProcedureId, dummy: VarId) -> Option<bool> {
    let mut found = None;
    statements(&known.get(id).function.body, InLoop::No, &mut |stmt, _| {
        if let Stmt::Assign { target, value, .. } = stmt
            && target.variable() == Some(dummy)
            && !is_input(value, known, id)
        {
            *found.get_or_insert(false) |= mentions(value, dummy);
        }
    });
    found
}
