//! How long assignments make arrays whose length their declaration leaves to statements.
//!
//! ```text
//! allocate(v(3), w(8))
//! v = w                         ►     v has 3 elements, or 8
//! v = [1, 2]                    ►     or 2
//! v = pack(w, w > 0)            ►     or nobody knows how many
//! ```
//!
//! What has as many elements as the array has been allocated with makes no difference, nor does what is of unknown length: it
//! is taken to conform.

use super::intrinsic_types::{Shape, is_as_long_as_first};
use super::modules::{Declared, Found};
use super::procedure::Lowering;
use super::scope::Bounds;
use crate::ir::{BinaryOp, Callee, Extent, Length, Role, Type, Value, VarId};
use crate::reason::ReasonCode;

impl Lowering<'_> {
    /// Notes how long an assignment makes an array, if it may make it longer or shorter.
    pub fn note_length(&mut self, target: &Value, value: &Value) {
        let Value::Variable(id) = target else { return };
        let own = &self.draft.variable(*id).dimensions;
        if own.is_empty() || !self.draft.is_deferred(*id) || self.rank(value) == Some(0) {
            return;
        }
        let is_complete = own.iter().all(|extent| extent.upper.is_some());
        let has_several = self.draft.function().lengths.contains_key(id);
        let is_alone = matches!(self.draft.variable(*id).role, Role::Local | Role::Argument);
        if !is_complete && !has_several && !is_alone {
            return;
        }
        let mut parts = Vec::new();
        if self.arrays_in(value, &mut parts) {
            if let Some(decisive) = parts.into_iter().find_map(|part| self.decisive(*id, part)) {
                self.add_length(*id, decisive);
            }
            return;
        }
        match self.extents_of(value) {
            Some(extents) if extents.len() == self.draft.variable(*id).dimensions.len() => {
                self.add_length(*id, Length::Bounds(extents));
            }
            _ if self.is_of_unknown_length(value) => self.draft.note_unknown_length(*id),
            _ => {}
        }
    }

    /// How long a value is along each dimension; nothing where the procedure does not say that.
    fn extents_of(&self, value: &Value) -> Option<Vec<Extent>> {
        match value {
            _ if self.rank(value) == Some(0) => Some(Vec::new()),
            Value::Variable(id) => {
                let rank = self.draft.variable(*id).dimensions.len();
                let along = |at: usize| of_length(self.size_along(value, at + 1));
                Some((0..rank).map(along).collect())
            }
            Value::Element { subscripts, .. } => {
                let mut extents = Vec::new();
                for subscript in subscripts {
                    match subscript {
                        Value::Section(section) => extents.push(of_length(length(section)?)),
                        _ => extents.extend(self.extents_of(subscript)?),
                    }
                }
                Some(extents)
            }
            Value::Unary(_, inner) | Value::Convert(_, inner) => self.extents_of(inner),
            Value::Binary(_, left, right) => {
                let array = if self.rank(left) == Some(0) {
                    right
                } else {
                    left
                };
                self.extents_of(array)
            }
            Value::Call {
                name, arguments, ..
            } if self.call_shape(name) == Some(Shape::Elemental) => {
                let mut arrays = arguments.iter().filter(|one| self.rank(one) != Some(0));
                self.extents_of(arrays.next()?)
            }
            Value::Call {
                name, arguments, ..
            } if self.is_intrinsic(name) => self.extents_of_call(name, arguments),
            Value::Call { name, .. } => {
                let Declared { symbol, home, .. } = self.world.procedure(self.scope, name)?;
                let along = |bounds: &Bounds| {
                    let elements = self.world.extent(bounds, home)?;
                    Some(of_length(Value::Integer(elements)))
                };
                symbol.dimensions.iter().map(along).collect()
            }
            Value::Opaque { .. } => Some(vec![self.listed_length(value)?]),
            _ => None,
        }
    }

    /// The same of what an intrinsic function gives that takes whole arrays.
    fn extents_of_call(&self, name: &str, arguments: &[Value]) -> Option<Vec<Extent>> {
        let rank_of = |value: &Value| Some(of_length(Value::Integer(self.rank(value)? as i64)));
        match (name, arguments) {
            ("transpose", [matrix]) => {
                let mut extents = self.extents_of(matrix)?;
                extents.reverse();
                Some(extents)
            }
            ("matmul", [left, right]) => {
                let (mut left, right) = (self.extents_of(left)?, self.extents_of(right)?);
                left.pop()?;
                left.extend(right.into_iter().skip(1));
                Some(left)
            }
            ("shape" | "maxloc" | "minloc" | "lbound" | "ubound", [array]) => {
                Some(vec![rank_of(array)?])
            }
            ("reshape", [_, Value::Opaque { reason, inner }, ..])
                if reason.code == ReasonCode::ArrayConstructor =>
            {
                let is_one = |value: &Value| self.rank(value) == Some(0) && !value.has_no_number();
                let are_numbers = inner.iter().all(is_one);
                are_numbers.then(|| inner.iter().cloned().map(of_length).collect())
            }
            ("spread", [value, Value::Integer(dimension), copies]) => {
                let mut extents = self.extents_of(value)?;
                let at = usize::try_from(*dimension).ok()?.checked_sub(1)?;
                (at <= extents.len()).then(|| extents.insert(at, of_length(copies.clone())))?;
                Some(extents)
            }
            (name, [array, ..]) if is_as_long_as_first(name) => self.extents_of(array),
            (name, [array, rest @ ..]) if self.call_shape(name) == Some(Shape::Reduction) => {
                let dimension = self.dimension_and_mask(rest)?.dimension?;
                let mut extents = self.extents_of(array)?;
                let at = usize::try_from(dimension).ok()?.checked_sub(1)?;
                (at < extents.len()).then(|| extents.remove(at))?;
                Some(extents)
            }
            _ => None,
        }
    }

    /// `size(array, dimension)`.
    fn size_along(&self, array: &Value, dimension: usize) -> Value {
        let arguments = vec![array.clone(), Value::Integer(dimension as i64)];
        let size = |arguments| Value::Call {
            name: "size".into(),
            arguments,
            ty: Value::Integer(0).ty(self.draft.function()),
        };
        (self.inquiry("size", &arguments)).unwrap_or_else(|| size(arguments))
    }

    /// Notes the arrays that a called subroutine may allocate anew: they may be as long as they were, or as it makes them.
    pub fn note_allocated_there(&mut self, name: &str, values: &[Value]) {
        let Found::Symbol(symbol, _) = self.world.symbol(self.scope, name) else {
            return;
        };
        for (dummy, value) in symbol.dummies.iter().zip(values) {
            if let Value::Variable(id) = value
                && dummy.may_be_allocated
            {
                self.draft.open_length(*id);
            }
        }
    }

    /// The same of arrays of modules, and of components of what is passed.
    pub fn open_shared(&mut self, called: &str, values: &[Value]) {
        let procedure = match self.draft.function().callees.get(called) {
            Some(Callee::OfModule { name, .. }) => name.as_str(),
            _ => called,
        };
        let is_passed = |variable: &str| {
            values.iter().any(|value| match value {
                Value::Variable(id) | Value::Element { array: id, .. } => {
                    self.draft.variable(*id).name.variable() == variable
                }
                _ => false,
            })
        };
        let may_change = |id: &VarId| {
            let variable = self.draft.variable(*id);
            let array = variable.name.members().last();
            let is_shared = variable.role == Role::Global
                || variable.name.is_member() && is_passed(variable.name.variable());
            let array = array.unwrap_or_else(|| variable.name.variable());
            is_shared && self.world.sets_length(procedure, array)
        };
        let opened: Vec<VarId> = (self.draft.function().sized.iter().copied())
            .filter(may_change)
            .collect();
        for id in opened {
            self.draft.open_length(id);
        }
    }

    fn add_length(&mut self, id: VarId, length: Length) {
        let own = &self.draft.variable(id).dimensions;
        let is_same = match &length {
            Length::Bounds(extents) => Extent::are_as_long(own, extents),
            Length::Shape(_) => false,
        };
        if !is_same {
            self.draft.note_length(id, length);
        }
    }

    /// The length that an array gets of one that is assigned to it, if that is known and another one.
    fn decisive(&self, id: VarId, part: &Value) -> Option<Length> {
        let own = &self.draft.variable(id).dimensions;
        let function = self.draft.function();
        let shape = || Length::Shape(part.clone());
        match part {
            Value::Variable(other) if function.lengths.contains_key(other) => Some(shape()),
            Value::Variable(other) => {
                let extents = &function.variable(*other).dimensions;
                let is_known = extents.iter().all(|extent| extent.upper.is_some());
                (is_known && *other != id && !Extent::are_as_long(own, extents)).then(shape)
            }
            Value::Element { subscripts, .. } if subscripts.iter().any(is_spread) => {
                let extents = self.extents_of(part)?;
                (!Extent::are_as_long(own, &extents)).then_some(Length::Bounds(extents))
            }
            Value::Element { subscripts, .. } => {
                let sections = subscripts.iter().filter_map(|subscript| match subscript {
                    Value::Section(section) => Some(&**section),
                    _ => None,
                });
                let mut extents = Vec::new();
                for [first, last, step] in sections {
                    let is_number = |end: &Value| !matches!(end, Value::Call { .. });
                    if !is_number(first) || !is_number(last) {
                        return None;
                    }
                    let is_next = matches!(step, Value::Integer(1));
                    extents.push(Extent {
                        lower: is_next.then(|| first.clone()),
                        upper: is_next.then(|| last.clone()),
                    });
                }
                (!Extent::are_as_long(own, &extents)).then(shape)
            }
            _ => None,
        }
    }

    /// Adds the arrays that a value has the shape of, and says whether nothing else may decide that.
    fn arrays_in<'v>(&self, value: &'v Value, found: &mut Vec<&'v Value>) -> bool {
        if self.rank(value) == Some(0) {
            return true;
        }
        match value {
            Value::Variable(_) => {
                found.push(value);
                true
            }
            Value::Element { subscripts, .. } => {
                found.push(value);
                let is_plain = |subscript: &Value| {
                    matches!(subscript, Value::Section(_)) || self.rank(subscript) == Some(0)
                };
                subscripts.iter().all(is_plain)
            }
            Value::Unary(_, inner) | Value::Convert(_, inner) => self.arrays_in(inner, found),
            Value::Binary(_, left, right) => {
                self.arrays_in(left, found) & self.arrays_in(right, found)
            }
            Value::Call {
                name, arguments, ..
            } if self.call_shape(name) == Some(Shape::Elemental) => arguments
                .iter()
                .all(|argument| self.arrays_in(argument, found)),
            Value::Call {
                name, arguments, ..
            } if self.is_intrinsic(name) && is_as_long_as_first(name) => arguments
                .first()
                .is_some_and(|first| self.arrays_in(first, found)),
            _ => false,
        }
    }

    /// Whether nothing in the procedure says how long a value is: what a function allocates, or a choice of elements.
    fn is_of_unknown_length(&self, value: &Value) -> bool {
        match value {
            Value::Call { name, .. } if self.is_intrinsic(name) => {
                !matches!(self.call_shape(name), Some(Shape::Elemental))
            }
            Value::Unary(_, inner) | Value::Convert(_, inner) => self.is_of_unknown_length(inner),
            Value::Binary(_, left, right) => [left, right]
                .into_iter()
                .any(|side| self.rank(side) != Some(0) && self.is_of_unknown_length(side)),
            Value::Element { .. } => true,
            Value::Call { name, .. } => match self.world.procedure(self.scope, name) {
                // What it makes of its arguments is not followed.
                Some(Declared { symbol, .. }) => !symbol.dimensions.is_empty(),
                None => false,
            },
            Value::Opaque { reason, .. } if reason.code == ReasonCode::ArrayConstructor => {
                self.listed_length(value).is_none()
            }
            _ => false,
        }
    }

    /// The length of a list of values, each of which is one, or of one that a loop makes.
    fn listed_length(&self, value: &Value) -> Option<Extent> {
        let Value::Opaque { reason, inner } = value else {
            return None;
        };
        if reason.code != ReasonCode::ArrayConstructor {
            return None;
        }
        let is_one = |value: &Value| !value.has_no_number() && self.rank(value) == Some(0);
        let of = |last: Value| Extent {
            lower: None,
            upper: Some(last),
        };
        if inner.iter().all(is_one) {
            return Some(of(Value::Integer(inner.len() as i64)));
        }
        let [Value::Opaque { reason, inner }] = &inner[..] else {
            return None;
        };
        let [Value::Variable(_), first, last, Value::Integer(1), value] = &inner[..] else {
            return None;
        };
        let is_loop = reason.code == ReasonCode::ImpliedDo && is_one(value);
        let is_whole = |end: &Value| matches!(end.ty(self.draft.function()), Type::Integer(..));
        (is_loop && is_whole(first) && is_whole(last)).then(|| match first {
            Value::Integer(1) => of(last.clone()),
            first => {
                let apart = Value::binary(BinaryOp::Subtract, last.clone(), first.clone());
                of(Value::binary(BinaryOp::Add, apart, Value::Integer(1)))
            }
        })
    }
}

/// Whether a section leaves elements out, or goes down.
fn is_spread(subscript: &Value) -> bool {
    let Value::Section(section) = subscript else {
        return false;
    };
    !matches!(section[2], Value::Integer(1))
}

/// A dimension of so many elements.
fn of_length(elements: Value) -> Extent {
    Extent {
        lower: None,
        upper: Some(elements),
    }
}

/// How many elements a section has.
fn length([first, last, step]: &[Value; 3]) -> Option<Value> {
    let is_number = |end: &Value| !end.has_no_number() && !matches!(end, Value::Call { .. });
    if !is_number(first) || !is_number(last) {
        return None;
    }
    let apart = Value::binary(BinaryOp::Subtract, last.clone(), first.clone());
    Some(match step {
        Value::Integer(1) => Value::binary(BinaryOp::Add, apart, Value::Integer(1)),
        step => {
            let end = Value::binary(BinaryOp::Add, apart, step.clone());
            Value::binary(BinaryOp::Divide, end, step.clone())
        }
    })
}
