//! Which sizes decide whether statements give variables their numbers?
//!
//! `if (i <= mod(n, chunks)) extra = 1` is left out where one chunk leaves no remainder (`dead`). In a workbook the sizes
//! can be changed, but formulas keep what was left out, or not, when they were written; so those sizes are named on which
//! such conditions depend, where something that figures mention follows from what is assigned.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::definition::Definitions;
use super::places::{PlaceId, Places};
use super::set::{flows, place_of};
use crate::calls::Procedures;
use crate::expr::Symbol;
use crate::facts;
use crate::ir::visit::each_value;

/// What is known of statements under conditions.
#[derive(Debug, Default)]
pub struct Decisive {
    /// What such statements give a number, and what their conditions mention.
    guards: Vec<(PlaceId, FxHashSet<PlaceId>)>,
    /// Places with those that they are made of, by statements and calls.
    flows: Vec<(PlaceId, FxHashSet<PlaceId>)>,
}

impl Decisive {
    pub(super) fn of(known: &Procedures, places: &Places, definitions: &[Definitions]) -> Decisive {
        let each = (0..).map(PlaceId).zip(definitions);
        let guards: Vec<(PlaceId, FxHashSet<PlaceId>)> = each
            .flat_map(|(target, definitions)| {
                definitions.guards.iter().map(move |(id, _, around)| {
                    let mut mentioned = FxHashSet::default();
                    for (condition, _) in &around.conditions {
                        each_value(condition, &mut |part| {
                            mentioned.extend(place_of(places, *id, known, part));
                        });
                    }
                    (target, mentioned)
                })
            })
            .collect();
        let flows = match guards.is_empty() {
            true => Vec::new(),
            false => flows(known, places),
        };
        Decisive { guards, flows }
    }

    /// Marks those of the places that figures mention.
    pub(super) fn mark(
        &self,
        mentioned: &mut BTreeMap<Symbol, facts::Place>,
        place: &dyn Fn(&Symbol) -> Option<PlaceId>,
    ) {
        if self.guards.is_empty() {
            return;
        }
        let used = self.with_parts(mentioned.keys().filter_map(place).collect());
        let guards = self.guards.iter();
        let asked = guards
            .filter(|(target, _)| used.contains(target))
            .flat_map(|(_, mentioned)| mentioned.iter().copied());
        let asked = self.with_parts(asked.collect());
        for (symbol, known) in mentioned {
            known.decides = place(symbol).is_some_and(|place| asked.contains(&place));
        }
    }

    /// Places and all that they are made of.
    fn with_parts(&self, mut places: FxHashSet<PlaceId>) -> FxHashSet<PlaceId> {
        loop {
            let before = places.len();
            for (to, from) in &self.flows {
                if places.contains(to) {
                    places.extend(from);
                }
            }
            if places.len() == before {
                return places;
            }
        }
    }
}
