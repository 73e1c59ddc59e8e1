//! Which loop of the source does each loop of the machine code come from?
//!
//! The one that begins on the line of its test, or is around that line; where that is in no loop (a test of the
//! caller moved into the loop of a callee), the one that most of its instructions were written in. Three
//! corrections follow, from the inside out ([`Origins::all`]):
//!
//! - Several loops of the source begin on one line: nesting, columns and the order of the machine loops tell
//!   them apart.
//! - A machine loop holds loops that are not inside its own: it comes from the next one that is around them
//!   all.
//! - A machine loop is what became of one statement, such as a copy of a string: it comes from no loop.

use std::collections::{BTreeSet, HashMap};

use super::parts::around;
use super::places::{LoopRef, Place, Places};
use crate::metrics::profile::{MachineLoop, SourceProfile};

/// Of all loops of a run.
pub struct Origins<'a> {
    places: &'a Places<'a>,
    loops: &'a [MachineLoop],
    /// By machine loop: the functions around its line.
    functions: Vec<Vec<&'a str>>,
    /// By machine loop: the loop of the source that most of its own instructions were written in.
    by_code: Vec<Option<LoopRef>>,
    /// By machine loop: the lines of its own instructions.
    lines: Vec<BTreeSet<Option<u32>>>,
    /// By machine loop: the column of most of its instructions on the line that it begins on.
    columns: Vec<Option<u32>>,
    /// Machine loops of one function, in one other, that were written on one line.
    alike: HashMap<Alike<'a>, Vec<usize>>,
}

