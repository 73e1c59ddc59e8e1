//! What else than its machine loops shows how often a loop of the source was executed and went round?
//!
//! How often the statements of its head and of its body were begun, in all copies that the compiler made of
//! them. GCC marks in its line table where each statement begins, so these counts do not depend on what became
//! of the loop. In files without such marks the instruction of a line that was executed most stands for it, on
//! a head the test. Lines in the arms of conditions are not witnesses: they are executed as often as their data
//! say.

use std::collections::{BTreeMap, BTreeSet};

use super::divided::divided;
use super::machine_loops::replaces_loops;
use super::places::{LoopRef, Place, Places};
use super::work::writes;
use crate::metrics::profile::{Accesses, Begun, Site, SourceProfile};
use crate::report::StaticReport;
use crate::report::static_report::LoopReport;
use crate::source::Language;

/// Executions of what stands directly in each loop.
#[derive(Debug, Default)]
pub struct Witnesses {
    heads: BTreeMap<LoopRef, Vec<u64>>,
    bodies: BTreeMap<LoopRef, BTreeMap<u32, u64>>,
    /// The same, of code in machine loops that come from the loop, by instructions.
    inside: BTreeMap<LoopRef, BTreeMap<u32, u64>>,
    /// Loops with marks in parts of a divided loop.
    divided: BTreeSet<LoopRef>,
    /// Loops with a copy of their function where something of them was executed, and no machine loop of theirs.
    vanished: BTreeSet<LoopRef>,
    /// Loops all machine loops of which begin with a statement of the body.
    starting: BTreeSet<LoopRef>,
    /// Loops of which a machine loop is there that was never entered.
    idle: BTreeSet<LoopRef>,
    /// Lines of loops with a branch that was executed.
    decided: BTreeSet<(LoopRef, u32)>,
    /// Loops with something that is not done in vain, and is no test.
    doing: BTreeSet<LoopRef>,
    /// By loop: how often a copy of the statements of its body was begun, and all copies.
    copied: BTreeMap<LoopRef, (u64, u64)>,
    /// Loops with stores of more bytes than an element that they store has.
    wide: BTreeSet<LoopRef>,
    /// Loops where the compiler marks where statements begin.
    marked: BTreeSet<LoopRef>,
    replaced: BTreeSet<LoopRef>,
    /// Loops with executed code on another line than that of the head.
    begun: BTreeSet<LoopRef>,
    /// Of the lines of heads, how often a branch was executed, in all copies.
    decisions: BTreeMap<LoopRef, u64>,
    /// Loops with code in functions that their own was put into: file, line and column of the calls.
    inlined: BTreeMap<LoopRef, BTreeSet<(String, u32, u32)>>,
    /// The same with all calls around these, and the function that all was put into.
    copies: BTreeMap<LoopRef, BTreeSet<CopyOfCode>>,
}

/// Function of the machine code; lines and columns of calls.
type CopyOfCode = (String, Vec<(String, u32)>, Vec<u32>);

/// Stands for the column of the body of a loop that has its head on the same line.
const OF_BODY: u32 = u32::MAX;

/// By line and column.
type Counts = BTreeMap<(LoopRef, u32, u32), u64>;

