//! Which storage has other names, by which statements may give it values?
//!
//! ```text
//! int first = 1;  int *p = &first;                           something has its address from the beginning
//! common /c/ a, again            and elsewhere               members that procedures call differently
//! common /c/ a, first
//! ```
//!
//! What takes addresses as it runs, `target` and `equivalence` are noted with the variables of each procedure.

use rustc_hash::{FxHashMap, FxHashSet};

use super::definition::Definitions;
use super::places::{PlaceId, Places};
use crate::calls::Procedures;
use crate::ir::Home;

/// Notes them in what is known of the places.
pub(super) fn note(known: &Procedures, places: &Places, all: &mut [Definitions]) {
    let differing = differing_blocks(known);
    for (place, of) in (0..).map(PlaceId).zip(all) {
        let is_elsewhere = match places.home(place) {
            Some(Home::Common { block, .. }) => differing.contains(&**block),
            // What nothing else gives a value keeps it as long as nobody asks for another: an option in a table.
            Some(home) => known.is_addressed(home) && !of.assigned.is_empty(),
            None => false,
        };
        of.is_aliased |= is_elsewhere;
    }
}

/// Common blocks whose members do not have the same names in all procedures.
fn differing_blocks<'u>(known: &Procedures<'u>) -> FxHashSet<&'u str> {
    let mut members: FxHashMap<&str, &[String]> = FxHashMap::default();
    let mut found = FxHashSet::default();
    for id in known.ids() {
        for (block, names) in &known.get(id).function.commons {
            let first = members.entry(block).or_insert(names);
            if *first != names {
                found.insert(&**block);
            }
        }
    }
    found
}
