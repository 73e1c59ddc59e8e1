//! Which procedures may a call through a pointer or a dummy procedure mean?
//!
//! Every procedure that a pointer of that name is given anywhere: by an assignment, an initial value, an
//! argument, or another pointer that has it.
//!
//! ```text
//! ops.smooth = jacobi;  …  other.smooth = gauss;          ops.smooth(u): jacobi or gauss
//! solve(rhs_linear)     …  void solve(rhs f) { f(u); }    f(u):          rhs_linear
//! step = choose(order)  …  rhs choose(int o) { return … } step(u):       what choose returns
//! ```
//!
//! Members are told apart by their names alone, whichever structure they are in: which of several structures a
//! pointer leads to is not followed. Where nothing is known to give a pointer a procedure, all that any pointer has and
//! that take as many arguments are meant, up to [`MOST_MEANT`]. So the answer may be too large, hardly ever too small as
//! far as the sources are there. Callers of [`Pointers::called`] count each with a reason.

use std::collections::{BTreeMap, BTreeSet};

use super::procedures::{Procedures, formals};
use super::target::{ProcedureId, Target};
use crate::ir::visit::{InLoop, calls_of, statements, values_of};
use crate::ir::{CallTable, Function, Jump, Name, Results, Role, Stmt, Type, Value, VarId};
use crate::reason::ReasonCode;

/// The kinds of pointers to procedures that are distinguished.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Pointer {
    /// A member of structures, whichever these are.
    Member(String),
    Global(String),
    /// A dummy argument or local variable of a procedure.
    Own(ProcedureId, String),
    /// What a procedure without a body calls that this one passes others to.
    Absent(ProcedureId, String),
    /// What a procedure returns.
    Result(ProcedureId),
}

/// The procedures that pointers are given.
#[derive(Default)]
pub(super) struct Pointers {
    targets: BTreeMap<Pointer, BTreeSet<ProcedureId>>,
    /// Pointers that are given what another has.
    copies: BTreeSet<(Pointer, Pointer)>,
    /// Of every procedure that pointers are given, those whose statements give it; `None` for one that some pointer has
    /// from the beginning.
    givers: BTreeMap<ProcedureId, Option<BTreeSet<ProcedureId>>>,
    /// What calls may mean whose pointers nothing is known to give procedures, by caller and name.
    others: BTreeMap<(ProcedureId, String), BTreeSet<ProcedureId>>,
}

/// A call through a pointer of which nothing is known means none of more procedures than this.
const MOST_MEANT: usize = 16;

/// When a pointer gets a value.
#[derive(Clone, Copy, PartialEq)]
enum Given {
    FromTheBeginning,
    ByStatement,
}

impl Pointers {
    pub fn new(known: &Procedures) -> Pointers {
        let mut pointers = Pointers::default();
        for id in known.ids() {
            let function = known.get(id).function;
            for (variable, value) in &function.initial {
                let pointer = variable_pointer(id, function, *variable);
                pointers.gives(known, (id, Given::FromTheBeginning), pointer, value);
            }
            for named in function
                .tables
                .values()
                .flat_map(|table| listed(known, id, table))
            {
                pointers.givers.insert(named, None);
            }
            let mut evaluated: &[Value] = &[];
            statements(&function.body, InLoop::No, &mut |stmt, _| {
                let before = std::mem::take(&mut evaluated);
                match stmt {
                    Stmt::Evaluate { values, .. } => evaluated = values,
                    Stmt::Jump {
                        kind: Jump::Return, ..
                    } if function.conventions.results == Results::Returned => {
                        for value in before {
                            let result = Pointer::Result(id);
                            pointers.gives(known, (id, Given::ByStatement), result, value);
                        }
                    }
                    Stmt::Assign {
                        target: Value::Variable(array) | Value::Element { array, .. },
                        value,
                        ..
                    } => {
                        let pointer = variable_pointer(id, function, *array);
                        pointers.gives(known, (id, Given::ByStatement), pointer, value);
                    }
                    Stmt::Call {
                        name, arguments, ..
                    } => pointers.passes(known, id, name, arguments),
                    _ => {}
                }
                values_of(stmt, &mut |value| {
                    if let Value::Call {
                        name, arguments, ..
                    } = value
                    {
                        pointers.passes(known, id, name, arguments);
                    }
                });
            });
        }
        pointers.follow_copies();
        pointers.follow_calls(known);
        pointers.follow_others(known);
        pointers
    }

