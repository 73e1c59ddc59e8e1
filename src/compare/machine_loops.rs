//! Which loops of the source those of the machine code come from, and how often these went round, from what the
//! compiler left of them: copies, parts with some of the statements, unrolled and peeled rounds, calls of `memset`.

use std::collections::{BTreeMap, BTreeSet};

use super::origins::Origins;
use super::places::{LoopRef, Place, Places};
use super::reports::Loop;
use super::unrolling::copies;
use crate::metrics::profile::{MachineLoop, Site, SourceProfile};

/// How often a loop of the source was entered and went round.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LoopCounts {
    pub entries: u64,
    pub rounds: u64,
    /// Loops of the machine code that it became.
    pub machine_loops: usize,
    /// The most rounds of the source that one of the machine does.
    pub unrolled: u64,
    /// It did not go round equally often each time.
    pub varies: bool,
    /// Of the rounds, those that were done outside of the machine loops.
    pub peeled: u64,
    /// Of the rounds, those that a function of the C library did in their place.
    pub replaced: u64,
    /// Additions, multiplications, divisions and square roots on its lines that its machine loops do not have.
    pub outside: [f64; 4],
}

/// What code does that can be counted on both sides: stores, additions, multiplications, divisions, square roots.
pub(super) type Work = [f64; 5];
pub(super) const STORES: usize = 0;
pub(super) const ADDS: usize = 1;
pub(super) const MULTIPLIES: usize = 2;
pub(super) const DIVIDES: usize = 3;
const ROOTS: usize = 4;

/// Counts of all loops of the source that were executed.
pub fn count(places: &Places, profile: &SourceProfile) -> BTreeMap<LoopRef, LoopCounts> {
    let counter = Counter::new(places, profile);
    let mut counts: BTreeMap<LoopRef, LoopCounts> = BTreeMap::new();
    // Inner loops have greater depths.
    let executed = counter.lines.keys().chain(counter.parts.keys());
    let with_outer: BTreeSet<LoopRef> = executed.flat_map(|found| places.chain(*found)).collect();
    let mut all: Vec<LoopRef> = with_outer.into_iter().collect();
    all.sort_by_key(|found| (std::cmp::Reverse(places.facts(*found).depth), *found));
    for found in all {
        if let Some(found_counts) = counter.count(found, &counts) {
            counts.insert(found, found_counts);
        }
    }
    counts
}

struct Counter<'a> {
    places: &'a Places<'a>,
    profile: &'a SourceProfile,
    /// Of each loop of the machine code.
    rounds: Vec<u64>,
    /// The loops of the machine code that each loop became, none inside another.
    parts: BTreeMap<LoopRef, Vec<usize>>,
    /// Sites by the loop that their line lies in, then by line.
    lines: BTreeMap<LoopRef, BTreeMap<u32, Vec<&'a Site>>>,
}