impl Witnesses {
    /// By the marks of statements, in files that have them; by instructions elsewhere.
    pub fn of(report: &StaticReport, places: &Places, profile: &SourceProfile) -> Witnesses {
        let marked: BTreeSet<&str> = profile
            .statements
            .iter()
            .filter_map(|one| profile.files.get(one.file as usize))
            .map(String::as_str)
            .collect();
        let mut found = by_statements(report, places, profile);
        let marked_loops = found.keys().map(|(found, ..)| *found).collect();
        found.extend(by_instructions(places, profile, &marked));
        // In a machine loop that comes from the loop itself, a call does no other rounds of it.
        let is_in_own = |site: &Site| match (places.own(site), places.origin(site)) {
            (Place::Loop(own), Some(origin)) => own == origin && !places.shares_line(own),
            _ => false,
        };
        let replaced = profile
            .sites
            .iter()
            .filter(|site| !is_in_own(site))
            .filter(|site| {
                let mut calls = site.calls.iter();
                calls.any(|call| replaces_loops(&call.function))
            });
        let own = |site: &Site| match places.own(site) {
            Place::Loop(found) => Some(found),
            _ => None,
        };
        let executed = || profile.sites.iter().filter(|site| site.executions > 0);
        let mut inlined: BTreeMap<LoopRef, BTreeSet<(String, u32, u32)>> = BTreeMap::new();
        let mut copies: BTreeMap<LoopRef, BTreeSet<CopyOfCode>> = BTreeMap::new();
        for site in executed() {
            if let (Some(found), Some((file, line))) = (own(site), site.called_from.last()) {
                let column = site.call_columns.last().copied().unwrap_or(0);
                let calls = inlined.entry(found).or_default();
                calls.insert((file.clone(), *line, column));
                let copy = (
                    site.function.clone(),
                    site.called_from.clone(),
                    site.call_columns.clone(),
                );
                copies.entry(found).or_default().insert(copy);
            }
        }
        let (mut begun, mut decisions) = (BTreeSet::new(), BTreeMap::new());
        let (mut decided, mut doing) = (BTreeSet::new(), BTreeSet::new());
        for site in executed() {
            let Some(found) = own(site) else { continue };
            let is_head = site.line == Some(places.facts(found).line);
            let has_done = site.accesses.bytes() > 0 || site.effects.is_some();
            let has_other = has_done || site.decisions > 0 || !site.calls.is_empty();
            if site.effects.is_some() || !is_head && has_other {
                doing.insert(found);
            }
            decided.extend(
                site.line
                    .filter(|_| site.decisions > 0)
                    .map(|line| (found, line)),
            );
            if site.line == Some(places.facts(found).line) {
                *decisions.entry(found).or_default() += site.decisions;
            } else {
                begun.insert(found);
            }
        }
        let with_vectors = executed().filter(|site| !site.vectors.is_none());
        // A vector does several rounds at once: statements are begun less often than there are rounds.
        let vectorised: BTreeSet<LoopRef> = with_vectors.filter_map(own).collect();
        let wide = executed().filter_map(|site| {
            let found = own(site)?;
            is_wider(places.facts(found), site).then_some(found)
        });
        let idle = (profile.loops.iter().enumerate())
            .filter(|(_, one)| !one.was_executed())
            .filter_map(|(number, _)| places.origin_of(number as u32));
        let mut witnesses = Witnesses {
            inside: inside(places, profile),
            idle: idle.collect(),
            starting: starting(places, profile),
            vanished: vanished(places, profile),
            divided: marked_in(places, profile, &divided(places, profile)),
            copied: copied(places, profile),
            decided,
            doing,
            wide: wide.collect(),
            marked: marked_loops,
            replaced: replaced.filter_map(own).collect(),
            inlined,
            copies,
            begun,
            decisions,
            ..Witnesses::default()
        };
        witnesses.add(places, &vectorised, found);
        witnesses
    }

    /// Adds counts of lines, but for loops with vectors.
    fn add(&mut self, places: &Places, vectorised: &BTreeSet<LoopRef>, counts: Counts) {
        for ((found, line, column), count) in counts {
            if vectorised.contains(&found) {
                continue;
            }
            let facts = places.facts(found);
            if line == facts.line && column != OF_BODY {
                self.heads.entry(found).or_default().push(count);
            } else if !is_in_arm(facts, line) {
                let lines = self.bodies.entry(found).or_default();
                let most = lines.entry(line).or_default();
                *most = count.max(*most);
            }
        }
    }

    /// Whether the compiler marks where statements of a loop begin.
    pub fn is_marked(&self, found: LoopRef) -> bool {
        self.marked.contains(&found)
    }

    /// Whether a store may be one of several elements.
    pub fn is_wide(&self, found: LoopRef) -> bool {
        self.wide.contains(&found)
    }

    /// Whether a call of a function of the C library may have done rounds of a loop.
    pub fn is_replaced(&self, found: LoopRef) -> bool {
        self.replaced.contains(&found)
    }

    /// How often the test on a loop's first line was done, of a loop of which nothing else was executed.
    pub fn tests_alone(&self, found: LoopRef) -> Option<u64> {
        (!self.is_begun(found)).then_some(self.decisions(found))
    }

    /// Whether something was executed on another line of a loop than that of its head.
    pub fn is_begun(&self, found: LoopRef) -> bool {
        self.begun.contains(&found)
    }

    /// How often a branch on a loop's first line was executed.
    pub fn decisions(&self, found: LoopRef) -> u64 {
        self.decisions.get(&found).copied().unwrap_or(0)
    }

    /// In place of how many calls code of a loop was executed; the compiler may know operands there.
    pub fn inlined_calls(&self, found: LoopRef) -> usize {
        self.inlined.get(&found).map_or(0, BTreeSet::len)
    }

    /// Whether each call in place of which its code was executed has one copy of it.
    pub fn has_one_copy_each(&self, found: LoopRef) -> bool {
        self.copies.get(&found).map_or(0, BTreeSet::len) == self.inlined_calls(found)
    }

