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

mod confirmed;
mod unrolled;
mod written;

use std::collections::{BTreeMap, BTreeSet};

use super::callers::{Called, Callers};
use super::counts::LoopCounts;
use super::doubts::{Doubt, Doubts};
use super::places::{LoopRef, Places};
use super::surety::Surety;
use super::witnesses::Witnesses;
use crate::report::static_report::LoopReport;
use confirmed::Confirmed;

/// Corrects counts that others contradict, and marks those that stay in doubt.
pub fn settle(
    places: &Places,
    witnesses: &Witnesses,
    source: &OfSource,
    counts: &mut BTreeMap<LoopRef, LoopCounts>,
) {
    let unrolled = unrolled::counts(places, witnesses, source, counts);
    let mut all: BTreeSet<LoopRef> = counts.keys().copied().collect();
    all.extend(witnesses.loops().chain(unrolled.keys().copied()));
    all.extend(witnesses.idle());
    let mut all: Vec<LoopRef> = all.into_iter().collect();
    // Outer loops first.
    all.sort_by_key(|found| (places.facts(*found).depth, *found));
    for found in all {
        let flow = Flow::of(places, witnesses, source, counts, found);
        let settled = match counts.get(&found) {
            None => flow
                .never_begun(witnesses.tests_alone(found))
                .map(without_rounds)
                .or_else(|| flow.settled(None))
                .or_else(|| flow.unreached()),
            own => flow.settled(own.copied()),
        };
        let by_work = unrolled.get(&found).and_then(|one| flow.unrolled(*one));
        let is_certain = |one: &LoopCounts| one.doubts == Doubts::default();
        let settled = settled.filter(is_certain).or(by_work).or(settled);
        if let Some(settled) = settled {
            counts.insert(found, settled);
            leave_out_inside(places, found, counts);
        }
    }
    written::follow(places, witnesses, source, counts);
}

/// Of a loop that certainly had no rounds, those inside were never executed.
fn leave_out_inside(places: &Places, found: LoopRef, counts: &mut BTreeMap<LoopRef, LoopCounts>) {
    let has_none = |one: &LoopCounts| one.rounds == 0 && one.doubts.rounds.is_none();
    if counts.get(&found).is_some_and(has_none) {
        for child in places.children(found) {
            counts.entry(child).or_insert_with(|| without_rounds(0));
            leave_out_inside(places, child, counts);
        }
    }
}

/// The counts of a loop that never went round.
fn without_rounds(executions: u64) -> LoopCounts {
    LoopCounts {
        tests: executions,
        ..LoopCounts::default()
    }
}

