//! What caller and callee have to agree on before anything else is looked at: the types of what is passed by value, and how
//! long an array is that both may allocate.
//!
//! ```text
//! static void f(unsigned char n);       f(300)               ►     f(44)
//! subroutine grow(v)                    allocate(v(3))
//!   real, allocatable :: v(:)           call grow(v)         ►     v has 3 elements, or as many as `grow` gives it
//! ```

use std::collections::{BTreeSet, HashSet};

use rustc_hash::FxHashMap;

use super::procedures::formals;
use crate::ir::visit::{InLoop, calls_mut, calls_of, statements};
use crate::ir::{
    Callee, Function, Home, Passing, Role, Type, Unit, Value, VarId, is_address, stored,
};

/// The files with what calls pass as the called procedures declare it.
pub fn agreed(mut units: Vec<Unit>) -> Vec<Unit> {
    convert_passed(&mut units);
    open_lengths(&mut units);
    units
}

/// The types of the whole numbers among the dummy arguments of a function that takes values.
type Types = Vec<Option<Type>>;

/// What a name may stand for.
#[derive(Default)]
struct Named {
    /// In files that define it.
    of_files: FxHashMap<usize, Types>,
    /// In all others; nothing where several of the name differ.
    of_others: Option<Types>,
    has_others: bool,
}

impl Named {
    fn add(&mut self, file: usize, function: &Function) {
        let types: Types = (formals(function).into_iter())
            .map(|id| whole_number(function, id))
            .collect();
        if !function.is_private {
            let is_first = !std::mem::replace(&mut self.has_others, true);
            let is_same = self.of_others.as_ref() == Some(&types);
            self.of_others = (is_first || is_same).then(|| types.clone());
        }
        self.of_files.insert(file, types);
    }

    fn types(&self, file: usize) -> &[Option<Type>] {
        let found = self.of_files.get(&file).or(self.of_others.as_ref());
        found.map_or(&[], |types| types)
    }
}

fn convert_passed(units: &mut [Unit]) {
    let mut named: FxHashMap<String, Named> = FxHashMap::default();
    for (file, unit) in units.iter().enumerate() {
        let takes_values = |function: &&Function| function.conventions.passing == Passing::Values;
        for function in unit.functions.iter().filter(takes_values) {
            named
                .entry(function.name.clone())
                .or_default()
                .add(file, function);
        }
    }
    if named.is_empty() {
        return;
    }
    for (file, unit) in units.iter_mut().enumerate() {
        for function in &mut unit.functions {
            let mut body = std::mem::take(&mut function.body);
            calls_mut(&mut body, &mut |name, arguments| {
                let types = named.get(name).map_or(&[][..], |named| named.types(file));
                for (argument, ty) in arguments.iter_mut().zip(types) {
                    if let Some(ty) = ty.as_ref().filter(|_| !is_address(argument, function)) {
                        stored::convert_to(function, ty, None, argument);
                    }
                }
            });
            function.body = body;
        }
    }
}

fn whole_number(function: &Function, id: VarId) -> Option<Type> {
    let variable = function.variable(id);
    let is_whole = matches!(variable.ty, Type::Integer(..) | Type::Logical(_));
    (is_whole && variable.dimensions.is_empty()).then(|| variable.ty.clone())
}

/// Opens the dimensions of arrays to which called procedures, or others that share them, give another length.
fn open_lengths(units: &mut [Unit]) {
    let (by_position, homes) = changing(units);
    let allocated = allocating(units);
    if by_position.is_empty() && homes.is_empty() && allocated.is_empty() {
        return;
    }
    for function in units.iter_mut().flat_map(|unit| &mut unit.functions) {
        let mut opened = passed_to(function, &by_position);
        opened.extend(allocated_anew(function, &allocated));
        let shared = (function.homes.iter()).filter(|(_, home)| homes.contains(*home));
        opened.extend(shared.map(|(id, _)| *id));
        for id in opened {
            function.open_length(id);
        }
    }
}

/// Positions of dummy arguments, by the names of procedures.
type Positions = FxHashMap<String, BTreeSet<usize>>;

