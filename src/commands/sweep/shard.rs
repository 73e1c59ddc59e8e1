//! Computing one shard.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::contents::{self, Change, Contents, Touched};
use super::{source, trace};
use crate::attempt::attempt;
use crate::commands::Voice;
use crate::reading::files;
use crate::sweep::manifest::{Shard, Work};
use crate::sweep::row::Row;

/// The rows of a shard. `read` grows with the bytes of its input that are read.
///
/// # Errors
/// What it reads is not what was planned, or cannot be read or analysed; a defect of loopsheet is one of these, too.
pub fn compute(
    shard: &Shard,
    settings: &[String],
    contents: &Contents,
    read: &Arc<AtomicU64>,
) -> anyhow::Result<Vec<Row>> {
    attempt(|| rows(shard, settings, contents, read)).unwrap_or_else(|defect| {
        Err(anyhow::anyhow!(
            "a defect of loopsheet: {defect}; please report this message"
        ))
    })
}

fn rows(
    shard: &Shard,
    settings: &[String],
    contents: &Contents,
    read: &Arc<AtomicU64>,
) -> anyhow::Result<Vec<Row>> {
    let before = Touched::of(shard);
    refuse_changes(shard, contents)?;
    let rows = match &shard.work {
        Work::Trace(work) => trace::rows(&shard.input, work, read)?,
        Work::Source(work) => {
            let (rows, files) = files::noting_reads(|| {
                let mut source =
                    source::Source::read_whole(&shard.input, settings, Voice::silent())?;
                read.fetch_add(bytes(shard), Ordering::Relaxed);
                source.rows(work, settings, Voice::silent())
            });
            // Settings, headers, inputs and the like may have come since: what they lead to is not what was planned.
            refuse(contents::unplanned(contents, shard, &files)?)?;
            rows?
        }
    };
    // It may have changed meanwhile.
    if Touched::of(shard) != before {
        refuse_changes(shard, contents)?;
    }
    Ok(rows)
}

/// Bytes that computing a shard reads: of the trace itself, or of everything that makes a source.
pub fn bytes(shard: &Shard) -> u64 {
    let bytes = |path: &str| std::fs::metadata(path).map_or(0, |file| file.len());
    match &shard.work {
        Work::Trace(_) => bytes(&shard.input),
        Work::Source(_) => shard.files.iter().map(|file| bytes(&file.path)).sum(),
    }
}

/// # Errors
/// Something is not what was planned.
fn refuse_changes(shard: &Shard, contents: &Contents) -> anyhow::Result<()> {
    refuse(contents::of_input(contents, shard)?)
}

fn refuse(changes: BTreeMap<String, Change>) -> anyhow::Result<()> {
    anyhow::ensure!(
        changes.is_empty(),
        "{}: plan again, or undo the change and run with --retry",
        contents::sentences(&changes).join("; ")
    );
    Ok(())
}