/// What the source says of a loop.
pub struct OfSource<'a> {
    pub callers: &'a Callers,
    /// How often its function is called.
    pub calls: &'a dyn Fn(LoopRef) -> f64,
    /// What its bounds say.
    pub surety: &'a dyn Fn(LoopRef) -> Surety,
    /// Of loops that were unrolled completely, how often their code was executed, and the rounds that it did.
    pub straight: &'a BTreeMap<LoopRef, (u64, u64)>,
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
    /// What the source says: calls of its function, if no loop is around it, and its rounds in all, where no bound and no
    /// condition on the way is guessed. Those count for as many executions of the outermost loop as the source has.
    fixed: (Option<u64>, Option<u64>),
    surety: Surety,
    /// How often the calls of its function were begun, if no loop is around it.
    called: Option<Called>,
    /// How often its function was entered, if no loop is around it, and nothing of it was put into others.
    entered: Option<u64>,
    /// How often it was executed, as the statements before it and behind it agree.
    beside: Option<u64>,
    /// Every call of its function has left one copy of its code, and that was executed.
    is_all_inlined: bool,
    /// Rounds in all by bounds that the program itself has, for the executions of the outermost loop that were counted.
    written: Option<u64>,
    /// It, or a loop around it, can be left early.
    is_cut_short: bool,
    /// How often a branch on the line of its head was executed, in all copies.
    decisions: u64,
    /// Of the first line of the body that no condition guards.
    first: Option<u64>,
    /// It has instructions on another line than that of its head, or loops inside.
    has_body: bool,
    /// It begins on the line of a loop around it or inside it, so that the marks of that line are of all of them, and not
    /// each of them has just one machine loop with all of its rounds.
    is_mixed: bool,
    /// A call of a function of the C library may have done rounds.
    is_replaced: bool,
    /// In place of how many calls its code was executed.
    inlined_calls: usize,
    /// It has more machine loops than there are such calls, and none leaves rounds to another: a call that stands in an
    /// unrolled loop may have several copies.
    is_copied: bool,
    /// No loop is around it.
    outermost: bool,
    /// It has one machine loop, with all of its rounds, in that of the loop around it.
    mirrors: bool,
    /// Entries of its machine loops, and how often these were left by its test.
    ends: Option<(u64, u64)>,
    /// A function of the C library stored as much as its rounds do, and nothing else did.
    is_by_call: bool,
    /// Each of its rounds stores something.
    always_stores: bool,
    /// Vectors went over as many elements as its machine loops have rounds of the source.
    is_by_elements: bool,
    /// All that it does is in one machine loop, one round in each of its own.
    is_single: bool,
    /// That is so of the loop around it.
    is_in_single: bool,
    /// A machine loop of it is there, and was not entered.
    is_idle: bool,
    /// No condition decides what its rounds do.
    is_plain: bool,
    /// A branch was executed on the line of each condition that its rounds ask.
    are_conditions_left: bool,
    /// Something was stored or computed, or loaded, called or decided on another line than that of its head, or is a loop
    /// inside.
    does_something: bool,
    /// A copy of its function has executed code of it, and no loop.
    has_vanished: bool,
    /// Its machine loops begin with a statement of its body, and not with its test.
    begins_with_body: bool,
    /// Its function is in one place of the machine code only.
    is_apart: bool,
    /// Something of it was executed, or of a loop inside.
    has_code: bool,
}

