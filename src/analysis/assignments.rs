//! Which scalars statements give values, by assignment and through calls.

use std::collections::{BTreeMap, BTreeSet};
use std::slice;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::calls::{Origins, ProcedureId, Procedures, Target};
use super::datatypes::GlobalTypes;
use super::facts::FunctionKey;
use crate::intrinsics::IntrinsicKind;
use crate::ir::visit::{
    InLoop, calls_in_values, calls_of, each_value, statements, values_of, variables_of,
};
use crate::ir::{
    self, Control, Home, Role, Stmt, Type, Value, VarId, addressed, kept_addresses, passed_bases,
    passed_by_address,
};

/// What the calls of one procedure do.
pub struct Effects<'a> {
    known: &'a Procedures<'a>,
    id: ProcedureId,
    function: &'a ir::Function,
    pub origins: Origins,
    /// Global scalars of the procedure by name.
    globals: FxHashMap<&'a str, VarId>,
    /// Whether any of the calls may give a scalar another value.
    any_writes: bool,
}

impl<'a> Effects<'a> {
    pub fn new(
        known: &'a Procedures<'a>,
        id: ProcedureId,
        function: &'a ir::Function,
        origins: Origins,
    ) -> Effects<'a> {
        let scalar = |v: &&ir::Variable| v.role == Role::Global && v.dimensions.is_empty();
        let numbered = (0..).map(VarId).zip(&function.variables);
        let globals = numbered
            .filter(|(_, v)| scalar(v))
            .map(|(id, v)| (v.name.as_str(), id))
            .collect();
        let any_writes = known.any_writes(id) || origins.has_calls() || !function.passed.is_empty();
        Effects {
            known,
            id,
            function,
            origins,
            globals,
            any_writes,
        }
    }

    pub fn target(&self, name: &str) -> Target {
        self.origins
            .target(name)
            .unwrap_or_else(|| self.known.target(self.id, name))
    }

    /// Whether a value comes from outside the program: every such call gives another one.
    pub fn is_input(&self, value: &Value) -> bool {
        let mut found = false;
        each_value(value, &mut |part| {
            if let Value::Call { name, .. } = part {
                let target = self.target(name);
                found |=
                    matches!(target, Target::Library(known) if known.kind.gives_from_outside());
            }
        });
        found
    }

    /// What the program gives global variables that hold MPI types.
    pub fn global_types(&self) -> &'a GlobalTypes {
        self.known.global_types()
    }

    /// Whether the program ends in a call.
    pub fn ends_program(&self, name: &str) -> bool {
        self.known.ends_program(self.target(name))
    }

    /// Whether the summary of what `name` stands for says all that it does to scalars.
    pub fn is_known(&self, name: &str) -> bool {
        self.has_whole_summary(self.target(name))
    }

    fn has_whole_summary(&self, target: Target) -> bool {
        matches!(target, Target::Body(callee) if self.known.summary(callee).gap.is_none())
    }

    /// Why the effects of a procedure are not fully known.
    pub fn gap(&self, callee: ProcedureId) -> Option<&'a str> {
        self.known.summary(callee).gap.as_deref()
    }

    /// The call by which a procedure, or one that it calls, leads back to itself.
    pub fn recursion(&self, callee: ProcedureId) -> Option<&'a str> {
        self.known.summary(callee).recursion.as_deref()
    }

    /// Whether the accesses and operations of a body would have to stand in place of its calls.
    pub fn works_in_callers(&self, callee: ProcedureId) -> bool {
        self.known.works_in_callers(callee)
    }

    /// What a known body does to the scalar that is passed to it at a position: whether it reads it, and whether it
    /// gives it another value.
    pub fn uses(&self, name: &str, position: usize) -> Option<(bool, bool)> {
        let Target::Body(callee) = self.target(name) else {
            return None;
        };
        let summary = self.known.summary(callee);
        let known = summary.gap.is_none() && summary.recursion.is_none();
        Some((
            *summary.reads.get(position)?,
            *summary.writes.get(position)?,
        ))
        .filter(|_| known)
    }

    /// Whether the body that is called declares that it gives what it gets at a position no other values.
    pub fn only_reads(&self, name: &str, position: usize) -> bool {
        let Target::Body(callee) = self.target(name) else {
            return false;
        };
        let formal = self.known.formals(callee).get(position).copied();
        let there = self.known.get(callee).function;
        formal.is_some_and(|formal| there.read_only.contains(&formal))
    }

    /// Whether an element in this place of a call says where an array begins. Of a procedure without a body nothing else is
    /// known in a language that passes places.
    pub fn begins_array(&self, name: &str, position: usize) -> bool {
        match self.target(name) {
            Target::Unknown | Target::Communication(_) => self.function.conventions.passes_places(),
            _ => self.takes_array(name, position),
        }
    }

    /// Whether a body that is known takes an array, or an address, at that position.
    pub fn takes_array(&self, name: &str, position: usize) -> bool {
        match self.target(name) {
            Target::Body(callee) | Target::Recursive(callee) => self
                .known
                .summary(callee)
                .takes_array
                .get(position)
                .copied()
                .unwrap_or(false),
            _ => false,
        }
    }

    /// The procedures that a call may mean of which it is not known which one it is.
    pub fn candidates(&self, name: &str) -> Vec<FunctionKey> {
        let found = self.known.candidates(self.id, name).into_iter();
        found.map(|callee| self.key(callee)).collect()
    }

    /// Whether a call goes to a procedure without a body that gets others to call.
    pub fn is_absent(&self, name: &str) -> bool {
        self.known.is_handed(self.id, name)
    }

    pub fn key(&self, callee: ProcedureId) -> FunctionKey {
        self.known.key(callee)
    }

    /// The scalars that calls of known bodies in one statement may give other values; not those in the
    /// statements inside it.
    pub fn written_by(&self, statement: &Stmt, visit: &mut dyn FnMut(VarId)) {
        if !self.any_writes {
            return;
        }
        let mut call = |name: &str, arguments: &[Value]| {
            let target = self.target(name);
            let is_outside = matches!(
                target,
                Target::Communication(_) | Target::Unknown | Target::Library(_)
            );
            // Of C, what a body gets the address of may change in whatever it calls.
            let passes_addresses = self.function.conventions.has_pointers();
            if self.has_whole_summary(target) || is_outside || passes_addresses {
                self.written_to(target, arguments).for_each(&mut *visit);
            }
        };
        if let Stmt::Call {
            place,
            name,
            arguments,
        } = statement
            && !self.origins.is_expanded(place, name)
        {
            call(name, arguments);
        }
        calls_in_values(statement, &mut call);
    }

    /// Scalars that a call of a known body may give other values: among the arguments, and globals. Of what
    /// other processes send, those that receive it. Of a procedure without a body, and of the library, those whose address it gets; of what
    /// reads input or moves data, those whose address the function passes, as it does to `scanf`.
    pub fn written<'s>(
        &'s self,
        name: &str,
        arguments: &'s [Value],
    ) -> impl Iterator<Item = VarId> + use<'s, 'a> {
        self.written_to(self.target(name), arguments)
    }

    fn written_to<'s>(
        &'s self,
        target: Target,
        arguments: &'s [Value],
    ) -> impl Iterator<Item = VarId> + use<'s, 'a> {
        let (summary, received) = match target {
            Target::Body(callee) => (Some(self.known.summary(callee)), None),
            Target::Communication(interface) => (None, interface.to_buffer),
            _ => (None, None),
        };
        let scalar = |id: &VarId| self.function.variable(*id).dimensions.is_empty();
        let passed = arguments
            .iter()
            .enumerate()
            .filter_map(move |(position, argument)| match argument {
                Value::Variable(id) if scalar(id) => summary?
                    .writes
                    .get(position)
                    .copied()
                    .unwrap_or(true)
                    .then_some(*id),
                _ => None,
            });
        let led_to = arguments
            .iter()
            .enumerate()
            .filter_map(move |(position, argument)| {
                let members = summary?.members.get(position)?;
                match argument {
                    Value::Variable(id) if !scalar(id) => Some((id, members)),
                    _ => None,
                }
            })
            .flat_map(move |(id, members)| self.members(*id, members));
        let received = received.and_then(|position| match arguments.get(position - 1)? {
            Value::Variable(id) if scalar(id) => Some(*id),
            argument => match addressed(argument)? {
                Value::Variable(id) if scalar(id) => Some(*id),
                _ => None,
            },
        });
        let reads = matches!(target, Target::Library(called) if gives_values(called.kind));
        let read = arguments.iter().filter_map(move |argument| match argument {
            Value::Variable(id) if reads && self.function.passed.contains(id) => Some(*id),
            _ => None,
        });
        // A function of a library gets an address to put something there, as `frexp` does.
        let may_put = matches!(target, Target::Unknown | Target::Library(_));
        let addressed = arguments.iter().filter_map(move |argument| {
            let target = passed_by_address(argument, self.function).filter(|_| may_put)?;
            target.variable().filter(scalar)
        });
        let globals = self
            .globals
            .iter()
            .filter(move |(name, _)| summary.is_some_and(|s| s.globals.contains(name)));
        let in_blocks = self.function.homes.iter().filter(move |(id, home)| {
            let is_given = |block| summary.is_some_and(|s| s.blocks.contains(block));
            matches!(home, Home::Common { block, .. } if is_given(block)) && scalar(id)
        });
        let passed = passed
            .chain(received)
            .chain(read)
            .chain(addressed)
            .chain(led_to);
        let globals = globals.map(|(_, id)| *id);
        let all = passed.chain(globals).chain(in_blocks.map(|(id, _)| *id));
        all.flat_map(move |id| with_parts(id, self.function))
    }
}

