//! What gives places values, over all statements of the program.

use super::inputs;
use super::places::{PlaceId, Places};
use crate::calls::{ProcedureId, Procedures, Target};
use crate::ir::visit::{InLoop, each_value, statements, values_of};
use crate::ir::{Control, Passing, Stmt, UnaryOp, Value, VarId, addressed};
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
    /// From outside: a file, the command line, the environment.
    Given,
    /// The variable of a loop, with its largest value.
    Counted(ProcedureId, &'u Value),
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
}

/// The definitions of all places.
pub struct Collector<'k, 'u> {
    known: &'k Procedures<'u>,
    pub places: Places,
    pub all: Vec<Definitions<'u>>,
}

impl<'k, 'u> Collector<'k, 'u> {
    pub fn new(known: &'k Procedures<'u>) -> Collector<'k, 'u> {
        Collector {
            known,
            places: Places::default(),
            all: Vec::new(),
        }
    }

    /// Adds what the statements of a procedure do.
    pub fn procedure(&mut self, id: ProcedureId) {
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
            self.of(place).passed.push(Definition::Arguments);
        }
        statements(&function.body, InLoop::No, &mut |stmt, _| {
            match stmt {
                Stmt::Assign { target, value, .. } => {
                    let definition = match inputs::is_input(value, self.known, id) {
                        true => Definition::Given,
                        false => Definition::Value(id, value),
                    };
                    self.assign(id, target, definition);
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
                        let largest = if counts_down(step) { lower } else { upper };
                        let definition = Definition::Counted(id, largest);
                        self.assign(id, &Value::Variable(*variable), definition);
                    }
                }
                Stmt::If(_)
                | Stmt::Jump { .. }
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

    fn of(&mut self, place: PlaceId) -> &mut Definitions<'u> {
        if self.all.len() < self.places.len() {
            self.all
                .resize_with(self.places.len(), Definitions::default);
        }
        &mut self.all[place.at()]
    }

    /// Ends the collection: every place has its definitions.
    pub fn finish(mut self) -> (Places, Vec<Definitions<'u>>) {
        self.all
            .resize_with(self.places.len(), Definitions::default);
        (self.places, self.all)
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
            _ => None,
        }
    }

    fn assign(&mut self, id: ProcedureId, target: &Value, definition: Definition<'u>) {
        if let Some(place) = self.place(id, target) {
            self.of(place).assigned.push(definition);
        }
    }

    fn call(&mut self, caller: ProcedureId, name: &str, arguments: &'u [Value]) {
        match self.known.target(caller, name) {
            Target::Body(callee) | Target::Recursive(callee) => {
                for (formal, actual) in self.known.formals(callee).into_iter().zip(arguments) {
                    self.pass(caller, actual, callee, formal);
                }
            }
            Target::Library(kind) if kind.gives_from_outside() => {
                for argument in arguments {
                    if let Some(target) = self.written(caller, argument) {
                        self.assign(caller, target, Definition::Given);
                    }
                }
            }
            Target::Communication(interface) if interface.kind == InterfaceKind::Setup => {
                for argument in arguments {
                    if let Some(target) = self.written(caller, argument) {
                        self.assign(caller, target, Definition::Given);
                    }
                }
            }
            _ => {}
        }
    }

    /// The scalar that a library procedure may give a value.
    fn written<'v>(&self, caller: ProcedureId, argument: &'v Value) -> Option<&'v Value> {
        let function = self.known.get(caller).function;
        match addressed(argument) {
            Some(target) => Some(target),
            None if function.conventions.passing == Passing::Places => Some(argument),
            None => None,
        }
    }

    fn pass(&mut self, caller: ProcedureId, actual: &'u Value, callee: ProcedureId, formal: VarId) {
        let Some(dummy) = self.places.variable(self.known, callee, formal) else {
            return;
        };
        let is_array = !self
            .known
            .get(callee)
            .function
            .variable(formal)
            .dimensions
            .is_empty();
        if !is_array {
            let by_place = self.known.get(callee).function.conventions.passing == Passing::Places;
            self.of(dummy)
                .passed
                .push(Definition::Value(caller, actual));
            if by_place {
                self.assign(caller, actual, Definition::Returned(dummy));
            }
            return;
        }
        match addressed(actual) {
            // `f(&n)`: the element that the pointer leads to is the variable.
            Some(target @ Value::Variable(_)) if self.is_scalar(caller, target) => {
                let element = self.places.numbered(dummy, Box::new([0]));
                self.of(element)
                    .passed
                    .push(Definition::Value(caller, target));
                self.assign(caller, target, Definition::Returned(element));
            }
            _ => {
                if let Value::Variable(array) = actual
                    && let Some(array) = self.places.variable(self.known, caller, *array)
                {
                    self.of(dummy).passed.push(Definition::Array(array));
                    self.of(array).assigned.push(Definition::Returned(dummy));
                }
            }
        }
    }

    fn is_scalar(&self, procedure: ProcedureId, value: &Value) -> bool {
        let Value::Variable(id) = value else {
            return false;
        };
        let function = self.known.get(procedure).function;
        function.variable(*id).dimensions.is_empty()
    }
}

fn counts_down(step: &Value) -> bool {
    match step {
        Value::Integer(n) => *n < 0,
        Value::Unary(UnaryOp::Negate, operand) => matches!(**operand, Value::Integer(1..)),
        _ => false,
    }
}
