//! What the user sets in place of what the program gives its variables.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::found::Found;
use super::places::{PlaceId, Places};
use crate::calls::{ProcedureId, Procedures};
use crate::expr::{Expr, Symbol};
use crate::facts::{Origin, SetVariables};
use crate::inputs::SetSize;
use crate::ir::visit::{InLoop, each_value, statements};
use crate::ir::{Stmt, Value};

/// The places that settings mean.
#[derive(Default)]
pub struct SetPlaces {
    found: FxHashMap<PlaceId, Found>,
    /// Of them those of which all statements that give them values are followed: these count for nothing.
    replaced: FxHashSet<PlaceId>,
    /// What conditions are decided by.
    values: FxHashMap<PlaceId, i64>,
    /// By the names of the settings.
    pub(super) by_name: BTreeMap<String, Vec<PlaceId>>,
}

impl SetPlaces {
    pub(super) fn add(&mut self, place: PlaceId, size: &SetSize, before: &Found) {
        if before.is_complete && before.value.is_some() {
            self.replaced.insert(place);
        }
        match size.value {
            Some(value) => {
                if value.fract() == 0.0 {
                    self.values.insert(place, value as i64);
                }
                // What nothing gives a value is a symbol, and stays one.
                if before.value.is_some() {
                    let value = Some(Expr::from(value));
                    self.found.insert(place, Found::one(value, size.origin));
                }
            }
            None if before.value.is_some() => {
                let value = before.value.clone();
                self.found.insert(place, Found::one(value, Origin::Given));
            }
            None => {}
        }
    }

    /// What is known of a place that is set.
    pub fn found(&self, place: PlaceId) -> Option<Found> {
        self.found.get(&place).cloned()
    }

    /// The value that decides conditions on a place.
    pub fn value(&self, place: PlaceId) -> Option<i64> {
        self.values.get(&place).copied()
    }

    /// Whether statements that give it a value count for nothing.
    pub fn replaces(&self, place: PlaceId) -> bool {
        self.replaced.contains(&place)
    }

    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    /// What each setting sets; of the places the `mentioned` ones stand in values of constants.
    pub fn variables(
        &self,
        known: &Procedures,
        (places, symbols): (&Places, &[Symbol]),
        mentioned: &dyn Fn(&Symbol) -> bool,
    ) -> BTreeMap<String, SetVariables> {
        if self.is_empty() {
            return BTreeMap::new();
        }
        let asked = asked(known, places);
        let variables = |meant: &Vec<PlaceId>| SetVariables {
            places: (meant.iter().map(|place| &symbols[place.at()]))
                .filter(|symbol| mentioned(symbol))
                .cloned()
                .collect(),
            declared: (meant.iter())
                .filter(|id| self.found.contains_key(id) || mentioned(&symbols[id.at()]))
                .map(|id| {
                    let place = places.get(*id);
                    format!("{} ({}:{})", symbols[id.at()], place.file, place.line)
                })
                .collect(),
            is_asked: meant.iter().any(|place| asked.contains(place)),
        };
        let all = self.by_name.iter();
        all.map(|(name, meant)| (name.clone(), variables(meant)))
            .collect()
    }
}

/// The places that conditions mention.
fn asked(known: &Procedures, places: &Places) -> FxHashSet<PlaceId> {
    let mut asked = FxHashSet::default();
    for id in known.ids() {
        let function = known.get(id).function;
        statements(&function.body, InLoop::No, &mut |stmt, _| {
            if let Stmt::If(branch) = stmt {
                each_value(&branch.condition, &mut |part| {
                    asked.extend(place_of(places, id, known, part));
                });
            }
        });
    }
    asked
}

fn place_of(
    places: &Places,
    id: ProcedureId,
    known: &Procedures,
    value: &Value,
) -> Option<PlaceId> {
    match value {
        Value::Variable(_) | Value::Element { .. } => {
            places.find(known.get(id).function, id, value)
        }
        _ => None,
    }
}
