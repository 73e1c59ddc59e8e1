//! What gives structures values as a whole?
//!
//! ```text
//! c = read_settings()     the body is known: what it does to the components counts
//! c = d                   a component is one place, whichever structure it is in
//! c = grid(4, 5)          not followed: what the type says of its components is no longer what they have
//! call library(c)
//! settings()->n = 5       any component may be it
//! ```

use super::collector::Collector;
use crate::calls::{ProcedureId, Target};
use crate::intrinsics::IntrinsicKind;
use crate::ir::{Function, Type, Value, VarId, addressed};
use rustc_hash::FxHashSet;

impl Collector<'_, '_> {
    /// Notes the type of a structure that a statement gives a value that is not followed.
    pub(super) fn assigned_as_a_whole(&mut self, id: ProcedureId, target: &Value, value: &Value) {
        let function = self.known.get(id).function;
        if let Value::Opaque { .. } = target {
            self.is_anything_set = true;
        }
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
        let is_unseen = function.conventions.has_pointers()
            && match self.known.target(id, name) {
                Target::Library(called) => called.kind == IntrinsicKind::Memory,
                target => matches!(target, Target::Unknown),
            };
        for argument in arguments.iter().filter(|_| is_open) {
            let target = addressed(argument).unwrap_or(argument);
            if let Some(ty) = structure(function, target) {
                self.opened.insert(ty.to_string());
                if is_unseen && self.written(id, argument).is_some() {
                    self.handed_over.insert(ty.to_string());
                }
            }
        }
    }

    /// Notes that the components of such structures may get values that nothing here follows, or those of all.
    pub(super) fn note_handed_over(&mut self) {
        let places = &self.places;
        for (at, definitions) in (0..).zip(&mut self.all) {
            let structure = places.get(super::places::PlaceId(at)).structure.as_deref();
            definitions.is_aliased |=
                structure.is_some_and(|ty| self.is_anything_set || self.handed_over.contains(ty));
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
                // What statements give one structure of the type is not what another one begins with.
                definitions.is_aliased |= definitions.initial.is_some();
                definitions.initial = None;
                definitions.other_initial.clear();
            }
        }
    }

    /// Adds the zeros of structures that are defined without values, to what declarations give others of their types.
    pub(super) fn begin_with_zero(&mut self) {
        const ZERO: &Value = &Value::Integer(0);
        for id in self.known.ids() {
            let function = self.known.get(id).function;
            let numbered = || (0..).map(VarId).zip(&function.variables);
            let zero = numbered().filter(|(id, _)| function.zero.contains(id));
            let zero: FxHashSet<&str> = zero.map(|(_, variable)| variable.name.as_str()).collect();
            for (variable, of) in numbered() {
                if of.name.is_member()
                    && !of.name.is_behind_pointer()
                    && zero.contains(of.name.variable())
                    && let Some(place) = self.places.variable(self.known, id, variable)
                    && self.places.get(place).structure.is_some()
                {
                    let elements = self.places.get(place).elements.clone();
                    for place in std::iter::once(place).chain(elements) {
                        let begun = self.of(place);
                        match begun.initial {
                            Some(_) if begun.assigned.is_empty() => {
                                begun.other_initial.push((id, ZERO));
                            }
                            Some(_) => {}
                            None => begun.is_zero_structure = true,
                        }
                    }
                }
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
        let name = &function.variable(function.in_source(*variable)).name;
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
