//! Array constructors on the right of an assignment.

use super::array_syntax::nest;
use super::elementwise::{Index, offset};
use super::procedure::Lowering;
use crate::diagnostic::Place;
use crate::ir::{BinaryOp, Stmt, Value};
use crate::reason::ReasonCode;

/// Array constructors up to this long become single assignments.
const LONGEST: usize = 1024;

impl Lowering<'_> {
    /// `a(1:2) = [x, y]` as `a(1) = x` and `a(2) = y`, and `a = [(f(i), i = 1, n)]` as a loop.
    pub fn constructor_assignment(
        &mut self,
        place: &Place,
        target: &Value,
        value: &Value,
        indices: &[Index],
    ) -> Option<Vec<Stmt>> {
        let Value::Opaque { reason, inner } = value else {
            return None;
        };
        let [index] = indices else { return None };
        if reason.code != ReasonCode::ArrayConstructor {
            return None;
        }
        if let [Value::Opaque { reason, inner }] = &inner[..]
            && reason.code == ReasonCode::ImpliedDo
        {
            return self.implied_do(place, target, inner, index);
        }
        let scalars = inner
            .iter()
            .all(|v| !v.has_no_number() && self.rank(v) == Some(0));
        if inner.len() > LONGEST || !scalars {
            return None;
        }
        let mut statements = Vec::with_capacity(inner.len());
        for (at, value) in inner.iter().enumerate() {
            let at = index.nth(at as i64)?;
            let target = self.element_at(target, std::slice::from_ref(index), &[at])?;
            statements.push(Stmt::Assign {
                place: place.clone(),
                target,
                value: value.clone(),
            });
        }
        Some(statements)
    }

    /// Iteration i from `lower` on gives the values from the (i − lower)·m-th element on, m values each.
    fn implied_do(
        &mut self,
        place: &Place,
        target: &Value,
        parts: &[Value],
        index: &Index,
    ) -> Option<Vec<Stmt>> {
        let [
            Value::Variable(variable),
            lower,
            upper,
            Value::Integer(1),
            values @ ..,
        ] = parts
        else {
            return None;
        };
        let is_scalar = |v: &Value| !v.has_no_number() && self.rank(v) == Some(0);
        if !matches!(index.step, Value::Integer(1))
            || values.is_empty()
            || !values.iter().all(is_scalar)
        {
            return None;
        }
        let count = values.len() as i64;
        let mut body = Vec::with_capacity(values.len());
        for (at, value) in (0..).zip(values) {
            let own = Value::Variable(*variable);
            let first = match count {
                1 => match self.distance(&index.lower, lower) {
                    Value::Integer(n) => offset(own, n),
                    distance => Value::binary(BinaryOp::Add, own, distance),
                },
                _ => {
                    let passed = Value::binary(
                        BinaryOp::Multiply,
                        self.distance(&own, lower),
                        Value::Integer(count),
                    );
                    Value::binary(BinaryOp::Add, passed, index.lower.clone())
                }
            };
            let target =
                self.element_at(target, std::slice::from_ref(index), &[offset(first, at)])?;
            body.push(Stmt::Assign {
                place: place.clone(),
                target,
                value: value.clone(),
            });
        }
        let (variable, lower, upper) = (*variable, lower.clone(), upper.clone());
        Some(nest(
            place,
            vec![Index {
                variable,
                lower,
                upper,
                step: Value::Integer(1),
            }],
            body,
        ))
    }
}
