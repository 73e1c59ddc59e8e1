//! `sum`, `maxval` and their like over whole arrays and sections: loops before the statement that
//! uses the result.

use super::array_syntax::nest;
use super::intrinsic_types::{self, Shape};
use super::modules::Found;
use super::procedure::Lowering;
use super::scope::Class;
use crate::diagnostic::Place;
use crate::ir::{BinaryOp, If, Role, Stmt, Type, Value, VarId, Variable};

impl Lowering<'_> {
    /// The value with its reductions replaced by variables that loops in `out` compute. A reduction
    /// whose loops are not known stays a call.
    pub fn hoist_reductions(&mut self, place: &Place, value: Value, out: &mut Vec<Stmt>) -> Value {
        if has_array_call(&value) {
            self.hoisted(place, value, out)
        } else {
            value
        }
    }

    fn hoisted(&mut self, place: &Place, value: Value, out: &mut Vec<Stmt>) -> Value {
        let mut inside = |value: Box<Value>| Box::new(self.hoisted(place, *value, out));
        match value {
            Value::Call {
                name,
                arguments,
                ty,
            } => {
                let arguments: Vec<Value> = arguments
                    .into_iter()
                    .map(|a| self.hoisted(place, a, out))
                    .collect();
                match self.reduction(place, &name, &arguments, out) {
                    Some(result) => result,
                    None => match self.array_result(place, &name, &arguments, out) {
                        Some(result) => result,
                        None => Value::Call {
                            name,
                            arguments,
                            ty,
                        },
                    },
                }
            }
            Value::Unary(op, operand) => Value::Unary(op, inside(operand)),
            Value::Convert(ty, operand) => Value::Convert(ty, inside(operand)),
            Value::Binary(op, left, right) => {
                let left = inside(left);
                Value::Binary(op, left, inside(right))
            }
            Value::Element {
                array,
                subscripts,
                place: at,
            } => {
                let subscripts = subscripts
                    .into_iter()
                    .map(|s| self.hoisted(place, s, out))
                    .collect();
                Value::Element {
                    array,
                    subscripts,
                    place: at,
                }
            }
            Value::Section(parts) => {
                Value::Section(Box::new((*parts).map(|v| self.hoisted(place, v, out))))
            }
            other => other,
        }
    }

    /// The value with scalar results of functions of the program in variables of their own: an array
    /// operation evaluates them once, not once an element.
    pub fn hoist_calls(&mut self, place: &Place, value: Value, out: &mut Vec<Stmt>) -> Value {
        let mut inside = |value: Value| Box::new(self.hoist_calls(place, value, out));
        match value {
            Value::Unary(op, operand) => Value::Unary(op, inside(*operand)),
            Value::Binary(op, left, right) => {
                let left = inside(*left);
                Value::Binary(op, left, inside(*right))
            }
            Value::Call {
                name,
                arguments,
                ty,
            } => {
                let arguments: Vec<Value> = arguments.into_iter().map(|a| *inside(a)).collect();
                let is_own = self.call_shape(&name) == Some(Shape::Scalar)
                    && intrinsic_types::lookup(&name).is_none();
                let call = Value::Call {
                    name: name.clone(),
                    arguments,
                    ty: ty.clone(),
                };
                if !is_own {
                    return call;
                }
                let result = Value::Variable(self.result_variable(&name.replace('%', "_"), ty));
                out.push(Stmt::Assign {
                    place: place.clone(),
                    target: result.clone(),
                    value: call,
                });
                result
            }
            other => other,
        }
    }

    /// An array function from the language, not one of that name from the program.
    pub fn is_intrinsic(&self, name: &str) -> bool {
        let declared = match self.world.symbol(self.scope, name) {
            Found::Symbol(symbol, _) => {
                matches!(symbol.class, Class::Procedure(_) | Class::Generic(_))
            }
            _ => false,
        };
        !declared && intrinsic_types::lookup(name).is_some()
    }

    fn reduction(
        &mut self,
        place: &Place,
        name: &str,
        arguments: &[Value],
        out: &mut Vec<Stmt>,
    ) -> Option<Value> {
        if !self.is_intrinsic(name) {
            return None;
        }
        match name {
            "maxloc" => return self.location(place, name, BinaryOp::Greater, arguments, out),
            "minloc" => return self.location(place, name, BinaryOp::Less, arguments, out),
            _ => {}
        }
        let square =
            |value: &Value| Value::binary(BinaryOp::Multiply, value.clone(), value.clone());
        let (operation, element, rest) = match (name, arguments) {
            ("norm2", [array, rest @ ..]) => (Operation::Sum, square(array), rest),
            ("dot_product", [left, right]) => (
                Operation::Dot,
                Value::binary(BinaryOp::Multiply, left.clone(), right.clone()),
                &[][..],
            ),
            (_, [array, rest @ ..]) => (Operation::of(name)?, array.clone(), rest),
            _ => return None,
        };
        let rest = self.dimension_and_mask(rest)?;
        // What `maxloc` of a vector gives is one number already.
        if self.rank(&element) == Some(0) {
            return Some(element);
        }
        let indices = self.shape_of(&element)?;
        if indices.is_empty() || (rest.dimension.is_some() && indices.len() > 1) {
            return None;
        }
        let element = self.element_of(&element, &indices)?;
        let mask = match &rest.mask {
            Some(mask) => Some(self.element_of(mask, &indices)?),
            None => None,
        };
        let ty = operation.result(&element.ty(self.draft.function()));
        let target = Value::Variable(self.result_variable(name, ty.clone()));
        let next = operation.step(target.clone(), element, ty.clone());
        out.push(Stmt::Assign {
            place: place.clone(),
            target: target.clone(),
            value: operation.start(&ty),
        });
        let step = Stmt::Assign {
            place: place.clone(),
            target: target.clone(),
            value: next,
        };
        out.extend(nest(place, indices, vec![masked(place, mask, step)]));
        Some(match name {
            "norm2" => Value::Call {
                name: "sqrt".into(),
                arguments: vec![target],
                ty,
            },
            _ => target,
        })
    }

    /// `maxloc` of a vector: the largest value so far beside its place.
    fn location(
        &mut self,
        place: &Place,
        name: &str,
        better: BinaryOp,
        arguments: &[Value],
        out: &mut Vec<Stmt>,
    ) -> Option<Value> {
        let (array, rest) = arguments.split_first()?;
        let rest = self.dimension_and_mask(rest)?;
        let indices = self.shape_of(array)?;
        let [index] = &indices[..] else { return None };
        let element = self.element_of(array, &indices)?;
        let mask = match &rest.mask {
            Some(mask) => Some(self.element_of(mask, &indices)?),
            None => None,
        };
        let (operation, short) = if better == BinaryOp::Greater {
            (Operation::Maximum, "maxval")
        } else {
            (Operation::Minimum, "minval")
        };
        let ty = element.ty(self.draft.function());
        let value = Value::Variable(self.result_variable(short, ty.clone()));
        let target = Value::Variable(self.result_variable(name, Type::integer(4)));
        let at = Value::Variable(index.variable);
        let assign = |target: &Value, value: Value| Stmt::Assign {
            place: place.clone(),
            target: target.clone(),
            value,
        };
        out.push(assign(&value, operation.start(&ty)));
        out.push(assign(&target, Value::Integer(0)));
        let condition = Value::binary(better, element.clone(), value.clone());
        let then = vec![assign(&value, element), assign(&target, at)];
        let step = Stmt::If(Box::new(If {
            place: place.clone(),
            condition,
            then,
            otherwise: Vec::new(),
        }));
        out.extend(nest(place, indices, vec![masked(place, mask, step)]));
        Some(target)
    }

    /// What follows the array among the arguments: keywords are not kept, but types tell the two apart.
    pub fn dimension_and_mask(&self, arguments: &[Value]) -> Option<Selection> {
        let mut found = Selection {
            dimension: None,
            mask: None,
        };
        for argument in arguments {
            match (argument, argument.ty(self.draft.function())) {
                (Value::Integer(n), _) if found.dimension.is_none() => found.dimension = Some(*n),
                (_, Type::Logical(_)) if found.mask.is_none() => {
                    found.mask = Some(argument.clone());
                }
                _ => return None,
            }
        }
        Some(found)
    }

    /// The first array or section in a value, whose bounds the loops take.
    pub fn leading(&self, value: &Value) -> Option<Value> {
        if self.rank(value)? == 0 {
            return None;
        }
        match value {
            Value::Variable(_) | Value::Element { .. } => Some(value.clone()),
            // Their results have other shapes than what goes in.
            Value::Call { name, .. } if matches!(name.as_str(), "transpose" | "spread") => None,
            Value::Call { name, .. } if self.call_shape(name) == Some(Shape::Bounds) => None,
            _ => super::visit::parts(value)
                .into_iter()
                .find_map(|part| self.leading(part)),
        }
    }

    /// `sum_1`, `sum_2` …
    pub fn result_variable(&mut self, name: &str, ty: Type) -> VarId {
        let mut number = 1;
        let taken = |name: &str, this: &Self| {
            this.draft.has_name(name) || this.scope.symbols.contains_key(name)
        };
        while taken(&format!("{name}_{number}"), self) {
            number += 1;
        }
        let name = format!("{name}_{number}");
        let place = self.draft.place().clone();
        let (dimensions, constant) = (Vec::new(), None);
        self.draft.add(Variable {
            name: name.into(),
            ty,
            dimensions,
            role: Role::Local,
            constant,
            place,
        })
    }
}

