//! `loopsheet sweep submit`: a pilot shard, and scripts with limits that follow from it.

use std::cmp::Reverse;
use std::process::Command;
use std::time::Instant;

use anyhow::Context;
use serde::{Deserialize, Serialize};

use super::contents::Contents;
use super::merge::{Computed, refuse_missing};
use super::place::Place;
use super::result::{self, Look, State};
use super::run::Failed;
use crate::cli::{SweepEngine, SweepSubmitArgs};
use crate::commands::outputs::Output;
use crate::commands::{Status, Voice};
use crate::reading::files;
use crate::sweep::hash::Hash;
use crate::sweep::manifest::{Manifest, Shard};
use crate::sweep::submit::{Engine, OF_SLURM, Parts, Pilot, SUBMIT, is_script, scripts};
use crate::wording::counted;

pub fn run(args: &SweepSubmitArgs, voice: Voice) -> anyhow::Result<Status> {
    let here = std::env::current_dir()?;
    let directory = args.place.dir.to_str().context("--dir is not UTF-8")?;
    let directory = shlex::try_quote(directory).context("--dir")?;
    let (place, manifest) = Place::enter(&args.place.dir)?;
    let contents = Contents::noted(&place);
    refuse_others(&place)?;
    let Some(pilot) = pilot((&place, &manifest, &contents), voice)? else {
        return all_computed((&place, &manifest, &contents), voice);
    };
    let (engine, most) = match args.engine {
        SweepEngine::Slurm => (Engine::Slurm, most_tasks()),
        SweepEngine::Local => (Engine::Local, usize::MAX),
        SweepEngine::GnuParallel => (Engine::GnuParallel, usize::MAX),
    };
    let asked = args.parts.map(|parts| parts as usize);
    let parts = Parts::of(manifest.shards.len(), pilot, asked, most);
    let written = scripts(engine, &directory, parts);
    for script in &written {
        Output::create(&place.script(script.name))?.finish(script.text.as_bytes())?;
    }
    // Those of another engine would submit what is computed otherwise now.
    let is_stale = |name: &&&str| !written.iter().any(|script| script.name == **name);
    for name in OF_SLURM.iter().filter(is_stale) {
        let path = place.script(name);
        if path.is_file() {
            let what = || format!("cannot remove {}", path.display());
            std::fs::remove_file(&path).with_context(what)?;
        }
    }
    let start = format!("sh {directory}/{SUBMIT}");
    if !voice.quiet {
        eprintln!(
            "loopsheet: {} in {} of {} at most; {start} {}",
            counted(manifest.shards.len(), "shard"),
            counted(parts.count, "part"),
            counted(parts.minutes as usize, "minute"),
            if args.now { "runs now" } else { "starts them" }
        );
    }
    if !args.now {
        return Ok(Status::Done);
    }
    let status = Command::new("sh")
        .arg(place.script(SUBMIT))
        .current_dir(here)
        .env("LOOPSHEET", std::env::current_exe()?)
        .status()
        .context("cannot start sh")?;
    // The merge has that status where shards failed; `sbatch` has it where it refuses a job.
    if status.code() == Some(1) && engine != Engine::Slurm {
        return Ok(Status::WithErrors);
    }
    anyhow::ensure!(status.success(), "{start} failed: {status}");
    Ok(Status::Done)
}

/// Files of other people are not what scripts and the pilot take the place of, nor what is removed.
///
/// # Errors
/// One has a name that is needed.
fn refuse_others(place: &Place) -> anyhow::Result<()> {
    let is_pilot = |text: &str| {
        let noted = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(text);
        let is_known = |key: &String| ["shard", "seconds", "bytes"].contains(&key.as_str());
        noted.is_ok_and(|noted| noted.keys().all(is_known))
    };
    let scripts = [SUBMIT].into_iter().chain(OF_SLURM);
    for name in scripts {
        place.refuse_other(&place.script(name), "submit of a sweep", is_script)?;
    }
    place.refuse_other(&place.pilot(), "submit of a sweep", is_pilot)
}

/// A pilot that was computed.
#[derive(Serialize, Deserialize)]
struct Noted {
    shard: Hash,
    seconds: f64,
    bytes: Option<u64>,
}

