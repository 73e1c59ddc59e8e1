//! Shards of traces: one pass for all caches, windows and capacities, formulas for all latencies and slots.

use std::collections::HashSet;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Context;

use crate::cache::CacheSpec;
use crate::commands::trace::input;
use crate::metrics::counted::Counted;
use crate::metrics::epoch::{EpochSettings, Stores};
use crate::metrics::formulas::{EdagFigure, Figures};
use crate::metrics::report::{Edag, Epochs, Inputs};
use crate::metrics::settings::Settings;
use crate::quantity::binary_size;
use crate::sweep::columns::Column;
use crate::sweep::latency::RunLatency;
use crate::sweep::manifest::{CacheRun, EpochWork, TraceWork};
use crate::sweep::row::{Row, RowKind};
use crate::trace::isa::AccessCount;
use crate::trace::{
    self, Instruction, LineError, Options, ReadSummary, RunEnd, TraceError, UnknownPolicy,
};
use crate::traced;

/// Whether a file begins as a trace does.
pub fn is_trace(path: &Path) -> bool {
    input::open_noting(path, |_| ())
        .is_ok_and(|input| begin_reading(input, UnknownPolicy::Warn).is_ok())
}

/// The first instructions, up to one that shows whether accesses have addresses. What is wrong further inside a shard finds.
fn begin_reading(
    input: impl Read + Send,
    unknown: UnknownPolicy,
) -> Result<ReadSummary, TraceError> {
    let options = Options {
        format: None,
        unknown,
    };
    trace::read(input, options, &mut |batch| {
        // Others may access nothing.
        let is_access = |instruction: &Instruction| {
            let access = instruction.decoded.facts.access.as_ref();
            access.is_some_and(|access| access.count == AccessCount::One)
        };
        let is_settled = batch.has_addresses() || batch.instructions.iter().any(is_access);
        (!is_settled).then_some(batch)
    })
}

/// Makes sure that a file begins as a trace does; returns whether accesses have addresses.
///
/// # Errors
/// It cannot be read, is empty, or is in no format that is known.
pub fn recognise(path: &Path) -> anyhow::Result<bool> {
    let begin = |unknown| {
        let input = input::open_noting(path, |_| ())?;
        Ok::<_, anyhow::Error>(begin_reading(input, unknown))
    };
    // A text of any kind is lines that begin with unknown words, which no shard takes.
    if let Err(error) = begin(UnknownPolicy::Refuse)?
        && let LineError::UnknownMnemonic { .. } = error.error
        && error.is_in_first_line()
    {
        anyhow::bail!("{}", error.without_remedy());
    }
    let error = match begin(UnknownPolicy::Warn)? {
        Ok(read) => return Ok(read.has_addresses),
        Err(error) => error,
    };
    match &error.error {
        LineError::Empty
        | LineError::UnknownFormat(_)
        | LineError::OtherFormat { .. }
        | LineError::TooLong { .. }
        | LineError::NoCommits
        | LineError::NothingKnown(_)
        | LineError::Read(_)
        | LineError::Compression(_)
        | LineError::Record(_) => Err(anyhow::anyhow!("{}", error.without_remedy())),
        _ => Ok(true),
    }
}

/// The rows of all configurations: caches by caches, then epochs. `read` grows with the bytes that are read.
///
/// # Errors
/// A line of the trace cannot be read, it has no addresses where they are needed, or levels are not a hierarchy.
pub fn rows(name: &str, work: &TraceWork, read: &Arc<AtomicU64>) -> anyhow::Result<Vec<Row>> {
    let hierarchies = distinct(&work.runs);
    let (read, counted) = pass(Path::new(name), &hierarchies, work, read)?;
    let edags: Vec<&Edag> = std::iter::once(&counted.edag)
        .chain(&counted.other_edags)
        .collect();
    let mut rows = Vec::new();
    for run in &work.runs {
        let position = hierarchies.iter().position(|known| *known == run.caches);
        let edag = edags[position.unwrap_or(0)];
        let caches = specs(&run.caches)?;
        let row = with_caches(begin(name, RowKind::Trace, &read), &caches, run);
        for latency in &run.latencies {
            for slots in &work.slots {
                rows.push(of_run(row.clone(), edag, (run, *latency, *slots)));
            }
        }
    }
    if let Some(epochs) = &counted.epochs {
        add_epochs(name, &read, epochs, &mut rows);
    }
    Ok(rows)
}

/// Every hierarchy once.
fn distinct(runs: &[CacheRun]) -> Vec<&[String]> {
    let mut known = HashSet::new();
    let all = runs.iter().map(|run| &run.caches[..]);
    all.filter(|caches| known.insert(*caches)).collect()
}

fn specs(texts: &[String]) -> anyhow::Result<Vec<CacheSpec>> {
    texts
        .iter()
        .map(|text| {
            text.parse()
                .map_err(|error| anyhow::anyhow!("{text}: {error}"))
        })
        .collect()
}