/// The dummy arguments that procedures may give another length, and shared arrays of which that is true.
fn changing(units: &[Unit]) -> (Positions, HashSet<Home>) {
    let mut found = Positions::default();
    let mut homes = HashSet::new();
    for function in units.iter().flat_map(|unit| &unit.functions) {
        let changed = function.lengths.keys().chain(&function.grown);
        homes.extend(changed.filter_map(|id| function.homes.get(id).cloned()));
        for (at, id) in formals(function).into_iter().enumerate() {
            let changes = function.allocated.contains(&id)
                || function.lengths.contains_key(&id)
                || function.grown.contains(&id);
            if changes {
                found.entry(function.name.clone()).or_default().insert(at);
            }
        }
    }
    (found, homes)
}

/// The shared arrays that procedures give a length, or that those do which they call, by the names of procedures.
type Allocating = FxHashMap<String, HashSet<Home>>;

fn allocating(units: &[Unit]) -> Allocating {
    let mut found = Allocating::default();
    let mut callers: FxHashMap<String, BTreeSet<String>> = FxHashMap::default();
    for function in units.iter().flat_map(|unit| &unit.functions) {
        let changed = (function.sized.iter())
            .chain(function.lengths.keys())
            .chain(&function.grown);
        let homes: HashSet<Home> = changed
            .filter_map(|id| function.homes.get(id).cloned())
            .collect();
        if !homes.is_empty() {
            let of_name = found.entry(function.name.clone()).or_default();
            of_name.extend(homes);
        }
        if function.conventions.passing != Passing::Places {
            continue;
        }
        statements(&function.body, InLoop::No, &mut |stmt, _| {
            calls_of(stmt, &mut |name, _| {
                let of_name = callers.entry(plain(function, name).to_string());
                of_name.or_default().insert(function.name.clone());
            });
        });
    }
    let mut open: Vec<String> = found.keys().cloned().collect();
    while let Some(name) = open.pop() {
        let homes = found.get(&name).cloned().unwrap_or_default();
        for caller in callers.get(&name).into_iter().flatten() {
            let of_caller = found.entry(caller.clone()).or_default();
            let before = of_caller.len();
            of_caller.extend(homes.iter().cloned());
            if of_caller.len() > before {
                open.push(caller.clone());
            }
        }
    }
    found
}

/// The shared arrays that a function allocates, and that a procedure may allocate anew which it calls: components are those of
/// what it passes there, or of what both know.
fn allocated_anew(function: &Function, allocating: &Allocating) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    let own: Vec<(VarId, &Home)> = (function.sized.iter())
        .filter_map(|id| Some((*id, function.homes.get(id)?)))
        .collect();
    if own.is_empty() {
        return found;
    }
    statements(&function.body, InLoop::No, &mut |stmt, _| {
        calls_of(stmt, &mut |name, arguments| {
            let Some(homes) = allocating.get(plain(function, name)) else {
                return;
            };
            let is_passed = |id: VarId| {
                let of = &function.variable(id).name;
                let is_in = |argument: &Value| match argument {
                    Value::Variable(passed) | Value::Element { array: passed, .. } => {
                        function.variable(*passed).name.variable() == of.variable()
                    }
                    _ => false,
                };
                function.variable(id).role == Role::Global
                    || !of.is_member()
                    || arguments.iter().any(is_in)
            };
            let anew = (own.iter()).filter(|(id, home)| homes.contains(*home) && is_passed(*id));
            found.extend(anew.map(|(id, _)| *id));
        });
    });
    found
}

/// The variables that a function passes to procedures at these positions.
fn passed_to(function: &Function, positions: &Positions) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    statements(&function.body, InLoop::No, &mut |stmt, _| {
        calls_of(stmt, &mut |name, arguments| {
            let Some(positions) = positions.get(plain(function, name)) else {
                return;
            };
            let passed = positions.iter().filter_map(|at| arguments.get(*at));
            found.extend(passed.filter_map(|argument| match argument {
                Value::Variable(id) => Some(*id),
                _ => None,
            }));
        });
    });
    found
}

/// The name that a procedure has where it is defined, if a caller gives it another one.
pub(super) fn plain<'n>(caller: &'n Function, name: &'n str) -> &'n str {
    match caller.callees.get(name) {
        Some(Callee::OfModule { name, .. }) => name,
        _ => name,
    }
}
