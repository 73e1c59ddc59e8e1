//! What do counts of lines (`line_counts`) say about the loops of a report?
//!
//! They are checked as those of a trace are (`conservation`): the test at a head is done once for each
//! execution and once for each round, a body no more often than its loop goes round, and the two arms of a
//! condition add up. What does not close is not taken. Counts of a line are sums over the run, so a size that
//! differs from call to call has no one value here (guide: counts, "From any machine, with gcov").

use std::collections::{BTreeMap, BTreeSet};

use super::comparison::Suggestion;
use super::conservation::{Each, each};
use super::counts::LoopCounts;
use super::doubts::{Doubt, Doubts};
use super::line_counts::{CompiledFunction, Decision, Line, LineCounts};
use super::parameters::{self, Observed};
use super::places::{LoopRef, Places};
use crate::report::StaticReport;
use crate::report::static_report::{BranchReport, FunctionReport, LoopReport};
use crate::source::Language;

/// What a native run says of the parameters of a report, those that agree too; `None` if it has none of its files.
pub fn told_by_lines(predicted: &StaticReport, counts: &LineCounts) -> Option<Vec<Suggestion>> {
    let counted = Counted::of(predicted, counts)?;
    let loops = counted.loops();
    let frequency = |found: LoopRef, branch: &BranchReport| counted.frequency(found, branch);
    let observed = Observed {
        loops: &loops,
        frequency: &frequency,
    };
    let mut all = parameters::all(predicted, &counted.places, observed);
    all.extend(counted.outside_of_loops());
    Some(all)
}

/// A file that has changed since it was compiled and counted.
#[derive(Clone, Debug)]
pub struct Outdated<'r> {
    pub file: &'r str,
    /// The first function that stood elsewhere, and where.
    pub function: &'r FunctionReport,
    pub compiled: Elsewhere,
    /// Those of which no counts are taken, it included: also what precedes it, which has another length.
    pub functions: Vec<&'r FunctionReport>,
}

/// The line that a function began or ended on when it was compiled, another one than now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elsewhere {
    Began { then: u32, now: u32 },
    Ended { then: u32, now: u32 },
}

/// The files of the report that have changed since they were counted.
pub fn outdated<'r>(predicted: &'r StaticReport, counts: &LineCounts) -> Vec<Outdated<'r>> {
    let places = Places::of_program(predicted, counts.files());
    outdated_of(&places, predicted, counts).collect()
}

fn outdated_of<'r>(
    places: &Places<'r>,
    report: &'r StaticReport,
    counts: &LineCounts,
) -> impl Iterator<Item = Outdated<'r>> {
    counts.files().filter_map(|file| {
        let own = places.file_of_report(file)?;
        changed(report, own, counts.compiled(file))
    })
}

/// What of a file is not where it was when it was compiled.
fn changed<'r>(
    report: &'r StaticReport,
    file: &'r str,
    compiled: &[CompiledFunction],
) -> Option<Outdated<'r>> {
    let functions = report.functions.iter().filter(|own| own.file == file);
    let mut functions: Vec<&FunctionReport> = functions.collect();
    functions.sort_by_key(|function| function.line);
    let was: Vec<Option<Elsewhere>> = functions
        .iter()
        .map(|own| elsewhere(own, compiled))
        .collect();
    let first = was.iter().position(Option::is_some)?;
    let is_doubtful =
        |at: &usize| was[*at].is_some() || was.get(at + 1).is_some_and(Option::is_some);
    Some(Outdated {
        file,
        function: functions[first],
        compiled: was[first]?,
        functions: (0..functions.len())
            .filter(is_doubtful)
            .map(|at| functions[at])
            .collect(),
    })
}

