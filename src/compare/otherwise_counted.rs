//! Which nests went round more often, or less often, in a run than their report says?
//!
//! Parameters that a run shows are in the report already when this is asked (`counted_lines`). What is left are
//! sizes that no count gives, numbers of calls, and conditions: nothing of that may stay unsaid.

use std::collections::BTreeMap;

use super::counted_lines::Counted;
use super::counts::LoopCounts;
use super::doubts::Doubts;
use super::line_counts::LineCounts;
use super::places::LoopRef;
use super::tolerance::are_same_rate;
use crate::report::static_report::{FunctionReport, NestReport};
use crate::report::{Figure, StaticReport};

/// A loop of a nest whose iterations a run counted, and those of the report.
#[derive(Clone, Debug, PartialEq)]
pub struct CountedOtherwise {
    /// Index of the function, and of the nest among its nests.
    pub function: usize,
    pub nest: usize,
    /// Id of the loop.
    pub id: String,
    pub counted: f64,
    pub predicted: f64,
    /// Both are of all calls, not of one.
    pub is_of_all_calls: bool,
}

/// The nests of which a native run counted other iterations; none where the counts are of other files.
pub fn counted_otherwise(predicted: &StaticReport, counts: &LineCounts) -> Vec<CountedOtherwise> {
    let Some(counted) = Counted::of(predicted, counts) else {
        return Vec::new();
    };
    let of_run = OfRun {
        loops: counted.all_loops(),
        runs: runs(predicted, &counted),
        counted,
    };
    let functions = predicted.functions.iter().enumerate();
    let nests = functions.flat_map(|(index, function)| {
        let nests = function.nests.iter().enumerate();
        nests.map(move |(nest, report)| (index, nest, (function, report)))
    });
    nests
        .filter_map(|(index, nest, reports)| of_run.otherwise(index, nest, reports))
        .collect()
}

/// How often the program was run; `None` if nothing says where a run begins.
fn runs(predicted: &StaticReport, counted: &Counted) -> Option<u64> {
    let entries = predicted.entry.iter().filter_map(|entry| {
        let is_entry =
            |function: &&FunctionReport| function.name == entry.name && function.file == entry.file;
        counted.calls(predicted.functions.iter().find(is_entry)?)
    });
    let most = entries.max();
    (!predicted.entry.is_empty()).then(|| most.unwrap_or(1).max(1))
}

struct OfRun<'a> {
    counted: Counted<'a>,
    loops: BTreeMap<LoopRef, LoopCounts>,
    runs: Option<u64>,
}

impl OfRun<'_> {
    /// The innermost loop of a nest that has other iterations.
    fn otherwise(
        &self,
        function: usize,
        nest: usize,
        (own, report): (&FunctionReport, &NestReport),
    ) -> Option<CountedOtherwise> {
        // Where nothing says how often functions are called, figures are those of one call.
        let (times, parts) = match self.runs {
            Some(runs) => (report.calls.known()?, runs),
            None => (1.0, self.counted.calls(own).filter(|calls| *calls > 0)?),
        };
        let loops = report.loops.iter().zip(&report.loop_iterations).rev();
        let differing = |(id, iterations): (&String, &Figure)| {
            let found = self.counted.places().loop_by_id(function, id)?;
            let counts = self.loops.get(&found)?;
            let counted = counts.rounds as f64 / parts as f64;
            let predicted = iterations.known()? * times;
            let is_certain = counts.doubts == Doubts::default();
            (is_certain && !are_same_rate(counted, predicted)).then(|| CountedOtherwise {
                function,
                nest,
                id: id.clone(),
                counted,
                predicted,
                is_of_all_calls: self.runs.is_some(),
            })
        };
        loops.into_iter().find_map(differing)
    }
}
