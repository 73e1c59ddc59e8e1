//! Which arrays of the program do the names of a function stand for? A dummy array is followed to the arrays that calls pass
//! for it, through as many calls as there are.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::calls::{ProcedureId, Procedures, Target, reached};
use super::facts::{Block, Item};
use super::object::{Object, Owner};
use crate::ir::visit::{InLoop, calls_of, statements};
use crate::ir::{Function, Home, Name, Role, Stmt, Value, VarId};

/// A dummy argument of a procedure.
type Formal = (ProcedureId, VarId);

/// What calls pass.
pub struct Storages {
    passed: FxHashMap<Formal, Vec<(ProcedureId, BTreeSet<VarId>)>>,
}

/// More calls of one procedure than this are not followed.
const MOST_PASSED: usize = 64;

impl Storages {
    /// Of all calls that a run gets to, or of all where none begins.
    pub fn of(known: &Procedures) -> Storages {
        let mut passed: FxHashMap<Formal, Vec<(ProcedureId, BTreeSet<VarId>)>> =
            FxHashMap::default();
        let reached = reached(known);
        let is_reached = |id: &ProcedureId| reached.as_ref().is_none_or(|all| all[id.at()]);
        for caller in known.ids().filter(is_reached) {
            let function = known.get(caller).function;
            let mut call = |name: &str, arguments: &[Value]| {
                let callees = match known.target(caller, name) {
                    Target::Body(callee) | Target::Recursive(callee) => vec![callee],
                    Target::Unknown => known.candidates(caller, name),
                    Target::Library(_) | Target::Communication(_) => Vec::new(),
                };
                for callee in callees {
                    for (formal, actual) in known.formals(callee).into_iter().zip(arguments) {
                        let mut arrays = BTreeSet::new();
                        add_arrays(actual, function, &mut arrays);
                        let all = passed.entry((callee, formal)).or_default();
                        let one = (caller, arrays);
                        if !all.contains(&one) {
                            all.push(one);
                        }
                    }
                }
            };
            statements(&function.body, InLoop::No, &mut |stmt, _| {
                calls_of(stmt, &mut |name, arguments| call(name, arguments));
            });
        }
        Storages { passed }
    }

    /// The arrays that names of the body stand for. `function` has the statements of the procedure, with those of bodies
    /// that stand in place of calls.
    pub fn objects(
        &self,
        known: &Procedures,
        (id, function): (ProcedureId, &Function),
        body: &Block,
    ) -> Vec<(Name, Object)> {
        let mut names = BTreeSet::new();
        add_names(body, &mut names);
        let ids: FxHashMap<&str, VarId> = function
            .variables
            .iter()
            .zip(0..)
            .map(|(variable, number)| (variable.name.as_str(), VarId(number)))
            .collect();
        let mut all = Vec::new();
        for name in names {
            let variable = (ids.get(name.as_str())).or_else(|| ids.get(name.variable()));
            let Some(variable) = variable else { continue };
            let mut objects = BTreeSet::new();
            let mut seen = FxHashSet::default();
            self.follow(known, (id, function), *variable, (&mut seen, &mut objects));
            all.extend(objects.into_iter().map(|object| (name.clone(), object)));
        }
        all
    }

    fn follow(
        &self,
        known: &Procedures,
        (id, function): (ProcedureId, &Function),
        variable: VarId,
        (seen, objects): (&mut FxHashSet<Formal>, &mut BTreeSet<Object>),
    ) {
        if !seen.insert((id, variable)) {
            return;
        }
        let declared = function.variable(variable);
        if let Some(home) = function.homes.get(&variable) {
            objects.insert(of_home(home));
            return;
        }
        let own = || Object {
            name: declared.name.to_string(),
            owner: Owner::Procedure {
                name: function.name.clone(),
                file: function.place.file.clone(),
            },
        };
        if declared.role == Role::Argument {
            let passed = self.passed.get(&(id, variable));
            let passed = passed.filter(|all| all.len() <= MOST_PASSED);
            // What an expression is passed for, or nobody passes, is known by its own name only.
            if passed.is_none_or(|all| all.iter().any(|(_, arrays)| arrays.is_empty())) {
                objects.insert(own());
            }
            for (caller, arrays) in passed.into_iter().flatten() {
                let caller = (*caller, known.get(*caller).function);
                for array in arrays {
                    self.follow(known, caller, *array, (seen, objects));
                }
            }
            return;
        }
        let targets = targets(function, variable);
        if targets.is_empty() {
            objects.insert(own());
        }
        for target in targets {
            match target {
                Some(array) => self.follow(known, (id, function), array, (seen, objects)),
                None => {
                    objects.insert(own());
                }
            }
        }
    }
}

/// What statements let a pointer point to: arrays, or something else.
fn targets(function: &Function, pointer: VarId) -> BTreeSet<Option<VarId>> {
    let mut found = BTreeSet::new();
    if !function.conventions.has_pointers() {
        return found;
    }
    statements(&function.body, InLoop::No, &mut |stmt, _| {
        if let Stmt::Assign {
            target: Value::Variable(assigned),
            value,
            ..
        } = stmt
            && *assigned == pointer
        {
            let mut arrays = BTreeSet::new();
            add_arrays(value, function, &mut arrays);
            match arrays.is_empty() {
                true => {
                    found.insert(None);
                }
                false => found.extend(arrays.into_iter().map(Some)),
            }
        }
    });
    // It may only move along what it points to.
    if found.iter().all(|target| *target == Some(pointer)) {
        found.clear();
    }
    found.remove(&Some(pointer));
    found
}

fn of_home(home: &Home) -> Object {
    let object = |name: &Arc<str>, owner| Object {
        name: name.to_string(),
        owner,
    };
    match home {
        Home::Declaration {
            file, scope, name, ..
        } => object(
            name,
            Owner::Scope {
                name: scope.to_string(),
                file: file.clone(),
            },
        ),
        Home::Common { block, name } => object(name, Owner::Common(block.to_string())),
        Home::File { file: None, name } => object(name, Owner::Program),
        Home::File {
            file: Some(file),
            name,
        } => object(name, Owner::File(file.clone())),
        Home::Component { of, name, .. } => object(name, Owner::Structure(of.to_string())),
    }
}

/// The arrays that an argument or an address may be in.
fn add_arrays(value: &Value, function: &Function, found: &mut BTreeSet<VarId>) {
    match value {
        Value::Variable(id) if !function.variable(*id).dimensions.is_empty() => {
            found.insert(*id);
        }
        Value::Element { array, .. } => {
            found.insert(*array);
        }
        Value::Address { of, .. } => add_arrays(of, function, found),
        Value::Convert(_, operand) => add_arrays(operand, function, found),
        Value::Binary(_, left, right) | Value::Select(_, left, right) => {
            add_arrays(left, function, found);
            add_arrays(right, function, found);
        }
        _ => {}
    }
}

fn add_names(block: &Block, found: &mut BTreeSet<Name>) {
    found.extend(block.streams.iter().map(|stream| stream.array.clone()));
    for item in &block.items {
        match item {
            Item::Loop(inner) => add_names(&inner.body, found),
            Item::Branch(branch) => {
                add_names(&branch.then, found);
                let otherwise = branch.otherwise.iter();
                otherwise.for_each(|block| add_names(block, found));
            }
        }
    }
}
