//! From whole arrays and sections to the elements that one iteration touches.
//!
//! The k-th section of every operand moves with the k-th loop, from its own lower bound and by its own step: in
//! the loop over `a(2:n)`, `b(1:n-1)` is `b(i - 1)`. A vector of subscripts is an array like any other and
//! gives `x(col(i))`. Scalars stay as they are, and elemental functions are called for each element. Where
//! shapes do not fit, or are not known, there is no element, and the statement stays opaque.

use super::intrinsic_types::{self, Shape};
use super::modules::Found;
use super::procedure::Lowering;
use super::scope::Class;
use crate::ir::{BinaryOp, Type, Value, VarId};
use crate::reason::ReasonCode;

/// A loop over one dimension of an array operation, with the bounds of the leading array.
#[derive(Clone, Debug)]
pub struct Index {
    pub variable: VarId,
    pub lower: Value,
    pub upper: Value,
    pub step: Value,
}

impl Index {
    /// The index value of the n-th iteration, counted from zero.
    pub fn nth(&self, n: i64) -> Option<Value> {
        let Value::Integer(step) = self.step else {
            return None;
        };
        Some(offset(self.lower.clone(), n * step))
    }
}

/// The highest rank that Fortran 2008 has; what has more was read wrongly.
const MOST_DIMENSIONS: usize = 15;

