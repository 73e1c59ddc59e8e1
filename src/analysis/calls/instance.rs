//! One body in place of one call: dummy arguments become what the caller passes.
//!
//! ```text
//! subroutine axpy(y, x, s, k)          call axpy(q(:, j), r(1, j), c*d, i)
//!   y(k) = y(k) + s*x(k)          ►    q(i, j) = q(i, j) + c*d*r(i, j)
//! ```
//!
//! Scalars become the caller's variable, its value, or a copy of it where the body assigns it or uses it more
//! than once (`bindings`); arrays become parts of the caller's arrays (`view`); members of structures variables
//! of the caller's structures (`components`). Local variables are copied under names of their own; global ones
//! are the caller's if it knows them. If one argument has no counterpart in the caller's terms, the whole call
//! stays a call: half a body would be wrong without a mark.

use rustc_hash::FxHashMap;

use super::caller::Caller;
use super::target::ProcedureId;
use super::template::Template;
use super::view::{Binding, same, sum};
use crate::diagnostic::Place;
use crate::ir::{
    BinaryOp, Extent, If, Jump, Role, Stmt, Value, VarId, Variable, addressed, is_left_out,
};

/// Whether a subscript is a section of one dimension.
fn is_section(subscript: &Value) -> bool {
    matches!(subscript, Value::Section(_))
}

pub(super) struct Instance<'c, 'a, 't> {
    pub caller: &'c mut Caller<'a>,
    callee: ProcedureId,
    pub template: &'t Template,
    pub place: &'c Place,
    pub bindings: FxHashMap<VarId, Binding>,
    /// What is passed: structures for their components, arrays for calls that pass them on.
    pub passed: FxHashMap<VarId, Value>,
    /// Copies of arguments, made before the body.
    pub before: Vec<Stmt>,
    /// Where the statement stands in the template that is put in place.
    at: Option<&'t Place>,
}

impl<'c, 'a, 't> Instance<'c, 'a, 't> {
    /// The statements, and the result of a function. `None` where an argument has no counterpart in
    /// the caller's terms.
    pub fn make(
        caller: &'c mut Caller<'a>,
        callee: ProcedureId,
        template: &'t Template,
        place: &'c Place,
        arguments: &[Value],
    ) -> Option<(Vec<Stmt>, Option<Value>)> {
        if arguments.len() > template.formals.len() {
            return None;
        }
        let (bindings, passed, before) = (FxHashMap::default(), FxHashMap::default(), Vec::new());
        let mut instance = Instance {
            caller,
            callee,
            template,
            place,
            bindings,
            passed,
            before,
            at: None,
        };
        for (formal, actual) in template.formals.iter().zip(arguments) {
            instance.bind(*formal, actual)?;
        }
        // A body that is one expression is its value.
        if let (
            [
                Stmt::Assign {
                    target: Value::Variable(target),
                    value,
                    place: at,
                },
            ],
            Some(result),
        ) = (&template.function.body[..], template.function.result)
            && *target == result
        {
            instance.at = Some(at);
            let value = instance.value(value)?;
            return Some((instance.before, Some(value)));
        }
        let body = instance.block(&template.function.body)?;
        let result = match template.function.result {
            Some(result) if template.function.variable(result).dimensions.is_empty() => {
                Some(Value::Variable(instance.import(result)?))
            }
            _ => None,
        };
        let mut statements = instance.before;
        statements.extend(body);
        Some((statements, result))
    }

    /// Where arrays start unless they say otherwise.
    pub fn first(&self) -> Value {
        Value::Integer(self.template.function.conventions.first_index)
    }

    fn block(&mut self, block: &'t [Stmt]) -> Option<Vec<Stmt>> {
        block.iter().map(|stmt| self.statement(stmt)).collect()
    }

