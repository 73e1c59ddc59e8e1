//! Which storage of a program keeps its value while loops run.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::calls::{ProcedureId, Procedures, Target};
use crate::ir::visit::{InLoop, calls_of, each_value, statements, values_of, variables_of};
use crate::ir::{Control, Function, Home, Stmt, Type, Value, VarId, is_left_out};

/// Storage of the program whose value no statement changes while a loop runs: all that give it one run once, before or
/// after all loops.
#[derive(Default)]
pub(crate) struct Stable {
    changing: HashSet<Home>,
    /// Arrays of which elements are given values.
    stored: HashSet<Home>,
    /// Structures that are copied as a whole, by the names of their types.
    copied: HashSet<String>,
    has_entry: bool,
    /// By procedure: whether it, or what it calls, may give elements of global arrays other values.
    storing: Vec<bool>,
    /// Common blocks whose members do not have the same names everywhere, and those of them with stored elements.
    differing: Arc<FxHashSet<Arc<str>>>,
    blocks: HashSet<Arc<str>>,
}

impl Stable {
    /// `differing`: common blocks whose members do not have the same names everywhere.
    pub fn of(known: &Procedures, differing: Arc<FxHashSet<Arc<str>>>) -> Stable {
        let once = run_once(known);
        let (mut changing, mut copied) = (HashSet::new(), HashSet::new());
        let mut stored = HashSet::new();
        for id in known.ids() {
            let function = known.get(id).function;
            let may_write = |_: &str| function.conventions.passes_places();
            // What pointers lead to may be given values anywhere.
            let mut pointed = BTreeSet::new();
            let mut point = |value: &Value| {
                each_value(value, &mut |part| match part {
                    Value::Variable(id) if !function.variable(*id).dimensions.is_empty() => {
                        pointed.insert(*id);
                    }
                    Value::Element {
                        array, subscripts, ..
                    } if subscripts.iter().any(is_left_out) => {
                        pointed.insert(*array);
                    }
                    Value::Address { of, .. } => variables_of(of, &mut pointed),
                    _ => {}
                });
            };
            function.initial.values().for_each(&mut point);
            statements(&function.body, InLoop::No, &mut |statement, _| {
                if let Stmt::Assign { value, .. } = statement {
                    point(value);
                }
            });
            let homes = pointed.iter().filter_map(|id| function.homes.get(id));
            stored.extend(homes.cloned());
            statements(&function.body, InLoop::No, &mut |statement, in_loop| {
                if in_loop == InLoop::No && once[id.at()] {
                    return;
                }
                changed_by((function, &may_write), statement, &mut |id| {
                    changing.extend(function.homes.get(&id).cloned());
                });
                stored_by(statement, &mut |id| {
                    stored.extend(function.homes.get(&id).cloned());
                });
                if let Stmt::Assign {
                    target: Value::Variable(id) | Value::Element { array: id, .. },
                    ..
                } = statement
                    && let Type::Derived(name, _) = &function.variable(*id).ty
                {
                    copied.insert(name.clone());
                }
            });
        }
        let mut all = known.ids().map(|id| known.get(id).function);
        let block = |home: &Home| match home {
            Home::Common { block, .. } => differing.get(block).cloned(),
            _ => None,
        };
        let blocks = stored.iter().filter_map(block).collect();
        Stable {
            changing,
            stored,
            copied,
            has_entry: all.any(|function| function.is_main),
            storing: storing(known),
            differing,
            blocks,
        }
    }

    /// The common block of an array, if procedures have other names for parts of it.
    pub fn shared_block<'f>(&self, function: &'f Function, id: VarId) -> Option<&'f Arc<str>> {
        match function.homes.get(&id)? {
            Home::Common { block, .. } => {
                Some(block).filter(|block| self.differing.contains(*block))
            }
            _ => None,
        }
    }

    /// Whether storage of another name may be its own, and gets other values.
    fn is_in_block(&self, home: &Home) -> bool {
        matches!(home, Home::Common { block, .. } if self.blocks.contains(block))
    }

    /// Whether what is called may give elements of global arrays other values.
    pub fn may_store(&self, target: Target) -> bool {
        match target {
            Target::Body(callee) => self.storing[callee.at()],
            Target::Library(_) | Target::Communication(_) => false,
            Target::Recursive(_) | Target::Unknown => true,
        }
    }

    /// Whether elements of a global array keep their values, too.
    pub fn has_elements(&self, function: &Function, id: VarId) -> bool {
        let home = function.homes.get(&id);
        let is_alone = !(function.shared.iter()).any(|(a, b)| *a == id || *b == id);
        let is_plain = function.variable(id).name.is_plain();
        self.has(function, id)
            && is_alone
            && is_plain
            && home.is_some_and(|home| !self.stored.contains(home) && !self.is_in_block(home))
    }

    pub fn has(&self, function: &Function, id: VarId) -> bool {
        let home = function.homes.get(&id);
        let is_copied = |home: &Home| match home {
            Home::Component { of, .. } => self.copied.contains(&**of),
            _ => false,
        };
        self.has_entry && home.is_some_and(|home| !self.changing.contains(home) && !is_copied(home))
    }
}

