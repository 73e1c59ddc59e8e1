//! Which rounds begin in one loop of the machine code and end in another?
//!
//! For a condition that never changes a compiler makes two loops of one, and the run goes over from one to the
//! other in the middle of a round:
//!
//! ```text
//! for i { for j { if (first) … } }      loop A with the condition ──┐ left by the test of j
//!                                       loop B without it        ◄──┘ entered: the same round of i
//! ```
//!
//! Such an entry is neither an execution nor a round of its own. It is known by the place where the first loop
//! was left: the head of a loop inside, which on no other line of the source leads out of both.

use std::borrow::Cow;

use super::origins::Origins;
use super::places::{LoopRef, Places, functions};
use super::shared_headers;
use crate::metrics::profile::{After, MachineLoop, SourceProfile};
use crate::report::StaticReport;

/// The profile with every execution and round counted in one loop of the machine code.
pub fn settled<'p>(report: &StaticReport, profile: &'p SourceProfile) -> Cow<'p, SourceProfile> {
    let mut settled = shared_headers::settled(report, profile);
    if settled.loops.iter().all(|one| one.after.is_empty()) {
        return settled;
    }
    for (number, after) in continued(report, &settled) {
        let loops = &mut settled.to_mut().loops;
        let begun = &mut loops[after.machine_loop as usize];
        begun.entries = begun.entries.saturating_sub(after.entries);
        begun.rounds = begun.rounds.saturating_sub(after.entries);
        (begun.fewest, begun.most) = (None, None);
        loops[number].after.retain(|other| *other != after);
    }
    settled
}

/// Entries of loops, each with the loop's number, for which another one of the same loop of the source was left in the
/// middle of a round: by a test of a loop inside, which on no other line of the source leads out of both.
fn continued(report: &StaticReport, profile: &SourceProfile) -> Vec<(usize, After)> {
    let executed = profile.sites.iter().filter_map(|site| site.file.as_deref());
    let places = Places::of_program(
        report,
        executed.chain(profile.files.iter().map(String::as_str)),
    );
    let origins = Origins::of(&places, profile).all();
    let is_continued = |number: usize, after: &After| {
        let origin = |number: usize| origins.get(number).copied().flatten();
        let found =
            origin(number).filter(|found| origin(after.machine_loop as usize) == Some(*found));
        found.is_some_and(|found| tests_inside(&places, profile, after, found))
    };
    let all = profile.loops.iter().enumerate();
    let continued = |(number, one): (usize, &MachineLoop)| {
        let entries: Vec<After> = one
            .after
            .iter()
            .filter(|after| is_continued(number, after))
            .copied()
            .collect();
        entries.into_iter().map(move |after| (number, after))
    };
    all.flat_map(continued).collect()
}

/// Whether the site where a loop was left is the head of a loop inside, and not of the loop itself.
fn tests_inside(places: &Places, profile: &SourceProfile, after: &After, found: LoopRef) -> bool {
    let Some(site) = profile.sites.get(after.site as usize) else {
        return false;
    };
    let Some((file, line)) = site.file.as_deref().zip(site.line) else {
        return false;
    };
    let beginning = places.beginning_at(file, line, &functions(site));
    let is_inside = |one: &LoopRef| *one != found && places.chain(*one).any(|outer| outer == found);
    !beginning.is_empty() && beginning.iter().all(is_inside)
}
