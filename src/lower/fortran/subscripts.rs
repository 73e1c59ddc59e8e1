//! Elements of arrays, sections, and the bounds that declarations give them.
//!
//! A section stands in a value as an opaque subscript with its bounds and step inside. It cannot become a loop
//! here, as only the whole statement says which sections move together; `array_syntax` does that.

use super::expression::Argument;
use super::procedure::Lowering;
use super::scope::Scope;
use crate::diagnostic::Place;
use crate::ir::{Extent, Type, Value, VarId};
use crate::reason::ReasonCode;

impl<'a> Lowering<'a> {
    pub fn open(&mut self, id: VarId, rank: usize) {
        self.draft.set_dimensions(id, vec![Extent::default(); rank]);
    }

    pub fn element(
        &mut self,
        id: VarId,
        arguments: &[Argument],
        place: &Place,
        scope: &'a Scope,
    ) -> Value {
        let subscripts = self.subscripts(id, 0, arguments, scope);
        Value::Element {
            array: id,
            subscripts,
            place: place.clone(),
        }
    }

    /// Subscripts for the dimensions of a variable from `first` on. A section is an opaque value with
    /// its lower bound, upper bound and step inside.
    pub fn subscripts(
        &mut self,
        id: VarId,
        first: usize,
        arguments: &[Argument],
        scope: &'a Scope,
    ) -> Vec<Value> {
        let mut subscripts = Vec::with_capacity(arguments.len());
        for (at, argument) in arguments.iter().enumerate() {
            subscripts.push(match argument {
                Argument::Value(e) | Argument::Keyword(_, e) => self.value(e, scope),
                Argument::Star => Value::opaque(ReasonCode::AssumedSize, ""),
                Argument::Section(parts) => {
                    let [lower, upper, step] = &**parts;
                    let lower = match lower {
                        Some(e) => self.value(e, scope),
                        None => self.lower_bound(id, first + at),
                    };
                    let upper = match upper {
                        Some(e) => self.value(e, scope),
                        None => self.upper_bound(id, first + at),
                    };
                    let step = step
                        .as_ref()
                        .map_or(Value::Integer(1), |e| self.value(e, scope));
                    section(lower, upper, step)
                }
            });
        }
        subscripts
    }

    /// Lower bound of a dimension as declared; 1 where that leaves it open.
    pub fn lower_bound(&self, id: VarId, at: usize) -> Value {
        let extent = self.draft.variable(id).dimensions.get(at);
        extent
            .and_then(|e| e.lower.clone())
            .unwrap_or(Value::Integer(1))
    }

    /// Upper bound of a dimension as declared, else what `ubound` would say.
    pub fn upper_bound(&self, id: VarId, at: usize) -> Value {
        let extent = self.draft.variable(id).dimensions.get(at);
        extent
            .and_then(|e| e.upper.clone())
            .unwrap_or_else(|| Value::Call {
                name: "ubound".into(),
                arguments: vec![Value::Variable(id), Value::Integer(at as i64 + 1)],
                ty: Type::integer(4),
            })
    }

    pub fn bounds_of(&mut self, arguments: &[Argument], scope: &'a Scope) -> Vec<Value> {
        let mut values = Vec::new();
        for argument in arguments {
            match argument {
                Argument::Value(e) | Argument::Keyword(_, e) => values.push(self.value(e, scope)),
                Argument::Section(parts) => {
                    for e in parts.iter().flatten() {
                        values.push(self.value(e, scope));
                    }
                }
                Argument::Star => {}
            }
        }
        values
    }
}

/// A section of one dimension.
pub fn section(lower: Value, upper: Value, step: Value) -> Value {
    Value::Section(Box::new([lower, upper, step]))
}
