//! `size`, `lbound` and `ubound` of arrays whose declarations say it.

use super::super::fold;
use super::elementwise::{bounds, offset};
use super::procedure::Lowering;
use crate::ir::{BinaryOp, Role, Value, VarId};

/// Lower and upper bound of one dimension.
type Range = [Value; 2];

impl Lowering<'_> {
    /// The value of an inquiry by the declared bounds; `None` where they leave it open.
    pub fn inquiry(&self, name: &str, arguments: &[Value]) -> Option<Value> {
        let (array, dimension) = match (name, arguments) {
            ("size", [array]) => (array, None),
            ("size" | "lbound" | "ubound", [array, Value::Integer(dimension)]) => (
                array,
                Some(usize::try_from(*dimension).ok()?.checked_sub(1)?),
            ),
            _ => return None,
        };
        let ranges = self.ranges(array)?;
        match (name, dimension) {
            ("size", None) => {
                let ranges = ranges.into_iter().collect::<Option<Vec<Range>>>()?;
                ranges
                    .into_iter()
                    .map(|range| self.extent_of(range))
                    .reduce(product)
            }
            ("size", Some(at)) => Some(self.extent_of(ranges.into_iter().nth(at)??)),
            ("lbound", Some(at)) => ranges.into_iter().nth(at)?.map(|[lower, _]| lower),
            (_, Some(at)) => ranges.into_iter().nth(at)?.map(|[_, upper]| upper),
            (_, None) => None,
        }
    }

    /// The bounds of the dimensions that a whole array or a section of one has.
    fn ranges(&self, array: &Value) -> Option<Vec<Option<Range>>> {
        match array {
            Value::Variable(id) => {
                let dimensions = &self.draft.variable(*id).dimensions;
                if self.may_have_come(*id) {
                    return Some(vec![None; dimensions.len()]);
                }
                Some(
                    dimensions
                        .iter()
                        .map(|extent| Some([extent.lower.clone()?, extent.upper.clone()?]))
                        .collect(),
                )
            }
            Value::Element {
                array, subscripts, ..
            } => {
                let mut ranges = Vec::new();
                for (at, subscript) in subscripts.iter().enumerate() {
                    match bounds(subscript) {
                        Some(section) => {
                            ranges.push(self.section_range(self.declared(*array, at), section));
                        }
                        None if self.rank(subscript)? == 0 => {}
                        None => return None,
                    }
                }
                Some(ranges)
            }
            _ => None,
        }
    }

    /// Whether an array may have the length that it had when the procedure began: statements before allocate it only where it
    /// is not allocated yet, `if (.not. allocated(list)) allocate(list(1))`, and the one that asks runs elsewhere, too.
    fn may_have_come(&self, id: VarId) -> bool {
        self.draft.variable(id).role == Role::Argument
            && self.draft.function().kept.contains(&id)
            && !self.missing.contains(&id)
    }

    fn declared(&self, array: VarId, at: usize) -> bool {
        let extent = self.draft.variable(array).dimensions.get(at);
        extent.is_some_and(|extent| extent.lower.is_some() && extent.upper.is_some())
    }

    /// Whether what is asked about is a dummy argument.
    fn is_argument(&self, asked: &[Value]) -> bool {
        let Some(Value::Variable(id)) = asked.first() else {
            return false;
        };
        self.draft.variable(*id).role == Role::Argument
    }

    /// Sections count from one.
    fn section_range(&self, is_declared: bool, [lower, upper, step]: [&Value; 3]) -> Option<Range> {
        if !matches!(step, Value::Integer(1)) {
            return None;
        }
        if let Value::Call {
            name,
            arguments,
            ty,
        } = upper
            && name == "ubound"
            && !is_declared
        {
            // All of a dimension of a dummy argument, which begins at one.
            let is_whole = matches!(lower, Value::Integer(1)) && self.is_argument(arguments);
            let extent = || Value::Call {
                name: "size".into(),
                arguments: arguments.clone(),
                ty: ty.clone(),
            };
            return is_whole.then(|| [Value::Integer(1), extent()]);
        }
        let extent = self.extent_of([lower.clone(), upper.clone()]);
        Some([Value::Integer(1), extent])
    }

    /// Elements of a dimension: none where the upper bound lies below the lower one.
    fn extent_of(&self, [lower, upper]: Range) -> Value {
        match self.distance(&upper, &lower) {
            Value::Integer(apart) => Value::Integer(apart.saturating_add(1).max(0)),
            _ if matches!(lower, Value::Integer(1)) => upper,
            apart => offset(apart, 1),
        }
    }
}

fn product(a: Value, b: Value) -> Value {
    let known = match (&a, &b) {
        (Value::Integer(x), Value::Integer(y)) => fold::arithmetic(BinaryOp::Multiply, *x, *y),
        _ => None,
    };
    known.map_or_else(|| Value::binary(BinaryOp::Multiply, a, b), Value::Integer)
}