    fn statement(&mut self, stmt: &'t Stmt) -> Option<Stmt> {
        let place = self.place.clone();
        self.at = Some(stmt.place());
        Some(match stmt {
            Stmt::Assign { target, value, .. } => {
                let value = match self.is_pointer(target) {
                    true => self.pointer(value)?,
                    false => self.value(value)?,
                };
                Stmt::Assign {
                    place,
                    target: self.value(target)?,
                    value,
                }
            }
            Stmt::Evaluate {
                values, printed, ..
            } => Stmt::Evaluate {
                place,
                values: self.values(values)?,
                printed: *printed,
            },
            // Of calls that are followed by their body only the name is listed.
            Stmt::Call {
                place: at, name, ..
            } if self.template.expansion.is_expanded(at, name) => {
                self.caller.call(&place, name);
                Stmt::Call {
                    place,
                    name: name.clone(),
                    arguments: Vec::new(),
                }
            }
            Stmt::Call {
                name, arguments, ..
            } => {
                self.stays_behind(name);
                Stmt::Call {
                    place,
                    name: name.clone(),
                    arguments: self.arguments(arguments)?,
                }
            }
            Stmt::If(branch) => {
                self.caller.branch(&branch.place, self.template);
                let condition = self.value(&branch.condition)?;
                let (then, otherwise) = (self.block(&branch.then)?, self.block(&branch.otherwise)?);
                Stmt::If(Box::new(If {
                    place: branch.place.clone(),
                    condition,
                    then,
                    otherwise,
                }))
            }
            Stmt::Jump {
                kind: Jump::Stop, ..
            } => Stmt::Jump {
                place,
                kind: Jump::Stop,
            },
            Stmt::Loop(_) | Stmt::Jump { .. } | Stmt::Mark { .. } | Stmt::Opaque { .. } => {
                return None;
            }
        })
    }

    /// Notes a call of the statement at hand that stays behind what its body does outside loops, here as in the template.
    fn stays_behind(&mut self, name: &str) {
        if self
            .at
            .is_some_and(|at| self.template.expansion.is_in_front(at, name))
        {
            self.caller.call_behind(self.place, name);
        }
    }

    fn values(&mut self, values: &[Value]) -> Option<Vec<Value>> {
        values.iter().map(|value| self.value(value)).collect()
    }

    pub fn value(&mut self, value: &Value) -> Option<Value> {
        let again = |this: &mut Self, v: &Value| this.value(v).map(Box::new);
        Some(match value {
            Value::Integer(_) | Value::Real(..) | Value::Logical(_) | Value::Text(_) => {
                value.clone()
            }
            Value::Variable(id) => match self.bindings.get(id) {
                Some(Binding::Value(value)) => value.clone(),
                Some(Binding::View(_)) => return None,
                None => match (self.component(*id, Vec::new())?, self.whole_structure(*id)) {
                    (Some(component), _) => component,
                    (None, Some(structure)) => structure,
                    (None, None) => Value::Variable(self.import(*id)?),
                },
            },
            Value::Element {
                array, subscripts, ..
            } => {
                let subscripts = self.values(subscripts)?;
                self.element(*array, subscripts)?
            }
            Value::Unary(op, operand) => Value::Unary(*op, again(self, operand)?),
            Value::Convert(ty, operand) => Value::Convert(ty.clone(), again(self, operand)?),
            Value::Binary(op, left, right) => {
                Value::Binary(*op, again(self, left)?, again(self, right)?)
            }
            Value::Select(a, b, c) => {
                Value::Select(again(self, a)?, again(self, b)?, again(self, c)?)
            }
            Value::Call {
                name,
                arguments,
                ty,
            } => {
                self.stays_behind(name);
                Value::Call {
                    name: name.clone(),
                    arguments: self.arguments(arguments)?,
                    ty: ty.clone(),
                }
            }
            Value::Section(_) | Value::Row | Value::Address { .. } | Value::Opaque { .. } => {
                return None;
            }
        })
    }

    /// Whether a target of an assignment is a pointer of the body's own.
    fn is_pointer(&self, target: &Value) -> bool {
        let function = &self.template.function;
        matches!(target, Value::Variable(id) if {
            let variable = function.variable(*id);
            function.conventions.has_pointers()
                && variable.role == Role::Local
                && !variable.dimensions.is_empty()
        })
    }

