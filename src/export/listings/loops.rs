//! The sheet Loops: ExaSAT's loop table (report section 2.3.3), one row a nest.

use super::{Column, Content, Look, Table, add, add_figures, some};
use crate::analysis::facts::AccessClass;
use crate::expr::FigureId;
use crate::measured;
use crate::model::advice::words::change;
use crate::model::{
    Advice, Band, InCoreFigures, LevelFigures, Measured, Model, NestModel, Open, StaticFigure as F,
    WorkingSet, dimension_name, group_name, scenario_name,
};
use crate::reason::ReasonCode;

type Row<'a> = &'a NestModel<'a>;
type Columns<'a> = Vec<Column<'a, (usize, Row<'a>)>>;

/// What columns of the table are about. A workbook has a sheet for each, as one of all of them would be too wide to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Topic {
    Iterations,
    Operations,
    WorkingSets,
    Scenarios,
    Time,
    Advice,
}

/// Where other sheets find what they list of a nest: group and header.
pub(crate) const ID: (&str, &str) = ("Loop", "Loop");
pub(crate) const FILE: (&str, &str) = ("Loop", "File");
pub(crate) const LINE: (&str, &str) = ("Loop", "Line");
pub(crate) const REASONS: (&str, &str) = ("Loop", "Not understood");
pub(crate) const SECONDS: (&str, &str) = (TIME, "Estimate");
pub(crate) const LOW: (&str, &str) = (TIME, "Low");
pub(crate) const HIGH: (&str, &str) = (TIME, "High");
pub(crate) const SHARE: (&str, &str) = (TIME, "Share of total");
pub(crate) const CALLS: (&str, &str) = (TIME, "Calls");
pub(crate) const ALL_CALLS: (&str, &str) = (TIME, "All calls");
pub(crate) const BOUND: (&str, &str) = (TIME, "Bound by");
pub(crate) const MEASURED: (&str, &str) = (TIME, "Measured");
pub(crate) const MEASURED_RATIO: (&str, &str) = (TIME, "Estimate / measured");
pub(crate) const ITERATIONS: (&str, &str) = (EXECUTION, "Iterations");
pub(crate) const FLOPS: (&str, &str) = (EXECUTION, "Flops");
pub(crate) const DRAM_BYTES: (&str, &str) = (TRAFFIC, "Actual");
pub(crate) const INTENSITY: (&str, &str) = (TIME, "Arithmetic intensity");
pub(crate) const ADVICE: (&str, &str) = ("Advice", "What to change");
pub(crate) const GAIN: (&str, &str) = ("Advice", "Time saved (% of program)");
/// The group of the traffic of every cache, which its name heads.
pub(crate) const OPERATIONS: &str = "Operations per iteration";
pub(crate) const KEPT: &str = "Needed in cache for reuse";
pub(crate) const CACHE_TRAFFIC: &str = "Cache traffic";
pub(crate) const STEPS: &str = "Intermediate steps";

const TIME: &str = "Time";
const EXECUTION: &str = "Operations over the whole execution";
const TRAFFIC: &str = "Memory traffic over the whole execution, by what is reused";

/// The column of the times that nests are ranked by.
pub(crate) fn ranked_by(model: &Model) -> (&'static str, &'static str) {
    match model.ranking.follows_calls {
        true => ALL_CALLS,
        false => SECONDS,
    }
}

/// The whole table, and what each of its columns is about.
pub(crate) fn by_topic<'a>(model: &'a Model<'a>) -> (Table<'a, (usize, Row<'a>)>, Vec<Topic>) {
    let (mut columns, mut topics) = (Columns::new(), Vec::new());
    let mut add = |topic: Topic, part: &dyn Fn(&mut Columns<'a>)| {
        part(&mut columns);
        topics.resize(columns.len(), topic);
    };
    add(Topic::Iterations, &|columns| {
        identity(model, columns);
        iteration_space(model, columns);
    });
    add(Topic::Operations, &|columns| operations(columns));
    add(Topic::WorkingSets, &|columns| {
        streams(model, columns);
        working_sets(model, columns);
    });
    add(Topic::Scenarios, &|columns| traffic(model, columns));
    add(Topic::Time, &|columns| {
        time(model, columns);
        time_steps(columns);
    });
    add(Topic::Iterations, &|columns| counts(model, columns));
    if model.figures.detail().has_formulas() {
        add(Topic::Advice, &|columns| advised(model, columns));
    }
    let table = Table {
        title: "Loops",
        remark: remark(model),
        rows: model.nests.iter().enumerate().collect(),
        columns,
    };
    (table, topics)
}