    /// A call through a pointer may mean all procedures of as many arguments that any pointer has, where nothing says which
    /// one it is: it is loaded from a table, converted, or set through its address.
    fn follow_others(&mut self, known: &Procedures) {
        let mut named: BTreeSet<ProcedureId> = self.givers.keys().copied().collect();
        named.extend(known.named.iter().copied());
        let mut found = Vec::new();
        for id in known.ids() {
            let function = known.get(id).function;
            if !function.conventions.has_pointers() {
                continue;
            }
            statements(&function.body, InLoop::No, &mut |stmt, _| {
                calls_of(stmt, &mut |name, arguments| {
                    if !matches!(known.target(id, name), Target::Unknown)
                        || !self.is_open((id, function), name, known)
                    {
                        return;
                    }
                    let fits = |other: &ProcedureId| {
                        formals(known.get(*other).function).len() == arguments.len()
                    };
                    let fitting: BTreeSet<_> = named.iter().copied().filter(fits).collect();
                    if !fitting.is_empty() && fitting.len() <= MOST_MEANT {
                        found.push(((id, name.to_string()), fitting));
                    }
                });
            });
        }
        for (call, fitting) in found {
            self.others.entry(call).or_default().extend(fitting);
        }
    }

    /// Whether a call goes through a pointer that may have other procedures than those that are known.
    fn is_open(
        &self,
        (caller, function): (ProcedureId, &Function),
        name: &str,
        known: &Procedures,
    ) -> bool {
        let mut numbered = (0..).map(VarId).zip(&function.variables);
        let called = numbered.find(|(_, variable)| variable.name.as_str() == name);
        let is_set_elsewhere = called.is_some_and(|(variable, _)| {
            function.passed.contains(&variable) || function.aliased.contains(&variable)
        });
        let given = self.through((caller, function), name, known);
        is_set_elsewhere || given.is_some_and(|given| given.is_empty())
    }

    /// The procedures that a call of this name may mean; `None` if it does not go through a pointer.
    pub fn called(
        &self,
        (caller, function): (ProcedureId, &Function),
        name: &str,
        known: &Procedures,
    ) -> Option<Vec<ProcedureId>> {
        let given = self.through((caller, function), name, known);
        let others = self.others.get(&(caller, name.to_string()));
        match (given, others) {
            (given, None) => given,
            (given, Some(others)) => {
                let all: BTreeSet<_> = given
                    .into_iter()
                    .flatten()
                    .chain(others.iter().copied())
                    .collect();
                Some(all.into_iter().collect())
            }
        }
    }

    /// The procedures that the pointer of a call is known to be given; `None` if it does not go through one.
    fn through(
        &self,
        (caller, function): (ProcedureId, &Function),
        name: &str,
        known: &Procedures,
    ) -> Option<Vec<ProcedureId>> {
        if let Some(found) = self.in_table((caller, function), name, known) {
            return Some(found);
        }
        let member = Name::read(name).members().last().map(str::to_string);
        let variable = || {
            let is_called = |v: &&crate::ir::Variable| v.name.as_str() == name;
            match function.variables.iter().find(is_called)?.role {
                Role::Global => Some(Pointer::Global(name.to_string())),
                Role::Argument | Role::Local => Some(Pointer::Own(caller, name.to_string())),
                Role::Constant(_) | Role::Undeclared => None,
            }
        };
        let Some(pointer) = member.map(Pointer::Member).or_else(variable) else {
            return self.handed(caller, name);
        };
        let found = self.targets.get(&pointer);
        Some(found.into_iter().flatten().copied().collect())
    }

    /// The procedures that one passes to another that has no body: that one may call them. `None` if it passes none.
    pub fn handed(&self, caller: ProcedureId, name: &str) -> Option<Vec<ProcedureId>> {
        let found = self
            .targets
            .get(&Pointer::Absent(caller, name.to_string()))?;
        Some(found.iter().copied().collect())
    }

    /// The procedures that a table has from the beginning, or is given; `None` if the call does not go through one.
    fn in_table(
        &self,
        (caller, function): (ProcedureId, &Function),
        name: &str,
        known: &Procedures,
    ) -> Option<Vec<ProcedureId>> {
        let table = function.tables.get(name)?;
        let mut found: BTreeSet<ProcedureId> = listed(known, caller, table).collect();
        if let Some(variable) = table.variable {
            let pointer = variable_pointer(caller, function, variable);
            found.extend(self.targets.get(&pointer).into_iter().flatten());
        }
        if let Some(member) = Name::read(name).members().last() {
            let pointer = Pointer::Member(member.to_string());
            found.extend(self.targets.get(&pointer).into_iter().flatten());
        }
        Some(found.into_iter().collect())
    }

