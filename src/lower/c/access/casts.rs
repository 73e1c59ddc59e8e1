//! Addresses that are cast to those of another type.
//!
//! ```text
//! double *d = bytes; (float *)d        an array of its own that shares the other's storage
//! (float *)(bytes + 4*i)               element i of it, as 4*i bytes were added
//! ```

use tree_sitter::Node;

use super::super::ctype::CType;
use super::super::fields::{Field, part};
use super::super::lowering::Lowering;
use super::{Access, Path, negate};
use crate::ir::{BinaryOp, ElementType, Step, Type, UnaryOp, Value};
use crate::reason::ReasonCode;

impl<'t> Lowering<'t> {
    pub(super) fn cast_access(&mut self, node: Node<'t>) -> Access<'t> {
        let ty = part(node, Field::Type).map_or(CType::Unknown, |ty| self.names.described_type(ty));
        if !ty.is_address() {
            return Access::Computed(self.value(node));
        }
        let mut path = match self.part_access(node, Field::Value) {
            Access::Path(path) => path,
            computed => return computed,
        };
        let (old, new) = (
            self.names.element_type(&path.ty),
            self.names.element_type(&ty),
        );
        if let Some(computed) = self.rescale(&mut path, &ty, node) {
            return computed;
        }
        let reshaped = path.ty.extents().len() != ty.extents().len();
        if old != Type::Unknown && (old != new || reshaped) {
            // The same memory read as another type: a variable of its own, so that sizes are right.
            let pointers = "*".repeat(ty.extents().len());
            let view = format!("({} {pointers})", ElementType::from(&new));
            path.members.push(Step::View, &view);
        } else if path.members.is_plain()
            && path.subscripts.is_empty()
            && matches!(path.ty.element(), CType::Void)
        {
            self.set_type(path.root, ty.clone());
        }
        path.ty = ty;
        Access::Path(path)
    }

    /// `(float *)(bytes + 4*i)` is element `i` of floats: what was added to an address counts elements of the new size. Gives
    /// what takes the path's place if that cannot be said.
    fn rescale(
        &mut self,
        path: &mut Path<'t>,
        to: &CType<'t>,
        node: Node<'t>,
    ) -> Option<Access<'t>> {
        let size = |ty: &CType<'t>| match ty {
            CType::Void => Some(1),
            ty => self.names.size_of(ty).filter(|bytes| *bytes > 0),
        };
        // Numbers that are made addresses count bytes.
        let old = match path.ty.is_address() {
            true => size(&path.ty.element()),
            false => Some(1),
        };
        let (old, new) = old.zip(size(&to.element()))?;
        if old == new {
            return None;
        }
        let bytes = (i64::from(old), i64::from(new));
        path.offset = path.offset.take().map(|offset| scaled(offset, bytes));
        let moved = path.subscripts.last_mut().filter(|_| path.is_address);
        let moved = moved.filter(|last| !matches!(last, Value::Integer(0)))?;
        if path.extents.len() > 1 {
            return Some(Access::Computed(Value::Opaque {
                reason: self.reason(ReasonCode::ComputedBase, node),
                inner: std::mem::take(&mut path.subscripts),
            }));
        }
        let last = std::mem::replace(moved, Value::Integer(0));
        *moved = scaled(last, bytes);
        None
    }
}

/// Elements of one size as those of another one.
fn scaled(value: Value, (from, to): (i64, i64)) -> Value {
    if from % to == 0 {
        return Value::binary(BinaryOp::Multiply, value, Value::Integer(from / to));
    }
    let (value, parts) = match to % from {
        0 => (value, to / from),
        _ => {
            let bytes = Value::binary(BinaryOp::Multiply, value, Value::Integer(from));
            (bytes, to)
        }
    };
    divided(&value, parts)
        .unwrap_or_else(|| Value::binary(BinaryOp::Divide, value, Value::Integer(parts)))
}

/// A value divided by a number, if it surely is a multiple of it.
fn divided(value: &Value, by: i64) -> Option<Value> {
    let again = |value: &Value| divided(value, by);
    match value {
        Value::Integer(n) => (n % by == 0).then(|| Value::Integer(n / by)),
        Value::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), left, right) => {
            Some(Value::binary(*op, again(left)?, again(right)?))
        }
        Value::Binary(BinaryOp::Multiply, left, right) => {
            let product = |divided: Value, other: &Value| match divided {
                Value::Integer(1) => other.clone(),
                divided => Value::binary(BinaryOp::Multiply, divided, other.clone()),
            };
            again(left)
                .map(|left| product(left, right))
                .or_else(|| again(right).map(|right| product(right, left)))
        }
        Value::Unary(UnaryOp::Negate, inner) => again(inner).map(negate),
        Value::Convert(ty, inner) => Some(Value::Convert(ty.clone(), Box::new(again(inner)?))),
        _ => None,
    }
}
