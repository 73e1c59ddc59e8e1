//! What do counts of lines say of loops whose first line has no test that shows their rounds?
//!
//! ```text
//! for (;;) { if (a[i] == x) return i; i++; }        the first line of the body is begun once a round,
//! do { i++; } while (i < n && k > 0);               a line before the loop once an execution
//! ```
//!
//! Each round is begun from in front of the loop or from the end of the round before: `rounds = executions + ways back`. The
//! ways back are counted by the last line of the body, or by the test there. Where these three do not agree, as with `continue`,
//! nothing is known.

use super::counted_lines::Counted;
use super::line_counts::Decision;
use super::places::LoopRef;
use crate::report::static_report::LoopReport;

/// Tests of more conditions are not followed.
const MOST_CONDITIONS: usize = 8;

impl Counted<'_> {
    /// Executions and rounds of a loop by the lines of its body and those beside it; `around` are the rounds of the loop around,
    /// if each of them executes this one once.
    pub(super) fn by_body(
        &self,
        file: &str,
        facts: &LoopReport,
        found: LoopRef,
        around: Option<u64>,
    ) -> Option<(u64, u64)> {
        let rounds = self.begun(file, facts, found)?;
        let executions = around.or_else(|| self.executed_beside(file, facts))?;
        let back = rounds.checked_sub(executions)?;
        let (line, last) = self
            .counts
            .lines(file, facts.line + 1, facts.end_line)
            .last()?;
        let closes = match facts.tests_last && line == facts.end_line {
            true => goes_back(
                &last.decisions,
                last.executions,
                (back, executions),
                facts.exits_early,
            ),
            false => self.is_at_end(file, facts, found, back),
        };
        closes.then_some((executions, rounds))
    }

    /// How often the first statement of the body was begun: it stands on a line of its own, and is no loop.
    fn begun(&self, file: &str, facts: &LoopReport, found: LoopRef) -> Option<u64> {
        let (first, line) = self
            .counts
            .lines(file, facts.line + 1, facts.end_line)
            .next()?;
        let is_alone = first < facts.end_line || facts.tests_last && line.decisions.is_empty();
        let is_of_body = !self.is_inside(found, first)
            && !facts.branches.iter().any(|branch| branch.guards(first));
        (is_alone && is_of_body).then_some(line.executions)
    }

    /// How often a statement of the same block was executed that stands before the loop, or behind it if nothing but the test
    /// ends the loop.
    fn executed_beside(&self, file: &str, facts: &LoopReport) -> Option<u64> {
        let count = |line: &u32| {
            let is_own = !(facts.line..=facts.end_line).contains(line);
            let found = self.counts.line(file, *line).filter(|_| is_own)?;
            found.decisions.is_empty().then_some(found.executions)
        };
        let before = facts.beside.before.iter().find_map(count);
        let behind = facts.beside.behind.iter().find_map(count);
        match (before, behind) {
            (Some(before), Some(behind)) if !facts.exits_early && before != behind => None,
            (Some(before), _) => Some(before),
            (None, behind) => behind.filter(|_| !facts.exits_early),
        }
    }

    /// Whether as many rounds came to the end of the body as went on with another one: its last line in no arm and in no loop
    /// inside was executed so often, or a condition there went one way.
    fn is_at_end(&self, file: &str, facts: &LoopReport, found: LoopRef, back: u64) -> bool {
        let lines = self.counts.lines(file, facts.line + 1, facts.end_line);
        let is_of_body = |line: u32| {
            !self.is_inside(found, line) && !facts.branches.iter().any(|branch| branch.guards(line))
        };
        let Some((at, last)) = lines.filter(|(line, _)| is_of_body(*line)).last() else {
            return false;
        };
        // What stands behind it in an arm, or is a loop, may lead elsewhere.
        let ways = match last.decisions[..] {
            [only] if self.ends_with_arm(file, facts, at) => only.ways().to_vec(),
            _ => vec![last.executions],
        };
        ways.contains(&back)
    }

    /// Whether lines with code follow a condition to the end of the body, all of them in its arms.
    fn ends_with_arm(&self, file: &str, facts: &LoopReport, at: u32) -> bool {
        let is_own = |line: u32| {
            (facts.branches.iter()).any(|branch| branch.line == at && branch.guards(line))
        };
        let mut behind = self.counts.lines(file, at + 1, facts.end_line);
        behind.all(|(line, _)| is_own(line))
    }

    fn is_inside(&self, found: LoopRef, line: u32) -> bool {
        let places = self.places();
        (places.children(found))
            .map(|child| places.facts(child))
            .any(|child| (child.line..=child.end_line).contains(&line))
    }
}

/// Whether the conditions of a test led back to the loop, and out of it, so often: all of them have to hold, or one.
fn goes_back(
    decisions: &[Decision],
    tested: u64,
    (back, out): (u64, u64),
    ends_early: bool,
) -> bool {
    let Some((last, first)) = decisions.split_last() else {
        return false;
    };
    if decisions.len() > MOST_CONDITIONS || decisions[0].all() != tested {
        return false;
    }
    // One way of each condition leads to the next one, the other out of the loop or back to it.
    let mut aside = 0;
    for (at, decision) in first.iter().enumerate() {
        let next = decisions[at + 1].all();
        let Some(way) = (decision.ways().into_iter()).find(|way| decision.all() - way == next)
        else {
            return false;
        };
        aside += way;
    }
    let [one, other] = last.ways();
    let ends = [(one, other), (other, one)];
    let ends = ends
        .into_iter()
        .flat_map(|(goes_on, leaves)| [(goes_on, leaves + aside), (goes_on + aside, leaves)]);
    let mut all = ends.filter(|(goes_on, _)| *goes_on == back);
    all.any(|(_, leaves)| leaves == out || ends_early && leaves < out)
}