fn remark(model: &Model) -> String {
    let how = "One row per loop nest. Hover over a heading to read what its column means; Notes has the whole glossary.";
    match &model.measured {
        Some(measured) => format!("{how} {}.", measured::total(measured)),
        None => how.to_string(),
    }
}

fn identity<'a>(model: &'a Model<'a>, columns: &mut Columns<'a>) {
    let group = "Loop";
    let text = |text: &str| Content::Text(text.to_string());
    add(
        columns,
        (group, ID.1, ""),
        Look::Text,
        "Function and line of the outermost loop of the nest",
        move |(_, n)| text(&n.nest.head().id),
    );
    add(
        columns,
        (group, "Function", ""),
        Look::Text,
        "Function, subroutine or program around it",
        move |(_, n)| text(&model.program.functions[n.nest.function].name),
    );
    add(
        columns,
        (group, FILE.1, ""),
        Look::Text,
        "File of the loop",
        move |(_, n)| text(&n.nest.head().file),
    );
    add(
        columns,
        (group, LINE.1, ""),
        Look::Number,
        "Line of the outermost loop of the nest",
        |(_, n)| Content::Fact(f64::from(n.nest.head().line)),
    );
    add(
        columns,
        (group, "Loop variables", ""),
        Look::Text,
        "All loops of the nest, outermost first",
        |(_, n)| {
            let variables = n
                .nest
                .loops
                .iter()
                .map(|c| match c.facts.variable.is_none() {
                    true => "(none)",
                    false => c.facts.variable.as_str(),
                });
            Content::Text(variables.collect::<Vec<&str>>().join(", "))
        },
    );
    add(
        columns,
        (group, "Parallel", ""),
        Look::Text,
        "Parallel directives of its loops; serial: it runs on one core while the others wait",
        |(_, n)| {
            let directives = n
                .nest
                .loops
                .iter()
                .filter_map(|c| Some(c.facts.parallel.as_ref()?.as_str()));
            let directives = directives.chain(n.nest.runs_on().mark());
            Content::Text(directives.collect::<Vec<&str>>().join("; "))
        },
    );
    let meaning = "Codes of what was not understood in these loops; empty: fully understood. Notes lists each place";
    add(
        columns,
        (group, REASONS.1, ""),
        Look::Text,
        meaning,
        |(_, n)| {
            Content::Text(
                n.reason_codes()
                    .into_iter()
                    .map(ReasonCode::as_str)
                    .collect::<Vec<_>>()
                    .join(", "),
            )
        },
    );
}

fn iteration_space<'a>(model: &'a Model<'a>, columns: &mut Columns<'a>) {
    let sweeps = model
        .nests
        .iter()
        .map(|n| n.sweep_trips.len())
        .max()
        .unwrap_or(0);
    add_figures(
        columns,
        ("Sweeps", "Sweeps"),
        Look::Count,
        F::Sweeps,
        |(_, n)| Content::Figure(n.sweeps),
    );
    for position in 0..sweeps {
        let header = format!("Sweep loop {}", position + 1);
        add_figures(
            columns,
            ("Sweeps", &header),
            Look::Count,
            F::TripCount,
            move |(_, n)| some(n.sweep_trips.get(position).copied()),
        );
    }
    type Pick = fn(&crate::model::LoopFigures) -> FigureId;
    let groups: [(&str, F, Pick); 3] = [
        ("Iteration space", F::TripCount, |l| l.trip),
        ("Block size", F::BlockSize, |l| l.block),
        ("Blocks", F::LoopBlocks, |l| l.blocks),
    ];
    for (group, kind, pick) in groups {
        for position in 0..model.dimensions {
            let name = dimension_name(position);
            add_figures(columns, (group, &name), Look::Count, kind, move |(_, n)| {
                some(n.loops.get(position).map(pick))
            });
        }
    }
    add_figures(
        columns,
        ("Blocks", "All"),
        Look::Count,
        F::Blocks,
        |(_, n)| Content::Figure(n.blocks),
    );
}

