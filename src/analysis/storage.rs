//! Which arrays of the program do the names of a function stand for? A dummy array is followed to the arrays that calls pass
//! for it, through as many calls as there are.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::calls::{ProcedureId, Procedures, Target, reached};
use super::facts::{Block, Item};
use super::object::{NamedObject, Object, Owner};
use super::steady::is_constant;
use crate::ir::visit::{InLoop, assigned_to, calls_of, statements};
use crate::ir::{Extent, Function, Home, Name, Role, Stmt, Value, VarId, is_left_out};

/// A dummy argument of a procedure.
type Formal = (ProcedureId, VarId);

/// What calls pass.
pub struct Storages {
    passed: FxHashMap<Formal, Vec<Passed>>,
    /// Pointers of files and structures that are given other arrays, and common blocks that are declared in several ways.
    moved: FxHashSet<Home>,
    commons: Arc<FxHashSet<Arc<str>>>,
}

/// What one call passes for a dummy array.
#[derive(PartialEq)]
struct Passed {
    caller: ProcedureId,
    arrays: BTreeSet<VarId>,
    /// Whether it passes all of them from the beginning.
    is_whole: bool,
}

/// What a name leads to.
struct Followed {
    seen: FxHashSet<Formal>,
    objects: BTreeSet<Object>,
    is_whole: bool,
    is_laid_out: bool,
}

/// More calls of one procedure than this are not followed.
const MOST_PASSED: usize = 64;

impl Storages {
    /// Of all calls that a run gets to, or of all where none begins.
    pub fn of(known: &Procedures, commons: Arc<FxHashSet<Arc<str>>>) -> Storages {
        let mut passed: FxHashMap<Formal, Vec<Passed>> = FxHashMap::default();
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
                        let one = Passed {
                            caller,
                            arrays,
                            is_whole: is_whole(actual, function),
                        };
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
        Storages {
            passed,
            moved: moved(known),
            commons,
        }
    }

    /// The arrays that names of the body stand for. `function` has the statements of the procedure, with those of bodies
    /// that stand in place of calls.
    pub fn objects(
        &self,
        known: &Procedures,
        (id, function): (ProcedureId, &Function),
        body: &Block,
    ) -> Vec<NamedObject> {
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
            let mut found = Followed {
                seen: FxHashSet::default(),
                objects: BTreeSet::new(),
                is_whole: true,
                is_laid_out: true,
            };
            self.follow(known, (id, function), *variable, &mut found);
            let named = |object| NamedObject {
                name: name.clone(),
                object,
                is_whole: found.is_whole,
                is_laid_out: found.is_laid_out,
            };
            all.extend(found.objects.into_iter().map(named));
        }
        all
    }

    fn follow(
        &self,
        known: &Procedures,
        (id, function): (ProcedureId, &Function),
        variable: VarId,
        found: &mut Followed,
    ) {
        if !found.seen.insert((id, variable)) {
            return;
        }
        let declared = function.variable(variable);
        let is_laid_out = is_laid_out(function, variable);
        if let Some(home) = function.homes.get(&variable) {
            found.is_laid_out &= is_laid_out && has_own_storage(home);
            found.is_whole &= !self.moved.contains(home);
            if let Home::Common { block, .. } = home {
                found.is_whole &= !self.commons.contains(block);
            }
            found.objects.insert(of_home(home));
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
            let has_many = passed.is_some_and(|all| all.len() > MOST_PASSED);
            let passed = passed.filter(|_| !has_many);
            let is_unknown = |all: &Vec<Passed>| all.iter().any(|one| one.arrays.is_empty());
            // What an expression is passed for, or nobody passes, is known by its own name only.
            if passed.is_none_or(is_unknown) {
                found.is_whole &= passed.is_none() && !has_many;
                found.is_laid_out = false;
                found.objects.insert(own());
            }
            for one in passed.into_iter().flatten() {
                found.is_whole &= one.is_whole;
                let caller = (one.caller, known.get(one.caller).function);
                for array in &one.arrays {
                    self.follow(known, caller, *array, found);
                }
            }
            return;
        }
        found.is_whole &= !is_moved(known, (id, function), variable);
        let targets = targets(function, variable);
        if targets.is_empty() {
            found.is_laid_out &= is_laid_out;
            found.objects.insert(own());
        }
        for target in targets {
            match target {
                Some(array) => self.follow(known, (id, function), array, found),
                None => {
                    found.is_laid_out = false;
                    found.objects.insert(own());
                }
            }
        }
    }
}

