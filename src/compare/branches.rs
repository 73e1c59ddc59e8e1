//! How often was each arm of a condition taken?
//!
//! By how often what stands on its lines was executed, out of so many times that the condition was reached: the
//! rounds of the loop, or as often as the arm around it was taken. Instructions that compilers do not move,
//! stores and calls, are asked first, since others may be done in advance for both arms. A frequency is only
//! given if the branch itself was executed as often as the condition was reached, or the arms add up
//! ([`Lines::frequency`]).

use std::collections::{BTreeMap, BTreeSet};

use super::counts::LoopCounts;
use super::doubts::Doubts;
use super::places::{LoopRef, Place, Places};
use crate::metrics::profile::{Site, SourceProfile};
use crate::report::static_report::{BranchReport, LoopReport};

/// Executions of the instructions of a line in loops of the machine code, all copies of it taken together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Line {
    /// Fewest and most of any instruction.
    all: (u64, u64),
    /// Of those that compilers do not move out of the arm of a condition, if there are any.
    effects: Option<(u64, u64)>,
    /// Most of a conditional branch.
    decisions: u64,
}

/// Executions by line of the code that lies directly in each loop.
#[derive(Debug, Default)]
pub struct Lines {
    lines: BTreeMap<(LoopRef, u32), Line>,
    /// How often statements of a line were begun, all copies of each taken together, where the compiler marks them.
    begun: BTreeMap<(LoopRef, u32), BTreeSet<u64>>,
    /// Loops with vector instructions, which do both arms of several rounds.
    vectorised: BTreeSet<LoopRef>,
}

impl Lines {
    pub fn of(places: &Places, profile: &SourceProfile) -> Lines {
        let mut copies: BTreeMap<(LoopRef, u32, u32), Line> = BTreeMap::new();
        let mut vectorised = BTreeSet::new();
        for site in profile.sites.iter().filter(|site| site.executions > 0) {
            let (Some(line), Some(machine_loop)) = (site.line, site.machine_loop) else {
                continue;
            };
            if let Place::Loop(found) = places.own(site)
                && !places.is_around(machine_loop, found)
            {
                if !site.vectors.is_none() {
                    vectorised.insert(found);
                }
                let own = line_of(site);
                let copy = copies.entry((found, line, machine_loop)).or_insert(own);
                *copy = Line {
                    all: both(copy.all, own.all),
                    effects: either(copy.effects, own.effects, both),
                    decisions: copy.decisions.max(own.decisions),
                };
            }
        }
        let mut lines = Lines {
            begun: begun(places, profile),
            vectorised,
            ..Lines::default()
        };
        for ((found, line, _), copy) in copies {
            let all = lines.lines.entry((found, line)).or_default();
            *all = Line {
                all: sum(all.all, copy.all),
                effects: either(all.effects, copy.effects, sum),
                decisions: all.decisions + copy.decisions,
            };
        }
        lines
    }

    /// How often the first arm of a condition was taken, for once that the condition was reached; `None` if the lines
    /// do not show it.
    pub fn frequency(
        &self,
        places: &Places,
        loops: &BTreeMap<LoopRef, LoopCounts>,
        found: LoopRef,
        branch: &BranchReport,
    ) -> Option<f64> {
        if self.vectorised.contains(&found) {
            return None;
        }
        let arms = Arms {
            lines: self,
            places,
            loops,
            found,
            facts: places.facts(found),
        };
        let reached = arms.reached(branch).filter(|reached| *reached > 0)?;
        let taken = arms.taken(branch, reached)?;
        let line = self
            .lines
            .get(&(found, branch.line))
            .copied()
            .unwrap_or_default();
        let closes = match line.decisions {
            // Without a branch of its own, what an arm does may be done every time, and used or not; and of what it stores,
            // a part may be left out that is stored again.
            0 => taken < reached && (branch.otherwise.is_some() || !arms.has_marks()),
            // Instructions between that are done less often are a choice of what both arms have computed.
            decided if taken == reached => decided == reached && !arms.chooses(branch, reached),
            decided => {
                decided == reached && (!arms.facts.exits_early || branch.otherwise.is_some())
            }
        };
        let otherwise = Way {
            reached,
            taken: reached.checked_sub(taken)?,
        };
        let is_begun = arms.is_begun(branch, branch.then, Way { reached, taken })
            && arms.is_begun(branch, branch.otherwise, otherwise);
        (closes && is_begun).then_some(())?;
        Some(taken as f64 / reached as f64)
    }
}

