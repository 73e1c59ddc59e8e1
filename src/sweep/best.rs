//! The best configurations, a line for each: where the same one is the best for several problems or latencies that follow one
//! another, they are one line.

use crate::axis::{Axis, AxisValue};
use crate::columns::Column;
use crate::described::Description;
use crate::groups::{Group, Latency, TimeUnit};
use crate::report::SweepReport;
use crate::row::{Row, RowKind};

/// One line.
#[derive(Clone, Debug, PartialEq)]
pub struct BestLine<'r> {
    pub input: &'r str,
    pub kind: RowKind,
    /// Groups that follow one another.
    pub groups: &'r [Group],
}

/// So many values are named one by one.
const MOST_NAMED: usize = 4;

/// The lines of all inputs.
pub fn best_lines(report: &SweepReport) -> Vec<BestLine<'_>> {
    let mut lines = Vec::new();
    for input in &report.inputs {
        let is_same = |one: &Group, other: &Group| {
            choice(report, one.best) == choice(report, other.best)
                && choice(report, one.best_of_full) == choice(report, other.best_of_full)
                && choice(report, one.smallest_near) == choice(report, other.smallest_near)
                && one.unit == other.unit
                && one.doubt() == other.doubt()
                && matches!(one.latency, Some(Latency::OfMachine))
                    == matches!(other.latency, Some(Latency::OfMachine))
        };
        lines.extend(input.groups.chunk_by(is_same).map(|groups| BestLine {
            input: &input.name,
            kind: input.kind,
            groups,
        }));
    }
    lines
}

/// What is chosen where a group is the best.
fn choice(report: &SweepReport, best: Option<usize>) -> Option<Vec<Option<AxisValue>>> {
    let row = &report.configurations[best?];
    let columns = [
        Column::Machine,
        Column::Caches,
        Column::Slots,
        Column::AreaMm2,
    ];
    let settings = (0..report.settings.len()).map(Axis::Setting);
    let axes = columns.into_iter().map(Axis::Column).chain(settings);
    let chosen = axes.filter(|axis| axis.is_choice(&report.settings));
    Some(chosen.map(|axis| axis.value(row)).collect())
}

impl<'r> BestLine<'r> {
    /// The configurations that are the best of each group; none where no time is known.
    pub fn rows(&self, report: &'r SweepReport) -> Vec<&'r Row> {
        let best = self.groups.iter().filter_map(|group| group.best);
        best.map(|best| &report.configurations[best]).collect()
    }

    /// What takes least of those that take hardly longer; none where that is the best.
    pub fn smallest_near(&self, report: &'r SweepReport) -> Vec<&'r Row> {
        let near = self.groups.iter().filter_map(|group| group.smallest_near);
        near.map(|near| &report.configurations[near]).collect()
    }

    /// What its times are in.
    pub fn unit(&self) -> TimeUnit {
        self.groups[0].unit
    }

    /// Why the best may be another one.
    pub fn doubt(&self) -> Option<String> {
        self.groups[0].doubt()
    }

    /// Where the best are lower bounds: the best of those that are none.
    pub fn full(&self, report: &'r SweepReport) -> Vec<&'r Row> {
        let all = &report.configurations;
        let full = self.groups.iter();
        let full = full.filter_map(|group| group.best_of_full.filter(|_| group.is_bound(all)));
        full.map(|best| &all[best]).collect()
    }

    /// What it is the best for: latencies of memory, or problems.
    pub fn given(&self, report: &SweepReport, words: &Description) -> String {
        let first = |group: &Group| &report.configurations[group.configurations[0]];
        let named = || -> Vec<String> {
            let texts = self.groups.iter().map(|group| words.problem(first(group)));
            texts.filter(|text| !text.is_empty()).collect()
        };
        match self.groups[0].latency {
            Some(Latency::OfMachine) => "α of each machine".to_string(),
            Some(Latency::Cycles(_)) => {
                let cycles = self.groups.iter().filter_map(|group| match group.latency {
                    Some(Latency::Cycles(cycles)) => Some(cycles.to_string()),
                    _ => None,
                });
                let cycles: Vec<String> = cycles.collect();
                format!("α = {}", listed(&cycles, ", ", "values"))
            }
            None => listed(&named(), "; ", "problems"),
        }
    }
}

/// The shortest and the longest time.
pub fn range(rows: &[&Row], unit: TimeUnit) -> Option<(f64, f64)> {
    let mut times: Vec<f64> = rows.iter().filter_map(|row| unit.time(row)).collect();
    times.sort_by(f64::total_cmp);
    Some((*times.first()?, *times.last()?))
}

/// All of few; of many the first and the last.
fn listed(texts: &[String], between: &str, what: &str) -> String {
    match texts {
        [first, .., last] if texts.len() > MOST_NAMED => {
            format!("{first} … {last} ({} {what})", texts.len())
        }
        _ => texts.join(between),
    }
}