    /// Executions of the first line of a body that is in no arm of a condition, and in no loop inside.
    pub fn first(&self, found: LoopRef) -> Option<u64> {
        let lines = self.bodies.get(&found)?;
        lines.values().next().copied()
    }

    /// The same as [`Witnesses::body`] of the code in machine loops that come from the loop, by instructions.
    pub fn body_inside(&self, found: LoopRef) -> impl Iterator<Item = u64> + '_ {
        let lines = self.inside.get(&found);
        lines.into_iter().flat_map(BTreeMap::values).copied()
    }

    /// Whether a branch was executed on a line of a loop.
    pub fn is_decided(&self, found: LoopRef, line: u32) -> bool {
        self.decided.contains(&(found, line))
    }

    /// Whether something was done in a loop that is not done in vain, and is no test.
    pub fn does_something(&self, found: LoopRef) -> bool {
        self.doing.contains(&found)
    }

    /// How often one copy of the statements of a body was begun, and all copies together, by those that were begun most.
    pub fn copied(&self, found: LoopRef) -> Option<(u64, u64)> {
        self.copied.get(&found).copied()
    }

    /// Whether marks of a loop stand in the parts of a divided loop, so that there are more than it has beginnings.
    pub fn is_divided(&self, found: LoopRef) -> bool {
        self.divided.contains(&found)
    }

    /// Whether a copy of the function around a loop, for certain arguments, has executed code of it, and no loop.
    pub fn has_vanished(&self, found: LoopRef) -> bool {
        self.vanished.contains(&found)
    }

    /// Whether all machine loops of a loop begin with a statement of its body.
    pub fn begins_with_body(&self, found: LoopRef) -> bool {
        self.starting.contains(&found)
    }

    /// Loops of which a machine loop is left that was never entered.
    pub fn idle(&self) -> impl Iterator<Item = LoopRef> + '_ {
        self.idle.iter().copied()
    }

    /// Whether a machine loop is left of a loop that was never entered.
    pub fn is_idle(&self, found: LoopRef) -> bool {
        self.idle.contains(&found)
    }

    /// Loops of which something is known.
    pub fn loops(&self) -> impl Iterator<Item = LoopRef> + '_ {
        self.heads.keys().chain(self.bodies.keys()).copied()
    }

    /// Executions of the statements on a loop's head: its beginning, its test and its step, in no order.
    pub fn head(&self, found: LoopRef) -> impl Iterator<Item = u64> + '_ {
        self.heads.get(&found).into_iter().flatten().copied()
    }

    /// Executions of the lines of a loop's body that are in no arm of a condition, and in no loop inside.
    pub fn body(&self, found: LoopRef) -> impl Iterator<Item = u64> + '_ {
        let lines = self.bodies.get(&found);
        lines.into_iter().flat_map(BTreeMap::values).copied()
    }
}

/// Whether a site may store several elements of arrays at once, as of bytes in a double word.
fn is_wider(facts: &LoopReport, site: &Site) -> bool {
    let written = (facts.arrays.iter()).filter(|array| writes(array) > 0.0);
    let widest = written.map(|array| array.element_bytes).max().flatten();
    let Accesses {
        stores,
        stored_bytes,
        ..
    } = site.accesses;
    widest.is_some_and(|widest| stored_bytes > stores * u64::from(widest))
}

/// Whether a line lies in an arm of a condition that stands elsewhere. What is on the line of the condition itself is said by
/// that alone.
fn is_in_arm(facts: &LoopReport, line: u32) -> bool {
    let mut branches = facts.branches.iter();
    branches.any(|branch| branch.line != line && branch.guards(line))
}

/// Whether an arm of a condition begins on the line of that.
fn has_arm(facts: &LoopReport, line: u32) -> bool {
    let mut branches = facts.branches.iter();
    branches.any(|branch| branch.line == line && branch.guards(line))
}

fn by_statements(report: &StaticReport, places: &Places, profile: &SourceProfile) -> Counts {
    let mut counts = Counts::new();
    for one in &profile.statements {
        let Some(file) = profile.files.get(one.file as usize) else {
            continue;
        };
        if let Place::Loop(found) = places.find(file, one.line, &[]) {
            let Begun {
                executions,
                most,
                continued,
                ..
            } = begun_outside(places, profile, one, found);
            // The head of a loop that is nothing else may have only marks of its own in several copies.
            let continued = match places.facts(found).line == one.line {
                true => 0,
                false => continued,
            };
            // gfortran begins several statements at one place of a source line.
            let each = match language(report, places, found) {
                Some(Language::C) => executions - continued,
                _ => most,
            };
            *counts.entry((found, one.line, one.column)).or_default() += each;
        }
    }
    // Of a condition and its arm on one line, the condition comes first.
    let mut first: BTreeMap<(LoopRef, u32), u32> = BTreeMap::new();
    for (found, line, column) in counts.keys() {
        first.entry((*found, *line)).or_insert(*column);
    }
    counts.retain(|(found, line, column), _| {
        first[&(*found, *line)] == *column || !has_arm(places.facts(*found), *line)
    });
    counts
}

