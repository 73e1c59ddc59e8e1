//! The sheet Loops: ExaSAT's loop table (report section 2.3.3), one row a nest.

use super::{Column, Content, Look, Table, add};
use crate::analysis::facts::AccessClass;
use crate::expr::FigureId;
use crate::model::{Model, NestModel, WorkingSet, dimension_name, group_name, scenario_name};
use crate::reason::ReasonCode;

type Row<'a> = &'a NestModel<'a>;
type Columns<'a> = Vec<Column<'a, (usize, Row<'a>)>>;

/// Where other sheets find what they list of a nest: group and header.
pub(crate) const ID: (&str, &str) = ("Loop", "Loop");
pub(crate) const FILE: (&str, &str) = ("Loop", "File");
pub(crate) const LINE: (&str, &str) = ("Loop", "Line");
pub(crate) const REASONS: (&str, &str) = ("Loop", "Not understood");
pub(crate) const SECONDS: (&str, &str) = (TIME, "Estimate");
pub(crate) const SHARE: (&str, &str) = (TIME, "Share of total");
pub(crate) const CALLS: (&str, &str) = (TIME, "Calls");
pub(crate) const ALL_CALLS: (&str, &str) = (TIME, "All calls");
pub(crate) const BOUND: (&str, &str) = (TIME, "Bound by");
pub(crate) const DRAM_BYTES: (&str, &str) = (TRAFFIC, "Actual");
pub(crate) const INTENSITY: (&str, &str) = (TIME, "Arithmetic intensity");

const TIME: &str = "Time";
const TRAFFIC: &str = "Memory traffic over the whole execution, by what is reused";

/// The column of the times that nests are ranked by.
pub(crate) fn ranked_by(model: &Model) -> (&'static str, &'static str) {
    match model.ranking.follows_calls {
        true => ALL_CALLS,
        false => SECONDS,
    }
}

/// The whole table.
pub(crate) fn table<'a>(model: &'a Model<'a>) -> Table<'a, (usize, Row<'a>)> {
    let mut columns = Columns::new();
    identity(model, &mut columns);
    iteration_space(model, &mut columns);
    operations(&mut columns);
    streams(model, &mut columns);
    working_sets(model, &mut columns);
    traffic(model, &mut columns);
    time(model, &mut columns);
    steps(model, &mut columns);
    Table {
        title: "Loops",
        remark: "One row a loop nest. Point at a heading to read what its column means; Notes has the whole glossary."
            .into(),
        rows: model.nests.iter().enumerate().collect(),
        columns,
    }
}

/// A figure where the nest has it.
fn some(figure: Option<FigureId>) -> Content {
    figure.map_or(Content::Empty, Content::Figure)
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
                .map(|c| match c.facts.variable.as_str() {
                    "" => "(none)",
                    name => name,
                });
            Content::Text(variables.collect::<Vec<&str>>().join(", "))
        },
    );
    add(
        columns,
        (group, "Parallel", ""),
        Look::Text,
        "Parallel directives of its loops",
        |(_, n)| {
            let directives = n
                .nest
                .loops
                .iter()
                .filter_map(|c| c.facts.parallel.as_deref());
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
                n.nest
                    .reason_codes()
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
    let meaning =
        "Times that the spatial loops run as a whole: loops over the components of arrays";
    add(
        columns,
        ("Sweeps", "Sweeps", ""),
        Look::Count,
        meaning,
        |(_, n)| Content::Figure(n.sweeps),
    );
    for position in 0..sweeps {
        let header = format!("Sweep loop {}", position + 1);
        add(
            columns,
            ("Sweeps", &header, ""),
            Look::Count,
            "Mean trip count of that sweep loop",
            move |(_, n)| some(n.sweep_trips.get(position).copied()),
        );
    }
    type Pick = fn(&crate::model::LoopFigures) -> FigureId;
    let groups: [(&str, &str, Pick); 3] = [
        (
            "Iteration space",
            "Mean trip count of the loop, x the innermost; triangular loops are summed exactly",
            |l| l.trip,
        ),
        (
            "Block size",
            "Iterations of a full block: block_x, block_y … of Parameters, at most the trip count",
            |l| l.block,
        ),
        (
            "Blocks",
            "Trip count over block size, rounded up; the last block may be smaller",
            |l| l.blocks,
        ),
    ];
    for (group, meaning, pick) in groups {
        for position in 0..model.dimensions {
            let name = dimension_name(position);
            add(
                columns,
                (group, &name, ""),
                Look::Count,
                meaning,
                move |(_, n)| some(n.loops.get(position).map(pick)),
            );
        }
    }
    add(
        columns,
        ("Blocks", "All", ""),
        Look::Count,
        "Blocks of one sweep: the product over the dimensions",
        |(_, n)| Content::Figure(n.blocks),
    );
}

fn operations(columns: &mut Columns) {
    type Pick = fn(Row) -> FigureId;
    let each: [(&str, &str, Pick); 6] = [
        ("Adds", "Floating-point additions and subtractions", |n| {
            n.operations.iteration.adds
        }),
        ("Multiplies", "Floating-point multiplications", |n| {
            n.operations.iteration.multiplies
        }),
        ("Divides", "Floating-point divisions", |n| {
            n.operations.iteration.divides
        }),
        (
            "Specials",
            "Square roots, exponentials, logarithms, trigonometric functions …",
            |n| n.operations.iteration.specials,
        ),
        (
            "Fused pairs",
            "Adds that could be fused with a multiply; both are counted on their own too",
            |n| n.operations.iteration.fma_pairs,
        ),
        ("Flops", "Adds + multiplies + divides + specials", |n| {
            n.operations.iteration.flops
        }),
    ];
    for (header, meaning, pick) in each {
        let meaning = format!(
            "{meaning}; one iteration of the innermost loop, branches by their probability"
        );
        let group = "Operations an iteration";
        add(
            columns,
            (group, header, "flop"),
            Look::Number,
            &meaning,
            move |(_, n)| Content::Figure(pick(n)),
        );
    }
    let group = "Operations over the whole execution";
    add(
        columns,
        (group, "Iterations", ""),
        Look::Count,
        "Iterations of the innermost loop, all sweeps",
        |(_, n)| Content::Figure(n.iterations),
    );
    let all: [(&str, &str, Pick); 7] = [
        (
            "Adds",
            "Additions and subtractions of all loops of the nest",
            |n| n.operations.adds,
        ),
        (
            "Multiplies",
            "Multiplications of all loops of the nest",
            |n| n.operations.multiplies,
        ),
        ("Divides", "Divisions of all loops of the nest", |n| {
            n.operations.divides
        }),
        ("Specials", "Specials of all loops of the nest", |n| {
            n.operations.specials
        }),
        (
            "Fused pairs",
            "Adds that could be fused with a multiply",
            |n| n.operations.fma_pairs,
        ),
        ("Flops", "Adds + multiplies + divides + specials", |n| {
            n.operations.flops
        }),
        (
            "Weighted flops",
            "Adds + multiplies + cost_div·divides + cost_special·specials, less fused pairs if fma_aware is 1",
            |n| n.operations.weighted,
        ),
    ];
    for (header, meaning, pick) in all {
        add(
            columns,
            (group, header, "flop"),
            Look::Count,
            meaning,
            move |(_, n)| Content::Figure(pick(n)),
        );
    }
}

fn streams<'a>(model: &'a Model<'a>, columns: &mut Columns<'a>) {
    let classes: [(&str, &str, &[AccessClass]); 3] = [
        (
            "R",
            "Arrays (components apart) that are only read",
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
        let meaning = format!(
            "{header} of all arrays that must stay in the cache so that the next iteration reuses them: \
             span + largest gap of each array (report section 2.1)"
        );
        add(
            columns,
            ("To keep for reuse", &header, ""),
            Look::Number,
            &meaning,
            move |(_, n)| some(n.working_sets.live.get(level).copied()),
        );
    }
}

fn working_sets<'a>(model: &'a Model<'a>, columns: &mut Columns<'a>) {
    type Pick = fn(Row) -> &WorkingSet;
    let variants: [(&str, &str, Pick); 4] = [
        ("Working set, naive", "all arrays share the cache", |n| {
            &n.working_sets.naive
        }),
        (
            "Working set, streaming writes",
            "written arrays bypass the cache",
            |n| &n.working_sets.streaming,
        ),
        (
            "Working set, reuse only",
            "arrays without reuse bypass the cache too",
            |n| &n.working_sets.reuse,
        ),
        (
            "Working set, actual",
            "the variant that streaming_writes and nta_hints choose",
            |n| &n.working_sets.actual,
        ),
    ];
    for (group, what, pick) in variants {
        for level in (0..model.dimensions).rev() {
            let header = capital(&group_name(level));
            let meaning = format!("Bytes to keep for reuse between {}: {what}", plural(level));
            add(
                columns,
                (group, &header, "B"),
                Look::Count,
                &meaning,
                move |(_, n)| some(pick(n).levels.get(level).copied()),
            );
        }
    }
    let meaning = "Distinct bytes that the whole nest touches, in whole cache lines";
    add(
        columns,
        ("Footprint", "Footprint", "B"),
        Look::Count,
        meaning,
        |(_, n)| Content::Figure(n.working_sets.footprint),
    );
}