    /// What a pointer is given: another one, or where something begins in an array.
    fn pointer(&mut self, value: &Value) -> Option<Value> {
        match value {
            Value::Convert(_, inner) => self.pointer(inner),
            Value::Select(condition, then, otherwise) => Some(Value::Select(
                Box::new(self.value(condition)?),
                Box::new(self.pointer(then)?),
                Box::new(self.pointer(otherwise)?),
            )),
            Value::Binary(BinaryOp::Add, base, offset) => {
                let base = self.pointer(base)?;
                let offset = self.value(offset)?;
                match base {
                    Value::Address { of, text } => match *of {
                        Value::Element {
                            array,
                            mut subscripts,
                            place,
                        } => {
                            let last = subscripts.last_mut()?;
                            *last = sum(last.clone(), offset);
                            let of = Box::new(Value::Element {
                                array,
                                subscripts,
                                place,
                            });
                            Some(Value::Address { of, text })
                        }
                        _ => None,
                    },
                    base @ Value::Variable(_) => Some(Value::binary(BinaryOp::Add, base, offset)),
                    _ => None,
                }
            }
            _ => self.argument(value),
        }
    }

    fn arguments(&mut self, arguments: &[Value]) -> Option<Vec<Value>> {
        arguments
            .iter()
            .map(|argument| self.argument(argument))
            .collect()
    }

    /// What a call that stays one passes: arrays and structures as they are passed to the body, addresses.
    fn argument(&mut self, argument: &Value) -> Option<Value> {
        match argument {
            Value::Variable(id) if !matches!(self.bindings.get(id), Some(Binding::Value(_))) => {
                match self.passed.get(id) {
                    Some(actual) => Some(actual.clone()),
                    None => self.value(argument),
                }
            }
            Value::Element {
                array, subscripts, ..
            } if subscripts.iter().any(is_left_out) => {
                let given = subscripts.iter().map(|s| {
                    if is_left_out(s) {
                        Some(s.clone())
                    } else {
                        self.value(s)
                    }
                });
                let given = given.collect::<Option<Vec<Value>>>()?;
                let left_out =
                    |subscripts: &[Value]| subscripts.iter().filter(|s| is_left_out(s)).count();
                let count = left_out(&given);
                let row = self.element(*array, given)?;
                matches!(&row, Value::Element { subscripts, .. } if left_out(subscripts) == count)
                    .then_some(row)
            }
            Value::Element {
                array, subscripts, ..
            } if subscripts.iter().any(is_section) => {
                let given = subscripts.iter().map(|subscript| match subscript {
                    Value::Section(parts) => {
                        let [lower, upper, step] = &**parts;
                        let lower = self.value(lower)?;
                        let (upper, step) = (self.value(upper)?, self.value(step)?);
                        Some(Value::Section(Box::new([lower, upper, step])))
                    }
                    _ => self.value(subscript),
                });
                let given = given.collect::<Option<Vec<Value>>>()?;
                let sections =
                    |subscripts: &[Value]| subscripts.iter().filter(|s| is_section(s)).count();
                let count = sections(&given);
                let part = self.element(*array, given)?;
                matches!(&part, Value::Element { subscripts, .. } if sections(subscripts) == count)
                    .then_some(part)
            }
            _ => match addressed(argument) {
                Some(inner) => match (self.value(inner)?, argument) {
                    (inner @ Value::Variable(_), _) => Some(inner),
                    (inner @ Value::Element { .. }, Value::Address { text, .. }) => {
                        Some(Value::Address {
                            of: Box::new(inner),
                            text: text.clone(),
                        })
                    }
                    _ => None,
                },
                None => self.value(argument),
            },
        }
    }

