//! Are loops of the machine code that begin with the same instruction two loops of the source, one around the
//! other, or one of which some rounds are cut short (`continue`)?
//!
//! The code is the same; the source decides. If the outer machine loop has code of a source loop that the inner
//! one does not come from, they are two, and the rounds are distributed: of the outer one those that enter the
//! inner one. Else the inner one is joined with the outer one. The profile that comes out has every round once;
//! `continued` goes on from it.

use std::borrow::Cow;

use super::origins::Origins;
use super::parts::around;
use super::places::{LoopRef, Place, Places, functions};
use crate::metrics::profile::{Site, SourceProfile};
use crate::report::StaticReport;

/// The profile with such loops made one where they are one, and the rounds of the others distributed among them.
pub fn settled<'p>(report: &StaticReport, profile: &'p SourceProfile) -> Cow<'p, SourceProfile> {
    if !profile.loops.iter().any(|one| one.shares_header) {
        return Cow::Borrowed(profile);
    }
    let executed = profile.sites.iter().filter_map(|site| site.file.as_deref());
    let places = Places::of_program(
        report,
        executed.chain(profile.files.iter().map(String::as_str)),
    );
    let origins = Origins::of(&places, profile);
    let mut settled = profile.clone();
    for (number, one) in profile.loops.iter().enumerate().rev() {
        let Some(outer) = one.parent.filter(|_| one.shares_header) else {
            continue;
        };
        match is_loop_of_its_own(&places, &origins, profile, number, outer as usize) {
            true => {
                // The outer loop has the rounds of both; those are its own that enter the inner one.
                let others = (one.rounds + one.refused).saturating_sub(one.entries);
                let outer = &mut settled.loops[outer as usize];
                outer.rounds = outer.rounds.saturating_sub(others);
                (outer.fewest, outer.most) = (None, None);
            }
            false => join(&mut settled, number as u32, outer),
        }
    }
    Cow::Owned(settled)
}

/// Whether the rest of the outer loop has code of a loop of the source that the inner one does not come from, unless that
/// one has a loop of the machine code around both.
fn is_loop_of_its_own(
    places: &Places,
    origins: &Origins,
    profile: &SourceProfile,
    inner: usize,
    outer: usize,
) -> bool {
    let Some(found) = origins.by_line(inner) else {
        return false;
    };
    let beyond: Vec<LoopRef> = around(&profile.loops, outer)
        .skip(1)
        .filter_map(|number| origins.by_line(number))
        .collect();
    let is_rest = |site: &&Site| {
        let numbers = || {
            site.machine_loop
                .into_iter()
                .flat_map(|one| around(&profile.loops, one as usize))
        };
        site.executions > 0
            && numbers().any(|number| number == outer)
            && numbers().all(|number| number != inner)
    };
    let is_outside = |one: &LoopRef| places.chain(*one).all(|around| around != found);
    profile.sites.iter().filter(is_rest).any(|site| {
        let loops: Vec<LoopRef> = loops_of(places, site)
            .into_iter()
            .map(|one| on_its_line(places, one).find(is_outside).unwrap_or(one))
            .collect();
        loops.iter().all(is_outside) && loops.iter().any(|one| !beyond.contains(one))
    })
}

/// A loop and those around it that stand on the same line from beginning to end: code of that line may be of any of them.
fn on_its_line<'p>(places: &'p Places, found: LoopRef) -> impl Iterator<Item = LoopRef> + 'p {
    let own = places.facts(found);
    let is_there = |one: &LoopRef| {
        let facts = places.facts(*one);
        (facts.line, facts.end_line) == (own.line, own.line) && facts.file == own.file
    };
    places.chain(found).take_while(is_there)
}

/// The loop around a site's line, and those around the calls that it was inlined for.
fn loops_of(places: &Places, site: &Site) -> Vec<LoopRef> {
    let around = functions(site);
    let own = site.file.as_deref().zip(site.line);
    let calls = site
        .called_from
        .iter()
        .rev()
        .map(|(file, line)| (file.as_str(), *line));
    let lines = own.into_iter().chain(calls).enumerate();
    let found = lines.filter_map(|(depth, (file, line))| {
        match places.find(file, line, around.get(depth..).unwrap_or_default()) {
            Place::Loop(found) => Some(found),
            _ => None,
        }
    });
    found.collect()
}

/// Takes the inner loop as part of the outer one, which has the rounds of both.
fn join(profile: &mut SourceProfile, inner: u32, outer: u32) {
    for site in profile
        .sites
        .iter_mut()
        .filter(|site| site.machine_loop == Some(inner))
    {
        site.machine_loop = Some(outer);
    }
    for one in profile
        .loops
        .iter_mut()
        .filter(|one| one.parent == Some(inner))
    {
        one.parent = Some(outer);
    }
    let none = &mut profile.loops[inner as usize];
    (
        none.entries,
        none.rounds,
        none.refused,
        none.file,
        none.line,
    ) = (0, 0, 0, None, None);
}