type Alike<'a> = (&'a str, Option<u32>, Option<(&'a str, u32)>);

impl<'a> Origins<'a> {
    pub fn of(places: &'a Places<'a>, profile: &'a SourceProfile) -> Origins<'a> {
        let mut alike: HashMap<Alike, Vec<usize>> = HashMap::new();
        for (number, one) in profile.loops.iter().enumerate() {
            alike.entry(key(one)).or_default().push(number);
        }
        let by_code = by_code(places, profile);
        let (lines, columns) = (lines(profile), columns(profile));
        Origins {
            places,
            loops: &profile.loops,
            functions: functions(profile),
            by_code,
            lines,
            columns,
            alike,
        }
    }

    /// By machine loop: that of the line which decides on another round; where that is in no loop, as a test of the
    /// caller that was moved into the loop of a callee, that of its code. Where several begin on one line, the nesting
    /// and the order of the machine loops tell them apart; where a machine loop holds loops that are not inside that
    /// one, it comes from the next that is around them all.
    pub fn all(&self) -> Vec<Option<LoopRef>> {
        let Origins { places, loops, .. } = self;
        let found = |number: usize| self.by_line(number).or(self.by_code[number]);
        let mut mapped: Vec<Option<LoopRef>> = (0..loops.len())
            .map(|number| found(number).filter(|found| !self.is_of_statement(number, *found)))
            .collect();
        let mut inside: Vec<Vec<LoopRef>> = vec![Vec::new(); loops.len()];
        // Inner loops come after those around them.
        for number in (0..loops.len()).rev() {
            let Some(found) = mapped[number] else {
                continue;
            };
            let inner = std::mem::take(&mut inside[number]);
            let is_around = |outer: LoopRef, inner: LoopRef| {
                outer != inner && places.chain(inner).any(|one| one == outer)
            };
            let is_interchanged =
                !inner.is_empty() && inner.iter().all(|one| is_around(*one, found));
            let holds_all = |outer: &LoopRef| inner.iter().all(|one| is_around(*outer, *one));
            // A cycle that passes its start by may hold most of a loop, and come from the same.
            let holds_or_is = |outer: &LoopRef| {
                inner
                    .iter()
                    .all(|one| one == outer || is_around(*outer, *one))
            };
            let is_beyond = |outer: LoopRef| {
                let around = loops[number]
                    .parent
                    .into_iter()
                    .flat_map(|parent| around(loops, parent as usize));
                outer != found
                    && around
                        .into_iter()
                        .any(|number| self.by_line(number) == Some(outer))
            };
            let holding = || {
                places
                    .chain(found)
                    .find(holds_all)
                    .filter(|outer| !is_beyond(*outer))
            };
            let outer = || holding().or_else(|| places.chain(found).find(holds_or_is));
            mapped[number] = if is_interchanged { None } else { outer() }.or(Some(found));
            if let Some(parent) = loops[number]
                .parent
                .filter(|_| loops[number].was_executed())
            {
                inside[parent as usize].extend(mapped[number]);
            }
        }
        mapped
    }

    /// The loop that begins on the machine loop's line, or is around it.
    pub fn by_line(&self, number: usize) -> Option<LoopRef> {
        let (file, line) = place(&self.loops[number])?;
        let beginning = self
            .places
            .beginning_at(file, line, &self.functions[number]);
        match beginning[..] {
            [] => match self.places.find(file, line, &self.functions[number]) {
                Place::Loop(found) => Some(found),
                _ => None,
            },
            [only] => Some(only),
            _ => self.of_several(number, &beginning),
        }
    }

    /// Whether a machine loop is what became of one statement in a loop of the source, such as a copy of a string: it has
    /// no code on the lines where that loop begins and ends, and lies in a machine loop of that one, which has other code.
    /// Of loops that one head begins, all have to be around it.
    fn is_of_statement(&self, number: usize, found: LoopRef) -> bool {
        let facts = self.places.facts(found);
        let is_inner_line = |line: u32| facts.line < line && line < facts.end_line;
        let Some(outer) = self.loops[number].parent.map(|parent| parent as usize) else {
            return false;
        };
        let is_of_head = |one: &LoopRef| self.places.facts(*one).line == facts.line;
        let of_head: Vec<LoopRef> = self.places.chain(found).take_while(is_of_head).collect();
        let are_around = || {
            let outer = around(self.loops, outer).filter_map(|number| self.by_line(number));
            outer.filter(|outer| of_head.contains(outer)).count() >= of_head.len()
        };
        let holds_loops = || {
            self.loops
                .iter()
                .any(|one| one.parent == Some(number as u32))
        };
        self.lines[number].len() == 1
            && self.lines[number]
                .first()
                .copied()
                .flatten()
                .is_some_and(is_inner_line)
            && self.lines[outer] != self.lines[number]
            && self.by_line(outer) == Some(found)
            && are_around()
            && self.places.children(found).next().is_none()
            && !holds_loops()
    }

    /// Columns of machine loops, ascending; none if one is not known.
    fn columns_of(&self, loops: &[usize]) -> Vec<Option<u32>> {
        let columns: BTreeSet<Option<u32>> =
            loops.iter().map(|&number| self.columns[number]).collect();
        if columns.contains(&None) {
            Vec::new()
        } else {
            columns.into_iter().collect()
        }
    }

    /// Of loops that begin on one line, outermost first.
    fn of_several(&self, number: usize, beginning: &[LoopRef]) -> Option<LoopRef> {
        let outer = self.loops[number]
            .parent
            .into_iter()
            .flat_map(|parent| around(self.loops, parent as usize));
        let on_line = outer
            .filter(|&outer| place(&self.loops[outer]) == place(&self.loops[number]))
            .count();
        let nesting = |found: &LoopRef| {
            self.places
                .chain(*found)
                .skip(1)
                .filter(|outer| beginning.contains(outer))
                .count()
        };
        // Inside of that which the machine loop around comes from, if it begins there too.
        let parent = self.loops[number].parent.filter(|_| on_line > 0);
        let parent = parent
            .and_then(|parent| self.by_line(parent as usize))
            .filter(|one| beginning.contains(one));
        let is_inside = |found: &LoopRef| {
            parent.is_none_or(|parent| self.places.chain(*found).skip(1).any(|one| one == parent))
        };
        let at_level = |found: &&LoopRef| nesting(found) == on_line;
        let level: Vec<LoopRef> = beginning.iter().filter(at_level).copied().collect();
        let inside: Vec<LoopRef> = level
            .iter()
            .filter(|found| is_inside(found))
            .copied()
            .collect();
        let level = if inside.is_empty() { level } else { inside };
        let alike = &self.alike[&key(&self.loops[number])];
        let position = |alike: &[usize]| alike.iter().take_while(|one| **one < number).count();
        // One that never went round may look for where the next begins, as for the first number that is one.
        let went_round = |one: &&usize| self.loops[**one].rounds > 0;
        let going: Vec<usize> = alike.iter().filter(went_round).copied().collect();
        match level.len() {
            0 => beginning.last().copied(),
            // Each has a place on the line, where several machine loops may come from.
            several if several > 1 && several == self.columns_of(alike).len() => {
                let own = self
                    .columns_of(alike)
                    .iter()
                    .position(|column| *column == self.columns[number]);
                own.map(|own| level[own])
            }
            // All of them are there, once or several times, in their order.
            several if !going.is_empty() && going.len().is_multiple_of(several) => {
                Some(level[position(&going) % several])
            }
            several if alike.len().is_multiple_of(several) => {
                Some(level[position(alike) % several])
            }
            _ => {
                let is_outer = self.loops.iter().any(|one| {
                    one.parent == Some(number as u32) && place(one) == place(&self.loops[number])
                });
                let is_like =
                    |found: &&LoopRef| self.places.children(**found).next().is_some() == is_outer;
                level.iter().rev().find(is_like).or(level.last()).copied()
            }
        }
    }
}

fn place(one: &MachineLoop) -> Option<(&str, u32)> {
    Some((one.file.as_deref()?, one.line?))
}

fn key(one: &MachineLoop) -> Alike<'_> {
    (&one.function, one.parent, place(one))
}

/// Of each machine loop the functions around its line, the innermost first: inlined ones too, as its code on that line
/// has them.
fn functions(profile: &SourceProfile) -> Vec<Vec<&str>> {
    let mut found: Vec<Vec<&str>> = profile
        .loops
        .iter()
        .map(|one| vec![one.function.as_str()])
        .collect();
    for site in &profile.sites {
        let Some(number) = site.machine_loop.map(|number| number as usize) else {
            continue;
        };
        let Some(one) = profile.loops.get(number) else {
            continue;
        };
        if (&one.file, one.line) == (&site.file, site.line) {
            found[number] = super::places::functions(site);
        }
    }
    found
}

fn lines(profile: &SourceProfile) -> Vec<BTreeSet<Option<u32>>> {
    let mut lines: Vec<BTreeSet<Option<u32>>> = vec![BTreeSet::new(); profile.loops.len()];
    for site in &profile.sites {
        if let Some(lines) = site
            .machine_loop
            .and_then(|number| lines.get_mut(number as usize))
        {
            lines.insert(site.line);
        }
    }
    lines
}

fn columns(profile: &SourceProfile) -> Vec<Option<u32>> {
    let mut most: Vec<(u64, Option<u32>)> = vec![(0, None); profile.loops.len()];
    for site in &profile.sites {
        let Some(number) = site.machine_loop.map(|number| number as usize) else {
            continue;
        };
        let Some(one) = profile.loops.get(number) else {
            continue;
        };
        if (&one.file, one.line) == (&site.file, site.line) && site.instructions > most[number].0 {
            most[number] = (site.instructions, site.column);
        }
    }
    most.into_iter().map(|(_, column)| column).collect()
}

fn by_code(places: &Places, profile: &SourceProfile) -> Vec<Option<LoopRef>> {
    let mut found: Vec<HashMap<Option<LoopRef>, u64>> = vec![HashMap::new(); profile.loops.len()];
    for site in profile.sites.iter().filter(|site| site.executions > 0) {
        let Some(instructions) = site
            .machine_loop
            .and_then(|number| found.get_mut(number as usize))
        else {
            continue;
        };
        let Some((file, line)) = site.file.as_deref().zip(site.line) else {
            continue;
        };
        let place = match places.find(file, line, &super::places::functions(site)) {
            Place::Loop(found) => Some(found),
            _ => None,
        };
        *instructions.entry(place).or_default() += site.instructions;
    }
    let most = |instructions: &HashMap<Option<LoopRef>, u64>| {
        let all: u64 = instructions.values().sum();
        instructions
            .iter()
            .find(|(_, count)| 2 * **count > all)
            .and_then(|(place, _)| *place)
    };
    found.iter().map(most).collect()
}