impl Effects<'_> {
    /// The scalars among the members of what a pointer leads to that have one of some names.
    fn members(&self, pointer: VarId, names: &BTreeSet<Arc<str>>) -> Vec<VarId> {
        if names.is_empty() {
            return Vec::new();
        }
        let whole = &self.function.variable(pointer).name;
        let is_meant = |variable: &ir::Variable| {
            variable.dimensions.is_empty()
                && variable.name.is_member()
                && variable.name.variable() == whole.variable()
                && variable.name.members().any(|name| names.contains(name))
        };
        let numbered = (0..).map(VarId).zip(&self.function.variables);
        let members = numbered.filter(|(_, variable)| is_meant(variable));
        members.map(|(id, _)| id).collect()
    }
}

/// Whether a library function gives what it gets the address of another value.
fn gives_values(kind: IntrinsicKind) -> bool {
    use IntrinsicKind::{Input, Io, Memory, Read};
    matches!(kind, Input | Io | Memory | Read)
}

/// Scalars that are passed to calls and that nothing else in the function gives a value: the callee
/// does. Other scalars are taken to be inputs, as sizes and strides are; the call itself is a reason. The counts are those of
/// the whole function.
pub fn outputs(function: &ir::Function, counts: &Counts) -> BTreeSet<VarId> {
    let is_output = |id: &VarId| {
        let variable = function.variable(*id);
        variable.dimensions.is_empty()
            && matches!(variable.role, ir::Role::Local | ir::Role::Global)
    };
    counts
        .iter()
        .filter(|(id, count)| count.statements == 0 && is_output(id))
        .map(|(id, _)| *id)
        .collect()
}

