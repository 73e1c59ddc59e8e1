//! What does the input of a run give a place?
//!
//! ```text
//! &run n = 4, cells = 600, 1600, cfg%steps = 12 /
//!
//! n                 4        by its own name
//! cells(2)          1600     by the position in the list of the array, which begins where the array does
//! steps of cfg      12       by the names of the structures that are read
//! cells(i)          nothing: what is known of some element is not that of any
//! ```

use super::definition::Definition;
use super::places::{Place, PlaceId};
use super::resolver::Resolver;
use crate::inputs::{Element, Told};

impl Resolver<'_, '_> {
    /// What the input gives a place: by the word that the program looks for, by the structures that are read, or else by
    /// its own name.
    pub(super) fn input(&self, id: PlaceId, is_given: bool) -> Option<(String, Told)> {
        let place = self.places.get(id);
        // Which element it is is not known.
        if place.is_array {
            return None;
        }
        let definitions = &self.definitions[id.at()];
        let by_key = |key: &&str| Some(((*key).to_string(), self.inputs.value(key)?));
        if let Some(found) = definitions.keys.iter().find_map(by_key) {
            return Some(found);
        }
        let whole = place.array.map(|array| &self.definitions[array.at()]);
        let names = std::iter::once(definitions).chain(whole);
        let names: Vec<&String> = names.flat_map(|of| &of.read_as).collect();
        let mut values = names.iter().filter_map(|name| self.under_name(place, name));
        if let Some(first) = values.next() {
            // Two structures of one type are not told apart.
            return values.all(|other| other.1 == first.1).then_some(first);
        }
        let own_name = match place.array {
            Some(array) => &self.places.get(array).own_name,
            None => &place.own_name,
        };
        let is_of_another = place.structure.is_some()
            && (!is_given || !names.is_empty())
            && self.read.contains(&own_name.to_lowercase());
        if is_of_another {
            return None;
        }
        let own = self.under_name(place, own_name);
        own.or_else(|| self.under_dummy(id))
    }

    /// The value for what a procedure reads that the place is passed to, by the name that it has there.
    fn under_dummy(&self, id: PlaceId) -> Option<(String, Told)> {
        let mut values = self.definitions[id.at()]
            .assigned
            .iter()
            .filter_map(|definition| match definition {
                Definition::Returned(dummy) if self.definitions[dummy.at()].is_read() => {
                    self.under_name(self.places.get(*dummy), &self.places.get(*dummy).own_name)
                }
                _ => None,
            });
        // Of several procedures that read it, the last one counts, which is not known.
        let first = values.next()?;
        values.next().is_none().then_some(first)
    }

    /// The value for a place by what the input calls it, or the array that it is an element of.
    fn under_name(&self, place: &Place, name: &str) -> Option<(String, Told)> {
        let Some(array) = place.array else {
            return Some((name.to_string(), self.inputs.value(name)?));
        };
        let element = Element {
            subscripts: &place.subscripts,
            bounds: &self.places.get(array).bounds,
        };
        self.inputs.element(name, element)
    }
}
