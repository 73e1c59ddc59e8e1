//! `loopsheet sweep run`: which shards, and several at once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};

use super::place::Place;
use super::result::{self, State};
use super::shard;
use crate::cli::SweepRunArgs;
use crate::commands::{Status, Voice, slurm};
use crate::sweep::manifest::{Manifest, Shard};
use crate::wording::counted;

/// So many failures are named.
const MOST_NAMED: usize = 5;

/// Deeply nested expressions need more than the usual stack.
const STACK: usize = 64 << 20;

pub fn run(args: &SweepRunArgs, voice: Voice) -> anyhow::Result<Status> {
    let (place, manifest) = Place::enter(&args.place.dir)?;
    let chosen = chosen(args, manifest.shards.len())?;
    let is_wanted = |number: &usize| match result::state(&place, &manifest.shards[*number]) {
        State::Missing => true,
        State::Failed => args.retry,
        State::Done => false,
    };
    let wanted: Vec<usize> = chosen.iter().copied().filter(is_wanted).collect();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = match args.jobs {
        Some(jobs) => jobs as usize,
        None if args.all => cores,
        None => 1,
    };
    compute(&place, &manifest, &wanted, jobs, voice)?;
    Ok(summary(&place, &manifest, (&chosen, wanted.len()), voice))
}

/// Positions of the shards that are asked for.
fn chosen(args: &SweepRunArgs, shards: usize) -> anyhow::Result<Vec<usize>> {
    if args.all {
        return Ok((0..shards).collect());
    }
    let number = match (args.number, args.from_slurm) {
        (Some(number), _) => number,
        _ => slurm::task().context("--from-slurm")?,
    };
    let parts = args.of.map_or(shards, |parts| parts as usize);
    let what = if args.of.is_some() { "part" } else { "shard" };
    anyhow::ensure!(
        (1..=parts).contains(&number),
        "there is no {what} {number}: {what}s are counted from 1 to {parts}"
    );
    Ok((number - 1..shards).step_by(parts.max(1)).collect())
}

/// Computes the shards at these positions, so many at once.
///
/// # Errors
/// A result cannot be written: the disk is full, say. What a shard itself fails with is its result.
pub fn compute(
    place: &Place,
    manifest: &Manifest,
    wanted: &[usize],
    jobs: usize,
    voice: Voice,
) -> anyhow::Result<()> {
    let bar = progress_bar(wanted.len(), voice);
    let quiet = Voice {
        quiet: true,
        verbose: false,
        ..voice
    };
    let next = AtomicUsize::new(0);
    let stopped: Mutex<Option<anyhow::Error>> = Mutex::new(None);
    let lock = || stopped.lock().unwrap_or_else(PoisonError::into_inner);
    let work = || {
        while let Some(number) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
            if lock().is_some() {
                return;
            }
            let shard: &Shard = &manifest.shards[*number];
            let rows = shard::compute(shard, &manifest.header.settings, quiet);
            if let Err(error) = result::write(place, shard, &rows) {
                lock().get_or_insert(error);
            }
            bar.inc(1);
        }
    };
    std::thread::scope(|scope| -> anyhow::Result<()> {
        for _ in 0..jobs.min(wanted.len()) {
            let thread = std::thread::Builder::new().stack_size(STACK);
            thread
                .spawn_scoped(scope, work)
                .context("no more threads")?;
        }
        Ok(())
    })?;
    bar.finish_and_clear();
    match stopped.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

/// Says what came of the shards that were asked for.
fn summary(
    place: &Place,
    manifest: &Manifest,
    (chosen, computed): (&[usize], usize),
    voice: Voice,
) -> Status {
    let is_failed =
        |number: &&usize| result::state(place, &manifest.shards[**number]) == State::Failed;
    let failed: Vec<usize> = chosen.iter().filter(is_failed).copied().collect();
    if !voice.quiet {
        eprintln!(
            "loopsheet: {}: {computed} computed now, {} there before; {} of all failed",
            counted(chosen.len(), "shard"),
            chosen.len() - computed,
            failed.len()
        );
    }
    for number in failed.iter().take(MOST_NAMED) {
        eprintln!("loopsheet: {}", why(place, manifest, *number));
    }
    match failed.len() {
        0 => return Status::Done,
        more if more > MOST_NAMED => eprintln!("loopsheet: … and {} more", more - MOST_NAMED),
        _ => {}
    }
    eprintln!(
        "loopsheet: --retry computes again what failed; where an input has changed, `loopsheet sweep plan` is needed first"
    );
    Status::WithErrors
}

/// Why a shard failed.
fn why(place: &Place, manifest: &Manifest, number: usize) -> String {
    let shard = &manifest.shards[number];
    let rows = result::read(place, shard).ok().into_iter().flatten();
    let errors: Vec<String> = rows
        .flatten()
        .filter_map(|row| Some(row.text(crate::sweep::columns::Column::Error)?.to_string()))
        .collect();
    format!(
        "shard {} ({}): {}",
        number + 1,
        shard.input,
        errors.join("; ")
    )
}

fn progress_bar(length: usize, voice: Voice) -> ProgressBar {
    if voice.quiet {
        return ProgressBar::hidden();
    }
    // Draws on standard error, and only on a terminal.
    let bar = ProgressBar::new(length as u64);
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} shards  {elapsed}, {eta} left");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