fn traffic<'a>(model: &'a Model<'a>, columns: &mut Columns<'a>) {
    let meaning = "Everything is reused, between blocks too: the compulsory traffic of the nest";
    add(
        columns,
        (TRAFFIC, "Between blocks", "B"),
        Look::Count,
        meaning,
        |(_, n)| Content::Figure(n.traffic.between_blocks),
    );
    for index in (0..=model.dimensions).rev() {
        let header = capital(&scenario_name(index));
        let meaning = match index {
            0 => "Nothing is reused: every reference moves its element".into(),
            1 => "Elements are reused within pencils only".into(),
            _ => format!(
                "Elements are reused {} of a block, and not beyond",
                scenario_name(index)
            ),
        };
        add(
            columns,
            (TRAFFIC, &header, "B"),
            Look::Count,
            &meaning,
            move |(_, n)| some(n.traffic.scenarios.get(index).copied()),
        );
    }
    let meaning = "The scenario whose actual working set is below cache_bytes; between blocks if the footprint is";
    add(
        columns,
        (TRAFFIC, DRAM_BYTES.1, "B"),
        Look::Count,
        meaning,
        |(_, n)| Content::Figure(n.traffic.actual),
    );
    if model
        .nests
        .iter()
        .any(|nest| !nest.levels.caches.is_empty())
    {
        let meaning = "The same neighbour by neighbour: what the last cache of sheet Caches fetches and writes back. The \
                       DRAM time is that of the scenario";
        add(
            columns,
            (TRAFFIC, "Refined", "B"),
            Look::Count,
            meaning,
            |(_, n)| {
                n.levels
                    .caches
                    .last()
                    .map_or(Content::Empty, |cache| Content::Figure(cache.bytes))
            },
        );
    }
}

