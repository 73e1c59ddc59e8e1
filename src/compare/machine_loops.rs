//! How often was each loop of the source executed, and how often did it go round?
//!
//! The trace knows loops of the machine code, and a compiler makes many of one, or one of many:
//!
//! ```text
//! for (i = 0; i < 65; i++)          machine code                rounds   of the source
//!   y[i] = 2.0 * x[i];       ►      ┌─ before the loop               –    2   peeled
//!                                   ├─ loop A, 4 elements           15   60   unrolled: 15·4
//!                                   └─ loop B, what is left          3    3
//!                                                                        65
//! ```
//!
//! For each loop, those inside it first, its machine loops ([`Counter::parts`], by `origins`) are added up:
//!
//! 1. each does so many rounds of the source in one of its own (`unrolling`);
//! 2. rounds in front of and behind them have no loop; what was done there shows how many (`peeled`);
//! 3. a loop that the compiler divided, each part with some of the statements, goes round as often as each of
//!    them: the sum is taken by statement, and the largest counts ([`Counter::sum`]);
//! 4. entries are executions, unless one part goes on where another was left (`entries`); the test before the
//!    first round has those of no round as well;
//! 5. machine loops that begin with the same instruction share their rounds: there the lines decide
//!    (`tangled`);
//! 6. without any machine loop it became a call of `memset` and its like, which knows how many bytes it wrote,
//!    or was unrolled completely, which operations show.
//!
//! What comes out is one witness among several; `conservation` decides whether it is believed.

mod peeled;
mod single;
mod straight;
mod tangled;

use std::collections::{BTreeMap, BTreeSet};

use super::counts::LoopCounts;
use super::entries::{CopyOf, MachineParts, copy_of, tests_before};
use super::origins::Origins;
use super::parts::{Statement, around, body, drop_nested, statements};
use super::places::{LoopRef, Place, Places};
use super::unrolling::{Copies, copies, each_round, is_by_elements, side_by_side};
use super::work::{
    ADDS, DIVIDES, MULTIPLIES, ROOTS, STORES, Work, predicted, stored_bytes, sum, work,
};
use crate::metrics::profile::{MachineLoop, Site, SourceProfile};
use crate::report::static_report::LoopReport;

/// Counts of all loops of the source that were executed, and what was executed of those that were unrolled completely: how
/// often, and the rounds that it did.
pub fn count(
    places: &Places,
    profile: &SourceProfile,
) -> (BTreeMap<LoopRef, LoopCounts>, BTreeMap<LoopRef, (u64, u64)>) {
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
    let executed = counter.lines.keys();
    let straight = executed.filter_map(|found| Some((*found, counter.straight(*found)?)));
    let straight = straight.collect();
    (counts, straight)
}