/// Whether a variable is an array whose size compilers know, not a pointer and not a part of a structure.
fn is_laid_out(function: &Function, variable: VarId) -> bool {
    let declared = function.variable(variable);
    let is_known =
        |bound: &Option<Value>| (bound.as_ref()).is_none_or(|bound| is_constant(bound, function));
    let is_fixed = |extent: &Extent| {
        extent.upper.is_some() && is_known(&extent.upper) && is_known(&extent.lower)
    };
    !declared.dimensions.is_empty()
        && declared.dimensions.iter().all(is_fixed)
        && declared.role != Role::Argument
        && declared.name.variable() == declared.name.as_str()
}

/// Whether an array has storage that it shares with no other one.
fn has_own_storage(home: &Home) -> bool {
    match home {
        Home::Declaration { .. } | Home::File { .. } => true,
        Home::Common { .. } | Home::Component { .. } => false,
    }
}

/// What statements let a pointer point to: arrays, or something else.
fn targets(function: &Function, pointer: VarId) -> BTreeSet<Option<VarId>> {
    let mut found = BTreeSet::new();
    if !function.conventions.has_pointers() {
        return found;
    }
    for value in assigned_to(&function.body, pointer) {
        let mut arrays = BTreeSet::new();
        add_arrays(value, function, &mut arrays);
        match arrays.is_empty() {
            true => {
                found.insert(None);
            }
            false => found.extend(arrays.into_iter().map(Some)),
        }
    }
    // It may only move along what it points to.
    if found.iter().all(|target| *target == Some(pointer)) {
        found.clear();
    }
    found.remove(&Some(pointer));
    found
}

/// Whether an argument, or what a pointer is given, is where an array begins.
fn is_whole(value: &Value, function: &Function) -> bool {
    let first = function.conventions.first_index;
    match value {
        Value::Address { of, .. } => is_whole(of, function),
        Value::Convert(_, operand) => is_whole(operand, function),
        Value::Element { subscripts, .. } => subscripts.iter().all(|subscript| match subscript {
            Value::Section(parts) => {
                matches!(parts[0], Value::Integer(_)) || is_left_out(&parts[0])
            }
            Value::Integer(number) => *number == first,
            other => is_left_out(other),
        }),
        Value::Binary(..) | Value::Select(..) => false,
        _ => true,
    }
}

/// Whether a value is an address that a body gives, or one in an array.
fn is_given(known: &Procedures, (id, function): (ProcedureId, &Function), value: &Value) -> bool {
    let mut arrays = BTreeSet::new();
    add_arrays(value, function, &mut arrays);
    let is_call = match value.unconverted() {
        Value::Call { name, .. } => !matches!(known.target(id, name), Target::Library(_)),
        _ => false,
    };
    is_call || !arrays.is_empty()
}

/// Whether a pointer of a procedure gets addresses from bodies or in the middle of arrays, or is what the procedure gives its
/// callers, who have names of their own for it.
fn is_moved(known: &Procedures, (id, function): (ProcedureId, &Function), pointer: VarId) -> bool {
    if !function.conventions.has_pointers() {
        return false;
    }
    let mut moved = false;
    let is_pointer = !function.variable(pointer).dimensions.is_empty();
    statements(&function.body, InLoop::No, &mut |stmt, _| match stmt {
        Stmt::Assign {
            target: Value::Variable(assigned),
            value,
            ..
        } if *assigned == pointer => {
            moved |= is_given(known, (id, function), value)
                && (matches!(value.unconverted(), Value::Call { .. })
                    || !is_whole(value, function));
        }
        Stmt::Evaluate { values, .. } if is_pointer => {
            let is_it = |value: &Value| *value.unconverted() == Value::Variable(pointer);
            moved |= values.iter().any(is_it);
        }
        _ => {}
    });
    moved
}

/// Pointers of files and structures that statements give other arrays.
fn moved(known: &Procedures) -> FxHashSet<Home> {
    let mut found = FxHashSet::default();
    for id in known.ids() {
        let function = known.get(id).function;
        if !function.conventions.has_pointers() {
            continue;
        }
        statements(&function.body, InLoop::No, &mut |stmt, _| {
            let Stmt::Assign { target, value, .. } = stmt else {
                return;
            };
            let assigned = match (target, value.unconverted()) {
                (Value::Variable(id), _) => id,
                // A member of one of several structures.
                (Value::Element { array, .. }, Value::Variable(_)) => array,
                _ => return,
            };
            let is_pointer = !function.variable(*assigned).dimensions.is_empty();
            if let Some(home) = function.homes.get(assigned).filter(|_| is_pointer)
                && is_given(known, (id, function), value)
            {
                found.insert(home.clone());
            }
        });
    }
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
