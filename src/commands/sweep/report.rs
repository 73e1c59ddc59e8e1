//! `loopsheet sweep report`: a workbook and a page.

use std::path::{Path, PathBuf};

use super::merge::{Computed, refuse_changes, refuse_missing};
use super::merged::Tables;
use super::place::Place;
use super::result;
use crate::cli::SweepReportArgs;
use crate::commands::outputs::{self, Output};
use crate::commands::{Status, Voice};
use crate::export::sweep_page::sweep_page;
use crate::export::xlsx::sweep_workbook;
use crate::sweep::columns::Column;
use crate::sweep::report::SweepReport;
use crate::sweep::row::RowKind;
use crate::wording::counted;

pub fn run(args: &SweepReportArgs, voice: Voice) -> anyhow::Result<Status> {
    let (output, html) = (args.output.as_deref(), args.html.as_deref());
    let paths: Vec<&Path> = output.iter().chain(&html).copied().collect();
    outputs::refuse_equal(&paths)?;
    if let Some(path) = output {
        let is_workbook = path
            .extension()
            .is_some_and(|extension| extension == "xlsx");
        anyhow::ensure!(
            is_workbook,
            "-o {}: the extension has to be .xlsx",
            path.display()
        );
    }
    let asked = match args.map.as_deref() {
        None => None,
        Some(text) => match text.split_once(',') {
            Some((across, down)) if across.trim() == down.trim() => {
                anyhow::bail!("--map {text}: expected two different axes")
            }
            Some((across, down)) => Some((across.trim(), down.trim())),
            None => anyhow::bail!("--map {text}: expected two axes, as in caches,latency_cycles"),
        },
    };
    // Created before the directory changes that relative paths begin at.
    let create = |path: Option<&Path>| {
        path.map(|path| Output::create(&absolute(path)?))
            .transpose()
    };
    let (output, html) = (create(output)?, create(html)?);
    let (place, manifest) = Place::enter(&args.place.dir)?;
    let Computed { done, failed } = refuse_missing(&place, &manifest)?;
    refuse_changes(&place, &manifest, &done, voice)?;
    Tables::noted(&place)?.refuse_mixed(&place)?;
    let mut rows = Vec::new();
    for shard in &manifest.shards {
        for row in result::read(&place, shard)? {
            let row = row?;
            // There may be many of nests, which are not shown.
            if !row.is(RowKind::Nest) {
                rows.push(row);
            }
        }
    }
    if failed == manifest.shards.len() {
        let why = rows.iter().find_map(|row| row.text(Column::Error));
        anyhow::bail!(
            "{}, so that there is nothing to report; the first with: {}; `loopsheet sweep run --all --retry --dir {}` tries again",
            match failed {
                1 => "the only shard failed".to_string(),
                failed => format!("all {failed} shards failed"),
            },
            why.unwrap_or_default(),
            place.word()
        );
    }
    let report = SweepReport::of(&manifest.header.swept(), rows.into_iter(), asked)?;
    if let Some(output) = output {
        output.finish(&sweep_workbook(&report)?)?;
    }
    if let Some(html) = html {
        html.finish(sweep_page(&report).as_bytes())?;
    }
    match failed {
        0 => Ok(Status::Done),
        failed => {
            if !voice.quiet {
                eprintln!(
                    "loopsheet: {} failed and {} in no figure",
                    counted(failed, "shard"),
                    if failed == 1 { "is" } else { "are" }
                );
            }
            Ok(Status::WithErrors)
        }
    }
}

/// The path from the root; `-` is standard output.
fn absolute(path: &Path) -> anyhow::Result<PathBuf> {
    match path.as_os_str() == "-" {
        true => Ok(path.to_path_buf()),
        false => Ok(std::path::absolute(path)?),
    }
}
