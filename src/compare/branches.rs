//! How often the arms of conditions were taken, from how often what stands on their lines was executed.

use std::collections::{BTreeMap, BTreeSet};

use super::machine_loops::LoopCounts;
use super::places::{LoopRef, Place, Places};
use super::reports::Branch;
use crate::metrics::profile::SourceProfile;

/// Executions of the instructions of a line: in all copies of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Executions {
    /// Of that which was executed most.
    most: u64,
    /// Of that which was executed least.
    least: u64,
    /// Of its conditional branch that was executed most.
    decisions: u64,
}

/// Those in loops of the machine code, and outside of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Line {
    in_loops: Executions,
    outside: Executions,
}

/// Executions by line of the code that lies directly in each loop.
#[derive(Debug, Default)]
pub struct Lines(BTreeMap<(LoopRef, u32), Line>);

impl Lines {
    pub fn of(places: &Places, profile: &SourceProfile) -> Lines {
        let mut copies: BTreeMap<(LoopRef, u32, Option<u32>), Executions> = BTreeMap::new();
        for site in profile.sites.iter().filter(|site| site.executions > 0) {
            let (Some(line), Place::Loop(found)) = (site.line, places.own(site)) else { continue };
            let least = site.least.unwrap_or(site.executions);
            let sum =
                copies.entry((found, line, site.machine_loop)).or_insert(Executions { least, ..Executions::default() });
            sum.most = sum.most.max(site.executions);
            sum.least = sum.least.min(least);
            sum.decisions = sum.decisions.max(site.decisions);
        }
        let mut lines = Lines::default();
        for ((found, line, machine_loop), copy) in copies {
            let line = lines.0.entry((found, line)).or_default();
            let sum = if machine_loop.is_some() { &mut line.in_loops } else { &mut line.outside };
            sum.most += copy.most;
            sum.least += copy.least;
            sum.decisions += copy.decisions;
        }
        lines
    }

    /// The share of a loop's rounds that took the first arm of a condition; `None` if the lines do not tell it.
    pub fn frequency(
        &self,
        places: &Places,
        loops: &BTreeMap<LoopRef, LoopCounts>,
        found: LoopRef,
        branch: &Branch,
    ) -> Option<f64> {
        let counts = loops.get(&found).filter(|counts| counts.rounds > 0)?;
        let of_arm = |lines, other| Arm {
            lines: self.of_arm(found, counts, branch, lines, other),
            loops: loops_in(places, loops, found, lines),
        };
        let then = of_arm(branch.then, branch.otherwise);
        let otherwise = of_arm(branch.otherwise, branch.then);
        if otherwise.most().is_some() {
            return share(&then, &otherwise, counts.rounds);
        }
        let taken = then.taken(counts.rounds).filter(|taken| *taken <= counts.rounds)?;
        Some(taken as f64 / counts.rounds as f64)
    }

    /// Executions of the lines of an arm. One that it shares with the condition or with the other arm is executed for
    /// these too; what is only outside of the loop was moved there, and says nothing of how often the arm is taken.
    fn of_arm(
        &self,
        found: LoopRef,
        counts: &LoopCounts,
        branch: &Branch,
        lines: Option<(u32, u32)>,
        other: Option<(u32, u32)>,
    ) -> Vec<Executions> {
        let Some((first, last)) = lines else { return Vec::new() };
        let is_shared = |line: u32| line == branch.line || other.is_some_and(|(a, b)| (a..=b).contains(&line));
        let own = self.0.range((found, first)..=(found, last)).filter(|((_, line), _)| !is_shared(*line));
        let of_line = |line: &Line| match counts.machine_loops {
            0 if line.outside.most > line.in_loops.most => line.outside,
            _ => line.in_loops,
        };
        own.map(|(_, line)| of_line(line)).filter(|executions| executions.most > 0).collect()
    }
}

/// What tells how often an arm was taken.
struct Arm {
    lines: Vec<Executions>,
    /// Executions of the loops in it.
    loops: Vec<u64>,
}

impl Arm {
    fn most(&self) -> Option<u64> {
        self.lines.iter().map(|line| line.most).chain(self.loops.iter().copied()).max()
    }

    /// Everything that may be how often it was taken.
    fn candidates(&self) -> BTreeSet<u64> {
        self.lines.iter().flat_map(|line| [line.most, line.least]).chain(self.loops.iter().copied()).collect()
    }

    /// Of an arm without another one. What a compiler made of both ways is executed in every round; where it may be the
    /// condition, or a condition inside, nothing is told.
    fn taken(&self, rounds: u64) -> Option<u64> {
        let of_line = |line: &Executions| match line.most < rounds || line.least == line.most {
            true => Some(line.most),
            false => Some(line.least).filter(|_| line.decisions < line.most),
        };
        self.lines.iter().filter_map(of_line).chain(self.loops.iter().copied()).max()
    }
}

/// Both arms together are taken once a round; what a compiler made of both is executed more often.
fn share(then: &Arm, otherwise: &Arm, rounds: u64) -> Option<f64> {
    let (most, other) = (then.most()?, otherwise.most()?);
    if most + other <= rounds {
        return Some(most as f64 / (most + other) as f64);
    }
    let others = otherwise.candidates();
    let fits = |taken: &u64| rounds.checked_sub(*taken).is_some_and(|rest| rest > 0 && others.contains(&rest));
    let mut fitting = then.candidates().into_iter().filter(|taken| *taken > 0 && fits(taken));
    let only = fitting.next().filter(|_| fitting.next().is_none())?;
    Some(only as f64 / rounds as f64)
}

/// Executions of the loops directly in a loop that begin on these lines.
fn loops_in(
    places: &Places,
    loops: &BTreeMap<LoopRef, LoopCounts>,
    found: LoopRef,
    lines: Option<(u32, u32)>,
) -> Vec<u64> {
    let is_there = |line: u32| lines.is_some_and(|(first, last)| (first..=last).contains(&line));
    let inner = places.children(found).filter(|child| is_there(places.facts(*child).line));
    inner.filter_map(|child| loops.get(&child)).map(LoopCounts::executions).filter(|count| *count > 0).collect()
}
