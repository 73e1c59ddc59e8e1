//! What does the body of a procedure do to scalars of its callers?
//!
//! Bounds and subscripts of a caller are only known if a call between them has not changed their variables. A
//! [`Summary`] says by position which scalars a call may read and write, and which global ones get another
//! value. It is made from the body and the summaries of its callees: what is passed on is written if the callee
//! writes it.
//!
//! What is not known is taken to be written: arguments of a procedure without a body, and more arguments than
//! the callee names. A body that was not read, somewhere down the calls, is a *gap*, kept with its reason, as
//! the caller's figures rest on it. Languages differ in what a scalar argument is: in Fortran the caller's own
//! variable, in C a copy, so that only what its address leads to can change.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::procedures::{Procedures, formals};
use super::summary::Summary;
use super::target::{ProcedureId, Target};
use crate::diagnostic::Place;
use crate::ir::visit::{InLoop, statements, values_of};
use crate::ir::{
    self, Control, Home, Role, Stmt, Value, VarId, addressed, kept_addresses, passed_bases,
};

/// The summary of a procedure whose callees have theirs.
pub fn summarise(known: &Procedures, id: ProcedureId) -> Summary {
    let procedure = known.get(id);
    let function = procedure.function;
    let formals = formals(function);
    let takes_array = formals
        .iter()
        .map(|id| !function.variable(*id).dimensions.is_empty())
        .collect();
    let none = vec![false; formals.len()];
    let summary = Summary {
        reads: none.clone(),
        writes: none.clone(),
        members: vec![BTreeSet::new(); none.len()],
        keeps: none,
        takes_array,
        ..Summary::default()
    };
    let mut scan = Scan {
        known,
        id,
        function,
        formals,
        summary,
    };
    statements(&function.body, InLoop::No, &mut |stmt, in_loop| {
        scan.statement(stmt, in_loop);
    });
    let bounds = function
        .variables
        .iter()
        .flat_map(|variable| &variable.dimensions);
    bounds
        .flat_map(|extent| [&extent.lower, &extent.upper])
        .flatten()
        .for_each(|bound| scan.read(bound));
    // An entry may have other dummy arguments.
    if scan.summary.gap.is_some() && !function.entries.is_empty() {
        scan.summary.writes.fill(true);
        scan.summary.reads.fill(true);
    }
    scan.summary
}

struct Scan<'a> {
    known: &'a Procedures<'a>,
    id: ProcedureId,
    function: &'a ir::Function,
    formals: Vec<VarId>,
    summary: Summary,
}