fn time<'a>(model: &'a Model<'a>, columns: &mut Columns<'a>) {
    let levels = model.nests.first().map_or(0, |n| n.time.levels.len());
    let name = |level: usize| model.nests[0].time.levels[level].name.clone();
    // Memory, the last one, has its bytes among the scenarios.
    for level in 0..levels.saturating_sub(1) {
        let header = name(level);
        let meaning = format!("Bytes that {header} delivers, over the whole execution");
        add(
            columns,
            ("Cache traffic", &header, "B"),
            Look::Count,
            &meaning,
            move |(_, n)| Content::Figure(n.time.levels[level].bytes),
        );
    }
    let meaning = "Weighted flops / (gflops_per_core · 1e9 · cores)";
    add(
        columns,
        (TIME, "CPU", "s"),
        Look::Seconds,
        meaning,
        |(_, n)| Content::Figure(n.time.cpu),
    );
    for level in 0..levels {
        let header = name(level);
        let meaning = match level + 1 == levels {
            true => {
                "Actual memory traffic / memory bandwidth in force, as sheet Machine has it below its parameters".into()
            }
            false => format!("Traffic of {header} / ({}_gbs · 1e9 · cores)", header.to_lowercase()),
        };
        add(
            columns,
            (TIME, &header, "s"),
            Look::Seconds,
            &meaning,
            move |(_, n)| Content::Figure(n.time.levels[level].seconds),
        );
    }
    let meaning =
        "The largest of these times; with overlap below 1, part of CPU and data time adds up";
    add(
        columns,
        (TIME, SECONDS.1, "s"),
        Look::Seconds,
        meaning,
        |(_, n)| Content::Figure(n.time.seconds),
    );
    if model.ranking.follows_calls {
        over_calls(model, columns);
    }
    add(
        columns,
        (TIME, BOUND.1, ""),
        Look::Text,
        "What takes longest",
        |(_, n)| {
            Content::Choice(
                n.time.bound,
                n.time
                    .bound_names()
                    .into_iter()
                    .map(str::to_string)
                    .collect(),
            )
        },
    );
    let meaning = match model.ranking.follows_calls {
        true => "Time of all calls over that of all nests; empty where no calls lead to the nest",
        false => "Estimate over the sum of all estimates",
    };
    add(
        columns,
        (TIME, SHARE.1, ""),
        Look::Share,
        meaning,
        |(index, _)| some(model.ranking.of(*index).map(|ranked| ranked.share)),
    );
    let meaning = "Flops over actual memory traffic";
    add(
        columns,
        (TIME, INTENSITY.1, "flop/B"),
        Look::Ratio,
        meaning,
        |(_, n)| Content::Figure(n.time.intensity),
    );
    let meaning = "Actual memory traffic over flops";
    add(
        columns,
        (TIME, "Bytes a flop", "B/flop"),
        Look::Ratio,
        meaning,
        |(_, n)| Content::Figure(n.time.balance),
    );
}

