//! Which storage has other names, by which statements may give it values?
//!
//! ```text
//! int first = 1;  int *p = &first;                           something has its address from the beginning
//! common /c/ a, again            and elsewhere               members that procedures call differently
//! common /c/ a, first
//! static int n;                  in a header             each file that includes it has one of its own
//! ```
//!
//! What takes addresses as it runs, `target` and `equivalence` are noted with the variables of each procedure.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::definition::Definitions;
use super::places::{PlaceId, Places};
use crate::calls::Procedures;
use crate::ir::Home;

/// Notes them in what is known of the places.
pub(super) fn note(known: &Procedures, places: &Places, all: &mut [Definitions]) {
    let several = of_several_files(known);
    for (place, of) in (0..).map(PlaceId).zip(all) {
        let is_elsewhere = match places.home(place) {
            Some(Home::Common { block, .. }) => known.is_named_differently(block),
            Some(home) => {
                known.is_addressed(home) || several.contains(home) && !of.assigned.is_empty()
            }
            None => false,
        };
        of.is_aliased |= is_elsewhere;
    }
}

/// Variables that a header declares as known to one file only, and that more than one file has.
fn of_several_files(known: &Procedures) -> FxHashSet<Home> {
    let mut files: FxHashMap<&Home, FxHashSet<&Arc<str>>> = FxHashMap::default();
    for id in known.ids() {
        let function = known.get(id).function;
        for home in function.homes.values() {
            if let Home::File {
                file: Some(file), ..
            } = home
                && *file != function.place.file
            {
                files.entry(home).or_default().insert(&function.place.file);
            }
        }
    }
    let several = files.into_iter().filter(|(_, files)| files.len() > 1);
    several.map(|(home, _)| home.clone()).collect()
}
