//! `loopsheet sweep run`: which shards, and several at once.

use std::collections::BTreeMap;
#[cfg(target_os = "linux")]
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};

use anyhow::Context;

use super::claim::{self, Claim};
use super::contents::{self, Change, Contents};
use super::not_read;
use super::place::Place;
use super::progress::Progress;
use super::result::{self, Look, State};
use super::shard;
use super::since_plan;
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
    since_plan::say(&place, &manifest, voice);
    let chosen = chosen(args, manifest.shards.len(), voice)?;
    let retry = if args.retry {
        Failed::Again
    } else {
        Failed::Stay
    };
    let mut wanted = Vec::new();
    let mut there = Vec::new();
    for number in &chosen {
        let shard = &manifest.shards[*number];
        let state = result::state(&place, shard, Look::Whole)?;
        if state == State::Damaged && !voice.quiet {
            eprintln!(
                "loopsheet: the file of shard {} ({}) in {} is not its whole result: it is computed again",
                number + 1,
                shard.input,
                place.name().join("shards").display()
            );
        }
        if is_wanted(state, retry) {
            wanted.push(*number);
        } else if state == State::Done {
            there.push(*number);
        }
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = match args.jobs {
        Some(jobs) => jobs as usize,
        None if args.all => cores,
        None => 1,
    };
    let contents = Contents::noted(&place);
    let plan = (&place, &manifest, &contents);
    let computed = compute(plan, (&wanted, retry), jobs, voice)?;
    let status = summary(plan, (&chosen, wanted.len(), computed), voice)?;
    let there = there.iter().map(|number| &manifest.shards[*number]);
    let stale = say_changes(&place, &contents, there, voice)?;
    let chosen = chosen.iter().map(|number| &manifest.shards[*number]);
    let not_read = not_read::say_of(&manifest, chosen, voice);
    Ok(status.max(stale).max(not_read))
}

/// What happens to shards that failed before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failed {
    Stay,
    /// They are computed again.
    Again,
}

/// Says which inputs of these shards, whose results are there, are not what they were when these were planned. Inputs that are gone
/// may have been removed after their shards were computed, which takes nothing from them.
///
/// # Errors
/// There is no current directory.
pub fn say_changes<'m>(
    place: &Place,
    contents: &Contents,
    shards: impl Iterator<Item = &'m Shard>,
    voice: Voice,
) -> anyhow::Result<Status> {
    let changes = contents::changes(contents, shards)?.into_iter();
    let (gone, changes): (BTreeMap<String, Change>, BTreeMap<String, Change>) =
        changes.partition(|(_, change)| *change == Change::Gone);
    if !voice.quiet {
        for sentence in contents::sentences(&gone) {
            let (shards, held) = match gone.len() {
                1 => ("its shards are", "it"),
                _ => ("their shards are", "they"),
            };
            eprintln!("loopsheet: {sentence}; {shards} there, with what {held} held then");
        }
    }
    if changes.is_empty() {
        return Ok(Status::Done);
    }
    for sentence in contents::sentences(&changes) {
        eprintln!("loopsheet: {sentence}");
    }
    let is_unreadable = |change: &Change| *change == Change::Unreadable;
    if changes.values().any(is_unreadable) {
        eprintln!(
            "loopsheet: make what cannot be read readable again, or leave it out of the sweep"
        );
    }
    if !changes.values().all(is_unreadable) {
        eprintln!(
            "loopsheet: shards that are there are of what was planned; `loopsheet sweep plan SWEEP.toml --dir {}` plans again, and \
             keeps what did not change",
            place.word()
        );
    }
    Ok(Status::WithErrors)
}

/// Positions of the shards that are asked for.
fn chosen(args: &SweepRunArgs, shards: usize, voice: Voice) -> anyhow::Result<Vec<usize>> {
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
    if number > shards && !voice.quiet {
        eprintln!(
            "loopsheet: part {number} of {parts} is empty, since the sweep has only {}",
            counted(shards, "shard")
        );
    }
    Ok((number - 1..shards).step_by(parts.max(1)).collect())
}