struct Counter<'a> {
    places: &'a Places<'a>,
    profile: &'a SourceProfile,
    /// Of each loop of the machine code.
    rounds: Vec<u64>,
    /// The loops of the machine code that each loop became, none inside another.
    parts: BTreeMap<LoopRef, Vec<usize>>,
    /// All of them, those inside others too.
    nested: BTreeMap<LoopRef, Vec<usize>>,
    /// By machine loop: its own sites, those of loops inside left out.
    of_loop: Vec<Vec<&'a Site>>,
    /// Those that begin with the same instruction as another, which the source may show to be one.
    sharing: BTreeSet<usize>,
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
            let Some(found) = found.filter(|_| one.was_executed()) else {
                continue;
            };
            // The test at the top is that of a loop inside: the round of the source that it ends has begun.
            if origins.by_line(number) != Some(found) {
                rounds[number] += one.refused;
            }
            parts.entry(found).or_default().push(number);
        }
        let mut lines: BTreeMap<LoopRef, BTreeMap<u32, Vec<&Site>>> = BTreeMap::new();
        for site in profile.sites.iter().filter(|site| site.executions > 0) {
            if let (Some(line), Place::Loop(found)) = (site.line, places.own(site)) {
                lines
                    .entry(found)
                    .or_default()
                    .entry(line)
                    .or_default()
                    .push(site);
            }
        }
        let nested = parts.clone();
        let none = BTreeMap::new();
        for (found, parts) in &mut parts {
            let (facts, lines) = (places.facts(*found), lines.get(found).unwrap_or(&none));
            drop_nested(parts, &rounds, &profile.loops, |part| {
                body(facts, lines, part)
            });
        }
        let shares = |(number, one): (usize, &MachineLoop)| {
            let outer = one
                .parent
                .filter(|_| one.shares_header)
                .map(|outer| [outer as usize, number]);
            outer.into_iter().flatten().collect::<Vec<usize>>()
        };
        let sharing = profile.loops.iter().enumerate().flat_map(shares).collect();
        let mut of_loop = vec![Vec::new(); profile.loops.len()];
        for site in profile.sites.iter().filter(|site| site.executions > 0) {
            if let Some(number) = site.machine_loop {
                of_loop[number as usize].push(site);
            }
        }
        Counter {
            places,
            profile,
            rounds,
            parts,
            nested,
            of_loop,
            sharing,
            lines,
        }
    }

    /// Those of a loop, those inside it being known.
    fn count(&self, found: LoopRef, known: &BTreeMap<LoopRef, LoopCounts>) -> Option<LoopCounts> {
        let counts = self.by_lines(found, self.by_loops(found, known))?;
        Some(LoopCounts {
            is_single: self.is_single(found),
            ..counts
        })
    }

    fn by_loops(
        &self,
        found: LoopRef,
        known: &BTreeMap<LoopRef, LoopCounts>,
    ) -> Option<LoopCounts> {
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
        let (calls, replaced) = if parts.is_empty() {
            self.replaced(found, facts)
        } else {
            (0, 0)
        };
        let is_stored = self.sites(found, None).any(|site| site.accesses.stores > 0);
        counts.by_call = replaced > 0 && !is_stored;
        counts.entries += if replaced > 0 { calls } else { 0 };
        counts.tests = if counts.tests >= counts.entries {
            counts.tests
        } else {
            0
        };
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
    fn sum(&self, found: LoopRef, facts: &LoopReport, parts: &[usize]) -> LoopCounts {
        let is_innermost = self.places.children(found).next().is_none();
        let copies = |part: usize| match is_innermost {
            true => self.copies(found, part),
            false => Copies {
                unrolled: self.jammed_inside(found, part),
                jammed: 1,
            },
        };
        let copies: BTreeMap<usize, Copies> =
            parts.iter().map(|&part| (part, copies(part))).collect();
        let again = self.done_again(found, parts);
        let each = |number: &usize| self.rounds[*number] * copies[number].all();
        let rounds = |set: &BTreeSet<usize>| set.difference(&again).map(each).sum::<u64>();
        let jammed = |number: usize| copies.get(&number).map_or(1, |copies| copies.jammed);
        let of = |set: &BTreeSet<usize>, peeled: u64| {
            let outermost: BTreeSet<usize> = set
                .difference(&again)
                .map(|number| self.outermost(found, *number))
                .collect();
            let entered = |&number: &usize| {
                self.as_parts().entries(found, number, &outermost, &copies) * jammed(number)
            };
            LoopCounts {
                entries: outermost.iter().map(entered).sum(),
                tests: 0,
                rounds: rounds(set) + peeled,
                machine_loops: parts.len(),
                unrolled: set
                    .iter()
                    .map(|number| copies[number].all())
                    .max()
                    .unwrap_or(1),
                varies: set
                    .iter()
                    .any(|number| varies(&self.profile.loops[*number])),
                mirrors: self.mirrors(found),
                left_by_test: outermost
                    .iter()
                    .map(|part| self.left_by_test(found, *part))
                    .sum(),
                peeled,
                ..LoopCounts::default()
            }
        };
        let statements = statements(parts, facts, &self.profile.loops, &self.of_loop);
        let stores = self.divided(parts, &statements);
        let is_divided = stores.is_some();
        let statements = stores.unwrap_or(statements);
        let peeled = self.peeled(found, &statements, rounds);
        let whole: BTreeSet<usize> = parts.iter().copied().collect();
        let by_statement = statements
            .iter()
            .zip(peeled)
            .map(|(statement, peeled)| of(&statement.parts(), peeled));
        let mut counts = by_statement
            .max_by_key(|counts| counts.rounds)
            .unwrap_or_else(|| {
                let peeled = self.peeled_on(found, None, &whole, rounds(&whole));
                of(&whole, peeled.unwrap_or(0))
            });
        let beside = self.entries_beside(found, &whole, counts.rounds - counts.peeled);
        if beside > counts.peeled {
            counts.rounds += beside - counts.peeled;
            counts.peeled = beside;
        }
        // Fewer tests were done for several executions at once, outside of the loop around.
        let tests = self.tests(found, facts, &whole, &copies);
        counts.tests = if tests >= counts.entries { tests } else { 0 };
        counts.varies |= counts.entries > 0 && counts.tests > counts.entries;
        let outside = self.sides(found, None, &whole).1;
        counts.outside = [
            outside[ADDS],
            outside[MULTIPLIES],
            outside[DIVIDES],
            outside[ROOTS],
        ];
        counts.is_divided = is_divided;
        counts.by_elements = self.is_by_elements(found, facts, parts, counts.rounds);
        counts
    }

    /// Of a loop that was divided, each part with some of the stores, the statements with these: what stores nothing may be
    /// done again in each part.
    fn divided(&self, parts: &[usize], statements: &[Statement]) -> Option<Vec<Statement>> {
        let stores = |statement: &&Statement| {
            let stores_on = |(line, parts): (&u32, &BTreeSet<usize>)| {
                let sites = parts.iter().flat_map(|part| &self.of_loop[*part]);
                let mut own = sites.filter(|site| site.line == Some(*line));
                own.any(|site| site.accesses.stores > 0)
            };
            statement.lines.iter().any(stores_on)
        };
        let goes = |part: &usize| (self.profile.loops[*part].entries, self.rounds[*part]);
        let mut pairs = parts.windows(2);
        let are_alike = pairs.all(|pair| goes(&pair[0]) == goes(&pair[1]));
        let storing: Vec<Statement> = statements.iter().filter(stores).cloned().collect();
        let mut all = storing.iter().map(Statement::parts);
        let first = all.next()?;
        let is_elsewhere = all.any(|parts| parts != first);
        let are_single = storing.iter().all(|one| one.parts().len() == 1);
        (are_alike && is_elsewhere && are_single).then_some(storing)
    }

    fn is_by_elements(
        &self,
        found: LoopRef,
        facts: &LoopReport,
        parts: &[usize],
        rounds: u64,
    ) -> bool {
        let all: Vec<&Site> = self.sites(found, None).collect();
        let of_part = |part: &usize| -> Vec<&Site> {
            let own = all.iter().copied();
            own.filter(|site| site.machine_loop == Some(*part as u32))
                .collect()
        };
        let parts: Vec<Vec<&Site>> = parts.iter().map(of_part).collect();
        is_by_elements(facts, &parts, &all, rounds)
    }

    /// Whether a loop has one machine loop, whose next around is one of the loop around it.
    fn mirrors(&self, found: LoopRef) -> bool {
        let Some([part]) = self.nested.get(&found).map(Vec::as_slice) else {
            return false;
        };
        let around = self.profile.loops[*part].parent;
        let around = around.and_then(|around| self.places.origin_of(around));
        let outer = self.places.chain(found).nth(1);
        let is_of_function = |one: &LoopRef| one.function == found.function;
        !self.sharing.contains(part) && around.filter(is_of_function) == outer
    }

    /// How often a machine loop was left by a branch on a loop's first line.
    fn left_by_test(&self, found: LoopRef, part: usize) -> u64 {
        let line = self.places.facts(found).line;
        let is_head = |site: u32| {
            let site = &self.profile.sites[site as usize];
            site.line == Some(line) && self.places.own(site) == Place::Loop(found)
        };
        let left = self.profile.loops[part].left.iter();
        left.filter(|left| is_head(left.site))
            .map(|left| left.times)
            .sum()
    }

    fn as_parts(&self) -> MachineParts<'_> {
        MachineParts {
            places: self.places,
            loops: &self.profile.loops,
            sites: &self.of_loop,
            rounds: &self.rounds,
            all: &self.parts,
        }
    }

    /// Of these machine loops those that do the rounds of others again, with other operations of the same line.
    fn done_again(&self, found: LoopRef, parts: &[usize]) -> BTreeSet<usize> {
        let is_again = |part: &usize| self.as_parts().again(found, *part).is_some();
        let again: BTreeSet<usize> = parts.iter().copied().filter(is_again).collect();
        if again.is_empty() || self.did_all(found) {
            BTreeSet::new()
        } else {
            again
        }
    }

    /// Whether all machine loops of the innermost loop did the whole work of their rounds.
    fn did_all(&self, found: LoopRef) -> bool {
        let mut innermost = found;
        while let Some(child) = self.places.children(innermost).next() {
            innermost = child;
        }
        let facts = self.places.facts(innermost);
        let (source, all) = (predicted(facts), self.parts.get(&innermost));
        let rounds: u64 = all
            .into_iter()
            .flatten()
            .map(|part| self.rounds[*part])
            .sum();
        let did = self
            .sites(innermost, None)
            .map(|site| work(site, facts))
            .fold(Work::default(), sum);
        let kinds = (STORES..=DIVIDES).filter(|kind| source[*kind] > 0.0);
        let shares: Vec<f64> = kinds
            .map(|kind| did[kind] / (source[kind] * rounds as f64))
            .collect();
        shares.is_empty() || shares.iter().any(|share| *share >= 1.0)
    }

    /// Sites of one line of a loop, or of all its lines.
    fn sites(&self, found: LoopRef, line: Option<u32>) -> impl Iterator<Item = &'a Site> + '_ {
        let wanted = line.map_or(0..=u32::MAX, |line| line..=line);
        let lines = self
            .lines
            .get(&found)
            .into_iter()
            .flat_map(move |lines| lines.range(wanted.clone()));
        lines.flat_map(|(_, sites)| sites.iter().copied())
    }

    /// The outermost machine loop around one that comes from the same loop of the source, and does not leave it.
    fn outermost(&self, found: LoopRef, number: usize) -> usize {
        let all = self.nested.get(&found).map_or(&[][..], Vec::as_slice);
        let outer = around(&self.profile.loops, number)
            .skip(1)
            .filter(|one| all.contains(one));
        outer
            .take_while(|one| self.stays_inside(found, *one))
            .last()
            .unwrap_or(number)
    }

    /// Whether all code of a machine loop was written in a loop, or called from there.
    fn stays_inside(&self, found: LoopRef, number: usize) -> bool {
        let facts = self.places.facts(found);
        let is_inside = |line: u32| (facts.line..=facts.end_line).contains(&line);
        let mut own = self.of_loop[number].iter();
        own.all(|site| {
            site.line.is_none_or(is_inside)
                || site.called_from.iter().any(|(_, line)| is_inside(*line))
        })
    }

    /// How many rounds of the source one of a machine loop does.
    fn copies(&self, found: LoopRef, part: usize) -> Copies {
        let facts = self.places.facts(found);
        let own = self
            .sites(found, None)
            .filter(|site| site.machine_loop == Some(part as u32));
        let own: Vec<&Site> = own.collect();
        let rounds = self.rounds[part] as f64;
        let expected = self.places.rounds(found);
        let begun = rounds + self.profile.loops[part].refused as f64;
        // A test at the top is done once more than there are rounds.
        let copies = [rounds, begun].map(|rounds| copies(facts, &own, rounds, expected));
        let copies = copies[if copies[0].all() > copies[1].all() {
            1
        } else {
            0
        }];
        match copies.jammed {
            1 => Copies {
                jammed: self.beside(found, part, &each_round(facts, &own, rounds)),
                ..copies
            },
            _ => copies,
        }
    }

    /// Rounds of the loop around that one round of a machine loop, which did this, does side by side, by what lies
    /// between the two.
    fn beside(&self, found: LoopRef, part: usize, did: &Work) -> u64 {
        let Some(outer) = self.places.chain(found).nth(1) else {
            return 1;
        };
        let around = self.profile.loops[part]
            .parent
            .filter(|around| self.places.origin_of(*around) == Some(outer));
        let Some(around) = around else { return 1 };
        let between = self
            .sites(found, None)
            .filter(|site| site.machine_loop == Some(around));
        let between: Vec<&Site> = between.collect();
        side_by_side(
            self.places.facts(outer),
            self.places.facts(found),
            &between,
            did,
        )
    }

    /// How many rounds of a loop one of a machine loop does side by side, as the innermost loops directly inside
    /// show, if they agree.
    fn jammed_inside(&self, found: LoopRef, part: usize) -> u64 {
        let is_in_part = |inner: &usize| self.profile.loops[*inner].parent == Some(part as u32);
        let of_child = |child: LoopRef| {
            let parts = self
                .parts
                .get(&child)
                .into_iter()
                .flatten()
                .copied()
                .filter(is_in_part);
            let is_innermost = self.places.children(child).next().is_none();
            parts.map(move |inner| {
                if is_innermost {
                    self.copies(child, inner).jammed
                } else {
                    1
                }
            })
        };
        let jammed: BTreeSet<u64> = self.places.children(found).flat_map(of_child).collect();
        if jammed.len() == 1 {
            jammed.first().copied().unwrap_or(1)
        } else {
            1
        }
    }

    /// How often its machine loops were reached: by the tests before a first round, and in copies where its outcome is known
    /// and none is left, by their entries.
    fn tests(
        &self,
        found: LoopRef,
        facts: &LoopReport,
        parts: &BTreeSet<usize>,
        copies: &BTreeMap<usize, Copies>,
    ) -> u64 {
        let nested = self.nested.get(&found).into_iter().flatten();
        let tests = self.tests_before(found, facts, &nested.copied().collect());
        let all: u64 = tests.values().sum();
        if all == 0 {
            return 0;
        }
        let outermost = parts.iter().map(|part| self.outermost(found, *part));
        let outermost: BTreeSet<usize> = outermost.collect();
        let machine = self.as_parts();
        let is_untested = |part: &&usize| {
            let head = machine.head(**part);
            head.is_some_and(|site| !tests.contains_key(&copy_of(site)))
        };
        let untested = outermost.iter().filter(is_untested);
        let entered = |part: &usize| {
            let jammed = copies.get(part).map_or(1, |copies| copies.jammed);
            machine.entries(found, *part, &outermost, copies) * jammed
        };
        all + untested.map(entered).sum::<u64>()
    }

    /// By copy, how often the test of the loop's head was done before a first round.
    fn tests_before(
        &self,
        found: LoopRef,
        facts: &LoopReport,
        parts: &BTreeSet<usize>,
    ) -> BTreeMap<CopyOf<'_>, u64> {
        if self.places.shares_line(found) {
            return BTreeMap::new();
        }
        tests_before(
            self.sites(found, Some(facts.line))
                .map(|site| (self.is_site_in(site, parts), site)),
        )
    }

    fn is_site_in(&self, site: &Site, parts: &BTreeSet<usize>) -> bool {
        site.machine_loop
            .is_some_and(|one| self.is_in(one as usize, parts))
    }

    fn is_in(&self, innermost: usize, parts: &BTreeSet<usize>) -> bool {
        around(&self.profile.loops, innermost).any(|number| parts.contains(&number))
    }

    /// Of a loop without machine loop: every kind of operation gives the same number of rounds. Where the source has a
    /// number for each round of the loop around, what that one has to do on the same line may be among them.
    fn unrolled_completely(&self, found: LoopRef, facts: &LoopReport) -> Option<u64> {
        let did = self
            .sites(found, None)
            .map(|site| work(site, facts))
            .fold(Work::default(), sum);
        let rounds = self
            .without_outer(found, facts, did)
            .or_else(|| self.rounds_by_work(found, facts, did))?;
        // What only some rounds do gives no number of them, but may confirm one.
        let does_work = |site: &Site| work(site, facts) != Work::default();
        let is_guarded = |site: &&Site| {
            site.line
                .is_some_and(|line| facts.branches.iter().any(|one| one.guards(line)))
        };
        let is_unsure =
            facts.exits_early || self.sites(found, None).filter(is_guarded).any(does_work);
        (!is_unsure || self.places.rounds(found) == Some(rounds as f64)).then_some(rounds)
    }

    /// Rounds by work without what the rounds of the loop around have to do and did on none of its own lines, if each
    /// has as many as in the source.
    fn without_outer(&self, found: LoopRef, facts: &LoopReport, did: Work) -> Option<u64> {
        let outer = self.places.chain(found).nth(1)?;
        let around = self.places.facts(outer);
        let times = self
            .parts
            .get(&outer)?
            .iter()
            .map(|part| self.rounds[*part])
            .sum::<u64>() as f64;
        let own = self
            .sites(outer, None)
            .map(|site| work(site, around))
            .fold(Work::default(), sum);
        let source = predicted(around);
        let did =
            std::array::from_fn(|kind| did[kind] - (source[kind] * times - own[kind]).max(0.0));
        let each = self.places.rounds(found)? / self.places.rounds(outer)?;
        self.rounds_by_work(found, facts, did)
            .filter(|rounds| *rounds as f64 == each * times)
    }

    fn rounds_by_work(&self, found: LoopRef, facts: &LoopReport, did: Work) -> Option<u64> {
        let source = predicted(facts);
        let mut rounds = (0..did.len())
            .filter(|kind| source[*kind] > 0.0)
            .map(|kind| did[kind] / source[kind]);
        let first = rounds
            .next()
            .filter(|first| *first > 0.0 && first.fract() == 0.0);
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
    fn replaced(&self, found: LoopRef, facts: &LoopReport) -> (u64, u64) {
        let bytes: f64 = facts.arrays.iter().map(stored_bytes).sum();
        let (mut times, mut stored) = (BTreeMap::new(), 0);
        for site in self.sites(found, None) {
            for call in site
                .calls
                .iter()
                .filter(|call| replaces_loops(&call.function))
            {
                *times.entry(site.line).or_insert(0) += call.times;
                stored += call.accesses.stored_bytes;
            }
        }
        // Several statements have a call each.
        let times = times.into_values().max().unwrap_or(0);
        let rounds = stored as f64 / bytes;
        match bytes > 0.0 && rounds.fract() == 0.0 {
            true => (times, rounds as u64),
            false => (0, 0),
        }
    }
}

/// Whether a machine loop did not go round equally often each time that it was entered.
fn varies(one: &MachineLoop) -> bool {
    one.fewest
        .zip(one.most)
        .is_some_and(|(fewest, most)| fewest != most)
}

/// Whether a function of the C library is one that compilers put in place of loops.
pub fn replaces_loops(name: &str) -> bool {
    ["memset", "memcpy", "memmove", "strlen", "rawmemchr"]
        .iter()
        .any(|known| name.contains(known))
}

/// Of a loop without machine loop: as often as the loops in it are entered.
fn entered_by(inner: &[LoopRef], known: &BTreeMap<LoopRef, LoopCounts>) -> Option<LoopCounts> {
    let rounds = inner
        .iter()
        .filter_map(|found| known.get(found))
        .map(|counts| counts.entries)
        .max();
    let rounds = rounds.filter(|rounds| *rounds > 0)?;
    Some(LoopCounts {
        rounds,
        peeled: rounds,
        ..LoopCounts::default()
    })
}