/// How often the nest's function is called, and what that makes of its time.
fn over_calls<'a>(model: &'a Model<'a>, columns: &mut Columns<'a>) {
    let meaning = "How often its function is called, followed from where a run begins; empty where no calls lead to it";
    add(
        columns,
        (TIME, CALLS.1, ""),
        Look::Times,
        meaning,
        |(index, _)| some(model.ranking.of(*index).and_then(|ranked| ranked.calls)),
    );
    add(
        columns,
        (TIME, "Calls are not exact because of", ""),
        Look::Text,
        "Codes of why the number of calls is an estimate: recursion, or loops on the way whose iterations are one",
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
    add(
        columns,
        (TIME, ALL_CALLS.1, "s"),
        Look::Seconds,
        "Estimate times calls: what the nests are ranked by",
        |(index, _)| some(model.ranking.seconds(*index)),
    );
}

/// What the columns to the left are made from.
fn steps<'a>(model: &'a Model<'a>, columns: &mut Columns<'a>) {
    let group = "Intermediate steps";
    let meaning = "The largest of the CPU time and the times of all levels";
    add(
        columns,
        (group, "Slowest part", "s"),
        Look::Seconds,
        meaning,
        |(_, n)| Content::Figure(n.time.slowest),
    );
    let meaning = "Position of the slowest part: 1 is CPU, then the levels";
    add(
        columns,
        (group, "Bound, number", ""),
        Look::Number,
        meaning,
        |(_, n)| Content::Figure(n.time.bound),
    );
    let chain = model
        .nests
        .iter()
        .map(|n| n.counts.len())
        .max()
        .unwrap_or(0);
    for position in 0..chain {
        let header = format!("Loop {}, every branch taken", position + 1);
        let meaning = "Iterations of that loop, the outermost being 1, as if every branch around it were taken";
        add(
            columns,
            (group, &header, ""),
            Look::Count,
            meaning,
            move |(_, n)| some(n.counts.get(position).map(|c| c.unweighted)),
        );
        let header = format!("Loop {}, iterations", position + 1);
        let meaning =
            "Iterations of that loop over the whole execution, branches by their probability";
        add(
            columns,
            (group, &header, ""),
            Look::Count,
            meaning,
            move |(_, n)| some(n.counts.get(position).map(|c| c.weighted)),
        );
    }
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
