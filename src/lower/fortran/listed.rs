//! What the elements of arrays have before the program runs.
//!
//! ```text
//! integer :: a(3) = [1, 2, 3]             integer :: b(-1:1) = 7
//! integer :: c(4) = [(2*i, i = 1, 4)]     integer :: d(2,2) = reshape([1, 2, 3, 4], [2, 2])
//! data e(2) /15/                          data (f(i), i = 1, 3) /4, 5, 6/
//! ```

use super::super::draft::MOST_LISTED;
use super::super::fold;
use super::procedure::Lowering;
use super::scope::{Class, Scope, Symbol};
use crate::ir::{Listed, Type, Value, VarId};

impl<'a> Lowering<'a> {
    /// Notes the whole numbers that the elements of an array begin with.
    pub fn begin_elements(&mut self, id: VarId, symbol: &'a Symbol, home: &'a Scope) {
        let is_named = matches!(symbol.class, Class::Constant(_)) || !symbol.elements.is_empty();
        if symbol.listed.is_empty() && symbol.filled.is_none() && !is_named
            || !matches!(self.draft.variable(id).ty, Type::Integer(..))
        {
            return;
        }
        let Some(bounds) = self.numbered_bounds(id) else {
            return;
        };
        let mut listed: Listed = Vec::new();
        if let Some(value) = &symbol.filled {
            let value = self.value(value, home);
            let count = bounds
                .iter()
                .try_fold(1i64, |count, (_, extent)| count.checked_mul((*extent)?));
            let count = count.filter(|count| (0..=MOST_LISTED as i64).contains(count));
            if let Some(count) = count.filter(|_| self.is_one(&value)) {
                listed.extend((0..count).filter_map(|at| Some((nth(&bounds, at)?, value.clone()))));
            }
        }
        for (at, value) in (0..).zip(&symbol.listed) {
            let value = self.value(value, home);
            // What stands for several is not told apart from what comes behind it.
            let Some(place) = nth(&bounds, at).filter(|_| self.is_one(&value)) else {
                break;
            };
            listed.push((place, value));
        }
        for (subscripts, value) in &symbol.elements {
            let numbers = subscripts.iter().map(|subscript| {
                let subscript = self.value(subscript, home);
                fold::value(self.draft.function(), &subscript)
            });
            let numbers: Option<Box<[i64]>> = numbers.collect();
            let value = self.value(value, home);
            if let Some(numbers) =
                numbers.filter(|numbers| numbers.len() == bounds.len() && self.is_one(&value))
            {
                listed.retain(|(known, _)| *known != numbers);
                listed.push((numbers, value));
            }
        }
        self.draft.set_listed(id, listed);
    }

    fn is_one(&self, value: &Value) -> bool {
        !value.has_no_number() && self.rank(value) == Some(0)
    }

    /// First subscript and number of elements of each dimension, the latter where it is known.
    fn numbered_bounds(&self, id: VarId) -> Option<Vec<(i64, Option<i64>)>> {
        let function = self.draft.function();
        let each = function.variable(id).dimensions.iter().map(|extent| {
            let first = match &extent.lower {
                Some(lower) => fold::value(function, lower)?,
                None => 1,
            };
            let last = extent
                .upper
                .as_ref()
                .and_then(|upper| fold::value(function, upper));
            Some((
                first,
                last.and_then(|last| last.checked_sub(first)?.checked_add(1)),
            ))
        });
        each.collect::<Option<Vec<_>>>()
            .filter(|bounds| !bounds.is_empty())
    }
}

/// The subscripts of an element by its place in storage order.
fn nth(bounds: &[(i64, Option<i64>)], mut at: i64) -> Option<Box<[i64]>> {
    let mut subscripts = Vec::with_capacity(bounds.len());
    for (dimension, (first, extent)) in bounds.iter().enumerate() {
        let is_last = dimension + 1 == bounds.len();
        let within = match (is_last, extent) {
            (true, None) => at,
            (true, Some(extent)) => Some(at).filter(|at| at < extent)?,
            (false, extent) => {
                let extent = extent.filter(|extent| *extent > 0)?;
                let within = at % extent;
                at /= extent;
                within
            }
        };
        subscripts.push(first.checked_add(within)?);
    }
    Some(subscripts.into())
}
