//! Which traces feel memory's latency most.
//!
//! Where all traces have epochs, the most epochs per 1,000 instructions come first: the slope of time over latency follows
//! E_m more closely than λ (topic *accuracy-traces*). Elsewhere the largest Λ comes first.

use std::collections::BTreeMap;

use indexmap::IndexMap;

use crate::columns::Column;
use crate::failure::Failure;
use crate::groups::InputPart;
use crate::manifest::Work;
use crate::row::{Row, RowKind};

/// The order of the traces, and what it is by.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    pub by: RankedBy,
    pub traces: Vec<RankedTrace>,
    /// Traces that are not ranked, and why.
    pub left_out: Vec<(String, WhyUnranked)>,
}

/// Why a trace is not ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WhyUnranked {
    /// It lacks the configuration which the others are ranked with.
    NotComputed,
    /// It has no λ: accesses have no addresses.
    NoAddresses,
}

impl WhyUnranked {
    const ALL: [WhyUnranked; 2] = [WhyUnranked::NotComputed, WhyUnranked::NoAddresses];

    fn words(self) -> &'static str {
        match self {
            WhyUnranked::NotComputed => "that configuration was not computed",
            WhyUnranked::NoAddresses => {
                "no time and no λ is known where accesses have no addresses"
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankedBy {
    Epochs,
    Lambda,
}

impl Ranking {
    /// Sentences for readers.
    pub fn meaning(&self) -> String {
        let by = match self.by {
            RankedBy::Epochs => {
                "By epochs per 1,000 instructions, with the first window and capacity of the sweep and the first m that bounds how many \
                 misses are outstanding, if there is one; beside them λ and Λ of one configuration"
            }
            RankedBy::Lambda => {
                "By Λ, the share by which time grows per cycle of latency, of one configuration"
            }
        };
        let ranked = match self.traces.is_empty() {
            true => "No trace can be ranked.".to_string(),
            false => format!(
                "{by} that all of them have: that with the largest caches, and the first latency and slots of the sweep."
            ),
        };
        let left_out: String = WhyUnranked::ALL
            .into_iter()
            .map(|why| self.left_out_for(why))
            .collect();
        ranked + &left_out
    }

    /// Whether epochs are counted for one of the traces that are ranked.
    pub fn has_epochs(&self) -> bool {
        self.traces.iter().any(|trace| trace.epochs.is_some())
    }

    /// Whether there is anything to say.
    pub fn is_empty(&self) -> bool {
        self.traces.is_empty() && self.left_out.is_empty()
    }

    /// A sentence on the traces that are not ranked for this; empty if there are none.
    fn left_out_for(&self, why: WhyUnranked) -> String {
        let names = self.left_out.iter().filter(|(_, own)| *own == why);
        let names: Vec<&str> = names.map(|(name, _)| name.as_str()).collect();
        match names.is_empty() {
            true => String::new(),
            false => format!(" * Not ranked: {} ({}).", names.join(", "), why.words()),
        }
    }
}

/// One trace.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedTrace {
    /// The position of the configuration.
    pub configuration: usize,
    pub epochs: Option<Row>,
}

/// Of each input the epochs that it is ranked by: the first of the plan that bound how many misses are outstanding at once, or
/// else the first.
#[derive(Debug, Default)]
pub(crate) struct FirstEpochs(BTreeMap<String, Row>);

impl FirstEpochs {
    pub(crate) fn add(&mut self, row: Row) {
        debug_assert!(row.is(RowKind::Epochs));
        let input = row.text(Column::Input).unwrap_or_default().to_string();
        let is_bounded = |row: &Row| row.number(Column::EpochSlots).is_some();
        let is_better = |known: &Row| !is_bounded(known) && is_bounded(&row);
        if self.0.get(&input).is_none_or(is_better) {
            self.0.insert(input, row);
        }
    }

    pub(crate) fn ranking(
        mut self,
        inputs: &[InputPart],
        configurations: &[Row],
        failures: &[Failure],
    ) -> Ranking {
        let relative = |number: usize| configurations[number].number(Column::RelativeLambda);
        let common = common(inputs, configurations);
        let mut traces: Vec<RankedTrace> = Vec::new();
        let mut left_out: Vec<(String, WhyUnranked)> = Vec::new();
        for input in inputs.iter().filter(|input| input.kind == RowKind::Trace) {
            let mut own = input.configurations.clone();
            let same = own.find(|number| {
                relative(*number).is_some() && Some(Run::of(&configurations[*number])) == common
            });
            let mut others = input.configurations.clone();
            match same {
                Some(configuration) => traces.push(RankedTrace {
                    configuration,
                    epochs: self.0.remove(&input.name),
                }),
                None => {
                    let has_some = others.any(|number| relative(number).is_some());
                    let why = match has_some {
                        true => WhyUnranked::NotComputed,
                        false => WhyUnranked::NoAddresses,
                    };
                    left_out.push((input.name.clone(), why));
                }
            }
        }
        // Of these nothing was computed.
        for failure in failures {
            let is_known = inputs.iter().any(|input| input.name == failure.input);
            let is_trace = matches!(failure.work, Work::Trace(_));
            let lost = (failure.input.clone(), WhyUnranked::NotComputed);
            if is_trace && !is_known && !left_out.contains(&lost) {
                left_out.push(lost);
            }
        }
        let frequency = |trace: &RankedTrace| {
            let epochs = trace.epochs.as_ref()?;
            epochs.number(Column::EpochsPerThousand)
        };
        let by = if traces.iter().all(|trace| frequency(trace).is_some()) {
            RankedBy::Epochs
        } else {
            RankedBy::Lambda
        };
        let key = |trace: &RankedTrace| match by {
            RankedBy::Epochs => frequency(trace).unwrap_or(0.0),
            RankedBy::Lambda => relative(trace.configuration).unwrap_or(0.0),
        };
        traces.sort_by(|one, other| {
            let order = key(other).total_cmp(&key(one));
            order.then(one.configuration.cmp(&other.configuration))
        });
        Ranking {
            by,
            traces,
            left_out,
        }
    }
}

/// What runs of several traces have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Run<'r> {
    machine: Option<&'r str>,
    caches: Option<&'r str>,
    latency: Option<u64>,
    slots: Option<u64>,
}

impl<'r> Run<'r> {
    fn of(row: &'r Row) -> Run<'r> {
        let bits = |column| row.number(column).map(f64::to_bits);
        Run {
            machine: row.text(Column::Machine),
            caches: row.text(Column::Caches),
            latency: bits(Column::LatencyCycles),
            slots: bits(Column::Slots),
        }
    }
}

/// The run that the most traces have; of these one with the largest caches, and of those the first.
fn common<'r>(inputs: &[InputPart], configurations: &'r [Row]) -> Option<Run<'r>> {
    let mut found: IndexMap<Run, (usize, f64)> = IndexMap::new();
    for input in inputs.iter().filter(|input| input.kind == RowKind::Trace) {
        for row in &configurations[input.configurations.clone()] {
            if row.number(Column::RelativeLambda).is_some() {
                let size = row.number(Column::LastCacheBytes).unwrap_or(0.0);
                found.entry(Run::of(row)).or_insert((0, size)).0 += 1;
            }
        }
    }
    let mut best: Option<(Run, (usize, f64))> = None;
    for (run, (count, size)) in found {
        let is_better = |(_, known): &(Run, (usize, f64))| {
            count > known.0 || (count == known.0 && size > known.1)
        };
        if best.as_ref().is_none_or(is_better) {
            best = Some((run, (count, size)));
        }
    }
    best.map(|(run, _)| run)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(name: &str, at: usize) -> InputPart {
        InputPart {
            name: name.to_string(),
            kind: RowKind::Trace,
            configurations: at..at + 1,
            groups: Vec::new(),
        }
    }