impl Lowering<'_> {
    /// Number of dimensions of a value; `None` where that is not known.
    pub fn rank(&self, value: &Value) -> Option<usize> {
        match value {
            Value::Integer(_) | Value::Real(..) | Value::Logical(_) | Value::Text(_) => Some(0),
            Value::Variable(id) => Some(self.draft.variable(*id).dimensions.len()),
            Value::Element { subscripts, .. } => {
                let ranks = subscripts.iter().map(|s| {
                    if bounds(s).is_some() {
                        Some(1)
                    } else {
                        self.rank(s)
                    }
                });
                ranks.sum()
            }
            Value::Unary(_, operand) | Value::Convert(_, operand) => self.rank(operand),
            Value::Binary(_, left, right) => Some(self.rank(left)?.max(self.rank(right)?)),
            Value::Select(condition, then, otherwise) => Some(
                self.rank(condition)?
                    .max(self.rank(then)?)
                    .max(self.rank(otherwise)?),
            ),
            Value::Call {
                name, arguments, ..
            } => {
                let rank = arguments
                    .iter()
                    .try_fold(0, |rank, a| Some(self.rank(a)?.max(rank)));
                match self.call_shape(name)? {
                    Shape::Scalar => Some(0),
                    Shape::Elemental => rank,
                    Shape::Reduction => (arguments.len() == 1 || rank == Some(0)).then_some(0),
                    Shape::Bounds => Some(usize::from(arguments.len() == 1)),
                    Shape::Array if !self.is_intrinsic(name) => None,
                    Shape::Array => match name.as_str() {
                        "transpose" => Some(2),
                        "spread" => Some(self.rank(arguments.first()?)? + 1),
                        _ => None,
                    },
                }
            }
            Value::Opaque { reason, .. } => (reason.code == ReasonCode::Substring).then_some(0),
            Value::Section(_) | Value::Row | Value::Address { .. } => None,
        }
    }

    /// How a function treats arrays; `None` if a module that was not read may declare it.
    pub fn call_shape(&self, name: &str) -> Option<Shape> {
        if let Some(returned) = self.results.get(name) {
            return Some(returned.shape);
        }
        let declared = match self.world.symbol(self.scope, name) {
            Found::Symbol(symbol, home) => self.world.specific(symbol, home)?.0,
            Found::Builtin(_) | Found::Nowhere => {
                // Without a declaration, a function gives one value.
                return Some(
                    intrinsic_types::lookup(name)
                        .map_or(Shape::Scalar, |i| intrinsic_types::shape(name, i)),
                );
            }
            Found::Elsewhere(_) => {
                return intrinsic_types::lookup(name).map(|i| intrinsic_types::shape(name, i));
            }
        };
        match (&declared.class, intrinsic_types::lookup(name)) {
            (Class::Procedure(shape), _) => Some(*shape),
            // `double precision dabs`
            (Class::Variable(_), Some(intrinsic)) => Some(intrinsic_types::shape(name, intrinsic)),
            _ => Some(Shape::Scalar),
        }
    }

    /// Loops over the dimensions of a variable or section.
    pub fn indices(&mut self, target: &Value) -> Option<Vec<Index>> {
        let ranges: Vec<[Value; 3]> = match target {
            Value::Variable(id) => {
                let rank = self.draft.variable(*id).dimensions.len();
                (0..rank).map(|at| self.whole(*id, at)).collect()
            }
            Value::Element { subscripts, .. } => {
                let mut ranges = Vec::new();
                for subscript in subscripts {
                    match bounds(subscript) {
                        Some([lower, upper, step]) => {
                            ranges.push([lower.clone(), upper.clone(), step.clone()]);
                        }
                        None if self.rank(subscript)? == 0 => {}
                        // A vector of subscripts: its own bounds count.
                        None => ranges.extend(
                            self.indices(subscript)?
                                .into_iter()
                                .map(|i| [i.lower, i.upper, i.step]),
                        ),
                    }
                }
                ranges
            }
            _ => return None,
        };
        if ranges.len() > MOST_DIMENSIONS {
            return None;
        }
        let indices = ranges
            .into_iter()
            .enumerate()
            .map(|(at, [lower, upper, step])| {
                let variable = self.fresh_index(at);
                Index {
                    variable,
                    lower,
                    upper,
                    step,
                }
            });
        Some(indices.collect())
    }

    fn whole(&self, id: VarId, at: usize) -> [Value; 3] {
        [
            self.lower_bound(id, at),
            self.upper_bound(id, at),
            Value::Integer(1),
        ]
    }

    /// The element of a value that the iteration touches; `None` if shapes do not fit.
    pub fn element_of(&mut self, value: &Value, indices: &[Index]) -> Option<Value> {
        let at: Vec<Value> = indices
            .iter()
            .map(|index| Value::Variable(index.variable))
            .collect();
        self.element_at(value, indices, &at)
    }

    /// The same with other values in the place of the loop variables.
    pub fn element_at(&mut self, value: &Value, indices: &[Index], at: &[Value]) -> Option<Value> {
        let rank = self.rank(value)?;
        if rank == 0 {
            return Some(value.clone());
        }
        if rank != indices.len() {
            return None;
        }
        let mut inside = |value: &Value| self.element_at(value, indices, at).map(Box::new);
        Some(match value {
            Value::Variable(id) => {
                let mut subscripts = Vec::with_capacity(rank);
                for (dimension, index) in indices.iter().enumerate() {
                    let own = self.whole(*id, dimension);
                    subscripts.push(self.moved(&at[dimension], index, [&own[0], &own[2]])?);
                }
                Value::Element {
                    array: *id,
                    subscripts,
                    place: self.statement.place().clone(),
                }
            }
            Value::Element {
                array,
                subscripts,
                place,
            } => Value::Element {
                array: *array,
                subscripts: self.subscripts_at(subscripts, indices, at)?,
                place: place.clone(),
            },
            Value::Unary(op, operand) => Value::Unary(*op, inside(operand)?),
            Value::Convert(ty, operand) => Value::Convert(ty.clone(), inside(operand)?),
            Value::Binary(op, left, right) => Value::Binary(*op, inside(left)?, inside(right)?),
            Value::Select(condition, then, otherwise) => {
                Value::Select(inside(condition)?, inside(then)?, inside(otherwise)?)
            }
            Value::Call {
                name,
                arguments,
                ty,
            } => self.call_at(name, arguments, ty, indices, at)?,
            _ => return None,
        })
    }

    /// The subscripts of an element of a section, or of an array that others index.
    fn subscripts_at(
        &mut self,
        subscripts: &[Value],
        indices: &[Index],
        at: &[Value],
    ) -> Option<Vec<Value>> {
        let mut dimension = 0;
        let mut elements = Vec::with_capacity(subscripts.len());
        for subscript in subscripts {
            let own = bounds(subscript);
            if own.is_none() && self.rank(subscript)? == 0 {
                elements.push(subscript.clone());
                continue;
            }
            let (index, value) = (indices.get(dimension)?, at.get(dimension)?);
            elements.push(match own {
                Some([lower, _, step]) => self.moved(value, index, [lower, step])?,
                None => self.element_at(
                    subscript,
                    std::slice::from_ref(index),
                    std::slice::from_ref(value),
                )?,
            });
            dimension += 1;
        }
        Some(elements)
    }

    /// The element of what a function gives.
    fn call_at(
        &mut self,
        name: &str,
        arguments: &[Value],
        ty: &Type,
        indices: &[Index],
        at: &[Value],
    ) -> Option<Value> {
        if self.call_shape(name) == Some(Shape::Bounds) {
            let (index, value) = (indices.first()?, at.first()?);
            let dimension = self.moved(value, index, [&Value::Integer(1), &Value::Integer(1)])?;
            // One element of `shape(a)` is a `size(a, n)`.
            let name = if name == "shape" { "size" } else { name };
            return Some(Value::Call {
                name: name.to_string(),
                arguments: vec![arguments.first()?.clone(), dimension],
                ty: ty.clone(),
            });
        }
        if name == "transpose" && self.is_intrinsic(name) {
            let ([i, j], [m, n]) = (indices, at) else {
                return None;
            };
            let (indices, at) = ([j.clone(), i.clone()], [n.clone(), m.clone()]);
            return self.element_at(arguments.first()?, &indices, &at);
        }
        if name == "spread" && self.is_intrinsic(name) {
            let [source, Value::Integer(dimension), _] = arguments else {
                return None;
            };
            let copies = usize::try_from(*dimension).ok()?.checked_sub(1)?;
            let kept = |n: &usize| *n != copies;
            let numbers = (0..indices.len()).filter(kept);
            let indices: Vec<Index> = numbers.map(|n| indices[n].clone()).collect();
            let numbers = (0..at.len()).filter(kept);
            let at: Vec<Value> = numbers.map(|n| at[n].clone()).collect();
            return self.element_at(source, &indices, &at);
        }
        let arguments = arguments
            .iter()
            .map(|argument| self.element_at(argument, indices, at))
            .collect::<Option<Vec<_>>>()?;
        Some(Value::Call {
            name: name.to_string(),
            arguments,
            ty: ty.clone(),
        })
    }

    /// The index of another array in the same iteration: its lower bound as far from its own index
    /// as the leading one's.
    fn moved(&self, value: &Value, index: &Index, [lower, step]: [&Value; 2]) -> Option<Value> {
        if *step == index.step {
            let distance = self.distance(lower, &index.lower);
            return Some(match distance {
                Value::Integer(n) => offset(value.clone(), n),
                distance => Value::binary(BinaryOp::Add, value.clone(), distance),
            });
        }
        if !matches!(index.step, Value::Integer(1)) {
            return None;
        }
        let from_start = match self.distance(value, &index.lower) {
            Value::Integer(0) => return Some(lower.clone()),
            distance => distance,
        };
        let product = Value::binary(BinaryOp::Multiply, from_start, step.clone());
        Some(Value::binary(BinaryOp::Add, lower.clone(), product))
    }

    /// `a - b`, where the same terms cancel.
    pub fn distance(&self, a: &Value, b: &Value) -> Value {
        let ((left, plus), (right, minus)) = (split(a), split(b));
        match (left == right, right) {
            (true, _) => Value::Integer(plus - minus),
            (false, None) => offset(a.clone(), -minus),
            (false, Some(_)) => Value::binary(BinaryOp::Subtract, a.clone(), b.clone()),
        }
    }
}