    fn element(&mut self, array: VarId, subscripts: Vec<Value>) -> Option<Value> {
        let place = self.place.clone();
        match self.bindings.get(&array) {
            Some(Binding::View(view)) => Some(Value::Element {
                array: view.array,
                subscripts: view.subscripts(&subscripts)?,
                place,
            }),
            // A scalar of the caller behind a pointer.
            Some(Binding::Value(value)) => {
                let first = self.first();
                subscripts
                    .iter()
                    .all(|s| same(s, &first))
                    .then(|| value.clone())
            }
            None => {
                if self.whole_structure(array).is_some() {
                    return self.structure_element(array, &subscripts);
                }
                if let Some(component) = self.component(array, subscripts.clone())? {
                    return Some(component);
                }
                let array = self.import(array)?;
                let rank = self.caller.function.variable(array).dimensions.len();
                (rank == subscripts.len()).then_some(Value::Element {
                    array,
                    subscripts,
                    place,
                })
            }
        }
    }

    /// The caller's variable for one that is not a dummy argument.
    fn import(&mut self, id: VarId) -> Option<VarId> {
        if let Some(copy) = self.caller.copies.get(&(self.callee, id)) {
            return Some(*copy);
        }
        let variable = self.template.function.variable(id);
        let copy = match variable.role {
            Role::Argument => return None,
            Role::Local => return self.local(id, variable),
            Role::Global | Role::Undeclared | Role::Constant(_) => {
                let same = self.caller.names.get(&variable.name).copied();
                let fits = |other: &VarId| {
                    let other = self.caller.function.variable(*other);
                    other.role == variable.role
                        && other.dimensions.len() == variable.dimensions.len()
                };
                match same.filter(fits) {
                    Some(same) => same,
                    None => self.copy(id, variable, same.is_some()),
                }
            }
        };
        self.caller.copies.insert((self.callee, id), copy);
        Some(copy)
    }

    /// A variable of the callee's own.
    pub fn local(&mut self, id: VarId, variable: &Variable) -> Option<VarId> {
        if let Some(copy) = self.caller.copies.get(&(self.callee, id)) {
            return Some(*copy);
        }
        let copy = self.copy(
            id,
            &Variable {
                role: Role::Local,
                ..variable.clone()
            },
            true,
        );
        self.caller.copies.insert((self.callee, id), copy);
        Some(copy)
    }

    fn copy(&mut self, id: VarId, variable: &Variable, renamed: bool) -> VarId {
        let callee = &self.template.function.name;
        let name = if renamed {
            variable.name.copied_for(callee)
        } else {
            variable.name.clone()
        };
        let copy = self.add(Variable {
            name,
            dimensions: Vec::new(),
            constant: None,
            ..variable.clone()
        });
        // Known before its bounds and value are looked at, which may name it.
        self.caller.copies.insert((self.callee, id), copy);
        let dimensions = self.extents(&variable.dimensions);
        let constant = variable
            .constant
            .as_ref()
            .and_then(|value| self.value(value));
        let copied = &mut self.caller.function.variables[copy.0 as usize];
        (copied.dimensions, copied.constant) = (dimensions, constant);
        // The copy of a member of structures lies where the original does.
        let (original, function) = (&self.template.function, &mut self.caller.function);
        if let Some(layout) = original.members.get(&id) {
            function.members.insert(copy, layout.clone());
        }
        if let Some(pointer) = original.pointers.get(&id) {
            function.pointers.insert(copy, pointer.clone());
        }
        if let Some(bytes) = original.record_bytes.get(&id) {
            function.record_bytes.insert(copy, *bytes);
        }
        if let Some(home) = original.homes.get(&id) {
            function.homes.insert(copy, home.clone());
        }
        copy
    }

    pub fn extents(&mut self, extents: &[Extent]) -> Vec<Extent> {
        let mut bound = |value: &Option<Value>| value.as_ref().and_then(|value| self.value(value));
        extents
            .iter()
            .map(|e| Extent {
                lower: bound(&e.lower),
                upper: bound(&e.upper),
            })
            .collect()
    }

    pub fn add(&mut self, variable: Variable) -> VarId {
        let id = VarId(self.caller.function.variables.len() as u32);
        self.caller.names.entry(variable.name.clone()).or_insert(id);
        self.caller.function.variables.push(variable);
        id
    }
}