/// Scalars that are passed to calls of procedures without a body by their place. The counts are those of the whole function.
pub fn handed_out(function: &ir::Function, counts: &Counts) -> BTreeSet<VarId> {
    if !function.conventions.passes_places() {
        return BTreeSet::new();
    }
    let is_scalar = |id: &VarId| function.variable(*id).dimensions.is_empty();
    counts
        .iter()
        .filter(|(id, count)| count.calls > 0 && is_scalar(id))
        .map(|(id, _)| *id)
        .collect()
}

/// Whole numbers whose places calls of procedures without a body get, or of some that pass them on to these.
pub fn handed_to_unknown(block: &[Stmt], effects: &Effects) -> BTreeSet<VarId> {
    let function = effects.function;
    let mut found = BTreeSet::new();
    if !function.conventions.passes_places() {
        return found;
    }
    statements(block, InLoop::No, &mut |statement, _| {
        let mut call = |name: &str, arguments: &[Value]| {
            let passed = arguments.iter().filter_map(Value::variable);
            match effects.target(name) {
                Target::Unknown => {
                    found.extend(passed.filter(|id| !function.read_only.contains(id)));
                }
                Target::Body(_) if !effects.is_known(name) => {
                    found.extend(effects.written(name, arguments));
                }
                _ => {}
            }
        };
        if let Stmt::Call {
            name, arguments, ..
        } = statement
        {
            call(name, arguments);
        }
        values_of(statement, &mut |value| {
            // Without a type it may be an array of a module that is not there.
            if let Value::Call {
                name,
                arguments,
                ty,
            } = value
                && *ty != Type::Unknown
            {
                call(name, arguments);
            }
        });
    });
    found
}

