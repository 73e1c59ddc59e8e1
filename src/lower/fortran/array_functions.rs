//! Functions from arrays to arrays that have a loop nest of their own: `matmul`, and `sum` and its like along
//! one dimension. The nest stands before the statement, and fills the target itself where the statement is nothing but
//! the function, else an array that the statement then takes.

use super::array_syntax::nest;
use super::elementwise::Index;
use super::intrinsic_types::Shape;
use super::modules::Declared;
use super::procedure::Lowering;
use super::reductions::Operation;
use super::scope::Class;
use super::visit;
use crate::diagnostic::Place;
use crate::ir::{BinaryOp, Extent, Printed, Stmt, Type, Value, VarId, wider};

/// How such a function fills its result: every element starts with a number and takes one step in each iteration.
struct Filling {
    /// Over the result, the contiguous dimension first.
    result: Vec<Index>,
    /// Over everything, innermost first.
    loops: Vec<Index>,
    operation: Operation,
    /// What one iteration takes.
    element: Value,
    mask: Option<Value>,
    ty: Type,
}

impl Lowering<'_> {
    /// `target = f(…)`, if `f` is one of these functions: whether `out` has its loops now.
    pub fn fills(
        &mut self,
        place: &Place,
        target: &Value,
        value: &Value,
        out: &mut Vec<Stmt>,
    ) -> bool {
        let Value::Call {
            name, arguments, ..
        } = value
        else {
            return false;
        };
        let (Value::Variable(array) | Value::Element { array, .. }) = target else {
            return false;
        };
        // What the function still reads must stay: it needs an array of its own then.
        let is_read = |argument: &Value| {
            let mut found = false;
            visit::every(argument, &mut |part| {
                found |= matches!(part, Value::Variable(id) | Value::Element { array: id, .. } if id == array);
            });
            found
        };
        if arguments.iter().any(is_read) {
            return false;
        }
        let mut statements = Vec::new();
        let filling = self.filling(place, name, arguments, &mut statements);
        let Some(filled) = filling.and_then(|filling| self.fill(place, target, &filling)) else {
            return false;
        };
        out.extend(statements);
        out.extend(filled);
        true
    }

    /// An array with the result of such a function, which loops in `out` fill.
    pub fn array_result(
        &mut self,
        place: &Place,
        name: &str,
        arguments: &[Value],
        out: &mut Vec<Stmt>,
    ) -> Option<Value> {
        let mut statements = Vec::new();
        let filling = self.filling(place, name, arguments, &mut statements)?;
        let target =
            Value::Variable(self.array_variable(name, filling.ty.clone(), &filling.result)?);
        statements.extend(self.fill(place, &target, &filling)?);
        out.extend(statements);
        Some(target)
    }

    /// Whether a value is a reference to a function of the program that gives an array of that rank.
    pub fn is_array_call(&self, value: &Value, rank: Option<usize>) -> bool {
        let Value::Call { name, .. } = value else {
            return false;
        };
        let given = match self.results.get(name) {
            Some(given) => (given.shape == Shape::Array).then_some(given.rank),
            None => match self.world.procedure(self.scope, name) {
                Some(Declared { symbol, .. })
                    if matches!(symbol.class, Class::Procedure(Shape::Array)) =>
                {
                    Some(symbol.dimensions.len())
                }
                _ => None,
            },
        };
        given.is_some_and(|given| given > 0) && given == rank
    }

    /// The value with arrays in place of the functions of the program that give arrays of the shape of the whole: each
    /// is evaluated once, before the loop over its elements.
    pub fn hoist_array_calls(
        &mut self,
        place: &Place,
        value: Value,
        indices: &[Index],
        out: &mut Vec<Stmt>,
    ) -> Value {
        if self.is_array_call(&value, Some(indices.len()))
            && let Value::Call { name, ty, .. } = &value
        {
            let found = self.array_variable(&name.replace(['%', ':'], "_"), ty.clone(), indices);
            if let Some(array) = found {
                out.push(Stmt::Evaluate {
                    place: place.clone(),
                    values: vec![value],
                    printed: Printed::No,
                });
                return Value::Variable(array);
            }
            return value;
        }
        let mut inside =
            |value: Value| Box::new(self.hoist_array_calls(place, value, indices, out));
        match value {
            Value::Unary(op, operand) => Value::Unary(op, inside(*operand)),
            Value::Convert(ty, operand) => Value::Convert(ty, inside(*operand)),
            Value::Binary(op, left, right) => {
                let left = inside(*left);
                Value::Binary(op, left, inside(*right))
            }
            Value::Call {
                name,
                arguments,
                ty,
            } if self.call_shape(&name) == Some(Shape::Elemental) => {
                let arguments = arguments.into_iter();
                let arguments = arguments
                    .map(|a| self.hoist_array_calls(place, a, indices, out))
                    .collect();
                Value::Call {
                    name,
                    arguments,
                    ty,
                }
            }
            other => other,
        }
    }

    fn filling(
        &mut self,
        place: &Place,
        name: &str,
        arguments: &[Value],
        out: &mut Vec<Stmt>,
    ) -> Option<Filling> {
        if !self.is_intrinsic(name) {
            return None;
        }
        match (name, arguments) {
            ("matmul", [left, right]) => {
                let left = self.stored(place, left, out)?;
                let right = self.stored(place, right, out)?;
                self.product(&left, &right)
            }
            _ => self.along_dimension(name, arguments),
        }
    }

    /// Rows by columns: the loop through the rows is the innermost, as Fortran stores them.
    fn product(&mut self, left: &Value, right: &Value) -> Option<Filling> {
        let mut rows = self.shape_of(left)?;
        let mut columns = self.shape_of(right)?;
        let mut inner = rows.pop()?;
        // Its bounds are those of the left operand's last dimension.
        columns.drain(..1);
        for (at, index) in rows
            .iter_mut()
            .chain([&mut inner])
            .chain(&mut columns)
            .enumerate()
        {
            index.variable = self.fresh_index(at);
        }
        let of_left: Vec<Index> = rows.iter().chain([&inner]).cloned().collect();
        let of_right: Vec<Index> = [&inner].into_iter().chain(&columns).cloned().collect();
        let (a, b) = (
            self.element_of(left, &of_left)?,
            self.element_of(right, &of_right)?,
        );
        let ty = wider(a.ty(self.draft.function()), b.ty(self.draft.function()));
        let result = rows.iter().chain(&columns).cloned().collect();
        let loops = rows.into_iter().chain([inner]).chain(columns).collect();
        let element = Value::binary(BinaryOp::Multiply, a, b);
        Some(Filling {
            result,
            loops,
            operation: Operation::Sum,
            element,
            mask: None,
            ty,
        })
    }

    /// `sum(a, dim = 2)`.
    fn along_dimension(&mut self, name: &str, arguments: &[Value]) -> Option<Filling> {
        let operation = Operation::of(name).filter(|operation| *operation != Operation::Dot)?;
        let (array, rest) = arguments.split_first()?;
        let rest = self.dimension_and_mask(rest)?;
        let loops = self.shape_of(array)?;
        let dimension = rest
            .dimension
            .and_then(|n| usize::try_from(n).ok()?.checked_sub(1))?;
        if loops.len() < 2 || dimension >= loops.len() {
            return None;
        }
        let element = self.element_of(array, &loops)?;
        let mask = match &rest.mask {
            Some(mask) => Some(self.element_of(mask, &loops)?),
            None => None,
        };
        let ty = operation.result(&element.ty(self.draft.function()));
        let result = loops
            .iter()
            .enumerate()
            .filter(|(at, _)| *at != dimension)
            .map(|(_, i)| i.clone())
            .collect();
        Some(Filling {
            result,
            loops,
            operation,
            element,
            mask,
            ty,
        })
    }

    fn fill(&mut self, place: &Place, target: &Value, filling: &Filling) -> Option<Vec<Stmt>> {
        let Filling {
            result,
            loops,
            operation,
            element,
            mask,
            ty,
        } = filling;
        let target = self.element_of(target, result)?;
        let start = Stmt::Assign {
            place: place.clone(),
            target: target.clone(),
            value: operation.start(ty),
        };
        let next = operation.step(target.clone(), element.clone(), ty.clone());
        let step = Stmt::Assign {
            place: place.clone(),
            target,
            value: next,
        };
        let mut statements = nest(place, result.clone(), vec![start]);
        statements.extend(nest(
            place,
            loops.clone(),
            vec![super::reductions::masked(place, mask.clone(), step)],
        ));
        Some(statements)
    }

    /// Loops over the elements of a value.
    pub fn shape_of(&mut self, value: &Value) -> Option<Vec<Index>> {
        match value {
            Value::Call {
                name, arguments, ..
            } if name == "transpose" && self.is_intrinsic(name) => {
                let mut indices = self.shape_of(arguments.first()?)?;
                indices.reverse();
                Some(indices)
            }
            _ => {
                let leading = self.leading(value)?;
                self.indices(&leading)
            }
        }
    }

    /// An operand that is computed once, not once a use: an array of its own if it is not an array as it stands.
    fn stored(&mut self, place: &Place, value: &Value, out: &mut Vec<Stmt>) -> Option<Value> {
        let is_transposed = matches!(value, Value::Call { name, arguments, .. }
            if name == "transpose" && matches!(arguments[..], [Value::Variable(_) | Value::Element { .. }]));
        if is_transposed || matches!(value, Value::Variable(_) | Value::Element { .. }) {
            return Some(value.clone());
        }
        let indices = self.shape_of(value)?;
        let target = Value::Variable(self.array_variable(
            "operand",
            value.ty(self.draft.function()),
            &indices,
        )?);
        let (element, value) = (
            self.element_of(&target, &indices)?,
            self.element_of(value, &indices)?,
        );
        out.extend(nest(
            place,
            indices,
            vec![Stmt::Assign {
                place: place.clone(),
                target: element,
                value,
            }],
        ));
        Some(target)
    }

    /// An array of our own with room for what the indices run over.
    fn array_variable(&mut self, name: &str, ty: Type, indices: &[Index]) -> Option<VarId> {
        let whole = |index: &Index| {
            let extent = Extent {
                lower: Some(index.lower.clone()),
                upper: Some(index.upper.clone()),
            };
            matches!(index.step, Value::Integer(1)).then_some(extent)
        };
        let dimensions = indices.iter().map(whole).collect::<Option<Vec<Extent>>>()?;
        let id = self.result_variable(name, ty);
        self.draft.set_dimensions(id, dimensions);
        Some(id)
    }
}