/// Lower bound, upper bound and step of a section.
pub fn bounds(value: &Value) -> Option<[&Value; 3]> {
    match value {
        Value::Section(parts) => {
            let [lower, upper, step] = &**parts;
            Some([lower, upper, step])
        }
        _ => None,
    }
}

/// A value as a term and a constant: `lo - 1` is `lo` and -1.
fn split(value: &Value) -> (Option<&Value>, i64) {
    match value {
        Value::Integer(n) if n.unsigned_abs() < 1 << 40 => (None, *n),
        Value::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), left, right) => {
            match (&**left, &**right) {
                (term, Value::Integer(n)) if n.unsigned_abs() < 1 << 40 => {
                    (Some(term), if *op == BinaryOp::Add { *n } else { -n })
                }
                (Value::Integer(n), term) if *op == BinaryOp::Add && n.unsigned_abs() < 1 << 40 => {
                    (Some(term), *n)
                }
                _ => (Some(value), 0),
            }
        }
        _ => (Some(value), 0),
    }
}

/// A value and a constant.
pub fn offset(value: Value, by: i64) -> Value {
    match (&value, by) {
        (_, 0) => value,
        (Value::Integer(n), _) => Value::Integer(n.saturating_add(by)),
        (_, 1..) => Value::binary(BinaryOp::Add, value, Value::Integer(by)),
        _ => Value::binary(
            BinaryOp::Subtract,
            value,
            Value::Integer(by.saturating_neg()),
        ),
    }
}