/// Computes the shards at these positions, so many at once; returns how many it computed. Those that another run computes just
/// now come last: then they are there, or that run was stopped.
///
/// # Errors
/// A result cannot be written: the disk is full, say. What a shard itself fails with is its result.
pub fn compute(
    (place, manifest, contents): (&Place, &Manifest, &Contents),
    (wanted, failed): (&[usize], Failed),
    jobs: usize,
    voice: Voice,
) -> anyhow::Result<usize> {
    let shards = || wanted.iter().map(|number| &manifest.shards[*number]);
    let counts = (wanted.len(), manifest.shards.len());
    let progress = Progress::begin(counts, shards().map(shard::bytes).sum(), voice);
    let _farewell = farewell(&progress, place, shards());
    let (next, next_claimed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let computed = AtomicUsize::new(0);
    let claimed: Mutex<Vec<usize>> = Mutex::default();
    let stopped: Mutex<Option<anyhow::Error>> = Mutex::new(None);
    let lock = || stopped.lock().unwrap_or_else(PoisonError::into_inner);
    let with_claim = |shard: &Shard, claim: Claim| -> anyhow::Result<()> {
        let read = progress.start_shard();
        // Somebody else may have computed it since the beginning.
        if is_wanted(result::state(place, shard, Look::Whole)?, failed) {
            let settings = &manifest.header.settings[..];
            let rows = shard::compute(shard, settings, contents, &read);
            result::write(place, (shard, settings), &rows)?;
            computed.fetch_add(1, Ordering::Relaxed);
        } else {
            read.fetch_add(shard::bytes(shard), Ordering::Relaxed);
        }
        drop(claim);
        progress.finish_shard();
        Ok(())
    };
    let of_others = || claimed.lock().unwrap_or_else(PoisonError::into_inner);
    let work = || {
        let stop = |error| {
            lock().get_or_insert(error);
        };
        while let Some(number) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
            if lock().is_some() {
                return;
            }
            let shard: &Shard = &manifest.shards[*number];
            match Claim::try_take(place, &shard.hash) {
                Some(claim) => with_claim(shard, claim).unwrap_or_else(stop),
                None => of_others().push(*number),
            }
        }
        loop {
            let at = next_claimed.fetch_add(1, Ordering::Relaxed);
            let number = of_others().get(at).copied();
            let Some(number) = number.filter(|_| lock().is_none()) else {
                return;
            };
            let shard = &manifest.shards[number];
            if at == 0 && !voice.quiet {
                eprintln!("loopsheet: another run computes shards of these; this one waits for it");
            }
            let claim = Claim::wait(place, &shard.hash);
            with_claim(shard, claim).unwrap_or_else(stop);
        }
    };
    let (end, ended) = mpsc::channel();
    std::thread::scope(|scope| -> anyhow::Result<()> {
        // Whatever happens below, it ends with this.
        let _end: mpsc::Sender<()> = end;
        let progress = &progress;
        scope.spawn(move || progress.speak(&ended));
        let threads = (0..jobs.min(wanted.len())).map(|_| {
            let thread = std::thread::Builder::new().stack_size(STACK);
            thread.spawn_scoped(scope, work).context("no more threads")
        });
        let threads = threads.collect::<anyhow::Result<Vec<_>>>()?;
        for thread in threads {
            if let Err(panic) = thread.join() {
                std::panic::resume_unwind(panic);
            }
        }
        Ok(())
    })?;
    claim::tidy(place);
    match stopped.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(computed.into_inner()),
    }
}

/// Whether a shard is to be computed, of which there is this.
fn is_wanted(state: State, failed: Failed) -> bool {
    match state {
        State::Missing | State::Damaged => true,
        State::Failed => failed == Failed::Again,
        State::Done => false,
    }
}

/// What is said if a signal ends the program meanwhile. What is kept by then is what has come into the directory: a thread
/// may be between writing a result and counting it.
#[cfg(target_os = "linux")]
fn farewell<'m>(
    progress: &Arc<Progress>,
    place: &Place,
    shards: impl Iterator<Item = &'m Shard>,
) -> crate::commands::unfinished::Farewell {
    let progress = progress.clone();
    let again = format!("`loopsheet sweep run --all --dir {}`", place.word());
    let results = shards.flat_map(|shard| [place.rows(&shard.hash), place.failure(&shard.hash)]);
    let new: Vec<PathBuf> = results.filter(|path| !path.exists()).collect();
    crate::commands::unfinished::say_on_signals(move || {
        let kept = new.iter().filter(|path| path.exists()).count();
        progress.farewell(kept, &again)
    })
}

#[cfg(not(target_os = "linux"))]
fn farewell<'m>(_: &Arc<Progress>, _: &Place, _: impl Iterator<Item = &'m Shard>) {}

/// Says what came of the shards that were asked for.
fn summary(
    (place, manifest, contents): (&Place, &Manifest, &Contents),
    (chosen, wanted, computed): (&[usize], usize, usize),
    voice: Voice,
) -> anyhow::Result<Status> {
    let mut failed = Vec::new();
    for number in chosen {
        let state = result::state(place, &manifest.shards[*number], Look::AtEnd)?;
        failed.extend((state == State::Failed).then_some(*number));
    }
    if !voice.quiet && !chosen.is_empty() {
        eprintln!(
            "loopsheet: {}: {computed} computed now, {} there before{}; {} of all failed",
            counted(chosen.len(), "shard"),
            chosen.len() - wanted,
            match wanted - computed {
                0 => String::new(),
                others => format!(", {others} computed by other runs meanwhile"),
            },
            failed.len()
        );
    }
    for number in failed.iter().take(MOST_NAMED) {
        eprintln!("loopsheet: {}", why(place, manifest, *number));
    }
    match failed.len() {
        0 => return Ok(Status::Done),
        more if more > MOST_NAMED => eprintln!("loopsheet: … and {} more", more - MOST_NAMED),
        _ => {}
    }
    let of_failed = failed.iter().map(|number| &manifest.shards[*number]);
    let changes = contents::changes(contents, of_failed)?;
    match changes.is_empty() {
        true => eprintln!("loopsheet: --retry computes again what failed"),
        false if changes.values().all(|change| *change == Change::Unreadable) => eprintln!(
            "loopsheet: --retry computes again what failed, once it can be read: {}",
            contents::sentences(&changes).join("; ")
        ),
        false => eprintln!(
            "loopsheet: --retry computes again what failed; what has changed needs `loopsheet sweep plan` first: {}",
            contents::sentences(&changes).join("; ")
        ),
    }
    Ok(Status::WithErrors)
}

/// Why a shard failed.
fn why(place: &Place, manifest: &Manifest, number: usize) -> String {
    let shard = &manifest.shards[number];
    let rows = result::read(place, (number, shard))
        .ok()
        .into_iter()
        .flatten();
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
