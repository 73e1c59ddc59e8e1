//! Numbers that are read and then changed get two variables: one for what is read, and one for what is made of it.
//!
//! ```text
//! n = atoi(argv[1]);             n_2 = atoi(argv[1]);
//! if (n < 1) usage();            if (n_2 < 1) usage();
//! n = 4*n;                  ►    n = 4*n_2;
//! work(n);                       work(n);
//! ```
//!
//! So what is read is a root, and all that others see of the variable follows from it. Of storage that procedures share that
//! is so only where no other one gives it a value, and none that sees it runs in between.

use std::collections::{BTreeSet, HashMap};

use rustc_hash::FxHashSet;

use crate::intrinsics::{IntrinsicKind, Intrinsics};
use crate::ir::visit::{
    InLoop, calls_of, each_part_mut, each_value, jumps, mentions, statements, values_mut, values_of,
};
use crate::ir::{
    Callee, Control, FileAction, Function, Home, Jump, ListItem, Role, Stmt, Type, Unit, Value,
    VarId, Variable, addressed, passed_by_address,
};

/// What is changed more often is not taken apart.
const MOST_CHANGES: usize = 8;

/// The files with such variables.
pub fn apart(mut units: Vec<Unit>) -> Vec<Unit> {
    let mut seen: Option<Seen> = None;
    for at in 0..units.len() {
        for number in 0..units[at].functions.len() {
            let function = &units[at].functions[number];
            let changes = changes(function);
            if changes.is_empty() {
                continue;
            }
            let seen = seen.get_or_insert_with(|| Seen::of(&units));
            let mut split = BTreeSet::new();
            for (index, variable) in changes {
                let function = &units[at].functions[number];
                let before = &function.body[..index];
                let stands_apart =
                    split.contains(&variable) || is_given((function, seen), before, variable);
                if stands_apart && may_split(function, index, variable, seen) {
                    split.insert(variable);
                    divide(&mut units[at].functions[number], index, variable);
                }
            }
        }
    }
    units
}

/// The statements of a procedure, by their numbers, that make a variable's next value of its last one and that no condition
/// and no loop is around.
fn changes(function: &Function) -> Vec<(usize, VarId)> {
    let found = function.body.iter().enumerate().filter_map(|(at, stmt)| {
        let Stmt::Assign {
            target: Value::Variable(target),
            value,
            ..
        } = stmt
        else {
            return None;
        };
        let variable = function.variable(*target);
        let is_number = matches!(variable.ty, Type::Integer(..)) && variable.dimensions.is_empty();
        let is_kept = matches!(variable.role, Role::Local | Role::Global);
        let is_change = is_number && is_kept && mentions(value, *target) && !chooses(value);
        is_change.then_some((at, *target))
    });
    let mut found: Vec<(usize, VarId)> = found.collect();
    let all = found.clone();
    let changes_of = |id: VarId| all.iter().filter(|(_, other)| *other == id).count();
    found.retain(|(_, id)| changes_of(*id) <= MOST_CHANGES);
    let jumps_about = || {
        jumps(&function.body, |kind| kind == Jump::Goto)
            || (function.body.iter()).any(|stmt| matches!(stmt, Stmt::Mark { .. }))
    };
    match !found.is_empty() && (jumps_about() || !function.entries.is_empty()) {
        true => Vec::new(),
        false => found,
    }
}

/// Whether statements give a variable what comes from outside the procedure.
fn is_given((function, seen): (&Function, &Seen), before: &[Stmt], variable: VarId) -> bool {
    let is_it = |value: &Value| value.variable() == Some(variable);
    let mut found = false;
    statements(before, InLoop::No, &mut |stmt, _| {
        if let Stmt::Assign { target, value, .. } = stmt
            && is_it(target)
        {
            each_value(value, &mut |part| {
                found |= matches!(part, Value::Call { name, .. } if seen.reads(function, name).is_some());
            });
        }
        calls_of(stmt, &mut |name, arguments| {
            let Some(by_place) = seen.reads(function, name) else {
                return;
            };
            let is_written = |argument: &Value| match passed_by_address(argument, function) {
                Some(of) => is_it(of),
                None => by_place && is_it(argument),
            };
            found |= arguments.iter().any(is_written);
        });
    });
    found
}

