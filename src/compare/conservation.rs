//! Are the counts of a loop right?
//!
//! How often loops are executed and go round is a flow, and what flows in has to flow out:
//!
//! ```text
//!                 20 executions
//!                      │
//!       ┌──────────► test   19,980 = 20 + 19,960  ──────► left 20 times
//!       │              │
//!       │            body   19,960 rounds; no line of it more often;
//!       └──────────────┘    a loop inside that stands on no condition is executed 19,960 times
//! ```
//!
//! Candidates for the pair of executions and rounds come from the machine loops, the loop around, the
//! statements of head and body (`witnesses`), the loops inside, and the source's own bounds. A pair that
//! something contradicts is out; of the others the one that most confirm is taken ([`Flow::best`]), and of
//! equals that of the machine loops. A count that fewer than two confirm, or two equally good pairs, stay in
//! doubt (`doubts`): such a count has a star, and no parameter, no probability and no reason follows from it
//! (guide: counts, "When a count is certain").
//!
//! Loops that can be left early close less strictly: their test is done at most as often, and lines behind the
//! exit are executed less often. Outer loops are settled first, since what they say of their rounds is a
//! candidate for the executions inside.

use std::collections::{BTreeMap, BTreeSet};

use super::counts::LoopCounts;
use super::doubts::{Doubt, Doubts};
use super::places::{LoopRef, Places};
use super::surety::Surety;
use super::witnesses::Witnesses;
use crate::report::static_report::LoopReport;

/// Corrects counts that others contradict, and marks those that stay in doubt.
pub fn settle(
    places: &Places,
    witnesses: &Witnesses,
    source: &OfSource,
    counts: &mut BTreeMap<LoopRef, LoopCounts>,
) {
    let mut all: BTreeSet<LoopRef> = counts.keys().copied().collect();
    all.extend(witnesses.loops());
    let mut all: Vec<LoopRef> = all.into_iter().collect();
    // Outer loops first.
    all.sort_by_key(|found| (places.facts(*found).depth, *found));
    for found in all {
        let flow = Flow::of(places, witnesses, source, counts, found);
        let settled = flow.settled(counts.get(&found).copied());
        if let Some(settled) = settled {
            counts.insert(found, settled);
        }
    }
}

/// What the source says of a loop.
pub struct OfSource<'a> {
    /// How often its function is called.
    pub calls: &'a dyn Fn(LoopRef) -> f64,
    /// What its bounds say.
    pub surety: &'a dyn Fn(LoopRef) -> Surety,
}

/// What is known about one loop.
struct Flow<'a> {
    facts: &'a LoopReport,
    /// Some rounds may have left no trace: those of a loop that was unrolled completely, or became a call.
    is_incomplete: bool,
    /// By its machine loops.
    machine: Option<(u64, u64)>,
    head: BTreeSet<u64>,
    /// The most executions that two statements of the head have in common: one of the two is the step.
    twice: u64,
    body: BTreeSet<u64>,
    /// Executions of the loops inside that stand on no condition, and whether one has more.
    inside: BTreeSet<u64>,
    /// Rounds of the loop around, if they are certain, and whether each of them executes this loop.
    around: Option<(u64, Each)>,
    /// Rounds of one execution of the loop around, each of which executes this loop, by bounds that the program itself has.
    around_written: Option<u64>,
    /// The compiler marks where its statements begin.
    is_marked: bool,
    /// What the source says, where no bound and no condition on the way is guessed.
    fixed: (Option<u64>, Option<u64>),
    surety: Surety,
    /// Rounds in all by bounds that the program itself has, for the executions of the outermost loop that were counted.
    written: Option<u64>,
    /// Of the first line of the body that no condition guards.
    first: Option<u64>,
    /// In place of how many calls its code was executed.
    inlined_calls: usize,
    /// No loop is around it.
    outermost: bool,
    /// Vectors went over as many elements as its machine loops have rounds of the source.
    is_by_elements: bool,
}

/// How often a round of a loop executes a loop inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Each {
    Once,
    /// It may be left out.
    AtMostOnce,
}

/// What confirms a pair of executions and rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Confirmed {
    executions: u32,
    rounds: u32,
}

