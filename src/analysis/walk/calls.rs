//! What calls do, as far as the bodies behind them are known.

use super::Walker;
use crate::calls::Target;
use crate::communication::{self, Types};
use crate::datatypes::Datatypes;
use crate::diagnostic::Place;
use crate::expr::Expr;
use crate::facts::{AccessClass, Block, Body, Call, Communication, Rest};
use crate::intrinsics::{CallsBack, Intrinsic, IntrinsicKind, Meaning};
use crate::ir::{Type, Value, VarId, addressed};
use crate::message_passing::Interface;
use crate::reason::ReasonCode;

impl Walker<'_> {
    pub(super) fn call(
        &mut self,
        place: &Place,
        name: &str,
        arguments: &[Value],
        block: &mut Block,
    ) {
        use IntrinsicKind::{
            Allocation, Array, Association, Communication, Input, Io, Lock, Memory, Options, Read,
            Reduction, Status, System, Termination, Text, Timer,
        };
        let body = match self.effects.target(name) {
            // Such as `qsort`: how often it calls what it is given is at best estimated.
            Target::Library(_) if self.effects.is_absent(name) => {
                self.reason(block, place, ReasonCode::AmbiguousCall, name.to_string());
                Body::OneOf(self.effects.candidates(name))
            }
            Target::Library(called) => {
                match called.kind {
                    Reduction | Array => {
                        self.reason(block, place, ReasonCode::ArrayIntrinsic, name.to_string());
                    }
                    Memory => {
                        self.reason(block, place, ReasonCode::MemoryIntrinsic, name.to_string());
                    }
                    Allocation if self.depth() > 0 => {
                        self.reason(block, place, ReasonCode::AllocationInLoop, name.to_string());
                    }
                    Text => block.texts += self.texts(format_arguments(arguments)),
                    Input => block.texts += self.texts_read(arguments),
                    // Roughly: storage is filled from a buffer, a call at a time.
                    Read => block.texts += 1,
                    Io | Timer | Status | Options | System | Lock | Termination | Allocation
                    | Association | Communication => {}
                    _ => return,
                }
                Body::Library
            }
            Target::Body(callee) => {
                self.may_end_in(callee, arguments);
                if let Some(call) = self.effects.recursion(callee) {
                    self.reason(
                        block,
                        place,
                        ReasonCode::Recursion,
                        format!("{name}: {call}"),
                    );
                } else if let Some(gap) = self.effects.gap(callee) {
                    self.reason(block, place, ReasonCode::Callee, format!("{name}: {gap}"));
                } else if self.depth() > 0 && self.effects.works_in_callers(callee) {
                    self.reason(
                        block,
                        place,
                        ReasonCode::Callee,
                        format!("{name}: its accesses cannot be mapped to the caller's arrays"),
                    );
                } else if self.depth() > 0
                    && self.procedures.works_outside_loops(callee)
                    && !self.effects.origins.is_in_front(place, name)
                {
                    let detail = format!("{name}: its work outside its loops has no time");
                    self.reason(block, place, ReasonCode::Callee, detail);
                }
                Body::Function(self.effects.key(callee))
            }
            Target::Recursive(callee) => {
                self.reason(block, place, ReasonCode::Recursion, name.to_string());
                Body::Recursive(Some(self.effects.key(callee)))
            }
            Target::Communication(interface) if interface.needs() > arguments.len() => {
                self.reason(block, place, ReasonCode::MissingArguments, name.to_string());
                Body::Unknown
            }
            Target::Communication(interface) => Body::Communication(Box::new(
                self.communication(place, name, interface, arguments),
            )),
            Target::Unknown => match self.effects.candidates(name) {
                found if found.is_empty() => {
                    self.reason(block, place, ReasonCode::Call, name.to_string());
                    Body::Unknown
                }
                found => {
                    self.reason(block, place, ReasonCode::AmbiguousCall, name.to_string());
                    // What it does besides calling them is not known.
                    if self.effects.is_absent(name) {
                        self.reason(block, place, ReasonCode::Call, name.to_string());
                        self.list(place, name, arguments, Body::Unknown, block);
                    }
                    Body::OneOf(found)
                }
            },
        };
        self.list(place, name, arguments, body, block);
    }

    /// Counts and records what passing an argument does.
    pub(super) fn argument(
        &mut self,
        place: &Place,
        at: (&str, usize),
        argument: &Value,
        block: &mut Block,
    ) {
        let always = self.always_evaluated(argument);
        self.with_counter(place, block, |counter| counter.count(&always));
        self.reads_in_argument(place, at, argument, block);
    }

    /// An array that a known body takes is passed as an address, a section of an array is handed over, an element
    /// that Fortran passes to a procedure without a body is where an array starts: the caller only evaluates
    /// subscripts and bounds. What C passes is the element, and of an array of pointers that is one; of `&a[i]` it is an
    /// address.
    pub(super) fn reads_in_argument(
        &mut self,
        place: &Place,
        at: (&str, usize),
        argument: &Value,
        block: &mut Block,
    ) {
        let is_section = |v: &Value| matches!(v, Value::Section(_));
        let is_start = || self.effects.begins_array(at.0, at.1);
        match argument {
            Value::Element {
                array, subscripts, ..
            } if !self.symbols.is_pointer_element(argument)
                && (is_start() || subscripts.iter().any(is_section)) =>
            {
                // It may be a pointer, which is loaded, or an array in a structure, which is where it is.
                let variable = self.function().variable(*array);
                if variable.ty == Type::Unknown && !self.function().conventions.passes_places() {
                    let detail = format!("`{}` has no known type", variable.name);
                    self.reason(block, place, ReasonCode::UnknownType, detail);
                }
                self.subscripts_in(place, subscripts, block);
            }
            Value::Element {
                array, subscripts, ..
            } if self.passes_place(at.0, *array) => {
                self.subscripts_in(place, subscripts, block);
                let is_structure = matches!(self.function().variable(*array).ty, Type::Derived(..));
                let (reads, writes) = match self.effects.uses(at.0, at.1) {
                    _ if is_structure => (false, false),
                    Some((reads, writes)) => {
                        let (read, written) = self.uses_in_front(place, at);
                        (reads && !read, writes && !written)
                    }
                    None => (true, false),
                };
                for class in [
                    reads.then_some(AccessClass::ReadOnly),
                    writes.then_some(AccessClass::WriteOnly),
                ] {
                    class
                        .into_iter()
                        .for_each(|class| self.access(place, *array, subscripts, class, block));
                }
            }
            _ => match (addressed(argument), self.effects.target(at.0)) {
                // `frexp(x, &e[i])`
                (Some(element @ Value::Element { .. }), Target::Library(called))
                    if touches_element(called.kind) =>
                {
                    self.reads_in(place, element, block);
                }
                _ => self.reads_in(place, argument, block),
            },
        }
    }

    /// Whether an argument of a call is read, and written, by what stands in front of the call.
    fn uses_in_front(&self, place: &Place, (name, position): (&str, usize)) -> (bool, bool) {
        let uses = match self.effects.target(name) {
            Target::Body(callee) if self.effects.origins.is_in_front(place, name) => {
                self.procedures.uses_in_front(callee, position)
            }
            _ => None,
        };
        uses.unwrap_or_default()
    }

    /// Whether a known body gets the place of an element, not its value: what of it is accessed the body says.
    fn passes_place(&self, name: &str, array: VarId) -> bool {
        let is_body = matches!(
            self.effects.target(name),
            Target::Body(_) | Target::Recursive(_)
        );
        is_body
            && self.function().conventions.passes_places()
            && !self.function().variable(array).dimensions.is_empty()
    }

    /// What evaluating the subscripts and bounds of an argument reads.
    fn subscripts_in(&mut self, place: &Place, subscripts: &[Value], block: &mut Block) {
        for subscript in subscripts {
            match subscript {
                Value::Opaque { inner, .. } => {
                    inner.iter().for_each(|v| self.reads_in(place, v, block));
                }
                Value::Section(parts) => parts.iter().for_each(|v| self.reads_in(place, v, block)),
                Value::Address { of, .. } => self.reads_in(place, of, block),
                Value::Row => {}
                _ => self.reads_in(place, subscript, block),
            }
        }
    }

    /// How many of the values are numbers, which take time to write as text.
    pub(super) fn texts(&self, values: &[Value]) -> u64 {
        let is_whole = |value: &Value| match value {
            Value::Variable(id) => !self.function().variable(*id).dimensions.is_empty(),
            _ => false,
        };
        let is_number = |value: &&Value| {
            let ty = value.ty(self.function());
            matches!(
                ty,
                Type::Integer(..) | Type::Real(_) | Type::Complex(_) | Type::Unknown
            ) && !matches!(value, Value::Text(_))
                && !is_whole(value)
        };
        values.iter().filter(is_number).count() as u64
    }

    /// The same of values that a call reads from text, whose addresses it gets.
    fn texts_read(&self, arguments: &[Value]) -> u64 {
        let is_number = |value: &&Value| {
            matches!(
                value.ty(self.function()),
                Type::Integer(2.., _) | Type::Real(_)
            )
        };
        let read = arguments.iter().filter_map(addressed);
        read.filter(is_number).count() as u64
    }

    /// Whether a value is what a statement with a format reads.
    pub(super) fn is_from_text(&self, value: &Value) -> bool {
        let Value::Call { name, .. } = value else {
            return false;
        };
        self.effects.target(name).meaning() == Some(Meaning::FromText)
    }

    fn communication(
        &mut self,
        place: &Place,
        name: &str,
        interface: &Interface,
        arguments: &[Value],
    ) -> Communication {
        let call = communication::Call {
            line: place.line,
            name,
            interface,
            arguments,
        };
        if self.datatypes.is_none() && interface.kind.moves_data() {
            self.datatypes = Some(Datatypes::of(self.function()));
        }
        let types = self.datatypes.as_ref().map(|local| Types {
            local,
            global: self.effects.global_types(),
        });
        communication::moved(&call, types.as_ref(), &mut self.symbols)
    }

    pub(super) fn list(
        &mut self,
        place: &Place,
        name: &str,
        arguments: &[Value],
        body: Body,
        block: &mut Block,
    ) {
        let share = match (&body, self.effects.target(name)) {
            (Body::Function(_), Target::Body(callee)) => self
                .share_of_largest(callee, arguments)
                .or_else(|| self.share_of_last(place.line, arguments)),
            _ => None,
        };
        let times = match (&body, self.effects.target(name)) {
            (Body::OneOf(_), Target::Library(called)) => (called.calls_back)
                .and_then(|calls_back| self.times_called_back(calls_back, arguments)),
            _ => None,
        };
        let handed = match &body {
            Body::Function(_) => self.steady.handed(arguments, &self.around),
            _ => Vec::new(),
        };
        let rest = match &body {
            Body::Function(_) => self.rest_of(place, name),
            _ => Rest::WithBody,
        };
        let arguments = arguments
            .iter()
            .map(|argument| self.symbols.text(argument))
            .collect();
        block.calls.push(Call {
            line: place.line,
            name: name.to_string(),
            arguments,
            body,
            share,
            times,
            handed,
            rest,
        });
    }

    /// How often a library calls what it is given: to sort n elements it compares n·⌈log₂ n⌉ pairs, as merging them does at
    /// most; to find one it compares ⌈log₂ n⌉.
    fn times_called_back(&mut self, calls_back: CallsBack, arguments: &[Value]) -> Option<Expr> {
        let elements = arguments.get(calls_back.elements())?;
        let elements = self.symbols.expression(elements)?;
        let stages = elements.clone().tree_stages();
        Some(match calls_back {
            CallsBack::Sort => elements * stages,
            CallsBack::Search => stages,
        })
    }

    /// Where the work counts that a body does outside its loops.
    fn rest_of(&self, place: &Place, name: &str) -> Rest {
        if self.effects.origins.is_in_front(place, name) {
            return Rest::InFront;
        }
        let goes_with_caller =
            self.depth() == 0 && (self.procedures).goes_with_caller(self.procedure, place, name);
        match goes_with_caller {
            true => Rest::WithCaller,
            false => Rest::WithBody,
        }
    }

    /// After the call, nobody knows the scalars that it gives values.
    pub(super) fn written_by_call(&mut self, name: &str, arguments: &[Value], block: &mut Block) {
        let written: Vec<VarId> = self.effects.written(name, arguments).collect();
        match self.effects.target(name) {
            // All that it may reach.
            Target::Unknown
            | Target::Recursive(_)
            | Target::Library(Intrinsic {
                kind: IntrinsicKind::Communication,
                ..
            }) => {
                let scalar = |argument: &Value| match argument {
                    Value::Variable(id) if self.function().variable(*id).dimensions.is_empty() => {
                        Some(*id)
                    }
                    _ => None,
                };
                let passed: Vec<VarId> = arguments.iter().filter_map(scalar).collect();
                self.set_by_call(&passed, arguments, block);
            }
            _ => self.set_by_call(&written, arguments, block),
        }
        for id in written {
            self.changes(id, self.depth());
            self.changes_in_compared(id);
        }
    }
}