/// Whether all that sees a variable before a statement changes it stands before that in the procedure.
fn may_split(function: &Function, index: usize, id: VarId, seen: &Seen) -> bool {
    let shares = |pair: &(VarId, VarId)| pair.0 == id || pair.1 == id;
    if function.aliased.contains(&id) || function.shared.iter().any(shares) {
        return false;
    }
    let name = &function.variable(id).name;
    let before = &function.body[..index];
    let Some(first) = before
        .iter()
        .position(|stmt| uses(stmt, &|used| used == id))
    else {
        return false;
    };
    let region = &before[first..];
    // The bounds of arrays, and structures as a whole, have the value that it has there.
    let is_made_of = |used: VarId| {
        let variable = function.variable(used);
        let bounds = (variable.dimensions.iter())
            .flat_map(|extent| [&extent.lower, &extent.upper].into_iter().flatten());
        let is_whole = name.is_member() && variable.name.as_str() == name.variable();
        is_whole || { bounds }.any(|bound| mentions(bound, id))
    };
    if region
        .iter()
        .any(|stmt| uses(stmt, &is_made_of) || uses_as_counter(stmt, &|used| used == id))
    {
        return false;
    }
    match function.homes.get(&id) {
        Some(home) => seen.is_of(home, function) && !seen.is_met(home, function, region),
        // What a procedure keeps from call to call has another value when it begins again.
        None => !function.initial.contains_key(&id) && !function.zero.contains(&id),
    }
}

/// Gives what a variable has before a statement that changes it a variable of its own.
fn divide(function: &mut Function, index: usize, id: VarId) {
    let copy = VarId(function.variables.len() as u32);
    let original = function.variable(id).clone();
    let plain = original.name.members().last();
    let plain = plain
        .unwrap_or_else(|| original.name.variable())
        .to_string();
    let is_taken = |name: &str| {
        let mut all = function.variables.iter();
        all.any(|variable| variable.name.as_str() == name)
    };
    let names = (2..).map(|number| format!("{plain}_{number}"));
    let name = { names }.find(|name| !is_taken(name)).unwrap_or_default();
    function.variables.push(Variable {
        name: name.as_str().into(),
        role: Role::Local,
        ..original
    });
    function.as_read.insert(copy, id);
    if function.passed.contains(&id) {
        function.passed.insert(copy);
    }
    if let Some(initial) = function.initial.remove(&id) {
        function.initial.insert(copy, initial);
    }
    let end = function.body[index].place().clone();
    for statement in &mut function.file_statements {
        let is_before = statement.place.file == end.file && statement.place.line <= end.line;
        if let FileAction::List(items) = &mut statement.action
            && is_before
        {
            for item in items
                .iter_mut()
                .filter(|item| **item == ListItem::Variable(id))
            {
                *item = ListItem::Variable(copy);
            }
        }
    }
    let (before, behind) = function.body.split_at_mut(index);
    values_mut(before, &mut |value| rename(value, (id, copy)));
    if let Some(Stmt::Assign { value, .. }) = behind.first_mut() {
        rename(value, (id, copy));
    }
}

fn rename(value: &mut Value, (id, copy): (VarId, VarId)) {
    match value {
        Value::Variable(own) if *own == id => *own = copy,
        value => each_part_mut(value, &mut |part| rename(part, (id, copy))),
    }
}

/// Whether a value is one of two, but for the smaller or the larger of both: `n ? n : 20` has a default in it.
fn chooses(value: &Value) -> bool {
    let mut found = false;
    each_value(value, &mut |part| {
        found |= matches!(part, Value::Select(..)) && part.extremum().is_none();
    });
    found
}

/// Whether a statement, or one inside it, names such a variable.
fn uses(stmt: &Stmt, is_it: &dyn Fn(VarId) -> bool) -> bool {
    let mut found = false;
    statements(std::slice::from_ref(stmt), InLoop::No, &mut |inner, _| {
        values_of(inner, &mut |value| {
            if let Value::Variable(id) | Value::Element { array: id, .. } = value {
                found |= is_it(*id);
            }
        });
    });
    found || uses_as_counter(stmt, is_it)
}

/// Whether a loop in a statement counts such a variable.
fn uses_as_counter(stmt: &Stmt, is_it: &dyn Fn(VarId) -> bool) -> bool {
    let mut found = false;
    statements(std::slice::from_ref(stmt), InLoop::No, &mut |inner, _| {
        if let Stmt::Loop(inner) = inner
            && let Control::Counted { variable, .. } = inner.control
        {
            found |= is_it(variable);
        }
    });
    found
}

