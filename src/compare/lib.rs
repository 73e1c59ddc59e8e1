//! Static against traced: what the source says and what a run of it did, loop nest by loop nest (guide:
//! compare, "What is compared").
//!
//! Both sides are the reports of `loopsheet analyze` and `loopsheet trace --elf`. They are joined by source
//! line: an instruction belongs to the line that it was written at, inside the callee where a call was inlined,
//! and so to the innermost loop around that line, whatever the compiler made of it: vectorised, unrolled,
//! peeled and remainder loops are their source loop. What cannot be joined is listed with its instructions.
//!
//! ```text
//! static report                        profile of the run: instructions by line, loops of the machine code
//!       │                                      │  shared_headers, continued   every round counted once
//!       ▼                                      ▼
//!    places: lines ► loops, nests  ◄── origins: machine loop ► loop of the source
//!       │                                      │
//!       │                     machine_loops    rounds and executions of each loop   (unrolling, entries,
//!       │                                      │                                     parts, work)
//!       │         witnesses ► conservation, shortfall   what confirms or contradicts them (doubts)
//!       │                                      │  branches: how often arms were taken
//!       ▼                                      ▼
//!    parameters: sizes and probabilities that would fit          arrays: which range of addresses is which
//!       └───────────────► sides ► rows ◄───────┘    (regions: what only the run knows)
//!                           │
//!                           ▼
//!    reasons: why the sides of a row differ ► iterations, operations, accesses (beside, otherwise) ► causes
//! ```
//!
//! Two rules hold throughout. A number that nothing confirms is marked and leads to nothing further: no
//! parameter, no probability, no cause. And a cause is only named if its arithmetic gives what was seen; the
//! rest is `unexplained`, with its size.
//!
//! `counted_lines` does the same for counts of native runs (`line_counts`), and `timed_nests` for measured
//! times (`timings`); both use `places` and stop before rows.

// The layers below, by their names.
use loopsheet_analysis as analysis;
use loopsheet_base::formula;
use loopsheet_expr as expr;
use loopsheet_ir as ir;
use loopsheet_metrics as metrics;
use loopsheet_model as model;
use loopsheet_procedures::intrinsics;
use loopsheet_report as report;
use loopsheet_source as source;
use loopsheet_trace as trace;

mod accesses;
mod arrays;
mod beside;
mod bounds;
mod branches;
mod callers;
mod causes;
mod comparison;
mod conservation;
mod continued;
mod counted_bodies;
mod counted_lines;
mod counts;
mod divided;
mod doubts;
mod entered;
mod entries;
mod inlined;
mod iterations;
mod joined;
mod line_counts;
mod live;
mod machine_loops;
mod measured;
mod names;
mod neighbours;
mod operations;
mod origins;
mod otherwise;
mod otherwise_counted;
mod parameters;
mod parts;
mod places;
mod predicted;
mod quantity;
mod reasons;
mod regions;
mod rows;
mod run;
mod shared_headers;
mod shortfall;
mod sides;
mod sizes;
mod surety;
mod timed_nests;
pub mod timings;
mod tolerance;
mod traced;
mod unrolling;
mod witnesses;
mod work;

use crate::metrics::report::RegionKind;
use crate::report::run_report::RegionReport;
use crate::report::static_report::BranchReport;

pub use causes::{Cause, Reason, State};
pub use comparison::{Apart, Comparison, FunctionShare, NestComparison, Row, Suggestion, Unjoined};
pub use counted_lines::{Elsewhere, Outdated, outdated, told_by_lines};
use joined::Joined;
pub use line_counts::{CountsError, LineCounts};
pub use live::Live;
pub use measured::{Measured, measure};
pub use otherwise_counted::{CountedOtherwise, counted_otherwise};
use parameters::Observed;
pub use places::LoopRef;
use places::Places;
pub use quantity::{AccessCount, Direction, LoopName, Object, Operation, Quantity, Reused, Role};
pub use run::{CompareError, Run};
pub use timed_nests::measurements;
pub use timings::Timing;

pub use crate::report::StaticReport;

/// Compares the two reports, for those functions that `is_wanted` accepts.
pub fn compare(
    predicted: &StaticReport,
    run: &Run,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Comparison {
    let mut joined = Joined::of(predicted, &run.source);
    let parameters = shown(predicted, &joined);
    shortfall::mark(predicted, &mut joined, &parameters);
    let parameters = parameters::that_differ(parameters);
    let Joined {
        profile,
        places,
        join,
    } = joined;
    let profile = &*profile;
    let mut nests = Vec::new();
    let mut not_executed = Vec::new();
    let arrays = arrays::names(predicted, &places, &join, profile);
    for (index, target) in places.targets().iter().enumerate() {
        let traced = &join.targets[index];
        if !is_wanted(&predicted.functions[target.function].name) {
            continue;
        }
        if traced.instructions == 0 {
            not_executed.extend(target.nest.map(|_| without_code(&places, &join, target)));
            continue;
        }
        let (places, join, arrays) = (&places, &join, &arrays);
        let sides = sides::Sides {
            predicted,
            run,
            profile,
            places,
            join,
            arrays,
            number: index,
            target,
            traced,
        };
        let mut rows = sides.rows(region_of(run, target));
        reasons::explain(&sides, &parameters, &mut rows);
        nests.push(NestComparison {
            id: target.id.clone(),
            function: predicted.functions[target.function].name.clone(),
            file: target.file.clone(),
            line: target.line,
            instructions: traced.instructions + traced.called_instructions,
            rows,
        });
    }
    Comparison {
        machine: predicted.machine.name.clone(),
        trace: run.trace.path.clone(),
        run_end: run.trace.end,
        instructions: join.instructions,
        joined_share: join.joined as f64 / (join.instructions as f64).max(1.0),
        functions: functions(&join, is_wanted),
        nests,
        not_executed,
        unjoined: join.unjoined,
        parameters,
        notes: notes(predicted, run),
    }
}

/// What the report of the run has of a nest. Functions of several files may have the same name.
fn region_of<'r>(run: &'r Run, target: &places::Target) -> Option<&'r RegionReport> {
    run.regions.iter().find(|region| {
        let is_of_file = region.file.as_ref().is_none_or(|file| *file == target.file);
        region.kind == RegionKind::Nest && region.name == target.id && is_of_file
    })
}