impl<'a> Flow<'a> {
    fn of(
        places: &'a Places,
        witnesses: &Witnesses,
        source: &OfSource,
        counts: &BTreeMap<LoopRef, LoopCounts>,
        found: LoopRef,
    ) -> Flow<'a> {
        let facts = places.facts(found);
        let is_unconditional = |line: u32| !facts.branches.iter().any(|one| one.guards(line));
        let inside = places.children(found);
        let inside = inside.filter(|child| is_unconditional(places.facts(*child).line));
        let inside = inside.filter_map(|child| Some(counts.get(&child)?.executions()));
        let outer = places.chain(found).nth(1);
        let around = outer.and_then(|outer| {
            let counts = counts
                .get(&outer)
                .filter(|one| one.doubts.rounds.is_none())?;
            Some((counts.rounds, each(places.facts(outer), facts)))
        });
        let whole = |value: f64| (value >= 0.0 && value.fract() == 0.0).then_some(value as u64);
        let own = counts.get(&found);
        let surety = (source.surety)(found);
        let (mut head, mut twice) = (BTreeSet::new(), 0);
        for one in witnesses.head(found) {
            if !head.insert(one) {
                twice = twice.max(one);
            }
        }
        Flow {
            twice,
            facts,
            is_incomplete: own.is_none_or(|own| own.machine_loops == 0)
                || witnesses.is_replaced(found),
            machine: own.map(|counts| (counts.executions(), counts.rounds)),
            head,
            body: witnesses.body(found).collect(),
            inside: inside.filter(|executions| *executions > 0).collect(),
            around,
            around_written: outer.and_then(|outer| {
                let surety = (source.surety)(outer);
                let is_once = each(places.facts(outer), facts) == Each::Once;
                surety.each.filter(|_| surety.is_each_written && is_once)
            }),
            is_marked: witnesses.is_marked(found),
            fixed: (
                whole((source.calls)(found)).filter(|_| outer.is_none()),
                (places.rounds(found).and_then(whole)).filter(|_| surety.is_total_known),
            ),
            surety,
            written: written(places, counts, source, found).filter(|_| surety.is_total_written),
            first: witnesses.first(found),
            outermost: outer.is_none(),
            inlined_calls: witnesses.inlined_calls(found),
            is_by_elements: own.is_some_and(|own| own.by_elements),
        }
    }

    /// The counts with what is certain of them.
    fn settled(&self, counts: Option<LoopCounts>) -> Option<LoopCounts> {
        let known = counts.unwrap_or_default();
        let best = self.best();
        let Some((executions, rounds, confirmed)) = best else {
            let others = self.body.iter().chain(&self.inside).chain(&self.head).max();
            let doubt = match others {
                Some(others) if *others != known.rounds => Doubt::Contradicted { others: *others },
                _ => Doubt::Unconfirmed,
            };
            return counts.map(|counts| LoopCounts {
                doubts: Doubts {
                    executions: Some(doubt),
                    rounds: Some(doubt),
                },
                ..counts
            });
        };
        let evaluated = self.may_be_evaluated(executions);
        let doubts = Doubts {
            executions: (confirmed.executions < 2)
                .then_some(Doubt::Unconfirmed)
                .or(evaluated),
            rounds: (confirmed.rounds < 2)
                .then_some(Doubt::Unconfirmed)
                .or(evaluated)
                .or_else(|| self.may_lack_executions(executions, confirmed, rounds))
                .or_else(|| self.may_lack_rounds(executions, rounds))
                .or_else(|| self.differs_from_written(executions, rounds)),
        };
        // Nothing is known of a loop that only its statements show, unless they agree.
        if counts.is_none() && doubts.rounds.is_some() {
            return None;
        }
        let tests = match doubts.executions {
            None => executions,
            Some(_) => known.tests,
        };
        Some(LoopCounts {
            entries: known.entries.min(executions),
            tests,
            rounds,
            by_machine: known.rounds,
            doubts,
            ..known
        })
    }

    /// Copies of a function in its callers, where operands are known, may leave out whole executions.
    fn may_be_evaluated(&self, executions: u64) -> Option<Doubt> {
        match self.fixed.0 {
            Some(calls) if self.inlined_calls > 0 && executions < calls => {
                Some(Doubt::FewerThanCalls { calls })
            }
            Some(calls) if executions == calls => None,
            // Of several calls some may have left no code.
            _ => (self.outermost && self.inlined_calls > 1).then_some(Doubt::Unconfirmed),
        }
    }

    /// Rounds of loops that were interchanged, or done several at a time, may close and yet be those of another loop.
    fn differs_from_written(&self, executions: u64, rounds: u64) -> Option<Doubt> {
        if self.fixed.1 == Some(rounds) {
            return None;
        }
        let each = self.surety.each.filter(|_| self.surety.is_each_written);
        let by_executions = each.and_then(|each| each.checked_mul(executions));
        let bounds = self.written.or(by_executions)?;
        (bounds != rounds).then_some(Doubt::OtherThanBounds { bounds })
    }

    /// Whether the source's bounds give these rounds.
    fn is_of_source(&self, executions: u64, rounds: u64) -> bool {
        let all = self
            .surety
            .each
            .and_then(|each| each.checked_mul(executions));
        self.fixed.1 == Some(rounds) || all == Some(rounds)
    }

    /// Of a loop inside another one, of whose rounds nothing is certain, the compiler may have done whole executions
    /// elsewhere, or once for all: as many of them have to be left as rounds of the loop around by bounds that the source
    /// fixes, or something else than loops of the machine code has to show them.
    fn may_lack_executions(
        &self,
        executions: u64,
        confirmed: Confirmed,
        rounds: u64,
    ) -> Option<Doubt> {
        if self.outermost || self.around.is_some() || self.fixed.1 == Some(rounds) {
            return None;
        }
        let is_shown = match self.around_written {
            Some(each) => each > 0 && executions.is_multiple_of(each),
            None => confirmed.executions >= 2 && self.is_marked,
        };
        (!is_shown).then_some(Doubt::Unconfirmed)
    }

    /// A test that is done once for each round and once for each execution says that the loop was never left early, or
    /// that the rounds in which it was left are not among those that were counted. What comes first in the body is done in
    /// these, too.
    fn may_lack_rounds(&self, executions: u64, rounds: u64) -> Option<Doubt> {
        let is_never_left = self.head.contains(&(executions + rounds));
        let is_shown = self.first == Some(rounds) || self.is_of_source(executions, rounds);
        (self.facts.exits_early && is_never_left && !is_shown).then_some(Doubt::Unconfirmed)
    }

    /// The pair that most confirm; of equals that of the machine loops. `None` if two others are as good.
    fn best(&self) -> Option<(u64, u64, Confirmed)> {
        let (mut executions, mut rounds) = (BTreeSet::new(), BTreeSet::new());
        executions.extend(self.machine.map(|one| one.0));
        executions.extend(self.around.map(|one| one.0));
        rounds.extend(self.machine.map(|one| one.1));
        rounds.extend(self.body.iter().chain(&self.inside).chain(&self.head));
        rounds.extend(self.fixed.1);
        executions.remove(&0);
        let by_trips = executions
            .iter()
            .filter_map(|one| self.surety.each?.checked_mul(*one));
        rounds.extend(by_trips.collect::<Vec<u64>>());
        let differences = |execution: &u64| {
            let tests = self.head.iter();
            let own: Vec<u64> = tests
                .filter_map(|test| test.checked_sub(*execution))
                .collect();
            own
        };
        rounds.extend(
            executions
                .iter()
                .flat_map(differences)
                .collect::<Vec<u64>>(),
        );
        let pairs = executions
            .iter()
            .flat_map(|one| rounds.iter().map(move |other| (*one, *other)));
        let mut found: Vec<(Confirmed, bool, u64, u64)> = pairs
            .filter_map(|(executions, rounds)| {
                let confirmed = self.confirmed(executions, rounds)?;
                let is_machine = self.machine == Some((executions, rounds));
                Some((confirmed, is_machine, executions, rounds))
            })
            .collect();
        let total =
            |one: &(Confirmed, bool, u64, u64)| (one.0.executions.min(2) + one.0.rounds, one.1);
        found.sort_by_key(|one| std::cmp::Reverse(total(one)));
        let first = *found.first()?;
        match found.get(1) {
            Some(second) if total(second) == total(&first) => None,
            _ => Some((first.2, first.3, first.0)),
        }
    }

    /// How many witnesses confirm each of these counts; `None` if something contradicts them.
    fn confirmed(&self, executions: u64, rounds: u64) -> Option<Confirmed> {
        let tests = executions.checked_add(rounds)?;
        let is_machine = (
            self.machine.is_some_and(|one| one.0 == executions),
            self.machine.is_some_and(|one| one.1 == rounds),
        );
        let by_source = self.is_of_source(executions, rounds);
        let is_fixed = by_source && is_machine.1;
        let is_counted = self.facts.var.is_of_source();
        // What is done in advance of the test is done as often as that. A round that is left at once looks the same.
        let is_in_advance = |count: u64| count == tests && !self.facts.exits_early;
        let is_more = |count: &&u64| **count > rounds && !is_in_advance(**count);
        let is_contradicted = self.head.iter().any(|head| *head > tests)
            || is_counted && self.twice > rounds.max(executions)
            || self.body.iter().any(|one| is_more(&one))
            || self.inside.iter().any(|one| *one > rounds)
            || self.around.is_some_and(|(around, _)| executions > around);
        if is_contradicted && !is_fixed {
            return None;
        }
        // A loop that can be left early does its test less often. As often as it goes round is what a test shows whose
        // line has some of the body, too.
        let has_test = match self.facts.exits_early {
            false => self.head.contains(&tests),
            true => self.head.range(rounds + 1..=tests).next().is_some(),
        };
        let has_more = self.head.last().is_some_and(|most| *most > rounds);
        let has_step =
            is_counted && self.head.contains(&rounds) && (has_more || !self.facts.exits_early);
        let by_body = self.body.contains(&rounds) || self.inside.contains(&rounds);
        // Of a body that may be left, each line is executed as often as it is reached.
        let is_told_by_lines = by_body && !self.facts.exits_early;
        if !(is_machine.1 || is_told_by_lines || by_source) || self.is_incomplete && !by_source {
            return None;
        }
        if !(self.head.is_empty() || has_test || has_step || is_fixed) {
            return None;
        }
        let votes = |all: &[bool]| all.iter().filter(|one| **one).count() as u32;
        let each = self.around.filter(|(_, each)| *each == Each::Once);
        let by_around = each.is_some_and(|(around, _)| around == executions);
        if each.is_some() && !by_around && !is_fixed {
            return None;
        }
        // As many of both: then it may be the step.
        let begins = self.head.contains(&executions) && executions != rounds;
        // Machine loops whose rounds are others are not those of the source, and have other entries.
        let by_entries = is_machine.0 && (is_machine.1 || by_around);
        let by_elements = is_machine.1 && self.is_by_elements;
        let rounds = votes(&[
            is_machine.1,
            by_body,
            has_test,
            has_step,
            by_source,
            by_elements,
        ]);
        if !is_machine.1 && rounds < 2 {
            return None;
        }
        Some(Confirmed {
            executions: 2 * u32::from(by_around)
                + votes(&[
                    by_entries,
                    self.around.is_some_and(|(around, _)| around == executions),
                    has_test && !self.facts.exits_early,
                    begins,
                    self.fixed.0 == Some(executions),
                ]),
            rounds,
        })
    }
}

/// Rounds of a loop inside others by its bounds, for so many executions of the outermost as are certain.
fn written(
    places: &Places,
    counts: &BTreeMap<LoopRef, LoopCounts>,
    source: &OfSource,
    found: LoopRef,
) -> Option<u64> {
    let outermost = places.chain(found).last().filter(|outer| *outer != found)?;
    let executed = counts.get(&outermost)?;
    let each = places.rounds(found)? / (source.calls)(found);
    let all = each * executed.executions() as f64;
    (executed.doubts.executions.is_none() && all.fract() == 0.0).then_some(all as u64)
}

/// Whether every round of a loop executes one inside: where it is left early or cut short, some may not.
pub fn each(outer: &LoopReport, inner: &LoopReport) -> Each {
    let is_before = outer.branches.iter().any(|branch| branch.line < inner.line);
    match outer.exits_early || is_before {
        true => Each::AtMostOnce,
        false => Each::Once,
    }
}
