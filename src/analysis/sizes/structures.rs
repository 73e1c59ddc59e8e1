//! What gives structures values as a whole?
//!
//! ```text
//! c = read_settings()     the body is known: what it does to the components counts
//! c = d                   a component is one place, whichever structure it is in
//! c = grid(4, 5)          not followed: what the type says of its components is no longer what they have
//! call library(c)
//! ```

use super::collector::Collector;
use crate::calls::{ProcedureId, Target};
use crate::ir::{Function, Type, Value, addressed};

impl Collector<'_, '_> {
    /// Notes the type of a structure that a statement gives a value that is not followed.
    pub(super) fn assigned_as_a_whole(&mut self, id: ProcedureId, target: &Value, value: &Value) {
        let function = self.known.get(id).function;
        let Some(ty) = structure(function, target) else {
            return;
        };
        let is_followed = match value.unconverted() {
            Value::Call { name, .. } => {
                matches!(self.known.target(id, name), Target::Body(_))
            }
            value => structure(function, value).is_some_and(|other| other == ty),
        };
        if !is_followed {
            self.opened.insert(ty.to_string());
        }
    }

    /// Notes the types of structures that a call passes to a procedure without a body that may give them values.
    pub(super) fn passed_as_a_whole(&mut self, id: ProcedureId, name: &str, arguments: &[Value]) {
        let function = self.known.get(id).function;
        let is_open = match self.known.target(id, name) {
            Target::Body(_) | Target::Recursive(_) => false,
            Target::Library(called) => called.kind.may_write(),
            Target::Communication(_) => true,
            Target::Unknown => self.known.candidates(id, name).is_empty(),
        };
        for argument in arguments.iter().filter(|_| is_open) {
            let target = addressed(argument).unwrap_or(argument);
            if let Some(ty) = structure(function, target) {
                self.opened.insert(ty.to_string());
            }
        }
    }

    /// Forgets what components of such structures have before the program runs.
    pub(super) fn forget_opened(&mut self) {
        if self.opened.is_empty() {
            return;
        }
        let places = &self.places;
        for (at, definitions) in (0..).zip(&mut self.all) {
            let place = places.get(super::places::PlaceId(at));
            let structure = place.structure.as_deref();
            if structure.is_some_and(|structure| self.opened.contains(structure))
                && !definitions.is_settled
            {
                definitions.initial = None;
                definitions.other_initial.clear();
            }
        }
    }

    /// Notes what the input calls a component that is read.
    pub(super) fn name_as_read(&mut self, id: ProcedureId, target: &Value) {
        let (Value::Variable(variable)
        | Value::Element {
            array: variable, ..
        }) = target
        else {
            return;
        };
        let function = self.known.get(id).function;
        if !function.conventions.passes_places() {
            return;
        }
        let name = &function.variable(*variable).name;
        if name.members().next().is_some()
            && let Some(place) = self.places.variable(self.known, id, *variable)
        {
            let name = name.to_string();
            let read_as = &mut self.of(place).read_as;
            if !read_as.contains(&name) {
                read_as.push(name);
            }
        }
    }
}

/// The type of the structure that a value is.
fn structure<'f>(function: &'f Function, value: &Value) -> Option<&'f str> {
    let (Value::Variable(id) | Value::Element { array: id, .. }) = value else {
        return None;
    };
    match &function.variable(*id).ty {
        Type::Derived(name, _) => Some(name),
        _ => None,
    }
}
