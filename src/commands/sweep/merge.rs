//! `loopsheet sweep merge`: the rows of all shards, one Parquet file an input.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::Context;

use super::contents::Contents;
use super::place::Place;
use super::result::{self, State};
use super::run::say_changes;
use crate::cli::SweepMergeArgs;
use crate::commands::outputs::{Output, temporary_directory_in};
use crate::commands::{Status, Voice};
use crate::export::parquet::RowWriter;
use crate::sweep::manifest::Manifest;
use crate::sweep::merge::{InputFile, input_files};
use crate::sweep::row::{Row, RowKind};
use crate::wording::counted;

pub fn run(args: &SweepMergeArgs, voice: Voice) -> anyhow::Result<Status> {
    let (place, manifest) = Place::enter(&args.place.dir)?;
    let failed = refuse_missing(&place, &manifest)?;
    refuse_changes(&place, &manifest, voice)?;
    let data = place.data();
    place.make(&data)?;
    // All files are whole before the first takes the place of an older one.
    let unfinished = temporary_directory_in(&data)
        .with_context(|| format!("cannot write into {}", data.display()))?;
    let mut kept = BTreeSet::new();
    let mut rows = Rows::default();
    for file in input_files(&manifest) {
        let name = format!("{}.parquet", file.stem);
        rows.add(merge(
            &place,
            &manifest,
            &file,
            &unfinished.path().join(&name),
        )?);
        kept.insert(name);
    }
    let earlier = merged(&place)?;
    let all: BTreeSet<String> = kept.union(&earlier).cloned().collect();
    note_merged(&place, &all)?;
    for name in &kept {
        let path = data.join(name);
        std::fs::rename(unfinished.path().join(name), &path)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    remove(&data, earlier.difference(&kept))?;
    note_merged(&place, &kept)?;
    if !voice.quiet {
        eprintln!(
            "loopsheet: {} of {} ({}) in {}",
            counted(rows.total(), "row"),
            counted(kept.len(), "input"),
            rows.kinds(),
            place.name().join("data").display()
        );
    }
    if failed > 0 {
        eprintln!(
            "loopsheet: {} failed; each is a row of kind error; `loopsheet sweep run --all --retry --dir {}` tries them again",
            counted(failed, "shard"),
            place.word()
        );
        return Ok(Status::WithErrors);
    }
    Ok(Status::Done)
}

/// How many shards failed.
///
/// # Errors
/// Some have not been computed.
pub fn refuse_missing(place: &Place, manifest: &Manifest) -> anyhow::Result<usize> {
    const MOST_NAMED: usize = 10;
    let states = manifest
        .shards
        .iter()
        .map(|shard| result::state(place, shard));
    let states: Vec<State> = states.collect();
    let is = |wanted: State| states.iter().filter(move |state| **state == wanted);
    let missing = (1..)
        .zip(&states)
        .filter(|(_, state)| **state == State::Missing);
    let named: Vec<String> = missing
        .take(MOST_NAMED)
        .map(|(number, _): (usize, _)| number.to_string())
        .collect();
    let count = is(State::Missing).count();
    anyhow::ensure!(
        count == 0,
        "{count} of {} shards have not been computed: {}{}; `loopsheet sweep run --all --dir {}` computes them",
        states.len(),
        named.join(", "),
        if count > MOST_NAMED { ", …" } else { "" },
        place.word()
    );
    Ok(is(State::Failed).count())
}

/// Results of inputs that have changed since are not results of the inputs.
///
/// # Errors
/// One has changed.
pub fn refuse_changes(place: &Place, manifest: &Manifest, voice: Voice) -> anyhow::Result<()> {
    let contents = Contents::noted(place);
    match say_changes(place, &contents, manifest.shards.iter(), voice)? {
        Status::Done => Ok(()),
        _ => anyhow::bail!(
            "inputs have changed since the sweep was planned, so that nothing was written"
        ),
    }
}

/// How many rows there are of each kind.
#[derive(Clone, Copy, Debug, Default)]
struct Rows {
    configurations: usize,
    nests: usize,
    errors: usize,
}

impl Rows {
    fn count(&mut self, row: &Row) {
        match row.kind() {
            RowKind::Program | RowKind::Trace | RowKind::Epochs => self.configurations += 1,
            RowKind::Nest => self.nests += 1,
            RowKind::Error => self.errors += 1,
        }
    }

    fn add(&mut self, other: Rows) {
        let Rows {
            configurations,
            nests,
            errors,
        } = other;
        self.configurations += configurations;
        self.nests += nests;
        self.errors += errors;
    }

    fn total(self) -> usize {
        self.configurations + self.nests + self.errors
    }

    fn kinds(self) -> String {
        let kinds = [
            (self.configurations, "configuration"),
            (self.nests, "nest"),
            (self.errors, "error"),
        ];
        let there = kinds.iter().filter(|(count, _)| *count > 0);
        let there: Vec<String> = there.map(|(count, what)| counted(*count, what)).collect();
        there.join(", ")
    }
}

/// Writes the file of one input; returns how many rows it has.
fn merge(
    place: &Place,
    manifest: &Manifest,
    file: &InputFile,
    path: &Path,
) -> anyhow::Result<Rows> {
    Output::create(path)?.stream(|out| {
        let mut writer = RowWriter::new(out, &manifest.header.settings)?;
        let mut rows = Rows::default();
        for shard in &manifest.shards[file.shards.clone()] {
            for row in result::read(place, shard)? {
                let row = row?;
                rows.count(&row);
                writer.push(row)?;
            }
        }
        writer.finish()?;
        Ok(rows)
    })
}

/// The names of the files that earlier merges wrote; what else is in the directory belongs to the user.
fn merged(place: &Place) -> anyhow::Result<BTreeSet<String>> {
    let path = place.merged();
    match std::fs::read_to_string(&path) {
        Ok(names) => Ok(names.lines().map(str::to_string).collect()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(BTreeSet::new()),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

fn note_merged(place: &Place, names: &BTreeSet<String>) -> anyhow::Result<()> {
    let lines: String = names.iter().map(|name| format!("{name}\n")).collect();
    Output::create(&place.merged())?.finish(lines.as_bytes())
}

/// Removes files of inputs that are in the sweep no more: who reads the directory would read them.
fn remove<'n>(data: &Path, names: impl Iterator<Item = &'n String>) -> anyhow::Result<()> {
    for name in names {
        let path = data.join(name);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("cannot remove {}", path.display()));
            }
            _ => {}
        }
    }
    Ok(())
}