fn operations(columns: &mut Columns) {
    type Pick = fn(Row) -> FigureId;
    let each: [(&str, F, Pick); 6] = [
        ("Adds", F::AddsPerIteration, |n| n.operations.iteration.adds),
        ("Multiplies", F::MultipliesPerIteration, |n| {
            n.operations.iteration.multiplies
        }),
        ("Divides", F::DividesPerIteration, |n| {
            n.operations.iteration.divides
        }),
        ("Specials", F::SpecialsPerIteration, |n| {
            n.operations.iteration.specials
        }),
        ("Fused pairs", F::FmaPairsPerIteration, |n| {
            n.operations.iteration.fma_pairs
        }),
        ("Flops", F::FlopsPerIteration, |n| {
            n.operations.iteration.flops
        }),
    ];
    for (header, kind, pick) in each {
        let group = OPERATIONS;
        add_figures(
            columns,
            (group, header),
            Look::Number,
            kind,
            move |(_, n)| Content::Figure(pick(n)),
        );
    }
    add_figures(columns, ITERATIONS, Look::Count, F::Iterations, |(_, n)| {
        Content::Figure(n.iterations)
    });
    let all: [(&str, F, Pick); 7] = [
        ("Adds", F::Adds, |n| n.operations.adds),
        ("Multiplies", F::Multiplies, |n| n.operations.multiplies),
        ("Divides", F::Divides, |n| n.operations.divides),
        ("Specials", F::Specials, |n| n.operations.specials),
        ("Fused pairs", F::FmaPairs, |n| n.operations.fma_pairs),
        (FLOPS.1, F::Flops, |n| n.operations.flops),
        ("Weighted flops", F::WeightedFlops, |n| {
            n.operations.weighted
        }),
    ];
    for (header, kind, pick) in all {
        add_figures(
            columns,
            (EXECUTION, header),
            Look::Flops,
            kind,
            move |(_, n)| Content::Figure(pick(n)),
        );
    }
}

fn streams<'a>(model: &'a Model<'a>, columns: &mut Columns<'a>) {
    let classes: [(&str, &str, &[AccessClass]); 3] = [
        (
            "R",
            "Arrays (components counted separately) that are only read",
            &[AccessClass::ReadOnly],
        ),
        (
            "RW",
            "Arrays that are read, then written",
            &[AccessClass::ReadWrite],
        ),
        (
            "W",
            "Arrays that are written first",
            &[AccessClass::WriteOnly, AccessClass::WriteRead],
        ),
    ];
    for (header, meaning, classes) in classes {
        add(
            columns,
            ("Arrays", header, ""),
            Look::Number,
            meaning,
            move |(_, n)| {
                Content::Fact(
                    classes
                        .iter()
                        .map(|class| n.nest.streams_of(*class))
                        .sum::<usize>() as f64,
                )
            },
        );
    }
    for level in (0..model.dimensions).rev() {
        let header = capital(&plural(level));
        add_figures(
            columns,
            (KEPT, &header),
            Look::Number,
            F::LiveGroups,
            move |(_, n)| some(n.working_sets.live.get(level).copied()),
        );
    }
}

fn working_sets<'a>(model: &'a Model<'a>, columns: &mut Columns<'a>) {
    type Pick = fn(Row) -> &WorkingSet;
    let variants: [(&str, F, Pick); 4] = [
        ("Working set, naive", F::NaiveWorkingSet, |n| {
            &n.working_sets.naive
        }),
        (
            "Working set, streaming writes",
            F::StreamingWorkingSet,
            |n| &n.working_sets.streaming,
        ),
        ("Working set, reuse only", F::ReuseWorkingSet, |n| {
            &n.working_sets.reuse
        }),
        ("Working set, actual", F::ActualWorkingSet, |n| {
            &n.working_sets.actual
        }),
    ];
    for (group, kind, pick) in variants {
        for level in (0..model.dimensions).rev() {
            let header = capital(&group_name(level));
            add_figures(
                columns,
                (group, &header),
                Look::Bytes,
                kind,
                move |(_, n)| some(pick(n).levels.get(level).copied()),
            );
        }
    }
    add_figures(
        columns,
        ("Footprint", "Footprint"),
        Look::Bytes,
        F::Footprint,
        |(_, n)| Content::Figure(n.working_sets.footprint),
    );
}

