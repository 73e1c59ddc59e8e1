//! Which loops of the machine code are parts of one that was divided, each with some of its statements?
//!
//! ```text
//! for (i …) { a[i] = f(i); b[i] = g(i); }    loop A: a[i] = f(i)
//!                                            loop B: b[i] = g(i), entered whenever A was left
//! ```
//!
//! A compiler marks all statements in each part, also those that are not done there: how often they were begun is not the sum.

use std::collections::{BTreeMap, BTreeSet};

use super::origins::Origins;
use super::places::{LoopRef, Places};
use crate::metrics::profile::SourceProfile;

/// The machine loops that are such parts, and those inside them.
pub fn divided(places: &Places, profile: &SourceProfile) -> BTreeSet<u32> {
    let mut parts: BTreeMap<LoopRef, Vec<u32>> = BTreeMap::new();
    for (number, found) in Origins::of(places, profile).all().into_iter().enumerate() {
        let is_executed = profile.loops[number].was_executed();
        if let Some(found) = found.filter(|_| is_executed) {
            parts.entry(found).or_default().push(number as u32);
        }
    }
    let mut lines: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for site in profile.sites.iter().filter(|site| site.effects.is_some()) {
        if let (Some(number), Some(line)) = (site.machine_loop, site.line) {
            lines.entry(number).or_default().insert(line);
        }
    }
    let mut found = BTreeSet::new();
    for own in parts.values() {
        for (one, other) in pairs(own) {
            let of = |number: &u32| lines.get(number).cloned().unwrap_or_default();
            let (first, second) = (of(&one), of(&other));
            let are_others = !first.is_subset(&second) && !second.is_subset(&first);
            if are_others && (follows(profile, one, other) || follows(profile, other, one)) {
                found.extend([one, other]);
            }
        }
    }
    // Loops come after those around them.
    for (number, one) in profile.loops.iter().enumerate() {
        if one.parent.is_some_and(|outer| found.contains(&outer)) {
            found.insert(number as u32);
        }
    }
    found
}

fn pairs(all: &[u32]) -> impl Iterator<Item = (u32, u32)> + '_ {
    let behind = |(index, one): (usize, &u32)| (*one, index + 1);
    let each = all.iter().enumerate().map(behind);
    each.flat_map(|(one, next)| all[next..].iter().map(move |other| (one, *other)))
}

/// Whether one is entered whenever the other was left, and only then.
fn follows(profile: &SourceProfile, one: u32, other: u32) -> bool {
    let own = &profile.loops[one as usize];
    let mut after = own.after.iter();
    after.any(|after| after.machine_loop == other && after.entries == own.entries)
}