/// Id of a nest without instructions, with what that may mean.
fn without_code(places: &Places, join: &traced::Join, target: &places::Target) -> String {
    let is_beside = |(index, other): (usize, &places::Target)| {
        let is_there = (other.function, &other.file, other.line)
            == (target.function, &target.file, target.line);
        is_there && join.targets[index].instructions > 0
    };
    match places
        .targets()
        .iter()
        .enumerate()
        .find(|target| is_beside(*target))
    {
        Some((_, other)) => format!(
            "{} (or indistinguishable from {}, on the same line)",
            target.id, other.id
        ),
        None => target.id.clone(),
    }
}

fn functions(join: &traced::Join, is_wanted: &dyn Fn(&str) -> bool) -> Vec<FunctionShare> {
    let wanted = join.functions.iter().filter(|(name, _)| is_wanted(name));
    wanted
        .map(|(name, share)| FunctionShare {
            name: name.clone(),
            instructions: share.instructions,
            joined: share.joined,
        })
        .collect()
}

fn notes(predicted: &StaticReport, run: &Run) -> Vec<String> {
    let mut notes = vec![
        "static: one run of the program with the report's parameters; traced: what was executed. Flops, loads and stores \
         are per iteration of the innermost loop, with all code of the nest distributed among them."
            .to_string(),
    ];
    notes.extend(run.trace.end.map(|end| format!("the run ended {end}")));
    let capacities: Vec<f64> = predicted
        .functions
        .iter()
        .flat_map(|function| &function.nests)
        .flat_map(|nest| {
            nest.caches
                .iter()
                .filter_map(|cache| cache.capacity.known())
        })
        .collect();
    let all = predicted
        .functions
        .iter()
        .flat_map(|function| &function.nests);
    let levels = all.map(|nest| nest.caches.len()).max().unwrap_or(0);
    for (level, cache) in run
        .cache
        .iter()
        .enumerate()
        .filter(|(_, cache)| !capacities.contains(&(cache.size as f64)))
    {
        let number = level + 1;
        let advice = match number <= levels {
            true => format!("make both the same with --cache and --set l{number}_bytes"),
            false => {
                "--set cannot add a level to that machine; --machine chooses another".to_string()
            }
        };
        notes.push(format!(
            "cache level {number} of the trace has {} bytes, the machine {} has no level of that size: its traffic is not \
             compared; {advice}",
            cache.size, predicted.machine.name,
        ));
    }
    if run.cache.is_empty() {
        notes.push(
            "the trace was read without caches (--cache): traffic by level is not compared"
                .to_string(),
        );
    }
    notes
}

/// What a run shows about the parameters of a report: problem sizes and probabilities, also those that agree.
pub fn told_by_run(predicted: &StaticReport, run: &Run) -> Vec<Suggestion> {
    shown(predicted, &Joined::of(predicted, &run.source))
}

fn shown(predicted: &StaticReport, Joined { places, join, .. }: &Joined) -> Vec<Suggestion> {
    let frequency = |found: LoopRef, branch: &BranchReport| {
        join.lines.frequency(places, &join.loops, found, branch)
    };
    let observed = Observed {
        loops: &join.loops,
        frequency: &frequency,
    };
    parameters::all(predicted, places, observed)
}

/// Finds the nest of a static report that a line belongs to.
pub struct NestFinder<'r>(Places<'r>);

impl<'r> NestFinder<'r> {
    /// Of a program with these source files.
    pub fn new(report: &'r StaticReport, files: &[String]) -> NestFinder<'r> {
        NestFinder(Places::of_program(report, files.iter().map(String::as_str)))
    }

    /// The nest, by the id of the loop that stands for it, its file and line; `None` outside loops. `functions` are
    /// those around the line, the innermost first.
    pub fn find(&self, file: &str, line: u32, functions: &[&str]) -> Option<(&str, &str, u32)> {
        let places::Place::Loop(found) = self.0.find(file, line, functions) else {
            return None;
        };
        let target = &self.0.targets()[self.0.target(found)];
        Some((&target.id, &target.file, target.line))
    }
}