fn traffic<'a>(model: &'a Model<'a>, columns: &mut Columns<'a>) {
    add_figures(
        columns,
        (TRAFFIC, "Between blocks"),
        Look::Bytes,
        F::CompulsoryTraffic,
        |(_, n)| Content::Figure(n.traffic.between_blocks),
    );
    for index in (0..=model.dimensions).rev() {
        let header = capital(&scenario_name(index));
        add_figures(
            columns,
            (TRAFFIC, &header),
            Look::Bytes,
            F::ScenarioTraffic,
            move |(_, n)| some(n.traffic.scenarios.get(index).copied()),
        );
    }
    add_figures(
        columns,
        (TRAFFIC, "By scenarios"),
        Look::Bytes,
        F::TrafficByScenarios,
        |(_, n)| Content::Figure(n.traffic.by_scenarios),
    );
    if model
        .nests
        .iter()
        .any(|nest| !nest.levels.caches.is_empty())
    {
        let column = Column::figures(
            (TRAFFIC, "Refined"),
            Look::Bytes,
            F::CacheTraffic,
            |(_, n): &(usize, Row<'a>)| some(n.levels.caches.last().map(|cache| cache.bytes)),
        );
        columns.push(column.remark("from the last cache on sheet Caches, neighbour by neighbour"));
    }
    add_figures(
        columns,
        (TRAFFIC, DRAM_BYTES.1),
        Look::Bytes,
        F::MemoryTraffic,
        |(_, n)| Content::Figure(n.traffic.actual),
    );
}

/// Measured times, an input each, and how the estimates compare.
fn beside_measured<'a>(model: &'a Model<'a>, found: &'a Measured, columns: &mut Columns<'a>) {
    add_figures(
        columns,
        MEASURED,
        Look::Seconds,
        F::MeasuredTime,
        |(index, _)| some(found.of(*index).map(|one| one.seconds)),
    );
    add_figures(
        columns,
        MEASURED_RATIO,
        Look::Ratio,
        F::MeasuredRatio,
        |(index, _)| some(found.of(*index).and_then(|one| one.ratio)),
    );
    add(
        columns,
        (TIME, "Measured together", ""),
        Look::Text,
        "All nests covered by the measured time, where it is not this one alone",
        |(index, _)| {
            let together = found.of(*index).filter(|one| one.nests.len() > 1);
            let ids = together.map(|one| {
                let ids = one
                    .nests
                    .iter()
                    .map(|nest| model.nests[*nest].nest.head().id.as_str());
                ids.collect::<Vec<&str>>().join(", ")
            });
            ids.map_or(Content::Empty, Content::Text)
        },
    );
}

/// Lines that come at a latency, and those of them that others of their sets evict.
fn irregular<'a>(model: &'a Model<'a>, columns: &mut Columns<'a>) {
    if model.nests.iter().any(|n| n.time.irregular.is_some()) {
        add_figures(
            columns,
            (TIME, "Irregular"),
            Look::Seconds,
            F::IrregularTime,
            |(_, n)| some(n.time.irregular.map(|found| found.seconds)),
        );
    }
    let conflicts = |nest: &NestModel| nest.time.irregular.and_then(|found| found.conflicts);
    if model.nests.iter().any(|nest| conflicts(nest).is_some()) {
        add_figures(
            columns,
            (TIME, "Conflicts"),
            Look::Seconds,
            F::ConflictTime,
            move |(_, n)| some(conflicts(n).map(|found| found.seconds)),
        );
    }
}