    /// The procedures whose statements give this one to pointers; none where a pointer has it from the beginning, or nothing
    /// is known.
    pub fn givers(&self, of: ProcedureId) -> impl Iterator<Item = ProcedureId> + '_ {
        let givers = self.givers.get(&of).and_then(Option::as_ref);
        givers.into_iter().flatten().copied()
    }

    fn passes(&mut self, known: &Procedures, caller: ProcedureId, name: &str, arguments: &[Value]) {
        match known.target(caller, name) {
            Target::Body(callee) | Target::Recursive(callee) => {
                self.passes_to(known, caller, callee, arguments);
            }
            Target::Library(_) if !known.conventions(caller).has_pointers() => {}
            // Such as `qsort`, which calls what it is given.
            Target::Unknown | Target::Library(_) => {
                for value in arguments {
                    let pointer = Pointer::Absent(caller, name.to_string());
                    self.gives(known, (caller, Given::ByStatement), pointer, value);
                }
            }
            Target::Communication(_) => {}
        }
    }

    /// A call gives the dummy arguments of a procedure what it passes.
    fn passes_to(
        &mut self,
        known: &Procedures,
        caller: ProcedureId,
        callee: ProcedureId,
        arguments: &[Value],
    ) {
        let function = known.get(callee).function;
        for (formal, value) in formals(function).into_iter().zip(arguments) {
            let pointer = variable_pointer(callee, function, formal);
            self.gives(known, (caller, Given::ByStatement), pointer, value);
        }
    }

    /// Calls through pointers pass procedures, too: to each that the pointer may mean, which may show what more others mean.
    fn follow_calls(&mut self, known: &Procedures) {
        let mut through: Vec<(ProcedureId, &str, &[Value])> = Vec::new();
        for id in known.ids() {
            statements(&known.get(id).function.body, InLoop::No, &mut |stmt, _| {
                calls_of(stmt, &mut |name, arguments| {
                    if matches!(known.target(id, name), Target::Unknown) {
                        through.push((id, name, arguments));
                    }
                });
            });
        }
        let mut followed: BTreeSet<(usize, ProcedureId)> = BTreeSet::new();
        loop {
            let mut found = Vec::new();
            for (at, (caller, name, _)) in through.iter().enumerate() {
                let function = known.get(*caller).function;
                let called = self.called((*caller, function), name, known);
                let fresh = called.into_iter().flatten();
                found.extend(
                    fresh
                        .map(|callee| (at, callee))
                        .filter(|one| !followed.contains(one)),
                );
            }
            if found.is_empty() {
                return;
            }
            for (at, callee) in found {
                let (caller, _, arguments) = through[at];
                self.passes_to(known, caller, callee, arguments);
                followed.insert((at, callee));
            }
            self.follow_copies();
        }
    }

    /// A pointer gets a value that a procedure has.
    fn gives(
        &mut self,
        known: &Procedures,
        (id, when): (ProcedureId, Given),
        pointer: Pointer,
        value: &Value,
    ) {
        let function = known.get(id).function;
        let name = match value {
            Value::Address { of, .. } => return self.gives(known, (id, when), pointer, of),
            Value::Convert(_, inner) => return self.gives(known, (id, when), pointer, inner),
            Value::Select(_, then, otherwise) => {
                self.gives(known, (id, when), pointer.clone(), then);
                return self.gives(known, (id, when), pointer, otherwise);
            }
            Value::Opaque { reason, .. } if reason.code == ReasonCode::ProcedureName => {
                reason.detail.as_str()
            }
            Value::Variable(variable) => {
                let from = function.variable(*variable);
                if from.role != Role::Undeclared {
                    if from.ty == Type::Unknown {
                        let from = variable_pointer(id, function, *variable);
                        self.copies.insert((from, pointer));
                    }
                    return;
                }
                from.name.as_str()
            }
            Value::Call { name, .. } => {
                if let Target::Body(callee) | Target::Recursive(callee) = known.target(id, name) {
                    self.copies.insert((Pointer::Result(callee), pointer));
                }
                return;
            }
            _ => return,
        };
        if let Target::Body(named) = known.resolve(id, name) {
            self.targets.entry(pointer).or_default().insert(named);
            let givers = self.givers.entry(named);
            match (givers.or_insert_with(|| Some(BTreeSet::new())), when) {
                (Some(givers), Given::ByStatement) => {
                    givers.insert(id);
                }
                (givers, Given::FromTheBeginning) => *givers = None,
                (None, Given::ByStatement) => {}
            }
        }
    }

    fn follow_copies(&mut self) {
        let mut changes = true;
        while changes {
            changes = false;
            for (from, to) in &self.copies {
                let Some(given) = self.targets.get(from).cloned() else {
                    continue;
                };
                let own = self.targets.entry(to.clone()).or_default();
                let before = own.len();
                own.extend(given);
                changes |= own.len() > before;
            }
        }
    }
}

/// The procedures that a table has before the program runs.
fn listed(
    known: &Procedures,
    caller: ProcedureId,
    table: &CallTable,
) -> impl Iterator<Item = ProcedureId> {
    table
        .procedures
        .iter()
        .filter_map(move |name| match known.resolve(caller, name) {
            Target::Body(named) => Some(named),
            _ => None,
        })
}

fn variable_pointer(id: ProcedureId, function: &Function, variable: VarId) -> Pointer {
    let variable = function.variable(variable);
    let name = || variable.name.as_str().to_string();
    match (variable.name.members().last(), variable.role) {
        (Some(member), _) => Pointer::Member(member.to_string()),
        (None, Role::Global) => Pointer::Global(name()),
        (None, _) => Pointer::Own(id, name()),
    }
}
