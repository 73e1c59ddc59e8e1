//! `loopsheet sweep report`: a workbook and a page.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::merge::{Computed, refuse_changes, refuse_missing};
use super::merged::Tables;
use super::not_read;
use super::place::Place;
use super::result;
use super::since_plan;
use crate::cli::SweepReportArgs;
use crate::commands::outputs::{self, Output};
use crate::commands::{Status, Voice};
use crate::export::sweep_page::sweep_page;
use crate::export::xlsx::sweep_workbook;
use crate::sweep::columns::Column;
use crate::sweep::failure::Failure;
use crate::sweep::manifest::Manifest;
use crate::sweep::report::SweepReport;
use crate::sweep::row::RowKind;
use crate::wording::counted;

pub fn run(args: &SweepReportArgs, voice: Voice) -> anyhow::Result<Status> {
    let (output, html) = (args.output.as_deref(), args.html.as_deref());
    let paths: Vec<&Path> = output.iter().chain(&html).copied().collect();
    outputs::refuse_equal(&paths)?;
    // Under any other name they could be what a later command reads: settings of a project, say.
    refuse_extension("-o", output, &["xlsx"])?;
    let page = html.filter(|path| path.as_os_str() != "-");
    refuse_extension("--html", page, &["html", "htm"])?;
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
    let outputs: Vec<PathBuf> = paths
        .iter()
        .map(|path| absolute(path))
        .collect::<anyhow::Result<_>>()?;
    // Created before the directory changes that relative paths begin at.
    let create = |path: Option<&Path>| {
        path.map(|path| Output::create(&absolute(path)?))
            .transpose()
    };
    let (output, html) = (create(output)?, create(html)?);
    let (place, manifest) = Place::enter(&args.place.dir)?;
    since_plan::say(&place, &manifest, voice);
    spare_sweep(&outputs, &place, &manifest)?;
    let Computed { done, failed } = refuse_missing(&place, &manifest)?;
    refuse_changes(&place, &manifest, &done, voice)?;
    let tables = Tables::noted(&place)?;
    tables.refuse_mixed(&place)?;
    tables.say_missing(&place, voice);
    let (mut rows, mut failures) = (Vec::new(), Vec::new());
    for (number, shard) in manifest.shards.iter().enumerate() {
        for row in result::read(&place, (number, shard))? {
            let row = row?;
            match row.kind() {
                // There may be many of nests, which are not shown.
                RowKind::Nest => {}
                RowKind::Error => failures.push(Failure {
                    input: shard.input.clone(),
                    error: row.text(Column::Error).unwrap_or_default().to_string(),
                    work: shard.work.clone(),
                }),
                _ => rows.push(row),
            }
        }
    }
    if failed == manifest.shards.len() {
        let why = failures.first().map(|failure| failure.error.as_str());
        anyhow::bail!(
            "{}, so there is nothing to report; the first with: {}; `loopsheet sweep run --all --retry --dir {}` tries again",
            match failed {
                1 => "the only shard failed".to_string(),
                failed => format!("all {failed} shards failed"),
            },
            why.unwrap_or_default(),
            place.word()
        );
    }
    let report = SweepReport::of(&manifest.header.swept(), rows.into_iter(), failures, asked)?;
    if let Some(output) = output {
        output.finish(&sweep_workbook(&report)?)?;
    }
    if let Some(html) = html {
        html.finish(sweep_page(&report).as_bytes())?;
    }
    let not_read = not_read::say_of(&manifest, manifest.shards.iter(), voice);
    match failed {
        0 => Ok(not_read),
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

/// # Errors
/// The name of an output says that it is something else.
fn refuse_extension(option: &str, path: Option<&Path>, known: &[&str]) -> anyhow::Result<()> {
    let Some(path) = path else {
        return Ok(());
    };
    let is_known = path
        .extension()
        .is_some_and(|extension| known.iter().any(|known| extension == *known));
    let named: Vec<String> = known.iter().map(|known| format!(".{known}")).collect();
    anyhow::ensure!(
        is_known,
        "{option} {}: the extension must be {}",
        path.display(),
        named.join(" or ")
    );
    Ok(())
}

/// Refuses outputs that would replace a file of the sweep, or one that it was planned from.
fn spare_sweep(outputs: &[PathBuf], place: &Place, manifest: &Manifest) -> anyhow::Result<()> {
    let shards = manifest.shards.iter();
    let of_shards = shards.flat_map(|shard| {
        let files = shard.files.iter().map(|file| file.path.as_str());
        files.chain([shard.input.as_str()])
    });
    let of_plan = manifest.header.read.iter().map(String::as_str);
    let inputs: BTreeSet<&str> = of_shards.chain(of_plan).collect();
    let paths = || outputs.iter().map(PathBuf::as_path);
    outputs::spare_inputs(paths(), inputs, "files that the sweep is computed from")?;
    outputs::spare_inputs(paths(), place.files(), "files of the sweep")?;
    for path in paths() {
        anyhow::ensure!(
            !place.keeps(path),
            "cannot write {}: that directory is for files of the sweep; name a file elsewhere",
            path.display()
        );
    }
    Ok(())
}

/// The path from the root; `-` is standard output.
fn absolute(path: &Path) -> anyhow::Result<PathBuf> {
    match path.as_os_str() == "-" {
        true => Ok(path.to_path_buf()),
        false => Ok(std::path::absolute(path)?),
    }
}