/// Computes the largest shard that is missing, and says what that took, unless an earlier one was as large. Its result stays.
/// What a shard took that fails says nothing, so that the next one is computed then. None if none is missing.
fn pilot(
    (place, manifest, contents): (&Place, &Manifest, &Contents),
    voice: Voice,
) -> anyhow::Result<Option<Pilot>> {
    let state = |number: usize| result::state(place, &manifest.shards[number], Look::AtEnd);
    let mut missing = Vec::new();
    for number in 0..manifest.shards.len() {
        let is_missing = matches!(state(number)?, State::Missing | State::Damaged);
        missing.extend(is_missing.then_some(number));
    }
    if missing.is_empty() {
        return Ok(None);
    }
    missing.sort_by_cached_key(|number| Reverse(size(&manifest.shards[*number])));
    if let Some(earlier) = earlier(place, manifest, &manifest.shards[missing[0]], voice) {
        return Ok(Some(earlier));
    }
    for number in missing {
        let begun = Instant::now();
        let plan = (place, manifest, contents);
        super::run::compute(plan, (&[number], Failed::Stay), 1, voice)?;
        if state(number)? == State::Done {
            let pilot = Pilot {
                seconds: begun.elapsed().as_secs_f64(),
                bytes: peak_bytes(),
            };
            let noted = Noted {
                shard: manifest.shards[number].hash.clone(),
                seconds: pilot.seconds,
                bytes: pilot.bytes,
            };
            let text = serde_json::to_vec(&noted).expect("texts and numbers are valid JSON");
            Output::create(&place.pilot())?.finish(&text)?;
            return Ok(Some(pilot));
        }
    }
    anyhow::bail!(
        "all missing shards fail, so it is not known how long one takes; `loopsheet sweep run --all --dir {}` says why",
        place.word()
    )
}

/// What an earlier pilot took, if its shard is in the sweep and no smaller than what is left.
fn earlier(place: &Place, manifest: &Manifest, largest: &Shard, voice: Voice) -> Option<Pilot> {
    let text = files::read(&place.pilot()).ok()?;
    let Noted {
        shard,
        seconds,
        bytes,
    } = serde_json::from_slice(&text).ok()?;
    let number = manifest
        .shards
        .iter()
        .position(|known| known.hash == shard)?;
    if size(&manifest.shards[number]) < size(largest) {
        return None;
    }
    if !voice.quiet {
        eprintln!(
            "loopsheet: limits follow from what shard {} took as the pilot of an earlier submit: {seconds:.1} s",
            number + 1
        );
    }
    Some(Pilot { seconds, bytes })
}

/// Nothing is left to submit.
fn all_computed(
    (place, manifest, contents): (&Place, &Manifest, &Contents),
    voice: Voice,
) -> anyhow::Result<Status> {
    let Computed { done, failed } = refuse_missing(place, manifest)?;
    if !voice.quiet {
        eprintln!(
            "loopsheet: all {} have been computed, so there is nothing to submit; `loopsheet sweep merge --dir {}` puts \
             them together",
            counted(manifest.shards.len(), "shard"),
            place.word()
        );
    }
    if failed > 0 {
        eprintln!(
            "loopsheet: {failed} of them failed; `loopsheet sweep run --all --retry --dir {}` tries them again",
            place.word()
        );
    }
    let done = done.iter().map(|number| &manifest.shards[*number]);
    let stale = super::run::say_changes(place, contents, done, voice)?;
    let failed = if failed > 0 {
        Status::WithErrors
    } else {
        Status::Done
    };
    Ok(failed.max(stale))
}

/// What a shard's time grows with: bytes that are read, for every configuration.
fn size(shard: &Shard) -> u128 {
    let bytes = super::shard::bytes(shard);
    u128::from(bytes + 1) * shard.work.configurations() as u128
}

/// The largest memory that this process had, where the system says it.
fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

/// Tasks that an array may have: what Slurm says, or else what it has if nobody configures it.
fn most_tasks() -> usize {
    const USUAL: usize = 1001;
    let output = Command::new("scontrol").args(["show", "config"]).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let size = text.unwrap_or_default().lines().find_map(|line| {
        let (name, value) = line.split_once('=')?;
        match name.trim() {
            "MaxArraySize" => value.trim().parse().ok(),
            _ => None,
        }
    });
    // Indices are less than that, and begin with 1 here.
    size.unwrap_or(USUAL).saturating_sub(1).max(1)
}