/// Which elements a reduction takes together.
pub struct Selection {
    /// Counted from one.
    pub dimension: Option<i64>,
    pub mask: Option<Value>,
}

/// A statement under a condition, if there is one.
pub fn masked(place: &Place, mask: Option<Value>, statement: Stmt) -> Stmt {
    match mask {
        Some(condition) => {
            let then = vec![statement];
            Stmt::If(Box::new(If {
                place: place.clone(),
                condition,
                then,
                otherwise: Vec::new(),
            }))
        }
        None => statement,
    }
}

/// Whether a function from arrays to something else may stand in a value.
fn has_array_call(value: &Value) -> bool {
    match value {
        Value::Call {
            name, arguments, ..
        } => {
            matches!(name.as_str(), "matmul" | "norm2" | "maxloc" | "minloc")
                || Operation::of(name).is_some()
                || arguments.iter().any(has_array_call)
        }
        Value::Unary(_, operand) | Value::Convert(_, operand) => has_array_call(operand),
        Value::Binary(_, left, right) => has_array_call(left) || has_array_call(right),
        Value::Element { subscripts, .. } => subscripts.iter().any(has_array_call),
        Value::Section(parts) => parts.iter().any(has_array_call),
        _ => false,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    Sum,
    Product,
    Maximum,
    Minimum,
    Dot,
    Any,
    All,
    Count,
}

impl Operation {
    pub fn of(name: &str) -> Option<Operation> {
        Some(match name {
            "sum" => Operation::Sum,
            "product" => Operation::Product,
            "maxval" => Operation::Maximum,
            "minval" => Operation::Minimum,
            "dot_product" => Operation::Dot,
            "any" => Operation::Any,
            "all" => Operation::All,
            "count" => Operation::Count,
            _ => return None,
        })
    }

    /// The type of the result for elements of a type.
    pub fn result(self, element: &Type) -> Type {
        match self {
            Operation::Any | Operation::All => Type::Logical(4),
            Operation::Count => Type::integer(4),
            _ => element.clone(),
        }
    }

    /// The value before the first element.
    pub fn start(self, ty: &Type) -> Value {
        let number = |n: i64| match ty {
            Type::Real(size) => Value::Real(n as f64, *size),
            Type::Complex(size) => Value::Real(n as f64, size / 2),
            _ => Value::Integer(n),
        };
        match self {
            Operation::Sum | Operation::Dot | Operation::Count => number(0),
            Operation::Product => number(1),
            Operation::Maximum => {
                Value::Unary(crate::ir::UnaryOp::Negate, Box::new(huge(number(1), ty)))
            }
            Operation::Minimum => huge(number(1), ty),
            Operation::Any => Value::Logical(false),
            Operation::All => Value::Logical(true),
        }
    }

    pub fn step(self, so_far: Value, element: Value, ty: Type) -> Value {
        let binary = |op| Value::binary(op, so_far.clone(), element.clone());
        match self {
            Operation::Sum | Operation::Dot => binary(BinaryOp::Add),
            Operation::Product => binary(BinaryOp::Multiply),
            Operation::Maximum => Value::Call {
                name: "max".into(),
                arguments: vec![so_far, element],
                ty,
            },
            Operation::Minimum => Value::Call {
                name: "min".into(),
                arguments: vec![so_far, element],
                ty,
            },
            Operation::Any => binary(BinaryOp::Or),
            Operation::All => binary(BinaryOp::And),
            Operation::Count => {
                let more = Value::binary(BinaryOp::Add, so_far.clone(), Value::Integer(1));
                Value::Select(Box::new(element), Box::new(more), Box::new(so_far))
            }
        }
    }
}

fn huge(one: Value, ty: &Type) -> Value {
    Value::Call {
        name: "huge".into(),
        arguments: vec![one],
        ty: ty.clone(),
    }
}