impl<'a> Counter<'a> {
    fn new(places: &'a Places<'a>, profile: &'a SourceProfile) -> Counter<'a> {
        let mut parts: BTreeMap<LoopRef, Vec<usize>> = BTreeMap::new();
        let mut rounds: Vec<u64> = profile.loops.iter().map(|one| one.rounds).collect();
        let origins = Origins::of(places, profile);
        for (number, found) in origins.all().into_iter().enumerate() {
            let one = &profile.loops[number];
            let Some(found) = found.filter(|_| one.was_executed()) else { continue };
            // The test at the top is that of a loop inside: the round of the source that it ends has begun.
            if origins.by_line(number) != Some(found) {
                rounds[number] += one.refused;
            }
            parts.entry(found).or_default().push(number);
        }
        for parts in parts.values_mut() {
            drop_nested(parts, &rounds, &profile.loops);
        }
        let mut lines: BTreeMap<LoopRef, BTreeMap<u32, Vec<&Site>>> = BTreeMap::new();
        for site in profile.sites.iter().filter(|site| site.executions > 0) {
            if let (Some(line), Place::Loop(found)) = (site.line, places.own(site)) {
                lines.entry(found).or_default().entry(line).or_default().push(site);
            }
        }
        Counter { places, profile, rounds, parts, lines }
    }

    /// Those of a loop, those inside it being known.
    fn count(&self, found: LoopRef, known: &BTreeMap<LoopRef, LoopCounts>) -> Option<LoopCounts> {
        let facts = self.places.facts(found);
        let empty = Vec::new();
        let parts = self.parts.get(&found).unwrap_or(&empty);
        let inner: Vec<LoopRef> = self.places.children(found).collect();
        if !inner.is_empty() {
            return match parts.is_empty() {
                true => entered_by(&inner, known),
                false => Some(self.sum(found, facts, parts)),
            };
        }
        let mut counts = self.sum(found, facts, parts);
        // Beside a loop with the other statements, a call has done no rounds of its own.
        let (calls, replaced) = if parts.is_empty() { self.replaced(found, facts) } else { (0, 0) };
        counts.entries += if replaced > 0 { calls } else { 0 };
        counts.replaced = replaced;
        counts.rounds += replaced;
        if parts.is_empty() && replaced == 0 {
            counts.rounds = self.unrolled_completely(found, facts)?;
            counts.peeled = counts.rounds;
        }
        Some(counts)
    }

    /// Sums over the machine loops, by statement: one that the compiler divided into several, each with some of the
    /// statements, goes round as often as each of them.
    fn sum(&self, found: LoopRef, facts: &Loop, parts: &[usize]) -> LoopCounts {
        let is_innermost = self.places.children(found).next().is_none();
        let factors: BTreeMap<usize, u64> =
            parts.iter().map(|&part| (part, if is_innermost { self.factor(found, facts, part) } else { 1 })).collect();
        let of = |set: &BTreeSet<usize>, line: Option<u32>| {
            let each = |number: &usize| (self.rounds[*number] * factors[number]) as f64;
            let rounds: f64 = set.iter().map(each).sum();
            let inside = self.sides(found, line, set).0;
            let mut outside = self.copied(found, line, set);
            // Elements at known places on the stack are stored by the stack pointer, where operations tell of it.
            let by_operations = (ADDS..=DIVIDES).any(|kind| inside[kind] > 0.0 && inside[kind] >= rounds);
            if by_operations || self.is_on_stack(found, set, rounds) {
                outside[STORES] += self.stack_stores(found, line, set);
            }
            let peeled = peeled(inside, outside, rounds);
            LoopCounts {
                entries: set.iter().map(|&number| self.profile.loops[number].entries).sum(),
                rounds: rounds as u64 + peeled,
                machine_loops: parts.len(),
                unrolled: set.iter().map(|number| factors[number]).max().unwrap_or(1),
                varies: set.iter().any(|number| varies(&self.profile.loops[*number])),
                peeled,
                replaced: 0,
                outside: [0.0; 4],
            }
        };
        let statements = statements(parts, facts.line, self.profile);
        let by_statement = statements.iter().map(|((_, line), set)| of(set, Some(*line)));
        let whole: BTreeSet<usize> = parts.iter().copied().collect();
        let mut counts = by_statement.max_by_key(|counts| counts.rounds).unwrap_or_else(|| of(&whole, None));
        let outside = self.sides(found, None, &whole).1;
        counts.outside = [outside[ADDS], outside[MULTIPLIES], outside[DIVIDES], outside[ROOTS]];
        counts
    }

    /// Sites of one line of a loop, or of all its lines.
    fn sites(&self, found: LoopRef, line: Option<u32>) -> impl Iterator<Item = &'a Site> + '_ {
        let lines = self.lines.get(&found).into_iter().flatten();
        lines.filter(move |(at, _)| line.is_none_or(|line| line == **at)).flat_map(|(_, sites)| sites.iter().copied())
    }

    /// How many rounds of the source one of a machine loop does.
    fn factor(&self, found: LoopRef, facts: &Loop, part: usize) -> u64 {
        let own = self.sites(found, None).filter(|site| site.machine_loop == Some(part as u32));
        let own: Vec<&Site> = own.collect();
        copies(facts, &own, self.rounds[part] as f64, self.places.rounds(found))
    }

    /// What was done on these lines inside of the machine loops, and outside of them.
    fn sides(&self, found: LoopRef, line: Option<u32>, parts: &BTreeSet<usize>) -> (Work, Work) {
        let is_inside = |site: &Site| site.machine_loop.is_some_and(|one| self.is_in(one as usize, parts));
        let facts = self.places.facts(found);
        let (mut inside, mut outside) = (Work::default(), Work::default());
        for site in self.sites(found, line) {
            let side = if is_inside(site) { &mut inside } else { &mut outside };
            *side = sum(*side, work(site, facts));
        }
        (inside, outside)
    }

    /// What was done outside of the machine loops by code that may be a copy of theirs. On a line that several loops
    /// share it may be of the loop around: columns tell; where they do not, that loop's own work is left out.
    fn copied(&self, found: LoopRef, line: Option<u32>, parts: &BTreeSet<usize>) -> Work {
        let facts = self.places.facts(found);
        let outer = self.outer_on_line(found);
        let place = |site: &Site| (site.line, site.column);
        let (inside, outside): (Vec<&Site>, Vec<&Site>) = self
            .sites(found, line)
            .partition(|site| site.machine_loop.is_some_and(|one| self.is_in(one as usize, parts)));
        let is_copy = |site: &&&Site| {
            let is_shared = site.column.is_some() && site.line == Some(facts.line);
            !is_shared || inside.iter().any(|other| place(other) == place(site))
        };
        let copies: Vec<&Site> = outside.iter().filter(is_copy).copied().collect();
        let mut did = copies.iter().map(|site| work(site, facts)).fold(Work::default(), sum);
        let places: BTreeSet<_> = inside.iter().chain(&outside).map(|site| place(site)).collect();
        if copies.len() == outside.len() && places.len() <= 1 {
            for (outer, rounds) in outer {
                let own = promised(self.places.facts(outer));
                did = std::array::from_fn(|kind| (did[kind] - own[kind] * rounds as f64).max(0.0));
            }
        }
        did
    }

    /// The loops around a loop that begin on the same line, with their rounds.
    fn outer_on_line(&self, found: LoopRef) -> Vec<(LoopRef, u64)> {
        let line = self.places.facts(found).line;
        let outer = self.places.chain(found).skip(1).filter(|outer| self.places.facts(*outer).line == line);
        let rounds = |outer: &LoopRef| self.parts.get(outer).into_iter().flatten().map(|part| self.rounds[*part]).sum();
        outer.map(|outer| (outer, rounds(&outer))).collect()
    }

    /// Stores by the stack pointer on these lines outside of the machine loops.
    fn stack_stores(&self, found: LoopRef, line: Option<u32>, parts: &BTreeSet<usize>) -> f64 {
        let is_inside = |site: &&Site| site.machine_loop.is_some_and(|one| self.is_in(one as usize, parts));
        self.sites(found, line).filter(|site| !is_inside(site)).map(|site| site.stack.stores as f64).sum()
    }

    /// Whether what the machine loops store lies on the stack, and outside of them the stack pointer stores on every line
    /// with such stores, equally many rounds' worth.
    fn is_on_stack(&self, found: LoopRef, parts: &BTreeSet<usize>, rounds: f64) -> bool {
        let is_inside = |site: &&&Site| site.machine_loop.is_some_and(|one| self.is_in(one as usize, parts));
        let is_stack = |site: &Site| {
            let stored = site.data.iter().filter(|data| data.accesses.stores > 0);
            stored.into_iter().all(|data| self.profile.data[data.range as usize].name == "stack")
        };
        let mut told: BTreeSet<u64> = BTreeSet::new();
        for sites in self.lines.get(&found).into_iter().flat_map(BTreeMap::values) {
            let (inside, outside): (Vec<&Site>, Vec<&Site>) = sites.iter().copied().partition(|site| is_inside(&site));
            let stored: u64 = inside.iter().map(|site| site.accesses.stores).sum();
            if stored == 0 {
                continue;
            }
            let beside: u64 = outside.iter().map(|site| site.stack.stores).sum();
            let times = beside as f64 * rounds / stored as f64;
            if times < 1.0 || times.fract() != 0.0 || !inside.iter().all(|site| is_stack(site)) {
                return false;
            }
            told.insert(times as u64);
        }
        told.len() == 1
    }

    fn is_in(&self, innermost: usize, parts: &BTreeSet<usize>) -> bool {
        around(&self.profile.loops, innermost).any(|number| parts.contains(&number))
    }

    /// Of a loop without machine loop: every kind of operation tells the same number of rounds.
    fn unrolled_completely(&self, found: LoopRef, facts: &Loop) -> Option<u64> {
        let did = self.sites(found, None).map(|site| work(site, facts)).fold(Work::default(), sum);
        let source = promised(facts);
        let mut rounds = (0..did.len()).filter(|kind| source[*kind] > 0.0).map(|kind| did[kind] / source[kind]);
        let first = rounds.next().filter(|first| *first > 0.0 && first.fract() == 0.0);
        match first {
            Some(first) => rounds.all(|other| other == first).then_some(first as u64),
            // Elements on the stack, at places that are known: as many as the source has in all.
            None if did == Work::default() && source[STORES] > 0.0 => {
                let stored: u64 = self.sites(found, None).map(|site| site.stack.stores).sum();
                let rounds = stored as f64 / source[STORES];
                (self.places.rounds(found) == Some(rounds) && rounds > 0.0).then_some(rounds as u64)
            }
            None => None,
        }
    }

    /// Calls of `memset` and its like, and the rounds that these did: the bytes that they stored, by those that a round
    /// stores.
    fn replaced(&self, found: LoopRef, facts: &Loop) -> (u64, u64) {
        let bytes: f64 = facts.arrays.iter().map(|array| array.element_bytes.unwrap_or(0.0) * writes(array)).sum();
        let (mut times, mut stored) = (0, 0);
        for call in self.sites(found, None).flat_map(|site| &site.calls).filter(|call| replaces_loops(&call.function)) {
            times += call.times;
            stored += call.accesses.stored_bytes;
        }
        if bytes > 0.0 { (times, (stored as f64 / bytes) as u64) } else { (0, 0) }
    }
}

/// Of loops inside one another that come from the same loop, one counts: the one that goes round most, of equals the
/// outermost.
fn drop_nested(parts: &mut Vec<usize>, rounds: &[u64], loops: &[MachineLoop]) {
    let all = parts.clone();
    let rank = |number: usize| (rounds[number], std::cmp::Reverse(number));
    let is_inside = |inner: usize, outer: usize| around(loops, inner).any(|number| number == outer);
    parts.retain(|&part| {
        all.iter().all(|&other| {
            let is_nested = other != part && (is_inside(part, other) || is_inside(other, part));
            !is_nested || rank(part) > rank(other)
        })
    });
}

/// Rounds that were done outside of the machine loops: everything that every round inside does was done there too.
/// What only some rounds do tells nothing: code outside may finish what they began.
fn peeled(inside: Work, outside: Work, rounds: f64) -> u64 {
    let kinds = (0..inside.len()).filter(|kind| inside[*kind] > 0.0 && inside[*kind] >= rounds);
    let times = kinds.map(|kind| outside[kind] * rounds / inside[kind] + 1e-9);
    times.reduce(f64::min).map_or(0, |times| times as u64)
}

/// Whether a machine loop did not go round equally often each time that it was entered.
fn varies(one: &MachineLoop) -> bool {
    one.fewest.zip(one.most).is_some_and(|(fewest, most)| fewest != most)
}

/// Whether a function of the C library is one that compilers put in place of loops.
pub fn replaces_loops(name: &str) -> bool {
    ["memset", "memcpy", "memmove"].iter().any(|known| name.contains(known))
}

/// Of a loop without machine loop: as often as the loops in it are entered.
fn entered_by(inner: &[LoopRef], known: &BTreeMap<LoopRef, LoopCounts>) -> Option<LoopCounts> {
    let rounds = inner.iter().filter_map(|found| known.get(found)).map(|counts| counts.entries).max();
    let rounds = rounds.filter(|rounds| *rounds > 0)?;
    Some(LoopCounts { rounds, peeled: rounds, ..LoopCounts::default() })
}

pub(super) fn writes(array: &super::reports::Array) -> f64 {
    array.accesses.iter().map(|access| access.writes).sum()
}

/// What a round of the source does.
pub(super) fn promised(facts: &Loop) -> Work {
    let flops = &facts.flops;
    [facts.arrays.iter().map(writes).sum(), flops.adds, flops.multiplies, flops.divides, 0.0]
}

/// What a site did; stores in elements of those that the loop stores, which may be of several words.
pub(super) fn work(site: &Site, facts: &Loop) -> Work {
    let did = &site.operations;
    let element = facts.arrays.iter().map(|array| array.element_bytes.unwrap_or(0.0) * writes(array)).sum::<f64>()
        / facts.arrays.iter().map(writes).sum::<f64>();
    let operations = [did.adds, did.multiplies, did.divides, did.square_roots].map(|count| count as f64);
    let stores = match element > 0.0 {
        true => site.accesses.stored_bytes as f64 / element,
        false => site.accesses.stores as f64,
    };
    [stores, operations[0], operations[1], operations[2], operations[3]]
}

pub(super) fn sum(one: Work, other: Work) -> Work {
    std::array::from_fn(|kind| one[kind] + other[kind])
}

/// A loop and those around it.
pub(super) fn around(loops: &[MachineLoop], innermost: usize) -> impl Iterator<Item = usize> + '_ {
    std::iter::successors(Some(innermost), |&number| loops[number].parent.map(|parent| parent as usize))
}

/// By statement, other than the head of the loop: the machine loops that have code of it, in them or in loops inside.
fn statements<'p>(
    parts: &[usize],
    head: u32,
    profile: &'p SourceProfile,
) -> BTreeMap<(Option<&'p str>, u32), BTreeSet<usize>> {
    let mut statements: BTreeMap<(Option<&str>, u32), BTreeSet<usize>> = BTreeMap::new();
    for site in profile.sites.iter().filter(|site| site.executions > 0) {
        let (Some(line), Some(innermost)) = (site.line.filter(|line| *line != head), site.machine_loop) else {
            continue;
        };
        for number in around(&profile.loops, innermost as usize).filter(|number| parts.contains(number)) {
            statements.entry((site.file.as_deref(), line)).or_default().insert(number);
        }
    }
    statements
}