/// How often a round of a loop executes a loop inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Each {
    Once,
    /// It may be left out.
    AtMostOnce,
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
        let own = counts.get(&found);
        let surety = (source.surety)(found);
        // Without marks, nothing tells what is done again in each part of a divided loop; and where one store is that of
        // several rounds, each statement is begun once for them.
        let is_marked = witnesses.is_marked(found);
        let is_shown = own.is_none_or(|own| {
            (is_marked || !own.is_divided)
                && !witnesses.is_divided(found)
                && (own.unrolled <= 1 || !witnesses.is_wide(found))
        });
        let (mut head, mut twice) = (BTreeSet::new(), 0);
        let is_single = own.is_some_and(|own| own.is_single);
        for one in witnesses.head(found).filter(|_| is_shown) {
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
            body: match is_single && !is_marked {
                true => witnesses.body_inside(found).collect(),
                false => witnesses.body(found).filter(|_| is_shown).collect(),
            },
            inside: inside.filter(|executions| *executions > 0).collect(),
            around,
            around_written: outer.and_then(|outer| {
                let surety = (source.surety)(outer);
                let is_once = each(places.facts(outer), facts) == Each::Once;
                surety.each.filter(|_| surety.is_each_written && is_once)
            }),
            is_marked,
            fixed: (
                whole((source.calls)(found)).filter(|_| outer.is_none()),
                (places.rounds(found).and_then(whole)).filter(|_| {
                    surety.is_total_known && is_as_often(places, counts, source, found)
                }),
            ),
            surety,
            called: source.callers.around(found).filter(|_| outer.is_none()),
            entered: source.callers.entries(found).filter(|_| outer.is_none()),
            beside: (source.callers.beside(found))
                .filter(|times| around.is_none_or(|(around, _)| *times <= around)),
            is_all_inlined: source.callers.around(found).is_some_and(|called| {
                called.are_left
                    && witnesses.has_one_copy_each(found)
                    && has_loop_each(witnesses, own, source, found)
            }),
            written: written(places, counts, source, found).filter(|_| surety.is_total_written),
            is_cut_short: places.chain(found).any(|one| places.facts(one).exits_early),
            decisions: witnesses.decisions(found),
            first: match is_single && !is_marked {
                true => witnesses.body_inside(found).next(),
                false => witnesses.first(found),
            },
            has_body: witnesses.is_begun(found) || places.children(found).next().is_some(),
            is_mixed: is_mixed(places, counts, found),
            is_replaced: witnesses.is_replaced(found),
            outermost: outer.is_none(),
            inlined_calls: witnesses.inlined_calls(found),
            is_copied: own.is_some_and(|own| {
                own.unrolled == 1 && own.machine_loops > witnesses.inlined_calls(found)
            }),
            mirrors: own.is_some_and(|own| own.mirrors && own.peeled == 0 && own.replaced == 0),
            ends: own
                .filter(|own| own.machine_loops > 0 && own.peeled == 0 && own.replaced == 0)
                .map(|own| (own.entries, own.left_by_test)),
            is_by_call: own.is_some_and(|own| own.by_call),
            always_stores: always_stores(places, found),
            is_by_elements: own.is_some_and(|own| own.by_elements),
            is_single: own.is_some_and(|own| own.is_single),
            is_in_single: outer
                .is_some_and(|outer| counts.get(&outer).is_some_and(|own| own.is_single)),
            is_idle: witnesses.is_idle(found),
            is_plain: is_plain(places, found),
            are_conditions_left: (facts.branches.iter())
                .filter(|one| (facts.line..=facts.end_line).contains(&one.line))
                .filter(|one| is_unconditional(one.line))
                .all(|one| witnesses.is_decided(found, one.line)),
            does_something: witnesses.does_something(found)
                || places.children(found).next().is_some(),
            has_vanished: witnesses.has_vanished(found),
            begins_with_body: witnesses.begins_with_body(found),
            is_apart: source.callers.is_apart(found),
            has_code: has_code(places, witnesses, found),
        }
    }

    /// How often it was executed, if nothing but its test was, once for each execution: then no round followed any. A call
    /// may have done them; and a compiler removes rounds that do nothing, or of which only the number is used, but not their
    /// first test where something else depends on it. So its rounds have to store something; or a machine loop has to be
    /// left for them, which was not entered, and no condition may decide what they do.
    fn never_begun(&self, tests: Option<u64>) -> Option<u64> {
        let is_left = self.is_idle && self.is_plain;
        let executions = self.certain_executions().filter(|one| Some(*one) == tests);
        let executions = executions.filter(|executions| *executions > 0)?;
        (!self.is_replaced
            && !self.facts.exits_early
            && !self.facts.shares_condition_line
            && (self.is_marked && self.always_stores || is_left)
            && self.body.is_empty()
            && self.inside.is_empty()
            && self.head.iter().all(|one| *one == executions))
        .then_some(executions)
    }

    /// How often the calls of its function were begun.
    fn calls(&self) -> Option<u64> {
        self.called?.times
    }

    /// How often it was executed, as calls or the loop around it show.
    fn certain_executions(&self) -> Option<u64> {
        match self.around {
            Some((around, Each::Once)) => Some(around),
            _ => self.calls(),
        }
    }

    /// Of a loop of which nothing was executed: it had no rounds, if its machine code is there once, and whatever it would have
    /// done is not known in advance. Whether its test was done, and how often, may have been decided elsewhere.
    fn unreached(&self) -> Option<LoopCounts> {
        let is_nothing = self.head.is_empty() && self.decisions == 0 && !self.has_code;
        let is_there = self.is_idle && self.is_apart && self.inlined_calls == 0;
        (is_nothing && is_there && !self.is_replaced && (self.is_plain || self.always_stores)).then(
            || LoopCounts {
                doubts: Doubts {
                    executions: Some(Doubt::Unconfirmed),
                    rounds: None,
                },
                ..LoopCounts::default()
            },
        )
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
        let evaluated = self.may_be_evaluated(executions, rounds);
        let doubts = Doubts {
            executions: (confirmed.executions < 2)
                .then_some(Doubt::Unconfirmed)
                .or(evaluated)
                .or_else(|| self.may_be_merged(executions, rounds)),
            rounds: (confirmed.rounds < 2)
                .then_some(Doubt::Unconfirmed)
                .or(evaluated)
                .or_else(|| self.may_lack_executions(executions, confirmed, rounds))
                .or_else(|| self.may_lack_rounds(executions, rounds))
                .or_else(|| self.may_be_left_otherwise(executions, rounds))
                .or_else(|| self.may_lack_idle(executions, rounds))
                .or_else(|| self.differs_from_written(executions, rounds))
                .or_else(|| self.may_have_others(executions, rounds))
                .or_else(|| self.may_be_others_lines(executions, rounds))
                .or_else(|| self.may_merge_exits(executions, rounds))
                .or_else(|| self.may_be_tests(executions, rounds))
                .or_else(|| self.may_have_vanished(executions, rounds)),
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
    fn may_be_evaluated(&self, executions: u64, rounds: u64) -> Option<Doubt> {
        // Of copies for certain arguments one has no loop any more.
        let is_shown = self.calls() == Some(executions) || self.beside == Some(executions);
        if self.outermost && self.has_vanished && !is_shown {
            return Some(Doubt::Unconfirmed);
        }
        // A loop outside of others is executed at most once for each call.
        if self.calls().is_some_and(|calls| executions > calls) {
            return Some(Doubt::Unconfirmed);
        }
        if self.entered.is_some_and(|entered| executions > entered)
            || !self.is_marked && self.may_lack_unmarked(executions, rounds)
        {
            return Some(Doubt::Unconfirmed);
        }
        // Of fewer marks some are lost.
        let called = self.calls().filter(|calls| *calls >= executions);
        if called.is_none() && self.is_all_inlined && !self.is_copied {
            return None;
        }
        match called.or(self.fixed.0) {
            Some(calls) if self.inlined_calls > 0 && executions < calls => {
                // Of statements that disagree, some may be what was put in place of a call; and calls that the source is
                // expected to make may rest on guesses.
                let is_certain = called.is_some() && self.called.is_some_and(|called| called.agree);
                Some(match is_certain {
                    true => Doubt::FewerThanCalls { calls },
                    false => Doubt::Unconfirmed,
                })
            }
            // What the source is expected to make confirms nothing where copies may be missing.
            Some(calls) if executions == calls && (called.is_some() || self.inlined_calls == 0) => {
                None
            }
            // Of several calls some may have left no code.
            _ => {
                let may_be_more = self.has_several_calls() || self.is_copied;
                (self.outermost && self.inlined_calls > 0 && may_be_more)
                    .then_some(Doubt::Unconfirmed)
            }
        }
    }

    /// Without marks, executions of a loop that no other is around have to be as many as entries of its function, or as calls in
    /// the source: others may have left no loop, as in copies in place of several calls.
    fn may_lack_unmarked(&self, executions: u64, rounds: u64) -> bool {
        let is_other = self.entered.is_some_and(|entered| entered != executions);
        // Where its first instruction is that of the function, going round looks like an entry.
        let is_entry = self.facts.tests_last && executions == rounds && executions > 1;
        self.outermost
            && (is_other || is_entry || self.inlined_calls > 1)
            && self.fixed.0 != Some(executions)
            && (self.calls() != Some(executions) || is_entry)
    }

    /// Whether its function has more calls than one, in place of which its code was executed, or no code may be left.
    fn has_several_calls(&self) -> bool {
        self.inlined_calls > 1 || self.called.is_some_and(|called| called.lines > 1)
    }

    /// Loops of a nest that begin on one line share its marks, and one loop of the machine code may be several of them:
    /// executions need another witness than that line.
    fn may_be_merged(&self, executions: u64, rounds: u64) -> Option<Doubt> {
        let is_beside = self.beside == Some(executions);
        let is_shown = match self.outermost {
            _ if is_beside => true,
            true => [self.calls(), self.fixed.0].contains(&Some(executions)),
            false => {
                self.around == Some((executions, Each::Once))
                    || self.is_each_times(executions, rounds)
            }
        };
        (self.is_mixed && !is_shown).then_some(Doubt::Unconfirmed)
    }

    /// The same for rounds: bounds, or lines of the body, which are of the innermost loop only.
    fn may_have_others(&self, executions: u64, rounds: u64) -> Option<Doubt> {
        let is_shown = self.is_of_source(executions, rounds)
            || self.written == Some(rounds)
            || self.body.contains(&rounds) && self.inside.is_empty();
        (self.is_mixed && !is_shown).then_some(Doubt::Unconfirmed)
    }

    /// Rounds of loops that were interchanged, or done several at a time, may close and yet be those of another loop.
    fn differs_from_written(&self, executions: u64, rounds: u64) -> Option<Doubt> {
        if self.is_in_all(executions, rounds) {
            return None;
        }
        let each = self.surety.each.filter(|_| self.surety.is_each_written);
        let by_executions = each.and_then(|each| each.checked_mul(executions));
        let (bounds, is_other) = match (self.written, by_executions) {
            // Of rounds that may be left out, bounds are the most.
            (Some(all), None) if self.is_cut_short => (all, rounds > all),
            (Some(all), _) if !self.is_cut_short => (all, rounds != all),
            (_, all) => (all?, Some(rounds) != all),
        };
        is_other.then_some(Doubt::OtherThanBounds { bounds })
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
        if self.outermost || self.around.is_some() || self.is_in_all(executions, rounds) {
            return None;
        }
        let is_shown = match self.around_written {
            Some(each) => each > 0 && executions.is_multiple_of(each),
            None => confirmed.executions >= 2 && (self.is_marked || self.is_single),
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

    /// Where a condition in a loop is the same in all rounds of an execution, a compiler asks it once, and takes out rounds
    /// that do nothing then. Executions that entered no machine loop are those of no round only if their tests were done.
    fn may_lack_idle(&self, executions: u64, rounds: u64) -> Option<Doubt> {
        let entries = self.machine.map_or(0, |(entries, _)| entries);
        let idle = executions.saturating_sub(entries);
        let tests = self.head.last().copied().unwrap_or(0);
        let is_shown = idle == 0
            || entries == 0
            || self.facts.branches.is_empty()
            || self.is_of_source(executions, rounds)
            || self.written == Some(rounds)
            || tests >= rounds.saturating_add(idle);
        (!is_shown).then_some(Doubt::Unconfirmed)
    }

    /// Without marks, lines say how often an instruction of theirs was executed, and not what it was for: where that is not
    /// as often as the machine loops went round, bounds have to show which of the two is right.
    fn may_be_others_lines(&self, executions: u64, rounds: u64) -> Option<Doubt> {
        let is_shown = self.is_marked
            || self.machine.is_none_or(|(_, own)| own == rounds)
            || self.is_of_source(executions, rounds);
        (!is_shown).then_some(Doubt::Unconfirmed)
    }

    /// A loop that could be left early, and was left by its test only, may have another test: one for what its own and that
    /// of the exit ask. Then rounds that the exit ends are not among its rounds. The condition of the exit has to be left.
    fn may_merge_exits(&self, executions: u64, rounds: u64) -> Option<Doubt> {
        let is_left_early = self.ends.is_some_and(|(entries, left)| left < entries);
        let is_shown = !self.facts.exits_early
            || self.facts.tests_last
            || is_left_early
            || self.are_conditions_left
            || self.is_of_source(executions, rounds);
        (!is_shown).then_some(Doubt::Unconfirmed)
    }

    /// Whether all lines of its body were begun so often.
    fn is_body_even(&self, rounds: u64) -> bool {
        self.body.len() == 1 && self.body.contains(&rounds)
    }

    /// Whether its machine loops were left by its test each time.
    fn left_by_test_only(&self) -> bool {
        self.ends.is_some_and(|(entries, left)| entries == left)
    }

    /// Of a loop without a variable whose rounds leave nothing, a round of its machine loop may be no more than a test: unless
    /// there was one for each round and one for each execution, or its machine loops begin with the body, all lines of which
    /// were begun equally often, and end with the test.
    fn may_be_tests(&self, executions: u64, rounds: u64) -> Option<Doubt> {
        let is_shown = self.facts.var.is_of_source()
            || self.facts.tests_last
            || self.does_something
            || self.begins_with_body && self.left_by_test_only() && self.is_body_even(rounds)
            || rounds == 0
            || self.decisions == executions + rounds
            || self.is_of_source(executions, rounds);
        (!is_shown).then_some(Doubt::Unconfirmed)
    }

    /// A copy of its function for certain arguments, where its iterations are known, has no loop: their statements have to be
    /// among those that show the rounds, or all of them follow from bounds.
    fn may_have_vanished(&self, executions: u64, rounds: u64) -> Option<Doubt> {
        let is_shown = !self.has_vanished
            || self.body.contains(&rounds)
            || self.is_in_all(executions, rounds)
            || self.is_each_times(executions, rounds);
        (!is_shown).then_some(Doubt::Unconfirmed)
    }

    /// A loop that can be left early may begin its rounds elsewhere in the machine code: behind the first part of its test, or
    /// behind the place where it is left. Rounds that are cut short are then missing, or counted though they never began.
    /// What the statements of its head were begun shows it.
    fn may_be_left_otherwise(&self, executions: u64, rounds: u64) -> Option<Doubt> {
        let is_shown = !self.facts.exits_early
            || self.is_of_source(executions, rounds)
            || self.is_by_elements
            || self.closes(executions, rounds) && self.first.is_none_or(|first| first >= rounds)
            || self.head.is_empty() && self.first == Some(rounds);
        (!is_shown).then_some(Doubt::Unconfirmed)
    }
}

fn whole(value: f64) -> Option<u64> {
    (value >= 0.0 && value.fract() == 0.0).then_some(value as u64)
}

/// Whether each copy of a loop in place of a call has a machine loop, and no execution was without a round, or the tests before
/// and in these were done as often as executions and rounds ask for: a copy without either may have been executed, too. All
/// copies of a loop that was unrolled completely are there (`OfSource::straight`).
fn has_loop_each(
    witnesses: &Witnesses,
    own: Option<&LoopCounts>,
    source: &OfSource,
    found: LoopRef,
) -> bool {
    let surety = (source.surety)(found);
    let always_goes_round = surety.is_each_written && surety.each.is_some_and(|each| each > 0);
    source.straight.contains_key(&found)
        || own.is_none_or(|own| {
            own.machine_loops >= witnesses.inlined_calls(found)
                && (always_goes_round
                    || witnesses.decisions(found) >= own.rounds + own.executions())
        })
}

/// Whether something of a loop was executed, or of those inside it.
fn has_code(places: &Places, witnesses: &Witnesses, found: LoopRef) -> bool {
    let mut inside = places.children(found);
    witnesses.is_begun(found)
        || witnesses.decisions(found) > 0
        || inside.any(|child| has_code(places, witnesses, child))
}

/// Whether no condition decides what the rounds of a loop do, or those of loops inside.
fn is_plain(places: &Places, found: LoopRef) -> bool {
    let mut inside = places.children(found);
    places.facts(found).branches.is_empty() && inside.all(|child| is_plain(places, child))
}

/// Whether each round of a loop stores into an array, itself or in a loop inside: under no condition.
fn always_stores(places: &Places, found: LoopRef) -> bool {
    let facts = places.facts(found);
    let mut accesses = facts.arrays.iter().flat_map(|array| &array.accesses);
    let stores = accesses.any(|access| access.is_written());
    facts.branches.is_empty()
        && (stores
            || places
                .children(found)
                .any(|child| always_stores(places, child)))
}

/// Whether the outermost loop around one was executed as often as the source has it; of an outermost loop, the pair that is
/// asked about says that.
fn is_as_often(
    places: &Places,
    counts: &BTreeMap<LoopRef, LoopCounts>,
    source: &OfSource,
    found: LoopRef,
) -> bool {
    let outermost = places.chain(found).last().filter(|outer| *outer != found);
    outermost.is_none_or(|outer| {
        let executed = counts.get(&outer);
        executed.is_some_and(|one| one.executions() as f64 == (source.calls)(found))
    })
}

/// Whether loops of a nest that begin on one line are not the same loops in the machine code.
fn is_mixed(places: &Places, counts: &BTreeMap<LoopRef, LoopCounts>, found: LoopRef) -> bool {
    let all = places.nest_on_line(found);
    let is_alone =
        |one: &LoopCounts| one.machine_loops == 1 && one.peeled == 0 && one.replaced == 0;
    all.len() > 1 && !(all.iter()).all(|one| counts.get(one).is_some_and(is_alone))
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
    // Conditions around the outermost loop decide how often that is executed, and not what an execution does.
    let inside = places.rounds(found)? / places.rounds(outermost)?;
    let each = (source.surety)(outermost).each? as f64 * inside;
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