/// Assignments by variable.
pub type Counts = BTreeMap<VarId, Assignments>;

/// How often a variable is assigned, and passed to calls that may assign it.
#[derive(Clone, Copy, Default)]
pub struct Assignments {
    pub statements: u32,
    pub calls: u32,
}

/// Scalars that the whole function assigns exactly once, outside loops and branches, from a value
/// that does not read itself; `None` for one that comes from outside the program. The counts are those of the whole function.
pub fn assigned_once(
    function: &ir::Function,
    effects: &Effects,
    counts: &Counts,
) -> BTreeMap<VarId, Option<Value>> {
    let mut once: BTreeMap<VarId, Option<Value>> = BTreeMap::new();
    let straight: BTreeSet<VarId> = (function.body.iter())
        .filter_map(|statement| match statement {
            Stmt::Assign {
                target: Value::Variable(id),
                ..
            } => Some(*id),
            _ => None,
        })
        .collect();
    let mut settled: BTreeSet<VarId> = BTreeSet::new();
    // What is asked for before has another value there: what it begins with, or what is passed.
    let (mut met, mut before) = (BTreeSet::new(), BTreeSet::new());
    for statement in &function.body {
        before.append(&mut met);
        statements(slice::from_ref(statement), InLoop::No, &mut |inner, _| {
            values_of(inner, &mut |value| {
                if let Value::Variable(id) | Value::Element { array: id, .. } = value {
                    met.insert(*id);
                }
            });
        });
        let Stmt::Assign {
            target: Value::Variable(id),
            value,
            ..
        } = statement
        else {
            continue;
        };
        let variable = function.variable(*id);
        let is_number = matches!(variable.ty, Type::Integer(..) | Type::Real(_));
        let is_index = matches!(variable.ty, Type::Integer(..));
        let mut used = BTreeSet::new();
        variables_of(value, &mut used);
        // What is set once, but after this or from its own value, has two values.
        let stays = |used: &VarId| !straight.contains(used) || settled.contains(used);
        let inputs_stay = used.iter().all(|used| {
            counts
                .get(used)
                .is_none_or(|c| c.statements <= 1 && stays(used))
        });
        if is_number
            && variable.dimensions.is_empty()
            && counts.get(id).is_some_and(|c| c.statements == 1)
            && !before.contains(id)
            && !used.contains(id)
            && inputs_stay
        {
            settled.insert(*id);
            if is_index {
                once.insert(*id, (!effects.is_input(value)).then(|| value.clone()));
            }
        }
    }
    once
}

