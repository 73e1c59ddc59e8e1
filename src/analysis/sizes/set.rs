//! What the user sets in place of what the program gives its variables.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::found::Found;
use super::places::{PlaceId, Places};
use crate::calls::{ProcedureId, Procedures, Target};
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
    /// By the same names: places that are called so, too, and keep what the program gives them.
    pub(super) others: BTreeMap<String, Vec<PlaceId>>,
}

impl SetPlaces {
    pub(super) fn add(&mut self, places: &Places, place: PlaceId, size: &SetSize, before: &Found) {
        if before.is_complete && before.value.is_some() {
            self.replaced.insert(place);
        }
        match size.value {
            Some(value) => {
                if value.fract() == 0.0 && !places.get(place).is_real {
                    self.values.insert(place, value as i64);
                }
                // What nothing gives a value is a symbol, and stays one; of a real number nothing follows before.
                if before.value.is_some() || places.get(place).is_real {
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

    /// Adds places that are set and to which only other settings give a value; whether there are any.
    pub(super) fn add_newly_known(
        &mut self,
        places: &Places,
        sizes: &[SetSize],
        found: &[Found],
    ) -> bool {
        let mut is_any = false;
        for size in sizes.iter().filter(|size| size.value.is_some()) {
            let meant = self.by_name.get(&size.name).cloned().unwrap_or_default();
            for place in meant {
                let known = &found[place.at()];
                if known.value.is_some() && !self.found.contains_key(&place) {
                    self.add(places, place, size, known);
                    is_any = true;
                }
            }
        }
        is_any
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
        let declared = |id: &PlaceId| {
            let place = places.get(*id);
            format!("{} ({}:{})", symbols[id.at()], place.file, place.line)
        };
        let variables = |name: &String, meant: &Vec<PlaceId>| SetVariables {
            places: (meant.iter().map(|place| &symbols[place.at()]))
                .filter(|symbol| mentioned(symbol))
                .cloned()
                .collect(),
            declared: (meant.iter())
                .filter(|id| self.found.contains_key(id) || mentioned(&symbols[id.at()]))
                .map(declared)
                .collect(),
            others: (self.others.get(name).into_iter().flatten())
                .map(declared)
                .collect(),
            is_asked: meant.iter().any(|place| asked.contains(place)),
        };
        let all = self.by_name.iter();
        all.map(|(name, meant)| (name.clone(), variables(name, meant)))
            .collect()
    }
}

/// The places that conditions mention, or what follows from them by statements and calls.
fn asked(known: &Procedures, places: &Places) -> FxHashSet<PlaceId> {
    let mut asked = FxHashSet::default();
    for id in known.ids() {
        let function = known.get(id).function;
        statements(&function.body, InLoop::No, &mut |stmt, _| {
            if let Stmt::If(branch) = stmt {
                asked.extend(places_in(places, id, known, &branch.condition));
            }
        });
    }
    let follows = flows(known, places);
    loop {
        let before = asked.len();
        for (to, from) in &follows {
            if asked.contains(to) {
                asked.extend(from);
            }
        }
        if asked.len() == before {
            return asked;
        }
    }
}

/// Places with those that statements and calls give them values of.
pub(super) fn flows(known: &Procedures, places: &Places) -> Vec<(PlaceId, FxHashSet<PlaceId>)> {
    let mut follows: Vec<(PlaceId, FxHashSet<PlaceId>)> = Vec::new();
    for id in known.ids() {
        let function = known.get(id).function;
        let all = |value: &Value| places_in(places, id, known, value);
        statements(&function.body, InLoop::No, &mut |stmt, _| match stmt {
            Stmt::Assign { target, value, .. } => {
                follows.extend(place_of(places, id, known, target).map(|to| (to, all(value))));
            }
            Stmt::Call {
                name, arguments, ..
            } => {
                let (Target::Body(callee) | Target::Recursive(callee)) = known.target(id, name)
                else {
                    return;
                };
                for (formal, actual) in known.formals(callee).into_iter().zip(arguments) {
                    let formal = place_of(places, callee, known, &Value::Variable(formal));
                    follows.extend(formal.map(|to| (to, all(actual))));
                }
            }
            _ => {}
        });
    }
    follows
}

fn places_in(
    places: &Places,
    id: ProcedureId,
    known: &Procedures,
    value: &Value,
) -> FxHashSet<PlaceId> {
    let mut found = FxHashSet::default();
    each_value(value, &mut |part| {
        found.extend(place_of(places, id, known, part));
    });
    found
}

pub(super) fn place_of(
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
