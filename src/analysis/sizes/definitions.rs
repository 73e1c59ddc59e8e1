//! What gives places their values, over all statements of the program?
//!
//! Statements are walked once and each way to a value becomes a [`Definition`]: assigned, passed by a call,
//! returned through an argument, counted by a loop, read from outside, limited (`if (x > n) x = n`). Nothing is
//! evaluated here: `values` does that over all definitions together, as a value may come from a procedure that
//! is walked later.
//!
//! Procedures that no run gets to come last, and count only for places that nothing else gives a value: a test
//! program beside the real one must not set its sizes.

use rustc_hash::FxHashSet;

use super::asked::under_input;
use super::guarded::{Around, Guarded, guarded};
use super::inputs;
use super::keys::{is_literal, keyed};
use super::places::{PlaceId, Places, inquired};
use crate::calls::{ProcedureId, Procedures, Target, reached};
use crate::intrinsics::IntrinsicKind;
use crate::ir::visit::{InLoop, each_value, statements, values_of};
use crate::ir::{BinaryOp, Control, If, Passing, Stmt, UnaryOp, Value, VarId, addressed};
use crate::message_passing::InterfaceKind;

/// One way in which a place gets a value.
#[derive(Clone, Debug)]
pub enum Definition<'u> {
    /// The value of an expression of a procedure.
    Value(ProcedureId, &'u Value),
    /// What a called procedure gives the dummy argument that the place is passed for.
    Returned(PlaceId),
    /// Whatever another array has: the one that is passed for a dummy array.
    Array(PlaceId),
    /// The number of words of the command line, which is one if there are no arguments.
    Arguments,
    /// No more than the value, which it is given where it is larger: `if (x > n) x = n`.
    AtMost(ProcedureId, &'u Value),
    /// From outside: a file, the command line, the environment.
    Given,
    /// From outside, and this where one process runs alone: their number, its rank.
    Alone(i64),
    /// The variable of a loop, with its smallest and its largest value.
    Counted(ProcedureId, [&'u Value; 2]),
    /// The number of elements that an array, or a part of one, has along a dimension.
    Extent(ProcedureId, &'u Value, u32),
    /// The same of an array whose bounds a procedure knows, as it allocates it.
    Allocated(ProcedureId, VarId, u32),
}

/// Everything that gives one place values.
#[derive(Clone, Debug, Default)]
pub struct Definitions<'u> {
    /// By statements.
    pub assigned: Vec<Definition<'u>>,
    /// By calls of the procedure whose dummy argument it is.
    pub passed: Vec<Definition<'u>>,
    /// Before the program runs.
    pub initial: Option<(ProcedureId, &'u Value)>,
    /// Of what is assigned, the values of statements that no condition and no loop is around.
    unconditional: Vec<&'u Value>,
    /// Of what is assigned, the values of statements under conditions on what their procedure reads.
    under_input: Vec<&'u Value>,
    /// Of what is assigned, literals and counts under conditions, and these.
    pub guards: Vec<(ProcedureId, &'u Value, Around<'u>)>,
    /// Whether something that is assigned is left out, as no run that is given the same gets there.
    pub has_unreached: bool,
    /// What the input calls it, where that is not its own name.
    pub keys: Vec<&'u str>,
    /// Whether nothing counts but what is there already.
    is_settled: bool,
}

impl<'u> Definitions<'u> {
    /// Whether no condition and no loop is around the statement that assigns the value.
    pub fn is_unconditional(&self, value: &Value) -> bool {
        is_among(&self.unconditional, value)
    }

    /// Whether the statement that assigns the value is under a condition on what its procedure reads.
    pub fn is_under_input(&self, value: &Value) -> bool {
        is_among(&self.under_input, value)
    }

    /// Whether statements give it values, and nothing from outside does.
    pub fn is_filled(&self) -> bool {
        let is_value = |definition: &Definition| matches!(definition, Definition::Value(..));
        let is_given = |definition: &Definition| {
            matches!(definition, Definition::Given | Definition::Alone(_))
        };
        self.assigned.iter().any(is_value) && !self.assigned.iter().any(is_given)
    }

    /// Leaves out the statement that assigns the value.
    pub fn leave_out(&mut self, value: &Value) {
        let is_it = |definition: &Definition| matches!(definition, Definition::Value(_, other) if std::ptr::eq(*other, value));
        self.has_unreached |= self.assigned.iter().any(is_it);
        self.assigned.retain(|definition| !is_it(definition));
        self.guards
            .retain(|(_, other, _)| !std::ptr::eq(*other, value));
    }

    fn assign(&mut self, definition: Definition<'u>) {
        if !self.is_settled {
            self.assigned.push(definition);
        }
    }

    fn pass(&mut self, definition: Definition<'u>) {
        if !self.is_settled {
            self.passed.push(definition);
        }
    }
}

/// Whether a value is one of those, not just equal to it.
fn is_among(values: &[&Value], value: &Value) -> bool {
    values.iter().any(|other| std::ptr::eq(*other, value))
}

/// Procedures are asked for the extents of an array that many of them share.
const MOST_ALLOCATIONS: usize = 8;

/// What was collected.
pub struct Collected<'u> {
    pub places: Places,
    /// Of every place.
    pub definitions: Vec<Definitions<'u>>,
    /// Procedures that read input, or call one that does.
    pub readers: FxHashSet<ProcedureId>,
}

/// Collects the definitions of all places.
pub struct Collector<'k, 'u> {
    known: &'k Procedures<'u>,
    pub places: Places,
    pub all: Vec<Definitions<'u>>,
    /// Procedures that read input, or call one that does.
    pub readers: FxHashSet<ProcedureId>,
    /// Calls of procedures, caller first.
    calls: Vec<(ProcedureId, ProcedureId)>,
}

impl<'k, 'u> Collector<'k, 'u> {
    pub fn new(known: &'k Procedures<'u>) -> Collector<'k, 'u> {
        Collector {
            known,
            places: Places::default(),
            all: Vec::new(),
            readers: FxHashSet::default(),
            calls: Vec::new(),
        }
    }

    /// Adds what the statements of all procedures do. What no run gets to counts only for places that nothing else gives
    /// a value.
    pub fn program(&mut self) {
        match reached(self.known) {
            None => self.known.ids().for_each(|id| self.procedure(id)),
            Some(reached) => {
                let is_reached = |id: &ProcedureId| reached[id.at()];
                let (first, others): (Vec<_>, Vec<_>) = self.known.ids().partition(is_reached);
                first.into_iter().for_each(|id| self.procedure(id));
                for known in &mut self.all {
                    known.is_settled = !known.assigned.is_empty()
                        || !known.passed.is_empty()
                        || known.initial.is_some();
                }
                others.into_iter().for_each(|id| self.procedure(id));
            }
        }
    }

    /// Adds what the statements of a procedure do.
    fn procedure(&mut self, id: ProcedureId) {
        let function = self.known.get(id).function;
        for (variable, value) in &function.initial {
            if let Some(place) = self.places.variable(self.known, id, *variable) {
                self.of(place).initial.get_or_insert((id, value));
            }
        }
        // The language gives it the command line.
        if function.is_main
            && let Some(count) = self.known.formals(id).first()
            && let Some(place) = self.places.variable(self.known, id, *count)
        {
            self.of(place).pass(Definition::Arguments);
        }
        for stmt in &function.body {
            if let Stmt::Assign { target, value, .. } = stmt
                && let Some(place) = self.place(id, target)
            {
                self.of(place).unconditional.push(value);
            }
        }
        let under_input = under_input(self.known, id);
        let mut limits: Vec<&Value> = Vec::new();
        statements(&function.body, InLoop::No, &mut |stmt, _| {
            match stmt {
                Stmt::Assign { target, value, .. } => {
                    let definition = if inputs::is_input(value, self.known, id) {
                        Definition::Given
                    } else if is_among(&limits, value) {
                        Definition::AtMost(id, value)
                    } else {
                        Definition::Value(id, value)
                    };
                    if matches!(definition, Definition::Given) {
                        self.readers.insert(id);
                    }
                    self.assign(id, target, definition);
                    if is_among(&under_input, value)
                        && let Some(place) = self.place(id, target)
                    {
                        self.of(place).under_input.push(value);
                    }
                }
                Stmt::Call {
                    name, arguments, ..
                } => self.call(id, name, arguments),
                Stmt::Loop(inner) => {
                    if let Control::Counted {
                        variable,
                        lower,
                        upper,
                        step,
                    } = &inner.control
                    {
                        let ends = match counts_down(step) {
                            true => [upper, lower],
                            false => [lower, upper],
                        };
                        let definition = Definition::Counted(id, ends);
                        self.assign(id, &Value::Variable(*variable), definition);
                    }
                }
                Stmt::If(branch) => limits.extend(upper_limit(branch)),
                Stmt::Jump { .. }
                | Stmt::Mark { .. }
                | Stmt::Evaluate { .. }
                | Stmt::Opaque { .. } => {}
            }
            values_of(stmt, &mut |value| {
                if let Value::Call {
                    name, arguments, ..
                } = value
                {
                    self.call(id, name, arguments);
                }
                // Read somewhere: it has a place, whatever gives it a value.
                self.place(id, value);
            });
        });
        for Guarded {
            target,
            value,
            around,
        } in guarded(&function.body)
        {
            if let Some(place) = self.place(id, target) {
                self.of(place).guards.push((id, value, around));
            }
        }
        self.name_by_keys(id);
        self.allocated(id);
        for variable in &function.variables {
            for extent in &variable.dimensions {
                for bound in [&extent.lower, &extent.upper].into_iter().flatten() {
                    each_value(bound, &mut |value| {
                        self.place(id, value);
                    });
                }
            }
        }
    }

    /// Gives places the names that the input has for them: those that are read alone behind a comparison with a word.
    fn name_by_keys(&mut self, id: ProcedureId) {
        for (key, branch) in keyed(self.known.get(id).function) {
            let mut read: Vec<PlaceId> = Vec::new();
            for stmt in branch {
                match stmt {
                    Stmt::Assign { target, value, .. } if !is_literal(value) => {
                        read.extend(self.place(id, target));
                    }
                    Stmt::Call {
                        name, arguments, ..
                    } if matches!(self.known.target(id, name), Target::Library(kind) if kind.gives_from_outside()) => {
                        for argument in arguments {
                            let target = self.written(id, argument).unwrap_or(argument);
                            read.extend(self.place(id, target));
                        }
                    }
                    _ => {}
                }
            }
            if let [place] = read[..] {
                self.of(place).keys.push(key);
            }
        }
    }

    /// Adds the extents of arrays that the procedure shares with others, which may not see how they are allocated.
    fn allocated(&mut self, id: ProcedureId) {
        let function = self.known.get(id).function;
        let mut shared: Vec<VarId> = function.homes.keys().copied().collect();
        shared.sort();
        for array in shared {
            for (extent, dimension) in function.variable(array).dimensions.iter().zip(0..) {
                if extent.upper.is_none() {
                    continue;
                }
                let place = self.places.extent(self.known, id, array, dimension);
                let definition = Definition::Allocated(id, array, dimension);
                if self.of(place).assigned.len() < MOST_ALLOCATIONS {
                    self.of(place).assign(definition);
                }
            }
        }
    }

    fn of(&mut self, place: PlaceId) -> &mut Definitions<'u> {
        if self.all.len() < self.places.len() {
            self.all
                .resize_with(self.places.len(), Definitions::default);
        }
        &mut self.all[place.at()]
    }

    /// Ends the collection: every place has its definitions.
    pub fn finish(mut self) -> Collected<'u> {
        self.all
            .resize_with(self.places.len(), Definitions::default);
        let read = |(_, callee): &&(ProcedureId, ProcedureId)| self.readers.contains(callee);
        let through: Vec<ProcedureId> = self
            .calls
            .iter()
            .filter(read)
            .map(|(caller, _)| *caller)
            .collect();
        self.readers.extend(through);
        Collected {
            places: self.places,
            definitions: self.all,
            readers: self.readers,
        }
    }

    fn place(&mut self, id: ProcedureId, value: &Value) -> Option<PlaceId> {
        match value {
            Value::Variable(variable) => self.places.variable(self.known, id, *variable),
            Value::Element {
                array, subscripts, ..
            } => {
                let array = self.places.variable(self.known, id, *array)?;
                Some(self.places.element(array, subscripts))
            }
            Value::Call { name, .. } => {
                let function = self.known.get(id).function;
                let (array, dimension) = inquired(function, value)?;
                let is_own = matches!(self.known.target(id, name), Target::Body(_));
                (!is_own).then(|| self.places.extent(self.known, id, array, dimension))
            }
            _ => None,
        }
    }

    fn assign(&mut self, id: ProcedureId, target: &Value, definition: Definition<'u>) {
        if let Some(place) = self.place(id, target) {
            self.of(place).assign(definition);
        }
    }

    fn call(&mut self, caller: ProcedureId, name: &str, arguments: &'u [Value]) {
        match self.known.target(caller, name) {
            Target::Body(callee) | Target::Recursive(callee) => {
                self.body(caller, callee, arguments);
            }
            // What a pointer may mean, or one of several with the name.
            Target::Unknown => {
                for callee in self.known.candidates(caller, name) {
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
                    Target::Library(kind) => kind.gives_from_outside(),
                    Target::Communication(interface) => interface.kind == InterfaceKind::Setup,
                    _ => false,
                };
                let is_list = matches!(target, Target::Library(IntrinsicKind::Input));
                for argument in arguments.iter().filter(|_| gives) {
                    // What is read are addresses, all of them.
                    let written = match self.written(caller, argument) {
                        None if is_list => Some(argument),
                        written => written,
                    };
                    if let Some(target) = written {
                        self.assign(caller, target, Definition::Given);
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
    }

    /// The scalar that a called procedure may give a value.
    fn written<'v>(&self, caller: ProcedureId, argument: &'v Value) -> Option<&'v Value> {
        let function = self.known.get(caller).function;
        match addressed(argument) {
            Some(target) => Some(target),
            None if function.conventions.passing == Passing::Places => Some(argument),
            None => None,
        }
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
        let Some(dummy) = self.places.variable(self.known, callee, formal) else {
            return;
        };
        let function = self.known.get(callee).function;
        let rank = function.variable(formal).dimensions.len();
        if rank == 0 {
            self.of(dummy).pass(Definition::Value(caller, actual));
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
                if let Value::Variable(array) = actual
                    && let Some(array) = self.places.variable(self.known, caller, *array)
                {
                    self.of(dummy).pass(Definition::Array(array));
                    self.of(array).assign(Definition::Returned(dummy));
                }
            }
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

/// The value that a variable is limited to: the `n` of `if (x > n) x = n`.
fn upper_limit(branch: &If) -> Option<&Value> {
    let [Stmt::Assign { target, value, .. }] = &branch.then[..] else {
        return None;
    };
    let Value::Binary(op, left, right) = &branch.condition else {
        return None;
    };
    let (smaller, larger) = match op {
        BinaryOp::Less | BinaryOp::LessOrEqual => (&**left, &**right),
        BinaryOp::Greater | BinaryOp::GreaterOrEqual => (&**right, &**left),
        _ => return None,
    };
    (branch.otherwise.is_empty() && value == smaller && target == larger).then_some(value)
}

fn counts_down(step: &Value) -> bool {
    match step {
        Value::Integer(n) => *n < 0,
        Value::Unary(UnaryOp::Negate, operand) => matches!(**operand, Value::Integer(1..)),
        _ => false,
    }
}