    fn run(name: &str, relative: f64) -> Row {
        Row::new(name, RowKind::Trace).with(Column::RelativeLambda, relative)
    }

    fn epochs(name: &str, slots: Option<u64>, frequency: f64) -> Row {
        Row::new(name, RowKind::Epochs)
            .with_count(Column::EpochSlots, slots)
            .with(Column::EpochsPerThousand, frequency)
    }

    #[test]
    fn epochs_rank_where_every_trace_has_them() {
        let inputs = [input("a", 0), input("b", 1)];
        let runs = [run("a", 0.2), run("b", 0.1)];
        let ranked = |rows: &[Row]| {
            let mut first = FirstEpochs::default();
            rows.iter().for_each(|row| first.add(row.clone()));
            let ranking = first.ranking(&inputs, &runs, &[]);
            let order = ranking.traces.iter().map(|trace| trace.configuration);
            (ranking.by, order.collect::<Vec<_>>())
        };
        let some = [
            epochs("a", None, 9.0),
            epochs("a", Some(8), 1.0),
            epochs("a", Some(8), 7.0),
        ];
        assert_eq!(ranked(&some), (RankedBy::Lambda, vec![0, 1]));
        let all = [&some[..], &[epochs("b", Some(8), 2.0)]].concat();
        assert_eq!(ranked(&all), (RankedBy::Epochs, vec![1, 0]));
    }
}
