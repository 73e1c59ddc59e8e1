//! `loopsheet analyze --shards`: one share of a big tree into a cache that all shares have in common.

use anyhow::Context;

use super::progress::FileBar;
use super::project::Project;
use super::{Status, Voice, slurm};
use crate::cli::AnalyzeArgs;
use crate::reading::{Caching, Share, inputs};

/// Reads the share that is asked for; `None` if none is.
///
/// # Errors
/// Nothing says which share, there is none of that number, sources cannot be read, or the cache cannot be written.
pub fn read(args: &AnalyzeArgs, voice: Voice) -> anyhow::Result<Option<Status>> {
    let Some(of) = args.shards.map(|of| of as usize) else {
        return Ok(None);
    };
    let number = match args.shard {
        Some(number) => number as usize,
        None => slurm::task().context("--shards needs --shard K, outside a Slurm array")?,
    };
    anyhow::ensure!(
        (1..=of).contains(&number),
        "there is no shard {number}: shards are counted from 1 to {of}"
    );
    let project = Project::of(args.machine.as_deref(), &args.source, &args.paths, voice)?;
    let Caching::At(cache) = &project.reading.caching else {
        anyhow::bail!(
            "--shards needs --cache-dir DIR, where all shards put what they read, without --no-cache"
        );
    };
    let share = (&**cache, Share { number, of });
    let read = inputs::keep_share(&args.paths, &project.reading, share, &FileBar::new(voice))?;
    if let Some(error) = cache.failure() {
        return Err(error).context("--cache-dir: what was read cannot be kept");
    }
    if !voice.quiet {
        eprintln!(
            "loopsheet: shard {number} of {of}: {} of {} files, of which {} were there",
            read.files, read.all, read.were_there
        );
    }
    Ok(Some(Status::Done))
}