fn pass(
    path: &Path,
    hierarchies: &[&[String]],
    work: &TraceWork,
    read: &Arc<AtomicU64>,
) -> anyhow::Result<(ReadSummary, Counted)> {
    let all = hierarchies.iter().map(|levels| specs(levels));
    let mut all = all
        .collect::<anyhow::Result<Vec<Vec<CacheSpec>>>>()?
        .into_iter();
    let first = all.next().unwrap_or_default();
    let settings = Settings {
        caches: first,
        other_caches: all.collect(),
        epochs: work.epochs.as_ref().map(epochs),
        ..Settings::default()
    };
    let options = Options {
        format: None,
        unknown: UnknownPolicy::Refuse,
    };
    let read = read.clone();
    let input = input::open_noting(path, move |count| {
        read.fetch_add(count as u64, Ordering::Relaxed);
    })?;
    // Options of `loopsheet trace` are no help here.
    let plain = |error: anyhow::Error| match error.downcast_ref::<TraceError>() {
        Some(error) => anyhow::anyhow!("{}", error.without_remedy()),
        None => error,
    };
    let done = traced::pass(input, options, settings).map_err(plain);
    done.with_context(|| path.display().to_string())
}

/// Whether epochs can be counted for what is asked.
///
/// # Errors
/// A window or capacity is out of range.
pub fn check_epochs(work: &EpochWork) -> anyhow::Result<()> {
    Ok(epochs(work).validate()?)
}

fn epochs(work: &EpochWork) -> EpochSettings {
    EpochSettings {
        windows: work.windows.clone(),
        capacities: work.capacities.clone(),
        slots: work.slots.clone(),
        line: 64,
        stores: Stores::Buffered,
    }
}

fn begin(name: &str, kind: RowKind, read: &ReadSummary) -> Row {
    let row = Row::new(name, kind);
    match read.end.filter(|end: &RunEnd| !end.is_orderly()) {
        Some(end) => row.with_text(Column::Reasons, &format!("the run ended {end}")),
        None => row,
    }
}

fn with_caches(row: Row, caches: &[CacheSpec], run: &CacheRun) -> Row {
    let text = match &run.caches[..] {
        [] => "none".to_string(),
        caches => caches.join(" + "),
    };
    let row = match (&run.machine, run.ghz) {
        (Some(machine), Some(_)) => row.with_text(Column::Machine, machine),
        (Some(machine), None) => row
            .with_text(Column::Machine, machine)
            .with_text(Column::MachineUnknown, "the clock"),
        (None, _) => row,
    };
    row.with_text(Column::Caches, &text)
        .with_count(
            Column::FirstCacheBytes,
            caches.first().map(|level| level.bytes),
        )
        .with_count(
            Column::LastCacheBytes,
            caches.last().map(|level| level.bytes),
        )
        .with(Column::AreaMm2, run.area_mm2)
        .with(Column::Ghz, run.ghz)
}

fn of_run(row: Row, edag: &Edag, (run, latency, slots): (&CacheRun, RunLatency, f64)) -> Row {
    // Of what follows nothing depends on the clock but seconds.
    const ANY_CLOCK: f64 = 1.0;
    let figures = Figures::of(
        edag,
        &Inputs {
            slots,
            latency: latency.cycles,
            base_latency: latency.cycles,
            ghz: run.ghz.unwrap_or(ANY_CLOCK),
            processors: 1.0,
        },
    );
    let figure = |figure: EdagFigure| figures.get(figure);
    let cycles = figure(EdagFigure::TimeUpper);
    let seconds = cycles.zip(run.ghz);
    let seconds = seconds.map(|(cycles, ghz)| cycles / (ghz * 1e9));
    let memory = edag.memory.as_ref();
    row.with_latency(latency)
        .with(Column::Slots, slots)
        .with(Column::TimeSeconds, seconds)
        .with_count(Column::Instructions, edag.vertices)
        .with_count(Column::Edges, edag.edges)
        .with(Column::WorkCycles, figure(EdagFigure::Work))
        .with(Column::DepthCycles, figure(EdagFigure::Depth))
        .with_count(Column::MemoryWork, memory.map(|memory| memory.work))
        .with_count(Column::MemoryDepth, memory.map(|memory| memory.depth))
        .with(Column::NonMemoryCycles, figure(EdagFigure::NonMemoryCost))
        .with_count(
            Column::BytesMoved,
            memory.and_then(|memory| memory.bytes_moved),
        )
        .with(Column::Lambda, figure(EdagFigure::Lambda))
        .with(Column::LambdaLower, figure(EdagFigure::LambdaLower))
        .with(Column::RelativeLambda, figure(EdagFigure::RelativeLambda))
        .with(Column::TimeLowerCycles, figure(EdagFigure::TimeLower))
        .with(Column::TimeUpperCycles, figure(EdagFigure::TimeUpper))
}

/// A cache of one set, as a person writes it.
fn full(capacity: u64) -> String {
    format!("{},full", binary_size(capacity).replace(' ', ""))
}

fn add_epochs(name: &str, read: &ReadSummary, epochs: &Epochs, rows: &mut Vec<Row>) {
    let unlimited = std::iter::once((None, &epochs.epochs));
    let limited = epochs
        .slots
        .iter()
        .map(|(slots, table)| (Some(*slots), table));
    for (slots, table) in unlimited.chain(limited) {
        let rates = epochs.per_thousand(table);
        for (c, capacity) in epochs.capacities.iter().enumerate() {
            for (w, window) in epochs.windows.iter().enumerate() {
                rows.push(
                    begin(name, RowKind::Epochs, read)
                        .with_text(Column::Caches, &full(*capacity))
                        .with_count(Column::FirstCacheBytes, *capacity)
                        .with_count(Column::LastCacheBytes, *capacity)
                        .with_count(Column::Window, u64::from(*window))
                        .with_count(Column::EpochSlots, slots.map(u64::from))
                        .with_count(Column::Instructions, epochs.instructions)
                        .with_count(Column::Epochs, table[c][w])
                        .with(Column::EpochsPerThousand, rates[c][w]),
                );
            }
        }
    }
}