fn time<'a>(model: &'a Model<'a>, columns: &mut Columns<'a>) {
    let levels = model.nests.first().map_or(0, |n| n.time.levels.len());
    let name = |level: usize| model.nests[0].time.levels[level].name.clone();
    let kind = |level: usize, pick: fn(&LevelFigures) -> FigureId| {
        let figure = pick(&model.nests[0].time.levels[level]);
        model.figures.get(figure).label.kind
    };
    // Memory, the last one, has its bytes among the scenarios.
    for level in 0..levels.saturating_sub(1) {
        let header = name(level);
        add_figures(
            columns,
            (CACHE_TRAFFIC, &header),
            Look::Bytes,
            kind(level, |l| l.bytes),
            move |(_, n)| Content::Figure(n.time.levels[level].bytes),
        );
    }
    add_figures(
        columns,
        (TIME, "CPU"),
        Look::Seconds,
        F::CpuTime,
        |(_, n)| Content::Figure(n.time.cpu),
    );
    if model.nests.iter().any(|n| n.time.in_core.is_some()) {
        in_core(columns);
    }
    if model.nests.iter().any(|n| n.time.text.is_some()) {
        texts(columns);
    }
    for level in 0..levels {
        let header = name(level);
        add_figures(
            columns,
            (TIME, &header),
            Look::Seconds,
            kind(level, |l| l.seconds),
            move |(_, n)| Content::Figure(n.time.levels[level].seconds),
        );
    }
    irregular(model, columns);
    add_figures(
        columns,
        (TIME, SECONDS.1),
        Look::Seconds,
        F::Time,
        |(_, n)| Content::Figure(n.time.seconds),
    );
    band(columns);
    if model.ranking.follows_calls {
        over_calls(model, columns);
    }
    if let Some(found) = &model.measured {
        beside_measured(model, found, columns);
    }
    add_figures(columns, (TIME, BOUND.1), Look::Text, F::Bound, |(_, n)| {
        Content::Choice(
            n.time.bound,
            n.time
                .bound_names()
                .into_iter()
                .map(str::to_string)
                .collect(),
        )
    });
    add_figures(
        columns,
        (TIME, SHARE.1),
        Look::Share,
        F::ShareOfTime,
        |(index, _)| some(model.ranking.of(*index).map(|ranked| ranked.share)),
    );
    add_figures(
        columns,
        (TIME, INTENSITY.1),
        Look::Ratio,
        F::Intensity,
        |(_, n)| Content::Figure(n.time.intensity),
    );
    add_figures(
        columns,
        (TIME, "Bytes per flop"),
        Look::Ratio,
        F::Balance,
        |(_, n)| Content::Figure(n.time.balance),
    );
}

/// What the nest writes as text.
fn texts(columns: &mut Columns<'_>) {
    add_figures(
        columns,
        (TIME, "Numbers written"),
        Look::Count,
        F::Texts,
        |(_, n)| some(n.operations.texts),
    );
    add_figures(
        columns,
        (TIME, "Text"),
        Look::Seconds,
        F::TextTime,
        |(_, n)| some(n.time.text),
    );
}

/// Between which times the estimate lies.
fn band(columns: &mut Columns<'_>) {
    type Pick = fn(&Band) -> FigureId;
    let picked: [(&str, F, Pick); 2] = [
        (LOW.1, F::LowTime, |band| band.low),
        (HIGH.1, F::HighTime, |band| band.high),
    ];
    for (header, kind, pick) in picked {
        add_figures(
            columns,
            (TIME, header),
            Look::Seconds,
            kind,
            move |(_, n)| some(n.time.band.as_ref().map(pick)),
        );
    }
    add_figures(
        columns,
        (TIME, "Left open"),
        Look::Text,
        F::LeftOpen,
        |(_, n)| {
            (n.time.band.as_ref()).map_or(Content::Empty, |band| {
                Content::Several(band.left_open, &Open::NAMES)
            })
        },
    );
}

/// What the core does in its cycles, as the machine says.
fn in_core(columns: &mut Columns<'_>) {
    type Pick = fn(&InCoreFigures) -> FigureId;
    let picked: [(&str, Look, F, Pick); 5] = [
        ("Elements at once", Look::Number, F::Lanes, |found| {
            found.lanes
        }),
        ("Chain, cycles", Look::Ratio, F::ChainCycles, |found| {
            found.chain_cycles
        }),
        ("Ports, cycles", Look::Ratio, F::PortCycles, |found| {
            found.port_cycles
        }),
        ("Chain", Look::Seconds, F::ChainTime, |found| found.chains),
        ("Ports", Look::Seconds, F::PortsTime, |found| found.ports),
    ];
    for (header, look, kind, pick) in picked {
        add_figures(columns, (TIME, header), look, kind, move |(_, n)| {
            some(n.time.in_core.as_ref().map(pick))
        });
    }
    add_figures(
        columns,
        (TIME, "Mispredicted branches"),
        Look::Seconds,
        F::BranchTime,
        |(_, n)| some(n.time.branches().map(|found| found.seconds)),
    );
    add_figures(
        columns,
        (TIME, "Waiting accesses"),
        Look::Seconds,
        F::WaitingTime,
        |(_, n)| some(n.time.waiting),
    );
}