/// A statement that stands where the rounds of a machine loop begin, and in the source around the loop that this one
/// comes from, is begun as often as that is entered.
fn begun_outside(places: &Places, profile: &SourceProfile, one: &Begun, found: LoopRef) -> Begun {
    let header = one.machine_loop.filter(|_| one.at_header);
    let inner = header.and_then(|number| places.origin_of(number));
    let is_around = inner.is_some_and(|inner| places.is_outer(found, inner));
    let entries = header
        .filter(|_| is_around)
        .and_then(|number| profile.loops.get(number as usize))
        .map(|header| header.entries);
    match entries {
        Some(entries) => Begun {
            executions: entries.min(one.executions),
            most: entries.min(one.most),
            continued: entries.min(one.continued),
            ..*one
        },
        None => *one,
    }
}

fn language(report: &StaticReport, places: &Places, found: LoopRef) -> Option<Language> {
    let own = places.facts(found).file.as_ref();
    let path = own.unwrap_or(&report.functions[found.function].file);
    let mut files = report.files.iter();
    files
        .find(|file| file.path == *path)
        .map(|file| file.language)
}

/// Of the lines of bodies that are in no arm of a condition, the instruction that was executed most in machine loops that
/// come from the loop itself.
fn inside(places: &Places, profile: &SourceProfile) -> BTreeMap<LoopRef, BTreeMap<u32, u64>> {
    let mut lines: BTreeMap<LoopRef, BTreeMap<u32, u64>> = BTreeMap::new();
    for site in profile.sites.iter().filter(|site| site.executions > 0) {
        let (Some(line), Place::Loop(found)) = (site.line, places.own(site)) else {
            continue;
        };
        let facts = places.facts(found);
        let is_body = line != facts.line && !is_in_arm(facts, line) && !has_arm(facts, line);
        if is_body && places.origin(site) == Some(found) {
            let most = lines.entry(found).or_default().entry(line).or_default();
            *most = site.executions.max(*most);
        }
    }
    lines
}

/// Loops with marks in some loops of the machine code.
fn marked_in(
    places: &Places,
    profile: &SourceProfile,
    machine_loops: &BTreeSet<u32>,
) -> BTreeSet<LoopRef> {
    let is_there = |one: &&Begun| {
        let number = one.machine_loop.filter(|_| one.executions > 0);
        number.is_some_and(|number| machine_loops.contains(&number))
    };
    let found = profile.statements.iter().filter(is_there);
    let loops = found.filter_map(|one| {
        let file = profile.files.get(one.file as usize)?;
        match places.find(file, one.line, &[]) {
            Place::Loop(found) => Some(found),
            _ => None,
        }
    });
    loops.collect()
}

/// Loops with executed code in several symbols of their function, of which one has no machine loop of theirs: with the
/// arguments of that copy, the compiler knew their iterations.
fn vanished(places: &Places, profile: &SourceProfile) -> BTreeSet<LoopRef> {
    let mut copies: BTreeMap<LoopRef, BTreeMap<&str, bool>> = BTreeMap::new();
    for site in profile.sites.iter().filter(|site| site.executions > 0) {
        let Place::Loop(found) = places.own(site) else {
            continue;
        };
        for one in places.chain(found) {
            let symbols = copies.entry(one).or_default();
            symbols.entry(&site.function).or_default();
        }
    }
    for (number, one) in profile.loops.iter().enumerate() {
        let origin = places.origin_of(number as u32);
        if let Some(found) = origin.filter(|_| one.was_executed()) {
            let symbols = copies.entry(found).or_default();
            symbols.insert(&one.function, true);
        }
    }
    let is_partly = |symbols: &BTreeMap<&str, bool>| {
        symbols.values().any(|has_loop| *has_loop) && symbols.values().any(|has_loop| !has_loop)
    };
    let found = copies.iter().filter(|(_, symbols)| is_partly(symbols));
    found.map(|(found, _)| *found).collect()
}