fn begun(places: &Places, profile: &SourceProfile) -> BTreeMap<(LoopRef, u32), BTreeSet<u64>> {
    let mut statements: BTreeMap<(LoopRef, u32, u32), u64> = BTreeMap::new();
    for one in &profile.statements {
        let file = profile.files.get(one.file as usize);
        if let Some(Place::Loop(found)) = file.map(|file| places.find(file, one.line, &[])) {
            *statements.entry((found, one.line, one.column)).or_default() += one.executions;
        }
    }
    let mut lines: BTreeMap<(LoopRef, u32), BTreeSet<u64>> = BTreeMap::new();
    for ((found, line, _), executions) in statements {
        lines.entry((found, line)).or_default().insert(executions);
    }
    lines
}

fn line_of(site: &Site) -> Line {
    let all = (site.least.unwrap_or(site.executions), site.executions);
    Line {
        all,
        effects: site.effects,
        decisions: site.decisions,
    }
}

fn both(one: (u64, u64), other: (u64, u64)) -> (u64, u64) {
    (one.0.min(other.0), one.1.max(other.1))
}

fn sum(one: (u64, u64), other: (u64, u64)) -> (u64, u64) {
    (one.0 + other.0, one.1 + other.1)
}

fn either<T>(one: Option<T>, other: Option<T>, both: fn(T, T) -> T) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(both(one, other)),
        (one, other) => one.or(other),
    }
}

/// How often a condition was reached, and one of its arms taken.
#[derive(Clone, Copy, Debug)]
struct Way {
    reached: u64,
    taken: u64,
}

/// The arms of the conditions of one loop.
struct Arms<'a> {
    lines: &'a Lines,
    places: &'a Places<'a>,
    loops: &'a BTreeMap<LoopRef, LoopCounts>,
    found: LoopRef,
    facts: &'a LoopReport,
}

/// What shows how often an arm was taken.
#[derive(Debug, Default)]
struct Arm {
    lines: Vec<Line>,
    /// Executions of the loops and conditions in it.
    inside: Vec<u64>,
    /// A loop in it has executions that are not certain.
    is_doubtful: bool,
}