/// Where a function was when it was compiled, if that is not its own place. Of several with one name any may be meant, as
/// of a program `main` and what gfortran calls it by.
fn elsewhere(own: &FunctionReport, compiled: &[CompiledFunction]) -> Option<Elsewhere> {
    let named = compiled.iter().filter(|then| then.may_be(&own.name));
    let mut found = named.map(|then| moved(own, then));
    let first = found.next()??;
    found.all(|one| one.is_some()).then_some(first)
}

fn moved(own: &FunctionReport, compiled: &CompiledFunction) -> Option<Elsewhere> {
    let first = compiled.first;
    if !first.fits(own.line) {
        let (then, now) = (first.line(), own.line);
        return Some(Elsewhere::Began { then, now });
    }
    let (then, now) = (compiled.last?, own.end_line?);
    (then != now).then_some(Elsewhere::Ended { then, now })
}

/// The counts of a report's files.
pub struct Counted<'a> {
    report: &'a StaticReport,
    places: Places<'a>,
    pub(super) counts: &'a LineCounts,
    /// By file of the report: its name in the counts.
    names: BTreeMap<&'a str, &'a str>,
    /// Functions that are not where they were when they were counted, by file and line.
    moved: BTreeSet<(&'a str, u32)>,
}

impl<'a> Counted<'a> {
    /// `None` if the report has none of these files.
    pub fn of(report: &'a StaticReport, counts: &'a LineCounts) -> Option<Counted<'a>> {
        let places = Places::of_program(report, counts.files());
        let named = counts
            .files()
            .filter_map(|file| Some((places.file_of_report(file)?, file)));
        let names: BTreeMap<&str, &str> = named.collect();
        let moved = outdated_of(&places, report, counts).flat_map(|file| file.functions);
        let moved = moved
            .map(|function| (function.file.as_str(), function.line))
            .collect();
        let found = !names.is_empty();
        found.then_some(Counted {
            report,
            places,
            counts,
            names,
            moved,
        })
    }

    /// The file of a function, as the counts name it.
    fn file_of(&self, function: &FunctionReport) -> Option<&'a str> {
        let is_moved = self
            .moved
            .contains(&(function.file.as_str(), function.line));
        let file = self.names.get(function.file.as_str()).copied();
        file.filter(|_| !is_moved)
    }

    /// The file of a loop, as the counts name it.
    fn file(&self, found: LoopRef) -> Option<&'a str> {
        let of_function = || self.file_of(&self.report.functions[found.function]);
        match &self.places.facts(found).file {
            Some(file) => self.names.get(file.as_str()).copied(),
            None => of_function(),
        }
    }

    pub fn places(&self) -> &Places<'a> {
        &self.places
    }

    /// How often a function was called.
    pub fn calls(&self, function: &FunctionReport) -> Option<u64> {
        self.counts.calls(self.file_of(function)?, function.line)
    }

    /// Loops that were executed.
    fn loops(&self) -> BTreeMap<LoopRef, LoopCounts> {
        let mut loops = self.all_loops();
        loops.retain(|_, counts| counts.executions() > 0);
        loops
    }

    /// Every loop that can be counted, executed or not.
    pub fn all_loops(&self) -> BTreeMap<LoopRef, LoopCounts> {
        let functions = self.report.functions.iter().enumerate();
        let all = functions.flat_map(|(function, one)| {
            (0..one.loops.len()).map(move |number| LoopRef { function, number })
        });
        // Outer loops come before those inside.
        let mut loops = BTreeMap::new();
        for found in all {
            if let Some(counts) = self.counts_of(found, &loops) {
                loops.insert(found, counts);
            }
        }
        loops
    }

    fn counts_of(
        &self,
        found: LoopRef,
        known: &BTreeMap<LoopRef, LoopCounts>,
    ) -> Option<LoopCounts> {
        let facts = self.places.facts(found);
        let file = self
            .file(found)
            .filter(|_| !self.places.shares_line(found))?;
        let outer = self.places.chain(found).nth(1);
        let around = outer.and_then(|outer| known.get(&outer));
        let each = outer.map(|outer| each(self.places.facts(outer), facts));
        let (mut executions, rounds) =
            self.executions_and_rounds(file, facts, found).or_else(|| {
                let once = around.filter(|_| matches!(each, Some(Each::Once)));
                self.by_body(file, facts, found, once.map(|around| around.rounds))
            })?;
        if let (Some(around), Some(Each::Once)) = (around, each)
            && facts.exits_early
        {
            executions = around.rounds;
        }
        let is_out = |around: &LoopCounts| match each {
            Some(Each::Once) => executions != around.rounds,
            _ => executions > around.rounds,
        };
        let closes = around.is_none_or(|around| !is_out(around))
            && self.holds(file, facts, found, executions, rounds);
        let doubt = (!closes).then_some(Doubt::Unconfirmed);
        let function = &self.report.functions[found.function];
        let calls = self.counts.calls(file, function.line);
        Some(LoopCounts {
            entries: executions.min(rounds),
            tests: executions,
            rounds,
            machine_loops: 1,
            unrolled: 1,
            by_machine: rounds,
            // A size may differ from call to call.
            are_sums: calls != Some(1) && executions > 1,
            doubts: Doubts {
                executions: doubt,
                rounds: doubt,
            },
            ..LoopCounts::default()
        })
    }

    /// By the test of the loop, on its first line or, after a body, on its last.
    fn executions_and_rounds(
        &self,
        file: &str,
        facts: &LoopReport,
        found: LoopRef,
    ) -> Option<(u64, u64)> {
        let head = self.counts.line(file, facts.line);
        if let Some(Line {
            executions,
            decisions,
        }) = head.filter(|line| !line.decisions.is_empty())
        {
            // One that leaves the loop may stand on the line beside a head that decides nothing.
            let is_alone = facts.branches.iter().all(|one| one.line != facts.line);
            let rounds = match decisions[..] {
                [one] if is_alone && facts.tests_last && facts.end_line == facts.line => {
                    let [_, left] = one.ways();
                    return Some((left, one.all()));
                }
                [one] if is_alone => self
                    .way_of_body(file, facts, found, one)
                    .unwrap_or_else(|| self.goes_on(found, facts, one)),
                // With several conditions none of them shows it; the body does.
                _ => self.body(file, facts, found).max()?,
            };
            let others = executions.checked_sub(rounds)?;
            return Some((others, rounds));
        }
        let last = self.counts.line(file, facts.end_line)?;
        match last.decisions[..] {
            [decision] if facts.end_line > facts.line && !facts.exits_early => {
                let [_, left] = decision.ways();
                Some((left, decision.all()))
            }
            _ => None,
        }
    }

    /// How often the test of a loop went the way that its body was executed as often as; `None` if that is neither, or both.
    fn way_of_body(
        &self,
        file: &str,
        facts: &LoopReport,
        found: LoopRef,
        decision: Decision,
    ) -> Option<u64> {
        let body: BTreeSet<u64> = self.body(file, facts, found).collect();
        let mut ways = decision.ways().into_iter().filter(|way| body.contains(way));
        let way = ways.next()?;
        ways.next().is_none().then_some(way)
    }

    /// How often the test of a loop led to a round: Fortran's counted loops fall into the body, all others jump back to it.
    fn goes_on(&self, found: LoopRef, facts: &LoopReport, decision: Decision) -> u64 {
        let path = self.places.file_of_loop(found);
        let mut files = self.report.files.iter();
        let language = files
            .find(|file| file.path == path)
            .map(|file| file.language);
        match decision {
            Decision::Jump { falls, .. }
                if language == Some(Language::Fortran) && !facts.var.is_none() =>
            {
                falls
            }
            Decision::Jump { jumps, .. } => jumps,
            Decision::Condition { yes, .. } => yes,
            Decision::Ways { first, .. } => first,
        }
    }

    /// Executions of the lines of the body that are in no arm of a condition, and in no loop inside.
    fn body(&self, file: &'a str, facts: &LoopReport, found: LoopRef) -> impl Iterator<Item = u64> {
        let inside: Vec<(u32, u32)> = self
            .places
            .children(found)
            .map(|child| self.places.facts(child))
            .map(|child| (child.line, child.end_line))
            .collect();
        let is_inside = move |line: u32| {
            inside
                .iter()
                .any(|(first, last)| (*first..=*last).contains(&line))
        };
        let guards: Vec<BranchReport> = facts.branches.clone();
        let lines = self.counts.lines(file, facts.line + 1, facts.end_line);
        lines
            .filter(move |(line, _)| {
                !is_inside(*line) && !guards.iter().any(|branch| branch.guards(*line))
            })
            .map(|(_, line)| line.executions)
    }

    /// Whether the body was executed as often as the loop went round: gfortran counts the step on its last line, too.
    fn holds(
        &self,
        file: &str,
        facts: &LoopReport,
        found: LoopRef,
        executions: u64,
        rounds: u64,
    ) -> bool {
        let body: Vec<u64> = self.body(file, facts, found).collect();
        let most = rounds.saturating_add(executions);
        body.iter().all(|line| *line <= most)
            && (body.is_empty() || body.iter().any(|line| (rounds..=most).contains(line)))
    }

    /// How often the first arm of a condition in a loop was taken, for once that it was reached.
    fn frequency(&self, found: LoopRef, branch: &BranchReport) -> Option<f64> {
        let loops = &self.report.functions[found.function].loops;
        let heads: Vec<u32> = loops.iter().map(|one| one.line).collect();
        let beside = &self.places.facts(found).branches;
        self.taken(self.file(found)?, branch, beside, &heads)
    }

    /// Probabilities of conditions that no loop of their function is around.
    fn outside_of_loops(&self) -> Vec<Suggestion> {
        let of_function = |function: &'a FunctionReport| {
            let file = self.file_of(function);
            let heads: Vec<u32> = function.loops.iter().map(|one| one.line).collect();
            let branches = function.branches.iter().filter_map(move |branch| {
                let taken = self.taken(file?, branch, &function.branches, &heads)?;
                parameters::probability(self.report, branch, taken, &function.name)
            });
            branches.collect::<Vec<Suggestion>>()
        };
        self.report.functions.iter().flat_map(of_function).collect()
    }

    /// How often the first arm of a condition was taken, for once that it was reached. `heads` are lines on which loops in
    /// its arms begin, whose counts are those of their tests.
    fn taken(
        &self,
        file: &str,
        branch: &BranchReport,
        beside: &[BranchReport],
        heads: &[u32],
    ) -> Option<f64> {
        let line = self.counts.line(file, branch.line)?;
        if beside.iter().filter(|one| one.line == branch.line).count() > 1 {
            return None;
        }
        let first = |arm: Option<(u32, u32)>| {
            let (first, last) = arm.filter(|(first, _)| *first > branch.line)?;
            let found = self.counts.lines(file, first, last).next()?;
            (!heads.contains(&first)).then_some(found.1.executions)
        };
        let (then, otherwise) = (first(branch.then), first(branch.otherwise));
        // The first of several conditions is tested each time; whether all of them held, only an arm shows.
        let reached = line.decisions.first()?.all();
        let taken = match line.decisions[..] {
            [only] => only.held(),
            // Some of the decisions are those of a loop.
            _ if heads.contains(&branch.line) || reached > line.executions => return None,
            _ => then.or_else(|| reached.checked_sub(otherwise?))?,
        };
        let others = reached.checked_sub(taken).filter(|_| reached > 0)?;
        let closes =
            then.is_none_or(|own| own == taken) && otherwise.is_none_or(|own| own == others);
        closes.then_some(taken as f64 / reached as f64)
    }
}
