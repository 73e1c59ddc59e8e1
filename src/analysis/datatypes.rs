//! What the variables of a program hold that are MPI types.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::ir::visit::{InLoop, statements, values_of};
use crate::ir::{self, Role, Stmt, Value, VarId, addressed};
use crate::message_passing::Interfaces;

/// What a procedure assigns to the variables that hold MPI types.
pub struct Datatypes<'f> {
    pub made: FxHashMap<VarId, Made<'f>>,
}

pub enum Made<'f> {
    /// Another type under a second name.
    Value(&'f Value),
    /// So many elements of another type.
    Of {
        elements: Vec<&'f Value>,
        of: &'f Value,
    },
    /// In more than one way, or in one that is not known.
    Unknown,
}

impl<'f> Datatypes<'f> {
    pub fn of(function: &'f ir::Function) -> Datatypes<'f> {
        let mut types = Datatypes {
            made: FxHashMap::default(),
        };
        statements(&function.body, InLoop::No, &mut |stmt, _| {
            match stmt {
                Stmt::Assign {
                    target: Value::Variable(id),
                    value,
                    ..
                } => types.add(*id, Made::Value(value)),
                Stmt::Call {
                    name, arguments, ..
                } => types.call(name, arguments),
                _ => {}
            }
            values_of(stmt, &mut |value| {
                if let Value::Call {
                    name, arguments, ..
                } = value
                {
                    types.call(name, arguments);
                }
            });
        });
        types
    }

    fn call(&mut self, name: &str, arguments: &'f [Value]) {
        let Some(interface) = Interfaces::builtin().lookup(name) else {
            return;
        };
        let at = |position: usize| arguments.get(position.checked_sub(1)?);
        let variable = |value: &Value| match value {
            Value::Variable(id) => Some(*id),
            other => match addressed(other)? {
                Value::Variable(id) => Some(*id),
                _ => None,
            },
        };
        if let Some(made) = interface.makes.and_then(at).and_then(variable) {
            let elements = interface
                .elements
                .iter()
                .flatten()
                .map(|position| at(*position))
                .collect();
            let made_of = match (elements, interface.of.and_then(at)) {
                (Some(elements), Some(of)) => Made::Of { elements, of },
                _ => Made::Unknown,
            };
            self.add(made, made_of);
        }
    }

    fn add(&mut self, id: VarId, made: Made<'f>) {
        self.made
            .entry(id)
            .and_modify(|known| *known = Made::Unknown)
            .or_insert(made);
    }
}

/// Global variables that hold MPI types, by name, with the bytes of the basic types that the program gives
/// them anywhere; `None` where it gives them other types too.
#[derive(Default)]
pub struct GlobalTypes(FxHashMap<Box<str>, Option<BTreeSet<u32>>>);

impl GlobalTypes {
    pub fn of<'f>(functions: impl Iterator<Item = &'f ir::Function>) -> GlobalTypes {
        let mut types = GlobalTypes::default();
        for function in functions {
            statements(&function.body, InLoop::No, &mut |stmt, _| {
                if let Stmt::Assign {
                    target: Value::Variable(id),
                    value,
                    ..
                } = stmt
                {
                    types.assigned(function, *id, value);
                }
            });
            for (id, made) in Datatypes::of(function).made {
                if matches!(made, Made::Of { .. }) {
                    types
                        .0
                        .insert(function.variable(id).name.as_str().into(), None);
                }
            }
        }
        types
    }

    fn assigned(&mut self, function: &ir::Function, id: VarId, value: &Value) {
        let variable = function.variable(id);
        if variable.role != Role::Global {
            return;
        }
        let basic = match value {
            Value::Variable(id) => {
                Interfaces::builtin().datatype_bytes(&function.variable(*id).name)
            }
            _ => None,
        };
        let known = self
            .0
            .entry(variable.name.as_str().into())
            .or_insert_with(|| Some(BTreeSet::new()));
        match (basic, known.as_mut()) {
            (Some(bytes), Some(all)) => {
                all.insert(bytes);
            }
            _ => *known = None,
        }
    }

    /// Bytes of an element whose type is in the variable. Of several types it is the one that is as long
    /// as an element of the buffer.
    pub fn bytes(&self, name: &str, declared: Option<u32>) -> Option<u32> {
        let all = self.0.get(name)?.as_ref()?;
        match all.first() {
            Some(only) if all.len() == 1 => Some(*only),
            _ => declared.filter(|bytes| all.contains(bytes)),
        }
    }
}