/// The variables that a statement may give another value, but for elements of arrays; calls of some names may give their
/// arguments other ones.
pub(super) fn changed_by(
    (function, may_write): (&Function, &dyn Fn(&str) -> bool),
    statement: &Stmt,
    change: &mut dyn FnMut(VarId),
) {
    match statement {
        Stmt::Assign {
            target: Value::Variable(id),
            ..
        } => change(*id),
        Stmt::Assign {
            target: Value::Element { array, .. },
            ..
        } if function.members.contains_key(array) => change(*array),
        Stmt::Loop(inner) => {
            if let Control::Counted { variable, .. } = &inner.control {
                change(*variable);
            }
        }
        Stmt::Call {
            name, arguments, ..
        } if may_write(name) => {
            for argument in arguments {
                if let Value::Variable(id) = argument
                    && function.variable(*id).dimensions.is_empty()
                {
                    change(*id);
                }
            }
        }
        _ => {}
    }
    values_of(statement, &mut |value| {
        if let Value::Address { of, .. } = value {
            match &**of {
                Value::Variable(id) => change(*id),
                Value::Element { array, .. } if function.members.contains_key(array) => {
                    change(*array);
                }
                _ => {}
            }
        }
    });
}

/// The arrays of which a statement may give elements other values: also those that calls get.
fn stored_by(statement: &Stmt, store: &mut dyn FnMut(VarId)) {
    if let Stmt::Assign {
        target: Value::Element { array, .. },
        ..
    } = statement
    {
        store(*array);
    }
    let mut used = BTreeSet::new();
    calls_of(statement, &mut |_, arguments| {
        arguments
            .iter()
            .for_each(|argument| variables_of(argument, &mut used));
    });
    if let Stmt::Evaluate { values, .. } = statement {
        values
            .iter()
            .for_each(|value| variables_of(value, &mut used));
    }
    values_of(statement, &mut |value| {
        if let Value::Address { of, .. } = value {
            variables_of(of, &mut used);
        }
    });
    used.into_iter().for_each(store);
}

/// By procedure: whether it, or what it calls, may give elements of global arrays other values.
fn storing(known: &Procedures) -> Vec<bool> {
    let count = known.ids().count();
    let mut callers: Vec<Vec<ProcedureId>> = vec![Vec::new(); count];
    let mut found = vec![false; count];
    for id in known.ids() {
        let function = known.get(id).function;
        statements(&function.body, InLoop::No, &mut |statement, _| {
            stored_by(statement, &mut |array| {
                found[id.at()] |= function.homes.contains_key(&array);
            });
            calls_of(statement, &mut |name, _| match known.target(id, name) {
                Target::Body(callee) => callers[callee.at()].push(id),
                Target::Library(_) | Target::Communication(_) => {}
                Target::Recursive(_) | Target::Unknown => found[id.at()] = true,
            });
        });
    }
    let mut open: Vec<usize> = (0..count).filter(|at| found[*at]).collect();
    while let Some(at) = open.pop() {
        for caller in &callers[at] {
            if !found[caller.at()] {
                found[caller.at()] = true;
                open.push(caller.at());
            }
        }
    }
    found
}

/// By procedure: whether a run of the program comes to it at most once.
fn run_once(known: &Procedures) -> Vec<bool> {
    let count = known.ids().count();
    let mut callers: Vec<Vec<(ProcedureId, InLoop)>> = vec![Vec::new(); count];
    let mut many = vec![false; count];
    for id in known.ids() {
        let function = known.get(id).function;
        statements(&function.body, InLoop::No, &mut |statement, in_loop| {
            calls_of(statement, &mut |name, _| match known.target(id, name) {
                Target::Body(callee) => callers[callee.at()].push((id, in_loop)),
                Target::Recursive(callee) => many[callee.at()] = true,
                Target::Unknown => {
                    let candidates = known.candidates(id, name);
                    candidates
                        .iter()
                        .for_each(|callee| many[callee.at()] = true);
                }
                _ => {}
            });
        });
    }
    let is_given = |id: ProcedureId| !known.givers(id).is_empty();
    let mut once = vec![false; count];
    let is_main = |id: ProcedureId| known.get(id).function.is_main;
    let mut changes = true;
    while changes {
        changes = false;
        for id in known.ids().filter(|id| !many[id.at()]) {
            let is_once = match &callers[id.at()][..] {
                [] => is_main(id),
                [(caller, InLoop::No)] => once[caller.at()] && !is_main(id) && !is_given(id),
                _ => false,
            };
            changes |= is_once && !once[id.at()];
            once[id.at()] |= is_once;
        }
    }
    once
}