/// Which procedures see which storage.
#[derive(Default)]
struct Seen {
    /// By name, the storage that procedures name, and what they call.
    by_name: HashMap<String, (FxHashSet<Home>, FxHashSet<String>)>,
    /// By storage, the procedures that give it values.
    given_by: HashMap<Home, FxHashSet<String>>,
    /// The procedures that read, or call one that does.
    readers: FxHashSet<String>,
}

impl Seen {
    fn of(units: &[Unit]) -> Seen {
        let mut seen = Seen::default();
        for function in units.iter().flat_map(|unit| &unit.functions) {
            let (homes, calls) = seen.by_name.entry(function.name.clone()).or_default();
            homes.extend(function.homes.values().cloned());
            let mut given: FxHashSet<VarId> = FxHashSet::default();
            let by_place = function.conventions.passes_places();
            statements(&function.body, InLoop::No, &mut |stmt, _| {
                if let Stmt::Assign { target, .. } = stmt {
                    given.extend(target.variable());
                }
                calls_of(stmt, &mut |name, arguments| {
                    calls.insert(called(function, name).to_string());
                    if is_reading(function, name) {
                        seen.readers.insert(function.name.clone());
                    }
                    for argument in arguments {
                        let of = addressed(argument).unwrap_or(argument);
                        let is_written =
                            by_place || passed_by_address(argument, function).is_some();
                        given.extend(of.variable().filter(|_| is_written));
                    }
                });
            });
            for id in given {
                if let Some(home) = function.homes.get(&id) {
                    let of = seen.given_by.entry(home.clone()).or_default();
                    of.insert(function.name.clone());
                }
            }
        }
        seen.add_readers();
        seen
    }

    /// Whether a call may give what comes from outside the program, and, if so, whether it gives it to what is not passed by
    /// address.
    fn reads(&self, function: &Function, name: &str) -> Option<bool> {
        let by_place = function.conventions.passes_places();
        if self.by_name.contains_key(called(function, name)) {
            return self
                .readers
                .contains(called(function, name))
                .then_some(by_place);
        }
        let language = function.conventions.language;
        let Some(known) = Intrinsics::builtin().lookup(language, name) else {
            return Some(by_place);
        };
        let is_list = matches!(known.kind, IntrinsicKind::Input | IntrinsicKind::System);
        let gives = known.kind.gives_from_outside() || known.kind.gives_state();
        gives.then_some(by_place && is_list)
    }

    /// Adds the procedures that call one that reads.
    fn add_readers(&mut self) {
        loop {
            let before = self.readers.len();
            for (name, (_, calls)) in &self.by_name {
                if calls.iter().any(|called| self.readers.contains(called)) {
                    self.readers.insert(name.clone());
                }
            }
            if self.readers.len() == before {
                return;
            }
        }
    }

    /// Whether a procedure is the only one that gives storage values.
    fn is_of(&self, home: &Home, function: &Function) -> bool {
        let by = self.given_by.get(home);
        by.is_some_and(|by| by.iter().all(|name| *name == function.name))
    }

    /// Whether a procedure that statements call, or one that it calls, names the storage.
    fn is_met(&self, home: &Home, function: &Function, region: &[Stmt]) -> bool {
        let mut pending: Vec<&str> = Vec::new();
        statements(region, InLoop::No, &mut |stmt, _| {
            calls_of(stmt, &mut |name, _| pending.push(called(function, name)));
        });
        let mut met: FxHashSet<&str> = FxHashSet::default();
        while let Some(name) = pending.pop() {
            if let Some((homes, calls)) = self.by_name.get(name)
                && met.insert(name)
            {
                if homes.contains(home) {
                    return true;
                }
                pending.extend(calls.iter().map(String::as_str));
            }
        }
        false
    }
}

/// Whether a function of the language reads numbers.
fn is_reading(function: &Function, name: &str) -> bool {
    use IntrinsicKind::{Input, Options, Parsing, System};
    let known = Intrinsics::builtin().lookup(function.conventions.language, name);
    known.is_some_and(|known| matches!(known.kind, Input | Options | Parsing | System))
}

/// The procedure that a name means which a procedure calls.
fn called<'f>(function: &'f Function, name: &'f str) -> &'f str {
    match function.callees.get(name) {
        Some(Callee::OfModule { name, .. }) => name,
        _ => name,
    }
}