/// The scalars whose addresses a statement keeps, or one that it calls, through which others may give them values.
fn pointed_to_by(statement: &Stmt, effects: &Effects) -> Vec<VarId> {
    let function = effects.function;
    let mut kept = kept_addresses(statement, function);
    calls_of(statement, &mut |name, arguments| {
        for (position, argument) in arguments.iter().enumerate() {
            if effects.known.keeps(effects.target(name), position) {
                passed_bases(argument, function, &mut kept);
            }
        }
    });
    let scalars = kept.into_iter().flat_map(|value| match value {
        Value::Variable(id) => parts_of(*id, function),
        _ => Vec::new(),
    });
    let is_scalar = |id: &VarId| function.variable(*id).dimensions.is_empty();
    scalars.filter(is_scalar).collect()
}

/// A variable, and the members of the structure that it is.
fn with_parts(id: VarId, function: &ir::Function) -> Vec<VarId> {
    let mut all = parts_of(id, function);
    if all.first() != Some(&id) {
        all.push(id);
    }
    all
}

/// A variable, or the members of the structure that it is.
pub fn parts_of(id: VarId, function: &ir::Function) -> Vec<VarId> {
    let whole = function.variable(id);
    if !matches!(whole.ty, Type::Derived(..)) || !whole.dimensions.is_empty() {
        return vec![id];
    }
    let is_part = |variable: &ir::Variable| {
        variable.name.is_member() && variable.name.variable() == whole.name.variable()
    };
    let numbered = (0..).map(VarId).zip(&function.variables);
    let parts = numbered.filter(|(_, variable)| is_part(variable));
    parts.map(|(id, _)| id).collect()
}

/// The scalars that statements may give values by other names: those whose addresses are kept, and what shares storage.
pub fn pointed_to(effects: &Effects) -> BTreeSet<VarId> {
    let mut found: BTreeSet<VarId> = effects.function.aliased.clone();
    statements(&effects.function.body, InLoop::No, &mut |statement, _| {
        found.extend(pointed_to_by(statement, effects));
    });
    found
}

/// Counts the assignments in statements, inner loops included; what calls of known bodies write counts as
/// assigned by the call.
pub fn count_assignments(statements: &[Stmt], effects: &Effects, counts: &mut Counts) {
    for statement in statements {
        effects.written_by(statement, &mut |id| {
            counts.entry(id).or_default().statements += 1;
        });
        for pointed_to in pointed_to_by(statement, effects) {
            counts.entry(pointed_to).or_default().statements += 1;
        }
        match statement {
            Stmt::Assign {
                target: Value::Variable(id),
                ..
            } => counts.entry(*id).or_default().statements += 1,
            Stmt::Call {
                place,
                name,
                arguments,
            } if !effects.origins.is_expanded(place, name) && !effects.is_known(name) => {
                let target = effects.target(name);
                for (position, argument) in (1..).zip(arguments) {
                    if let Value::Variable(id) = argument
                        && !matches!(target, Target::Communication(interface) if interface.only_reads(position))
                    {
                        counts.entry(*id).or_default().calls += 1;
                    }
                }
            }
            Stmt::Loop(inner) => {
                if let Control::Counted { variable, .. } = &inner.control {
                    counts.entry(*variable).or_default().statements += 1;
                }
                count_assignments(&inner.body, effects, counts);
            }
            Stmt::If(branch) => {
                count_assignments(&branch.then, effects, counts);
                count_assignments(&branch.otherwise, effects, counts);
            }
            Stmt::Opaque { inner, .. } => count_assignments(inner, effects, counts),
            Stmt::Assign { .. }
            | Stmt::Call { .. }
            | Stmt::Evaluate { .. }
            | Stmt::Jump { .. }
            | Stmt::Mark { .. } => {}
        }
    }
}

/// Whether a variable that a value reads is among those that statements assign.
pub fn is_assigned(value: &Value, counts: &Counts) -> bool {
    let mut used = BTreeSet::new();
    variables_of(value, &mut used);
    used.iter()
        .any(|id| counts.get(id).is_some_and(|count| count.statements > 0))
}
