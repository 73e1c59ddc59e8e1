//! Which storage has other names, by which statements may give it values?
//!
//! ```text
//! int first = 1;  int *p = &first;                           something has its address from the beginning
//! common /c/ a, again            and elsewhere               members that procedures call differently
//! common /c/ a, first
//! ```
//!
//! What takes addresses as it runs, `target` and `equivalence` are noted with the variables of each procedure.

use super::definition::Definitions;
use super::places::{PlaceId, Places};
use crate::calls::Procedures;
use crate::ir::Home;

/// Notes them in what is known of the places.
pub(super) fn note(known: &Procedures, places: &Places, all: &mut [Definitions]) {
    for (place, of) in (0..).map(PlaceId).zip(all) {
        let is_elsewhere = match places.home(place) {
            Some(Home::Common { block, .. }) => known.is_named_differently(block),
            Some(home) => known.is_addressed(home),
            None => false,
        };
        of.is_aliased |= is_elsewhere;
    }
}