impl Scan<'_> {
    fn passes_places(&self) -> bool {
        self.function.conventions.passes_places()
    }

    fn statement(&mut self, stmt: &Stmt, in_loop: InLoop) {
        match stmt {
            Stmt::Assign {
                target: Value::Variable(id),
                ..
            } => self.assigned(*id),
            // `*n = 3`: what a scalar of the caller is behind a pointer.
            Stmt::Assign {
                target: Value::Element { array, .. },
                ..
            } if !self.passes_places() => {
                self.written(*array);
            }
            Stmt::Assign {
                target: Value::Element { array, .. },
                ..
            } => self.assigned_in_block(*array),
            Stmt::Loop(inner) => {
                if let Control::Counted { variable, .. } = &inner.control {
                    self.assigned(*variable);
                }
            }
            Stmt::Call {
                name,
                arguments,
                place,
            } => self.call(place, name, arguments),
            // What a loop does not understand is its own reason.
            Stmt::Opaque { reason, .. }
                if in_loop == InLoop::No && !reason.code.concerns_text() =>
            {
                self.gap(format!("{} in {}", reason.code, self.function.name));
            }
            _ => {}
        }
        values_of(stmt, &mut |value| {
            if let Value::Call {
                name, arguments, ..
            } = value
            {
                self.call(stmt.place(), name, arguments);
            }
        });
        kept_addresses(stmt, self.function)
            .into_iter()
            .for_each(|kept| self.kept(kept));
        self.reads(stmt);
    }

    /// Notes the dummy argument whose address, or that of a part of it, is kept.
    fn kept(&mut self, value: &Value) {
        let (Value::Variable(id) | Value::Element { array: id, .. }) = value else {
            return;
        };
        let name = |id: &VarId| self.function.variable(*id).name.variable();
        let root = name(id);
        if let Some(position) = self.formals.iter().position(|formal| name(formal) == root) {
            self.summary.keeps[position] = true;
        }
    }

    /// Notes the dummy arguments whose values a statement uses.
    fn reads(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Assign {
                target: Value::Variable(_),
                value,
                ..
            } => self.read(value),
            Stmt::Assign {
                target: Value::Element { subscripts, .. },
                value,
                ..
            } => {
                self.read(value);
                subscripts.iter().for_each(|subscript| self.read(subscript));
            }
            Stmt::Call {
                name, arguments, ..
            } => self.reads_of_call(name, arguments),
            Stmt::Assign { target, value, .. } => [target, value]
                .into_iter()
                .for_each(|value| self.read(value)),
            Stmt::Evaluate { values, .. } => values.iter().for_each(|value| self.read(value)),
            Stmt::If(branch) => self.read(&branch.condition),
            Stmt::Loop(inner) => match &inner.control {
                Control::Counted {
                    lower, upper, step, ..
                } => {
                    [lower, upper, step]
                        .into_iter()
                        .for_each(|value| self.read(value));
                }
                Control::Uncounted { condition, .. } => {
                    condition.iter().for_each(|value| self.read(value));
                }
            },
            Stmt::Opaque { .. } | Stmt::Jump { .. } | Stmt::Mark { .. } => {}
        }
    }

    fn read(&mut self, value: &Value) {
        match value {
            Value::Variable(id) => {
                if let Some(position) = self.formals.iter().position(|formal| formal == id) {
                    self.summary.reads[position] = true;
                }
            }
            Value::Call {
                name, arguments, ..
            } => self.reads_of_call(name, arguments),
            Value::Element {
                subscripts: parts, ..
            }
            | Value::Opaque { inner: parts, .. } => {
                parts.iter().for_each(|part| self.read(part));
            }
            Value::Section(parts) => parts.iter().for_each(|part| self.read(part)),
            Value::Unary(_, operand)
            | Value::Convert(_, operand)
            | Value::Address { of: operand, .. } => self.read(operand),
            Value::Binary(_, left, right) => {
                [left, right].into_iter().for_each(|part| self.read(part));
            }
            Value::Select(a, b, c) => [a, b, c].into_iter().for_each(|part| self.read(part)),
            Value::Integer(_)
            | Value::Real(..)
            | Value::Logical(_)
            | Value::Text(_)
            | Value::Row => {}
        }
    }

    /// What is passed on as a place is read if the other body reads it.
    fn reads_of_call(&mut self, name: &str, arguments: &[Value]) {
        let reads = match self.known.target(self.id, name) {
            Target::Body(callee) if self.passes_places() => Some(&self.known.summary(callee).reads),
            _ => None,
        };
        for (position, argument) in arguments.iter().enumerate() {
            let is_read = reads.is_none_or(|reads| reads.get(position).copied().unwrap_or(true));
            if is_read || !matches!(argument, Value::Variable(_)) {
                self.read(argument);
            }
        }
    }

    fn gap(&mut self, why: String) {
        self.summary.gap.get_or_insert_with(|| why.into());
    }

    /// Notes the common block of a variable that is given a value, where other procedures have other names for it.
    fn assigned_in_block(&mut self, id: VarId) {
        if let Some(Home::Common { block, .. }) = self.function.homes.get(&id)
            && self.known.is_named_differently(block)
        {
            self.summary.blocks.insert(block.clone());
        }
    }

    /// Notes the structure whose component is given a value, where it is that of the caller.
    fn part_written(&mut self, id: VarId) {
        let part = &self.function.variable(id).name;
        if !part.is_member() {
            return;
        }
        let is_whole = |formal: &VarId| {
            let whole = self.function.variable(*formal);
            let is_callers = self.passes_places() || !whole.dimensions.is_empty();
            is_callers && whole.name.variable() == part.variable()
        };
        if let Some(position) = self.formals.iter().position(is_whole) {
            self.summary.writes[position] = true;
            let members = part.members().map(Arc::from);
            self.summary.members[position].extend(members);
        }
    }

    /// Notes the members that a called procedure gives values through a pointer that this one is given.
    fn members_written(&mut self, id: VarId, members: Option<&BTreeSet<Arc<str>>>) {
        let position = self.formals.iter().position(|formal| *formal == id);
        if let (Some(position), Some(members)) = (position, members) {
            self.summary.members[position].extend(members.iter().cloned());
        }
    }

    fn assigned(&mut self, id: VarId) {
        self.assigned_in_block(id);
        self.part_written(id);
        let variable = self.function.variable(id);
        match variable.role {
            // Others are copies.
            Role::Argument if self.passes_places() => self.written(id),
            Role::Global if variable.dimensions.is_empty() => {
                self.summary.globals.add(variable.name.as_str().into());
            }
            _ => {}
        }
    }

    fn written(&mut self, id: VarId) {
        self.part_written(id);
        if !self.passes_places() && self.function.variable(id).dimensions.is_empty() {
            return;
        }
        if let Some(position) = self.formals.iter().position(|formal| *formal == id) {
            self.summary.writes[position] = true;
        }
    }

    /// Notes what a call passes on to a procedure that keeps it.
    fn kept_by(&mut self, target: Target, arguments: &[Value]) {
        let known = self.known;
        let mut kept = Vec::new();
        for (position, argument) in arguments.iter().enumerate() {
            if known.keeps(target, position) {
                passed_bases(argument, self.function, &mut kept);
            }
        }
        kept.into_iter().for_each(|value| self.kept(value));
    }

    fn call(&mut self, place: &Place, name: &str, arguments: &[Value]) {
        let known = self.known;
        self.kept_by(known.target(self.id, name), arguments);
        let mut members = None;
        let writes = match known.target(self.id, name) {
            Target::Body(callee) => {
                let callee = known.summary(callee);
                members = Some(&callee.members);
                self.summary.globals.add_all(&callee.globals);
                self.summary.blocks.extend(callee.blocks.iter().cloned());
                if let Some(gap) = &callee.gap {
                    self.summary.gap.get_or_insert_with(|| gap.clone());
                }
                if let Some(call) = &callee.recursion {
                    self.summary.recursion.get_or_insert_with(|| call.clone());
                }
                Some(&callee.writes)
            }
            Target::Library(known) if !known.kind.may_write() => return,
            Target::Library(_) => None,
            Target::Recursive(_) => {
                let call = || {
                    format!(
                        "{} calls {name} in {}:{}",
                        self.function.name, place.file, place.line
                    )
                };
                self.summary.recursion.get_or_insert_with(|| call().into());
                None
            }
            Target::Communication(_) => None,
            Target::Unknown => {
                self.gap(format!("{name} has no body here"));
                None
            }
        };
        for (position, argument) in arguments.iter().enumerate() {
            // More arguments than the callee names: nothing is known of them.
            if writes.is_none_or(|w| w.get(position).copied().unwrap_or(true)) {
                match addressed(argument).unwrap_or(argument) {
                    Value::Variable(id) => match self.function.variable(*id).role {
                        Role::Global => self.assigned(*id),
                        _ => {
                            self.written(*id);
                            self.members_written(*id, members.and_then(|m| m.get(position)));
                        }
                    },
                    Value::Element { array, .. } => {
                        self.assigned_in_block(*array);
                        self.written(*array);
                    }
                    _ => {}
                }
            }
        }
    }
}
