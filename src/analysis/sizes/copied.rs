//! Arrays that are copied to others, element by element.

use super::collector::Collector;
use super::definition::{Definition, Definitions};
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

    /// Gives elements of arrays places of their own where those of arrays have them that they are copied to.
    pub fn number_copied(&mut self) {
        let mut number = 0;
        while number < self.places.len() {
            let place = PlaceId(number as u32);
            number += 1;
            if self.places.get(place).is_array {
                self.number_sources(place);
            }
        }
    }

    fn number_sources(&mut self, array: PlaceId) {
        let mut pending = vec![array];
        while let Some(array) = pending.pop() {
            let Definitions {
                assigned, passed, ..
            } = self.of(array);
            let source = |definition: &Definition| match definition {
                Definition::Array(other) => Some(*other),
                _ => None,
            };
            let sources: Vec<PlaceId> =
                assigned.iter().chain(&*passed).filter_map(source).collect();
            for element in self.places.get(array).elements.clone() {
                for source in &sources {
                    let known = self.places.len();
                    let numbers = self.places.get(element).subscripts.clone();
                    self.places.numbered(*source, numbers);
                    if self.places.len() > known {
                        pending.push(*source);
                    }
                }
            }
        }
    }
}
