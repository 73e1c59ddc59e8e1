//! Arrays that are copied to others, element by element.

use super::collector::Collector;
use super::places::{PlaceId, literals};
use crate::calls::ProcedureId;
use crate::ir::Value;

impl Collector<'_, '_> {
    /// The arrays that a statement copies from one to the other, the copy first: `a(i) = b(i)`. Copies from one object of
    /// a type to another give the component, which is one place, nothing.
    pub fn copied(
        &mut self,
        id: ProcedureId,
        target: &Value,
        value: &Value,
    ) -> Option<(PlaceId, PlaceId)> {
        let same = match (target, value) {
            (Value::Variable(_), Value::Variable(_)) => {
                let (to, from) = (self.place(id, target)?, self.place(id, value)?);
                return (to == from).then_some((to, from));
            }
            (
                Value::Element { subscripts, .. },
                Value::Element {
                    subscripts: others, ..
                },
            ) => subscripts == others && literals(subscripts).is_none(),
            _ => false,
        };
        match same {
            true => Some((self.place(id, target)?, self.place(id, value)?)),
            false => None,
        }
    }
}
