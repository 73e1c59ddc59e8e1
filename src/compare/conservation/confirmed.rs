//! What confirms how often a loop was executed and went round?
//!
//! Every pair of candidates has to fit all statements of the loop. Of those that do, each witness that shows one of the
//! two numbers counts once, and each number needs two:
//!
//! - rounds: the machine loops; a line of the body; the test, done once for each round and each execution; the step;
//!   bounds; the places where a loop with other ways out was left ([`Flow::is_closed`]); vectors, or a call of `memset`,
//!   that moved as many bytes as so many rounds do;
//! - executions: the loop around; the calls of the function; entries of the machine loops; the test; the
//!   beginning of a counted loop; rounds that are known to be as many in each of them.
//!
//! Bounds that the program itself has in so many words show the rounds of certain executions whatever the compiler made
//! of the loop: unrolled completely, it has none in the machine code.

use std::collections::BTreeSet;

use super::{Each, Flow};

/// What confirms a pair of executions and rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Confirmed {
    pub executions: u32,
    pub rounds: u32,
}

impl Flow<'_> {
    /// The pair that most confirm; of equals that of the machine loops. `None` if two others are as good.
    pub(super) fn best(&self) -> Option<(u64, u64, Confirmed)> {
        let mut executions = BTreeSet::new();
        executions.extend(self.machine.map(|one| one.0));
        executions.extend(self.around.map(|one| one.0));
        let best = self.best_of(&executions);
        let is_certain = |one: &(u64, u64, Confirmed)| one.2.executions >= 2 && one.2.rounds >= 2;
        if best.as_ref().is_some_and(is_certain) {
            return best;
        }
        let is_shown = |one: &(u64, u64, Confirmed)| {
            let is_machine = self.machine.is_some_and(|(_, rounds)| rounds == one.1);
            is_certain(one) && (is_machine || self.is_each_times(one.0, one.1))
        };
        let shown = self.best_of(&self.shown_executions());
        let by_bounds = |one: &(u64, u64, Confirmed)| self.is_in_all(one.0, one.1);
        shown
            .filter(|one| is_shown(one) || best.is_none() && by_bounds(one))
            .or(best)
    }

    /// Executions that something else than loops of the machine code shows: calls, and statements of the head.
    fn shown_executions(&self) -> BTreeSet<u64> {
        let calls = self.calls();
        let tests = self.head.last().zip(self.machine);
        let by_tests = tests.and_then(|(tests, (_, rounds))| tests.checked_sub(rounds));
        let is_counted = self.facts.var.is_of_source();
        let begins = self.head.first().copied().filter(|_| is_counted);
        let entries = self.machine.map_or(1, |(entries, _)| entries.max(1));
        let all = calls.into_iter().chain(by_tests).chain(begins);
        let all = all.chain(self.beside);
        all.filter(|executions| *executions >= entries).collect()
    }

    /// The same among these numbers of executions.
    fn best_of(&self, executions: &BTreeSet<u64>) -> Option<(u64, u64, Confirmed)> {
        let (mut executions, mut rounds) = (executions.clone(), BTreeSet::new());
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
        if self.beside.is_some_and(|times| times > executions) {
            return None;
        }
        let by_beside = is_machine.1 && self.beside == Some(executions);
        let by_source = self.is_of_source(executions, rounds);
        let is_proven = self.is_each_times(executions, rounds);
        // Rounds of each execution say nothing of how many executions there were.
        let is_fixed = by_source && is_machine.1 && self.is_known(executions, rounds);
        let is_counted = self.facts.var.is_of_source();
        if self.is_contradicted(executions, rounds, tests) && !is_fixed {
            return None;
        }
        // A loop that can be left early does its test less often. As often as it goes round is what a test shows whose
        // line has some of the body, too.
        let has_test = match self.facts.exits_early {
            false => self.head.contains(&tests),
            true => self.head.range(rounds + 1..=tests).next().is_some(),
        };
        let by_call = is_machine.1 && self.is_by_call && !self.facts.exits_early;
        let is_last = is_machine.1 && self.is_tested_last(executions, rounds);
        let has_more = self.head.last().is_some_and(|most| *most > rounds);
        let by_body = self.body.contains(&rounds) || self.inside.contains(&rounds);
        // Without marks only tests show, some of which have a known outcome and are left out.
        let may_have_step = self.is_marked || by_body || self.body.is_empty();
        let has_step = is_counted
            && may_have_step
            && self.head.contains(&rounds)
            && (has_more || !self.facts.exits_early);
        // Of a body that may be left, each line is executed as often as it is reached.
        let is_told_by_lines = by_body && !self.facts.exits_early;
        if !(is_machine.1 || is_told_by_lines || by_source)
            || self.is_incomplete && !by_source && !by_call
        {
            return None;
        }
        let each = self.around.filter(|(_, each)| *each == Each::Once);
        let by_around = each.is_some_and(|(around, _)| around == executions);
        let by_calls = self.calls() == Some(executions);
        // The outcome of a first test may be known, and leave no test. Where all is on the line of the head, a round of
        // the machine code may be a test without a round of the source.
        let has_later_tests = is_machine.1
            && is_told_by_lines
            && self.is_marked
            && self.has_body
            && (by_calls || by_around || by_beside || self.fixed.0 == Some(executions))
            && self.head.range(rounds..tests).next().is_some();
        let is_closed = by_body && is_machine.1 && self.is_closed(executions, rounds);
        // Its one machine loop does a round of the source in each of its own, whatever became of the first test.
        let is_whole = is_machine.1
            && self.is_single
            && is_told_by_lines
            && self.decisions >= rounds
            && self.decisions <= tests;
        let is_head_right = self.head.is_empty()
            || is_whole
            || is_closed
            || is_last
            || by_call
            || has_test
            || has_step
            || has_later_tests;
        if !(is_head_right || is_fixed || is_proven) {
            return None;
        }
        let votes = |all: &[bool]| all.iter().filter(|one| **one).count() as u32;
        if each.is_some() && !by_around && !is_fixed {
            return None;
        }
        // As many of both: then it may be the step. Of none, it is the test.
        let begins = self.head.contains(&executions) && executions != rounds && rounds > 0;
        // Machine loops whose rounds are others are not those of the source, and have other entries.
        let by_entries = is_machine.0 && (is_machine.1 || by_around);
        let by_elements = is_machine.1 && self.is_by_elements;
        let executions = 2 * u32::from(by_around)
            + votes(&[
                by_entries,
                self.around.is_some_and(|(around, _)| around == executions),
                is_proven && (by_body || is_machine.1 || has_step),
                is_last && self.mirrors && by_entries,
                has_test && !self.facts.exits_early,
                // Both the marks and the branches of the test: one for each execution more than there are rounds.
                has_test && is_machine.1 && self.has_branches(tests),
                begins,
                by_beside,
                by_beside,
                by_calls || self.calls().is_none() && self.fixed.0 == Some(executions),
            ]);
        let rounds = votes(&[
            is_machine.1,
            by_body,
            has_test,
            has_step,
            is_closed,
            by_source,
            is_proven && executions >= 2,
            by_elements,
            by_call,
        ]);
        (is_machine.1 || rounds >= 2).then_some(Confirmed { executions, rounds })
    }

    /// Whether that many executions are certain, or nothing of the body was begun more often than they and the rounds ask for.
    fn is_known(&self, executions: u64, rounds: u64) -> bool {
        let most = executions.saturating_add(rounds);
        self.is_in_all(executions, rounds)
            || self.certain_executions() == Some(executions)
            || self.beside == Some(executions)
            || !self.has_vanished && self.body.iter().all(|one| *one <= most)
    }

    /// Whether something was done more often than so many executions and rounds have it.
    fn is_contradicted(&self, executions: u64, rounds: u64, tests: u64) -> bool {
        // What is done in advance of the test is done as often as that. A round that is left at once looks the same.
        // A loop without a test has nothing that is done in advance of it.
        let may_be_in_advance =
            !self.facts.exits_early && !self.facts.tests_last && !self.facts.var.is_none();
        let is_in_advance = |count: u64| count == tests && may_be_in_advance;
        let is_more = |count: &u64| *count > rounds && !is_in_advance(*count);
        // Parts of one test may have marks of their own, where all is in one machine loop.
        let is_single = self.is_single && self.is_marked && self.decisions <= tests;
        !is_single && self.head.iter().any(|head| *head > tests)
            || !is_single && self.facts.var.is_of_source() && self.twice > rounds.max(executions)
            || !(is_single && self.body.contains(&rounds)) && self.body.iter().any(is_more)
            || self.inside.iter().any(|one| *one > rounds)
            || self.around.is_some_and(|(around, _)| executions > around)
            || self.has_other_statements(executions, rounds, tests)
    }

    /// Whether a loop that counts nothing, and is all on one line, has a statement there that is neither the test nor done
    /// once in each round.
    fn has_other_statements(&self, executions: u64, rounds: u64, tests: u64) -> bool {
        let is_other = |count: &u64| *count > rounds && *count < tests && *count != executions;
        !self.facts.var.is_of_source()
            && !self.has_body
            && self.is_marked
            && self.head.iter().any(is_other)
    }

    /// Whether branches of the test were executed so often, where its marks are another witness.
    fn has_branches(&self, tests: u64) -> bool {
        self.is_marked && !self.facts.exits_early && self.decisions == tests
    }

    /// Whether statements fit a test at the end, which is done once for each round.
    fn is_tested_last(&self, executions: u64, rounds: u64) -> bool {
        self.facts.tests_last
            && self.is_marked
            && self.body.contains(&rounds)
            && (self.facts.exits_early || self.head.iter().all(|one| *one <= rounds))
            && executions <= rounds
    }

    /// Whether the source's bounds give these rounds.
    pub(super) fn is_of_source(&self, executions: u64, rounds: u64) -> bool {
        let all = self
            .surety
            .each
            .and_then(|each| each.checked_mul(executions));
        self.is_in_all(executions, rounds) || all == Some(rounds)
    }

    /// Whether these are the rounds that the source has in all, in as many executions.
    pub(super) fn is_in_all(&self, executions: u64, rounds: u64) -> bool {
        let is_as_often = !self.outermost || self.fixed.0 == Some(executions);
        self.fixed.1 == Some(rounds) && is_as_often
    }

    /// The same as [`Flow::closes`], where the compiler marks where statements begin, or all is in one machine loop, whose
    /// rounds begin where those of the source do.
    fn is_closed(&self, executions: u64, rounds: u64) -> bool {
        let begins_there = self.is_single && self.first == Some(rounds);
        (self.is_marked || begins_there) && self.closes(executions, rounds)
    }

    /// Of a loop that can be left early, whether statements of its head were begun as often as these rounds ask for: the
    /// test once for each round and once for each execution that it ends, the step once for each round that the loop is
    /// not left in. A test at the end is not done in rounds that are left before it.
    pub(super) fn closes(&self, executions: u64, rounds: u64) -> bool {
        let Some((entries, left)) = self.ends.filter(|_| self.facts.exits_early) else {
            return false;
        };
        if self.facts.tests_last {
            let early = entries.saturating_sub(left);
            return rounds
                .checked_sub(early)
                .is_some_and(|tests| self.head.contains(&tests));
        }
        // Executions that enter no machine loop were ended by the first test.
        let Some(ended) = executions.checked_sub(entries).map(|idle| idle + left) else {
            return false;
        };
        let tests = rounds + ended;
        let steps = (tests.checked_sub(executions)).filter(|_| self.facts.var.is_of_source());
        // Nothing of a head is done more often than its test: then what was counted is the step, and rounds are missing.
        if (self.head.iter()).any(|one| *one > tests && *one != executions) {
            return false;
        }
        self.head.contains(&tests) || steps.is_some_and(|steps| self.head.contains(&steps))
    }

    /// Whether each execution has as many as the program itself says, whatever the compiler made of it.
    pub(super) fn is_each_times(&self, executions: u64, rounds: u64) -> bool {
        let each = self.surety.each.filter(|_| self.surety.is_each_written);
        each.and_then(|each| each.checked_mul(executions)) == Some(rounds)
    }
}
