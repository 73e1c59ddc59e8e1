//! `sum`, `maxval` and their like over whole arrays and sections: loops before the statement that
//! uses the result.

use std::sync::Arc;

use super::array_syntax::nest;
use super::intrinsic_types::{self, Shape};
use super::procedure::Lowering;
use crate::diagnostic::Place;
use crate::ir::{BinaryOp, Role, Stmt, Type, Value, VarId, Variable};

impl<'a> Lowering<'a> {
    /// The value with its reductions replaced by variables that loops in `out` compute. A reduction
    /// whose loops cannot be told stays a call.
    pub fn hoist_reductions(&mut self, place: &Place, value: Value, out: &mut Vec<Stmt>) -> Value {
        match value {
            Value::Call { name, arguments, ty } => {
                let arguments: Vec<Value> =
                    arguments.into_iter().map(|a| self.hoist_reductions(place, a, out)).collect();
                match self.reduction(place, &name, &arguments, out) {
                    Some(result) => result,
                    None => Value::Call { name, arguments, ty },
                }
            }
            Value::Unary(op, operand) => Value::Unary(op, Box::new(self.hoist_reductions(place, *operand, out))),
            Value::Binary(op, left, right) => {
                let left = self.hoist_reductions(place, *left, out);
                Value::binary(op, left, self.hoist_reductions(place, *right, out))
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
            Value::Call { name, arguments, ty } => {
                let arguments: Vec<Value> = arguments.into_iter().map(|a| *inside(a)).collect();
                let is_own = self.call_shape(&name) == Some(Shape::Scalar) && intrinsic_types::lookup(&name).is_none();
                let call = Value::Call { name: name.clone(), arguments, ty: ty.clone() };
                if !is_own {
                    return call;
                }
                let result = Value::Variable(self.result_variable(&name.replace('%', "_"), ty));
                out.push(Stmt::Assign { place: place.clone(), target: result.clone(), value: call });
                result
            }
            other => other,
        }
    }

    fn reduction(&mut self, place: &Place, name: &str, arguments: &[Value], out: &mut Vec<Stmt>) -> Option<Value> {
        let operation = Operation::of(name)?;
        let element = match (operation, arguments) {
            (Operation::Dot, [left, right]) => Value::binary(BinaryOp::Multiply, left.clone(), right.clone()),
            (Operation::Dot, _) => return None,
            (_, [array]) => array.clone(),
            _ => return None,
        };
        let leading = self.leading(&element)?;
        let indices = self.indices(&leading)?;
        if indices.is_empty() {
            return None;
        }
        let element = self.element_of(&element, &indices)?;
        let ty = match operation {
            Operation::Any | Operation::All => Type::Logical(4),
            Operation::Count => Type::Integer(4),
            _ => element.ty(&self.function),
        };
        let result = self.result_variable(name, ty.clone());
        let so_far = Value::Variable(result);
        let target = so_far.clone();
        let next = operation.step(so_far, element, ty.clone());
        out.push(Stmt::Assign { place: place.clone(), target: target.clone(), value: operation.start(&ty) });
        let body = vec![Stmt::Assign { place: place.clone(), target: target.clone(), value: next }];
        out.extend(nest(place, indices, body));
        Some(target)
    }

    /// The first array or section in a value, whose bounds the loops take.
    pub fn leading(&self, value: &Value) -> Option<Value> {
        if self.rank(value)? == 0 {
            return None;
        }
        match value {
            Value::Variable(_) | Value::Element { .. } => Some(value.clone()),
            _ => super::visit::parts(value).into_iter().find_map(|part| self.leading(part)),
        }
    }

    /// `sum_1`, `sum_2` …
    fn result_variable(&mut self, name: &str, ty: Type) -> VarId {
        let mut number = 1;
        let taken = |name: &str, this: &Self| {
            this.function.variables.iter().any(|v| v.name == name) || this.scope.symbols.contains_key(name)
        };
        while taken(&format!("{name}_{number}"), self) {
            number += 1;
        }
        let name: Arc<str> = format!("{name}_{number}").into();
        let place = self.function.place.clone();
        let (dimensions, constant) = (Vec::new(), None);
        self.push(Variable { name: name.to_string(), ty, dimensions, role: Role::Local, constant, place })
    }
}

#[derive(Clone, Copy)]
enum Operation {
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
    fn of(name: &str) -> Option<Operation> {
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

    /// The value before the first element.
    fn start(self, ty: &Type) -> Value {
        let number = |n: i64| match ty {
            Type::Real(size) => Value::Real(n as f64, *size),
            Type::Complex(size) => Value::Real(n as f64, size / 2),
            _ => Value::Integer(n),
        };
        match self {
            Operation::Sum | Operation::Dot | Operation::Count => number(0),
            Operation::Product => number(1),
            Operation::Maximum => Value::Unary(crate::ir::UnaryOp::Negate, Box::new(huge(number(1), ty))),
            Operation::Minimum => huge(number(1), ty),
            Operation::Any => Value::Logical(false),
            Operation::All => Value::Logical(true),
        }
    }

    fn step(self, so_far: Value, element: Value, ty: Type) -> Value {
        let binary = |op| Value::binary(op, so_far.clone(), element.clone());
        match self {
            Operation::Sum | Operation::Dot => binary(BinaryOp::Add),
            Operation::Product => binary(BinaryOp::Multiply),
            Operation::Maximum => Value::Call { name: "max".into(), arguments: vec![so_far, element], ty },
            Operation::Minimum => Value::Call { name: "min".into(), arguments: vec![so_far, element], ty },
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
    Value::Call { name: "huge".into(), arguments: vec![one], ty: ty.clone() }
}
