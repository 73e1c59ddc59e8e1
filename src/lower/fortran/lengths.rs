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

use super::intrinsic_types::{Shape, is_as_long_as_first, is_of_another_length};
use super::modules::{Declared, Found};
use super::procedure::Lowering;
use super::scope::Bounds;
use crate::ir::{BinaryOp, Extent, Length, Role, Type, Value, VarId};
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
        if self.is_of_unknown_length(value) {
            return self.draft.note_unknown_length(*id);
        }
        if let Some(extent) = self.listed_length(value) {
            return self.add_length(*id, Length::Bounds(vec![extent]));
        }
        let mut parts = Vec::new();
        if self.arrays_in(value, &mut parts)
            && let Some(decisive) = parts.into_iter().find_map(|part| self.decisive(*id, part))
        {
            self.add_length(*id, decisive);
        }
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
            Value::Call { name, .. } if self.is_intrinsic(name) => is_of_another_length(name),
            Value::Call { name, .. } => match self.world.procedure(self.scope, name) {
                Some(Declared { symbol, .. }) => {
                    let is_open =
                        |bounds: &Bounds| bounds.lower.is_none() && bounds.upper.is_none();
                    !symbol.dimensions.is_empty() && symbol.dimensions.iter().all(is_open)
                }
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
