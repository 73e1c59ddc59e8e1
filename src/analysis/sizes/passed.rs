//! What calls pass, and what they give back.

use super::collector::Collector;
use super::definition::Definition;
use crate::calls::{ProcedureId, Target};
use crate::intrinsics::IntrinsicKind;
use crate::ir::{Function, Passing, Value, VarId, passed_bases, passed_by_address};
use crate::message_passing::InterfaceKind;
use crate::reason::ReasonCode;

impl<'u> Collector<'_, 'u> {
    pub fn call(&mut self, caller: ProcedureId, name: &str, arguments: &'u [Value]) {
        self.passed_as_a_whole(caller, name, arguments);
        let target = self.known.target(caller, name);
        let keeps_addresses = match target {
            Target::Unknown => true,
            Target::Library(called) => !called.kind.gives_from_outside(),
            Target::Body(_) | Target::Recursive(_) | Target::Communication(_) => false,
        };
        for argument in arguments.iter().filter(|_| keeps_addresses) {
            self.pass_address(caller, argument);
        }
        match target {
            Target::Body(callee) | Target::Recursive(callee) => {
                self.body(caller, callee, arguments);
            }
            // What a pointer may mean, or one of several with the name.
            Target::Unknown => {
                let candidates = self.known.candidates(caller, name);
                for argument in arguments.iter().filter(|_| candidates.is_empty()) {
                    self.handed_by_address(caller, argument);
                    if let Some(target) = self.written(caller, argument)
                        && let Some(place) = self.place(caller, target)
                    {
                        self.of(place).is_handed_out = true;
                    }
                    // Who takes an address by itself wants something to be put there.
                    let takes_address = self.known.get(caller).function.conventions.has_pointers();
                    if let Some(target) = self.written(caller, argument).filter(|_| takes_address) {
                        self.assign(caller, target, Definition::Given);
                    }
                }
                for callee in candidates {
                    self.body(caller, callee, arguments);
                }
            }
            Target::Communication(interface) if !interface.alone.is_empty() => {
                for (position, value) in &interface.alone {
                    if let Some(argument) = arguments.get(position - 1) {
                        let target = self.written(caller, argument).unwrap_or(argument);
                        self.assign(caller, target, Definition::Alone(*value));
                        self.readers.insert(caller);
                    }
                }
            }
            target => {
                let gives = match target {
                    Target::Library(called) => {
                        called.kind.gives_from_outside() || called.kind.gives_state()
                    }
                    Target::Communication(interface) => interface.kind == InterfaceKind::Setup,
                    _ => false,
                };
                if let Target::Library(called) = target {
                    for argument in arguments {
                        let is_address = self.written(caller, argument).is_some();
                        // What is put where an address leads is assigned below, but for whole arrays.
                        let may_put = match called.kind.may_write() {
                            true => !gives || !is_address,
                            false => is_address,
                        };
                        if may_put {
                            self.handed_by_address(caller, argument);
                        }
                    }
                }
                let about = match target {
                    Target::Library(called) => called.about,
                    _ => None,
                };
                let is_list = matches!(target, Target::Library(called) if called.kind == IntrinsicKind::Input);
                for argument in arguments.iter().filter(|_| gives) {
                    // What is read are addresses, all of them.
                    let written = match self.written(caller, argument) {
                        None if is_list => Some(argument),
                        written => written,
                    };
                    if let Some(target) = written {
                        self.name_as_read(caller, target);
                        let definition = match about {
                            Some(about) if is_scalar(self.known.get(caller).function, target) => {
                                Definition::About(about)
                            }
                            _ => Definition::Given,
                        };
                        self.assign(caller, target, definition);
                        self.readers.insert(caller);
                    }
                }
            }
        }
    }

    /// Adds what a call of a procedure passes.
    fn body(&mut self, caller: ProcedureId, callee: ProcedureId, arguments: &'u [Value]) {
        self.calls.push((caller, callee));
        for (formal, actual) in self.known.formals(callee).into_iter().zip(arguments) {
            self.pass(caller, actual, callee, formal);
        }
        let function = self.known.get(caller).function;
        let mut kept = Vec::new();
        for (position, actual) in arguments.iter().enumerate() {
            if self.known.keeps(Target::Body(callee), position) {
                passed_bases(actual, function, &mut kept);
            }
        }
        for value in kept {
            self.alias_around(caller, value);
        }
    }

    /// The scalar that a called procedure may give a value.
    pub fn written<'v>(&self, caller: ProcedureId, argument: &'v Value) -> Option<&'v Value> {
        let function = self.known.get(caller).function;
        let is_place = function.conventions.passing == Passing::Places;
        passed_by_address(argument, function).or_else(|| is_place.then_some(argument))
    }

    fn pass(&mut self, caller: ProcedureId, actual: &'u Value, callee: ProcedureId, formal: VarId) {
        let dimensions = &self.known.get(callee).function.variable(formal).dimensions;
        for (extent, dimension) in dimensions.iter().zip(0..) {
            if extent.upper.is_none() {
                let place = self.places.extent(self.known, callee, formal, dimension);
                self.of(place)
                    .pass(Definition::Extent(caller, actual, dimension));
            }
        }
        self.allocated_there(caller, actual, (callee, formal));
        let Some(dummy) = self.places.variable(self.known, callee, formal) else {
            return self.pass_address(caller, actual);
        };
        let function = self.known.get(callee).function;
        let rank = function.variable(formal).dimensions.len();
        if rank == 0 {
            self.pass_address(caller, actual);
            let passed = self.passed_scalar(caller, actual);
            self.of(dummy).pass(passed);
            if function.conventions.passing == Passing::Places {
                self.assign(caller, actual, Definition::Returned(dummy));
            }
            return;
        }
        match self.written(caller, actual) {
            // `f(&n)`: the first element that the pointer leads to is the variable.
            Some(target) if self.is_scalar(caller, target) => {
                let first = vec![function.conventions.first_index; rank];
                let element = self.places.numbered(dummy, first.into());
                self.of(element).pass(Definition::Value(caller, target));
                self.assign(caller, target, Definition::Returned(element));
            }
            _ => {
                let listed = listed(actual);
                let is_listed = rank == 1 && listed.iter().all(|value| self.is_one(caller, value));
                for (value, number) in listed.iter().zip(first_subscript(function, formal)..) {
                    if is_listed {
                        let element = self.places.numbered(dummy, [number].into());
                        self.of(element).pass(Definition::Value(caller, value));
                    }
                }
                if let Value::Variable(array) = actual
                    && let Some(array) = self.places.variable(self.known, caller, *array)
                {
                    self.of(dummy).pass(Definition::Array(array));
                    self.of(array).assign(Definition::Returned(dummy));
                }
                // Nothing that other calls pass is what every call passes.
                let is_open = !is_listed || listed.is_empty();
                if is_open && matches!(actual, Value::Opaque { .. }) {
                    self.of(dummy).pass(Definition::Value(caller, actual));
                }
            }
        }
    }

    /// An array that the caller does not allocate has the extents that the called procedure allocates it with.
    fn allocated_there(
        &mut self,
        caller: ProcedureId,
        actual: &Value,
        (callee, formal): (ProcedureId, VarId),
    ) {
        let there = self.known.get(callee).function;
        let Value::Variable(array) = actual else {
            return;
        };
        let has_several = there.lengths.contains_key(&formal) || there.grown.contains(&formal);
        if has_several {
            self.made_as_long_there(caller, *array, (callee, formal));
        }
        if !there.allocated.contains(&formal) {
            return;
        }
        let here = self.known.get(caller).function;
        // What the caller has allocated stays as it is.
        if there.kept.contains(&formal) && here.lengths.contains_key(array) {
            return;
        }
        let own = &here.variable(*array).dimensions;
        let allocated = &there.variable(formal).dimensions;
        for ((own, allocated), dimension) in own.iter().zip(allocated).zip(0..) {
            if own.upper.is_none() && allocated.upper.is_some() {
                let place = self.places.extent(self.known, caller, *array, dimension);
                let definition = Definition::Allocated(callee, formal, dimension);
                self.of(place).assign(definition);
            }
        }
    }

    /// An array that a called procedure gives one of several lengths, or another than it had.
    fn made_as_long_there(
        &mut self,
        caller: ProcedureId,
        array: VarId,
        (callee, formal): (ProcedureId, VarId),
    ) {
        let own = &self.known.get(caller).function.variable(array).dimensions;
        let is_grown = self.known.get(callee).function.grown.contains(&formal);
        for (own, dimension) in own.iter().zip(0..) {
            if own.upper.is_none() {
                let place = self.places.extent(self.known, caller, array, dimension);
                let dummy = self.places.extent(self.known, callee, formal, dimension);
                self.of(place).assign(Definition::Returned(dummy));
                self.of(place).is_aliased |= is_grown;
            }
        }
    }

    /// Notes that a procedure gets the address of a variable, if it does, and that what it does with that is not followed.
    fn pass_address(&mut self, caller: ProcedureId, argument: &Value) {
        let passed = &self.known.get(caller).function.passed;
        if matches!(argument, Value::Variable(id) if passed.contains(id)) {
            self.alias(caller, argument);
        }
    }

    /// Whether a value is one number.
    fn is_one(&self, procedure: ProcedureId, value: &Value) -> bool {
        match value {
            Value::Variable(_) | Value::Element { .. } => self.is_scalar(procedure, value),
            Value::Unary(_, operand) | Value::Convert(_, operand) => {
                self.is_one(procedure, operand)
            }
            Value::Binary(_, left, right) => {
                self.is_one(procedure, left) && self.is_one(procedure, right)
            }
            Value::Integer(_) => true,
            _ => false,
        }
    }

    /// Whether a value is a scalar variable or an element of an array.
    fn is_scalar(&self, procedure: ProcedureId, value: &Value) -> bool {
        match value {
            Value::Variable(id) => {
                let function = self.known.get(procedure).function;
                function.variable(*id).dimensions.is_empty()
            }
            Value::Element { subscripts, .. } => {
                let is_part =
                    |subscript: &Value| matches!(subscript, Value::Section(_) | Value::Row);
                !subscripts.iter().any(is_part)
            }
            _ => false,
        }
    }
}

/// The elements of an array constructor.
fn listed(value: &Value) -> &[Value] {
    match value {
        Value::Opaque { reason, inner } if reason.code == ReasonCode::ArrayConstructor => inner,
        _ => &[],
    }
}

/// The first subscript of an array, if that is a number; the language's own else.
fn first_subscript(function: &Function, array: VarId) -> i64 {
    let first = function.variable(array).dimensions.first();
    match first.and_then(|extent| extent.lower.as_ref()) {
        Some(Value::Integer(first)) => *first,
        _ => function.conventions.first_index,
    }
}

fn is_scalar(function: &Function, value: &Value) -> bool {
    matches!(value, Value::Variable(id) if function.variable(*id).dimensions.is_empty())
}
