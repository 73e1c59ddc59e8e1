//! Which traces feel memory's latency most.
//!
//! Where all traces have epochs, the most epochs per 1,000 instructions come first: the slope of time over latency follows
//! E_m more closely than λ (topic *accuracy*). Elsewhere the largest Λ comes first.

use std::collections::BTreeMap;

use crate::columns::Column;
use crate::groups::InputPart;
use crate::row::{Row, RowKind};

/// The order of the traces, and what it is by.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    pub by: RankedBy,
    pub traces: Vec<RankedTrace>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankedBy {
    Epochs,
    Lambda,
}

impl RankedBy {
    /// A sentence for readers.
    pub fn meaning(self) -> &'static str {
        match self {
            RankedBy::Epochs => {
                "By epochs per 1,000 instructions, with the first window and capacity of the sweep and the first m that bounds how many \
                 misses are under way, if there is one; beside them λ and Λ of the first configuration of each trace."
            }
            RankedBy::Lambda => {
                "By Λ, the share by which time grows per cycle of latency, with the first configuration of each trace."
            }
        }
    }
}

/// One trace.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedTrace {
    /// The position of its first configuration.
    pub configuration: usize,
    pub epochs: Option<Row>,
}

/// Of each input the epochs that it is ranked by: the first of the plan that bound how many misses are under way at once, or
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

    pub(crate) fn ranking(mut self, inputs: &[InputPart], configurations: &[Row]) -> Ranking {
        let relative = |number: usize| configurations[number].number(Column::RelativeLambda);
        let traces = inputs
            .iter()
            .filter(|input| relative(input.configurations.start).is_some());
        let mut traces: Vec<RankedTrace> = traces
            .map(|input| RankedTrace {
                configuration: input.configurations.start,
                epochs: self.0.remove(&input.name),
            })
            .collect();
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
        Ranking { by, traces }
    }
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
            let ranking = first.ranking(&inputs, &runs);
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