/// Loops all machine loops of which begin with a statement of the body that no condition guards, and not with what stands on
/// the head.
fn starting(places: &Places, profile: &SourceProfile) -> BTreeSet<LoopRef> {
    let (mut bodies, mut heads) = (BTreeSet::new(), BTreeSet::new());
    for one in profile.statements.iter().filter(|one| one.at_header) {
        let file = profile.files.get(one.file as usize);
        let place = file.map(|file| places.find(file, one.line, &[]));
        let (Some(number), Some(Place::Loop(found))) = (one.machine_loop, place) else {
            continue;
        };
        let facts = places.facts(found);
        let is_guarded = is_in_arm(facts, one.line) || has_arm(facts, one.line);
        match one.line == facts.line {
            true => heads.insert((found, number)),
            false => !is_guarded && bodies.insert((found, number)),
        };
    }
    let (mut all, mut others) = (BTreeSet::new(), BTreeSet::new());
    for (number, one) in profile.loops.iter().enumerate() {
        let number = number as u32;
        if let Some(found) = places.origin_of(number).filter(|_| one.was_executed()) {
            let own = (found, number);
            let is_first = bodies.contains(&own) && !heads.contains(&own);
            if is_first { &mut all } else { &mut others }.insert(found);
        }
    }
    all.difference(&others).copied().collect()
}

/// By loop, how often one copy of its body was begun, and all of them: by the statement of which most copies were, in each
/// loop of the machine code. None where another one has a copy that was begun more often.
fn copied(places: &Places, profile: &SourceProfile) -> BTreeMap<LoopRef, (u64, u64)> {
    let mut parts: BTreeMap<(LoopRef, Option<u32>), (u64, u64, u64)> = BTreeMap::new();
    for one in profile.statements.iter().filter(|one| !one.at_header) {
        let Some(file) = profile.files.get(one.file as usize) else {
            continue;
        };
        let Place::Loop(found) = places.find(file, one.line, &[]) else {
            continue;
        };
        let facts = places.facts(found);
        if one.line == facts.line || is_in_arm(facts, one.line) || has_arm(facts, one.line) {
            continue;
        }
        let (most, own, all) = parts.entry((found, one.machine_loop)).or_default();
        *most = one.most.max(*most);
        let executions = one.executions - one.continued;
        if executions > *all {
            (*own, *all) = (one.most, executions);
        }
    }
    let mut found: BTreeMap<LoopRef, Option<(u64, u64)>> = BTreeMap::new();
    for ((one, _), (most, own, all)) in parts {
        let sum = found.entry(one).or_insert(Some((0, 0)));
        *sum = sum
            .filter(|_| most == own)
            .map(|sum| (sum.0 + own, sum.1 + all));
    }
    let known = |(one, sum): (LoopRef, Option<(u64, u64)>)| Some((one, sum?));
    found.into_iter().filter_map(known).collect()
}

/// Where the compiler did not mark statements: of each line the instruction of a loop of the machine code that was
/// executed most; on a head its test.
fn by_instructions(places: &Places, profile: &SourceProfile, marked: &BTreeSet<&str>) -> Counts {
    let mut copies: BTreeMap<(LoopRef, u32, u32, Option<u32>), u64> = BTreeMap::new();
    for site in profile.sites.iter().filter(|site| site.executions > 0) {
        let (Some(line), Some(file)) = (site.line, &site.file) else {
            continue;
        };
        let Place::Loop(found) = places.own(site) else {
            continue;
        };
        if marked.contains(file.as_str()) {
            continue;
        }
        let mut add = |column: u32, executions: u64| {
            let most = copies
                .entry((found, line, column, site.machine_loop))
                .or_default();
            *most = executions.max(*most);
        };
        // What else stands on a head is done before the first round, or at its end.
        let facts = places.facts(found);
        if facts.line != line {
            // What was moved out of the loop is no round.
            let is_outside = match site.machine_loop {
                None => true,
                Some(number) => places.is_around(number, found),
            };
            let executed = match has_arm(facts, line) {
                false if is_outside => site.effects.map(|(_, most)| most),
                false => Some(site.executions),
                true => Some(site.decisions).filter(|decisions| *decisions > 0),
            };
            if let Some(executed) = executed {
                add(0, executed);
            }
            continue;
        }
        if site.decisions > 0 {
            add(0, site.decisions);
        }
        // All of a loop on one line; its beginning is outside the loops of the machine code.
        if facts.end_line == line && places.origin(site) == Some(found) {
            add(OF_BODY, site.executions);
        }
    }
    let mut counts = Counts::new();
    for ((found, line, column, _), executions) in copies {
        *counts.entry((found, line, column)).or_default() += executions;
    }
    counts
}