impl Walker<'_> {
    /// After the call of a procedure without a body, nobody knows the whole numbers whose places it gets.
    pub(super) fn reset_by_call(&mut self, name: &str, arguments: &[Value]) {
        for id in self.may_be_reset_by(name, arguments) {
            self.changes(id, self.depth());
            self.changes_in_compared(id);
        }
    }

    /// Whole numbers whose places a procedure without a body gets, but for variables of loops, which it must not change.
    fn may_be_reset_by(&self, name: &str, arguments: &[Value]) -> Vec<VarId> {
        let function = self.function();
        let is_unknown = match self.effects.target(name) {
            Target::Library(known) => known.kind.gives_state(),
            target => matches!(target, Target::Unknown),
        };
        if !function.conventions.passes_places() || !is_unknown {
            return Vec::new();
        }
        let is_handed = |id: &VarId| {
            let variable = function.variable(*id);
            matches!(variable.ty, Type::Integer(..))
                && variable.dimensions.is_empty()
                && variable.constant.is_none()
                && !function.read_only.contains(id)
                && !self.symbols.loops.contains(id)
        };
        let passed = arguments.iter().filter_map(Value::variable);
        passed.filter(is_handed).collect()
    }
}

/// Whether a library function uses the number that it is given the address of.
fn touches_element(kind: IntrinsicKind) -> bool {
    use IntrinsicKind::{
        Allocation, Array, Association, Communication, Input, Io, Lock, Memory, Options, Read,
        Status, System, Termination, Text, Timer,
    };
    !matches!(
        kind,
        Allocation
            | Array
            | Association
            | Communication
            | Input
            | Io
            | Read
            | Memory
            | Lock
            | Options
            | System
            | Termination
            | Text
            | Timer
            | Status
    )
}

/// What a format writes: the arguments behind it.
fn format_arguments(arguments: &[Value]) -> &[Value] {
    let format = arguments
        .iter()
        .position(|argument| matches!(argument, Value::Text(_)));
    format.map_or(&[], |format| &arguments[format + 1..])
}