impl Arms<'_> {
    /// How often a condition was reached: in every round, or as often as the arm around it was taken; less often where
    /// the loop may be left before.
    fn reached(&self, branch: &BranchReport) -> Option<u64> {
        let most = match self.around(branch.line) {
            None => self.rounds()?,
            Some(around) => {
                let reached = self.reached(around)?;
                let taken = self.taken(around, reached)?;
                if around
                    .then
                    .is_some_and(|(first, last)| (first..=last).contains(&branch.line))
                {
                    taken
                } else {
                    reached.checked_sub(taken)?
                }
            }
        };
        let decided = self
            .lines
            .lines
            .get(&(self.found, branch.line))
            .map(|line| line.decisions);
        let exits = self
            .loops
            .get(&self.found)
            .map_or(0, LoopCounts::executions);
        let is_left = |decided: &u64| {
            self.facts.exits_early && (most.saturating_sub(exits)..most).contains(decided)
        };
        Some(decided.filter(is_left).unwrap_or(most))
    }

    /// The innermost condition in whose arms a line lies.
    fn around(&self, line: u32) -> Option<&BranchReport> {
        let is_around = |other: &&BranchReport| other.line < line && other.guards(line);
        self.facts
            .branches
            .iter()
            .filter(is_around)
            .max_by_key(|other| other.line)
    }

    /// Rounds in loops of the machine code that do one at a time.
    fn rounds(&self) -> Option<u64> {
        let counts = self
            .loops
            .get(&self.found)
            .filter(|counts| counts.machine_loops > 0 && counts.unrolled == 1)
            .filter(|counts| counts.doubts == Doubts::default())
            .filter(|counts| counts.rounds == counts.by_machine)?;
        counts.rounds.checked_sub(counts.peeled + counts.replaced)
    }

    /// Whether some of the condition, or of its first arm, was done less often than it was reached.
    fn chooses(&self, branch: &BranchReport, reached: u64) -> bool {
        let (first, last) = branch.then.unwrap_or((branch.line, branch.line));
        let lines = [branch.line..=branch.line, first..=last.max(first)];
        let all = lines
            .into_iter()
            .flat_map(|lines| lines.map(|line| (self.found, line)));
        all.filter_map(|line| self.lines.lines.get(&line))
            .any(|line| line.all.0 < reached)
    }

    /// Whether statements of an arm were begun so often, if the compiler marks any: several copies of an arm in one loop of
    /// the machine code each have a part of what it was taken. Marks may stand before the branch, and then show nothing.
    fn is_begun(&self, branch: &BranchReport, arm: Option<(u32, u32)>, way: Way) -> bool {
        let Some((first, last)) = arm.filter(|(first, last)| first <= last) else {
            return true;
        };
        let all = (self.lines.begun).range((self.found, first)..=(self.found, last));
        let is_direct = |line: u32| (self.around(line)).is_none_or(|one| one.line == branch.line);
        let mut telling = all
            .filter(|((_, line), begun)| is_direct(*line) && !begun.contains(&way.reached))
            .map(|(_, begun)| begun)
            .peekable();
        telling.peek().is_none() || telling.any(|begun| begun.contains(&way.taken))
    }

    /// Whether the compiler marks where statements of the loop begin.
    fn has_marks(&self) -> bool {
        let mut own = (self.lines.begun).range((self.found, 0)..=(self.found, u32::MAX));
        own.next().is_some()
    }

    /// How often the first arm was taken, of so many times that the condition was reached.
    fn taken(&self, branch: &BranchReport, reached: u64) -> Option<u64> {
        let then = self.arm(branch, branch.then, branch.otherwise);
        let otherwise = self.arm(branch, branch.otherwise, branch.then);
        if then.is_doubtful || otherwise.is_doubtful {
            return None;
        }
        let taken = match otherwise.is_empty() {
            true => then.taken(reached),
            // What both arms end with may stand in one of them alone: then not all of that is done every time.
            false if then.is_empty() => {
                let all = otherwise.candidates(true);
                let is_every_time = !all.is_empty() && all.iter().all(|count| *count == reached);
                is_every_time.then_some(0)
            }
            false => then.beside(&otherwise, reached),
        };
        taken.filter(|taken| *taken <= reached)
    }

    /// A line that an arm shares with the condition or with the other arm is executed for these too.
    fn arm(
        &self,
        branch: &BranchReport,
        lines: Option<(u32, u32)>,
        other: Option<(u32, u32)>,
    ) -> Arm {
        let Some((first, last)) = lines.filter(|(first, last)| first <= last) else {
            return Arm::default();
        };
        let is_shared =
            |line: u32| line == branch.line || other.is_some_and(|(a, b)| (a..=b).contains(&line));
        // What lies in the arms of a condition inside shows how that one went.
        let is_direct = |line: u32| {
            !is_shared(line)
                && self
                    .around(line)
                    .is_none_or(|around| around.line == branch.line)
        };
        let is_condition = |line: u32| self.facts.branches.iter().any(|other| other.line == line);
        let own = self
            .lines
            .lines
            .range((self.found, first)..=(self.found, last));
        let own: Vec<(u32, Line)> = own
            .map(|((_, line), found)| (*line, *found))
            .filter(|(line, _)| is_direct(*line))
            .collect();
        let inner = self.places.children(self.found).filter(|child| {
            let line = self.places.facts(*child).line;
            (first..=last).contains(&line) && is_direct(line)
        });
        let inner: Vec<&LoopCounts> = inner.filter_map(|child| self.loops.get(&child)).collect();
        let is_doubtful = |counts: &&LoopCounts| counts.doubts.executions.is_some();
        let executions = inner.iter().map(|counts| counts.executions());
        let conditions = own
            .iter()
            .filter(|(line, _)| is_condition(*line))
            .map(|(_, found)| found.decisions);
        Arm {
            is_doubtful: inner.iter().any(is_doubtful),
            inside: executions
                .chain(conditions)
                .filter(|count| *count > 0)
                .collect(),
            lines: own.into_iter().map(|(_, found)| found).collect(),
        }
    }
}

impl Arm {
    fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.inside.is_empty()
    }

    /// Everything that may be how often it was taken: what stays in the arm, or anything.
    fn candidates(&self, is_sure: bool) -> BTreeSet<u64> {
        let of_line = |line: &Line| {
            if is_sure {
                line.effects
            } else {
                Some(line.all)
            }
        };
        let counts = self
            .lines
            .iter()
            .filter_map(of_line)
            .flat_map(|(fewest, most)| [fewest, most]);
        counts.chain(self.inside.iter().copied()).collect()
    }

    /// Of an arm without another one: what stays in it shows that; of the rest what was not done every time, as it
    /// may be done in advance.
    fn taken(&self, reached: u64) -> Option<u64> {
        let sure = self.candidates(true).last().copied();
        sure.or_else(|| {
            self.candidates(false)
                .into_iter()
                .rfind(|count| *count < reached)
        })
    }

    /// Beside another one: both together are taken as often as the condition is reached.
    fn beside(&self, other: &Arm, reached: u64) -> Option<u64> {
        let of = |is_sure: [bool; 2]| {
            let others = other.candidates(is_sure[1]);
            let fits = |taken: &u64| {
                reached
                    .checked_sub(*taken)
                    .is_some_and(|rest| others.contains(&rest))
            };
            let mut fitting = self.candidates(is_sure[0]).into_iter().filter(fits);
            fitting.next().filter(|_| fitting.next().is_none())
        };
        [[true, true], [true, false], [false, true], [false, false]]
            .into_iter()
            .find_map(of)
    }
}