/// How often the nest's function is called, and what that makes of its time.
fn over_calls<'a>(model: &'a Model<'a>, columns: &mut Columns<'a>) {
    add_figures(
        columns,
        (TIME, CALLS.1),
        Look::Times,
        F::TimesCalled,
        |(index, _)| some(model.ranking.of(*index).and_then(|ranked| ranked.calls)),
    );
    let is_found_again = |nest: usize| model.ranking.revisits(nest).is_some();
    if (0..model.nests.len()).any(is_found_again) {
        for (position, level) in model.levels().iter().enumerate() {
            let header = format!("Cold in {}", level.name);
            add_figures(
                columns,
                (TIME, &header),
                Look::Times,
                F::ColdExecutions,
                move |(index, _)| {
                    let revisits = model.ranking.revisits(*index);
                    some(revisits.and_then(|found| found.cold.get(position).copied()))
                },
            );
        }
    }
    add(
        columns,
        (TIME, "Calls are estimated because of", ""),
        Look::Text,
        "Codes of why the number of calls is an estimate: recursion, or loops on the call path whose iterations are estimated",
        |(index, _)| {
            let codes = model.doubts(*index);
            Content::Text(
                codes
                    .into_iter()
                    .map(ReasonCode::as_str)
                    .collect::<Vec<_>>()
                    .join(", "),
            )
        },
    );
    add_figures(
        columns,
        (TIME, ALL_CALLS.1),
        Look::Seconds,
        F::NestTimeOfAllCalls,
        |(index, _)| some(model.ranking.seconds(*index)),
    );
}

/// What times are made from.
fn time_steps(columns: &mut Columns<'_>) {
    add_figures(
        columns,
        (STEPS, "Slowest part"),
        Look::Seconds,
        F::SlowestPart,
        |(_, n)| Content::Figure(n.time.slowest),
    );
    add_figures(
        columns,
        (STEPS, "Bound, number"),
        Look::Number,
        F::Bound,
        |(_, n)| Content::Figure(n.time.bound),
    );
}

/// What iterations are made from.
fn counts<'a>(model: &'a Model<'a>, columns: &mut Columns<'a>) {
    let chain = model
        .nests
        .iter()
        .map(|n| n.counts.len())
        .max()
        .unwrap_or(0);
    for position in 0..chain {
        let header = format!("Loop {}, every branch taken", position + 1);
        add_figures(
            columns,
            (STEPS, &header),
            Look::Count,
            F::UnweightedIterations,
            move |(_, n)| some(n.counts.get(position).map(|c| c.unweighted)),
        );
        let header = format!("Loop {}, iterations", position + 1);
        add_figures(
            columns,
            (STEPS, &header),
            Look::Count,
            F::Iterations,
            move |(_, n)| some(n.counts.get(position).map(|c| c.weighted)),
        );
    }
}

/// Of the pieces of advice for a nest, the one that saves the most.
pub(crate) fn advice_for<'a>(model: &'a Model, nest: usize) -> Option<&'a Advice> {
    model.advice.iter().find(|one| one.nests.contains(&nest))
}

/// The advice for each nest.
fn advised<'a>(model: &'a Model<'a>, columns: &mut Columns<'a>) {
    add(
        columns,
        (ADVICE.0, ADVICE.1, ""),
        Look::Text,
        "The change that saves the most time; chosen for the inputs in force when this was written. Sheet Advice lists all",
        move |(index, _)| {
            advice_for(model, *index).map_or(Content::Empty, |one| Content::Text(change(one)))
        },
    );
    add_figures(
        columns,
        GAIN,
        Look::Share,
        F::AdviceShare,
        move |(index, _)| some(advice_for(model, *index).map(|one| one.figures.share)),
    );
}

fn plural(level: usize) -> String {
    match level {
        0..=2 => format!("{}s", group_name(level)),
        _ => format!("{} groups", group_name(level)),
    }
}

pub(super) fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(characters).collect()
    })
}
