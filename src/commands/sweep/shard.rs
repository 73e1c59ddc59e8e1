//! Computing one shard.

use std::path::Path;

use anyhow::Context;

use super::{inputs, source, trace};
use crate::attempt::attempt;
use crate::commands::Voice;
use crate::sweep::manifest::{Shard, Work};
use crate::sweep::row::Row;

/// The rows of a shard.
///
/// # Errors
/// What it reads is not what was planned, or cannot be read or analysed; a defect of loopsheet is one of these, too.
pub fn compute(shard: &Shard, settings: &[String], voice: Voice) -> anyhow::Result<Vec<Row>> {
    attempt(|| rows(shard, settings, voice)).unwrap_or_else(|defect| {
        Err(anyhow::anyhow!(
            "a defect of loopsheet: {defect}; please report this message"
        ))
    })
}

fn rows(shard: &Shard, settings: &[String], voice: Voice) -> anyhow::Result<Vec<Row>> {
    for file in &shard.files {
        let found = inputs::content(Path::new(&file.path))
            .with_context(|| format!("cannot read {}", file.path))?;
        anyhow::ensure!(
            found == file.sha256,
            "{} is not what it was when the sweep was planned: plan again",
            file.path
        );
    }
    match &shard.work {
        Work::Trace(work) => trace::rows(&shard.input, work, voice),
        Work::Source(work) => {
            let mut source = source::Source::read(&shard.input, voice)?;
            refuse_new(shard, &source)?;
            source.rows(work, settings, voice)
        }
    }
}

/// A source that came since would be in the figures, but not in the hash.
fn refuse_new(shard: &Shard, source: &source::Source) -> anyhow::Result<()> {
    for path in source.files() {
        let is_known = |known: &str| Path::new(known) == Path::new(path);
        anyhow::ensure!(
            shard.files.iter().any(|file| is_known(&file.path)) || same_file(shard, path),
            "{path} was not there when the sweep was planned: plan again"
        );
    }
    Ok(())
}

/// Behind links a file has another name.
fn same_file(shard: &Shard, path: &str) -> bool {
    let whole = |path: &str| Path::new(path).canonicalize().ok();
    let found = whole(path);
    found.is_some() && shard.files.iter().any(|file| whole(&file.path) == found)
}
